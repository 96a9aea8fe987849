package retrieval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// policies are versions of a document: the later ones supersede the others, whatever they
// are called.
func policies() []assistants.DocumentName {
	return []assistants.DocumentName{
		{ID: "doc00", Name: "travel rules 2021.pdf"},
		{ID: "doc01", Name: "travel rules 2022.pdf", Supersedes: "doc00"},
		{ID: "doc02", Name: "rules for all journeys.pdf", Supersedes: "doc01"},
		{ID: "doc03", Name: "canteen.pdf"},
	}
}

// TestASupersededDocumentThatAloneAnswersIsFound, although its score is halved.
func TestASupersededDocumentThatAloneAnswersIsFound(t *testing.T) {
	x, s := world(4)
	x.answer = anyway([]assistants.Match{{ChunkID: "chunk00", DocumentID: "doc00", Version: 1, Score: 0.5}, {ChunkID: "chunk03", DocumentID: "doc03", Version: 1, Score: 0.26}})
	q := query("What may a hotel cost?")
	q.Lenient = true
	res := retrieve(t, New(x, s, Options{Names: names{"t1": policies()}}), q)
	if ids(res.Hits) != "03 00" || res.Unsure || res.Hits[0].Score != q.Threshold {
		t.Errorf("%+v", res.Hits)
	}
}

func TestASupersededDocumentIsBehindTheNewest(t *testing.T) {
	x, s := world(4) // the older the document, the better it fits
	x.generation = 1
	r := New(x, s, Options{Names: names{"t1": policies()}})
	for question, want := range map[string]string{
		"What may a hotel cost?":                     "03 02 01 00 ",
		"What may a hotel cost by the travel rules?": "03 02 01 00 ", // whatever names it has
		"What might a hotel cost in 2021?":           "00 03 02 01 ",
		"What did the previous rules say of hotels?": "00 01 02 03 ",
		"Was galt nach der alten Fassung?":           "00 01 02 03 ",
	} {
		q := query(question)
		q.TopK = 10
		got := map[string]int{}
		for i, h := range retrieve(t, r, q).Hits {
			got[string(h.Document.ID)] = i
		}
		if len(got) != 4 {
			t.Errorf("%s: %d documents are left", question, len(got))
		}
		asksOld := want[:2] == "00"
		if before := got["doc00"] < got["doc02"]; before != asksOld {
			t.Errorf("%s: %v, want the oldest before the newest: %v", question, got, asksOld)
		}
	}
}

// TestWordsOfASupersededDocumentDoNotAskForIt: they are words of its subject, which the
// newer one has, too. Years and versions ask for it.
func TestWordsOfASupersededDocumentDoNotAskForIt(t *testing.T) {
	for _, c := range []struct{ older, newer, question, want string }{
		{"travel-policy.md", "expenses.md", "How much is the travel allowance?", "doc01"},
		{"travel-policy-2021.md", "expenses.md", "How much is the travel allowance?", "doc01"},
		{"travel-policy-2021.md", "expenses.md", "How much was the travel allowance in 2021?", "doc00"},
		{"travel-policy-v1.md", "expenses.md", "How much is the allowance by version 1?", "doc00"},
		{"travel-policy-2021.md", "expenses-2021.md", "How much was the travel allowance in 2021?", "doc01"},
	} {
		x, s := world(2)
		x.generation = 1
		r := New(x, s, Options{Names: names{"t1": {{ID: "doc00", Name: c.older}, {ID: "doc01", Name: c.newer, Supersedes: "doc00"}, {ID: "doc02", Name: "canteen.md"}}}})
		if hits := retrieve(t, r, query(c.question)).Hits; len(hits) != 2 || string(hits[0].Document.ID) != c.want {
			t.Errorf("%s and %s, %q: got %v, want %s first", c.older, c.newer, c.question, hits, c.want)
		}
	}
}

