package demo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// question is a line of questions.jsonl.
type question struct {
	Question string
	Document string
	Page     int
	Passage  string
	Expect   string
}

func questions(t *testing.T) []question {
	t.Helper()
	f, err := os.Open("questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []question
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		var q question
		if err := d.Decode(&q); err != nil {
			t.Fatalf("line %d: %v", len(all)+1, err)
		}
		all = append(all, q)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTheDemoHasEveryFormatAndALongPDF(t *testing.T) {
	entries, err := Documents.ReadDir(Folder)
	if err != nil {
		t.Fatal(err)
	}
	formats := map[string]int{}
	for _, e := range entries {
		if e.IsDir() {
			t.Errorf("%s is a folder", e.Name())
		}
		formats[path.Ext(e.Name())]++
	}
	for _, ext := range []string{".txt", ".md", ".html", ".pdf"} {
		if formats[ext] == 0 {
			t.Errorf("no document ends in %s", ext)
		}
	}
	if len(entries) < 7 {
		t.Errorf("%d documents, want 7 or more", len(entries))
	}
	if n := len(pages(t, "employee-handbook.pdf")); n < 10 {
		t.Errorf("employee-handbook.pdf has %d pages, want 10 or more", n)
	}
}

func TestEveryQuestionIsAnsweredByItsPassageWhereItSays(t *testing.T) {
	answered, off := 0, 0
	for _, q := range questions(t) {
		if q.Expect == "no_sources" {
			off++
			continue
		}
		answered++
		text := pages(t, q.Document)
		isPDF := path.Ext(q.Document) == ".pdf"
		passage := q.Passage
		if isPDF { // Footnote puts bars between the cells of a row, where poppler has space
			passage = strings.ReplaceAll(passage, " | ", " ")
		}
		if n := max(q.Page, 1); n > len(text) || !strings.Contains(text[n-1], fold(passage)) {
			t.Errorf("%q is not on page %d of %s", q.Passage, q.Page, q.Document)
		}
		if isPDF != (q.Page > 0) {
			t.Errorf("%q: only and all PDF documents have pages", q.Question)
		}
		if strings.Contains(fold(q.Question), fold(q.Passage)) {
			t.Errorf("%q gives its own answer away", q.Question)
		}
	}
	if answered != 20 || off != 5 {
		t.Errorf("%d questions with and %d without an answer, want 20 and 5", answered, off)
	}
}

func TestQuestionsWithoutAnAnswerShareNoWordWithTheDocuments(t *testing.T) {
	entries, err := Documents.ReadDir(Folder)
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{}
	for _, e := range entries {
		for _, page := range pages(t, e.Name()) {
			for _, w := range strings.FieldsFunc(strings.ToLower(page), notLetter) {
				words[w] = e.Name()
			}
		}
	}
	small := map[string]bool{"the": true, "of": true, "for": true, "with": true, "who": true, "which": true}
	for _, q := range questions(t) {
		if q.Expect == "" {
			continue
		}
		for _, w := range strings.FieldsFunc(strings.ToLower(q.Question), notLetter) {
			if in, found := words[w]; found && !small[w] {
				t.Errorf("%q: %q stands in %s", q.Question, w, in)
			}
		}
	}
}

func notLetter(r rune) bool { return r < 'a' || r > 'z' }

// fold makes every run of white space one space.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

var tags = regexp.MustCompile(`(?s)<style.*?</style>|<[^>]*>`)

// pages returns the text of each page of a document, folded; formats without
// pages are one.
func pages(t *testing.T, name string) []string {
	t.Helper()
	raw, err := Documents.ReadFile(path.Join(Folder, name))
	if err != nil {
		t.Fatal(err)
	}
	switch path.Ext(name) {
	case ".html":
		return []string{fold(html.UnescapeString(tags.ReplaceAllString(string(raw), " ")))}
	case ".pdf":
		return pdfPages(t, raw)
	}
	return []string{fold(string(raw))}
}

// pdfPages reads a PDF with poppler's pdftotext, so that this package agrees
// with a reader other than the one Footnote uses.
func pdfPages(t *testing.T, raw []byte) []string {
	t.Helper()
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		if inCI, _ := strconv.ParseBool(os.Getenv("CI")); inCI {
			t.Fatal("pdftotext (package poppler-utils) is needed in CI")
		}
		t.Skip("pdftotext (package poppler-utils) is not installed")
	}
	file := filepath.Join(t.TempDir(), "document.pdf")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), tool, file, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSuffix(string(out), "\f"), "\f")
	for i := range all {
		all[i] = fold(all[i])
	}
	return all
}
