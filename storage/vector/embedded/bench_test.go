package embedded

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"footnote/storage/vector/vectortest"
)

// zipf makes chunks of words as frequent as those of natural language.
type zipf struct {
	z *rand.Zipf
	r *rand.Rand
}

func newZipf() zipf {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // repeatable on purpose
	return zipf{rand.NewZipf(r, 1.1, 8, 50_000), r}
}

func (z zipf) text(words int) string {
	var b strings.Builder
	for range words {
		fmt.Fprintf(&b, "word%d ", z.z.Uint64())
	}
	return b.String()
}

// fill applies documents of 100 chunks of about 120 words.
func fill(b *testing.B, x *Index, chunks int) time.Duration {
	z := newZipf()
	var spent time.Duration
	for d := range chunks / 100 {
		id := fmt.Sprintf("d%04d", d)
		texts := make([]string, 100)
		for i := range texts {
			texts[i] = z.text(80 + z.r.IntN(80))
		}
		points := vectortest.Points(id, 1, texts...)
		start := time.Now()
		if err := x.Apply(context.Background(), vectortest.Doc("c1", id, "name.md"), 1, points); err != nil {
			b.Fatal(err)
		}
		spent += time.Since(start)
	}
	return spent
}

func BenchmarkSearchOf100kChunks(b *testing.B) {
	const chunks = 100_000
	path := filepath.Join(b.TempDir(), "index.db")
	x := open(b, path)
	spent := fill(b, x, chunks)
	b.Logf("applied %.0f chunks/s", chunks/spent.Seconds())
	for name, question := range map[string]string{
		"6_words_mixed":  "word0 word3 word40 word500 word6000 word30000",
		"6_words_common": "word0 word1 word2 word3 word4 word5",
		"6_words_rare":   "word700 word2100 word3300 word5100 word9100 word20100",
	} {
		for _, least := range []float64{0, 0.3} {
			b.Run(fmt.Sprintf("%s/min_%v", name, least), func(b *testing.B) {
				q := vectortest.Ask(question, "c1")
				q.MinScore, q.Limit = least, 50
				for b.Loop() {
					if _, err := x.Search(context.Background(), q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	b.Run("replace_document_of_100_chunks", func(b *testing.B) {
		for b.Loop() {
			fill(b, x, 100)
		}
	})
	if err := x.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			x, err := Open(path, Options{})
			if err != nil {
				b.Fatal(err)
			}
			if err := x.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
