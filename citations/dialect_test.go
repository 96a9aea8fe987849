package citations

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func threeSources() []Source {
	page := 12
	return []Source{
		{DocumentID: "doc_a", DocumentName: "A \"quoted\" name.pdf", Text: "Revenue grew.", ChunkID: "chunk_a", PageNumber: &page, Score: 0.9},
		{DocumentID: "doc_b", DocumentName: "B.md", Text: strings.Repeat("é", 250), ChunkID: "chunk_b", Score: 0.6},
		{DocumentID: "doc_a", DocumentName: "A \"quoted\" name.pdf", Text: "Costs fell.", ChunkID: "chunk_c", ChunkIndex: 7, Score: 0.5},
	}
}

// linked gives every document but doc_b a link.
func linked(s *Set) *Set {
	s.Link(func(id, _ string) (string, bool) {
		if id == "doc_b" {
			return "", true
		}
		return "https://x.test/" + id + "?a=1&b=2", true
	}, always)
	return s
}

func citesOf(s *Set, text string) *Citations {
	t := s.Tracker()
	t.Write(0, text)
	return t.Result()
}

func decodeJSON(t *testing.T, raw []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func TestPerplexityListsEverySourceByItsNumber(t *testing.T) {
	c := citesOf(linked(NewSet(threeSources(), Options{})), "Costs fell [3].")
	if got, want := string(c.URLs()), `["https://x.test/doc_a?a=1&b=2#page=12","","https://x.test/doc_a?a=1&b=2#chunk=7"]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	result := func(where, fragment, snippet string) any {
		return map[string]any{"title": `A "quoted" name.pdf` + where, "url": "https://x.test/doc_a?a=1&b=2" + fragment, "snippet": snippet, "date": nil, "last_updated": nil, "source": "web"}
	}
	if got, want := decodeJSON(t, c.SearchResults()), []any{result(", page 12", "#page=12", "Revenue grew."), result("", "#chunk=7", "Costs fell.")}; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	renumbered := citesOf(linked(NewSet(threeSources(), Options{Renumber: true})), "B says so [2].")
	if got, want := string(renumbered.URLs()), `["","https://x.test/doc_a?a=1&b=2#page=12","https://x.test/doc_a?a=1&b=2#chunk=7"]`; got != want {
		t.Errorf("renumbered: %s", got)
	}
	none := NewSet(nil, Options{}).Tracker().Result()
	if string(none.URLs())+string(none.SearchResults()) != "[][]" {
		t.Errorf("of no sources: %s %s", none.URLs(), none.SearchResults())
	}
}

func TestAzureContext(t *testing.T) {
	for _, c := range []struct {
		numbering Numbering
		whole     bool
		contents  []string
	}{
		{NumberChunks, false, []string{"Revenue grew.", strings.Repeat("é", 200) + "...", "Costs fell."}},
		{NumberChunks, true, []string{"Revenue grew.", strings.Repeat("é", 250), "Costs fell."}},
		{NumberDocuments, false, []string{"Revenue grew.", strings.Repeat("é", 200) + "..."}},
		{NumberDocuments, true, []string{"Revenue grew.\n\nCosts fell.", strings.Repeat("é", 250)}},
	} {
		s := linked(NewSet(threeSources(), Options{Numbering: c.numbering}))
		var got struct {
			Citations []struct {
				Content, Title, Filepath string
				URL                      *string
				ChunkID                  string `json:"chunk_id"`
			}
			Intent string
		}
		raw := s.Context([]string{`a "b"`, "é"}, c.whole)
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if got.Intent != `["a \"b\"","é"]` || len(got.Citations) != len(c.contents) {
			t.Fatalf("%+v", got)
		}
		for i, one := range got.Citations {
			src := s.Sources()[i]
			if one.Content != c.contents[i] || one.Title != title(&src) || one.Filepath != src.DocumentName || one.ChunkID != src.ChunkID ||
				(one.URL == nil) != (src.DownloadURL == "") || one.URL != nil && *one.URL != linkOf(s.Sources(), i) {
				t.Errorf("%d: %+v", i, one)
			}
		}
	}
	if got := string(NewSet(nil, Options{}).Context(nil, true)); got != `{"citations":[],"intent":"[]"}` {
		t.Error(got)
	}
}

func TestAnEventHasTheMarkerAndItsSources(t *testing.T) {
	for _, renumber := range []bool{false, true} {
		tr := linked(NewSet(threeSources(), Options{Renumber: renumber})).Tracker()
		tr.Write(0, "Costs fell [3, 7, 2]. ")
		done := tr.Completed(0)
		if len(done) != 1 {
			t.Fatalf("%+v", done)
		}
		event := decodeJSON(t, tr.AppendEvent(nil, done[0])).(map[string]any)
		object := decodeJSON(t, tr.Result().AppendJSON(nil)).(map[string]any)
		marker := object["markers"].([]any)[0].(map[string]any)
		for _, name := range []string{"choice", "start", "end", "indices", "invalid"} {
			if !reflect.DeepEqual(event[name], marker[name]) {
				t.Errorf("renumber %v, %s: %v, in the object %v", renumber, name, event[name], marker[name])
			}
		}
		sources := object["sources"].([]any)
		var want []any
		for _, n := range marker["indices"].([]any) {
			want = append(want, sources[int(n.(float64))-1])
		}
		if !reflect.DeepEqual(event["sources"], want) || len(want) != 2 {
			t.Errorf("renumber %v: %v, in the object %v", renumber, event["sources"], want)
		}
	}
	tr := NewSet(threeSources(), Options{}).Tracker()
	tr.Write(0, "nobody [9] ")
	if got := string(tr.AppendEvent(nil, tr.Completed(0)[0])); got != `{"choice":0,"start":7,"end":10,"indices":[],"invalid":[9],"sources":[]}` {
		t.Error(got)
	}
}

// named returns sources with these names, and links for those with a URL.
func named(names ...string) *Set {
	sources := make([]Source, len(names))
	for i, name := range names {
		name, url, _ := strings.Cut(name, "\t")
		sources[i] = Source{DocumentID: fmt.Sprint(i), DocumentName: name, DownloadURL: url}
	}
	return NewSet(sources, Options{})
}

func TestTheListOfSourcesIsMarkdown(t *testing.T) {
	for name, want := range map[string]string{
		"Report.pdf":                "1. Report.pdf",
		"Report.pdf\thttps://x/a":   "1. [Report.pdf](https://x/a#chunk=0)",
		"a\thttps://x/a(b) c<d>\\e": "1. [a](https://x/a%28b%29%20c%3Cd%3E%5Ce#chunk=0)",
		"[3] a [b].pdf\thttps://x":  "1. [&#91;3&#93; a &#91;b&#93;.pdf](https://x#chunk=0)",
		`\[3\]`:                     `1. \\&#91;3\\&#93;`,
		"q3_report_final.pdf":       "1. q3_report_final.pdf",
		"_q3_ a_ _b ü_ü":            `1. \_q3\_ a\_ \_b ü_ü`,
		"*a* `b` ~c~ $d$ <e>":       "1. \\*a\\* \\`b\\` \\~c\\~ &#36;d&#36; &lt;e>",
		"R&D &amp; &#91; a&b;c d":   "1. R&D &amp;amp; &amp;#91; a&amp;b;c d",
		"2. Chapter":                `1. 2\. Chapter`,
		"2) Chapter":                `1. 2\) Chapter`,
		"2. Chapter\thttps://x":     "1. [2. Chapter](https://x#chunk=0)",
		"2024 Report":               "1. 2024 Report",
		"# Title":                   `1. \# Title`,
		"- dash":                    `1. \- dash`,
		"> quote":                   `1. \> quote`,
		"+ plus":                    `1. \+ plus`,
		"two\nlines\u202e":          "1. two lines",
		" ":                         "1. Unknown Document",
		"7":                         "1. 7",
	} {
		if got := strings.TrimPrefix(citesOf(named(name), "It says so [1].").List(0), listHeading); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}

// An ordered list counts up from its first number, and another delimiter begins a new
// list (CommonMark 0.31, 5.3).
func TestTheListKeepsTheNumbersOfTheMarkers(t *testing.T) {
	names := strings.Split("abcdefghij", "")
	for text, want := range map[string]string{
		"[1][2][3]":          "1. a|2. b|3. c",
		"[2] [1]":            "1. a|2. b",
		"[2]":                "2. b",
		"[1] [3]":            "1. a|3) c",
		"[1-2] [5, 6] [9]":   "1. a|2. b|5) e|6) f|9. i",
		"[1] [3] [5] [6][8]": "1. a|3) c|5. e|6. f|8) h",
		"nothing":            "",
		"[11] is an orphan":  "",
	} {
		list := citesOf(named(names...), text).List(0)
		if want != "" {
			want = listHeading + strings.ReplaceAll(want, "|", "\n")
		}
		if list != want {
			t.Errorf("%s: got %q, want %q", text, list, want)
		}
		if got := StripAnswer("An answer " + text + list); got != StripMarkers("An answer "+text) {
			t.Errorf("%s: coming back it is %q", text, got)
		}
	}
}

func TestEachChoiceHasItsOwnList(t *testing.T) {
	tr := named("a", "b", "c").Tracker()
	tr.Write(0, "x [1]")
	tr.Write(1, "y [3].")
	first := tr.List(0) // the other choice has not ended
	c := tr.Result()
	if want := listHeading + "1. a"; first != want || c.List(0) != want {
		t.Errorf("%q, in the end %q", first, c.List(0))
	}
	if got := c.List(1); got != listHeading+"3. c" {
		t.Errorf("%q", got)
	}
	if got := tr.List(2) + c.List(2); got != "" {
		t.Errorf("a choice that is not there: %q", got)
	}
}

// A choice's list has every source that it cites, even after the limit of markers, and
// does not depend on whether the other choices have ended.
func TestWhatIsCitedBeyondTheLimitOfMarkersIsListed(t *testing.T) {
	tr := linked(named("a", "b", "c")).Tracker()
	many := strings.Repeat("x [1] ", MaxMarkers)
	tr.Write(0, many+"[2]")
	tr.Write(1, "y [3].")
	lists := []string{tr.List(0), tr.List(1)}
	notes := []string{string(tr.Annotations(0)), string(tr.Annotations(1))}
	c := tr.Result()
	if !c.Truncated || len(c.Markers) != MaxMarkers {
		t.Fatalf("%d markers", len(c.Markers))
	}
	for i, want := range [][]string{{"1. ", "2. "}, {"3. "}} {
		if n := strings.Count(lists[i], "\n"); n != len(want)+3 || lists[i] != c.List(i) {
			t.Errorf("choice %d: %q, in the end %q", i, lists[i], c.List(i))
		}
		if n := strings.Count(notes[i], "start_index"); n != len(want) || notes[i] != string(c.Annotations(i)) {
			t.Errorf("choice %d: %s, in the end %s", i, notes[i], c.Annotations(i))
		}
	}
	if want := fmt.Sprintf(`"start_index":%d,"end_index":%d,`, len(many), len(many)+3); !strings.Contains(notes[0], want) {
		t.Errorf("%s, want %s", notes[0], want)
	}
}

func TestPoliciesDecideWhatIsListed(t *testing.T) {
	sources := threeSources()
	all := citesOf(NewSet(sources, Options{NoMarkers: NoMarkerAllSources}), "Nothing.")
	if got := all.List(0); got != listHeading+"1. A \"quoted\" name.pdf, page 12\n2. B.md" {
		t.Errorf("all_sources: %q", got)
	}
	set := linked(NewSet(sources, Options{Orphans: OrphansDisclaim}))
	tr := set.Tracker()
	tr.Write(0, "One [1], nobody [7]. ")
	if got := tr.List(0) + string(tr.Annotations(0)) + tr.Result().List(0); got != "" {
		t.Errorf("disclaimed: %q", got)
	}
	tr = set.Tracker()
	tr.Write(0, "One [1]. ")
	if tr.List(0) == "" || tr.Annotations(0) == nil {
		t.Error("no orphan, and nothing is told of a choice that has ended")
	}
}

// For every name of a document an entry of the list is one line; the name contains
// neither a marker nor a link and does not end the entry's link.
func TestNoNameBreaksTheList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[\[\]()<>&#;_*~$|\\!a1.,:\- \n`+"`"+`]{1,12}`).Draw(t, "name")
		url := rapid.SampledFrom([]string{"", "\thttps://x.test/a"}).Draw(t, "url")
		list := citesOf(named(name+url), "a [1].").List(0)
		entry := strings.TrimPrefix(list, listHeading)
		if url != "" {
			inner, ok := strings.CutSuffix(strings.TrimPrefix(entry, "1. ["), "](https://x.test/a#chunk=0)")
			if !ok || strings.ContainsAny(inner, "[]\n") {
				t.Fatalf("%q", list)
			}
		}
		if strings.Contains(entry, "\n") || StripMarkers(entry) != entry {
			t.Fatalf("%q", list)
		}
		if got := StripAnswer("An answer [1]." + list); got != "An answer." {
			t.Fatalf("coming back it is %q", got)
		}
	})
}
