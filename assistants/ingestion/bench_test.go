package ingestion

import (
	"fmt"
	"strings"
	"testing"

	"footnote/assistants"
)

// BenchmarkIngest takes documents from their files into database and index,
// without an embedder (PERF P9).
func BenchmarkIngest(b *testing.B) {
	for _, passages := range []int{20, 2000} {
		b.Run(fmt.Sprintf("%d passages each", passages), func(b *testing.B) {
			w := newWorld(b)
			chunks := 0
			for i := range b.N {
				b.StopTimer()
				d := w.add(fmt.Sprintf("%d.txt", i), benchText(i, passages))
				b.StartTimer()
				w.drain(w.worker)
				b.StopTimer()
				if d = w.document(d.ID); d.Status != assistants.StatusReady {
					b.Fatal(d.Cause)
				}
				chunks += d.Version.Chunks
				b.StartTimer()
			}
			b.ReportMetric(float64(chunks)/b.Elapsed().Seconds(), "chunks/s")
		})
	}
}

// benchText is prose of a vocabulary that grows with the text, as real ones do.
func benchText(seed, passages int) string {
	var s strings.Builder
	n := uint64(seed)*2654435761 + 1
	for range passages * 9 {
		for word := range 14 {
			n = n*6364136223846793005 + 1442695040888963407
			if word > 0 {
				s.WriteByte(' ')
			}
			rank := (n >> 33) % (1 << ((n >> 20) % 15)) // a few words are frequent
			for range 2 + rank%3 {
				s.WriteByte(byte('a' + rank%26))
				rank = rank/26 + 7*rank%11
			}
		}
		s.WriteString(". ")
		if n%5 == 0 {
			s.WriteString("\n\n")
		}
	}
	return s.String()
}
