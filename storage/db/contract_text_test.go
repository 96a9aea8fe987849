package db_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"footnote/assistants"
)

// names are texts that databases tend to confuse or to change.
var names = []string{
	"Name", "name", "NAME", "Name ", " Name", "Name\u00a0", "Name\u200b",
	"naïve", "nai\u0308ve", "naive", "straße", "strasse", "STRASSE", "ı", "i", "İ",
	"日本語", "👩‍👩‍👧", "👩", "🇩🇪", "ﬁ", "fi", "a\u202eb", "１", "1", "①",
	"%", "_", "a%", "a_", "\\", "'", "\"", "`", "''; DROP TABLE documents; --", "?", "$1", ":name", "@p1", "NULL", "0x41",
	"..", "../../etc/passwd", "..\\x", "CON", "a/", "a/.", "a", "a\tb", "a\r\nb", "\ufeffa", "\ufffd", "\U0010ffff",
	strings.Repeat("é", assistants.MaxName), strings.Repeat("👍", assistants.MaxName), strings.Repeat("e", assistants.MaxName),
}

var textTests = map[string]func(*testing.T, contract){
	"names, paths, labels and tags come back unchanged and stay distinct": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		ids := map[string]assistants.DocumentID{}
		for i, name := range names {
			d := newDocument(a, name, fmt.Sprint("content ", i))
			d.SourcePath, d.Labels, d.Tags = name, []string{name, "x"}, map[string]string{name: name}
			stored, duplicate, err := s.CreateDocument(t.Context(), d)
			if err != nil || duplicate {
				t.Errorf("%q: %v, duplicate %v", name, err, duplicate)
				continue
			}
			ids[name] = stored.ID
		}
		for name, id := range ids {
			got, err := s.DocumentBySourcePath(t.Context(), tenant, a.CollectionID, name)
			if err != nil || got.ID != id || got.Name != name || got.SourcePath != name ||
				!reflect.DeepEqual(got.Labels, []string{name, "x"}) || !reflect.DeepEqual(got.Tags, map[string]string{name: name}) {
				t.Errorf("%q: %+v, %v", name, got, err)
			}
		}
	},

	"an assistant is found by exactly its slug": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "hand-book")
		for _, ref := range []string{"", "Hand-Book", "HAND-BOOK", "hand-book ", " hand-book", "hand_book", "hand%", "%", "hand-boo", string(a.ID) + " ", strings.ToUpper(string(a.ID)), "' OR 1=1 --"} {
			_, err := s.Assistant(t.Context(), tenant, ref)
			wantKind(t, fmt.Sprintf("ref %q", ref), err, assistants.ErrNotFound)
		}
	},

	"names of assistants come back letter by letter": func(t *testing.T, s contract) {
		addAssistant(t, s, tenant, "a")
		for _, name := range names {
			got, err := s.UpdateAssistant(t.Context(), tenant, "a", func(a *assistants.Assistant) error { a.Name = name; return nil })
			if err != nil || got.Name != name {
				t.Errorf("%q: %q, %v", name, got.Name, err)
			}
			if got, err := s.Assistant(t.Context(), tenant, "a"); err != nil || got.Name != name {
				t.Errorf("%q is stored as %q, %v", name, got.Name, err)
			}
		}
	},

	"NUL and broken UTF-8 are refused, as not every database stores them": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "d", "c")
		for _, bad := range []string{"a\x00b", "\x00", "a\xffb", "\xed\xa0\x80"} {
			named, pathed, labelled, tagged := newDocument(a, bad, "1"), newDocument(a, "n", "2"), newDocument(a, "n", "3"), newDocument(a, "n", "4")
			pathed.SourcePath, labelled.Labels, tagged.Tags = bad, []string{bad}, map[string]string{"k": bad}
			for field, doc := range map[string]assistants.Document{"name": named, "source_path": pathed, "labels": labelled, "tags": tagged} {
				_, _, err := s.CreateDocument(t.Context(), doc)
				wantKind(t, fmt.Sprintf("%s %q", field, bad), err, assistants.ErrInvalid)
			}
			assistant, key := newAssistant(tenant, "b"), newKey(tenant, "fn-b")
			assistant.Name, key.Name = bad, bad
			prompted := newAssistant(tenant, "c")
			prompted.Settings.SystemPrompt = bad
			for what, err := range map[string]error{
				"assistant": s.CreateAssistant(t.Context(), assistant),
				"prompt":    s.CreateAssistant(t.Context(), prompted),
				"key":       s.CreateKey(t.Context(), key),
				"rename": errorOf(s.UpdateDocument(t.Context(), tenant, d.ID, func(d *assistants.Document) error {
					d.Name = bad
					return nil
				})),
				"text":  s.SaveVersion(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, "text/plain", assistants.Text{Text: bad}, nil),
				"chunk": s.SaveVersion(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, "text/plain", assistants.Text{}, []assistants.Chunk{{Text: bad}}),
				"heading": s.SaveVersion(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, "text/plain", assistants.Text{},
					[]assistants.Chunk{{Text: "t", HeadingPath: []string{bad}}}),
				"cause": s.SetStatus(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, assistants.StatusFailed, assistants.Progress{}, &assistants.Cause{Code: "x", Message: bad}),
			} {
				wantKind(t, fmt.Sprintf("%s %q", what, bad), err, assistants.ErrInvalid)
			}
		}
		if docs, err := everything(t.Context(), s, a, 10); err != nil || len(docs) != 1 {
			t.Errorf("%d documents, %v", len(docs), err)
		}
	},

	"a long text comes back whole": func(t *testing.T, s contract) {
		d := addDocument(t, s, addAssistant(t, s, tenant, "a"), "d", "c")
		long := strings.Repeat("wörld 👍 ", 200_000)
		text := assistants.Text{Text: long, Runes: len([]rune(long)), Pages: []assistants.Page{{Number: 1, End: 3}}}
		chunk := assistants.Chunk{ID: assistants.NewChunkID(d.ID, 1, 0), Text: long[:100_000]}
		must(t, s.SaveVersion(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, "text/plain", text, []assistants.Chunk{chunk}))
		must(t, s.Publish(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, birth, assistants.StatusReady))
		got, err := s.LiveText(t.Context(), tenant, d.ID)
		if err != nil || !reflect.DeepEqual(got, text) {
			t.Errorf("%d bytes of %d, %v", len(got.Text), len(long), err)
		}
	},
}
