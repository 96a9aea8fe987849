package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"footnote/assistants"
	"footnote/storage/vector"
)

// Options configure an index.
type Options struct {
	// Log receives problems with the file; nil is the default logger.
	Log *slog.Logger
	// Exact makes searches read every vector instead of its codes. The results are the
	// same and take longer; it is for comparisons.
	Exact bool
}

// An Index is the index inside the program. It is safe for concurrent use.
type Index struct {
	path      string
	db        *sql.DB // nil while no file can be written
	log       *slog.Logger
	recreated bool
	exact     bool

	// writing is held during a change of file and memory, so that both see changes in
	// the same order. mu guards the fields below and is held only while memory changes,
	// so that searches do not wait for the disk.
	writing    sync.Mutex
	mu         sync.RWMutex
	partitions map[partitionKey]*partition
	documents  map[assistants.DocumentID]*entry
	closed     bool
	changes    atomic.Uint64 // counted under mu
}

// Open opens the index in the file at path and creates it if it does not exist. A
// file that is damaged, or was written under other rules, is renamed to
// path.damaged, and an empty index replaces it: see [Index.Recreated].
func Open(path string, opt Options) (*Index, error) {
	e := &Index{path: path, log: opt.Log, exact: opt.Exact}
	if e.log == nil {
		e.log = slog.Default()
	}
	err := e.open(path)
	if isDamage(err) {
		e.log.Warn("the index file cannot be read and is built anew", "cause", err)
		if err := moveAside(path); err != nil {
			return nil, fmt.Errorf("index: move the damaged file aside: %w: %w", assistants.ErrUnavailable, err)
		}
		e.recreated = true
		err = e.open(path)
	}
	if err != nil {
		return nil, fmt.Errorf("index: open: %w: %w", assistants.ErrUnavailable, err)
	}
	return e, nil
}

func (e *Index) open(path string) error {
	db, err := openFile(path)
	if err != nil {
		return err
	}
	e.db = db
	e.partitions = map[partitionKey]*partition{}
	e.documents = map[assistants.DocumentID]*entry{}
	if err := e.load(context.Background()); err != nil {
		e.release()
		db.Close() //nolint:errcheck // the error that matters is err
		return err
	}
	return nil
}

// release frees the memory of the vectors.
func (e *Index) release() {
	for _, s := range e.partitions {
		for _, a := range s.arenas {
			a.release()
		}
	}
}

