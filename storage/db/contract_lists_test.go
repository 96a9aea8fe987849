package db_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// addMarked adds a document with labels and tags.
func addMarked(t *testing.T, s contract, a assistants.Assistant, name string, labels []string, tags map[string]string) assistants.Document {
	t.Helper()
	d := newDocument(a, name, name+strings.Repeat("x", len(name)))
	d.Labels, d.Tags = labels, tags
	d, _, err := s.CreateDocument(t.Context(), d)
	must(t, err)
	return d
}

// namesFound pages through what a query selects and returns the names. The total
// of each page must be their number.
func namesFound(t *testing.T, s contract, a assistants.Assistant, q assistants.DocumentQuery, l assistants.List) []string {
	t.Helper()
	names := []string{}
	for l.Count = true; ; {
		p, err := s.FindDocuments(t.Context(), a.TenantID, a.CollectionID, q, l)
		must(t, err)
		for _, d := range p.Items {
			names = append(names, d.Name)
		}
		if l.Cursor = p.Next; l.Cursor == "" {
			if p.Total != len(names) {
				t.Errorf("%+v: a total of %d and %d items", q, p.Total, len(names))
			}
			return names
		}
	}
}

var listTests = map[string]func(*testing.T, contract){
	"documents are found by a part of their name in any script and case": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		for _, name := range []string{"Jahresbericht STRASSE.pdf", "ÉTÉ à Paris", "ΟΔΥΣΣΕΥΣ", "100% of_it", "日本語の報告", "Отчёт"} {
			addDocument(t, s, a, name, name)
		}
		for part, want := range map[string][]string{
			"straße": {"Jahresbericht STRASSE.pdf"}, "BERICHT": {"Jahresbericht STRASSE.pdf"}, "été À": {"ÉTÉ à Paris"},
			"e\u0301te\u0301": {"ÉTÉ à Paris"}, // accents of their own
			"οδυσσευς":        {"ΟΔΥΣΣΕΥΣ"}, "0% OF_": {"100% of_it"}, "%": {"100% of_it"}, "_": {"100% of_it"},
			"報告": {"日本語の報告"}, "ОТЧЁТ": {"Отчёт"}, "nowhere": {}, "ete": {},
		} {
			if got := namesFound(t, s, a, assistants.DocumentQuery{Name: part}, assistants.List{}); !slices.Equal(got, want) {
				t.Errorf("%q finds %q, want %q", part, got, want)
			}
		}
		d := addDocument(t, s, a, "old name", "renamed")
		_, err := s.UpdateDocument(t.Context(), tenant, d.ID, func(d *assistants.Document) error { d.Name = "Änderung"; return nil })
		must(t, err)
		if got := namesFound(t, s, a, assistants.DocumentQuery{Name: "ÄNDER"}, assistants.List{}); len(got) != 1 {
			t.Errorf("a renamed document: %q", got)
		}
		if got := namesFound(t, s, a, assistants.DocumentQuery{Name: "old"}, assistants.List{}); len(got) != 0 {
			t.Errorf("the former name finds %q", got)
		}
	},

	"documents are found by whole labels and tags, and by state": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		addMarked(t, s, a, "plain", nil, nil)
		addMarked(t, s, a, "hr", []string{"hr", "2026"}, map[string]string{"year": "2026"})
		addMarked(t, s, a, "HR", []string{"HR"}, map[string]string{"year": "20", "a:b": "c"})
		odd := addMarked(t, s, a, "odd", []string{`,`, `"`, `a","b`, `<&>`, "%"}, map[string]string{"k": "", `"`: `":"`})
		publish(t, s, odd, 1, "some text")
		for _, c := range []struct {
			q    assistants.DocumentQuery
			want []string
		}{
			{assistants.DocumentQuery{Labels: []string{"hr"}}, []string{"hr"}},
			{assistants.DocumentQuery{Labels: []string{"HR"}}, []string{"HR"}},
			{assistants.DocumentQuery{Labels: []string{"h"}}, []string{}},
			{assistants.DocumentQuery{Labels: []string{"hr", "2026"}}, []string{"hr"}},
			{assistants.DocumentQuery{Labels: []string{"hr", "HR"}}, []string{}},
			{assistants.DocumentQuery{Labels: []string{","}}, []string{"odd"}},
			{assistants.DocumentQuery{Labels: []string{`"`}}, []string{"odd"}},
			{assistants.DocumentQuery{Labels: []string{"a"}}, []string{}},
			{assistants.DocumentQuery{Labels: []string{"<&>"}}, []string{"odd"}},
			{assistants.DocumentQuery{Labels: []string{"year"}}, []string{}},
			{assistants.DocumentQuery{Tags: []assistants.Tag{{Key: "year", Value: "2026"}}}, []string{"hr"}},
			{assistants.DocumentQuery{Tags: []assistants.Tag{{Key: "year", Value: "20"}}}, []string{"HR"}},
			{assistants.DocumentQuery{Tags: []assistants.Tag{{Key: "k"}}}, []string{"odd"}},
			{assistants.DocumentQuery{Tags: []assistants.Tag{{Key: `"`, Value: `":"`}}}, []string{"odd"}},
			{assistants.DocumentQuery{Tags: []assistants.Tag{{Key: "a:b", Value: "c"}}}, []string{"HR"}},
			{assistants.DocumentQuery{Statuses: []assistants.Status{assistants.StatusReady}}, []string{"odd"}},
			{assistants.DocumentQuery{Statuses: []assistants.Status{assistants.StatusReady, assistants.StatusPending}, Name: "h"}, []string{"hr", "HR"}},
			{assistants.DocumentQuery{Statuses: []assistants.Status{assistants.StatusFailed}}, []string{}},
		} {
			if got := namesFound(t, s, a, c.q, assistants.List{}); !slices.Equal(got, c.want) {
				t.Errorf("%+v finds %q, want %q", c.q, got, c.want)
			}
		}
		_, err := s.UpdateDocument(t.Context(), tenant, odd.ID, func(d *assistants.Document) error { d.Labels = []string{"new"}; return nil })
		must(t, err)
		if got := namesFound(t, s, a, assistants.DocumentQuery{Labels: []string{"new"}}, assistants.List{}); !slices.Equal(got, []string{"odd"}) {
			t.Errorf("a new label finds %q", got)
		}
	},

	"documents are listed in each order, both ways": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		for i, name := range []string{"beta", "Alpha", "gamma delta", "ähre", "BETA"} {
			d := newDocument(a, name, strings.Repeat("x", 7-i))
			d.CreatedAt = birth.Add(time.Duration(i/2) * time.Hour)
			_, _, err := s.CreateDocument(t.Context(), d)
			must(t, err)
		}
		same := func(names []string) []string { // beta and BETA have one place, in the order of their ids
			return strings.Fields(strings.ToLower(strings.ReplaceAll(strings.Join(names, "\n"), " ", "-")))
		}
		for _, c := range []struct {
			sort assistants.Sort
			want []string
		}{
			{assistants.SortName, []string{"alpha", "beta", "beta", "gamma-delta", "ähre"}},
			{assistants.SortBytes, []string{"beta", "ähre", "gamma-delta", "alpha", "beta"}},
		} {
			for _, limit := range []int{1, 2, 5} {
				if got := same(namesFound(t, s, a, assistants.DocumentQuery{}, assistants.List{Limit: limit, Sort: c.sort})); !slices.Equal(got, c.want) {
					t.Errorf("by %s in pages of %d: %q", c.sort, limit, got)
				}
				back := slices.Clone(c.want)
				slices.Reverse(back)
				if got := same(namesFound(t, s, a, assistants.DocumentQuery{}, assistants.List{Limit: limit, Sort: c.sort, Descending: true})); !slices.Equal(got, back) {
					t.Errorf("by -%s in pages of %d: %q", c.sort, limit, got)
				}
			}
		}
		up := namesFound(t, s, a, assistants.DocumentQuery{}, assistants.List{Limit: 2})
		down := namesFound(t, s, a, assistants.DocumentQuery{}, assistants.List{Limit: 2, Descending: true})
		slices.Reverse(down)
		if len(up) != 5 || !slices.Equal(up, down) || up[4] != "BETA" {
			t.Errorf("by creation %q, and backwards %q", up, down)
		}
	},

	"a cursor neither skips nor repeats when documents come and go": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		docs := map[string]assistants.Document{}
		for i := range 6 {
			name := fmt.Sprintf("m%02d", i*2)
			docs[name] = addDocument(t, s, a, name, name)
		}
		l := assistants.List{Limit: 2, Sort: assistants.SortName}
		first, err := s.FindDocuments(t.Context(), tenant, a.CollectionID, assistants.DocumentQuery{Name: "m"}, l)
		must(t, err)
		// The last item of the page is deleted, one is added before it and one behind it.
		must(t, s.DeleteDocument(t.Context(), tenant, docs["m02"].ID))
		addDocument(t, s, a, "m01", "m01")
		addDocument(t, s, a, "m03", "m03")
		l.Cursor = first.Next
		if got := namesFound(t, s, a, assistants.DocumentQuery{Name: "m"}, assistants.List{Limit: 100, Sort: assistants.SortName}); len(got) != 7 {
			t.Errorf("all: %q", got)
		}
		var rest []string
		for l.Cursor != "" {
			p, err := s.FindDocuments(t.Context(), tenant, a.CollectionID, assistants.DocumentQuery{Name: "m"}, l)
			must(t, err)
			for _, d := range p.Items {
				rest = append(rest, d.Name)
			}
			l.Cursor = p.Next
		}
		if !slices.Equal(rest, []string{"m03", "m04", "m06", "m08", "m10"}) {
			t.Errorf("the rest is %q", rest)
		}
	},

	"a cursor of another order, filter or list is refused": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		for _, name := range []string{"one", "two", "one and two"} {
			addDocument(t, s, a, name, name)
			addDocument(t, s, b, name, name)
		}
		q := assistants.DocumentQuery{Name: "o"}
		first, err := s.FindDocuments(t.Context(), tenant, a.CollectionID, q, assistants.List{Limit: 1})
		must(t, err)
		refused := func(what string, err error) {
			t.Helper()
			var field *assistants.FieldError
			if !errors.As(err, &field) || field.Field != "cursor" {
				t.Errorf("%s: %v", what, err)
			}
		}
		l := assistants.List{Limit: 1, Cursor: first.Next}
		refused("another filter", errorOf(s.FindDocuments(t.Context(), tenant, a.CollectionID, assistants.DocumentQuery{}, l)))
		refused("another collection", errorOf(s.FindDocuments(t.Context(), tenant, b.CollectionID, q, l)))
		refused("keys", errorOf(s.FindKeys(t.Context(), tenant, assistants.KeyQuery{}, l)))
		refused("assistants", errorOf(s.FindAssistants(t.Context(), tenant, assistants.AssistantQuery{}, l)))
		for _, change := range []func(*assistants.List){
			func(l *assistants.List) { l.Sort = assistants.SortName },
			func(l *assistants.List) { l.Descending = true },
			func(l *assistants.List) { l.Cursor += "A" },
			func(l *assistants.List) { l.Cursor = l.Cursor[4:] },
			func(l *assistants.List) { l.Cursor = "x" },
		} {
			changed := l
			change(&changed)
			if _, err := s.FindDocuments(t.Context(), tenant, a.CollectionID, q, changed); err == nil || !errors.Is(err, assistants.ErrInvalid) {
				t.Errorf("%+v: %v", changed, err)
			}
		}
		l.Limit = 2 // the size of a page may change
		if p, err := s.FindDocuments(t.Context(), tenant, a.CollectionID, q, l); err != nil || len(p.Items) != 2 {
			t.Errorf("%+v, %v", p, err)
		}
	},

	"keys are listed by state": func(t *testing.T, s contract) {
		past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		for name, change := range map[string]func(*assistants.Key){
			"fn-plain":   func(*assistants.Key) {},
			"fn-lasting": func(k *assistants.Key) { k.ExpiresAt = &future },
			"fn-expired": func(k *assistants.Key) { k.ExpiresAt = &past },
			"fn-revoked": func(k *assistants.Key) { k.RevokedAt = &past },
			"fn-both":    func(k *assistants.Key) { k.RevokedAt, k.ExpiresAt = &past, &past },
		} {
			k := newKey(tenant, name)
			change(&k)
			must(t, s.CreateKey(t.Context(), k))
		}
		for state, want := range map[assistants.KeyState]string{
			assistants.KeyActive: "fn-lasting fn-plain", assistants.KeyExpired: "fn-expired", assistants.KeyRevoked: "fn-both fn-revoked",
			"": "fn-both fn-expired fn-lasting fn-plain fn-revoked",
		} {
			var got []string
			for l := (assistants.List{Limit: 1, Count: true}); ; {
				p, err := s.FindKeys(t.Context(), tenant, assistants.KeyQuery{State: state}, l)
				must(t, err)
				for _, k := range p.Items {
					got = append(got, k.Prefix)
				}
				if p.Total != len(strings.Fields(want)) {
					t.Errorf("%s: a total of %d", state, p.Total)
				}
				if l.Cursor = p.Next; l.Cursor == "" {
					break
				}
			}
			if slices.Sort(got); strings.Join(got, " ") != want {
				t.Errorf("%s: %q", state, got)
			}
		}
	},

	"assistants are found by a part of their name": func(t *testing.T, s contract) {
		for _, slug := range []string{"one", "two"} {
			addAssistant(t, s, tenant, slug)
		}
		_, err := s.UpdateAssistant(t.Context(), tenant, "two", func(a *assistants.Assistant) error { a.Name = "ÜBERSICHT"; return nil })
		must(t, err)
		for part, want := range map[string]string{"über": "two", "assistant O": "one", "": "one two"} {
			p, err := s.FindAssistants(t.Context(), tenant, assistants.AssistantQuery{Name: part}, assistants.List{Count: true})
			must(t, err)
			var got []string
			for _, a := range p.Items {
				got = append(got, a.Slug)
			}
			if slices.Sort(got); strings.Join(got, " ") != want || p.Total != len(got) {
				t.Errorf("%q finds %q, total %d", part, got, p.Total)
			}
		}
	},

	"a deletion or a new file is refused by its condition, and nothing changes": func(t *testing.T, s contract) {
		ctx := t.Context()
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "d", "content")
		k, u := newKey(tenant, "fn-a"), addUpstream(t, s, tenant, "far")
		must(t, s.CreateKey(ctx, k))
		calls := map[string]func(error) error{
			"assistant": func(refusal error) error {
				return s.DeleteAssistantIf(ctx, tenant, "a", func(got assistants.Assistant) error {
					if got.ID != a.ID || got.Name != a.Name || got.Settings.RetrievalTopK != a.Settings.RetrievalTopK {
						t.Errorf("shown: %+v", got)
					}
					return refusal
				})
			},
			"document": func(refusal error) error {
				return s.DeleteDocumentIf(ctx, tenant, d.ID, func(got assistants.Document) error {
					if got.Name != "d" {
						t.Errorf("shown: %+v", got)
					}
					return refusal
				})
			},
			"file": func(refusal error) error {
				_, _, err := s.ReplaceFileIf(ctx, tenant, d.ID, newVersion(tenant, "new"), func(got assistants.Document) error {
					if got.Latest != 1 {
						t.Errorf("shown: %+v", got)
					}
					return refusal
				})
				return err
			},
			"key": func(refusal error) error {
				return s.RevokeKeyIf(ctx, tenant, k.ID, birth, func(got assistants.Key) error {
					if got.RevokedAt != nil || got.Name != k.Name {
						t.Errorf("shown: %+v", got)
					}
					return refusal
				})
			},
			"upstream": func(refusal error) error {
				return s.DeleteUpstreamIf(ctx, tenant, u.ID, func(got assistants.Upstream) error {
					if got.Name != "far" {
						t.Errorf("shown: %+v", got)
					}
					return refusal
				})
			},
		}
		for what, call := range calls {
			wantKind(t, what, call(assistants.ErrStale), assistants.ErrStale)
		}
		if now, err := s.Document(ctx, tenant, d.ID); err != nil || now.Latest != 1 {
			t.Errorf("the document is now %+v, %v", now, err)
		}
		if now, err := s.Key(ctx, tenant, k.ID); err != nil || now.RevokedAt != nil {
			t.Errorf("the key is now %+v, %v", now, err)
		}
		for _, what := range []string{"file", "document", "assistant", "key", "upstream"} {
			if err := calls[what](nil); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		wantKind(t, "the deleted upstream", errorOf(s.Upstream(ctx, tenant, "far")), assistants.ErrNotFound)
		wantKind(t, "the deleted assistant", errorOf(s.Assistant(ctx, tenant, "a")), assistants.ErrNotFound)
	},
}
