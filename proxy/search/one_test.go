package search

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/proxy/access"
)

// A sightWorld is two assistants, of which the second reads the first's collection too,
// through a filter, and a shared collection that none reads.
type sightWorld struct {
	assistants []assistants.Assistant
	mu         sync.Mutex // guards asked: collections are searched at the same time
	asked      []retrieval.Query
	hits       map[string][]assistants.Hit // by the text of the query
}

func (w *sightWorld) KnownAssistant(_ context.Context, _ assistants.TenantID, ref string, sight assistants.Sight) (*assistants.Assistant, error) {
	for _, a := range w.assistants {
		if string(a.ID) == ref && sight.Sees(&a) {
			return &a, nil
		}
	}
	return nil, assistants.ErrNotFound
}

func (w *sightWorld) Assistants(context.Context, assistants.TenantID, assistants.List) ([]assistants.Assistant, string, error) {
	return w.assistants, "", nil
}

func (w *sightWorld) Retrieve(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, q)
	return retrieval.Result{Hits: w.hits[q.Text]}, nil
}

func (w *sightWorld) Hits(context.Context, assistants.TenantID, []assistants.CollectionID, []assistants.Match) ([]assistants.Hit, error) {
	return nil, errors.New("not asked for")
}

func (w *sightWorld) Collections(_ context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) (found []assistants.Collection, err error) {
	for _, id := range ids {
		if slices.Contains([]assistants.CollectionID{"coll_a", "coll_b", "coll_shared", assistants.FilesCollection(tenant)}, id) {
			found = append(found, assistants.Collection{ID: id, TenantID: tenant})
		}
	}
	return found, nil
}

func newSightWorld() (*sightWorld, *Handler) {
	a := assistants.Assistant{ID: "asst_a", CollectionID: "coll_a", Settings: assistants.DefaultSettings()}
	b := assistants.Assistant{ID: "asst_b", CollectionID: "coll_b", Settings: assistants.DefaultSettings()}
	b.Settings.Collections = []string{"coll_a"}
	b.Settings.RetrievalLabelFilter = &assistants.LabelFilter{Required: []string{"open"}}
	w := &sightWorld{assistants: []assistants.Assistant{a, b}, hits: map[string][]assistants.Hit{}}
	h := New(Config{}, Deps{
		Directory: w, Retriever: w, Store: w, Log: slog.New(slog.DiscardHandler), Metrics: NewMetrics(prometheus.NewRegistry(), nil, func(int) {}),
	})
	return w, h
}

// TestOneCollectionIsSearchedAsFarAsTheKeySees searches each collection with each kind of key.
func TestOneCollectionIsSearchedAsFarAsTheKeySees(t *testing.T) {
	key := func(scope assistants.Scope, bound ...assistants.AssistantID) access.Principal {
		return access.Principal{Tenant: "default", Key: assistants.Key{ID: "key_a", Scopes: []assistants.Scope{scope}, Assistants: bound}}
	}
	everything, open := []string(nil), []string{"open"}
	for name, c := range map[string]struct {
		caller     access.Principal
		collection assistants.CollectionID
		labels     []string // that the search requires
		missing    bool
	}{
		"an admin, any collection":                   {key(assistants.ScopeAdmin), "coll_shared", everything, false},
		"an admin, one that is not there":            {key(assistants.ScopeAdmin), "coll_none", nil, true},
		"an admin, the files without a vector store": {key(assistants.ScopeAdmin), assistants.FilesCollection("default"), nil, true},
		"a bound admin, its own":                     {key(assistants.ScopeAdmin, "asst_a"), "coll_a", everything, false},
		"a bound admin, one that no assistant reads": {key(assistants.ScopeAdmin, "asst_a"), "coll_shared", nil, true},
		"search, what an assistant owns":             {key(assistants.ScopeSearch), "coll_a", everything, false},
		"search, what no assistant reads":            {key(assistants.ScopeSearch), "coll_shared", nil, true},
		"bound search, through the reader's filter":  {key(assistants.ScopeSearch, "asst_b"), "coll_a", open, false},
		"bound search, another assistant's":          {key(assistants.ScopeSearch, "asst_a"), "coll_b", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			w, h := newSightWorld()
			year := assistants.Filter{Tags: assistants.TagFilter{Required: []assistants.TagCondition{{Key: "year", Condition: assistants.TagEquals, Value: "2026"}}}}
			_, err := h.InOne(t.Context(), c.caller, Question{Collection: c.collection, Texts: []string{"x"}, Any: []assistants.Filter{year}, Limit: 3, Threshold: 0.2})
			if c.missing {
				if !errors.Is(err, assistants.ErrNotFound) || len(w.asked) != 0 {
					t.Errorf("%v, %d searches", err, len(w.asked))
				}
				return
			}
			if err != nil || len(w.asked) != 1 {
				t.Fatalf("%v, searched by %+v", err, w.asked)
			}
			q := w.asked[0]
			if !slices.Equal(q.Collections, []assistants.CollectionID{c.collection}) || q.TopK != 3 || q.Threshold != 0.2 || q.Lenient ||
				!slices.Equal(q.Filter.Labels.Required, c.labels) || len(q.Filter.Tags.Required) != 1 {
				t.Errorf("searched by %+v", q)
			}
		})
	}
}

func TestSeveralQueriesGiveEachPassageOnceByItsBestScore(t *testing.T) {
	w, h := newSightWorld()
	hit := func(id string, score float64) assistants.Hit {
		return assistants.Hit{Score: score, Chunk: assistants.Chunk{ID: assistants.ChunkID(id)}, Document: assistants.Document{ID: "doc_a", Name: "a"}}
	}
	w.hits["x"] = []assistants.Hit{hit("one", 0.9), hit("two", 0.3)}
	w.hits["y"] = []assistants.Hit{hit("two", 0.8), hit("three", 0.7)}
	admin := access.Principal{Tenant: "default", Key: assistants.Key{ID: "key_a", Scopes: []assistants.Scope{assistants.ScopeAdmin}}}
	hits, err := h.InOne(t.Context(), admin, Question{Collection: "coll_a", Texts: []string{"x", "y"}, Any: []assistants.Filter{{}}, Limit: 2})
	if err != nil || len(hits) != 2 || hits[0].Chunk.ID != "one" || hits[1].Chunk.ID != "two" || hits[1].Score != 0.8 {
		t.Errorf("%+v, %v", hits, err)
	}
}
