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

// Options are what may be set on an index.
type Options struct {
	// Log receives what went wrong with the file; nil: the default logger.
	Log *slog.Logger
	// Exact has searches read every vector as it is instead of its codes. They
	// find the same and take longer: for comparison.
	Exact bool
}

// An Index is the index inside the program. It is safe for concurrent use.
type Index struct {
	path      string
	db        *sql.DB // nil while there is no file that can be written
	log       *slog.Logger
	recreated bool
	exact     bool

	// writing is held over a change of file and memory together, so that both
	// see the changes in the same order. mu guards what follows and is held
	// only while memory changes, so that searches do not wait for the disk.
	writing   sync.Mutex
	mu        sync.RWMutex
	shelves   map[shelfKey]*shelf
	documents map[assistants.DocumentID]*held
	closed    bool
	changes   atomic.Uint64 // counted under mu
}

// Open opens the index in the file at path, which it makes if there is none. A
// file that is damaged, or written under other rules, is moved aside to
// path.damaged and an empty index takes its place: see [Index.Recreated].
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
	e.shelves = map[shelfKey]*shelf{}
	e.documents = map[assistants.DocumentID]*held{}
	if err := e.load(context.Background()); err != nil {
		e.release()
		db.Close() //nolint:errcheck // the error that matters is err
		return err
	}
	return nil
}

// release gives the memory of the vectors back.
func (e *Index) release() {
	for _, s := range e.shelves {
		for _, a := range s.arenas {
			a.release()
		}
	}
}

// load reads every row into memory and drops those that are damaged.
func (e *Index) load(ctx context.Context) error {
	var damaged []row
	// One goroutine reads, this one puts on shelves.
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
		h.shelf.setVectors(h, v.space, v.values)
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

// Recreated reports whether Open found a file that it could not use and began an
// empty one.
func (e *Index) Recreated() bool { return e.recreated }

// Apply makes points the whole of what the index has of a document, as of
// version. Searches see the old or the new points, never both; after a crash
// the same holds. Of the document its id, tenant, collection and name are read.
// The error wraps ErrInvalid for a document without ids or a version below 1,
// ErrTooLarge when its collection is full, and ErrUnavailable when the file cannot be written; nothing has changed then.
func (e *Index) Apply(ctx context.Context, d assistants.Document, version int, points []assistants.Point) error {
	if err := vector.CheckDocument(d, version); err != nil {
		return fmt.Errorf("index: apply: %w", err)
	}
	return e.apply(ctx, vector.Analyse(d, version, points), nil)
}

// ApplyEmbedded is [Index.Apply] and [Index.ApplyVectors] at once: searches
// see the old points with their vectors, or the new ones with theirs. Errors are
// those of either; nothing has changed then.
func (e *Index) ApplyEmbedded(ctx context.Context, d assistants.Document, version int, points []assistants.Point, space assistants.Space, values [][]float32) error {
	if err := vector.CheckWhole(d, version, points, space, values); err != nil {
		return fmt.Errorf("index: apply: %w", err)
	}
	return e.apply(ctx, vector.Analyse(d, version, points), &vectors{space, version, values})
}

// apply puts a document into the place of what there is of it, with vectors if v is not nil.
func (e *Index) apply(ctx context.Context, doc vector.Document, v *vectors) error {
	return e.write(ctx, "apply", func(tx *sql.Tx) error {
		if s := e.shelves[shelfKey{doc.Tenant, doc.Collection}]; s != nil && s.live+len(doc.Chunks) > maxChunks {
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
			h.shelf.setVectors(h, v.space, v.values)
		}
	})
}

// Remove takes a document out of the index; one that is not there is no error.
// The error wraps ErrUnavailable when the file cannot be written.
func (e *Index) Remove(ctx context.Context, id assistants.DocumentID) error {
	return e.write(ctx, "remove", func(tx *sql.Tx) error {
		if err := e.deleteVectors(ctx, tx, id); err != nil {
			return err
		}
		return documentRow(id).delete(ctx, tx)
	}, func() { e.drop(id) })
}

// deleteVectors takes a document's vectors out of the file.
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

// write changes the file, then memory. An error of file that is a caller's
// mistake is returned as it is.
func (e *Index) write(ctx context.Context, what string, file func(*sql.Tx) error, memory func()) error {
	e.writing.Lock()
	defer e.writing.Unlock()
	if e.closed { // written only under both locks
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

// Generation counts the changes of the index since it was opened, from 1: what
// was found answers again as long as it stays the same.
func (e *Index) Generation() uint64 { return e.changes.Load() + 1 }

// put adds a document to memory that is not there.
func (e *Index) put(d vector.Document) {
	key := shelfKey{d.Tenant, d.Collection}
	s := e.shelves[key]
	if s == nil {
		s = newShelf(key)
		e.shelves[key] = s
	}
	e.documents[d.ID] = s.add(d)
}

// drop takes a document out of memory.
func (e *Index) drop(id assistants.DocumentID) {
	h := e.documents[id]
	if h == nil {
		return
	}
	delete(e.documents, id)
	h.shelf.remove(h)
	if h.shelf.documents == 0 {
		delete(e.shelves, h.shelf.shelfKey)
	}
}

// Versions returns what the index has of each document.
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

// Close waits for changes under way and releases the file. Later calls of other
// methods fail; closing twice is no error.
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
