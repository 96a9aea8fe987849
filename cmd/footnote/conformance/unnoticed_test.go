package conformance

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestWithoutDocumentsNobodyNoticesFootnote asks everything twice, of a model
// server and of one behind an assistant that has nothing to add. Each client
// shows the same, and each request arrives as the same bytes.
func TestWithoutDocumentsNobodyNoticesFootnote(t *testing.T) {
	w := startWorld(t)
	bare := startModelServer(t)
	t.Run("clients", func(t *testing.T) {
		for name, k := range chosen(clients) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				want := k.prepare(t, w.at(bare.baseURL()))("answers")
				got := k.prepare(t, w.at(w.assistantURL("plain")))("answers")
				if len(want) == 0 || len(got) != len(want) {
					t.Fatalf("%d results through Footnote, %d without", len(got), len(want))
				}
				for _, scenario := range names(want) {
					if strings.HasPrefix(scenario, "converted/") {
						continue // without Footnote, clients show nothing of what they did not ask for
					}
					if !reflect.DeepEqual(got[scenario], want[scenario]) {
						t.Errorf("%s: the client shows\n%+v\nwithout Footnote\n%+v", scenario, got[scenario], want[scenario])
					}
				}
			})
		}
	})
	checkSameRequests(t, w.upstream, bare)
}

// checkSameRequests compares every request's bytes, and the headers that a model
// server may look at.
func checkSameRequests(t *testing.T, through, bare *modelServer) {
	t.Helper()
	if len(bare.asked) == 0 || len(through.asked) != len(bare.asked) {
		t.Errorf("%d models were asked through Footnote, %d without", len(through.asked), len(bare.asked))
	}
	for _, model := range slices.Sorted(maps.Keys(bare.asked)) {
		got, want := through.requests(model), bare.requests(model)
		if len(got) != 1 || len(want) != 1 {
			t.Errorf("%s: asked %d times through Footnote, %d times without", model, len(got), len(want))
			continue
		}
		if !bytes.Equal(got[0].body, want[0].body) {
			t.Errorf("%s: the model server got\n%s\nthe client sent\n%s", model, got[0].body, want[0].body)
		}
		if kind := got[0].header.Get("Content-Type"); kind != "application/json" {
			t.Errorf("%s: the request came as %q", model, kind)
		}
		if auth := got[0].header.Get("Authorization"); auth != "Bearer "+upstreamKey {
			t.Errorf("%s: the model server got the key %q", model, auth)
		}
	}
}
