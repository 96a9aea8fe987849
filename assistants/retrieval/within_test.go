package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// protocols are two documents whose first passages say what they are about.
func protocols() (*index, *store) {
	s := &store{chunks: map[assistants.ChunkID]assistants.Chunk{}}
	for document, texts := range map[assistants.DocumentID][]string{
		"arvik": {
			"Dendritic cell vaccine for melanoma\nProtocol of the University of Arvik\nThe vaccine is tried at four places.",
			"The vaccine is stored at minus 80 degrees.",
			"If none of the first twelve people gets better, the study stops.",
			"A nurse sees everybody once a month.",
			"The results are published after two years.",
		},
		"tornbach": {
			"Walking after meals in pregnancy\nProtocol of the hospital of Tornbach",
			"People walk for 20 minutes after each meal.",
			"Blood is taken on Mondays.",
			"The diary is read by two doctors.",
		},
	} {
		for i, text := range texts {
			id := assistants.ChunkID(fmt.Sprintf("chunk%s%d", document[:1], i))
			s.chunks[id] = assistants.Chunk{ID: id, DocumentID: document, Version: 1, Index: i, Text: text}
		}
	}
	return &index{answer: s.byWords}, s
}

// byWords finds passages by the share of the terms that they have.
func (s *store) byWords(_ context.Context, q assistants.Search) ([]assistants.Match, error) {
	var out []assistants.Match
	for _, c := range s.chunks {
		has, n := map[string]bool{}, 0
		for _, t := range lexical.Terms(c.Text) {
			has[t.Text] = true
		}
		for _, t := range q.Terms {
			if has[t] {
				n++
			}
		}
		if score := float64(n) / float64(max(len(q.Terms), 1)); score >= q.MinScore && n > 0 {
			out = append(out, assistants.Match{ChunkID: c.ID, DocumentID: c.DocumentID, Version: c.Version, Score: score, TextScore: score})
		}
	}
	slices.SortFunc(out, func(a, b assistants.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ChunkID, b.ChunkID))
	})
	return out, nil
}

const aboutArvik = "Dendritic vaccine protocol of Arvik for melanoma: when does the study stop?"

// TestThePageThatAnswersComesBeforeTheTitlePage: the title page has all the words that name the
// document.
func TestThePageThatAnswersComesBeforeTheTitlePage(t *testing.T) {
	x, s := protocols()
	r := New(x, s, Options{})
	res := retrieve(t, r, query(aboutArvik))
	if got := ids(res.Hits); got != "a2 a0" {
		t.Errorf("found %s", got)
	}
	if want := []string{aboutArvik, "for when does the study stop?"}; !slices.Equal(res.Trace.Queries, want) {
		t.Errorf("searched for %q, want %q", res.Trace.Queries, want)
	}
	if want := []string{"arvik", "dendrit", "melanoma", "protocol", "vaccin"}; !slices.Equal(res.Trace.Naming, want) {
		t.Errorf("%q name the document, want %q", res.Trace.Naming, want)
	}
	if rest := x.asked[len(x.asked)-1]; !slices.Equal(rest.Documents, []assistants.DocumentID{"arvik"}) || !slices.Equal(rest.Terms, []string{"studi", "stop"}) {
		t.Errorf("within the document: %+v", rest)
	}
	retrieve(t, r, query("Arvik's vaccine protocol: how cold is it stored?"))
	if len(s.ranges) != 1 {
		t.Errorf("the opening was read %d times", len(s.ranges))
	}
}

// TestAnAnswerFromMemoryTellsWhatTheFirstTold: of the rest, too.
func TestAnAnswerFromMemoryTellsWhatTheFirstTold(t *testing.T) {
	x, s := protocols()
	x.generation = 1
	r := New(x, s, Options{})
	first, second := retrieve(t, r, query(aboutArvik)), retrieve(t, r, query(aboutArvik))
	if !second.Trace.Cached || ids(first.Hits) != ids(second.Hits) || !slices.Equal(first.Trace.Queries, second.Trace.Queries) || !slices.Equal(first.Trace.Naming, second.Trace.Naming) {
		t.Errorf("first %+v, then %+v", first.Trace, second.Trace)
	}
}

