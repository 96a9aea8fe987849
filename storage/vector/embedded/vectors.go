package embedded

import (
	"context"
	"database/sql"
	"fmt"

	"footnote/assistants"
	"footnote/storage/vector"
)

// ApplyVectors replaces the vectors of a document's version in a space, one for each
// point in the order of [Index.Apply]. Vectors of other spaces stay. Searches see
// all of them or none, even after a crash. The error wraps ErrInvalid if their
// number, dimensions or lengths are wrong, ErrConflict if the index does not have
// that version of the document, and ErrUnavailable if the file cannot be written;
// nothing has changed then.
func (e *Index) ApplyVectors(ctx context.Context, id assistants.DocumentID, version int, space assistants.Space, values [][]float32) error {
	if err := vector.CheckVectors(space, values); err != nil {
		return fmt.Errorf("index: apply vectors: %w", err)
	}
	v := vectors{space, version, values}
	var h *entry
	return e.write(ctx, "apply vectors", func(tx *sql.Tx) error {
		switch h = e.documents[id]; { // it changes only under both locks
		case h == nil:
			return fmt.Errorf("%w: no document %s", assistants.ErrConflict, id)
		case h.version != version:
			return fmt.Errorf("%w: version %d of document %s, not %d", assistants.ErrConflict, h.version, id, version)
		case len(h.chunks) != len(values):
			return fmt.Errorf("%w: %d vectors for %d points", assistants.ErrInvalid, len(values), len(h.chunks))
		}
		return saveVectors(ctx, tx, id, v)
	}, func() { h.partition.setVectors(h, space, values) })
}

// DropVectors removes the vectors that the documents of a collection have in a
// space; there may be none. The error wraps ErrUnavailable if the file cannot be
// written; nothing has changed then.
func (e *Index) DropVectors(ctx context.Context, collection assistants.CollectionID, space assistants.Space) error {
	var in []*entry
	return e.write(ctx, "drop vectors", func(tx *sql.Tx) error {
		for _, h := range e.documents { // it changes only under both locks
			if _, ok := h.vectorsIn(space); ok && h.partition.collection == collection {
				in = append(in, h)
			}
		}
		for _, h := range in {
			if err := vectorsRow(h.id, space).delete(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	}, func() {
		for _, h := range in {
			h.partition.dropVectors(h, space)
		}
	})
}

// Sample returns at most n of the vectors that a tenant's collection has in a space,
// spread evenly. The error wraps ErrUnavailable after Close.
func (e *Index) Sample(_ context.Context, tenant assistants.TenantID, collection assistants.CollectionID, space assistants.Space, n int) ([][]float32, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return nil, fmt.Errorf("index: sample: %w: closed", assistants.ErrUnavailable)
	}
	s := e.partitions[partitionKey{tenant, collection}]
	if s == nil || s.arenas[space] == nil {
		return nil, nil
	}
	return s.arenas[space].sample(n), nil
}
