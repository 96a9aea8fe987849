package ingestion

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/sandbox"
	"footnote/storage/blob"
	"footnote/storage/db"
	"footnote/storage/vector/embedded"
)

// A world is the real stores in a directory, and a clock that only tests move.
type world struct {
	t     testing.TB
	dir   string
	now   atomic.Int64
	store *db.Store
	blobs *blob.Disk
	index *embedded.Index

	collection assistants.CollectionID
	library    *Library
	worker     *Worker
	embedder   Embedder // of the workers that are made; nil: none
}

var quiet = slog.New(slog.DiscardHandler)

func newWorld(t testing.TB) *world {
	w := &world{t: t, dir: t.TempDir()}
	w.now.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	w.must(os.WriteFile(filepath.Join(w.dir, "footnote.db"), emptyDatabase(), 0o600))
	w.open()
	t.Cleanup(w.close)
	w.collection = assistants.NewCollectionID()
	w.must(w.store.CreateAssistant(t.Context(), assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: assistants.DefaultTenant, Slug: "handbook", Name: "Handbook",
		CollectionID: w.collection, Settings: assistants.DefaultSettings(), CreatedAt: w.clock(), UpdatedAt: w.clock(),
	}))
	return w
}

// emptyDatabase is a database with nothing but its schema, which takes most of
// the time that it takes to make a world.
var emptyDatabase = sync.OnceValue(func() []byte {
	dir, err := os.MkdirTemp("", "footnote-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // of the tests
	path := filepath.Join(dir, "footnote.db")
	store, err := db.Open(context.Background(), "sqlite:"+path, db.Options{})
	if err == nil {
		_, err = store.Migrate(context.Background())
		err = errors.Join(err, store.Close())
	}
	if err != nil {
		panic(err)
	}
	empty, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return empty
})

func (w *world) clock() time.Time { return time.Unix(0, w.now.Load()).UTC() }

func (w *world) pass(d time.Duration) { w.now.Add(int64(d)) }

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// sweep deletes the orphans that are old enough now.
func (w *world) sweep() {
	w.t.Helper()
	w.must(w.worker.sweep(w.t.Context(), w.clock().Add(-sweepAge)))
}

func (w *world) open() {
	var err error
	ctx := context.Background()
	w.store, err = db.Open(ctx, "sqlite:"+filepath.Join(w.dir, "footnote.db"), db.Options{Now: w.clock})
	w.must(err)
	_, err = w.store.Migrate(ctx)
	w.must(err)
	w.blobs, err = blob.OpenDisk(filepath.Join(w.dir, "blobs"))
	w.must(err)
	w.index, err = embedded.Open(filepath.Join(w.dir, "index"), embedded.Options{Log: quiet})
	w.must(err)
	w.worker = w.newWorker(w.store, w.blobs, w.index, inProcess{})
	w.library = NewLibrary(w.store, w.blobs, w.worker.Notify)
	w.library.Now = w.clock
}

func (w *world) newWorker(s Store, b Blobs, i Index, x Extractor) *Worker {
	worker := NewWorker(WorkerConfig{Log: quiet, Embedder: w.embedder}, s, b, i, x)
	worker.Now = w.clock
	return worker
}

func (w *world) close() {
	w.must(w.index.Close())
	w.must(w.blobs.Close())
	w.must(w.store.Close())
}

// restart is what a new process finds: the same files, and an hour later, when
// every lease has ended.
func (w *world) restart() {
	w.close()
	w.pass(time.Hour)
	w.open()
	w.must(w.worker.Reconcile(w.t.Context()))
}

// drain works off every job that is due.
func (w *world) drain(worker *Worker) {
	w.t.Helper()
	for {
		job, ok, err := worker.store.ClaimJob(w.t.Context(), w.clock(), worker.cfg.Lease, assistants.JobFilter{})
		if err != nil || !ok {
			return
		}
		worker.work(w.t.Context(), job)
	}
}

func (w *world) upload(name, content string) Upload {
	return Upload{Tenant: assistants.DefaultTenant, Collection: w.collection, Name: name, Content: reader(content)}
}

func (w *world) add(name, content string) assistants.Document {
	w.t.Helper()
	d, duplicate, err := w.library.Add(w.t.Context(), w.upload(name, content))
	w.must(err)
	if duplicate {
		w.t.Fatalf("%s is a duplicate", name)
	}
	return d
}

func (w *world) document(id assistants.DocumentID) assistants.Document {
	w.t.Helper()
	d, err := w.store.Document(w.t.Context(), assistants.DefaultTenant, id)
	w.must(err)
	return d
}

func (w *world) chunks(id assistants.DocumentID) []assistants.Chunk {
	w.t.Helper()
	chunks, _, err := w.store.LiveChunks(w.t.Context(), assistants.DefaultTenant, id, assistants.List{Limit: 1000})
	w.must(err)
	return chunks
}

// keys lists the blobs.
func (w *world) keys() []string {
	w.t.Helper()
	var keys []string
	w.must(w.blobs.Each(w.t.Context(), time.Now().Add(time.Hour), func(key string) error {
		keys = append(keys, key)
		return nil
	}))
	return keys
}

func (w *world) indexed() map[assistants.DocumentID]int {
	w.t.Helper()
	have := map[assistants.DocumentID]int{}
	indexed, err := w.index.Versions(w.t.Context())
	w.must(err)
	for id, of := range indexed {
		have[id] = of.Version
	}
	return have
}

// consistent checks what must hold when all work is done: every document is
// ready or failed, the index holds exactly the live versions, and no blob is
// without a version.
func (w *world) consistent() {
	w.t.Helper()
	have := w.indexed()
	w.must(w.store.EachLive(w.t.Context(), func(d assistants.Document) error {
		chunks := w.chunks(d.ID)
		if have[d.ID] != d.Live {
			w.t.Errorf("the index has version %d of %s, whose version %d is live", have[d.ID], d.ID, d.Live)
		}
		if len(chunks) == 0 {
			w.t.Errorf("%s is live without chunks", d.ID)
		}
		w.vectorsFit(d, chunks)
		delete(have, d.ID)
		return nil
	}))
	for id := range have {
		w.t.Errorf("the index has %s, which is not live", id)
	}
	orphans, err := w.store.UnknownBlobs(w.t.Context(), w.keys())
	w.must(err)
	if len(orphans) > 0 {
		w.t.Errorf("orphaned blobs: %q", orphans)
	}
	if jobs, err := w.store.CountJobs(w.t.Context()); err != nil || jobs != 0 {
		w.t.Errorf("%d open jobs, %v", jobs, err)
	}
}

func reader(s string) io.Reader { return &onlyReader{s} }

// An onlyReader can nothing but read, and that byte by byte at first.
type onlyReader struct{ s string }

func (r *onlyReader) Read(p []byte) (int, error) {
	if r.s == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 1+len(r.s)/2)], r.s)
	r.s = r.s[n:]
	return n, nil
}

// inProcess reads documents without a child.
type inProcess struct{}

func (inProcess) Extract(ctx context.Context, f *os.File, hint sandbox.Hint) (extract.Document, error) {
	info, err := f.Stat()
	if err != nil {
		return extract.Document{}, err
	}
	return extract.Extract(ctx, f, info.Size(), extract.Options{Name: hint.Name, CacheDir: compiled, Progress: hint.Progress})
}
