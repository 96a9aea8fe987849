package retrieval

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// asking returns the wordings of the search that a question leads to, as texts of terms.
func asking(t *testing.T, known []string, q Query, collections ...assistants.Collection) ([]string, Result) {
	t.Helper()
	x, s := world(1)
	var index Searcher = x
	if known != nil {
		index = glossaryIndex{x, known}
	}
	res := retrieve(t, New(index, s, Options{Spaces: grounds(collections)}), q)
	var wordings []string
	for _, terms := range x.asked[0].Wordings {
		wordings = append(wordings, strings.Join(terms, " "))
	}
	return wordings, res
}

func TestAQuestionIsSearchedInTheWordsOfItsSynonyms(t *testing.T) {
	q := query("What was the capex of Acme?")
	q.Synonyms = []string{"capex, capital expenditure", `capex => "purchases of property, plant and equipment"`}
	got, res := asking(t, nil, q)
	if want := []string{"capit expenditur acm", "purchas properti plant equip acm"}; !slices.Equal(got, want) {
		t.Errorf("searched for %q, want %q", got, want)
	}
	if worded := Rewording(res.Trace.Synonyms)(res.Question, nil); worded != "What was the capital expenditure of Acme?" {
		t.Errorf("answered as %q", worded)
	}
	added := []Addition{{"capex", []string{"capital expenditure", "purchases of property, plant and equipment"}}}
	if !reflect.DeepEqual(res.Trace.Synonyms, added) || !slices.Equal(res.Trace.Queries, []string{q.Text}) {
		t.Errorf("the trace says %+v of %q", res.Trace.Synonyms, res.Trace.Queries)
	}
}

