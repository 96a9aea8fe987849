package citations

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// numberedSources returns n sources of one document, each with size bytes of text.
func numberedSources(n, size int) []Source {
	sources := make([]Source, n)
	for i := range sources {
		sources[i] = Source{
			DocumentID: "doc_1", DocumentName: "Handbook.pdf", ChunkIndex: i, PageNumber: pointer(i + 1),
			Score: 1 - float64(i)/100, Text: strings.Repeat("words ", size/6),
		}
	}
	return sources
}

func TestNewSetNumbersInTheGivenOrder(t *testing.T) {
	given := []Source{{DocumentName: "a", Score: 0.87}, {DocumentName: "b", Score: 0.75}, {DocumentName: "c", Score: 0.65, Index: 9}}
	set := NewSet(given, Options{})
	for i, s := range set.Sources() {
		if s.Index != i+1 || s.DocumentName != given[i].DocumentName || s.Score != given[i].Score {
			t.Errorf("source %d is %+v", i, s)
		}
	}
	if given[0].Index != 0 || given[0].Citation != "" || given[2].Index != 9 {
		t.Error("NewSet changed its argument")
	}
}

func TestEmptySetHasNoSources(t *testing.T) {
	set := NewSet(nil, Options{})
	if got := set.Sources(); len(got) != 0 {
		t.Errorf("sources %v", got)
	}
	if got := set.Prompt(PromptOptions{Cite: true, Instruct: true}); !strings.Contains(got, NoInformation) || StripMarkers(got) != got {
		t.Errorf("prompt %q", got)
	}
	if got := set.Prompt(PromptOptions{Cite: true}); got != "" { // JSON mode, where the sentence would break the answer
		t.Errorf("without instructions: %q", got)
	}
	if dropped := set.Fit(PromptOptions{Cite: true}, 10, func(string) int { t.Error("counted nothing"); return 0 }); dropped != 0 {
		t.Errorf("dropped %d of none", dropped)
	}
}

func TestSourcesIsACopy(t *testing.T) {
	set := NewSet(numberedSources(2, 60), Options{})
	set.Sources()[0].DocumentName = "changed"
	if got := set.Sources()[0].DocumentName; got != "Handbook.pdf" {
		t.Errorf("the set now says %q", got)
	}
}

func TestUnitIsCodepointUnlessGiven(t *testing.T) {
	if got := NewSet(nil, Options{}).opt.Unit; got != UnitCodepoint {
		t.Errorf("unit %q", got)
	}
	if got := NewSet(nil, Options{Unit: UnitUTF16}).opt.Unit; got != UnitUTF16 {
		t.Errorf("unit %q", got)
	}
}

func TestExcerptOfTheFoundPassageSurvivesMergedNeighbours(t *testing.T) {
	set := NewSet([]Source{{Text: "before. found. after.", Excerpt: "found."}}, Options{})
	if got := set.Sources()[0].Excerpt; got != "found." {
		t.Errorf("excerpt %q", got)
	}
}

func TestWarnAddsASentenceOnce(t *testing.T) {
	set := NewSet(nil, Options{})
	set.Warn("One.")
	set.Warn("Two.")
	set.Warn("One.")
	if want := []string{"One.", "Two."}; !slices.Equal(set.warnings, want) {
		t.Errorf("warnings %q", set.warnings)
	}
}

func TestFitWithoutLimitDoesNotCount(t *testing.T) {
	set := NewSet(numberedSources(5, 600), Options{})
	if dropped := set.Fit(PromptOptions{Cite: true}, math.MaxInt, func(string) int { t.Error("counted"); return 0 }); dropped != 0 {
		t.Errorf("dropped %d", dropped)
	}
}

func TestFitKeepsAsManySourcesAsTheLimitAllows(t *testing.T) {
	for _, options := range promptForms() {
		checkFit(t, options)
	}
}

// promptForms are all ways to render a block.
func promptForms() []PromptOptions {
	secret := []byte("k")
	forms := []PromptOptions{{}, {Secret: secret, Cite: true}}
	for _, template := range append(Presets(), "{sources}", "Cite.\n\n{sources}\n\nCite! "+strings.Repeat("Cite! ", 99)) {
		forms = append(forms, PromptOptions{Secret: secret, Cite: true, Instruct: true, Template: template})
	}
	return forms
}

func checkFit(t *testing.T, options PromptOptions) {
	t.Helper()
	count := func(s string) int { return len(s) }
	const total = 10
	for keep := range total + 1 {
		// The limit is exactly the block of the first keep sources, so one
		// byte less must cost one source more.
		exact := count(NewSet(numberedSources(keep, 600), Options{}).Prompt(options))
		for _, limit := range []int{exact, exact - 1} {
			want := keep
			if limit < exact {
				want = max(keep-1, 0)
			}
			set := NewSet(numberedSources(total, 600), Options{})
			dropped := set.Fit(options, limit, count)
			if dropped != total-want || len(set.Sources()) != want {
				t.Errorf("%.20q, limit %d: dropped %d, %d left, want %d left", options.Template, limit, dropped, len(set.Sources()), want)
			}
			if size := count(set.Prompt(options)); want > 0 && size > limit {
				t.Errorf("%.20q, limit %d: the prompt counts %d", options.Template, limit, size)
			}
			var warnings []string
			if want < total {
				warnings = []string{fmt.Sprintf("%d of 10 sources were left out because the prompt would exceed the context window.", total-want)}
			}
			if !slices.Equal(set.warnings, warnings) {
				t.Errorf("%.20q, limit %d: warnings %q", options.Template, limit, set.warnings)
			}
		}
	}
}

