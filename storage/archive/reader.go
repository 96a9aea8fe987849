package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// maxPadding is how many zeros tar programs may put behind an archive.
const maxPadding = 1 << 20

// Verify reads an archive to its end, compares every entry with the manifest
// and returns it. Nothing is written anywhere. If the archive is at fault, the
// error is an [*Error], and otherwise it is the error of r.
func Verify(r io.Reader) (Manifest, error) {
	var seen []Entry
	m, err := scan(r, func(name string, size int64, content io.Reader) error {
		hash := sha256.New()
		if _, err := io.CopyBuffer(hash, content, make([]byte, copyBuffer)); err != nil {
			return err
		}
		seen = append(seen, Entry{Name: name, Bytes: size, SHA256: hex.EncodeToString(hash.Sum(nil))})
		return nil
	})
	if err != nil {
		return Manifest{}, err
	}
	for i, e := range m.Entries {
		e.Unused = false
		if i >= len(seen) || e != seen[i] {
			return Manifest{}, errorf("the archive is damaged: %.300q is not what its manifest says", e.Name)
		}
	}
	if len(seen) > len(m.Entries) {
		return Manifest{}, errorf("the archive is damaged: its manifest does not know %q", seen[len(m.Entries)].Name)
	}
	return m, nil
}

// Bytes is how much unpacking will write.
func (m Manifest) Bytes() (n int64) {
	for _, e := range m.Entries {
		if !e.Unused {
			n += e.Bytes
		}
	}
	return n
}

// Unpack reads a verified archive a second time and writes its entries into an
// empty folder. It writes nothing that the manifest does not list. When it returns
// nil, every file and folder is durable. Errors are those of [Verify] and of the
// file system.
func Unpack(r io.Reader, m Manifest, into *os.Root) error {
	next := 0
	folders := map[string]bool{".": true}
	_, err := scan(r, func(name string, size int64, content io.Reader) error {
		if next >= len(m.Entries) || m.Entries[next].Name != name || m.Entries[next].Bytes != size {
			return errorf("the archive was changed while it was read")
		}
		e := m.Entries[next]
		next++
		if e.Unused {
			_, err := io.Copy(io.Discard, content)
			return err
		}
		if err := makeFolders(into, path.Dir(name), folders); err != nil {
			return err
		}
		return unpackFile(into, e, content)
	})
	if err != nil {
		return err
	}
	for folder := range folders {
		if err := syncFolder(into, folder); err != nil {
			return err
		}
	}
	return nil
}

func makeFolders(root *os.Root, folder string, made map[string]bool) error {
	if made[folder] {
		return nil
	}
	if err := makeFolders(root, path.Dir(folder), made); err != nil {
		return err
	}
	if err := root.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	made[folder] = true
	return nil
}

func unpackFile(root *os.Root, e Entry, content io.Reader) error {
	f, err := root.OpenFile(e.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	hash := sha256.New()
	_, err = io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(f, hash)}, content, make([]byte, copyBuffer))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if hex.EncodeToString(hash.Sum(nil)) != e.SHA256 {
		return errorf("the archive was changed while it was read")
	}
	return nil
}

func syncFolder(root *os.Root, folder string) error {
	f, err := root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// An entryReader reads the entries of an archive.
type entryReader struct {
	tar   *tar.Reader
	names map[string]bool
}

// scan calls fn for every entry but the manifest, which it returns. fn need not
// read all of the content. An entry that is not a harmless plain file is an error,
// and so is anything after the manifest.
func scan(r io.Reader, fn func(name string, size int64, content io.Reader) error) (Manifest, error) {
	raw := &errorRecorder{r: r}
	packed := bufio.NewReaderSize(raw, copyBuffer)
	gz, err := gzip.NewReader(packed)
	if err != nil {
		if raw.err != nil {
			return Manifest{}, raw.err
		}
		return Manifest{}, errorf("this is no backup of Footnote: it is not compressed with gzip")
	}
	gz.Multistream(false)
	m, err := (&entryReader{tar.NewReader(gz), map[string]bool{}}).entries(fn)
	if err == nil {
		err = checkEnd(gz, packed)
	}
	var refused *Error
	switch {
	case err == nil:
		return m, nil
	case raw.err != nil:
		return Manifest{}, raw.err
	case errors.As(err, &refused):
		return Manifest{}, err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return Manifest{}, errorf("the archive is cut short")
	case isCorrupt(err):
		return Manifest{}, errorf("the archive is damaged: %s", err)
	}
	return Manifest{}, err
}

func isCorrupt(err error) bool {
	_, deflate := errors.AsType[flate.CorruptInputError](err)
	return deflate || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, tar.ErrHeader)
}