func TestSynonymsWorkInTheirDirection(t *testing.T) {
	for question, want := range map[string]string{
		"Where is the boss?": "leader|manag", "Where are the bosses?": "leader|manag", "Where is the manager?": "", "Where is the leader?": "", "Where is the boss-man?": "leader man|manag man",
		"Who heads the head office?": "head headquart", "The main office and the head office": "main offic headquart", // what the question has already is not added
	} {
		q := query(question)
		q.Synonyms = []string{"boss => leader, manager", "head office, headquarters => headquarters", "main office => head office"}
		got, _ := asking(t, nil, q)
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}

func TestAQuestionIsWordedByWholeWords(t *testing.T) {
	for question, want := range map[string]string{
		"During Sunday, which day is free? Any day?":  "During Sunday, which shift is free? Any shift?",
		"Is the head office an office on day 1?":      "Is the headquarters an workplace on shift 1?",
		"The headoffice of today is for daytime work": "The headoffice of today is for daytime work",
		"": "",
	} {
		additions := []Addition{{"day", []string{"shift"}}, {"office", []string{"workplace"}}, {"head office", []string{"headquarters", "day"}}}
		if got := worded(question, additions); got != want {
			t.Errorf("%q became %q, want %q", question, got, want)
		}
	}
}

// TestAQuestionKeepsTheWordsOfThePassages: a synonym is no better than the reader's word
// where the documents have that, too.
func TestAQuestionKeepsTheWordsOfThePassages(t *testing.T) {
	for text, want := range map[string]string{
		"You get 27 Vacation days.":  "How many vacation days do I get?",
		"Annual leave is 27 days.":   "How many annual leave days do I get?",
		"Paid Time Off is 27 days.":  "How many paid time off days do I get?",
		"It is said in the contract": "How many pto days do I get?",
		"Laptops are kept 27 days.":  "How many pto days do I get?", // pto is no word of it
		"Vacations are for all.":     "How many vacation days do I get?",
	} {
		reword := Rewording([]Addition{{"vacation", []string{"pto", "paid time off", "annual leave"}}})
		if got := reword("How many vacation days do I get?", []string{text}); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestAWordWithinAnotherIsNotFound: laptops have no PTO.
func TestAWordWithinAnotherIsNotFound(t *testing.T) {
	reword := Rewording([]Addition{{"pto", []string{"annual leave"}}})
	if got := reword("How much pto is there?", []string{"Each gets a laptop."}); got != "How much annual leave is there?" {
		t.Error(got)
	}
	if got := Rewording(nil)("What is the fee? Answer in dollars.", nil); got != "What is the fee?" {
		t.Errorf("without additions the question is %q", got)
	}
}

func TestCachedSynonymsAreNotShared(t *testing.T) {
	x, s := world(1)
	x.generation = 1
	r := New(x, s, Options{})
	q := query("Who is the boss?")
	q.Synonyms = []string{"boss => leader"}
	for range 3 {
		res := retrieve(t, r, q)
		if got := res.Trace.Synonyms; len(got) != 1 || got[0].Phrase != "boss" {
			t.Fatalf("%+v", got)
		}
		res.Trace.Synonyms[0].Phrase = "changed"
	}
}

func TestWhatNoPassageHasIsNotSearchedFor(t *testing.T) {
	q := query("What was the capex?")
	q.Synonyms = []string{"capex => capital expenditure, additions to plant"}
	got, res := asking(t, []string{"addit", "plant", "capit"}, q)
	if !slices.Equal(got, []string{"addit plant"}) || len(res.Trace.Synonyms) != 1 || !slices.Equal(res.Trace.Synonyms[0].Added, []string{"additions to plant"}) {
		t.Errorf("searched for %q, %+v", got, res.Trace.Synonyms)
	}
	if got, res := asking(t, []string{"capex"}, q); got != nil || res.Trace.Synonyms != nil {
		t.Errorf("searched for %q, %+v", got, res.Trace.Synonyms)
	}
}

func TestACollectionHasSynonymsOfItsOwn(t *testing.T) {
	q := query("Who is the boss?")
	q.Synonyms = []string{"boss => leader"}
	got, _ := asking(t, nil, q, assistants.Collection{ID: "c1", Synonyms: []string{"boss => director"}}, assistants.Collection{ID: "c2"})
	if !slices.Equal(got, []string{"leader", "director"}) {
		t.Errorf("searched for %q", got)
	}
}

func TestSynonymsAddABoundedNumberOfWordings(t *testing.T) {
	q := query("alpha beta gamma delta epsilon zeta")
	for _, word := range strings.Fields(q.Text) {
		q.Synonyms = append(q.Synonyms, word+", x"+word+", y"+word)
	}
	got, _ := asking(t, nil, q)
	if len(got) != maxWordings {
		t.Errorf("%d wordings", len(got))
	}
	slices.Sort(got)
	if len(slices.Compact(got)) != maxWordings {
		t.Errorf("some are the same: %q", got)
	}
}

func TestOtherSynonymsMakeAnotherSearch(t *testing.T) {
	x, s := world(1)
	x.generation = 1
	r := New(x, s, Options{})
	q := query("Who is the boss?")
	for i, lines := range [][]string{{"boss => leader"}, {"boss => leader"}, {"boss => director"}, nil, {"boss => leader"}} {
		q.Synonyms = lines
		res := retrieve(t, r, q)
		if cached := i == 1 || i == 4; res.Trace.Cached != cached || len(res.Trace.Synonyms) != min(1, len(lines)) {
			t.Errorf("%d: cached %v, %+v", i, res.Trace.Cached, res.Trace.Synonyms)
		}
	}
}

func TestTheBuiltInSynonymsAreRight(t *testing.T) {
	for _, name := range assistants.SynonymPacks() {
		pack := packs()[name]
		if pack == nil || len(pack.lines) < 40 {
			t.Fatalf("%s is missing", name)
		}
		if err := assistants.CheckSynonyms(name, pack.lines[:min(len(pack.lines), assistants.MaxSynonyms)]); err != nil {
			t.Error(err)
		}
		for _, line := range pack.lines {
			s, err := assistants.ParseSynonym(line)
			if err != nil {
				t.Fatal(err)
			}
			for _, phrase := range s.From {
				if len(lexical.PhraseWords(phrase)) == 0 {
					t.Errorf("%s: %q is found in no question", name, phrase)
				}
			}
			if !slices.ContainsFunc(s.To, func(phrase string) bool { return len(lexical.QueryTerms(phrase)) > 0 }) {
				t.Errorf("%s: %q finds nothing", name, line)
			}
		}
	}
	if len(packs()) != len(assistants.SynonymPacks()) {
		t.Errorf("%d packs", len(packs()))
	}
	for question, want := range map[string]string{
		"Did it grow its PPNE between FY20 and FY21?": "plant", "What is the COGS?": "cost product sold", "What is its D&A?": "depreci amort", "What was the SG&A?": "general administr",
		"What is the current ratio?": "total current asset liabil", "Wie hoch waren die Umsatzerlöse?": "umsatz",
	} {
		q := query(question)
		q.Packs = []string{assistants.PackBusiness}
		got, _ := asking(t, nil, q)
		if !slices.ContainsFunc(got, func(w string) bool {
			return !slices.ContainsFunc(strings.Fields(want), func(term string) bool { return !strings.Contains(" "+w+" ", " "+term+" ") })
		}) {
			t.Errorf("%s is searched for as %q, want %s", question, got, want)
		}
	}
}

func TestTheLargestListOfSynonymsIsReadOnce(t *testing.T) {
	q := query("Where is phrase number 999 of the long list?")
	for i := range assistants.MaxSynonyms {
		q.Synonyms = append(q.Synonyms, fmt.Sprintf("phrase number %d of the long list, replacement %d", i, i))
	}
	x, s := world(1)
	r := New(x, s, Options{})
	retrieve(t, r, q)
	first := r.thesauri.of(q.Synonyms)
	if r.thesauri.of(slices.Clone(q.Synonyms)) != first || len(x.asked[0].Wordings) != 1 {
		t.Errorf("read again, or %d wordings", len(x.asked[0].Wordings))
	}
}

// words returns n different words of letters, each behind a prefix.
func words(prefix string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s%c%c%c", prefix, 'a'+i/676%26, 'a'+i/26%26, 'a'+i%26)
	}
	return list
}

// nastyLines share a word, and each has as many phrases as it may have.
func nastyLines() (lines []string) {
	for i := range assistants.MaxSynonyms {
		lines = append(lines, "pump,"+strings.Join(words(fmt.Sprintf("pump q%d", i), assistants.MaxSynonymPhrases-1), ","))
	}
	return lines
}

// TestSynonymsWorkWithinBounds counts what synonyms make of a long question.
func TestSynonymsWorkWithinBounds(t *testing.T) {
	pump := newThesaurus([]string{"pump, impeller"})
	for _, line := range words("pump, x", assistants.MaxSynonyms) {
		pump.add(byEnglish, lexical.PhraseWords("pump"), []string{line})
	}
	if _, to := pump.longest("pump", lexical.PhraseWords("pump")); len(to) != assistants.MaxSynonymPhrases {
		t.Errorf("a phrase stands for %d others", len(to))
	}
	all := []*thesaurus{pump, newThesaurus(nastyLines())}
	for _, name := range assistants.SynonymPacks() {
		all = append(all, packs()[name])
	}
	for question, want := range map[string]int{
		strings.Repeat("pump ", 300):                     1,
		strings.Repeat("revenue salary contract ", 1300): 3,
		strings.Repeat("revenue salary contract capex COGS dividend PPE employee lawsuit landlord tenant ", 90): maxSwaps,
	} {
		swaps := swapsIn(question, all, nil)
		if len(swaps) != want {
			t.Errorf("%.60q: %d swaps, want %d", question, len(swaps), want)
		}
		for _, s := range swaps {
			if len(s.to) > assistants.MaxSynonymPhrases {
				t.Errorf("%q has %d others", s.places[0].of(question), len(s.to))
			}
		}
		asked := 0
		list, _ := subquery{text: question, terms: lexical.QueryTerms(question)}.reworded(swaps, func([]string) bool { asked++; return true })
		if len(list) == 0 || len(list) > maxWordings || asked > maxSwaps*assistants.MaxSynonymPhrases {
			t.Errorf("%.60q: %d wordings, %d looked up", question, len(list), asked)
		}
	}
}

func TestARepeatedPhraseIsReplacedEverywhere(t *testing.T) {
	q := query("Was the capex of Acme higher than the capex of Bolt?")
	q.Synonyms = []string{"capex => capital expenditure"}
	got, res := asking(t, nil, q)
	if want := []string{"capit expenditur acm higher bolt"}; !slices.Equal(got, want) || len(res.Trace.Synonyms) != 1 {
		t.Errorf("searched for %q, want %q", got, want)
	}
}

func TestMadeSynonymsAreBoundedInBytes(t *testing.T) {
	var kept thesauri
	lines := []string{"capex, capital expenditure"}
	made := kept.of(lines)
	if made.size() < len(lines[0]) || kept.sizes != made.size() {
		t.Errorf("%d bytes, counted as %d", made.size(), kept.sizes)
	}
	const size = maxSizes / 4
	for i := range 40 {
		kept.putSized([]byte{byte(i % 20)}, made, size)
	}
	if kept.order.Len() != 4 || len(kept.known) != 4 || kept.sizes != 4*size {
		t.Errorf("%d lists, counted as %d bytes", kept.order.Len(), kept.sizes)
	}
	if again := kept.of(lines); again == made {
		t.Error("the oldest was kept")
	}
}

func BenchmarkSynonymsOfALongQuestion(b *testing.B) {
	var all []*thesaurus
	for _, name := range []string{assistants.PackBusiness, assistants.PackLegal, assistants.PackHR} {
		all = append(all, packs()[name])
	}
	text := strings.Repeat("revenue salary contract ", 4000/3)
	a := subquery{text: text, terms: lexical.QueryTerms(text)}
	for b.Loop() {
		a.reworded(swapsIn(text, all, nil), func([]string) bool { return true })
	}
}

func BenchmarkTheLargestThesaurus(b *testing.B) {
	lines := nastyLines()
	for b.Loop() {
		newThesaurus(lines)
	}
}
