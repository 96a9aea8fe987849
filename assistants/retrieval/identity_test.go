package retrieval

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"footnote/assistants"
)

func namesOf(names ...string) *nameIndex {
	var list []assistants.DocumentName
	for _, n := range names {
		list = append(list, assistants.DocumentName{ID: assistants.DocumentID(n), Name: n})
	}
	return newNameIndex(nil, list, 1, time.Time{})
}

// family has documents as many collections have them.
var family = []string{
	"3M_2018_10K.pdf", "3M_2022_10K.pdf", "ACTIVISIONBLIZZARD_2019_10K.pdf", "AMCOR_2023Q4_EARNINGS.pdf", "AMCOR_2023_10K.pdf", "BESTBUY_2023_10K.pdf",
	"corvane-annual-report-2020.pdf", "corvane-annual-report-2021.pdf", "halvorsen annual report 2021.pdf", "office-lease.pdf", "office-lease-amendment-1.pdf", "office-lease-amendment-2.pdf",
	"td-310-manual-v1.pdf", "td-310-manual-v2.pdf", "vr-8-manual-v2.pdf", "ferrand-price-list-2024-q1.pdf", "ferrand-price-list-2024-q3.pdf", "Arbeitsvertrag Müller.docx",
}

func TestAQuestionChoosesTheDocumentThatItNames(t *testing.T) {
	x := namesOf(family...)
	for question, want := range map[string]string{
		"What is the FY2018 capital expenditure amount for 3M?":          "3M_2018_10K.pdf",
		"How did 3M's margin develop in FY22?":                           "3M_2022_10K.pdf",
		"What is Activision Blizzard's capex in 2019?":                   "ACTIVISIONBLIZZARD_2019_10K.pdf",
		"Which drivers does Best Buy name for its results?":              "BESTBUY_2023_10K.pdf",
		"What did Amcor earn in the fourth quarter of 2023?":             "AMCOR_2023Q4_EARNINGS.pdf",
		"What was Corvane's revenue in FY 21?":                           "corvane-annual-report-2021.pdf",
		"Halvorsen: capex in 2021":                                       "halvorsen annual report 2021.pdf",
		"To what did Amendment No. 2 of the office lease change the fee": "office-lease-amendment-2.pdf",
		"How heavy is the TD-310 in manual version 2?":                   "td-310-manual-v2.pdf",
		"Noise of the VR-8?":                                             "vr-8-manual-v2.pdf",
		"Price of M6 bolts from Ferrand in Q3 2024":                      "ferrand-price-list-2024-q3.pdf",
		"Price of M6 bolts at Ferrand in the first quarter of 2024":      "ferrand-price-list-2024-q1.pdf",
		"What is the newest price of M6 bolts at Ferrand?":               "ferrand-price-list-2024-q3.pdf",
		"Was steht im Arbeitsvertrag von Herrn Müller zum Urlaub?":       "Arbeitsvertrag Müller.docx",
	} {
		if c := x.choose(question, nil); len(c.best) != 1 || c.best[0].Name != want {
			t.Errorf("%s\nchose %v, want %s", question, c.best, want)
		}
	}
}

func TestAQuestionThatNamesNothingChoosesNothing(t *testing.T) {
	x := namesOf(family...)
	for _, question := range []string{"How many days of holiday do I get?", "What is to be done, and in what order?", "", "???", "1", "No. 7"} {
		if c := x.choose(question, nil); c.sure != 0 || c.best != nil {
			t.Errorf("%q chose %v", question, c.best)
		}
	}
	if c := namesOf("handbook.pdf").choose("What does the handbook say?", nil); c.sure != 0 {
		t.Errorf("a single document was chosen: %v", c.best)
	}
}

func TestLookAlikesAreNamed(t *testing.T) {
	x := namesOf(family...)
	for question, want := range map[string]int{
		"What was Corvane's revenue?":                                 2,
		"What was Corvane's latest revenue?":                          0,
		"What was Corvane's revenue in 2021?":                         0,
		"What do the TD-310 manuals say about noise?":                 2,
		"What did Corvane and Halvorsen earn?":                        0, // different, not alike
		"Who signed the office lease?":                                0, // an amendment is another kind
		"Is there anything about 2021?":                               0,
		"What do you know of the lease as it stands now, the newest?": 0,
	} {
		if got := x.choose(question, nil).lookAlikes(); len(got) != want {
			t.Errorf("%s: %v, want %d", question, got, want)
		}
	}
}

// TestChoosingKeepsTheOrderWithinADocument checks what choosing may not do: it never
// raises a score, and never changes the order of passages of one document.
func TestChoosingKeepsTheOrderWithinADocument(t *testing.T) {
	c := namesOf(family...).choose("What was Corvane's revenue in 2021, compared with Halvorsen's?", nil)
	var matches []assistants.Match
	for i := range 60 {
		d := assistants.DocumentID(family[i*7%len(family)])
		matches = append(matches, assistants.Match{ChunkID: assistants.ChunkID(fmt.Sprint(i)), DocumentID: d, Score: 1 - float64(i)/100})
	}
	before := slices.Clone(matches)
	scores := map[assistants.ChunkID]float64{}
	of := func(list []assistants.Match) map[assistants.DocumentID]string {
		out := map[assistants.DocumentID]string{}
		for _, m := range list {
			out[m.DocumentID] += string(m.ChunkID) + " "
		}
		return out
	}
	for _, m := range before {
		scores[m.ChunkID] = m.Score
	}
	after := c.weigh(matches, 0)
	if len(after) != len(before) {
		t.Fatalf("%d matches of %d", len(after), len(before))
	}
	for d, order := range of(before) {
		if of(after)[d] != order {
			t.Errorf("%s: %s, was %s", d, of(after)[d], order)
		}
	}
	for _, m := range after {
		if m.Score > scores[m.ChunkID] || m.Score < scores[m.ChunkID]*otherWorth {
			t.Errorf("%s: %f became %f", m.ChunkID, scores[m.ChunkID], m.Score)
		}
	}
	if after[0].DocumentID != "corvane-annual-report-2021.pdf" {
		t.Errorf("%s is first", after[0].DocumentID)
	}
}