// TestAQuestionOfFewWordsIsSearchedOnce: without those of the title nothing would be left.
func TestAQuestionOfFewWordsIsSearchedOnce(t *testing.T) {
	for _, question := range []string{"melanoma vaccine", "Arvik melanoma vaccine protocol", "How are people stored?"} {
		x, s := protocols()
		retrieve(t, New(x, s, Options{}), query(question))
		if len(x.asked) != 1 {
			t.Errorf("%q: searched %d times", question, len(x.asked))
		}
	}
}

func TestTheRestOfAQuestion(t *testing.T) {
	for question, want := range map[string]string{
		"In Arvik's protocol, who stores the vaccine overnight?": "In who stores the overnight?",
		"Who stores melanoma-vaccine at the Arvik laboratory?":   "Who stores at the laboratory?",
		"Who stores melanoma-boxes at the Arvik laboratory?":     "Who stores melanoma-boxes at the laboratory?",
		"Was kostet der Impfstoff (Arvik) nach der Lieferung?":   "Was kostet der Impfstoff nach der Lieferung?",
		"How long does the protocol of Arvik run at night?":      "How long does the run at night?",
		"Who stores boxes in the laboratory?":                    "",
		"Arvik vaccine storage":                                  "",
		"東京のワクチンの保管場所はどこですか Arvik":                               "東京のワクチンの保管場所はどこですか",
	} {
		names := map[string]bool{"arvik": true, "protocol": true, "vaccin": true, "melanoma": true}
		a := subquery{text: question, terms: lexical.QueryTerms(question)}
		rest, ok := a.rest(a.words(), names, leastRest)
		if ok != (want != "") || ok && rest != want {
			t.Errorf("%q: %q, %t, want %q", question, rest, ok, want)
		}
	}
}

// TestWhatNamesADocumentIsKnownAnew: its name and its profile can change without a new version.
func TestWhatNamesADocumentIsKnownAnew(t *testing.T) {
	x, s := protocols()
	list := names{"t1": {{ID: "arvik", Name: "a.pdf", Revision: 1}}}
	r := New(x, s, Options{Names: list})
	ask := func() []string {
		return retrieve(t, r, query("Halden vaccine: when does the study stop?")).Trace.Naming
	}
	if got := ask(); !slices.Equal(got, []string{"vaccin"}) {
		t.Errorf("%q name it", got)
	}
	list["t1"][0] = assistants.DocumentName{ID: "arvik", Name: "a.pdf", Profile: assistants.Profile{Subjects: []string{"Halden"}}, Revision: 2}
	x.generation, r.now = 1, func() time.Time { return time.Now().Add(time.Hour) } // the names are read anew
	if got := ask(); !slices.Equal(got, []string{"halden", "vaccin"}) {
		t.Errorf("%q name it once its profile says so", got)
	}
}

// TestATitleIsTheOpeningOfAShortDocument: its answers begin right below.
func TestATitleIsTheOpeningOfAShortDocument(t *testing.T) {
	for text, want := range map[string]string{
		"# Vaccine handbook\nVersion 3\n\nIt says who stores what.\nBoxes":         "# Vaccine handbook\nVersion 3\n\n",
		"# FAQ\n\n## How do I reset my password?\n\nOpen the page.":                "# FAQ\n\n",
		"Questions\nHow do I reset my password?\nOpen the page.":                   "Questions\n",
		"Location: | Arvik | Date: | 3 May\n" + strings.Repeat("word ", 20) + "\n": "Location: | Arvik | Date: | 3 May\n",
		"": "\n",
	} {
		chunks := []assistants.Chunk{{Index: 3, Text: "c"}, {Index: 1, Text: "a"}, {Index: 2, Text: "b"}, {Text: text}}
		if got := openingOf(chunks); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%q: the opening is %q, want %q", text, got, want)
		}
	}
	long := []assistants.Chunk{{Text: strings.Repeat("Wörter ", 100)}}
	for i := 1; i < firstPassages; i++ {
		long = append(long, assistants.Chunk{Index: i})
	}
	if got := openingOf(long); len(got) > openingLength || !strings.HasSuffix(got, " Wörter") {
		t.Errorf("%d bytes, and ends with %q", len(got), got[len(got)-10:])
	}
	long[0].Text = strings.Repeat("東京", 100)
	if got := openingOf(long); len(got) > openingLength || !strings.HasSuffix(got, "東") && !strings.HasSuffix(got, "京") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

