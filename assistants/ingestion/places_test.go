package ingestion

import (
	"fmt"
	"slices"
	"testing"

	"footnote/assistants"
	"footnote/assistants/retrieval"
)

// TestOtherPlacesOfAPassageAreThoseThatMayBeSearched: the same words stand in documents of
// another tenant, of a collection that is not searched, and behind a label. The stores are
// the real ones.
func TestOtherPlacesOfAPassageAreThoseThatMayBeSearched(t *testing.T) {
	w := newWorld(t)
	const other assistants.TenantID = "other"
	collections := map[assistants.TenantID]assistants.CollectionID{assistants.DefaultTenant: assistants.NewCollectionID(), other: assistants.NewCollectionID()}
	for tenant, collection := range collections {
		w.must(w.store.CreateAssistant(t.Context(), assistants.Assistant{
			ID: assistants.NewAssistantID(), TenantID: tenant, Slug: "second", Name: "Second", CollectionID: collection,
			Settings: assistants.DefaultSettings(), CreatedAt: w.clock(), UpdatedAt: w.clock(),
		}))
	}
	add := func(name string, tenant assistants.TenantID, collection assistants.CollectionID, labels ...string) assistants.DocumentID {
		u := w.upload(name, "The ferry to the island leaves at nine in the morning.\n"+fmt.Sprintf("%*s", len(name), "\n"))
		u.Tenant, u.Collection, u.Labels = tenant, collection, labels
		d, duplicate, err := w.library.Add(t.Context(), u)
		w.must(err)
		if duplicate {
			t.Fatalf("%s has the bytes of another", name)
		}
		return d.ID
	}
	first := add("first.md", assistants.DefaultTenant, w.collection)
	second := add("second.md", assistants.DefaultTenant, w.collection)
	secret := add("secret one.md", assistants.DefaultTenant, w.collection, "secret")
	elsewhere := add("not searched.md", assistants.DefaultTenant, collections[assistants.DefaultTenant])
	add("of another tenant.md", other, collections[other])
	w.drain(w.worker)

	r := retrieval.New(w.index, w.store, retrieval.Options{Names: w.store})
	places := func(filter assistants.Filter, collections ...assistants.CollectionID) []assistants.DocumentID {
		t.Helper()
		res, err := r.Retrieve(t.Context(), retrieval.Query{
			Tenant: assistants.DefaultTenant, Collections: collections, Filter: filter, Text: "When does the ferry leave?", TopK: 5, Mode: assistants.SearchFullText,
		})
		w.must(err)
		if len(res.Hits) != 1 {
			t.Fatalf("%d hits, want one", len(res.Hits))
		}
		ids := []assistants.DocumentID{res.Hits[0].Document.ID}
		for _, p := range res.Hits[0].AlsoIn {
			ids = append(ids, p.Document)
			if p.Name == "" {
				t.Error("a place without a name")
			}
		}
		slices.Sort(ids)
		return ids
	}
	public := assistants.Filter{Labels: assistants.LabelFilter{Excluded: []string{"secret"}}}
	all := collections[assistants.DefaultTenant]
	for name, c := range map[string]struct{ got, want []assistants.DocumentID }{
		"one collection":    {places(assistants.Filter{}, w.collection), []assistants.DocumentID{first, second, secret}},
		"without a label":   {places(public, w.collection), []assistants.DocumentID{first, second}},
		"two collections":   {places(public, w.collection, all), []assistants.DocumentID{first, second, elsewhere}},
		"another tenant's":  {places(assistants.Filter{}, all, collections[other]), []assistants.DocumentID{elsewhere}},
		"only its own":      {places(assistants.Filter{}, all), []assistants.DocumentID{elsewhere}},
		"both of this one":  {places(assistants.Filter{}, all, w.collection), []assistants.DocumentID{first, second, secret, elsewhere}},
		"what is left when": {afterDeleting(w, second, func() []assistants.DocumentID { return places(assistants.Filter{}, w.collection) }), []assistants.DocumentID{first, secret}},
	} {
		slices.Sort(c.want)
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

// afterDeleting deletes a document and then asks.
func afterDeleting(w *world, id assistants.DocumentID, ask func() []assistants.DocumentID) []assistants.DocumentID {
	w.must(w.store.DeleteDocument(w.t.Context(), assistants.DefaultTenant, id))
	return ask()
}

// TestWhatSupersedesADocumentIsFoundFirst: with the real stores, before and after somebody
// says so, and again when the newer one is gone.
func TestWhatSupersedesADocumentIsFoundFirst(t *testing.T) {
	w := newWorld(t)
	old := w.add("rules.md", "A hotel in a large town may cost 90 euros. Hotels are booked by the office.\n")
	current := w.add("all journeys.md", "By decision of the board, for a hotel in a large town the office pays up to 120 euros a night, and for meals 40.\n")
	w.drain(w.worker)
	first := func(question string) assistants.DocumentID {
		t.Helper()
		res, err := retrieval.New(w.index, w.store, retrieval.Options{Names: w.store}).Retrieve(t.Context(), retrieval.Query{
			Tenant: assistants.DefaultTenant, Collections: []assistants.CollectionID{w.collection}, Text: question, TopK: 5, Threshold: 0.1, Mode: assistants.SearchFullText,
		})
		w.must(err)
		if len(res.Hits) == 0 {
			t.Fatal("nothing was found")
		}
		return res.Hits[0].Document.ID
	}
	const question = "What may hotels in a large town cost that are booked?"
	if first(question) != old.ID {
		t.Fatal("the old document does not fit better, so this proves nothing")
	}
	_, err := w.store.UpdateDocument(t.Context(), assistants.DefaultTenant, current.ID, func(d *assistants.Document) error {
		d.Supersedes = old.ID
		return nil
	})
	w.must(err)
	if first(question) != current.ID {
		t.Error("the superseded document is first")
	}
	if first("What might hotels in a large town cost that were booked by the previous rules?") != old.ID {
		t.Error("the superseded document is not first, although the question asks for it")
	}
	w.must(w.store.DeleteDocument(t.Context(), assistants.DefaultTenant, current.ID))
	w.drain(w.worker)
	if first(question) != old.ID {
		t.Error("a document that is gone still supersedes")
	}
}
