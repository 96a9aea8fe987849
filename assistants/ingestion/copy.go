package ingestion

import (
	"context"
	"fmt"
	"slices"

	"footnote/assistants"
)

// A VectorReader has the vectors of an index. Vectors returns those of a document's
// version in a space, in the order of its chunks; none if one of them is missing. Its
// error wraps assistants.ErrUnavailable.
type VectorReader interface {
	Vectors(ctx context.Context, id assistants.DocumentID, version int, space assistants.Space) ([][]float32, error)
}

// LiveStore is what an [IndexCopy] reads of the database; see [Versions].
type LiveStore interface {
	liveReader
	EachLive(ctx context.Context, fn func(d assistants.Document) error) error
}

// An IndexCopy fills an index with the live versions of the database, and with the
// vectors that another index has of them. Nothing else may work on any of them. It
// goes on where an interrupted one ended.
type IndexCopy struct {
	Store LiveStore
	From  VectorReader
	To    Index
	// Progress is called for every document.
	Progress func()

	have    map[assistants.DocumentID]assistants.Indexed
	strange map[assistants.DocumentID]bool // indexed, and not seen in the database yet
}

// Run copies. It returns the number of live documents, and how many of them lack vectors
// because From has none: they are embedded again by the worker that next uses the
// index. ErrConflict: the index has documents that the database does not know.
func (c *IndexCopy) Run(ctx context.Context) (documents, without int, err error) {
	if c.have, err = c.To.Versions(ctx); err != nil {
		return 0, 0, fmt.Errorf("ask the index for its versions: %w", err)
	}
	if err := c.checkKnown(ctx); err != nil {
		return 0, 0, err
	}
	err = c.Store.EachLive(ctx, func(d assistants.Document) error {
		documents++
		complete, err := c.document(ctx, d)
		if err != nil {
			return fmt.Errorf("copy the index of document %s: %w", d.ID, err)
		}
		if !complete {
			without++
		}
		c.Progress()
		return nil
	})
	return documents, without, err
}

// checkKnown refuses an index that has the documents of another database: they would
// be lost.
func (c *IndexCopy) checkKnown(ctx context.Context) error {
	c.strange = map[assistants.DocumentID]bool{}
	for id := range c.have {
		c.strange[id] = true
	}
	if len(c.strange) == 0 {
		return nil
	}
	err := c.Store.EachLive(ctx, func(d assistants.Document) error {
		delete(c.strange, d.ID)
		return nil
	})
	if err == nil && len(c.strange) > 0 {
		err = fmt.Errorf("%w: the index has %d documents that the database does not know", assistants.ErrConflict, len(c.strange))
	}
	return err
}

// document copies what the index has of a document. complete reports whether no
// vectors are missing.
func (c *IndexCopy) document(ctx context.Context, d assistants.Document) (complete bool, err error) {
	in := c.have[d.ID]
	if in.Version != d.Live {
		in = assistants.Indexed{}
	}
	complete = true
	vectors := map[assistants.Space][][]float32{}
	for _, s := range []assistants.Space{d.Version.Space, d.Version.Next} {
		if s.IsZero() || slices.Contains(in.Spaces, s) {
			continue
		}
		found, err := c.From.Vectors(ctx, d.ID, d.Live, s)
		if err != nil {
			return false, err
		}
		if len(found) == 0 {
			complete = false
			continue
		}
		vectors[s] = found
	}
	if in.Version == 0 {
		chunks, err := liveChunks(ctx, c.Store, d)
		if err != nil {
			return false, err
		}
		if err := c.To.Apply(ctx, d, d.Live, points(chunks)); err != nil {
			return false, err
		}
	}
	for s, v := range vectors {
		if err := c.To.ApplyVectors(ctx, d.ID, d.Live, s, v); err != nil {
			return false, err
		}
	}
	return complete, nil
}