func TestFitCountsAHandfulOfBlocks(t *testing.T) {
	uneven := func(n int) []Source {
		sources := numberedSources(n, 600)
		for i := range sources {
			if i%7 == 0 {
				sources[i].Text = strings.Repeat("0x4f2a ", 400) // many tokens for its bytes
			}
		}
		return sources
	}
	perWord := func(s string) int { return len(strings.Fields(s)) + 3*strings.Count(s, "0x") }
	for _, limit := range []int{50, 200, 1000, 3000, 5000} {
		calls, largest := 0, 0
		set := NewSet(uneven(50), Options{})
		set.Fit(PromptOptions{Cite: true, Instruct: true}, limit, func(s string) int {
			calls++
			if n := perWord(s); n <= limit {
				largest = max(largest, n)
			}
			return perWord(s)
		})
		if got := perWord(set.Prompt(PromptOptions{Cite: true, Instruct: true})); !set.Empty() && (got != largest || got > limit) {
			t.Errorf("limit %d: the prompt counts %d, the best seen %d", limit, got, largest)
		}
		if calls > 9 {
			t.Errorf("limit %d: counted %d times", limit, calls)
		}
	}
}

func always(string) bool { return true }

func TestLinkAsksOnceForEachDocument(t *testing.T) {
	sources := append(numberedSources(2, 60), Source{DocumentID: "doc_2", DocumentName: "gone"}, Source{DocumentID: "doc_2", DocumentName: "gone"}, Source{DocumentID: "doc_3"})
	set := NewSet(sources, Options{})
	if got := set.Documents(); !slices.Equal(got, []string{"doc_1", "doc_2", "doc_3"}) {
		t.Errorf("documents %v", got)
	}
	var asked []string
	set.Link(func(id, name string) (string, bool) {
		asked = append(asked, id+" "+name)
		return "https://x/" + id, id != "doc_2"
	}, always)
	if want := []string{"doc_1 Handbook.pdf", "doc_2 gone", "doc_3 Unknown Document"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q", asked)
	}
	for i, s := range set.Sources() {
		gone := s.DocumentID == "doc_2"
		if gone != (s.DownloadURL == "") || gone != (s.Available != nil && !*s.Available) || !gone && (s.Available != nil || s.DownloadURL != "https://x/"+s.DocumentID) {
			t.Errorf("source %d: %+v", i+1, s)
		}
	}
	unstored := NewSet([]Source{{DocumentName: "a"}, {DocumentName: "b"}}, Options{})
	unstored.Link(func(_, name string) (string, bool) { return "https://x/" + name, true }, always)
	for i, want := range []string{"https://x/a", "https://x/b"} {
		if got := unstored.Sources()[i].DownloadURL; got != want {
			t.Errorf("source %d without a document's id has the link %q, want %q", i+1, got, want)
		}
	}
	set.Link(func(string, string) (string, bool) { return "", true }, always)
	for i, s := range set.Sources() {
		if s.DownloadURL != "" || s.Available != nil {
			t.Errorf("source %d keeps %+v", i+1, s)
		}
	}
	NewSet(nil, Options{}).Link(func(string, string) (string, bool) { t.Error("asked for nothing"); return "", true }, always)
}

func TestPromptsHaveNoLinks(t *testing.T) {
	set := NewSet(numberedSources(2, 60), Options{})
	before := set.Prompt(PromptOptions{Secret: []byte("s"), Cite: true, Instruct: true})
	set.Link(func(string, string) (string, bool) { return "https://x/secret", true }, always)
	if after := set.Prompt(PromptOptions{Secret: []byte("s"), Cite: true, Instruct: true}); after != before || strings.Contains(after, "https://") {
		t.Errorf("the prompt has a link: %s", after)
	}
}

func TestTitlesOfAnnotationsHideNothing(t *testing.T) {
	for name, want := range map[string]string{
		"report.pdf": "report.pdf", "invoice\u202efdp.exe": "invoicefdp.exe", "a\r\nb\x00c": "a bc", "\u200b": "Unknown Document", "<b>\"x\"</b>": `<b>\"x\"</b>`,
		strings.Repeat("ä", 400): strings.Repeat("ä", 299) + "…",
	} {
		c := Citations{Sources: []Source{{Index: 1, DocumentName: name, DownloadURL: "https://x/y"}}, Markers: []Marker{{Indices: []int{1}}}}
		if got := string(c.Annotations(0)); !strings.Contains(got, `"title":"`+want+`","url"`) {
			t.Errorf("%q: %s", name, got)
		}
	}
}

// If no source has room in the prompt, the model has none to cite: it is as if none was found.
func TestSourcesThatAreAllLeftOutAreAsIfNoneWasFound(t *testing.T) {
	for _, policy := range []NoMarkerPolicy{NoMarkerEmpty, NoMarkerAllSources, NoMarkerFail} {
		set := NewSet(sourcesOf(.9, .8), Options{NoMarkers: policy})
		options := PromptOptions{Cite: true, Instruct: true}
		if dropped := set.Fit(options, 0, func(s string) int { return len(s) }); dropped != 2 {
			t.Fatalf("dropped %d", dropped)
		}
		if got := set.Prompt(options); got != nothingFound {
			t.Errorf("the prompt says %q", got)
		}
		tr := set.Tracker()
		tr.Write(0, "From memory.")
		got := tr.Result()
		if got.Status != StatusNoSources || got.AutoPopulated || len(got.ReferencedIndices) > 0 || got.Err() != nil || len(got.Warnings) != 1 {
			t.Errorf("%s: status %q, auto_populated %v, %v, error %v, warnings %q", policy, got.Status, got.AutoPopulated, got.ReferencedIndices, got.Err(), got.Warnings)
		}
	}
}