// TestAVeryShortDocumentIsSearchedOnce: there is little to choose from.
func TestAVeryShortDocumentIsSearchedOnce(t *testing.T) {
	x, s := protocols()
	for _, id := range []assistants.ChunkID{"chunka2", "chunka3"} {
		delete(s.chunks, id)
	}
	if retrieve(t, New(x, s, Options{}), query(aboutArvik)); len(x.asked) != 1 {
		t.Errorf("searched %d times", len(x.asked))
	}
}

// TestYearsStay: a statement has several, and the question says which column is asked for.
func TestYearsStay(t *testing.T) {
	x, s := protocols()
	s.text("chunka0", "Annual report 2023 of Arvik")
	s.text("chunka1", "Revenue was 7 million in 2023 and 5 million in 2022.")
	retrieve(t, New(x, s, Options{}), query("What was the revenue of Arvik in 2023?"))
	if rest := x.asked[len(x.asked)-1]; len(x.asked) != 2 || !slices.Equal(rest.Terms, []string{"revenu", "2023"}) {
		t.Errorf("within the document: %+v", rest)
	}
}

// TestTheDocumentsOfAChoiceAreSearched: a few together with that of the best match, and many by
// themselves, because their openings would take long to read.
func TestTheDocumentsOfAChoiceAreSearched(t *testing.T) {
	many := []assistants.DocumentID{"a", "b", "c", "d", "e"}
	for _, c := range []struct{ alone, first, last []assistants.DocumentID }{
		{nil, []assistants.DocumentID{"arvik"}, []assistants.DocumentID{"arvik"}},
		{many[:1], []assistants.DocumentID{"a", "arvik"}, []assistants.DocumentID{"a", "arvik"}},
		{many, many, []assistants.DocumentID{"arvik"}},
	} {
		x, s := protocols()
		w := &run{Retriever: New(x, s, Options{}), q: query(aboutArvik), trace: &Trace{Stages: map[string]time.Duration{}}}
		terms := lexical.QueryTerms(aboutArvik)
		asked := assistants.Search{Terms: terms, MinScore: 0.3}
		found, _ := s.byWords(t.Context(), asked)
		out := findings{matches: found}
		n := narrowing{choice: choice{named: map[string]bool{"arvik": true}}, alone: c.alone}
		if err := w.searchWithin(t.Context(), asked, subquery{text: aboutArvik, terms: terms}, spaceSet{}, n, &out); err != nil {
			t.Fatal(err)
		}
		if first, last := x.asked[0], x.asked[len(x.asked)-1]; !slices.Equal(first.Documents, c.first) || !slices.Equal(last.Documents, c.last) || slices.Contains(first.Terms, "arvik") || slices.Contains(last.Terms, "vaccin") {
			t.Errorf("chose %v: searched %+v", c.alone, x.asked)
		}
	}
}

