package vectortest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// keepsTenantsApart asks as fifty tenants who all have the same words, for
// collections of their own and of others, some of which share an id (S-24).
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
	type place struct {
		tenant     assistants.TenantID
		collection assistants.CollectionID
	}
	// The first collection of every tenant has the same id, the others have their own.
	name := func(tenant, collection int) place {
		p := place{assistants.TenantID(fmt.Sprint("t", tenant)), "shared"}
		if collection > 0 {
			p.collection = assistants.CollectionID(fmt.Sprintf("t%d-c%d", tenant, collection))
		}
		return p
	}
	home := map[assistants.DocumentID]place{}
	for tenant := range tenants {
		for collection := range collections {
			for range documents {
				p, id := name(tenant, collection), fmt.Sprint("d", len(home))
				d := assistants.Document{ID: assistants.DocumentID(id), TenantID: p.tenant, CollectionID: p.collection}
				must(t, x.Apply(t.Context(), d, 1, Points(id, 1, text(6), text(6))))
				home[d.ID] = p
			}
		}
	}
	found := 0
	for range queries {
		asker := rng.IntN(tenants)
		asked := map[assistants.CollectionID]bool{}
		q := assistants.TextQuery{Tenant: name(asker, 0).tenant, Terms: lexical.QueryTerms(text(2)), Limit: assistants.MaxMatches}
		for range 1 + rng.IntN(4) {
			whose := asker
			if rng.IntN(2) == 0 {
				whose = rng.IntN(tenants)
			}
			c := name(whose, rng.IntN(collections)).collection
			asked[c] = true
			q.Collections = append(q.Collections, c)
		}
		for _, m := range find(t, x, q) {
			found++
			if p := home[m.DocumentID]; p.tenant != q.Tenant || !asked[p.collection] {
				t.Fatalf("%s asked for %v and found a document of %v", q.Tenant, q.Collections, p)
			}
		}
	}
	if found < queries {
		t.Errorf("only %d matches: the test asks for nothing that is there", found)
	}
}
