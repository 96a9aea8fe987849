package ingestion

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/storage/vector/embedded"
)

// findings checks the world as it is on disk and returns the kinds of what is
// found, and what was not repaired.
func (w *world) findings(deep, repair bool) (found, left []string) {
	w.t.Helper()
	indexed, damage, err := embedded.Inspect(w.t.Context(), filepath.Join(w.dir, "index"))
	w.must(err)
	c := Checker{
		Store: w.store, Blobs: w.blobs, Index: indexed, IndexDamage: damage, Deep: deep, Repair: repair,
		Reindex: w.worker.Reconcile,
		Report: func(f Finding) {
			found = append(found, f.Kind)
			if !f.Repaired {
				left = append(left, f.Kind)
			}
			if f.Message == "" || f.Remedy == "" || f.Repaired != (repair && f.Repairable) {
				w.t.Errorf("a finding that says too little: %+v", f)
			}
		},
	}
	_, err = c.Run(w.t.Context())
	w.must(err)
	return found, left
}

// unfinished checks that the next start repairs everything that a process left
// when it died, except for the file of an upload that was never acknowledged.
func (w *world) unfinished() {
	w.t.Helper()
	found, _ := w.findings(true, false)
	if len(found) > 1 || len(found) == 1 && found[0] != FoundFileWithoutVersion {
		w.t.Errorf("found %q", found)
	}
}

// sql breaks the database behind the store's back.
func (w *world) sql(statements ...string) {
	w.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(w.dir, "footnote.db"))
	w.must(err)
	for _, s := range statements {
		_, err := db.ExecContext(w.t.Context(), s)
		w.must(err)
	}
	w.must(db.Close())
}

// file is where the bytes of a document's shown version are.
func (w *world) file(d assistants.Document) string {
	return filepath.Join(w.dir, "blobs", filepath.FromSlash(w.document(d.ID).Version.BlobKey))
}

// A checked world holds a document, one with two versions of which the older is
// live because the newer failed, and one that failed.
func newCheckedWorld(t *testing.T) (w *world, plain, older, failed assistants.Document) {
	w, _ = newEmbeddingWorld(t)
	plain = w.add("plain.md", "# Plain\n\nSome words.")
	older = w.add("older.md", "# Older\n\nOther words.")
	failed = w.add("failed.md", " \n ")
	w.drain(w.worker)
	_, _, err := w.library.Replace(t.Context(), assistants.DefaultTenant, older.ID, w.upload("older.md", "\n\n\n"))
	w.must(err)
	w.drain(w.worker)
	if found, _ := w.findings(true, false); len(found) > 0 {
		t.Fatalf("a healthy world: %q", found)
	}
	return w, plain, older, failed
}

