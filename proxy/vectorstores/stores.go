package vectorstores

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/jsonbody"
)

// Bounds of lists, and of the files that a request names.
const (
	defaultLimit = 20
	maxLimit     = 100
	maxAttach    = 500
)

// noName is the name of a vector store that was created without one.
const noName = "Unnamed vector store"

// read reads the body of a request into a struct, and notes the names of its members.
func (j *job) read(into any) error {
	body, err := j.deps.Front.ReadJSON(j.c)
	if err != nil {
		return err
	}
	defer body.Release()
	if err := jsonbody.Decode(body.Bytes, into); err != nil {
		return err
	}
	members, err := jsonbody.Members(body.Bytes)
	for name := range members {
		j.event.Fields = append(j.event.Fields, name)
	}
	slices.Sort(j.event.Fields)
	return err
}

// given reports whether a member is there and not null.
func given(raw json.RawMessage) bool { return raw != nil && string(raw) != "null" }

// nothing refuses members that this server cannot keep, unless they say nothing.
func nothing(members map[string]json.RawMessage) error {
	for _, name := range []string{"expires_after", "description"} {
		if !given(members[name]) {
			continue
		}
		e := apierr.Unsupported(name)
		e.Message = name + " is not supported for vector stores of this server; leave it out."
		return e
	}
	return checkChunking(members["chunking_strategy"])
}

// checkChunking refuses any way of cutting files into passages but the server's own.
func checkChunking(raw json.RawMessage) error {
	if !given(raw) {
		return nil
	}
	var in struct {
		Type *string `json:"type" want:"a string" required:"true"`
	}
	if err := jsonbody.Decode(raw, &in); err != nil || *in.Type != "auto" {
		return apierr.Invalid("chunking_strategy", `chunking_strategy must be {"type": "auto"}: the server cuts files into passages by its own rules.`)
	}
	return nil
}

func (j *job) createStore() (any, error) {
	var in struct {
		Name        json.RawMessage `json:"name" want:"a string, or null"`
		Files       json.RawMessage `json:"file_ids" want:"a list of ids"`
		Chunking    json.RawMessage `json:"chunking_strategy" want:"an object"`
		Expires     json.RawMessage `json:"expires_after" want:"an object"`
		Metadata    json.RawMessage `json:"metadata" want:"an object"`
		Description json.RawMessage `json:"description" want:"a string"`
	}
	if err := j.read(&in); err != nil {
		return nil, err
	}
	err := nothing(map[string]json.RawMessage{
		"expires_after": in.Expires, "description": in.Description, "chunking_strategy": in.Chunking,
	})
	if err != nil {
		return nil, err
	}
	metadata, err := metadataOf(in.Metadata)
	if err != nil {
		return nil, err
	}
	name, err := nameOf(in.Name, noName)
	if err != nil {
		return nil, err
	}
	ids, err := fileIDs(in.Files)
	if err != nil {
		return nil, err
	}
	for _, id := range ids { // before anything is made
		if _, err := j.attachable(id, ""); err != nil {
			return nil, about("file_ids", err)
		}
	}
	made := assistants.Collection{ID: assistants.NewCollectionID(), TenantID: j.caller.Tenant, Name: name, Metadata: metadata, CreatedAt: j.deps.Now()}
	if err := j.deps.Store.CreateCollection(j.ctx(), made); err != nil {
		return nil, err
	}
	j.event.Target = string(made.ID)
	for _, id := range ids {
		if _, err := j.attachTo(made.ID, id, attributes{}); err != nil {
			return nil, about("file_ids", err)
		}
	}
	return j.show(made)
}

// metadataOf reads metadata; nil: it is not given.
func metadataOf(raw json.RawMessage) (map[string]string, error) {
	if !given(raw) {
		return nil, nil //nolint:nilnil // absent, which is not the same as none
	}
	return jsonbody.Metadata("metadata", raw)
}

// nameOf reads a name; null and "" stand for other.
func nameOf(raw json.RawMessage, other string) (string, error) {
	if !given(raw) {
		return other, nil
	}
	var name string
	if json.Unmarshal(raw, &name) != nil {
		return "", apierr.InvalidType("name", "name must be a string, or null.")
	}
	if name == "" {
		return other, nil
	}
	return name, assistants.CheckName("name", name)
}

