package db

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"footnote/assistants"
)

const (
	listedDocuments = 10_000
	listedKeys      = 1_000
)

// BenchmarkLists measures pages of a hundred out of 10,000 documents and 1,000
// keys on SQLite, and reports the 95th percentile.
func BenchmarkLists(b *testing.B) {
	s, collection := listStore(b)
	last := func(l assistants.List) assistants.List { // the page before the last
		for l.Limit = 1000; ; {
			p, err := s.FindDocuments(b.Context(), "t", collection, assistants.DocumentQuery{}, l)
			if err != nil {
				b.Fatal(err)
			}
			if p.Next == "" {
				l.Limit = 100
				return l
			}
			l.Cursor = p.Next
		}
	}
	documents := func(q assistants.DocumentQuery, l assistants.List) func() error {
		return func() error {
			_, err := s.FindDocuments(b.Context(), "t", collection, q, l)
			return err
		}
	}
	byName, bySize := assistants.List{Sort: assistants.SortName}, assistants.List{Sort: assistants.SortBytes, Descending: true}
	rare := assistants.DocumentQuery{Name: "ÜBERSICHT 9999"}
	for _, c := range []struct {
		name string
		list func() error
	}{
		{"documents/first", documents(assistants.DocumentQuery{}, assistants.List{})},
		{"documents/first-counted", documents(assistants.DocumentQuery{}, assistants.List{Count: true})},
		{"documents/last", documents(assistants.DocumentQuery{}, last(assistants.List{}))},
		{"documents/by-name-last", documents(assistants.DocumentQuery{}, last(byName))},
		{"documents/by-size", documents(assistants.DocumentQuery{}, bySize)},
		{"documents/by-size-last", documents(assistants.DocumentQuery{}, last(bySize))},
		{"documents/rare-name", documents(rare, assistants.List{})},
		{"documents/rare-name-counted", documents(rare, assistants.List{Count: true})},
		{"documents/rare-name-by-name", documents(rare, byName)},
		{"documents/common-name-counted", documents(assistants.DocumentQuery{Name: "über"}, assistants.List{Count: true})},
		{"documents/label-counted", documents(assistants.DocumentQuery{Labels: []string{"label 7"}}, assistants.List{Count: true})},
		{"documents/label-tag-state-name-counted", documents(assistants.DocumentQuery{
			Labels: []string{"label 7"}, Tags: []assistants.Tag{{Key: "year", Value: "2026"}}, Statuses: []assistants.Status{assistants.StatusPending}, Name: "9",
		}, assistants.List{Count: true, Sort: assistants.SortBytes})},
		{"keys/active-counted", func() error {
			_, err := s.FindKeys(b.Context(), "t", assistants.KeyQuery{State: assistants.KeyActive}, assistants.List{Count: true})
			return err
		}},
		{"keys/expired-counted", func() error {
			_, err := s.FindKeys(b.Context(), "t", assistants.KeyQuery{State: assistants.KeyExpired}, assistants.List{Count: true})
			return err
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				if err := c.list(); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}

func listStore(tb testing.TB) (*Store, assistants.CollectionID) {
	tb.Helper()
	s, err := Open(tb.Context(), "sqlite:"+filepath.Join(tb.TempDir(), "footnote.db"), Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	a := assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: "t", Slug: "a", Name: "A", CollectionID: assistants.NewCollectionID(),
		Settings: assistants.DefaultSettings(),
	}
	if _, err = s.Migrate(tb.Context()); err == nil {
		err = s.CreateAssistant(tb.Context(), a)
	}
	if err != nil {
		tb.Fatal(err)
	}
	var docs []documentRow
	var files []versionRow
	start := s.stamp()
	for i := range listedDocuments {
		d := s.firstVersion(assistants.Document{
			ID: assistants.NewDocumentID(), TenantID: "t", CollectionID: a.CollectionID,
			Name: fmt.Sprintf("Quarterly Übersicht %d of the department.pdf", i), Labels: []string{"all", fmt.Sprint("label ", i%100)},
			Tags:      map[string]string{"year": fmt.Sprint(2020 + i%7), "language": "de"},
			CreatedAt: start.Add(time.Duration(i) * time.Millisecond),
			Version:   assistants.Version{BlobKey: fmt.Sprint("t/", i), SHA256: fmt.Sprintf("%064d", i), Bytes: int64(i * 7919 % 1_000_003), ContentType: "application/pdf"},
		})
		docs, files = append(docs, newDocumentRow(d)), append(files, newVersionRow("t", d.Version))
	}
	var keys []keyRow
	for i := range listedKeys {
		k := keyRow{
			ID: assistants.NewKeyID(), TenantID: "t", Name: fmt.Sprint("key ", i), Prefix: fmt.Sprint("fn-", i), KeyHash: fmt.Sprintf("%064d", i),
			Scopes: []assistants.Scope{assistants.ScopeChat}, CreatedAt: start,
		}
		if i%3 == 0 {
			k.ExpiresAt = &start
		}
		keys = append(keys, k)
	}
	for _, rows := range []any{docs, files, keys} {
		if err := s.gorm.CreateInBatches(rows, insertBatch).Error; err != nil {
			tb.Fatal(err)
		}
	}
	return s, a.CollectionID
}