func TestTheCheckFindsAndMendsEachThingThatDoesNotFit(t *testing.T) {
	for name, test := range map[string]struct {
		breakIt func(w *world, plain, older, failed assistants.Document)
		deep    bool
		finds   string
		mends   string // "": as finds
		// keeps: it cannot be mended. gone: the document's file is lost, and it fails.
		keeps, gone bool
	}{
		"a file that is gone": {finds: FoundFileMissing, gone: true,
			breakIt: func(w *world, plain, _, _ assistants.Document) { w.must(os.Remove(w.file(plain))) }},
		"a file that was cut": {finds: FoundFileDamaged, gone: true,
			breakIt: func(w *world, plain, _, _ assistants.Document) { w.must(os.Truncate(w.file(plain), 3)) }},
		"a file with other bytes": {finds: FoundFileDamaged, gone: true, deep: true,
			breakIt: func(w *world, plain, _, _ assistants.Document) {
				w.must(os.WriteFile(w.file(plain), []byte("# Plaim\n\nSome words."), 0o600))
			}},
		"a file of an older version that is gone": {finds: FoundFileMissing, keeps: true,
			breakIt: func(w *world, _, older, _ assistants.Document) { w.must(os.Remove(w.file(older))) }},
		"a file that nothing names": {finds: FoundFileWithoutVersion,
			breakIt: func(w *world, _, _, _ assistants.Document) {
				w.must(os.WriteFile(filepath.Join(w.dir, "blobs", "default", "nobody"), []byte("x"), 0o600))
			}},
		"a file of a write that was interrupted": {finds: FoundLeftover,
			breakIt: func(w *world, _, _, _ assistants.Document) {
				w.must(os.WriteFile(filepath.Join(w.dir, "blobs", "default", ".tmp-x"), []byte("x"), 0o600))
			}},
		"a document whose job is gone": {finds: FoundNoJob,
			breakIt: func(w *world, plain, _, _ assistants.Document) {
				w.sql("UPDATE documents SET status = 'indexing' WHERE id = '" + string(plain.ID) + "'")
			}},
		"a document that is ready and not live": {finds: FoundReadyWithoutLive + " " + FoundIndexDiffers,
			breakIt: func(w *world, plain, _, _ assistants.Document) {
				w.sql("UPDATE documents SET live = 0 WHERE id = '" + string(plain.ID) + "'")
			}},
		"a live version that is gone": {finds: FoundStrayRows + " " + FoundStrayRows + " " + FoundNoVersion + " " + FoundFileWithoutVersion,
			breakIt: func(w *world, _, older, _ assistants.Document) {
				w.sql("DELETE FROM document_versions WHERE version = 1 AND document_id = '" + string(older.ID) + "'")
			}},
		"a document without any version": {finds: FoundNoVersion + " " + FoundFileWithoutVersion,
			breakIt: func(w *world, _, _, failed assistants.Document) {
				w.sql("DELETE FROM document_versions WHERE document_id = '" + string(failed.ID) + "'")
			}},
		"a document without an assistant": {finds: FoundNoAssistant, keeps: true,
			breakIt: func(w *world, plain, _, _ assistants.Document) {
				w.sql("UPDATE documents SET collection_id = 'coll_x' WHERE id = '" + string(plain.ID) + "'")
			}},
		"a passage too few": {finds: FoundChunksDiffer,
			breakIt: func(w *world, plain, _, _ assistants.Document) {
				w.sql("DELETE FROM chunks WHERE document_id = '" + string(plain.ID) + "'")
			}},
		"a text that is gone": {finds: FoundChunksDiffer,
			breakIt: func(w *world, plain, _, _ assistants.Document) {
				w.sql("DELETE FROM document_texts WHERE document_id = '" + string(plain.ID) + "'")
			}},
		"passages missing from an older version that answers": {finds: FoundChunksDiffer, keeps: true,
			breakIt: func(w *world, _, older, _ assistants.Document) {
				w.sql("DELETE FROM chunks WHERE document_id = '" + string(older.ID) + "'")
			}},
		"rows of a document that is gone": {
			finds: FoundStrayRows + " " + FoundStrayRows + " " + FoundStrayRows + " " + FoundStrayRows + " " + FoundIndexDiffers,
			// Once the rows are gone, nothing names the file.
			mends: FoundStrayRows + " " + FoundStrayRows + " " + FoundStrayRows + " " + FoundStrayRows + " " + FoundFileWithoutVersion + " " + FoundIndexDiffers,
			breakIt: func(w *world, plain, _, _ assistants.Document) {
				w.sql("DELETE FROM documents WHERE id = '" + string(plain.ID) + "'")
			}},
		"a job for a document that is gone": {finds: FoundStrayRows,
			breakIt: func(w *world, _, _, _ assistants.Document) {
				w.sql("INSERT INTO jobs (id, tenant_id, kind, document_id, version, blob_keys, attempt, not_before, revision, created_at) " +
					"VALUES ('job_x', 'default', 'ingest', 'doc_x', 1, '[]', 0, '2026-01-01', 0, '2026-01-01')")
			}},
		"an embedding of a version that does not answer": {finds: FoundStrayRows,
			breakIt: func(w *world, plain, _, _ assistants.Document) {
				w.sql("INSERT INTO jobs (id, tenant_id, kind, document_id, version, blob_keys, attempt, not_before, revision, created_at) " +
					"VALUES ('job_x', 'default', 'embed', '" + string(plain.ID) + "', 2, '[]', 0, '2026-01-01', 0, '2026-01-01')")
			}},
		"a document whose embedding is gone": {finds: FoundNoJob,
			breakIt: func(w *world, plain, _, _ assistants.Document) {
				w.sql("UPDATE documents SET status = 'embedding' WHERE id = '" + string(plain.ID) + "'")
			}},
		"an index without vectors": {finds: FoundVectorsDiffer,
			breakIt: func(w *world, plain, _, _ assistants.Document) {
				w.must(w.index.Apply(context.Background(), w.document(plain.ID), 1, points(w.chunks(plain.ID))))
			}},
		"an index without a document": {finds: FoundIndexDiffers,
			breakIt: func(w *world, plain, _, _ assistants.Document) {
				w.must(w.index.Remove(context.Background(), plain.ID))
			}},
		"an index with a document too many": {finds: FoundIndexDiffers,
			breakIt: func(w *world, plain, _, _ assistants.Document) {
				ghost := w.document(plain.ID)
				ghost.ID = "doc_ghost"
				w.must(w.index.Apply(context.Background(), ghost, 1, nil))
			}},
		"an index with another version": {finds: FoundIndexDiffers,
			breakIt: func(w *world, plain, _, _ assistants.Document) {
				w.must(w.index.Apply(context.Background(), w.document(plain.ID), 7, nil))
			}},
	} {
		t.Run(name, func(t *testing.T) {
			w, plain, older, failed := newCheckedWorld(t)
			test.breakIt(w, plain, older, failed)
			for range 2 { // looking changes nothing
				found, left := w.findings(test.deep, false)
				if got := strings.Join(found, " "); got != test.finds || !slices.Equal(found, left) {
					t.Fatalf("found %q, want %q", got, test.finds)
				}
			}
			if test.deep {
				if found, _ := w.findings(false, false); len(found) > 0 {
					t.Errorf("without reading the files: %q", found)
				}
			}
			found, left := w.findings(test.deep, true)
			if test.mends == "" {
				test.mends = test.finds
			}
			if got := strings.Join(found, " "); got != test.mends || len(left) > 0 != test.keeps {
				t.Errorf("repairing %q, left %q", found, left)
			}
			w.restart()
			w.drain(w.worker)
			if found, _ := w.findings(true, false); len(found) > 0 != test.keeps {
				t.Errorf("after the repair: %q", found)
			}
			if test.gone {
				d := w.document(plain.ID)
				if d.Status != assistants.StatusFailed || d.Cause == nil || d.Cause.Code != assistants.CodeUnreadable || !strings.Contains(d.Cause.Message, "Upload it again.") {
					t.Errorf("the document is %s, %+v", d.Status, d.Cause)
				}
			}
		})
	}
}