// TestNamesInAPhraseNameTheDocument: with words that are known to name it, and capital letters.
func TestNamesInAPhraseNameTheDocument(t *testing.T) {
	known := map[string]bool{"suppli": true, "agreement": true, "corvan": true, "vertrag": true}
	for question, want := range map[string]string{
		"How long does the Supply Agreement between Corvane and Ostrava Paper Mills run?":     "agreement corvan mill ostrava paper suppli",
		"Does the Supply Agreement of Corvane and Ostrava let Brandt Ltd deliver late?":       "agreement corvan ostrava suppli",
		"Which price for Kraft Liner has the Supply Agreement?":                               "agreement suppli",
		"Does the Agreement of Ostrava say who pays for pallets?":                             "agreement",
		"Who pays for pallets? Brandt said the Supply Agreement does not tell.":               "agreement suppli",
		"How Long Does The Supply Agreement Between Corvane And Ostrava Run?":                 "agreement corvan suppli",
		"Wie lange läuft der Vertrag (Supply Agreement) von Corvane über Papier und Kartons?": "agreement corvan vertrag",
		"Supply Agreement Ostrava run":                                                        "agreement ostrava suppli",
		"Wer liefert laut Supply Agreement Corvane Wellpappe Paletten?":                       "agreement corvan",
		"What Is the Notice Period of the Supply Agreement of Corvane?":                       "agreement corvan suppli",
		"What is the Limitation of Liability of the Supply Agreement with Corvane?":           "agreement corvan suppli",
		"Under the Corvane Supply Agreement, Confidential Information is returned when?":      "agreement corvan suppli",
		"Corvane Supply Agreement\nPenalties for late delivery":                               "agreement corvan suppli",
		"Does the Supply Agreement between Corvane Inc. and Dr. Brandt name a court?":         "agreement brandt corvan dr inc suppli",
		"Agreement Ostrava run": "agreement",
	} {
		a := subquery{text: question, terms: lexical.QueryTerms(question)}
		got := strings.Join(slices.Sorted(slices.Values(shared(a.terms, a.withNames(a.words(), known)))), " ")
		if got != want {
			t.Errorf("%q: %q name the document, want %q", question, got, want)
		}
	}
}

// TestOneWordIsARestOfALongQuestion: it says what is asked, and the others say of which document.
func TestOneWordIsARestOfALongQuestion(t *testing.T) {
	x, s := protocols()
	retrieve(t, New(x, s, Options{}), query("What does the nurse of the dendritic vaccine protocol of Arvik do?"))
	if rest := x.asked[len(x.asked)-1]; len(x.asked) != 2 || !slices.Equal(rest.Terms, []string{"nurs"}) {
		t.Errorf("within the document: %+v", rest)
	}
}

// TestTheWholeQuestionSaysWhichDocumentComesFirst: those that it chose, or that of the best match.
func TestTheWholeQuestionSaysWhichDocumentComesFirst(t *testing.T) {
	x, s := protocols()
	match := func(id assistants.ChunkID, score float64) assistants.Match {
		return assistants.Match{ChunkID: id, DocumentID: s.chunks[id].DocumentID, Version: 1, Score: score}
	}
	x.answer = anyway([]assistants.Match{match("chunkt1", 0.9), match("chunka4", 0.8), match("chunka2", 0.1), match("chunkt2", 0.1)})
	out := findings{matches: []assistants.Match{match("chunka0", 0.9), match("chunkt0", 0.6)}}
	w := &run{Retriever: New(x, s, Options{}), q: query(aboutArvik), trace: &Trace{Stages: map[string]time.Duration{}}}
	a := subquery{text: aboutArvik, terms: lexical.QueryTerms(aboutArvik)}
	if err := w.searchWithin(t.Context(), assistants.Search{Terms: a.terms}, a, spaceSet{}, narrowing{alone: []assistants.DocumentID{"tornbach"}}, &out); err != nil {
		t.Fatal(err)
	}
	if got := []assistants.ChunkID{out.matches[0].ChunkID, out.matches[1].ChunkID}; !slices.Equal(got, []assistants.ChunkID{"chunka4", "chunkt1"}) || math.Abs(out.matches[0].Score-0.9) > 1e-9 || math.Abs(out.matches[1].Score-0.6) > 1e-9 {
		t.Errorf("%+v", out.matches)
	}
}

// TestWithoutAVectorOfTheRestTheWholeQuestionIsCompared, and the result is not kept.
func TestWithoutAVectorOfTheRestTheWholeQuestionIsCompared(t *testing.T) {
	x, s := protocols()
	x.generation = 1
	r := New(x, s, Options{Embedder: onlyWhole{&embedder{trust: 1}}, Spaces: known(0.2)})
	for range 2 {
		res := retrieve(t, r, query(aboutArvik))
		if res.Trace.Cached || len(res.Trace.Warnings) > 0 || len(res.Hits) == 0 {
			t.Errorf("%+v", res.Trace)
		}
		if rest := x.asked[len(x.asked)-1]; !slices.Equal(rest.Vector, []float32{1, 0}) || len(rest.Documents) != 1 {
			t.Errorf("compared with %v", rest.Vector)
		}
	}
}

