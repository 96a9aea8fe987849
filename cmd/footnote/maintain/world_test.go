package maintain

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/cmd/footnote/console"
	"footnote/storage/blob"
	"footnote/storage/db"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inFiles is the configuration of a data directory that keeps everything.
func inFiles(dir string) Config {
	return Config{
		DataDir: dir, DatabaseURL: "sqlite:" + filepath.Join(dir, fileDatabase), BlobURL: "file:", VectorURL: "embedded:",
		Log: slog.New(slog.DiscardHandler),
	}
}

// quiet is a program that prints to out and errs; nil discards.
func quiet(out, errs io.Writer) *Program {
	if out == nil {
		out, errs = io.Discard, io.Discard
	}
	return &Program{Streams: console.Streams{In: strings.NewReader(""), Out: out, Err: errs}}
}

// filled is a data directory as a server leaves it, with some documents.
func filled(t *testing.T, documents ...string) Config {
	t.Helper()
	ctx, cfg := t.Context(), inFiles(t.TempDir())
	lock, err := LockData(cfg)
	if err != nil {
		t.Fatal(err)
	}
	store, err := db.Open(ctx, cfg.DatabaseURL, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	if err := Claim(ctx, cfg, store); err != nil {
		t.Fatal(err)
	}
	blobs, err := blob.OpenDisk(filepath.Join(cfg.DataDir, folderDocuments))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	a := assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: assistants.DefaultTenant, Slug: "notes", Name: "Notes",
		CollectionID: assistants.NewCollectionID(), Settings: assistants.DefaultSettings(), CreatedAt: now, UpdatedAt: now,
	}
	if err := store.CreateAssistant(ctx, a); err != nil {
		t.Fatal(err)
	}
	library := ingestion.NewLibrary(store, blobs, func() {})
	for _, name := range documents {
		upload := ingestion.Upload{Tenant: a.TenantID, Collection: a.CollectionID, Name: name, Content: strings.NewReader("This is " + name + ".\n")}
		if _, _, err := library.Add(ctx, upload); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(blobs.Close(), store.Close(), lock.Release()); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// names lists the documents of a data directory as the next server finds it,
// each of them with its file.
func names(t *testing.T, cfg Config) string {
	t.Helper()
	lock, err := LockData(cfg)
	if err != nil {
		t.Fatal(err)
	}
	store, err := db.Open(t.Context(), cfg.DatabaseURL, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refs, err := store.Blobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, ref := range refs {
		if info, err := os.Stat(filepath.Join(cfg.DataDir, folderDocuments, ref.Key)); err != nil || info.Size() != ref.Bytes {
			t.Errorf("%s: %v", ref.Name, err)
		}
		found = append(found, ref.Name)
	}
	if err := errors.Join(store.Close(), lock.Release()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return strings.Join(found, " ")
}

// filesOf lists what is in a folder, by name.
func filesOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// archived makes an archive of a data directory.
func archived(t *testing.T, cfg Config) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "footnote.tar.gz")
	if err := quiet(nil, nil).backup(context.WithoutCancel(t.Context()), cfg, file, false); err != nil {
		t.Fatal(err)
	}
	return file
}
