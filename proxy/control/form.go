package control

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/proxy/apierr"
	"footnote/proxy/forms"
)

// A form is an upload that is read to its end and checked before anything is
// stored. So the order of its parts does not matter: clients send labels before
// or after files.
type form struct {
	*forms.Form
	files      []spooled
	labels     []string // nil: not sent
	tags       map[string]string
	sourcePath string
	supersedes assistants.DocumentID

	// Set before the files are stored: whether an earlier attempt at the upload
	// may have stored some of them, and when the first attempt began.
	resumed bool
	since   time.Time
}

// spooled is a file of a form, which the form owns.
type spooled struct {
	*forms.File
	name string
	id   assistants.DocumentID // of its document
}

// content is everything the form says, in a canonical encoding: multipart
// boundaries differ each time the same form is sent.
func (f *form) content() ([]byte, error) {
	type file struct{ Name, SHA256 string }
	files := make([]file, len(f.files))
	for i, s := range f.files {
		sum, err := s.SHA256()
		if err != nil {
			return nil, err
		}
		files[i] = file{s.name, sum}
	}
	return json.Marshal(struct {
		Files      []file
		Labels     []string
		Tags       map[string]string
		SourcePath string
		Supersedes assistants.DocumentID `json:",omitempty"` // requests of older programs had none
	}{files, f.labels, f.tags, f.sourcePath, f.supersedes})
}

// readForm reads a multipart form of files and, unless filesOnly, the fields
// labels, tags, source_path and supersedes. The caller closes it.
func (a *api) readForm(c *gin.Context, filesOnly bool) (*form, error) {
	f := &form{}
	read, err := forms.Reader{MaxBytes: a.MaxUploadBytes, Dir: a.SpoolDir}.Read(c, func(name string, value []byte) error {
		if filesOnly {
			return apierr.Unsupported(name)
		}
		return f.field(name, value)
	})
	if err != nil {
		return nil, err
	}
	f.Form = read
	for _, file := range read.Files {
		f.files = append(f.files, spooled{File: file, name: ingestion.CleanName(file.Name)})
	}
	if f.sourcePath != "" && len(f.files) > 1 {
		return nil, errors.Join(apierr.Invalid("source_path", "source_path names the origin of one file; send one file with it."), f.Close())
	}
	if f.supersedes != "" && len(f.files) > 1 {
		return nil, errors.Join(apierr.Invalid("supersedes", "One file supersedes a document; send one file with it."), f.Close())
	}
	return f, nil
}

// field reads a field that is not a file.
func (f *form) field(name string, raw []byte) (err error) {
	switch name {
	case "labels":
		var labels []string
		if err := json.Unmarshal(raw, &labels); err != nil {
			return apierr.InvalidType(name, "labels must be a JSON array of strings.")
		}
		f.labels, err = assistants.CheckLabels(labels)
		return err
	case "tags":
		if err := json.Unmarshal(raw, &f.tags); err != nil {
			return apierr.InvalidType(name, "tags must be a JSON object whose values are strings.")
		}
		return assistants.CheckTags(f.tags)
	case "source_path":
		f.sourcePath = string(raw)
		return checkSourcePath(f.sourcePath)
	case "supersedes":
		f.supersedes = assistants.DocumentID(raw)
		return checkSupersedes(string(raw))
	}
	return apierr.Unsupported(name)
}