// onlyWhole cannot embed the rest of a question.
type onlyWhole struct{ *embedder }

func (e onlyWhole) EmbedQuery(ctx context.Context, text string) (assistants.QueryVector, error) {
	if text != aboutArvik {
		return assistants.QueryVector{}, assistants.ErrUnavailable
	}
	return e.embedder.EmbedQuery(ctx, text)
}

func TestAnOpeningThatCannotBeReadIsAnError(t *testing.T) {
	x, s := protocols()
	r := New(x, closedStore{s}, Options{})
	if _, err := r.Retrieve(t.Context(), query(aboutArvik)); !errors.Is(err, assistants.ErrUnavailable) || !strings.Contains(err.Error(), "opening") {
		t.Errorf("%v", err)
	}
}

// closedStore has hits, but no passages around them.
type closedStore struct{ *store }

func (closedStore) Passages(context.Context, assistants.TenantID, []assistants.PassageRange) ([]assistants.Chunk, error) {
	return nil, assistants.ErrUnavailable
}

// TestASlowEmbedderIsAskedOnce: the second vector would take as long as the first one.
func TestASlowEmbedderIsAskedOnce(t *testing.T) {
	x, s := protocols()
	e := &embedder{trust: 1}
	w := &run{Retriever: New(x, s, Options{Embedder: e}), q: query(aboutArvik), trace: &Trace{Stages: map[string]time.Duration{}}}
	a := subquery{text: aboutArvik, terms: lexical.QueryTerms(aboutArvik)}
	for left, want := range map[time.Duration]int{Budget: 1, Budget - 2*soon: 0} {
		e.asked = nil
		ctx, cancel := context.WithTimeout(t.Context(), left)
		search := assistants.Search{Vector: []float32{1, 0}}
		if degraded, err := w.reduce(ctx, &search, a, map[string]bool{"arvik": true}, "the rest", spaceSet{}); err != nil || degraded {
			t.Error(err, degraded)
		}
		if cancel(); len(e.asked) != want {
			t.Errorf("with %s left it was asked for %q", left, e.asked)
		}
	}
}

// TestAVectorOfTheRestAdaptsToItsWords, also where words are not searched for.
func TestAVectorOfTheRestAdaptsToItsWords(t *testing.T) {
	x, s := protocols()
	x.answer = anyway([]assistants.Match{{ChunkID: "chunka0", DocumentID: "arvik", Version: 1, Score: 0.6}})
	var shares []float64
	q := query(aboutArvik)
	q.Mode = assistants.SearchVector
	retrieve(t, New(glossaryIndex{x, []string{"dendrit", "vaccin", "stop"}}, s, Options{Embedder: sharing{&shares}, Spaces: known(0)}), q)
	if want := []float64{3.0 / 7, 0.5}; !slices.Equal(shares, want) {
		t.Errorf("adapted to shares of %v known words, want %v", shares, want)
	}
}

// sharing notes the shares of known words that its vectors are adapted to.
type sharing struct{ shares *[]float64 }

func (e sharing) EmbedQuery(context.Context, string) (assistants.QueryVector, error) {
	v := assistants.QueryVector{Vector: []float32{1, 0}, Space: space, Trust: 1}
	whole := v
	v.Adapt = func(known float64) assistants.QueryVector {
		*e.shares = append(*e.shares, known)
		return whole
	}
	return v, nil
}

// TestOneWordIsARestOfAQuestionThatNamesItsDocument.
func TestOneWordIsARestOfAQuestionThatNamesItsDocument(t *testing.T) {
	x, s := protocols()
	list := names{"t1": {{ID: "arvik", Name: "Arvik protocol.pdf"}, {ID: "tornbach", Name: "Tornbach protocol.pdf"}}}
	retrieve(t, New(x, s, Options{Names: list}), query("Arvik protocol: nurse?"))
	if rest := x.asked[len(x.asked)-1]; !slices.Equal(rest.Documents, []assistants.DocumentID{"arvik"}) || !slices.Equal(rest.Terms, []string{"nurs"}) {
		t.Errorf("within the document: %+v", rest)
	}
}

