package gold

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"go.uber.org/goleak"

	"golang.org/x/text/unicode/norm"

	"footnote/assistants/evaluation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The gold sets, by their files.
const (
	tuning        = "questions.jsonl"
	heldOut       = "questions_heldout.jsonl"
	conversations = "conversations.jsonl"
	aboutDemo     = "demo.jsonl"
)

var sets = []string{tuning, heldOut, conversations, aboutDemo}

// document is a line of documents.json.
type document struct {
	Name     string
	Package  string
	Version  string
	Path     string
	SHA256   string
	Pages    int
	Language string
	Licence  string
}

func documents(t *testing.T) map[string]document {
	t.Helper()
	raw, err := os.ReadFile("documents.json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var list []document
	if err := d.Decode(&list); err != nil {
		t.Fatal(err)
	}
	byName := map[string]document{}
	for _, doc := range list {
		if _, twice := byName[doc.Name]; twice {
			t.Errorf("%s is listed twice", doc.Name)
		}
		byName[doc.Name] = doc
		if !bytes.Contains(raw, []byte("\n  {\"name\": \""+doc.Name+"\", ")) {
			t.Errorf("%s has no line of its own, as fetch.sh needs it", doc.Name)
		}
	}
	return byName
}

func questions(t *testing.T, set string) []evaluation.Question {
	t.Helper()
	f, err := os.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := evaluation.Read(f)
	if err != nil {
		t.Fatalf("%s: %v", set, err)
	}
	return list
}

// inOwnLanguage leaves out what is asked in another language than the document's.
func inOwnLanguage(list []evaluation.Question) []evaluation.Question {
	return slices.DeleteFunc(slices.Clone(list), func(q evaluation.Question) bool { return q.Cross })
}

var hexSum = regexp.MustCompile(`^[0-9a-f]{64}$`)

func TestTheDocumentsAreManyAndDiverse(t *testing.T) {
	languages, pages := map[string]bool{}, 0
	all := documents(t)
	for name, d := range all {
		languages[d.Language] = true
		pages += d.Pages
		if !strings.HasSuffix(name, ".pdf") || !strings.HasSuffix(strings.TrimSuffix(d.Path, ".gz"), ".pdf") {
			t.Errorf("%s (%s) is not a PDF", name, d.Path)
		}
		if !hexSum.MatchString(d.SHA256) {
			t.Errorf("%s: %q is not a SHA-256 sum", name, d.SHA256)
		}
		if d.Package == "" || d.Version == "" || d.Licence == "" || d.Pages < 1 {
			t.Errorf("%s: package, version, licence or pages is missing", name)
		}
	}
	if len(all) < 6 || len(languages) < 3 || pages < 400 {
		t.Errorf("%d documents in %d languages with %d pages, want 6, 3 and 400 or more", len(all), len(languages), pages)
	}
}

func TestThereAreEnoughQuestionsAndAThirdIsHeldOut(t *testing.T) {
	count := func(set string) int { return len(inOwnLanguage(questions(t, set))) }
	tune, held := count(tuning), count(heldOut)
	if tune < 160 || held < 90 || tune+held < 250 || 3*held < tune+held {
		t.Errorf("%d questions to tune on and %d held out, want 160 and 90 or more, and a third held out", tune, held)
	}
	if n := count(conversations); n < 100 {
		t.Errorf("%d conversations, want 100 or more", n)
	}
	if n := len(questions(t, aboutDemo)); n < 25 {
		t.Errorf("%d questions about the demo, want 25 or more", n)
	}
	for _, set := range []string{tuning, heldOut, conversations} {
		about := map[string]int{}
		for _, q := range inOwnLanguage(questions(t, set)) {
			about[q.Document]++
		}
		for name := range documents(t) {
			if about[name] < 10 {
				t.Errorf("%s: %d questions about %s, want 10 or more", set, about[name], name)
			}
		}
	}
}

var (
	questionKinds     = []string{"fact", "howto", "definition", "number", "table", "negation", "comparison"}
	conversationKinds = []string{"ellipsis", "pronoun", "correction", "switch"}
)

func TestEachQuestionIsWhole(t *testing.T) {
	all, seen := documents(t), map[string]string{}
	for _, set := range sets {
		for _, q := range questions(t, set) {
			if other, twice := seen[q.ID]; twice || strings.HasPrefix(q.ID, "line-") {
				t.Errorf("%s: the id %s is missing, or in %s too", set, q.ID, other)
			}
			seen[q.ID] = set
			kinds := questionKinds
			if set == conversations {
				kinds = conversationKinds
			} else if q.Answer == "" {
				t.Errorf("%s has no answer", q.ID)
			}
			if !slices.Contains(kinds, q.Kind) {
				t.Errorf("%s: the kind %q is not one of %q", q.ID, q.Kind, kinds)
			}
			checkPassage(t, q)
			if set == aboutDemo {
				continue
			}
			d, listed := all[q.Document]
			if !listed {
				t.Errorf("%s: %s is not listed", q.ID, q.Document)
			}
			if q.Language == "" || (q.Language != d.Language) != q.Cross {
				t.Errorf("%s: asked in %q about a document in %q, cross is %t", q.ID, q.Language, d.Language, q.Cross)
			}
			if len(q.Pages) == 0 || q.Pages[0] < 1 || q.Pages[len(q.Pages)-1] > d.Pages || !slices.IsSorted(q.Pages) || len(slices.Compact(slices.Clone(q.Pages))) != len(q.Pages) {
				t.Errorf("%s: pages %v, want some from 1 to %d, each once and in order", q.ID, q.Pages, d.Pages)
			}
		}
	}
}

// checkPassage checks what can be checked of a passage without its document.
func checkPassage(t *testing.T, q evaluation.Question) {
	t.Helper()
	if q.Passage != fold(q.Passage) {
		t.Errorf("%s: white space or composition of %q", q.ID, q.Passage)
	}
	least := 15
	if strings.ContainsFunc(q.Passage, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }) {
		least = 10 // each sign says more
	}
	if n := utf8.RuneCountInString(q.Passage); n < least || n > 200 {
		t.Errorf("%s: the passage has %d characters, want %d to 200", q.ID, n, least)
	}
	for _, m := range q.Messages() {
		if m.Role == "user" && strings.Contains(fold(m.Content), q.Passage) {
			t.Errorf("%s gives its own passage away", q.ID)
		}
	}
}