// load reads every row into memory and drops those that are damaged.
func (e *Index) load(ctx context.Context) error {
	var damaged []row
	// One goroutine reads, and this one fills the partitions.
	type result struct {
		row
		vector.Document
		damage error
	}
	read := make(chan result, 16)
	var err error
	go func() {
		defer close(read)
		err = eachRow(ctx, e.db, func(r row, d vector.Document, damage error) { read <- result{r, d, damage} })
	}()
	drop := func(r row, id assistants.DocumentID) {
		e.log.Warn("a document's entry in the index is damaged and is built anew", "document_id", id, "entry", r.table)
		damaged = append(damaged, r)
	}
	for r := range read {
		if r.damage != nil || e.documents[r.ID] != nil {
			drop(r.row, r.ID)
			continue
		}
		e.put(r.Document)
	}
	if err != nil {
		return err
	}
	err = eachVectorRow(ctx, e.db, func(r row, id assistants.DocumentID, v vectors, damage error) {
		h := e.documents[id]
		if damage != nil || h == nil || h.version != v.version || len(h.chunks) != len(v.values) {
			drop(r, id)
			return
		}
		h.partition.setVectors(h, v.space, v.values)
	})
	if err != nil || len(damaged) == 0 {
		return err
	}
	return inTx(ctx, e.db, func(ctx context.Context, tx *sql.Tx) error {
		for _, r := range damaged {
			if err := r.delete(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// Recreated reports whether Open replaced an unusable file by an empty one.
func (e *Index) Recreated() bool { return e.recreated }

// Apply replaces the points of a document by those of a version. Searches see the
// old or the new points, never both, even after a crash. It reads the id, tenant,
// collection and name of the document. The error wraps ErrInvalid for a document
// without ids or a version below 1, ErrTooLarge if its collection is full, and
// ErrUnavailable if the file cannot be written; nothing has changed then.
func (e *Index) Apply(ctx context.Context, d assistants.Document, version int, points []assistants.Point) error {
	if err := vector.CheckDocument(d, version); err != nil {
		return fmt.Errorf("index: apply: %w", err)
	}
	return e.apply(ctx, vector.Analyse(d, version, points), nil)
}

// ApplyEmbedded is [Index.Apply] and [Index.ApplyVectors] at once: searches see the
// old points with their vectors, or the new ones with theirs. Errors are those of
// either; nothing has changed then.
func (e *Index) ApplyEmbedded(ctx context.Context, d assistants.Document, version int, points []assistants.Point, space assistants.Space, values [][]float32) error {
	if err := vector.CheckWhole(d, version, points, space, values); err != nil {
		return fmt.Errorf("index: apply: %w", err)
	}
	return e.apply(ctx, vector.Analyse(d, version, points), &vectors{space, version, values})
}

// apply replaces a document, with vectors if v is not nil.
func (e *Index) apply(ctx context.Context, doc vector.Document, v *vectors) error {
	return e.write(ctx, "apply", func(tx *sql.Tx) error {
		if s := e.partitions[partitionKey{doc.Tenant, doc.Collection}]; s != nil && s.live+len(doc.Chunks) > maxChunks {
			return fmt.Errorf("%w: a collection holds %d chunks", assistants.ErrTooLarge, maxChunks)
		}
		if err := e.deleteVectors(ctx, tx, doc.ID); err != nil {
			return err
		}
		if err := saveRow(ctx, tx, doc); err != nil || v == nil {
			return err
		}
		return saveVectors(ctx, tx, doc.ID, *v)
	}, func() {
		e.drop(doc.ID)
		e.put(doc)
		if h := e.documents[doc.ID]; v != nil {
			h.partition.setVectors(h, v.space, v.values)
		}
	})
}

// Remove removes a document; it may be missing. The error wraps ErrUnavailable if
// the file cannot be written.
func (e *Index) Remove(ctx context.Context, id assistants.DocumentID) error {
	return e.write(ctx, "remove", func(tx *sql.Tx) error {
		if err := e.deleteVectors(ctx, tx, id); err != nil {
			return err
		}
		return documentRow(id).delete(ctx, tx)
	}, func() { e.drop(id) })
}

// deleteVectors removes a document's vectors from the file.
func (e *Index) deleteVectors(ctx context.Context, tx *sql.Tx, id assistants.DocumentID) error {
	h := e.documents[id]
	if h == nil {
		return nil
	}
	for _, in := range h.vectors {
		if err := vectorsRow(id, in.arena.space).delete(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// write changes the file, then memory. An error of file that is a caller's mistake
// is returned unchanged.
func (e *Index) write(ctx context.Context, what string, file func(*sql.Tx) error, memory func()) error {
	e.writing.Lock()
	defer e.writing.Unlock()
	if e.closed { // it changes only under both locks
		return fmt.Errorf("index: %s: %w: closed", what, assistants.ErrUnavailable)
	}
	err := e.inFile(ctx, file)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return fmt.Errorf("index: %s: %w", what, ctx.Err())
	case errors.Is(err, assistants.ErrInvalid), errors.Is(err, assistants.ErrConflict), errors.Is(err, assistants.ErrTooLarge):
		return fmt.Errorf("index: %s: %w", what, err)
	default:
		return fmt.Errorf("index: %s: %w: %w", what, assistants.ErrUnavailable, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	memory()
	e.changes.Add(1)
	return nil
}

// Generation counts the changes since the index was opened, from 1. Results remain
// valid while it stays the same.
func (e *Index) Generation() uint64 { return e.changes.Load() + 1 }

// put adds a new document to memory.
func (e *Index) put(d vector.Document) {
	key := partitionKey{d.Tenant, d.Collection}
	s := e.partitions[key]
	if s == nil {
		s = newPartition(key)
		e.partitions[key] = s
	}
	e.documents[d.ID] = s.add(d)
}

// drop removes a document from memory.
func (e *Index) drop(id assistants.DocumentID) {
	h := e.documents[id]
	if h == nil {
		return
	}
	delete(e.documents, id)
	h.partition.remove(h)
	if h.partition.documents == 0 {
		delete(e.partitions, h.partition.partitionKey)
	}
}

// Versions returns the version and spaces that the index has of each document.
func (e *Index) Versions(context.Context) (map[assistants.DocumentID]assistants.Indexed, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return nil, fmt.Errorf("index: versions: %w: closed", assistants.ErrUnavailable)
	}
	out := make(map[assistants.DocumentID]assistants.Indexed, len(e.documents))
	for id, h := range e.documents {
		have := assistants.Indexed{Version: h.version}
		for _, p := range h.vectors {
			have.Spaces = append(have.Spaces, p.arena.space)
		}
		slices.SortFunc(have.Spaces, vector.CompareSpaces)
		out[id] = have
	}
	return out, nil
}

// Close waits for running changes and releases the file. Later calls of other
// methods fail; a second Close returns nil.
func (e *Index) Close() error {
	e.writing.Lock()
	defer e.writing.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	e.release()
	if e.db == nil {
		return nil
	}
	if err := e.db.Close(); err != nil {
		return fmt.Errorf("index: close: %w", err)
	}
	return nil
}
