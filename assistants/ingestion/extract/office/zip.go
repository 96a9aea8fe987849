package office

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"footnote/assistants/ingestion/extract"
)

// Limits of an archive. A real document is far below them: text inflates to
// about ten times its size.
const (
	maxEntries  = 10_000
	maxInflated = 256 << 20 // bytes of all entries together
	maxRatio    = 100       // inflated to stored
	// ratioFloor is the size above which maxRatio applies: an empty picture compresses to almost nothing.
	ratioFloor = 4 << 20
	// maxDirectory limits what is read to parse the archive's directory.
	maxDirectory = 8 << 20
)

// An archive is an open zip file. Its entries are looked up by name and never
// written to disk, so a hostile name does no harm. An archive inside an archive
// is not opened.
type archive struct {
	files     map[string]*zip.File
	folded    map[string]string // the names in lower case
	ambiguous map[string]bool   // names of several entries with different contents
	left      int64             // bytes that may still be inflated
}

func openArchive(r *io.SectionReader) (*archive, error) {
	directory := &directoryReader{r: r, left: maxDirectory}
	z, err := zip.NewReader(directory, r.Size())
	switch {
	case errors.Is(err, errDirectoryTooLarge):
		return nil, tooManyEntries()
	case err != nil && !errors.Is(err, zip.ErrInsecurePath):
		return nil, damaged(err)
	}
	directory.left = -1 // from here on each entry has a limit
	if len(z.File) > maxEntries {
		return nil, tooManyEntries()
	}
	a := &archive{
		files: make(map[string]*zip.File, len(z.File)), folded: make(map[string]string, len(z.File)),
		ambiguous: make(map[string]bool), left: maxInflated,
	}
	var inflated uint64
	for _, f := range z.File {
		if inflated += min(f.UncompressedSize64, maxInflated+1); inflated > maxInflated {
			return nil, inflatesTooMuch()
		}
		a.add(f)
	}
	if inflated > ratioFloor && inflated > maxRatio*uint64(r.Size()) {
		return nil, inflatesTooMuch()
	}
	return a, nil
}

// add records an entry if it is a regular file with a valid name.
func (a *archive) add(f *zip.File) {
	name := f.Name
	if f.Mode()&fs.ModeType != 0 || !fs.ValidPath(name) || strings.Contains(name, `\`) {
		return
	}
	if other, ok := a.files[name]; ok {
		if other.CRC32 != f.CRC32 || other.UncompressedSize64 != f.UncompressedSize64 {
			a.ambiguous[name] = true
		}
		return
	}
	a.files[name] = f
	if _, ok := a.folded[strings.ToLower(name)]; !ok {
		a.folded[strings.ToLower(name)] = name
	}
}

// find returns the entry with a name. Office programs ignore case.
func (a *archive) find(name string) *zip.File {
	name = strings.TrimPrefix(path.Clean("/"+name), "/")
	if f, ok := a.files[name]; ok {
		return f
	}
	return a.files[a.folded[strings.ToLower(name)]]
}

func (a *archive) has(name string) bool { return a.find(name) != nil }

var errMissing = errors.New("not in the archive")

// open opens an entry. Its errors, and those of reading it, are of type
// [*extract.Error].
func (a *archive) open(name string) (io.ReadCloser, error) {
	f := a.find(name)
	switch {
	case f == nil:
		return nil, damaged(fmt.Errorf("%q: %w", name, errMissing))
	case a.ambiguous[f.Name]:
		return nil, damaged(fmt.Errorf("%q is there twice", name))
	case f.Flags&1 != 0:
		return nil, passwordProtected()
	case f.UncompressedSize64 > ratioFloor && f.UncompressedSize64/maxRatio > f.CompressedSize64:
		return nil, inflatesTooMuch()
	}
	r, err := f.Open()
	if err != nil {
		return nil, damaged(err)
	}
	return &entry{r: r, archive: a}, nil
}

// readAll reads a whole entry of at most limit bytes.
func (a *archive) readAll(name string, limit int64) ([]byte, error) {
	r, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // only read from
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > limit {
		return nil, inflatesTooMuch()
	}
	return raw, nil
}

// An entry counts the bytes that it inflates, because the sizes in the directory
// may be false.
type entry struct {
	r       io.ReadCloser
	archive *archive
}

func (e *entry) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if e.archive.left -= int64(n); e.archive.left < 0 {
		return 0, inflatesTooMuch()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, damaged(err)
	}
	return n, err
}

func (e *entry) Close() error { return e.r.Close() }

// directoryReader is an io.ReaderAt that reads at most left bytes. A negative left means
// no limit.
type directoryReader struct {
	r    io.ReaderAt
	left int64
}

var errDirectoryTooLarge = errors.New("too much to read")

func (r *directoryReader) ReadAt(p []byte, at int64) (int, error) {
	if r.left >= 0 {
		if int64(len(p)) > r.left {
			return 0, errDirectoryTooLarge
		}
		r.left -= int64(len(p))
	}
	return r.r.ReadAt(p, at)
}

func tooManyEntries() error {
	return &extract.Error{Code: extract.CodeTooComplex, Message: "The file is an archive of too many parts."}
}

func inflatesTooMuch() error {
	return &extract.Error{Code: extract.CodeTooComplex, Message: "The file is compressed text that unpacks to more than is allowed."}
}

func damaged(err error) error {
	return &extract.Error{Code: extract.CodeUnreadable, Message: "The file is damaged. Open it in the program it comes from, save it again and upload that.", Err: err}
}

func passwordProtected() error {
	return &extract.Error{Code: extract.CodeEncrypted, Message: "The document is protected by a password. Remove the protection and upload it again."}
}
