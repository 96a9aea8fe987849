package maintain

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"footnote/assistants"
	"footnote/storage/archive"
	"footnote/storage/blob"
	"footnote/storage/db"
)

// A town is a database and files that change whenever they are looked at.
type town struct {
	rows      map[string]string // blob key → content that the database says it has
	files     map[string]string
	unread    map[string]error
	snapshots int
	// opening happens before a file is opened, snapshot after the database was copied.
	opening  func(key string)
	snapshot func(n int)
}

func (w *town) refs() (refs []db.BlobRef) {
	for key, content := range w.rows {
		sum := sha256.Sum256([]byte(content))
		refs = append(refs, db.BlobRef{
			Key: key, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(content)), Document: assistants.DocumentID("doc_" + key), Name: key + ".txt",
		})
	}
	slices.SortFunc(refs, func(a, b db.BlobRef) int { return strings.Compare(a.Key, b.Key) })
	return refs
}

// add stores a document, remove deletes one: its row first, then its file.
func (w *town) add(key, content string) { w.files[key], w.rows[key] = content, content }

func (w *town) remove(key string) {
	delete(w.rows, key)
	delete(w.files, key)
}

type openFile struct {
	io.ReadSeeker
	read io.Reader
}

func (f openFile) Read(p []byte) (int, error) { return f.read.Read(p) }
func (f openFile) Close() error               { return nil }

func (w *town) open(_ context.Context, key string) (blob.File, int64, error) {
	if w.opening != nil {
		w.opening(key)
	}
	content, ok := w.files[key]
	if !ok {
		return nil, 0, fmt.Errorf("open: %w", assistants.ErrNotFound)
	}
	var r io.Reader = strings.NewReader(content)
	if err := w.unread[key]; err != nil {
		r = iotest.ErrReader(err)
	}
	return openFile{strings.NewReader(content), r}, int64(len(content)), nil
}

// collect makes an archive and returns what a restore would unpack of it.
func (w *town) collect(t *testing.T, ctx context.Context) (summary, map[string]bool, error) {
	t.Helper()
	var buf bytes.Buffer
	c := collector{
		archive: archive.NewWriter(&buf, time.Now()), open: w.open, expect: func(int64) {}, onRead: func(int64) {},
		list: func(context.Context) ([]db.BlobRef, error) { return w.refs(), nil },
		snapshot: func(context.Context) ([]db.BlobRef, error) {
			refs := w.refs()
			w.snapshots++
			if w.snapshot != nil {
				w.snapshot(w.snapshots)
			}
			return refs, nil
		},
	}
	done, err := c.run(ctx, func() error { return nil })
	if err != nil {
		return done, nil, err
	}
	if err := c.archive.Finish(archive.Manifest{}); err != nil {
		t.Fatal(err)
	}
	m, err := archive.Verify(&buf)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, e := range m.Entries {
		if !e.Unused {
			have[strings.TrimPrefix(e.Name, "documents/")] = true
		}
	}
	return done, have, nil
}

func newTown() *town {
	w := &town{rows: map[string]string{}, files: map[string]string{}, unread: map[string]error{}}
	for i := range 5 {
		w.add(fmt.Sprintf("t/%d", i), fmt.Sprintf("content %d", i))
	}
	return w
}

func TestDocumentsDeletedUnderABackupLeaveNoRowWithoutItsFile(t *testing.T) {
	w := newTown()
	opened := 0
	w.opening = func(string) {
		if opened++; opened == 2 {
			w.remove("t/0") // copied, and not needed any more
			w.remove("t/3") // to be copied next
		}
	}
	done, have, err := w.collect(t, t.Context())
	if err != nil || len(done.damaged) != 0 || done.documents != 3 || w.snapshots != 1 {
		t.Errorf("%+v %v, %d snapshots", done, err, w.snapshots)
	}
	if len(have) != 3 || !have["t/1"] || !have["t/2"] || !have["t/4"] {
		t.Errorf("%v", have)
	}
}

func TestAFileThatGoesAfterTheCopyOfTheDatabaseMeansAnotherCopy(t *testing.T) {
	w := newTown()
	w.snapshot = func(n int) {
		if n <= 3 {
			w.remove(fmt.Sprintf("t/new%d", n))
			w.add(fmt.Sprintf("t/new%d", n+1), "new")
		}
	}
	w.opening = func(key string) {
		if key == "t/4" {
			w.add("t/new1", "new")
		}
	}
	done, have, err := w.collect(t, t.Context())
	if err != nil || len(done.damaged) != 0 || w.snapshots != 4 || !have["t/new4"] || len(have) != 6 || done.documents != 6 {
		t.Errorf("%+v %v %v, %d snapshots", done, have, err, w.snapshots)
	}
}

func TestDeletingForeverEndsTheBackup(t *testing.T) {
	w := newTown()
	w.opening = func(key string) {
		if key == "t/4" {
			w.add("t/next0", "next")
		}
	}
	w.snapshot = func(n int) {
		w.remove(fmt.Sprintf("t/next%d", n-1))
		w.add(fmt.Sprintf("t/next%d", n), "next")
	}
	if _, _, err := w.collect(t, t.Context()); err == nil || !strings.Contains(err.Error(), "deleted faster") {
		t.Error(err)
	}
}

func TestLostAndChangedFilesAreNamedAndTheRestIsSaved(t *testing.T) {
	w := newTown()
	delete(w.files, "t/0")
	w.files["t/1"] = "Content 1"
	w.files["t/2"] = "content 2 and more"
	w.unread["t/3"] = errors.New("bad sector")
	done, have, err := w.collect(t, t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []archive.Damage{
		{Document: "doc_t/0", Name: "t/0.txt", Entry: "documents/t/0", Problem: problemMissing},
		{Document: "doc_t/1", Name: "t/1.txt", Entry: "documents/t/1", Problem: problemAltered},
		{Document: "doc_t/2", Name: "t/2.txt", Entry: "documents/t/2", Problem: problemAltered},
		{Document: "doc_t/3", Name: "t/3.txt", Entry: "documents/t/3", Problem: problemUnreadable},
	}
	if !slices.Equal(done.damaged, want) || done.documents != 5 || !have["t/4"] {
		t.Errorf("%+v %v", done, have)
	}
}

func TestABackupThatMayNotReadIsNoBackup(t *testing.T) {
	w := newTown()
	ctx, cancel := context.WithCancel(t.Context())
	w.opening = func(key string) {
		if key == "t/2" {
			cancel()
		}
	}
	if _, _, err := w.collect(t, ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	c := collector{expect: func(int64) {}, list: func(context.Context) ([]db.BlobRef, error) { return newTown().refs(), nil },
		open: func(context.Context, string) (blob.File, int64, error) { return nil, 0, fs.ErrPermission }}
	if _, err := c.run(t.Context(), nil); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "user of the server") {
		t.Error(err)
	}
}