// fileIDs reads a list of ids of files, each once.
func fileIDs(raw json.RawMessage) (ids []assistants.DocumentID, err error) {
	if !given(raw) {
		return nil, nil
	}
	var texts []*string
	if json.Unmarshal(raw, &texts) != nil || slices.Contains(texts, nil) {
		return nil, apierr.InvalidType("file_ids", "file_ids must be a list of ids.")
	}
	if len(texts) > maxAttach {
		return nil, apierr.Invalid("file_ids", fmt.Sprintf("file_ids must have at most %d ids.", maxAttach))
	}
	for _, text := range texts {
		if id := assistants.DocumentID(*text); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// show shows a vector store with the counts of its files.
func (j *job) show(c assistants.Collection) (any, error) {
	counts, err := j.deps.Store.CollectionFiles(j.ctx(), j.caller.Tenant, []assistants.CollectionID{c.ID})
	if err != nil {
		return nil, err
	}
	return viewStore(c, counts[c.ID]), nil
}

func (j *job) listStores() (any, error) {
	p, err := j.pagerOf(storePrefix, defaultLimit, maxLimit)
	if err != nil {
		return nil, err
	}
	found, err := j.deps.Store.FindCollections(j.ctx(), j.caller.Tenant, p.list)
	if err != nil {
		return nil, p.named(err)
	}
	ids := make([]assistants.CollectionID, len(found.Items))
	for i, c := range found.Items {
		ids[i] = c.ID
	}
	counts, err := j.deps.Store.CollectionFiles(j.ctx(), j.caller.Tenant, ids)
	if err != nil {
		return nil, err
	}
	view := func(c assistants.Collection) storeView { return viewStore(c, counts[c.ID]) }
	return pageOf(p, found.Items, found.Next != "", view, func(c assistants.Collection) string { return string(c.ID) }), nil
}

// store returns the vector store that the path names.
func (j *job) store() (assistants.Collection, error) {
	found, err := j.deps.Store.Collections(j.ctx(), j.caller.Tenant, []assistants.CollectionID{j.storeID()})
	if err == nil && len(found) == 0 {
		err = assistants.ErrNotFound
	}
	if err != nil {
		return assistants.Collection{}, err
	}
	return found[0], nil
}

func (j *job) getStore() (any, error) {
	c, err := j.store()
	if err != nil {
		return nil, err
	}
	return j.show(c)
}

// updateStore changes the name and the metadata of a vector store.
func (j *job) updateStore() (any, error) {
	c, err := j.store()
	if err != nil {
		return nil, err
	}
	var in struct {
		Name     json.RawMessage `json:"name" want:"a string, or null"`
		Expires  json.RawMessage `json:"expires_after" want:"an object"`
		Metadata json.RawMessage `json:"metadata" want:"an object"`
	}
	if err := j.read(&in); err != nil {
		return nil, err
	}
	if err := nothing(map[string]json.RawMessage{"expires_after": in.Expires}); err != nil {
		return nil, err
	}
	metadata, err := metadataOf(in.Metadata)
	if err != nil {
		return nil, err
	}
	name, err := nameOf(in.Name, c.Name)
	if err != nil {
		return nil, err
	}
	if name != c.Name {
		if c, err = j.deps.Store.UpdateCollectionIf(j.ctx(), j.caller.Tenant, c.ID, assistants.CollectionChange{Name: name}, nil); err != nil {
			return nil, err
		}
	}
	if metadata != nil {
		if c, err = j.deps.Store.SetMetadata(j.ctx(), j.caller.Tenant, c.ID, metadata); err != nil {
			return nil, err
		}
	}
	return j.show(c)
}

// deleteStore removes a vector store. As with OpenAI its files stay: they are moved to
// those that are in no vector store, one after the other, so that the request can be
// repeated if it is interrupted.
func (j *job) deleteStore() (any, error) {
	c, err := j.store()
	if err != nil {
		return nil, err
	}
	if c.AssistantID != "" {
		return nil, apierr.Conflict("", "This vector store belongs to an assistant and is deleted with it.")
	}
	readers, err := j.deps.Store.FindAssistants(j.ctx(), j.caller.Tenant, assistants.AssistantQuery{Reads: c.ID}, assistants.List{Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(readers.Items) > 0 {
		return nil, apierr.Conflict("", "Assistants have this collection in the setting collections; change that first.")
	}
	if err := j.empty(c.ID); err != nil {
		return nil, err
	}
	err = j.deps.Store.DeleteCollectionIf(j.ctx(), j.caller.Tenant, c.ID, func(now assistants.CollectionState) error {
		if now.Use.Documents > 0 {
			return apierr.Conflict("", "A file was added to this vector store meanwhile; try again.")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	j.deps.Wake()
	return deletedView{ID: string(c.ID), Object: "vector_store.deleted", Deleted: true}, nil
}

// empty moves the files of a vector store out of it.
func (j *job) empty(from assistants.CollectionID) error {
	for {
		found, err := j.deps.Store.FindDocuments(j.ctx(), j.caller.Tenant, from, assistants.DocumentQuery{}, assistants.List{Limit: pageOfFiles})
		if err != nil || len(found.Items) == 0 {
			return err
		}
		for _, d := range found.Items {
			if d.Parent != "" {
				continue // it goes where its mail goes, which is before it in the list
			}
			if err := j.release(d); err != nil && !errors.Is(err, assistants.ErrNotFound) {
				return err
			}
			j.event.Documents = append(j.event.Documents, d.ID)
		}
	}
}

// release moves a file to those that are in no vector store. If one of these has the same
// bytes, that one stays, and this one is deleted.
func (j *job) release(d assistants.Document) error {
	files, err := j.filesCollection()
	if err != nil {
		return err
	}
	_, err = j.deps.Store.MoveDocument(j.ctx(), d.TenantID, d.ID, files, func(now assistants.Document) error {
		if now.CollectionID != d.CollectionID {
			return assistants.ErrNotFound // it is somewhere else by now
		}
		return nil
	})
	if errors.Is(err, assistants.ErrSameBytes) {
		err = j.deps.Store.DeleteDocumentIf(j.ctx(), d.TenantID, d.ID, func(now assistants.Document) error {
			if now.CollectionID != d.CollectionID || now.Latest != d.Latest {
				return apierr.Conflict("", "The file was changed meanwhile; try again.")
			}
			return nil
		})
	}
	j.deps.Wake()
	return unnamed(err)
}

// unnamed returns a conflict without the name of a parameter that the client has not sent.
func unnamed(err error) error {
	field, ok := errors.AsType[*assistants.FieldError](err)
	if !ok || !errors.Is(err, assistants.ErrConflict) {
		return err
	}
	return apierr.Conflict("", field.Message)
}

// about returns an error about a file with the name of the member that has its id.
func about(member string, err error) error {
	fault, ok := errors.AsType[*apierr.Error](err)
	if !ok || fault.Param != "file_id" {
		return err
	}
	named := *fault
	named.Param = member
	return &named
}

// fieldOf returns the field that an error is about.
func fieldOf(err error) (string, bool) {
	field, ok := errors.AsType[*assistants.FieldError](err)
	if !ok {
		return "", false
	}
	return field.Field, true
}
