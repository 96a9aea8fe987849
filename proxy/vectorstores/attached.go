package vectorstores

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/filters"
	"footnote/proxy/jsonbody"
)

// maxAttributes is how many attributes a file has.
const maxAttributes = 16

// attach puts a file into a vector store, which begins to read it.
func (j *job) attach() (any, error) {
	c, err := j.store()
	if err != nil {
		return nil, err
	}
	var in struct {
		File       string          `json:"file_id" want:"a string" required:"true"`
		Attributes json.RawMessage `json:"attributes" want:"an object"`
		Chunking   json.RawMessage `json:"chunking_strategy" want:"an object"`
	}
	if err := j.read(&in); err != nil {
		return nil, err
	}
	if err := checkChunking(in.Chunking); err != nil {
		return nil, err
	}
	given, err := readAttributes(in.Attributes)
	if err != nil {
		return nil, err
	}
	d, err := j.attachTo(c.ID, assistants.DocumentID(in.File), given)
	if err != nil {
		return nil, err
	}
	return viewAttached(d), nil
}

// attributes of a file are its document's tags: texts, numbers and truth values. Filters
// compare all of them as texts, or as numbers if both sides are.
type attributes struct {
	tags  map[string]string // nil: no attributes are given
	types map[string]assistants.TagType
}

// set makes them the document's.
func (a attributes) set(d *assistants.Document) {
	d.Tags, d.TagTypes = maps.Clone(a.tags), maps.Clone(a.types)
}

// readAttributes reads the attributes of a file.
func readAttributes(raw json.RawMessage) (attributes, error) {
	var a attributes
	if !given(raw) {
		return a, nil
	}
	members, err := jsonbody.Members(raw)
	if twice := jsonbody.TwiceIn("attributes", err); twice != nil {
		return a, twice
	}
	if err != nil {
		return a, apierr.InvalidType("attributes", "attributes must be an object.")
	}
	if len(members) > maxAttributes {
		return a, apierr.Invalid("attributes", fmt.Sprintf("attributes must have at most %d members.", maxAttributes))
	}
	a.tags, a.types = make(map[string]string, len(members)), map[string]assistants.TagType{}
	for key, value := range members {
		text, ok := filters.Text(value)
		if !ok {
			return a, apierr.InvalidType("attributes", "The values of attributes must be strings, numbers, true or false.")
		}
		a.tags[key] = text
		switch value[0] {
		case '"':
		case 't', 'f':
			a.types[key] = assistants.TagBoolean
		default:
			a.types[key] = assistants.TagNumber
		}
	}
	if err := assistants.CheckTags(a.tags); err != nil {
		field, _ := errors.AsType[*assistants.FieldError](err)
		return a, apierr.Invalid("attributes", field.Message)
	}
	return a, nil
}

// attachable returns the file with an id if it can be put into a vector store, where it
// may be already. A FieldError otherwise; ErrNotFound: there is no such file.
func (j *job) attachable(id assistants.DocumentID, to assistants.CollectionID) (assistants.Document, error) {
	if !assistants.IsID(filePrefix, string(id)) {
		return assistants.Document{}, assistants.ErrNotFound
	}
	d, err := j.deps.Store.Document(j.ctx(), j.caller.Tenant, id)
	if err != nil {
		return d, err
	}
	return d, free(d, to)
}

// free reports whether a file is in no vector store but this one.
func free(d assistants.Document, to assistants.CollectionID) error {
	if d.CollectionID == to || d.CollectionID == assistants.FilesCollection(d.TenantID) {
		return nil
	}
	return apierr.Invalid("file_id", fmt.Sprintf(
		"The file %s is in the vector store %s, and a file can be in one only. Upload it again for another one, or delete it from that one first.", d.ID, d.CollectionID))
}

