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
	if worded := res.Trace.Worded(res.Question); worded != "What was the capital expenditure of Acme?" {
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