func TestConversationsTakeTurnsAndSomeChangeTheSubject(t *testing.T) {
	list, kinds := questions(t, conversations), map[string]int{}
	for _, q := range list {
		kinds[q.Kind]++
		if n := len(q.Turns); n != 3 && n != 5 {
			t.Errorf("%s has %d turns, want two or three of the user's with answers between", q.ID, n)
		}
		for i, turn := range q.Turns {
			if (turn.Role == "user") != (i%2 == 0) {
				t.Errorf("%s: turn %d is the %s's", q.ID, i+1, turn.Role)
			}
		}
		if q.WrittenOut == "" {
			t.Errorf("%s: the last question is not written out", q.ID)
		}
	}
	if share := float64(kinds["switch"]) / float64(len(list)); share < 0.15 || share > 0.3 {
		t.Errorf("%.0f %% of the conversations end on another subject, want 15 to 30 %%", 100*share)
	}
	if kinds["ellipsis"] < 20 || kinds["pronoun"] < 15 || kinds["correction"] < 5 {
		t.Errorf("the conversations are %v", kinds)
	}
}

func TestHeldOutQuestionsAskAboutOtherPassages(t *testing.T) {
	known := slices.Concat(questions(t, tuning), questions(t, conversations))
	pages, shared := map[string]map[int]bool{}, 0
	for _, q := range questions(t, tuning) {
		for _, page := range q.Pages {
			if pages[q.Document] == nil {
				pages[q.Document] = map[int]bool{}
			}
			pages[q.Document][page] = true
		}
	}
	held := questions(t, heldOut)
	for _, h := range held {
		for _, q := range known {
			if h.Document == q.Document && (strings.Contains(h.Passage, q.Passage) || strings.Contains(q.Passage, h.Passage)) {
				t.Errorf("the passage of %s is that of %s", h.ID, q.ID)
			}
			if q.Question == h.Question {
				t.Errorf("%s and %s ask the same", h.ID, q.ID)
			}
		}
		if slices.ContainsFunc(h.Pages, func(page int) bool { return pages[h.Document][page] }) {
			shared++
		}
	}
	// Pages where an answer stands once more, in passing, count as well; for those
	// of the passages see TestEachPassageStandsOnAPageItNames.
	if 10*shared > len(held) {
		t.Errorf("%d of %d held-out questions share a page with one to tune on, want one in ten at most", shared, len(held))
	}
}

func TestQuestionsAreInAReadersWordsNotInThePages(t *testing.T) {
	for _, set := range sets {
		share, list := 0.0, inOwnLanguage(questions(t, set))
		for _, q := range list {
			asked := q.Question
			if asked == "" {
				asked = q.WrittenOut
			}
			words, passage := contentWords(asked), contentWords(q.Passage)
			common := 0
			for _, w := range words {
				if slices.Contains(passage, w) {
					common++
				}
			}
			share += float64(common) / float64(max(1, len(words)))
			if run := commonRun(asked, q.Passage); run >= 5 {
				t.Errorf("%s: %d words in a row are the passage's", q.ID, run)
			}
		}
		mean := share / float64(len(list))
		t.Logf("%s: %.1f %% of a question's content words stand in its passage", set, 100*mean)
		if most := map[string]float64{conversations: 0.2}[set]; mean > max(most, 0.12) {
			t.Errorf("%s: %.1f %% of a question's content words stand in its passage", set, 100*mean)
		}
	}
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// contentWords are the words of four letters or more: without a list of small
// words for each language.
func contentWords(s string) []string {
	words := slices.DeleteFunc(wordsOf(s), func(w string) bool { return utf8.RuneCountInString(w) < 4 })
	slices.Sort(words)
	return slices.Compact(words)
}

// commonRun is the number of words of the longest run that stands in both.
func commonRun(a, b string) int {
	x, y, longest := wordsOf(a), wordsOf(b), 0
	for i := range x {
		for j := range y {
			n := 0
			for i+n < len(x) && j+n < len(y) && x[i+n] == y[j+n] {
				n++
			}
			longest = max(longest, n)
		}
	}
	return longest
}

// fold makes every run of white space one space, and composes accents: some PDF
// documents write them as characters of their own.
func fold(s string) string { return norm.NFC.String(strings.Join(strings.Fields(s), " ")) }
