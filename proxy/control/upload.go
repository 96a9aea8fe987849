package control

import (
	"context"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
)

// uploadDocuments stores the files of a form as documents. One file answers with
// its document or its error, several with a list of both.
//
// The form may contain source_path, which footnote ingest uses: where the file
// comes from. Another file from the same path becomes a new version of the same
// document.
//
// With an Idempotency-Key the upload happens once: see [api.once].
func (a *api) uploadDocuments(c *gin.Context) error {
	key, err := idempotencyKey(c)
	if err != nil {
		return err
	}
	owner, err := a.assistant(c)
	if err != nil {
		return err
	}
	return a.upload(c, key, destination{tenant: owner.TenantID, collection: owner.CollectionID, name: string(owner.ID), owner: &owner})
}

// A destination is a collection that documents are uploaded to, by the id that the
// request named.
type destination struct {
	tenant     assistants.TenantID
	collection assistants.CollectionID
	name       string
	owner      *assistants.Assistant // nil: no assistant owns it
}

// upload is uploadDocuments after its destination and its idempotency key are
// known.
func (a *api) upload(c *gin.Context, key string, to destination) (err error) {
	e := eventOf(c)
	e.Collections, e.Target = []assistants.CollectionID{to.collection}, ""
	f, err := a.readForm(c, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	ask := request{key: key, route: "POST documents of " + to.name}
	for range f.files {
		ask.resources = append(ask.resources, string(assistants.NewDocumentID()))
	}
	if key != "" {
		if ask.content, err = f.content(); err != nil {
			return err
		}
	}
	return a.once(c, ask, func(ctx context.Context, t attempt) (answer, error) {
		if !t.resumed { // the first attempt counted it
			pass, err := a.Limits.Admit(ctx, principalOf(c), to.owner, access.Ask{Kind: access.Upload, Files: len(f.files)})
			if err != nil {
				return answer{}, err
			}
			defer pass.Release(0)
		}
		f.resumed, f.since = t.resumed, t.since
		for i := range f.files {
			f.files[i].id = assistants.DocumentID(t.resources[i])
		}
		if len(f.files) > 1 {
			return a.storeSeveral(c, to, f)
		}
		d, duplicate, err := a.store(ctx, to, f, f.files[0])
		if err != nil {
			return answer{}, err
		}
		noteMade(c, string(d.ID))
		return answerUpload(d, duplicate), nil
	})
}

// uploadResult is the result for one of several files.
type uploadResult struct {
	Document *documentView  `json:"document,omitempty"`
	Name     string         `json:"name,omitempty"`
	Error    *apierr.Object `json:"error,omitempty"`
}

func (a *api) storeSeveral(c *gin.Context, to destination, f *form) (answer, error) {
	out := answer{status: http.StatusOK} // unless a document is created
	refused := false
	results := make([]uploadResult, 0, len(f.files))
	for _, file := range f.files {
		d, duplicate, err := a.store(c.Request.Context(), to, f, file)
		if gone := c.Request.Context().Err(); gone != nil {
			return out, gone
		}
		if err != nil {
			refused = true
			reply := apierr.Report(c, err)
			out.open = out.open || mayPass(reply.Status)
			object := reply.Object()
			results = append(results, uploadResult{Name: file.name, Error: &object})
			continue
		}
		if !duplicate {
			out.status = http.StatusAccepted
		}
		noteMade(c, string(d.ID))
		v := viewDocument(d)
		v.Duplicate = duplicate
		results = append(results, uploadResult{Document: &v})
	}
	if refused {
		out.status = http.StatusMultiStatus
	}
	out.body = pageOf(results, "", func(r uploadResult) uploadResult { return r })
	return out, nil
}

func answerUpload(d assistants.Document, duplicate bool) answer {
	v := viewDocument(d)
	v.Duplicate = duplicate
	if duplicate {
		return answer{status: http.StatusOK, body: v}
	}
	return answer{status: http.StatusAccepted, body: v}
}

// store passes a file to the library. A file whose source path the collection
// has becomes a new version of that document.
func (a *api) store(ctx context.Context, to destination, f *form, file spooled) (assistants.Document, bool, error) {
	if f.resumed {
		if d, err := a.Store.Document(ctx, to.tenant, file.id); err == nil || !errors.Is(err, assistants.ErrNotFound) {
			return d, false, err // an earlier attempt stored it
		}
	}
	u := ingestion.Upload{
		ID: file.id, Tenant: to.tenant, Collection: to.collection, Name: file.name, SourcePath: f.sourcePath,
		Labels: f.labels, Tags: f.tags, Supersedes: f.supersedes, Content: file, MaxBytes: a.MaxUploadBytes,
	}
	if f.sourcePath == "" {
		d, duplicate, err := a.Library.Add(ctx, u)
		// An earlier attempt may have stored it just now.
		return d, duplicate && d.ID != file.id, err
	}
	// Another upload may take the path between the lookup and Add. The second
	// lookup finds it.
	for attempt := 0; ; attempt++ {
		known, err := a.Store.DocumentBySourcePath(ctx, to.tenant, to.collection, f.sourcePath)
		if err == nil {
			return a.replaceKnown(ctx, known, f, file, u)
		}
		if !errors.Is(err, assistants.ErrNotFound) {
			return assistants.Document{}, false, err
		}
		d, duplicate, err := a.Library.Add(ctx, u)
		if !errors.Is(err, assistants.ErrConflict) || attempt > 0 {
			return d, duplicate && d.ID != file.id, err
		}
		if err := file.Rewind(); err != nil {
			return assistants.Document{}, false, err
		}
	}
}

// replaceKnown stores a new version of a document that was found by its source
// path. Labels, tags and supersedes in the form replace the document's. If another document
// of the collection has the same bytes, it is the answer, and the document of
// the path is deleted.
func (a *api) replaceKnown(ctx context.Context, known assistants.Document, f *form, file spooled, u ingestion.Upload) (assistants.Document, bool, error) {
	if f.supersedes != "" { // the file is not stored if this is refused
		changed := known
		changed.Supersedes = f.supersedes
		if err := a.Store.CheckSupersedes(ctx, changed); err != nil {
			return known, false, err
		}
	}
	d, duplicate, err := a.Library.Replace(ctx, known.TenantID, known.ID, u)
	if errors.Is(err, assistants.ErrConflict) {
		if err := file.Rewind(); err != nil {
			return assistants.Document{}, false, err
		}
		u.SourcePath = ""
		twin, duplicate, err := a.Library.Add(ctx, u)
		if err == nil {
			err = a.Store.DeleteDocumentIf(ctx, known.TenantID, known.ID, nil)
			a.Wake()
		}
		return twin, duplicate, err
	}
	if err == nil && duplicate && f.resumed {
		// A version made since the first attempt began is that attempt's.
		v, err := a.Store.Version(ctx, d.TenantID, d.ID, d.Latest)
		if err != nil {
			return d, false, err
		}
		duplicate = v.CreatedAt.Before(f.since)
	}
	if err != nil || f.labels == nil && f.tags == nil && f.supersedes == "" {
		return d, duplicate, err
	}
	d, err = a.Store.UpdateDocument(ctx, known.TenantID, known.ID, func(stored *assistants.Document) error {
		if f.labels != nil {
			stored.Labels = f.labels
		}
		if f.tags != nil {
			stored.Tags = f.tags
		}
		if f.supersedes != "" {
			stored.Supersedes = f.supersedes
		}
		return nil
	})
	return d, duplicate, err
}

// replaceFile stores a new version of a document. The old one answers until the
// new one is ready.
func (a *api) replaceFile(c *gin.Context) (err error) {
	d, owner, err := a.document(c)
	if err != nil {
		return err
	}
	f, err := a.readForm(c, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if len(f.files) > 1 {
		return apierr.Invalid("file", "A version has exactly one file.")
	}
	pass, err := a.Limits.Admit(c.Request.Context(), principalOf(c), ownerOrNil(owner), access.Ask{Kind: access.Upload, Files: 1})
	if err != nil {
		return err
	}
	defer pass.Release(0)
	stored, duplicate, err := a.Library.Replace(c.Request.Context(), d.TenantID, d.ID, ingestion.Upload{
		Tenant: d.TenantID, Collection: d.CollectionID, Name: f.files[0].name, SourcePath: d.SourcePath,
		Labels: d.Labels, Tags: d.Tags, Content: f.files[0], MaxBytes: a.MaxUploadBytes, If: unlessStale(c, tagOfDocument),
	})
	if err != nil {
		return err
	}
	out := answerUpload(stored, duplicate)
	c.Header("ETag", tagOfDocument(stored))
	c.JSON(out.status, out.body)
	return nil
}

// ownerOrNil returns nil for the zero assistant, which stands for none.
func ownerOrNil(owner assistants.Assistant) *assistants.Assistant {
	if owner.ID == "" {
		return nil
	}
	return &owner
}
