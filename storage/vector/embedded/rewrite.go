package embedded

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"footnote/storage/vector"
)

// inFile changes the file in a transaction. If the file turns out to be damaged, the
// content of memory is first written to a new file, while searches continue.
func (e *Index) inFile(ctx context.Context, change func(*sql.Tx) error) error {
	inTransaction := func(ctx context.Context, tx *sql.Tx) error { return change(tx) }
	if e.db != nil {
		err := inTx(ctx, e.db, inTransaction)
		if !isDamage(err) {
			return err
		}
		e.log.Warn("the index file is damaged and is written anew", "cause", err)
		if err := e.db.Close(); err != nil {
			e.log.Warn("the damaged index file cannot be closed", "cause", err)
		}
		e.db = nil
		if err := moveAside(e.path); err != nil {
			return err
		}
	}
	// A rewrite is one transaction, so an interrupted one cannot pass for complete.
	db, err := openFile(e.path)
	if err != nil {
		return err
	}
	if err := inTx(ctx, db, e.rewrite); err != nil {
		db.Close() //nolint:errcheck // the error that matters is err
		return err
	}
	e.db = db
	return inTx(ctx, db, inTransaction)
}

// rewrite writes everything in memory.
func (e *Index) rewrite(ctx context.Context, tx *sql.Tx) error {
	names := map[*partition][]string{}
	for id, h := range e.documents {
		terms := names[h.partition]
		if terms == nil {
			terms = make([]string, len(h.partition.lists))
			for term, n := range h.partition.numbers {
				terms[n] = term
			}
			names[h.partition] = terms
		}
		if err := saveRow(ctx, tx, h.partition.document(h, terms)); err != nil {
			return err
		}
		for _, placed := range h.vectors {
			v := vectors{space: placed.arena.space, version: h.version}
			for slot := range uint32(len(h.chunks)) {
				v.values = append(v.values, placed.arena.vector(placed.first+slot))
			}
			if err := saveVectors(ctx, tx, id, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// document rebuilds the document of an entry; terms are those of the lists.
func (s *partition) document(h *entry, terms []string) vector.Document {
	d := vector.Document{ID: h.id, Tenant: s.tenant, Collection: s.collection, Version: h.version, Chunks: h.chunks}
	for _, n := range h.terms {
		postings := s.lists[n].postings
		from := seek(postings, 0, h.first)
		t := vector.TermEntry{Term: terms[n]}
		for _, p := range postings[from:seek(postings, from, h.first+uint32(len(h.chunks)))] {
			t.In = append(t.In, vector.Occurrence{Chunk: p.chunk() - h.first, Halves: s.halves(n, p)})
		}
		d.Terms = append(d.Terms, t)
	}
	slices.SortFunc(d.Terms, func(x, y vector.TermEntry) int { return strings.Compare(x.Term, y.Term) })
	return d
}