// TestAnUndividedTextIsSearchedOnce: a passage that others are compared with is no question.
func TestAnUndividedTextIsSearchedOnce(t *testing.T) {
	x, s := protocols()
	q := query(aboutArvik)
	q.Undivided = true
	if retrieve(t, New(x, s, Options{}), q); len(x.asked) != 1 {
		t.Errorf("searched %d times", len(x.asked))
	}
}

// TestTheBestMatchIsJudgedAsTheOrderIs: by which document the question names, and which
// replaces it.
func TestTheBestMatchIsJudgedAsTheOrderIs(t *testing.T) {
	matches := []assistants.Match{{DocumentID: "old", Score: 0.8}, {DocumentID: "named", Score: 0.7}}
	replaced := func(d assistants.DocumentID) assistants.DocumentID {
		return map[assistants.DocumentID]assistants.DocumentID{"old": "new"}[d]
	}
	for want, c := range map[assistants.DocumentID]choice{
		"old":   {},
		"named": {fits: map[assistants.DocumentID]float64{"named": 1}, sure: 1},
		"new":   {inFront: replaced},
	} {
		if got := c.bestOf(matches, 0.3); got != want {
			t.Errorf("%s is best, want %s", got, want)
		}
	}
	if got := (choice{}).bestOf(matches, 0.9); got != "" {
		t.Errorf("%s is best, below the threshold", got)
	}
}

// TestBlendedScores is a property: the best passage of the documents keeps its score, others
// keep theirs, and nothing that was found is lost.
func TestBlendedScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const threshold = 0.3
		match := rapid.Custom(func(t *rapid.T) assistants.Match {
			return assistants.Match{
				ChunkID:    assistants.ChunkID(rapid.StringMatching(`[a-j]`).Draw(t, "chunk")),
				DocumentID: assistants.DocumentID(rapid.SampledFrom([]string{"d1", "d2", "d3"}).Draw(t, "document")),
				Score:      float64(rapid.IntRange(0, 100).Draw(t, "score")) / 100,
			}
		})
		list := func(label string, documents ...assistants.DocumentID) []assistants.Match {
			all := rapid.SliceOfNDistinct(match, 0, 8, func(m assistants.Match) assistants.ChunkID { return m.ChunkID }).Draw(t, label)
			for i := range all { // a passage is of one document
				all[i].DocumentID = []assistants.DocumentID{"d1", "d2", "d3"}[all[i].ChunkID[0]%3]
			}
			all = slices.DeleteFunc(all, func(m assistants.Match) bool { return !slices.Contains(documents, m.DocumentID) })
			slices.SortFunc(all, func(a, b assistants.Match) int { return cmp.Compare(b.Score, a.Score) })
			return all
		}
		documents := []assistants.DocumentID{"d1", "d2"}
		found, within := list("found", "d1", "d2", "d3"), list("within", documents...)
		got := blend(slices.Clone(found), within, documents, threshold)
		scores, best, top := map[assistants.ChunkID]float64{}, 0.0, 0.0
		for i, m := range got {
			if i > 0 && m.Score > got[i-1].Score || m.Score < 0 || m.Score > 1+1e-9 {
				t.Fatalf("not in order: %v", got)
			}
			if _, twice := scores[m.ChunkID]; twice {
				t.Fatalf("%s is there twice: %v", m.ChunkID, got)
			}
			if scores[m.ChunkID] = m.Score; m.DocumentID != "d3" {
				top = max(top, m.Score)
			}
		}
		for _, m := range within {
			if _, ok := scores[m.ChunkID]; ok && m.Score < threshold && !slices.ContainsFunc(found, func(f assistants.Match) bool { return f.ChunkID == m.ChunkID }) {
				t.Fatalf("%v was found by nobody", m)
			}
		}
		for _, m := range found {
			score, ok := scores[m.ChunkID]
			switch {
			case !ok, m.DocumentID == "d3" && score != m.Score, score < min(m.Score, threshold):
				t.Fatalf("%v has %f now", m, score)
			case m.DocumentID != "d3":
				best = max(best, m.Score)
			}
		}
		if best > 0 && (top > best+1e-9 || top < best-1e-9) {
			t.Fatalf("the best has %f, not %f", top, best)
		}
	})
}
