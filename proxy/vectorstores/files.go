package vectorstores

import (
	"errors"
	"net/url"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
)

// Bounds of lists of files. A page has at most pageOfFiles of them, whatever the limit.
const (
	maxFiles    = 10_000
	pageOfFiles = 1000
)

// createFile stores a file that is in no vector store yet. The same bytes are one file.
func (j *job) createFile() (body any, err error) {
	given := ""
	f, err := j.forms.Read(j.c, func(name string, value []byte) error {
		if name != "purpose" {
			return apierr.Unsupported(name)
		}
		if given = string(value); given != purpose {
			return apierr.Invalid("purpose", "purpose must be assistants: files are for search.")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if given == "" {
		return nil, apierr.Missing("purpose")
	}
	if len(f.Files) > 1 {
		return nil, apierr.Invalid("file", "Send one file in a request.")
	}
	pass, err := j.deps.Limits.Admit(j.ctx(), j.caller, nil, access.Ask{Kind: access.Upload, Files: 1})
	if err != nil {
		return nil, err
	}
	defer pass.Release(0)
	files, err := j.filesCollection()
	if err != nil {
		return nil, err
	}
	j.event.Collections = []assistants.CollectionID{files}
	d, _, err := j.deps.Library.Add(j.ctx(), ingestion.Upload{
		Tenant: j.caller.Tenant, Collection: files, Name: f.Files[0].Name, Content: f.Files[0], MaxBytes: j.deps.MaxUploadBytes,
	})
	if err != nil {
		return nil, err
	}
	j.event.Documents = []assistants.DocumentID{d.ID}
	return viewFile(d), nil
}

// filesCollection returns the collection of the files that are in no vector store, which
// it makes if there is none yet.
func (j *job) filesCollection() (assistants.CollectionID, error) {
	id := assistants.FilesCollection(j.caller.Tenant)
	found, err := j.deps.Store.Collections(j.ctx(), j.caller.Tenant, []assistants.CollectionID{id})
	if err != nil || len(found) > 0 {
		return id, err
	}
	err = j.deps.Store.CreateCollection(j.ctx(), assistants.Collection{
		ID: id, TenantID: j.caller.Tenant, Name: "Files without a vector store", CreatedAt: j.deps.Now(),
	})
	if errors.Is(err, assistants.ErrConflict) { // another request was faster
		err = nil
	}
	return id, err
}

// listFiles lists all documents of the tenant.
func (j *job) listFiles() (any, error) {
	p, err := j.pagerOf(filePrefix, maxFiles, maxFiles)
	if err != nil {
		return nil, err
	}
	p.list.Limit = min(p.list.Limit, pageOfFiles)
	wanted, given, err := apierr.QueryOnce(j.c, "purpose")
	if err != nil {
		return nil, err
	}
	if given && wanted != "" && wanted != purpose {
		return pageOf(p, nil, false, viewFile, idOfFile), nil
	}
	found, err := j.deps.Store.FindDocuments(j.ctx(), j.caller.Tenant, "", assistants.DocumentQuery{}, p.list)
	if err != nil {
		return nil, p.named(err)
	}
	return pageOf(p, found.Items, found.Next != "", viewFile, idOfFile), nil
}

func (j *job) getFile() (any, error) {
	d, err := j.deps.Store.Document(j.ctx(), j.caller.Tenant, j.fileID())
	if err != nil {
		return nil, err
	}
	return viewFile(d), nil
}

// readFile sends the bytes of a file, as the control API does.
func (j *job) readFile() (any, error) {
	r := j.c.Request.Clone(j.ctx())
	r.URL = &url.URL{Path: "/v1.0/documents/" + string(j.fileID()) + "/download"}
	r.RequestURI = r.URL.RequestURI()
	j.deps.Download(j.c.Writer, r, j.caller)
	return nil, nil //nolint:nilnil // it is written
}

// deleteFile removes a file from its vector store as well.
func (j *job) deleteFile() (any, error) {
	if err := j.deps.Store.DeleteDocumentIf(j.ctx(), j.caller.Tenant, j.fileID(), nil); err != nil {
		return nil, err
	}
	j.deps.Wake()
	return deletedView{ID: string(j.fileID()), Object: "file", Deleted: true}, nil
}
