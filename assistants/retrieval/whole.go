package retrieval

import (
	"context"
	"slices"
	"sync"

	"footnote/assistants"
)

// A Whole is what queries of the same question search, each of them a part of it. A report
// of 2022 in one collection makes that of 2017 in another one fit less, as if both were in
// one. The queries share a Whole; it must not be changed once they have it.
type Whole struct {
	Parts []Part

	mu        sync.Mutex
	isRead    bool                    // the other fields are known
	documents []assistants.DocumentID // that may be searched; nil: all
	err       error
}

// A Part is a collection through one of its filters.
type Part struct {
	Collection assistants.CollectionID
	Filter     assistants.Filter // of documents
}

// A scope is among what a question chooses: the documents of collections.
type scope struct {
	collections []assistants.CollectionID
	permitted   []assistants.DocumentID // that may be searched; nil: all
}

// scopeOf returns the scope of a query that may search some documents, nil for all.
func (w *run) scopeOf(ctx context.Context, documents []assistants.DocumentID) (scope, error) {
	whole := w.q.Whole
	if whole == nil {
		return scope{w.q.Collections, documents}, nil
	}
	var s scope
	for _, p := range whole.Parts {
		if !slices.Contains(s.collections, p.Collection) {
			s.collections = append(s.collections, p.Collection)
		}
	}
	var err error
	s.permitted, err = whole.permitted(ctx, w.permittedIn)
	return s, err
}

// permitted returns the documents that may be searched, nil for all. The first query that asks
// reads them for all. If its context ends before that, the next one reads them.
func (whole *Whole) permitted(ctx context.Context, read func(context.Context, []Part) ([]assistants.DocumentID, error)) ([]assistants.DocumentID, error) {
	whole.mu.Lock()
	defer whole.mu.Unlock()
	if whole.isRead {
		return whole.documents, whole.err
	}
	documents, err := read(ctx, whole.Parts)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	whole.isRead, whole.documents, whole.err = true, documents, err
	return documents, err
}

// permittedIn returns the documents of parts that may be searched, nil for all.
func (w *run) permittedIn(ctx context.Context, parts []Part) ([]assistants.DocumentID, error) {
	if !slices.ContainsFunc(parts, func(p Part) bool { return !p.Filter.IsZero() }) {
		return nil, nil
	}
	all := []assistants.DocumentID{}
	for _, p := range parts {
		found, err := w.store.FilterDocuments(ctx, w.q.Tenant, []assistants.CollectionID{p.Collection}, p.Filter)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
