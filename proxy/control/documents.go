package control

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

func (a *api) getDocument(c *gin.Context) error {
	d, _, err := a.document(c)
	if err != nil {
		return err
	}
	answerTagged(c, tagOfDocument(d), viewDocument(d))
	return nil
}

// patchDocument changes name, labels, tags and profile; null empties labels and tags, and
// makes the profile what was read. supersedes names the document that it replaces, null none.
// source_path says where the file is now, as in [api.uploadDocuments].
func (a *api) patchDocument(c *gin.Context) error {
	d, _, err := a.document(c)
	if err != nil {
		return err
	}
	var in struct {
		Name       *string                     `json:"name" want:"a string"`
		SourcePath *string                     `json:"source_path" want:"a string"`
		Labels     optional[[]string]          `json:"labels" want:"a list of strings"`
		Tags       optional[map[string]string] `json:"tags" want:"an object whose values are strings"`
		Supersedes optional[string]            `json:"supersedes" want:"the id of a document, or null"`
		Profile    optional[json.RawMessage]   `json:"profile" want:"an object or null"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if in.Name != nil {
		if err := assistants.CheckName("name", *in.Name); err != nil {
			return err
		}
	}
	if in.SourcePath != nil {
		if err := checkSourcePath(*in.SourcePath); err != nil {
			return err
		}
	}
	labels, err := assistants.CheckLabels(in.Labels.Value)
	if err != nil {
		return err
	}
	if err := assistants.CheckTags(in.Tags.Value); err != nil {
		return err
	}
	if in.Supersedes.Given && !in.Supersedes.Null {
		if err := checkSupersedes(in.Supersedes.Value); err != nil {
			return err
		}
	}
	profile, err := readProfilePatch(in.Profile)
	if err != nil {
		return err
	}
	saved, err := a.Store.UpdateDocument(c.Request.Context(), d.TenantID, d.ID, guardedChange(unlessStale(c, tagOfDocument), func(stored *assistants.Document) error {
		if in.Name != nil {
			stored.Name = *in.Name
		}
		if in.SourcePath != nil {
			stored.SourcePath = *in.SourcePath
		}
		if in.Labels.Given {
			stored.Labels = labels
		}
		if in.Tags.Given {
			stored.Tags = maps.Clone(in.Tags.Value)
		}
		if in.Supersedes.Given {
			stored.Supersedes = assistants.DocumentID(in.Supersedes.Value)
		}
		if in.Profile.Given {
			editProfile(stored, in.Profile, profile)
		}
		return nil
	}))
	if err != nil {
		return err
	}
	if saved.Name != d.Name && saved.Settled() && saved.Status != assistants.StatusFailed {
		// The name is searched as well, so the index needs the new one. The
		// document keeps answering meanwhile.
		if saved, err = a.Store.Reprocess(c.Request.Context(), d.TenantID, d.ID); err != nil {
			return err
		}
		a.Wake()
	}
	answerTagged(c, tagOfDocument(saved), viewDocument(saved))
	return nil
}

func (a *api) deleteDocument(c *gin.Context) error {
	d, _, err := a.document(c)
	if err != nil {
		return err
	}
	if err := a.Store.DeleteDocumentIf(c.Request.Context(), d.TenantID, d.ID, unlessStale(c, tagOfDocument)); err != nil {
		return err
	}
	a.Wake()
	c.Status(http.StatusNoContent)
	return nil
}

// reprocess queues a document to be read again. It keeps answering meanwhile. If
// it could not be embedded again, that is an error instead.
func (a *api) reprocess(c *gin.Context) error {
	d, _, err := a.document(c)
	if err == nil {
		err = a.Library.Fits(c.Request.Context(), d.TenantID, d.CollectionID)
	}
	if err != nil {
		return err
	}
	queued, err := a.Store.Reprocess(c.Request.Context(), d.TenantID, d.ID)
	if err != nil {
		return err
	}
	a.Wake()
	c.JSON(http.StatusAccepted, viewDocument(queued))
	return nil
}

func (a *api) documentLog(c *gin.Context) error {
	d, _, err := a.document(c)
	if err != nil {
		return err
	}
	list, err := listOf(c)
	if err != nil {
		return err
	}
	entries, err := a.Store.DocumentLog(c.Request.Context(), d.TenantID, d.ID)
	if err != nil {
		return err
	}
	// Entries are only ever added at the end, so their number is a place that stays.
	start := 0
	if list.Cursor != "" {
		if start, err = strconv.Atoi(list.Cursor); err != nil || start < 1 || start > len(entries) {
			return apierr.Invalid("cursor", "This is not a cursor of this list.")
		}
	}
	next, end := "", len(entries)
	if end-start > list.Limit {
		end = start + list.Limit
		next = strconv.Itoa(end)
	}
	c.JSON(http.StatusOK, pageOf(entries[start:end], next, viewLog))
	return nil
}

// maxSourcePath is the longest source path, in bytes: it is part of a unique key.
const maxSourcePath = 700

// checkSourcePath checks a source path. It only identifies the file; it is never
// opened.
func checkSourcePath(p string) error {
	if p == "" || len(p) > maxSourcePath || !utf8.ValidString(p) || strings.ContainsFunc(p, unicode.IsControl) {
		return apierr.Invalid("source_path", fmt.Sprintf("source_path must be 1 to %d bytes of text without control characters.", maxSourcePath))
	}
	return nil
}

// checkSupersedes checks the form of the id of a document that is superseded.
func checkSupersedes(id string) error {
	if !assistants.IsID("doc_", id) {
		return apierr.Invalid("supersedes", "supersedes must be the id of a document.")
	}
	return nil
}
