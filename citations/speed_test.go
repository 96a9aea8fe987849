package citations

import (
	"strings"
	"testing"
)

// The texts of the benchmarks.
const (
	markedSentence = "Revenue grew 15% year-over-year to $4.2B, exceeding the guidance of the third quarter [1]. Margins were stable [2, 3].\n"
	plainSentence  = "Revenue grew by fifteen percent over the year before, exceeding what the company had guided for in the third quarter, while margins were stable in all regions. "
)

func benchmarkScan(b *testing.B, text string) {
	set := NewSet(sourcesOf(.9, .8, .7), Options{})
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		tr := set.Tracker()
		tr.Write(0, text)
		tr.Result()
	}
}

// A marker every 60 bytes.
func BenchmarkScan(b *testing.B) { benchmarkScan(b, strings.Repeat(markedSentence, 40)) }

func BenchmarkScanPlain(b *testing.B) { benchmarkScan(b, strings.Repeat(plainSentence, 30)) }

// The choice's text arrives in 200 pieces, as in a stream.
func BenchmarkScanStream(b *testing.B) {
	const pieces, size = 200, 5
	text := strings.Repeat(markedSentence, 9)[:pieces*size]
	set := NewSet(sourcesOf(.9, .8, .7), Options{})
	b.ReportAllocs()
	for b.Loop() {
		tr := set.Tracker()
		for i := 0; i < len(text); i += size {
			tr.Write(0, text[i:i+size])
		}
		tr.Result()
	}
}

// Many streams at once, each with its turn after all others, as when models write at
// their pace: little of a stream is in the processor's cache when its piece comes. The
// figures are per piece.
func BenchmarkScanManyStreams(b *testing.B) {
	const streams, size = 1024, 5
	text := strings.Repeat(markedSentence, 9)
	set := NewSet(sourcesOf(.9, .8, .7), Options{})
	trackers := make([]*Tracker, streams)
	b.ReportAllocs()
	at := 0
	for i := 0; b.Loop(); i++ {
		turn := i % streams
		if turn == 0 {
			at = (at + size) % (len(text) - size)
		}
		if trackers[turn] == nil || at == 0 {
			trackers[turn] = set.Tracker()
		}
		trackers[turn].Write(0, text[at:at+size])
	}
}

// benchmarkResolve measures the whole cost of an answer of 4 KB with ten sources.
func benchmarkResolve(b *testing.B, opt Options) {
	text := strings.Repeat(markedSentence, 34)
	passage := strings.Repeat(plainSentence+"In the third quarter revenue grew 15% to 4.2 billion dollars. ", 4)
	sources := sourcesOf(.95, .9, .85, .8, .75, .7, .65, .6, .55, .5)
	for i := range sources {
		sources[i].Text = passage
	}
	var object []byte
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		tr := NewSet(sources, opt).Tracker()
		tr.Write(0, text)
		object = tr.Result().AppendJSON(object[:0])
	}
}

func BenchmarkResolve(b *testing.B) { benchmarkResolve(b, Options{}) }