// TestTheDocumentBeforeIsInFrontWhereItIsAskedFor: the newer one, which fits better, stands
// behind the one that it supersedes. Other things that were before ask for no document.
func TestTheDocumentBeforeIsInFrontWhereItIsAskedFor(t *testing.T) {
	list := []assistants.DocumentName{{ID: "doc00", Name: "expenses.md", Supersedes: "doc01"}, {ID: "doc01", Name: "journeys.md", Supersedes: "doc02"}, {ID: "doc02", Name: "hotels.md"}, {ID: "doc03", Name: "canteen.md"}}
	for question, want := range map[string]string{
		"What did the previous policy allow?":                     "doc01",
		"What did the old terms and conditions allow?":            "doc01",
		"What did the former annual report say?":                  "doc01",
		"What was allowed by an earlier version?":                 "doc01",
		"What does the outdated policy say of last year?":         "doc01",
		"Was galt nach der alten Fassung?":                        "doc01",
		"Was stand im bisherigen Mietvertrag?":                    "doc01",
		"Que disait le contrat précédent ?":                       "doc01",
		"¿Qué decía la versión anterior?":                         "doc01",
		"What does the policy allow?":                             "doc00",
		"Who was the previous tenant?":                            "doc00",
		"What must be done prior to a contract?":                  "doc00",
		"What was allowed previously?":                            "doc00",
		"How does the current policy differ from the former one?": "doc00",
		"How do the current and the former policy differ?":        "doc00",
	} {
		x, s := world(4)
		x.generation = 1
		q := query(question)
		q.TopK = 10
		hits := retrieve(t, New(x, s, Options{Names: names{"t1": list}}), q).Hits
		if len(hits) != 4 || string(hits[0].Document.ID) != want {
			t.Errorf("%s: %s, want %s first", question, ids(hits), want)
		}
	}
	list[0].Supersedes, list[1].Supersedes = "doc01", "doc00"
	inFront := newNameIndex(nil, list, 1, time.Time{}).inFrontOf("What did the previous policy allow?", permitting([]assistants.DocumentID{"doc02"}))
	for _, d := range list {
		if got := inFront(d.ID); got != "" {
			t.Errorf("%s is in front of %s, which supersede each other in a circle", got, d.ID)
		}
	}
	x := newNameIndex(nil, policies(), 1, time.Time{})
	if got := x.inFrontOf("What did the previous rules say?", permitting([]assistants.DocumentID{"doc00", "doc02"}))("doc02"); got != "doc00" {
		t.Errorf("%q is the one before of those that may be searched", got)
	}
	if got := x.inFrontOf("What did the rules of 2022 say, other than the previous rules?", permitting([]assistants.DocumentID{"doc00", "doc01"}))("doc01"); got != "" {
		t.Errorf("%q is in front of the one that the question asks for", got)
	}
}

// TestAQuestionForWhatWasBeforeKeepsTheOrder: what another document supersedes may be the
// answer, and need not be.
func TestAQuestionForWhatWasBeforeKeepsTheOrder(t *testing.T) {
	x := newNameIndex(nil, policies(), 1, time.Time{})
	for question, demotes := range map[string]bool{
		"What might a hotel cost last year?": false, "What did a hotel cost previously?": false, "Which rules are outdated?": false, "Was galt im Vorjahr?": false, "What was due in the previous year?": false,
		"What may a hotel cost?": true, "Who was the former director?": true, "Wer war der frühere Mieter?": true, "Was ist der ursprüngliche Zweck?": true,
	} {
		if got := x.inFrontOf(question, permitting(nil)) != nil; got != demotes {
			t.Errorf("%s: documents are behind others: %v", question, got)
		}
	}
}

// TestADocumentIsNotBehindOneThatMayNotBeSearched: a filter leaves the newest out, or it is
// in a collection that is not searched.
func TestADocumentIsNotBehindOneThatMayNotBeSearched(t *testing.T) {
	x := newNameIndex(nil, policies(), 1, time.Time{})
	if newer := x.inFrontOf("What may a hotel cost?", permitting([]assistants.DocumentID{"doc00", "doc03"})); newer("doc00") != "" || newer("doc03") != "" || newer("an unknown one") != "" {
		t.Errorf("%q is newer", newer("doc00"))
	}
	if newer := x.inFrontOf("What may a hotel cost?", permitting([]assistants.DocumentID{"doc00", "doc02"})); newer("doc00") != "doc02" || newer("doc01") != "doc02" {
		t.Errorf("%q and %q are newer", newer("doc00"), newer("doc01"))
	}
	x = newNameIndex(nil, policies()[:1], 1, time.Time{})
	if newer := x.inFrontOf("What may a hotel cost?", permitting(nil)); newer != nil {
		t.Errorf("%q is newer", newer("doc00"))
	}
}

