//go:build !race

package sandbox

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/ingestion/extract"
)

// mutations is how many damaged files are read. The nightly run reads 10,000,
// the first of which are the same files.
var mutations = flag.Int("mutations", 100, "how many mutated files are read")

// A seed is a sound file of one of the formats.
type seed struct {
	name string
	raw  []byte
}

// seeds are the test documents, by format.
func seeds(t *testing.T) map[string][]seed {
	t.Helper()
	all := map[string][]seed{}
	for _, pattern := range []string{"../testdata/*.*", "../extract/pdf/testdata/*.*", "../extract/office/testdata/*.*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			format := strings.ToLower(filepath.Ext(file))
			if format == ".py" || format == ".golden" {
				continue
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(raw) > 0 && len(raw) < maxMutated {
				all[format] = append(all[format], seed{filepath.Base(file), raw})
			}
		}
	}
	return all
}

// Whatever is done to a file, what comes of it is a text that keeps its
// promises, or an error that the person who uploaded it understands. The
// numbers of mutations name them: the same number is the same file.
func TestMutatedFilesNeverHarmTheServer(t *testing.T) {
	number := *mutations
	files := seeds(t)
	formats := slices.Sorted(func(yield func(string) bool) {
		for format := range files {
			if !yield(format) {
				return
			}
		}
	})
	var others [][]byte
	for _, format := range formats {
		for _, s := range files[format] {
			others = append(others, s.raw)
		}
	}
	x := New(Config{CacheDir: t.TempDir(), Limits: mutatedLimits})
	dir, before := t.TempDir(), openFiles(t)
	var (
		working sync.WaitGroup
		next    = make(chan int)
		results = make(chan string, number)
	)
	for range runtime.GOMAXPROCS(0) {
		working.Go(func() {
			for i := range next {
				random := rand.New(rand.NewPCG(uint64(i), 7)) //nolint:gosec // the same every time
				of := files[formats[i%len(formats)]]
				s := of[random.IntN(len(of))]
				raw, how := mutator{random, others}.mutate(s.raw)
				results <- readMutated(t, x, dir, i, seed{s.name, raw}, how)
			}
		})
	}
	for i := range number {
		next <- i
	}
	close(next)
	working.Wait()
	close(results)
	counts := map[string]int{}
	for r := range results {
		counts[r]++
	}
	t.Logf("%d files of %d formats: %v", number, len(formats), counts)
	if after := openFiles(t); after > before {
		t.Errorf("%d open files, %d before", after, before)
	}
	checkChildMemory(t, x.cfg.Limits.Memory)
}

// readMutated reads a damaged file and returns what came of it: a code, or "text".
func readMutated(t *testing.T, x *Extractor, dir string, number int, s seed, how string) string {
	f, err := os.CreateTemp(dir, "mutated-*")
	if err != nil {
		t.Error(err)
		return "error"
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.Write(s.raw); err != nil {
		t.Error(err)
		return "error"
	}
	doc, err := x.Extract(t.Context(), f, Hint{Name: s.name})
	if err == nil {
		if err := doc.Check(); err != nil || strings.TrimSpace(doc.Text) == "" {
			t.Errorf("mutation %d of %s (%s): %d bytes of text, %v", number, s.name, how, len(doc.Text), err)
		}
		return "text"
	}
	var bad *extract.Error
	if !errors.As(err, &bad) {
		t.Errorf("mutation %d of %s (%s): %v", number, s.name, how, err)
		return "error"
	}
	if !isSentence(bad.Message) || !slices.Contains(codes, bad.Code) {
		t.Errorf("mutation %d of %s (%s): %s: %q is not a sentence for a person", number, s.name, how, bad.Code, bad.Message)
	}
	if bad.Code == extract.CodeParserFailed {
		t.Logf("mutation %d of %s (%s): %.600v", number, s.name, how, bad.Err)
	}
	return bad.Code
}

var codes = []string{extract.CodeUnreadable, extract.CodeEncrypted, extract.CodeTooComplex, extract.CodeNoText, extract.CodeParserFailed}

// isSentence reports whether a message begins and ends as a sentence, and is a
// short one of words.
func isSentence(message string) bool {
	first, _ := utf8.DecodeRuneInString(message)
	return unicode.IsUpper(first) && strings.HasSuffix(message, ".") && len(message) < 300 && len(strings.Fields(message)) > 2 &&
		!strings.ContainsFunc(message, unicode.IsControl)
}

func TestMutatedFilesAreTheSameEveryTime(t *testing.T) {
	all := seeds(t)
	if len(all) < 10 {
		t.Errorf("%d formats", len(all))
	}
	for format, of := range all {
		var made [2][]byte
		for n := range made {
			made[n], _ = mutator{rand.New(rand.NewPCG(3, 7)), [][]byte{of[0].raw}}.mutate(of[0].raw)
		}
		if !bytes.Equal(made[0], made[1]) || bytes.Equal(made[0], of[0].raw) {
			t.Errorf("%s: %d and %d bytes of %d", format, len(made[0]), len(made[1]), len(of[0].raw))
		}
	}
}