// A repair never deletes a document that has a file, nor a file that a document has.
func TestARepairKeepsWhatRowsName(t *testing.T) {
	w, plain, older, failed := newCheckedWorld(t)
	before := w.keys()
	w.sql("DELETE FROM chunks", "DELETE FROM document_texts", "DELETE FROM jobs", "DELETE FROM document_log")
	w.sql("UPDATE documents SET status = 'chunking', live = 0")
	w.findings(true, true)
	w.restart()
	w.drain(w.worker)
	for _, d := range []assistants.Document{plain, older, failed} {
		w.document(d.ID)
	}
	for _, key := range before {
		if !slices.Contains(w.keys(), key) {
			t.Errorf("%s is gone", key)
		}
	}
	if d := w.document(plain.ID); d.Status != assistants.StatusReady {
		t.Errorf("the document is %s", d.Status)
	}
}

func TestADamagedIndexIsFoundAndBuiltAnew(t *testing.T) {
	w, plain, _, _ := newCheckedWorld(t)
	w.must(w.index.Close())
	db, err := sql.Open("sqlite", filepath.Join(w.dir, "index"))
	w.must(err)
	_, err = db.ExecContext(t.Context(), "UPDATE documents SET postings = X'00' WHERE id = ?", string(plain.ID))
	w.must(err)
	w.must(db.Close())
	if found, _ := w.findings(false, false); len(found) != 1 || found[0] != FoundIndexDamaged {
		t.Errorf("a damaged entry: %q", found)
	}
	w.must(os.WriteFile(filepath.Join(w.dir, "index"), []byte(strings.Repeat("no index ", 1000)), 0o600))
	if found, _ := w.findings(false, false); len(found) != 1 || found[0] != FoundIndexDamaged {
		t.Errorf("a damaged file: %q", found)
	}
	w.must(os.Remove(filepath.Join(w.dir, "index")))
	if found, _ := w.findings(false, false); len(found) != 2 || found[0] != FoundIndexDiffers {
		t.Errorf("no file: %q", found)
	}
	w.close()
	w.open()
	w.must(w.worker.Reconcile(t.Context()))
	if found, _ := w.findings(false, false); len(found) > 0 {
		t.Errorf("built anew: %q", found)
	}
}

func TestADamagedDatabaseIsFound(t *testing.T) {
	w, _, _, _ := newCheckedWorld(t)
	w.sql("PRAGMA writable_schema = ON",
		"UPDATE sqlite_schema SET sql = 'CREATE INDEX documents_created_idx ON documents (collection_id, name, id)' WHERE name = 'documents_created_idx'")
	w.close()
	w.open()
	if found, left := w.findings(false, true); len(left) == 0 || found[0] != FoundDatabaseDamaged {
		t.Errorf("found %q, left %q", found, left)
	}
}
