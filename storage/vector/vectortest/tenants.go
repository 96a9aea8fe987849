package vectortest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// keepsTenantsApart searches as fifty tenants with the same words and vectors, in
// their own and in other tenants' collections. Some collections share an id.
func keepsTenantsApart(t *testing.T, x Index) {
	const tenants, collections, documents, queries = 50, 3, 4, 10_000
	rng := rand.New(rand.NewPCG(24, 24))
	words := []string{"apple", "pear", "plum", "cherry", "quince", "medlar", "fig", "lemon", "lime", "melon"}
	text := func(n int) (text string) {
		for range n {
			text += words[rng.IntN(len(words))] + " "
		}
		return text
	}
	direction := func() []float32 { return unitVector(1+rng.IntN(9), rng.IntN(9), rng.IntN(9)) }
	// The first collection of every tenant has the same id, the others have their own.
	name := func(tenant, collection int) location {
		p := location{assistants.TenantID(fmt.Sprint("t", tenant)), "shared"}
		if collection > 0 {
			p.collection = assistants.CollectionID(fmt.Sprintf("t%d-c%d", tenant, collection))
		}
		return p
	}
	home := map[assistants.DocumentID]location{}
	for tenant := range tenants {
		for collection := range collections {
			for range documents {
				p, id := name(tenant, collection), fmt.Sprint("d", len(home))
				d := assistants.Document{ID: assistants.DocumentID(id), TenantID: p.tenant, CollectionID: p.collection}
				must(t, x.Apply(t.Context(), d, 1, Points(id, 1, text(6), text(6))))
				if len(home)%4 > 0 {
					must(t, x.ApplyVectors(t.Context(), d.ID, 1, small, [][]float32{direction(), direction()}))
				}
				home[d.ID] = p
			}
		}
	}
	questions := make([]assistants.Search, queries)
	for i := range questions {
		asker := rng.IntN(tenants)
		q := assistants.Search{Tenant: name(asker, 0).tenant, Limit: assistants.MaxMatches}
		mode := rng.IntN(3)
		if mode != 0 {
			q.Terms = lexical.QueryTerms(text(2))
		}
		if mode != 1 {
			q = withVector(q, small, direction())
		}
		for range 1 + rng.IntN(4) {
			owner := asker
			if rng.IntN(2) == 0 {
				owner = rng.IntN(tenants)
			}
			q.Collections = append(q.Collections, name(owner, rng.IntN(collections)).collection)
		}
		if rng.IntN(4) == 0 { // a filter with other tenants' documents must not find them
			for range 60 {
				q.Documents = append(q.Documents, assistants.DocumentID(fmt.Sprint("d", rng.IntN(len(home)))))
			}
		}
		questions[i] = q
	}
	if found := searchAsTenants(t, x, questions, home); found < queries {
		t.Errorf("only %d matches: the test asks for nothing that is there", found)
	}
	for tenant := range tenants {
		p := name(tenant, 0)
		got, err := x.Sample(t.Context(), p.tenant, p.collection, small, 100)
		must(t, err)
		if len(got) > 2*documents {
			t.Fatalf("%d vectors in a collection of %d chunks", len(got), 2*documents)
		}
	}
}

// A location is the tenant and collection of a document.
type location struct {
	tenant     assistants.TenantID
	collection assistants.CollectionID
}

// searchAsTenants runs all searches and counts the matches. A match of another tenant's
// document is an error.
func searchAsTenants(t *testing.T, x Index, questions []assistants.Search, home map[assistants.DocumentID]location) int64 {
	// Many at a time, as tenants ask.
	var found, next atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(questions)) && !t.Failed(); i = next.Add(1) - 1 {
				q := questions[i]
				got, err := x.Search(t.Context(), q)
				if err != nil {
					t.Error(err)
				}
				found.Add(int64(len(got.Matches)))
				for _, m := range got.Matches {
					if q.Documents != nil && !slices.Contains(q.Documents, m.DocumentID) {
						t.Errorf("%s is not among %v", m.DocumentID, q.Documents)
					}
					if p := home[m.DocumentID]; p.tenant != q.Tenant || !slices.Contains(q.Collections, p.collection) {
						t.Errorf("%s asked for %v and found a document of %v", q.Tenant, q.Collections, p)
					}
				}
			}
		})
	}
	wg.Wait()
	return found.Load()
}
