package ingestion

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/assistants/retrieval"
)

// A replaced document answers all the time: with the old version or the new
// one, never with neither and never with pieces of both.
func TestADocumentAnswersWithoutAGapWhileItIsReplaced(t *testing.T) {
	w := newWorld(t)
	text := func(version int) string {
		var b strings.Builder
		for i := range 60 {
			fmt.Fprintf(&b, "## Part %d\n\nHoney of the year v%d keeps for %d years in a dry cellar.\n\n", i, version, i)
		}
		return b.String()
	}
	d := w.add("a.md", text(0))
	w.drain(w.worker)

	ctx, stop := context.WithCancel(t.Context())
	found := make(chan error, 1)
	retriever := retrieval.New(w.index, w.store, retrieval.Options{})
	go func() { found <- askUntil(ctx, retriever, w.collection) }()
	for version := 1; version <= 12; version++ {
		_, _, err := w.library.Replace(t.Context(), d.TenantID, d.ID, w.upload("a.md", text(version)))
		w.must(err)
		w.drain(w.worker)
	}
	stop()
	w.must(<-found)
}

// askUntil asks one question again and again until ctx ends.
func askUntil(ctx context.Context, r *retrieval.Retriever, collection assistants.CollectionID) error {
	for ctx.Err() == nil {
		res, err := r.Retrieve(context.WithoutCancel(ctx), retrieval.Query{
			Tenant: assistants.DefaultTenant, Collections: []assistants.CollectionID{collection}, Text: "honey cellar", TopK: 10,
		})
		if err != nil {
			return err
		}
		if len(res.Hits) == 0 {
			return fmt.Errorf("nothing is found")
		}
		for _, h := range res.Hits {
			if h.Chunk.Version != res.Hits[0].Chunk.Version {
				return fmt.Errorf("versions %d and %d in one answer", h.Chunk.Version, res.Hits[0].Chunk.Version)
			}
		}
	}
	return nil
}
