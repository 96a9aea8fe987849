package db

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// stock makes an assistant with documents named after their content.
func stock(t *testing.T, s *Store, contents ...string) (docs []assistants.Document) {
	t.Helper()
	a := assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: "t", Slug: "a", Name: "A", CollectionID: assistants.NewCollectionID(), Settings: assistants.DefaultSettings(),
	}
	if err := s.CreateAssistant(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	for i, content := range contents {
		d, _, err := s.CreateDocument(t.Context(), assistants.Document{
			ID: assistants.NewDocumentID(), TenantID: "t", CollectionID: a.CollectionID, Name: content,
			Version: assistants.Version{BlobKey: fmt.Sprintf("t/%d", 9-i), SHA256: "sum of " + content, Bytes: int64(len(content))},
		})
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	return docs
}

func TestASnapshotIsADatabaseOfOneMoment(t *testing.T) {
	s := openFile(t)
	docs := stock(t, s, "one", "three")
	path := filepath.Join(t.TempDir(), "a snapshot?.db")
	other, err := Open(t.Context(), "sqlite:"+s.path(t), Options{}) // as another process would
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Snapshot(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if err := s.DeleteDocument(t.Context(), "t", docs[0].ID); err != nil {
		t.Fatal(err)
	}
	copied := openTest(t, "sqlite:"+path, Options{})
	listsBlobs(t, copied, docs)
	have, err := copied.SchemaVersion(t.Context())
	if now, err2 := s.SchemaVersion(t.Context()); err != nil || err2 != nil || have != now || have == 0 {
		t.Error(have, now, err, err2)
	}
	if err := copied.CheckIntegrity(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Snapshot(t.Context(), path); err == nil {
		t.Error("written over a file that was there")
	}
}

// listsBlobs checks the list of the files of two documents.
func listsBlobs(t *testing.T, s *Store, docs []assistants.Document) {
	t.Helper()
	refs, err := s.Blobs(t.Context())
	want := []BlobRef{
		{"t/8", "sum of three", 5, docs[1].ID, "three"},
		{"t/9", "sum of one", 3, docs[0].ID, "one"},
	}
	if err != nil || !slices.Equal(refs, want) {
		t.Errorf("%+v %v", refs, err)
	}
}

func TestBlobsAreListedOnServers(t *testing.T) {
	eachServer(t, func(t *testing.T, url string) {
		s := openTest(t, url, Options{})
		listsBlobs(t, s, stock(t, s, "one", "three"))
	})
}

// path is the file that a store has open.
func (s *Store) path(t *testing.T) (path string) {
	t.Helper()
	if err := s.pool.QueryRowContext(t.Context(), "SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSettledDocumentsHaveNoJobAndKeepTheirRevision(t *testing.T) {
	checkedDatabases(t, settledTest)
}

func settledTest(t *testing.T, s *Store) {
	t.Helper()
	docs := stock(t, s, "one", "two")
	if settled, err := s.Settled(t.Context()); err != nil || len(settled) != 0 {
		t.Errorf("documents in work: %v %v", settled, err)
	}
	for {
		j, ok, err := s.ClaimJob(t.Context(), time.Now().Add(time.Hour), time.Minute, assistants.JobFilter{})
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		if err := s.FinishJob(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
	before, err := s.Settled(t.Context())
	if err != nil || len(before) != 2 {
		t.Errorf("%v %v", before, err)
	}
	if _, err := s.UpdateDocument(t.Context(), "t", docs[0].ID, func(d *assistants.Document) error { d.Name = "other"; return nil }); err != nil {
		t.Fatal(err)
	}
	after, err := s.Settled(t.Context())
	if err != nil || after[docs[0].ID] == before[docs[0].ID] || after[docs[1].ID] != before[docs[1].ID] {
		t.Errorf("%v %v %v", before, after, err)
	}
}

func TestADamagedFileFailsItsCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "footnote.db")
	s := openTest(t, "sqlite:"+path, Options{})
	stock(t, s, strings.Repeat("long ", 40), "two", "three")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The page of a document's text, which is not read when the file is opened.
	const page = 4096
	at := bytes.LastIndex(raw, []byte(strings.Repeat("long ", 40)))
	if at < 0 {
		t.Fatal("the text is not in the file")
	}
	copy(raw[at/page*page:], strings.Repeat("damage! ", page/len("damage! ")))
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	damaged, err := Open(t.Context(), "sqlite:"+path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer damaged.Close()
	if err := damaged.CheckIntegrity(t.Context()); !errors.Is(err, assistants.ErrUnavailable) {
		t.Error(err)
	}
}