func TestDocumentsThatSupersedeEachOtherInACircleStay(t *testing.T) {
	x := newNameIndex(nil, []assistants.DocumentName{{ID: "a", Name: "a.pdf", Supersedes: "b"}, {ID: "b", Name: "b.pdf", Supersedes: "a"}, {ID: "c", Name: "c.pdf", Supersedes: "c"}}, 1, time.Time{})
	c := x.choose("What may a hotel cost?", nil)
	matches := c.demote([]assistants.Match{{DocumentID: "a", Score: 0.9}, {DocumentID: "b", Score: 0.8}, {DocumentID: "c", Score: 0.7}}, 0.3)
	if len(matches) != 3 || matches[0].DocumentID != "c" {
		t.Errorf("got %v", matches)
	}
}

// TestALongChainOfVersions: each is behind a newer one.
func TestALongChainOfVersions(t *testing.T) {
	chain := catalogue(3*maxNewer, 1)
	newer := newNameIndex(nil, chain, 1, time.Time{}).inFrontOf("What may a hotel cost?", permitting(nil))
	for i, d := range chain {
		want := chain[min(i+maxNewer, len(chain)-1)].ID
		if i == len(chain)-1 {
			want = ""
		}
		if got := newer(d.ID); got != want {
			t.Fatalf("%s is behind %q, want %q", d.ID, got, want)
		}
	}
}

// TestSupersededDocumentsThatAreNotFoundCostAQuestionNothing: only those that are found are
// asked about.
func TestSupersededDocumentsThatAreNotFoundCostAQuestionNothing(t *testing.T) {
	// The least of a few runs: what other tests leave running allocates, too.
	cost := func(pairs int) float64 {
		x := newNameIndex(nil, catalogue(2*pairs, pairs), 1, time.Time{})
		least := math.Inf(1)
		for range 10 {
			least = min(least, testing.AllocsPerRun(10, func() { x.choose("What may a hotel cost?", nil) }))
		}
		return least
	}
	const byChance = 50 // maps grow by chance; a walk over all pairs takes a thousand and more
	if one, many := cost(1), cost(1000); many > one+byChance {
		t.Errorf("%v allocations, with one pair %v", many, one)
	}
}

