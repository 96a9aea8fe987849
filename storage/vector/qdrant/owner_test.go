package qdrant

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/qdrant/go-client/qdrant"

	"footnote/assistants"
	"footnote/storage/vector/qdranttest"
	"footnote/storage/vector/vectortest"
)

func openAs(t testing.TB, s *qdranttest.Server, installation string, lost func()) *Index {
	t.Helper()
	x, err := Open(Options{Host: s.Host, Port: s.Port, Log: slog.New(slog.DiscardHandler), Installation: installation, Lost: lost})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// Another installation on the same collections would remove this one's documents.
func TestTheCollectionsOfAnotherInstallationAreRefused(t *testing.T) {
	s := qdranttest.New(t)
	mine := openAs(t, s, "mine", nil)
	applied(t, mine, "c", "doc1", "words of mine")
	before := map[string]int{}
	for _, name := range s.Collections() {
		before[name] = s.Points(name)
	}
	theirs := openAs(t, s, "theirs", nil)
	_, err := theirs.Versions(t.Context())
	if !errors.Is(err, assistants.ErrConflict) || !strings.Contains(err.Error(), "collection_prefix") {
		t.Errorf("versions: %v", err)
	}
	if err := theirs.Apply(t.Context(), vectortest.Doc("c", "doc2", "name.md"), 1, vectortest.Points("doc2", 1, "words")); !errors.Is(err, assistants.ErrConflict) {
		t.Errorf("apply: %v", err)
	}
	if err := theirs.Remove(t.Context(), "doc1"); !errors.Is(err, assistants.ErrConflict) {
		t.Errorf("remove: %v", err)
	}
	if _, err := Inspect(t.Context(), Options{Host: s.Host, Port: s.Port, Installation: "theirs"}); !errors.Is(err, assistants.ErrConflict) {
		t.Errorf("inspect: %v", err)
	}
	for name, points := range before {
		if s.Points(name) != points {
			t.Errorf("%s has %d points, had %d", name, s.Points(name), points)
		}
	}
	again := openAs(t, s, "mine", nil)
	if have, err := again.Versions(t.Context()); err != nil || len(have) != 1 {
		t.Errorf("%v, %v", have, err)
	}
}

// Looking changes nothing, not even what can be tidied up.
func TestInspectionChangesNothing(t *testing.T) {
	s := qdranttest.New(t)
	opt := Options{Host: s.Host, Port: s.Port, Log: slog.New(slog.DiscardHandler), Installation: "mine"}
	if have, err := Inspect(t.Context(), opt); err != nil || len(have) != 0 || len(s.Collections()) != 0 {
		t.Errorf("an empty server: %v, %v, collections %v", have, err, s.Collections())
	}
	applied(t, openAs(t, s, "mine", nil), "c", "doc1", "words")
	s.Lose("footnote_documents", func(p map[string]*qdrant.Value) bool { return p["document"].GetStringValue() == "doc1" }) // its words are strays now
	writes := func() int {
		n := 0
		for _, method := range []string{"Upsert", "Delete", "Create", "CreateFieldIndex", "SetPayload", "DeletePayload"} {
			n += s.Calls(method)
		}
		return n
	}
	before := writes()
	if have, err := Inspect(t.Context(), opt); err != nil || len(have) != 0 || writes() != before {
		t.Errorf("%v, %v, %d writes", have, err, writes()-before)
	}
}
