package gold

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"footnote/assistants/evaluation"
	"footnote/cmd/footnote/demo"
)

// needed skips a test for which something is missing; in CI it fails instead.
func needed(t *testing.T, missing string) {
	t.Helper()
	if inCI, _ := strconv.ParseBool(os.Getenv("CI")); inCI {
		t.Fatal(missing)
	}
	t.Skip(missing)
}

// pdfPages is the text of each page, folded, as poppler's pdftotext reads it:
// the questions must not rest on what Footnote reads itself.
func pdfPages(t *testing.T, file string) []string {
	t.Helper()
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		needed(t, "pdftotext (package poppler-utils) is not installed")
	}
	out, err := exec.CommandContext(t.Context(), tool, file, "-").Output()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	all := strings.Split(strings.TrimSuffix(string(out), "\f"), "\f")
	for i := range all {
		all[i] = fold(all[i])
	}
	return all
}

func TestEachPassageStandsOnAPageItNames(t *testing.T) {
	folder := os.Getenv("FOOTNOTE_TEST_GOLD")
	if folder == "" {
		needed(t, "FOOTNOTE_TEST_GOLD does not name the folder that fetch.sh filled")
	}
	texts := map[string][]string{}
	for name, d := range documents(t) {
		file := filepath.Join(folder, name)
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != d.SHA256 {
			t.Errorf("%s is another file than the listed one", name)
		}
		texts[name] = pdfPages(t, file)
		if n := len(texts[name]); n != d.Pages {
			t.Errorf("%s has %d pages, %d are listed", name, n, d.Pages)
		}
	}
	known, shared := map[string]bool{}, 0
	for _, set := range []string{tuning, heldOut, conversations} {
		for _, q := range questions(t, set) {
			at := fmt.Sprint(q.Document, checkStands(t, q, texts[q.Document]))
			switch {
			case set == tuning:
				known[at] = true
			case set == heldOut && known[at]:
				shared++
			}
		}
	}
	if held := len(questions(t, heldOut)); 20*shared > held {
		t.Errorf("the passages of %d of %d held-out questions share a page with one to tune on, want one in twenty at most", shared, held)
	}
}

func TestEachPassageAboutTheDemoStandsInItsDocument(t *testing.T) {
	texts := map[string][]string{}
	for _, q := range questions(t, aboutDemo) {
		if texts[q.Document] == nil {
			texts[q.Document] = demoPages(t, q.Document)
		}
		if isPDF := path.Ext(q.Document) == ".pdf"; isPDF != (len(q.Pages) > 0) {
			t.Errorf("%s: only and all PDF documents have pages", q.ID)
		} else if !isPDF {
			q.Pages = []int{1}
		}
		checkStands(t, q, texts[q.Document])
	}
}

// checkStands returns the page on which a question's passage stands.
func checkStands(t *testing.T, q evaluation.Question, text []string) int {
	t.Helper()
	for _, page := range q.Pages {
		if page <= len(text) && strings.Contains(text[page-1], q.Passage) {
			return page
		}
	}
	t.Errorf("%s: %q is on none of the pages %v of %s", q.ID, q.Passage, q.Pages, q.Document)
	return 0
}

var tags = regexp.MustCompile(`(?s)<style.*?</style>|<[^>]*>`)

// demoPages is the text of each page of a sample document; formats without
// pages are one.
func demoPages(t *testing.T, name string) []string {
	t.Helper()
	raw, err := demo.Documents.ReadFile(path.Join(demo.Folder, name))
	if err != nil {
		t.Fatal(err)
	}
	switch path.Ext(name) {
	case ".html":
		return []string{fold(html.UnescapeString(tags.ReplaceAllString(string(raw), " ")))}
	case ".pdf":
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		return pdfPages(t, file)
	}
	return []string{fold(string(raw))}
}