// names lists documents by tenant.
type names map[assistants.TenantID][]assistants.DocumentName

func (n names) DocumentNames(_ context.Context, tenant assistants.TenantID, _ []assistants.CollectionID, _ []assistants.DocumentName) ([]assistants.DocumentName, error) {
	return n[tenant], nil
}

func TestADocumentThatMayNotBeSearchedIsNotChosen(t *testing.T) {
	list := []assistants.DocumentName{{ID: "a", Name: "alpha.pdf"}, {ID: "b", Name: "beta.pdf"}}
	r := New(nil, nil, Options{Names: names{"one": list}})
	identify := func(tenant assistants.TenantID, permitted []assistants.DocumentID) choice {
		w := &run{Retriever: r, q: Query{Tenant: tenant, Collections: []assistants.CollectionID{"c"}}, trace: &Trace{Generation: 1}}
		c, fresh, err := w.identify(t.Context(), "What does alpha say?", scope{w.q.Collections, permitted})
		if err != nil || !fresh {
			t.Fatal(fresh, err)
		}
		return c
	}
	if c := identify("one", nil); len(c.best) != 1 || c.best[0].ID != "a" {
		t.Errorf("chose %v of all", c.best)
	}
	if c := identify("one", []assistants.DocumentID{"b"}); c.sure != 0 {
		t.Errorf("chose %v, which a filter left out", c.best)
	}
	if c := identify("another", nil); c.sure != 0 {
		t.Errorf("chose %v of another tenant", c.best)
	}
}

func TestAnInstructionThatChoosesADocumentMakesAnotherSearch(t *testing.T) {
	x, s := world(2)
	x.generation = 1
	list := []assistants.DocumentName{{ID: "doc00", Name: "Acme annual report 2021.md"}, {ID: "doc01", Name: "Acme annual report 2022.md"}}
	r := New(x, s, Options{Names: names{"t1": list}})
	for i, d := range []int{0, 1, 0} {
		x.asked = nil
		res := retrieve(t, r, query(fmt.Sprintf("What was the revenue of the group? Use the Acme annual report %d only.", 2021+d)))
		if i == 2 {
			if !res.Trace.Cached {
				t.Error("the first question was asked again")
			}
			break
		}
		if res.Trace.Cached || len(x.asked) != 2 || !slices.Equal(x.asked[1].Documents, []assistants.DocumentID{list[d].ID}) {
			t.Errorf("%d: cached %v, asked %+v", 2021+d, res.Trace.Cached, x.asked)
		}
	}
}

// slowNames answers when it is released, and counts how often it was asked.
type slowNames struct {
	names
	asked   atomic.Int32
	release chan struct{}
}

func (n *slowNames) DocumentNames(ctx context.Context, tenant assistants.TenantID, _ []assistants.CollectionID, _ []assistants.DocumentName) ([]assistants.DocumentName, error) {
	n.asked.Add(1)
	select {
	case <-n.release:
		return n.names[tenant], nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestManyQuestionsAtOnceReadTheNamesOnce: after a start the names are not in memory. One
// read serves all questions, also those that come after the first one gave up.
func TestManyQuestionsAtOnceReadTheNamesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := &slowNames{names: names{"one": {{ID: "a", Name: "alpha.pdf"}, {ID: "b", Name: "beta.pdf"}}}, release: make(chan struct{})}
		r := New(nil, nil, Options{Names: list})
		identify := func(ctx context.Context) (choice, error) {
			w := &run{Retriever: r, q: Query{Tenant: "one", Collections: []assistants.CollectionID{"c"}}, trace: &Trace{Generation: 1}}
			c, _, err := w.identify(ctx, "What does alpha say?", scope{w.q.Collections, nil})
			return c, err
		}
		leaving, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := identify(leaving); !errors.Is(err, context.Canceled) {
				t.Errorf("the first question ends with %v", err)
			}
		})
		synctest.Wait()
		leave()
		for range 50 {
			all.Go(func() {
				if c, err := identify(t.Context()); err != nil || len(c.best) != 1 {
					t.Errorf("chose %v, %v", c.best, err)
				}
			})
		}
		synctest.Wait()
		close(list.release)
		all.Wait()
		if n := list.asked.Load(); n != 1 {
			t.Errorf("the names were read %d times", n)
		}
	})
}

func FuzzPartsOfNamesAndQuestions(f *testing.F) {
	for _, name := range append(family, "FY'21 3Q Q3 v2.0 No. 3", "été_2020.PDF", "\xff\xfe", "٢٠٢١") {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for part := range partsOf(text) {
			if part == "" || strings.ToLower(part) != part || strings.ContainsAny(part, " _-./") {
				t.Errorf("%q has the part %q", text, part)
			}
		}
		if got, want := piecesOf(text), regexp.MustCompile(`(?:19|20)\d\d|\p{L}[\p{L}\p{M}]*|\d+`).FindAllString(text, -1); !slices.Equal(got, want) {
			t.Errorf("%q has the pieces %q, want %q", text, got, want)
		}
		x := namesOf(text, "other.pdf")
		c := x.choose(text, nil)
		for d, fit := range c.fits {
			if fit < 0 || fit > 1 {
				t.Errorf("%s fits by %f", d, fit)
			}
		}
	})
}
