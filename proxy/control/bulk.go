package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// maxBulk is how many documents one request may name.
const maxBulk = 1000

// bulkInput is the body of a request about many documents of an assistant.
type bulkInput struct {
	Action    string   `json:"action" want:"a string" required:"true"`
	Documents bulkIDs  `json:"documents" want:"a list of document ids" required:"true"`
	Add       []string `json:"add" want:"a list of strings"`
	Remove    []string `json:"remove" want:"a list of strings"`
	// CollectionID is where documents are moved.
	CollectionID *string `json:"collection_id" want:"a string"`
}

// bulkIDs are strings; encoding/json would read null as an empty one.
type bulkIDs []string

// UnmarshalJSON implements json.Unmarshaler.
func (ids *bulkIDs) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return errors.New("null is no list")
	}
	var list []*string
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for _, id := range list {
		if id == nil {
			return errors.New("null is no id")
		}
		*ids = append(*ids, *id)
	}
	return nil
}

// bulkResult is the result for one document.
type bulkResult struct {
	ID     string         `json:"id"`
	Status int            `json:"status"`
	Error  *apierr.Object `json:"error,omitempty"`
}

// bulkDocuments does the same to many documents. Each is a change of its own: one
// that fails does not undo the others, and the whole request may be repeated.
func (a *api) bulkDocuments(c *gin.Context) error {
	owner, err := a.assistant(c)
	if err != nil {
		return err
	}
	var in bulkInput
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if len(in.Documents) == 0 || len(in.Documents) > maxBulk {
		return apierr.Invalid("documents", fmt.Sprintf("documents must name 1 to %d documents.", maxBulk))
	}
	act, err := a.bulkAction(c, owner, in)
	if err != nil {
		return err
	}
	known, err := a.documentsOf(c.Request.Context(), owner, in.Documents)
	if err != nil {
		return err
	}
	e := eventOf(c)
	e.Target, e.Documents, e.Fields = "", slices.Sorted(maps.Keys(known)), []string{in.Action}
	results := make([]bulkResult, len(in.Documents))
	first := make(map[string]int, len(in.Documents))
	var down error // the database does not answer, so the rest is not tried
	for i, id := range in.Documents {
		if at, twice := first[id]; twice {
			results[i] = results[at]
			continue
		}
		first[id] = i
		d, ok := known[assistants.DocumentID(id)]
		err := down
		switch {
		case !ok:
			err = assistants.ErrNotFound
		case err == nil:
			err = act(c.Request.Context(), d)
		}
		if gone := c.Request.Context().Err(); gone != nil {
			return gone
		}
		if errors.Is(err, assistants.ErrUnavailable) {
			down = err
		}
		results[i] = bulkResult{ID: id, Status: http.StatusOK}
		if err != nil {
			reply := apierr.Report(c, err)
			object := reply.Object()
			results[i].Status, results[i].Error = reply.Status, &object
		}
	}
	a.Wake()
	c.JSON(http.StatusOK, pageOf(results, "", func(r bulkResult) bulkResult { return r }))
	return nil
}

// documentsOf returns those of the named documents that are the assistant's own.
func (a *api) documentsOf(ctx context.Context, owner assistants.Assistant, names []string) (map[assistants.DocumentID]assistants.Document, error) {
	var ids []assistants.DocumentID
	for _, name := range names {
		if assistants.IsID("doc_", name) {
			ids = append(ids, assistants.DocumentID(name))
		}
	}
	slices.Sort(ids)
	found, err := a.Store.DocumentsByID(ctx, owner.TenantID, slices.Compact(ids))
	own := make(map[assistants.DocumentID]assistants.Document, len(found))
	for _, d := range found {
		if d.CollectionID == owner.CollectionID {
			own[d.ID] = d
		}
	}
	return own, err
}

// bulkAction returns what a request does to each document.
func (a *api) bulkAction(c *gin.Context, owner assistants.Assistant, in bulkInput) (func(context.Context, assistants.Document) error, error) {
	if in.Action != "label" && (in.Add != nil || in.Remove != nil) {
		param := "add"
		if in.Add == nil {
			param = "remove"
		}
		return nil, apierr.Invalid(param, "add and remove belong to the action label.")
	}
	if in.Action != "move" && in.CollectionID != nil {
		return nil, apierr.Invalid("collection_id", "collection_id belongs to the action move.")
	}
	switch in.Action {
	case "move":
		if in.CollectionID == nil {
			return nil, apierr.Missing("collection_id")
		}
		to, err := a.moveTarget(c, *in.CollectionID)
		return func(ctx context.Context, d assistants.Document) error {
			_, err := a.Store.MoveDocument(ctx, d.TenantID, d.ID, to, nil)
			return err
		}, err
	case "label":
		return a.labelling(in)
	case "reprocess":
		if err := a.Library.Fits(c.Request.Context(), owner.TenantID, owner.CollectionID); err != nil {
			return nil, err
		}
		return func(ctx context.Context, d assistants.Document) error {
			_, err := a.Store.Reprocess(ctx, d.TenantID, d.ID)
			return err
		}, nil
	case "delete":
		return func(ctx context.Context, d assistants.Document) error {
			err := a.Store.DeleteDocumentIf(ctx, d.TenantID, d.ID, nil)
			if errors.Is(err, assistants.ErrNotFound) {
				return nil // it went meanwhile, perhaps with the mail that it was attached to
			}
			return err
		}, nil
	}
	return nil, apierr.Invalid("action", "action must be label, move, reprocess or delete.")
}

// errUnchanged ends a transaction that has nothing to change.
var errUnchanged = errors.New("unchanged")

// labelling adds and removes labels of a document.
func (a *api) labelling(in bulkInput) (func(context.Context, assistants.Document) error, error) {
	for param, labels := range map[string][]string{"add": in.Add, "remove": in.Remove} {
		if len(labels) > assistants.MaxLabels {
			return nil, apierr.Invalid(param, fmt.Sprintf("%s has at most %d labels.", param, assistants.MaxLabels))
		}
		for i, label := range labels {
			check := assistants.CheckName
			if param == "remove" {
				check = assistants.CheckText // a label of before a rule can be taken away
			}
			if err := check(fmt.Sprintf("%s[%d]", param, i), label); err != nil {
				return nil, err
			}
		}
	}
	if len(in.Add)+len(in.Remove) == 0 {
		return nil, apierr.Missing("add")
	}
	for i, label := range in.Remove {
		if slices.Contains(in.Add, label) {
			return nil, apierr.Invalid(fmt.Sprintf("remove[%d]", i), "A label cannot be both added and removed.")
		}
	}
	change := func(stored *assistants.Document) error {
		labels := slices.DeleteFunc(slices.Clone(stored.Labels), func(l string) bool { return slices.Contains(in.Remove, l) })
		labels, err := assistants.CheckLabels(append(labels, in.Add...))
		if err != nil {
			return err
		}
		if slices.Equal(labels, stored.Labels) {
			return errUnchanged
		}
		stored.Labels = labels
		return nil
	}
	return func(ctx context.Context, d assistants.Document) error {
		_, err := a.Store.UpdateDocument(ctx, d.TenantID, d.ID, change)
		if errors.Is(err, errUnchanged) {
			return nil
		}
		return err
	}, nil
}
