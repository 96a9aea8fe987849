package vectorstores

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/jsonbody"
)

// batchLife is how long a batch can be asked for.
const batchLife = 24 * time.Hour

// A batch is files that were put into a vector store by one request.
type batch struct {
	ID        string                  `json:"id"`
	Store     assistants.CollectionID `json:"store"`
	Files     []assistants.DocumentID `json:"files"`
	CreatedAt time.Time               `json:"created_at"`
}

// A batchView is OpenAI's object vector_store.files_batch.
type batchView struct {
	ID            string                  `json:"id"`
	Object        string                  `json:"object"`
	CreatedAt     int64                   `json:"created_at"`
	VectorStoreID assistants.CollectionID `json:"vector_store_id"`
	Status        string                  `json:"status"`
	FileCounts    countsView              `json:"file_counts"`
}

// createBatch puts several files into a vector store.
func (j *job) createBatch() (any, error) {
	c, err := j.store()
	if err != nil {
		return nil, err
	}
	ids, own, err := j.readBatch()
	if err != nil {
		return nil, err
	}
	member := "file_ids"
	if slices.Contains(j.event.Fields, "files") {
		member = "files"
	}
	for _, id := range ids { // before any is moved
		if _, err := j.attachable(id, c.ID); err != nil {
			return nil, about(member, err)
		}
	}
	for i, id := range ids {
		if _, err := j.attachTo(c.ID, id, own[i]); err != nil {
			return nil, about(member, err)
		}
	}
	b := batch{ID: assistants.NewBatchID(), Store: c.ID, Files: ids, CreatedAt: j.deps.Now()}
	if err := j.keep(b); err != nil {
		return nil, err
	}
	return j.viewBatch(b)
}

// readBatch reads the files of a batch, with the attributes of each.
func (j *job) readBatch() (ids []assistants.DocumentID, own []attributes, err error) {
	var in struct {
		IDs        json.RawMessage `json:"file_ids" want:"a list of ids"`
		Files      json.RawMessage `json:"files" want:"a list of objects"`
		Attributes json.RawMessage `json:"attributes" want:"an object"`
		Chunking   json.RawMessage `json:"chunking_strategy" want:"an object"`
	}
	if err := j.read(&in); err != nil {
		return nil, nil, err
	}
	if err := checkChunking(in.Chunking); err != nil {
		return nil, nil, err
	}
	switch {
	case given(in.IDs) && given(in.Files):
		return nil, nil, apierr.Invalid("files", "Send either file_ids or files.")
	case given(in.Files):
		if given(in.Attributes) {
			return nil, nil, apierr.Invalid("attributes", "With files, each of them has attributes of its own.")
		}
		ids, own, err = readFiles(in.Files)
	default:
		shared, fault := readAttributes(in.Attributes)
		if fault != nil {
			return nil, nil, fault
		}
		ids, err = fileIDs(in.IDs)
		own = slices.Repeat([]attributes{shared}, len(ids))
	}
	if err == nil && len(ids) == 0 {
		err = apierr.Missing("file_ids")
	}
	return ids, own, err
}

// readFiles reads the files of a batch that have attributes of their own.
func readFiles(raw json.RawMessage) (ids []assistants.DocumentID, own []attributes, err error) {
	var files []json.RawMessage
	if json.Unmarshal(raw, &files) != nil {
		return nil, nil, apierr.InvalidType("files", "files must be a list of objects.")
	}
	if len(files) > maxAttach {
		return nil, nil, apierr.Invalid("files", fmt.Sprintf("files must have at most %d objects.", maxAttach))
	}
	for i, file := range files {
		var in struct {
			File       string          `json:"file_id" want:"a string" required:"true"`
			Attributes json.RawMessage `json:"attributes" want:"an object"`
			Chunking   json.RawMessage `json:"chunking_strategy" want:"an object"`
		}
		err := jsonbody.Decode(file, &in)
		if err == nil {
			err = checkChunking(in.Chunking)
		}
		var a attributes
		if err == nil {
			a, err = readAttributes(in.Attributes)
		}
		if err != nil {
			return nil, nil, jsonbody.Within(fmt.Sprintf("files[%d]", i), err)
		}
		if id := assistants.DocumentID(in.File); !slices.Contains(ids, id) {
			ids, own = append(ids, id), append(own, a)
		}
	}
	return ids, own, nil
}