func (r *entryReader) entries(fn func(name string, size int64, content io.Reader) error) (Manifest, error) {
	for {
		h, err := r.tar.Next()
		if err == io.EOF { //nolint:errorlint // the reader's end is io.EOF itself
			return Manifest{}, errorf("the archive is cut short: it has no manifest")
		}
		if err != nil {
			return Manifest{}, err
		}
		if err := r.check(h); err != nil {
			return Manifest{}, err
		}
		if h.Name != manifestName {
			if err := fn(h.Name, h.Size, r.tar); err != nil {
				return Manifest{}, err
			}
			continue
		}
		m, err := readManifest(r.tar, h.Size)
		if err != nil {
			return Manifest{}, err
		}
		if _, err := r.tar.Next(); err != io.EOF { //nolint:errorlint // the reader's end is io.EOF itself
			return Manifest{}, errorf("the archive is damaged: it goes on behind its manifest")
		}
		return m, nil
	}
}

// check refuses entries that are not regular files, and names that occur twice.
func (r *entryReader) check(h *tar.Header) error {
	if err := checkName(h.Name); err != nil {
		return err
	}
	// A sparse file of a few bytes may stand for exabytes of zeros.
	plain := h.Typeflag == tar.TypeReg
	for key := range h.PAXRecords {
		plain = plain && !strings.HasPrefix(key, "GNU.sparse")
	}
	if !plain {
		return errorf("the archive holds something else than plain files: %s", h.Name)
	}
	if r.names[h.Name] {
		return errorf("the archive has two entries named %s", h.Name)
	}
	if len(r.names) > maxEntries {
		return errorf("the archive has more than %d entries", maxEntries)
	}
	r.names[h.Name] = true
	return nil
}

func readManifest(r io.Reader, size int64) (Manifest, error) {
	if size > maxManifestBytes {
		return Manifest{}, errorf("the archive is damaged: its manifest is too large")
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return Manifest{}, err
	}
	var format struct{ Format int }
	if err := json.Unmarshal(raw, &format); err != nil || format.Format < 1 {
		return Manifest{}, errorf("this is no backup of Footnote: its manifest cannot be read")
	}
	if format.Format > Format {
		return Manifest{}, errorf("the archive was made by a newer version of Footnote (format %d, this program reads up to %d): restore it with that version", format.Format, Format)
	}
	var m Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return Manifest{}, errorf("this is no backup of Footnote: its manifest cannot be read")
	}
	return m, nil
}

// checkEnd reads to the end of the archive, which also verifies gzip's checksum.
// Only the zeros that tar programs add may follow the last entry.
func checkEnd(gz io.Reader, packed *bufio.Reader) error {
	rest, err := io.ReadAll(io.LimitReader(gz, maxPadding+1))
	if err != nil {
		return err
	}
	if len(rest) > maxPadding || len(bytes.Trim(rest, "\x00")) > 0 {
		return errorf("the archive is damaged: it goes on behind its end")
	}
	if _, err := packed.ReadByte(); err != io.EOF { //nolint:errorlint // the reader's end is io.EOF itself
		if err != nil {
			return fmt.Errorf("read the archive: %w", err)
		}
		return errorf("the archive is damaged: something follows its end")
	}
	return nil
}

// An errorRecorder keeps the error of the file itself, to distinguish it from
// errors in its content.
type errorRecorder struct {
	r   io.Reader
	err error
}

func (r *errorRecorder) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // a reader's end is io.EOF itself
		r.err = err
	}
	return n, err
}