// TestNoPassageIsLostBecauseItsDocumentIsSuperseded: the only answer may stand in there.
func TestNoPassageIsLostBecauseItsDocumentIsSuperseded(t *testing.T) {
	c := choice{inFront: func(d assistants.DocumentID) assistants.DocumentID {
		return map[assistants.DocumentID]assistants.DocumentID{"old": "new"}[d]
	}}
	got := c.demote([]assistants.Match{{DocumentID: "old", Score: 0.9}, {DocumentID: "old", Score: 0.35}, {DocumentID: "new", Score: 0.32}, {DocumentID: "other", Score: 0.31}}, 0.3)
	want := []assistants.Match{{DocumentID: "new", Score: 0.32}, {DocumentID: "old", Score: 0.32}, {DocumentID: "other", Score: 0.31}, {DocumentID: "old", Score: 0.3}}
	if !slices.EqualFunc(got, want, func(a, b assistants.Match) bool { return a.DocumentID == b.DocumentID && a.Score == b.Score }) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestTheNewestOfRepeatedPassagesIsShown: of documents that say the same, the later release
// is shown, unless the question asks for the other one.
func TestTheNewestOfRepeatedPassagesIsShown(t *testing.T) {
	for _, c := range []struct {
		older, newer assistants.Document
		question     string
		want         string
	}{
		{assistants.Document{Name: "lease 2021.pdf"}, assistants.Document{Name: "lease 2022.pdf"}, "Who pays the rent?", "new"},
		{assistants.Document{Name: "lease 2021.pdf"}, assistants.Document{Name: "lease 2022.pdf"}, "Who paid the rent in 2021?", "old"},
		{assistants.Document{Name: "lease 2021.pdf"}, assistants.Document{Name: "lease 2022.pdf"}, "Who paid the rent in the previous lease?", "old"},
		{assistants.Document{Name: "manual v1.pdf"}, assistants.Document{Name: "manual v2.pdf"}, "How is it cleaned?", "new"},
		{assistants.Document{Name: "manual v1.pdf"}, assistants.Document{Name: "manual v2.pdf"}, "How is it cleaned by version 1?", "old"},
		{assistants.Document{Name: "a.pdf"}, assistants.Document{Name: "b.pdf", Supersedes: "old"}, "Who pays the rent?", "new"},
		{assistants.Document{Name: "rent.pdf"}, assistants.Document{Name: "lease.pdf", Supersedes: "old"}, "Who pays the rent?", "new"},
		{assistants.Document{Name: "a.pdf"}, assistants.Document{Name: "b.pdf"}, "Who pays the rent?", "old"},
		{assistants.Document{Name: "td-310 manual.pdf"}, assistants.Document{Name: "td-320 manual.pdf"}, "How is it cleaned?", "old"},
		{assistants.Document{Name: "lease 2022.pdf"}, assistants.Document{Name: "lease 2021.pdf"}, "Who pays the rent?", "old"},
	} {
		c.older.ID, c.newer.ID = "old", "new"
		x, s := world(2)
		s.text("chunk00", "The tenant pays the rent in advance.")
		s.text("chunk01", "The tenant pays the rent in advance.")
		r := New(x, described{s, map[assistants.DocumentID]assistants.Document{"doc00": c.older, "doc01": c.newer}}, Options{})
		res := retrieve(t, r, query(c.question))
		if len(res.Hits) != 1 || string(res.Hits[0].Document.ID) != c.want || res.Hits[0].Score != 1 || res.Trace.Repeated != 1 {
			t.Errorf("%s and %s, %q: found %v, want the %s one", c.older.Name, c.newer.Name, c.question, fmt.Sprint(res.Hits), c.want)
		}
	}
}

// described is a store whose documents have names and more.
type described struct {
	*store
	documents map[assistants.DocumentID]assistants.Document
}

func (d described) Hits(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, matches []assistants.Match) ([]assistants.Hit, error) {
	hits, err := d.store.Hits(ctx, tenant, collections, matches)
	for i := range hits {
		hits[i].Document = d.documents[hits[i].Document.ID]
	}
	return hits, err
}

// TestAPassageNamesItsOtherPlaces: at most five, each once, and never its own.
func TestAPassageNamesItsOtherPlaces(t *testing.T) {
	x, s := world(9)
	documents := map[assistants.DocumentID]assistants.Document{}
	for i := range 9 {
		id := assistants.ChunkID(fmt.Sprintf("chunk%02d", i))
		s.text(id, "The tenant pays the rent in advance.")
		c := s.chunks[id]
		c.Page = i/2 + 1
		if i == 2 {
			c.DocumentID, c.Page = "doc01", 1 // once more on the same page
		}
		s.chunks[id] = c
		documents[c.DocumentID] = assistants.Document{ID: c.DocumentID, Name: "n" + string(c.DocumentID)}
	}
	documents["doc03"] = assistants.Document{ID: "doc03"} // without a name
	q := query("Who pays the rent?")
	q.TopK = 10
	res := retrieve(t, New(x, described{s, documents}, Options{}), q)
	if len(res.Hits) != 1 || res.Trace.Repeated != 8 {
		t.Fatalf("%d hits, %d repeated", len(res.Hits), res.Trace.Repeated)
	}
	want := []assistants.Place{{Document: "doc01", Name: "ndoc01", Page: 1}, {Document: "doc04", Name: "ndoc04", Page: 3}, {Document: "doc05", Name: "ndoc05", Page: 3},
		{Document: "doc06", Name: "ndoc06", Page: 4}, {Document: "doc07", Name: "ndoc07", Page: 4}}
	if got := res.Hits[0].AlsoIn; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestThePlaceOfTheOlderReleaseStaysNamed: the shown passage changes, the place does not get
// lost.
func TestThePlaceOfTheOlderReleaseStaysNamed(t *testing.T) {
	x, s := world(3)
	documents := map[assistants.DocumentID]assistants.Document{}
	for i, name := range []string{"lease 2021.pdf", "copy.pdf", "lease 2022.pdf"} {
		id := assistants.DocumentID(fmt.Sprintf("doc%02d", i))
		s.text(assistants.ChunkID(fmt.Sprintf("chunk%02d", i)), "The tenant pays the rent in advance.")
		documents[id] = assistants.Document{ID: id, Name: name}
	}
	res := retrieve(t, New(x, described{s, documents}, Options{}), query("Who pays the rent?"))
	want := []assistants.Place{{Document: "doc01", Name: "copy.pdf"}, {Document: "doc00", Name: "lease 2021.pdf"}}
	if len(res.Hits) != 1 || res.Hits[0].Document.ID != "doc02" || !slices.Equal(res.Hits[0].AlsoIn, want) {
		t.Errorf("got %v of %v", res.Hits[0].AlsoIn, res.Hits[0].Document.Name)
	}
}

// TestOnlyTheSameWordsAreAnotherPlace: a passage that differs in a few words may say the
// opposite. It is left out as a repetition, and neither named nor shown instead, not even
// if it is of a later release.
func TestOnlyTheSameWordsAreAnotherPlace(t *testing.T) {
	long := "The tenant keeps the rooms clean and in good repair, " + strings.Repeat("heats each of them as the season asks and airs it every day, ", 2) + "and returns every key at the end of the term without being asked. "
	for i := range 12 {
		long += fmt.Sprintf("Clause %c%c covers what else the two parties have settled between them. ", 'a'+i, 'k'+i)
	}
	for _, c := range []struct {
		texts []string
		found string // the document shown and its other places
	}{
		{[]string{long + "He may sublet.", long + "He must not sublet."}, "00"},
		{[]string{"Alder " + long, "Birch " + long}, "00"},
		{[]string{long + "He may sublet.", long + "He MAY  sublet!"}, "01 00"},
		{[]string{long + "He may sublet.", long + "He must not sublet.", long + "He may sublet."}, "02 00"},
	} {
		x, s := world(len(c.texts))
		documents := map[assistants.DocumentID]assistants.Document{}
		for i, text := range c.texts {
			id := assistants.DocumentID(fmt.Sprintf("doc%02d", i))
			s.text(assistants.ChunkID(fmt.Sprintf("chunk%02d", i)), text)
			documents[id] = assistants.Document{ID: id, Name: fmt.Sprintf("lease %d.pdf", 2020+i)}
		}
		res := retrieve(t, New(x, described{s, documents}, Options{}), query("May the rooms be sublet?"))
		got := ids(res.Hits)
		for _, at := range res.Hits[0].AlsoIn {
			got += strings.Replace(string(at.Document), "doc", " ", 1)
		}
		if got != c.found || res.Trace.Repeated != len(c.texts)-1 {
			t.Errorf("%.10q…%q: found %s, %d repeated, want %s", c.texts[0], c.texts[1][len(long)-5:], got, res.Trace.Repeated, c.found)
		}
	}
}

// TestRowsUnderAnotherHeadingAreNoOtherPlace: a table that goes on has its heading before.
func TestRowsUnderAnotherHeadingAreNoOtherPlace(t *testing.T) {
	for heading, want := range map[string]int{"| Room | 2021 |": 1, "| Room | 2022 |": 0} {
		x, s := world(2)
		documents := map[assistants.DocumentID]assistants.Document{"doc00": {ID: "doc00", Name: "rates.pdf"}, "doc01": {ID: "doc01", Name: "rates of the branch.pdf"}}
		for id, header := range map[assistants.ChunkID]string{"chunk00": "| Room | 2021 |", "chunk01": heading} {
			s.text(id, "| Double | 120 |")
			c := s.chunks[id]
			c.TableHeader = header
			s.chunks[id] = c
		}
		res := retrieve(t, New(x, described{s, documents}, Options{}), query("What is a double room?"))
		if len(res.Hits) != 1 || len(res.Hits[0].AlsoIn) != want || res.Trace.Repeated != 1 {
			t.Errorf("%s: got %v, want %d other places", heading, res.Hits, want)
		}
	}
}