// keep stores a batch.
func (j *job) keep(b batch) error {
	body, err := json.Marshal(b)
	if err != nil {
		return err
	}
	r, _, err := j.deps.Store.ReserveRequest(j.ctx(), assistants.IdempotentRequest{
		TenantID: j.caller.Tenant, Key: keyOf(b.ID), LeaseUntil: b.CreatedAt.Add(time.Minute),
		CreatedAt: b.CreatedAt, ExpiresAt: b.CreatedAt.Add(batchLife),
	}, b.CreatedAt)
	if err != nil {
		return err
	}
	r.Status, r.Body = http.StatusOK, body
	return j.deps.Store.AnswerRequest(j.ctx(), r)
}

// batch returns the batch that the path names, if it is the path's vector store's.
func (j *job) batch() (batch, error) {
	var b batch
	r, err := j.deps.Store.AnsweredRequest(j.ctx(), j.caller.Tenant, keyOf(j.c.Param("batch")), j.deps.Now())
	if err != nil {
		return b, err
	}
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return b, fmt.Errorf("a stored batch: %w", err)
	}
	if b.Store != j.storeID() {
		return b, assistants.ErrNotFound
	}
	return b, nil
}

func (j *job) getBatch() (any, error) {
	b, err := j.batch()
	if err != nil {
		return nil, err
	}
	return j.viewBatch(b)
}

// cancelBatch refuses: the files are in the vector store since the batch was made.
func (j *job) cancelBatch() (any, error) {
	if _, err := j.batch(); err != nil {
		return nil, err
	}
	e := apierr.NotAvailable("")
	e.Message = "A batch cannot be cancelled, since its files are in the vector store already. Delete them from the vector store instead."
	return nil, e
}

// files returns the files of a batch that are still in its vector store, in its order.
func (j *job) files(b batch) ([]assistants.Document, error) {
	found, err := j.deps.Store.DocumentsByID(j.ctx(), j.caller.Tenant, b.Files)
	found = slices.DeleteFunc(found, func(d assistants.Document) bool { return d.CollectionID != b.Store })
	slices.SortFunc(found, func(x, y assistants.Document) int { return slices.Index(b.Files, x.ID) - slices.Index(b.Files, y.ID) })
	return found, err
}

func (j *job) viewBatch(b batch) (any, error) {
	found, err := j.files(b)
	if err != nil {
		return nil, err
	}
	v := batchView{ID: b.ID, Object: "vector_store.files_batch", CreatedAt: b.CreatedAt.Unix(), VectorStoreID: b.Store}
	for _, d := range found {
		v.FileCounts.Total++
		switch statusOf(d) {
		case completed:
			v.FileCounts.Completed++
		case failed:
			v.FileCounts.Failed++
		default:
			v.FileCounts.InProgress++
		}
	}
	v.Status = v.FileCounts.status()
	return v, nil
}

// listBatch lists the files of a batch. It is never longer than one page can be.
func (j *job) listBatch() (any, error) {
	p, q, none, err := j.filesAsked()
	if err != nil {
		return nil, err
	}
	b, err := j.batch()
	if err != nil {
		return nil, err
	}
	found, err := j.files(b)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(d assistants.Document) bool {
		return none || q.Statuses != nil && !slices.Contains(q.Statuses, d.Status)
	})
	if p.list.Descending {
		slices.Reverse(found)
	}
	if p.list.After != "" {
		i := slices.IndexFunc(found, func(d assistants.Document) bool { return string(d.ID) == p.list.After })
		if i < 0 {
			return nil, p.named(&assistants.FieldError{Field: "after", Message: "after must be the id of an item of this list."})
		}
		found = found[i+1:]
	}
	n := min(len(found), p.list.Limit)
	return pageOf(p, found[:n], len(found) > n, viewAttached, idOfFile), nil
}

// keyOf is the key of the request that a batch is stored as, which no client's key is.
func keyOf(id string) string { return assistants.HashIdempotencyKey("file batch\x00" + id) }
