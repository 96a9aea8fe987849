package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSpliceAddsMembersAtTheEnd(t *testing.T) {
	cit := Member{"citations", []byte(`{"status":"cited"}`)}
	ret := Member{"retrieval", []byte(`{"duration_ms":1.5}`)}
	for _, c := range []struct {
		name, body string
		members    []Member
		want       string
	}{
		{"one member", `{"a":1}`, []Member{cit}, `{"a":1,"citations":{"status":"cited"}}`},
		{"two members in order", `{"a":1}`, []Member{cit, ret}, `{"a":1,"citations":{"status":"cited"},"retrieval":{"duration_ms":1.5}}`},
		{"no member", `{"a":1} `, nil, `{"a":1} `},
		{"an empty object", `{}`, []Member{cit}, `{"citations":{"status":"cited"}}`},
		{"an empty object with a space", `{ }`, []Member{cit, ret}, `{"citations":{"status":"cited"},"retrieval":{"duration_ms":1.5} }`},
		{"white space at the end stays", "{\"a\":1\n}\r\n \n", []Member{cit}, "{\"a\":1,\"citations\":{\"status\":\"cited\"}\n}\r\n \n"},
		{"white space at the start stays", "\n\t {\"a\":1}", []Member{cit}, "\n\t {\"a\":1,\"citations\":{\"status\":\"cited\"}}"},
		{"a list as the last value", `{"a":[{}]}`, []Member{ret}, `{"a":[{}],"retrieval":{"duration_ms":1.5}}`},
		{"braces in the last string", `{"a":"}}"}`, []Member{ret}, `{"a":"}}","retrieval":{"duration_ms":1.5}}`},
		{"a key that needs escapes", `{"a":1}`, []Member{{`q"`, []byte("1")}}, `{"a":1,"q\"":1}`},
		{"the upstream's citations give way", `{"citations":["u"],"a":1}`, []Member{cit}, `{"upstream_citations":["u"],"a":1,"citations":{"status":"cited"}}`},
		{"wherever they stand", `{"a":1, "citations" : ["u"]}`, []Member{cit}, `{"a":1, "upstream_citations" : ["u"],"citations":{"status":"cited"}}`},
		{"escaped as well", `{"cit\u0061tions":1}`, []Member{cit}, `{"upstream_cit\u0061tions":1,"citations":{"status":"cited"}}`},
		{"the upstream's retrieval gives way", `{"retrieval":1}`, []Member{ret}, `{"upstream_retrieval":1,"retrieval":{"duration_ms":1.5}}`},
		{"only what is added takes a name", `{"retrieval":1}`, []Member{cit}, `{"retrieval":1,"citations":{"status":"cited"}}`},
		{"behind another Footnote", `{"citations":1,"upstream_citations":2}`, []Member{cit}, `{"upstream_citations":1,"upstream_upstream_citations":2,"citations":{"status":"cited"}}`},
		{"upstream_citations alone stay", `{"upstream_citations":2}`, []Member{cit}, `{"upstream_citations":2,"citations":{"status":"cited"}}`},
		{"citations further in stay", `{"choices":[{"citations":1,"message":{"citations":2}}]}`, []Member{cit}, `{"choices":[{"citations":1,"message":{"citations":2}}],"citations":{"status":"cited"}}`},
		{"other cases stay", `{"Citations":1}`, []Member{cit}, `{"Citations":1,"citations":{"status":"cited"}}`},
		{"double citations give way together", `{"citations":1,"citations":2}`, []Member{cit}, `{"upstream_citations":1,"upstream_citations":2,"citations":{"status":"cited"}}`},
		{"a list is returned as it is", `[1]`, []Member{cit}, `[1]`},
		{"nothing is returned as it is", ``, []Member{cit}, ``},
		{"broken JSON is returned as it is", `{"a":1`, []Member{cit}, `{"a":1`},
		{"words after it are returned as they are", `{"a":1} x`, []Member{cit}, `{"a":1} x`},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := []byte(c.body)
			if got := string(Splice(nil, body, c.members...)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if string(body) != c.body {
				t.Errorf("the body itself was changed to %s", body)
			}
		})
	}
}