// attachTo puts a file into a vector store. Attributes that are given replace the file's.
func (j *job) attachTo(to assistants.CollectionID, id assistants.DocumentID, given attributes) (assistants.Document, error) {
	d, err := j.attachable(id, to)
	if err == nil {
		err = j.deps.Library.Fits(j.ctx(), j.caller.Tenant, to)
	}
	if err == nil && given.tags != nil { // first, so that the file is never found without them
		d, err = j.deps.Store.UpdateDocument(j.ctx(), j.caller.Tenant, id, func(now *assistants.Document) error {
			given.set(now)
			return free(*now, to)
		})
	}
	if err != nil {
		return d, err
	}
	j.event.Documents = append(j.event.Documents, d.ID)
	j.event.Collections = []assistants.CollectionID{to}
	d, err = j.deps.Store.MoveDocument(j.ctx(), j.caller.Tenant, id, to, func(now assistants.Document) error { return free(now, to) })
	if errors.Is(err, assistants.ErrSameBytes) {
		return d, apierr.Conflict("file_id", "The vector store has a file with the same bytes. Use that one, or delete it first.")
	}
	if err == nil {
		j.deps.Wake()
	}
	return d, unnamed(err)
}

func (j *job) listAttached() (any, error) {
	p, q, none, err := j.filesAsked()
	if err != nil {
		return nil, err
	}
	c, err := j.store()
	if err != nil {
		return nil, err
	}
	if none {
		return pageOf(p, nil, false, viewAttached, idOfFile), nil
	}
	found, err := j.deps.Store.FindDocuments(j.ctx(), j.caller.Tenant, c.ID, q, p.list)
	if err != nil {
		return nil, p.named(err)
	}
	return pageOf(p, found.Items, found.Next != "", viewAttached, idOfFile), nil
}

// filesAsked reads which page of a list of files is asked for, and the parameter filter,
// which selects files by their status. none: it selects a status that no file has.
func (j *job) filesAsked() (p pager, q assistants.DocumentQuery, none bool, err error) {
	if p, err = j.pagerOf(filePrefix, defaultLimit, maxLimit); err != nil {
		return p, q, false, err
	}
	status, given, err := apierr.QueryOnce(j.c, "filter")
	if err != nil || !given {
		return p, q, false, err
	}
	wanted, known := statuses[status]
	if !known && status != cancelled {
		return p, q, false, apierr.Invalid("filter", "filter must be one of in_progress, completed, failed, cancelled.")
	}
	q.Statuses = wanted
	return p, q, !known, nil
}

// attached returns the file that the path names, if it is in the path's vector store.
func (j *job) attached() (assistants.Document, error) {
	d, err := j.deps.Store.Document(j.ctx(), j.caller.Tenant, j.fileID())
	if err == nil && d.CollectionID != j.storeID() {
		err = assistants.ErrNotFound
	}
	return d, err
}

func (j *job) getAttached() (any, error) {
	d, err := j.attached()
	if err != nil {
		return nil, err
	}
	return viewAttached(d), nil
}

// updateAttached replaces the attributes of a file.
func (j *job) updateAttached() (any, error) {
	d, err := j.attached()
	if err != nil {
		return nil, err
	}
	var in struct {
		Attributes json.RawMessage `json:"attributes" want:"an object" required:"true"`
	}
	if err := j.read(&in); err != nil {
		return nil, err
	}
	given, err := readAttributes(in.Attributes)
	if err != nil {
		return nil, err
	}
	d, err = j.deps.Store.UpdateDocument(j.ctx(), j.caller.Tenant, d.ID, func(now *assistants.Document) error {
		if now.CollectionID != j.storeID() { // it was moved just now
			return assistants.ErrNotFound
		}
		given.set(now)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return viewAttached(d), nil
}

// detach takes a file out of its vector store. As with OpenAI the file stays.
func (j *job) detach() (any, error) {
	d, err := j.attached()
	if err != nil {
		return nil, err
	}
	j.event.Collections = []assistants.CollectionID{d.CollectionID}
	if err := j.release(d); err != nil {
		return nil, err
	}
	return deletedView{ID: string(d.ID), Object: "vector_store.file.deleted", Deleted: true}, nil
}

// A contentView is the text of a file, on one page.
type contentView struct {
	Object   string     `json:"object"`
	Data     []textView `json:"data"`
	HasMore  bool       `json:"has_more"`
	NextPage *string    `json:"next_page"`
}

type textView struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// readAttached shows the text that was read from a file.
func (j *job) readAttached() (any, error) {
	d, err := j.attached()
	if err != nil {
		return nil, err
	}
	text, err := j.deps.Store.LiveText(j.ctx(), d.TenantID, d.ID)
	if err != nil {
		return nil, err
	}
	return contentView{Object: "vector_store.file_content.page", Data: []textView{{"text", text.Text}}}, nil
}