// unsplice takes the spliced text out again.
func unsplice(t testing.TB, body []byte, text string) string {
	t.Helper()
	if bytes.Count(body, []byte(text)) != 1 {
		t.Fatalf("%s does not hold %s once", body, text)
	}
	return strings.Replace(string(body), text, "", 1)
}

func TestTakingTheSplicedMemberOutRestoresTheBytes(t *testing.T) {
	all := corpus(t, "responses")
	for name, stream := range corpus(t, "streams") {
		for _, f := range frames(stream) {
			all[name+" "+string(f)] = f
		}
	}
	for name, body := range all {
		got := Splice(nil, body, Member{"footnote_test", []byte(`[{"a":"}"}]`)})
		if back := unsplice(t, got, `,"footnote_test":[{"a":"}"}]`); back != string(body) {
			t.Errorf("%s: got %s", name, got)
		}
		v, want := decode(t, got).(object), decode(t, body).(object)
		delete(v, "footnote_test")
		if len(v) != len(want) {
			t.Errorf("%s: a member was lost or added: %s", name, got)
		}
	}
}

func TestAnnotationsAreAdded(t *testing.T) {
	const ours = `[{"type":"url_citation","n":1},{"n":2}]`
	const inner = `{"type":"url_citation","n":1},{"n":2}`
	for _, c := range []struct {
		name   string
		body   string
		choice int
		delta  bool
		want   string
	}{
		{"to a message without any", `{"choices":[{"index":0,"message":{"content":"x" }}]}`, 0, false, `{"choices":[{"index":0,"message":{"content":"x","annotations":[` + inner + `] }}]}`},
		{"after the upstream's own", `{"choices":[{"message":{"annotations":[{"u":1} ],"content":"x"}}]}`, 0, false, `{"choices":[{"message":{"annotations":[{"u":1},` + inner + ` ],"content":"x"}}]}`},
		{"to an empty list", `{"choices":[{"message":{"annotations":[ ]}}]}`, 0, false, `{"choices":[{"message":{"annotations":[` + inner + ` ]}}]}`},
		{"in place of null", `{"choices":[{"message":{"annotations":null}}]}`, 0, false, `{"choices":[{"message":{"annotations":[` + inner + `]}}]}`},
		{"to an empty message", `{"choices":[{"message":{}}]}`, 0, false, `{"choices":[{"message":{"annotations":[` + inner + `]}}]}`},
		{"to an empty delta", `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, 0, true, `{"choices":[{"index":0,"delta":{"annotations":[` + inner + `]},"finish_reason":"stop"}]}`},
		{"to a null delta", `{"choices":[{"index":0,"delta":null}]}`, 0, true, `{"choices":[{"index":0,"delta":{"annotations":[` + inner + `]}}]}`},
		{"to a missing delta", `{"choices":[{"index":0,"finish_reason":"stop"}]}`, 0, true, `{"choices":[{"index":0,"finish_reason":"stop","delta":{"annotations":[` + inner + `]}}]}`},
		{"to the choice with that index", `{"choices":[{"index":1,"message":{"a":1}},{"index":0,"message":{"b":1}}]}`, 0, false, `{"choices":[{"index":1,"message":{"a":1}},{"index":0,"message":{"b":1,"annotations":[` + inner + `]}}]}`},
		{"to the choice at that place", `{"choices":[{"message":{"a":1}},{"message":{"b":1}}]}`, 1, false, `{"choices":[{"message":{"a":1}},{"message":{"b":1,"annotations":[` + inner + `]}}]}`},
		{"not to a choice that is not there", `{"choices":[{"index":0,"message":{}}]}`, 1, false, `{"choices":[{"index":0,"message":{}}]}`},
		{"not to the message when the delta is meant", `{"choices":[{"message":{},"delta":{}}]}`, 0, true, `{"choices":[{"message":{},"delta":{"annotations":[` + inner + `]}}]}`},
		{"not to annotations of another kind", `{"choices":[{"message":{"annotations":{"a":1}}}]}`, 0, false, `{"choices":[{"message":{"annotations":{"a":1}}}]}`},
		{"not to a message that is a string", `{"choices":[{"message":"x"}]}`, 0, false, `{"choices":[{"message":"x"}]}`},
		{"not without choices", `{"choices":[]}`, 0, false, `{"choices":[]}`},
		{"not to broken JSON", `{"choices":[{"message":{}}]`, 0, false, `{"choices":[{"message":{}}]`},
		{"choices that are no objects are passed over", `{"choices":[null,{"message":{}}]}`, 0, false, `{"choices":[null,{"message":{"annotations":[` + inner + `]}}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(AddAnnotations([]byte(c.body), c.choice, []byte(ours), c.delta)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestNoAnnotationsChangeNothing(t *testing.T) {
	const body = `{"choices":[{"message":{"content":"x"}}]}`
	for _, none := range []string{"", "[]", " [ ] ", "null", "{}", "[1", "x"} {
		if got := string(AddAnnotations([]byte(body), 0, []byte(none), false)); got != body {
			t.Errorf("%q: got %s", none, got)
		}
	}
}

func TestAnnotationsAndMembersCombine(t *testing.T) {
	for name, body := range corpus(t, "responses") {
		r, err := ReadResponse(body)
		if err != nil {
			t.Fatal(err)
		}
		got := body
		for _, c := range r.Choices() {
			got = AddAnnotations(got, c.Index, []byte(`[{"mark":true}]`), false)
		}
		got = Splice(nil, got, Member{"citations", []byte("{}")})
		v := decode(t, got)
		for i := range r.Choices() {
			list, _ := at(v, "choices", i, "message", "annotations").([]any)
			if len(list) == 0 || at(list[len(list)-1], "mark") != true {
				t.Errorf("%s: choice %d has no annotation of ours last: %s", name, i, got)
			}
		}
		if _, ok := at(v, "citations").(object); !ok {
			t.Errorf("%s: no citations: %s", name, got)
		}
		if old := at(decode(t, body), "citations"); old != nil && at(v, "upstream_citations") == nil {
			t.Errorf("%s: the upstream's citations are lost: %s", name, got)
		}
	}
}

// A hostile answer repeats the keys that we add, or has a long chain of those
// that give way. The work grows with its size, which a square would not survive.
func TestSplicingAHostileAnswerIsLinear(t *testing.T) {
	members := []Member{{"citations", []byte("1")}, {"retrieval", []byte("2")}}
	repeated := `{"a":0` + strings.Repeat(`,"citations":0,"retrieval":0`, 200_000) + `}`
	if got := string(Splice(nil, []byte(repeated), members...)); strings.Count(got, `"upstream_citations":0`) != 200_000 || !json.Valid([]byte(got)) || !strings.HasSuffix(got, `,"citations":1,"retrieval":2}`) {
		t.Errorf("%d bytes", len(got))
	}
	var chain strings.Builder
	for n := range 800 {
		fmt.Fprintf(&chain, `"%scitations":0,`, strings.Repeat("upstream_", n))
	}
	chained := `{` + chain.String() + strings.Repeat(`"other":0,`, 600_000) + `"a":0}`
	got := string(Splice(nil, []byte(chained), members...))
	if !strings.HasPrefix(got, `{"upstream_citations":0,"upstream_upstream_citations":0,`) || !strings.HasSuffix(got, `,"citations":1,"retrieval":2}`) {
		t.Errorf("%.80s", got)
	}
}

func TestSplicesAreOrderedByPlaceHoweverTheyCome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		starts := rapid.SliceOfN(rapid.IntRange(0, 30), 0, 80).Draw(t, "starts")
		all := make([]splice, len(starts))
		for i, start := range starts {
			all[i] = splice{at: span{start, start + i%2}, plain: fmt.Sprint(i)}
		}
		want := slices.Clone(all)
		slices.SortStableFunc(want, byPlace)
		order(all)
		if !reflect.DeepEqual(all, want) {
			t.Fatalf("%v\nwant %v", all, want)
		}
	})
}
