package sse

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// chunk is a frame of usual size.
const chunk = `data: {"id":"chatcmpl-9tXyQ3bYfZ1hC6uVnWq0","object":"chat.completion.chunk","created":1723456789,"model":"gpt-4o-mini-2024-07-18",` +
	`"system_fingerprint":"fp_48196bc67a","choices":[{"index":0,"delta":{"content":" revenue"},"logprobs":null,"finish_reason":null}]}` + "\n\n"

// BenchmarkNext reads streams in reads of 4 KiB; the figures are per event.
func BenchmarkNext(b *testing.B) {
	const events = 200
	for name, one := range map[string]string{
		"verbatim": chunk,
		"CRLF":     strings.ReplaceAll(chunk, "\n", "\r\n"),
		"comments": ": ping\n" + chunk,
		"multi":    "data: {\n" + chunk,
	} {
		stream := []byte(strings.Repeat(one, events))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(one)))
			src := bytes.NewReader(nil)
			r := NewReader(&small{src}, bigLimit)
			for b.Loop() {
				ev, err := r.Next()
				if err == io.EOF {
					src.Reset(stream)
					r.err = nil
					continue
				}
				if err != nil || len(ev.Data) == 0 {
					b.Fatal(err)
				}
				r.Buffered()
			}
		})
	}
}

// small reads at most 4 KiB at once.
type small struct{ r io.Reader }

func (s *small) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), 4<<10)]) }

func BenchmarkAppendData(b *testing.B) {
	data := []byte(strings.TrimPrefix(strings.TrimSpace(chunk), "data: "))
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	var dst []byte
	for b.Loop() {
		dst = AppendData(dst[:0], data)
	}
}

func TestReadingAllocatesNothingPerEvent(t *testing.T) {
	const runs = 50
	for name, one := range map[string]string{
		"verbatim": chunk,
		"CRLF":     strings.ReplaceAll(chunk, "\n", "\r\n"),
		"two":      "data: {\n" + chunk,
	} {
		r := NewReader(strings.NewReader(strings.Repeat(one, 20*(runs+2))), bigLimit)
		got := testing.AllocsPerRun(runs, func() {
			for range 20 {
				if _, err := r.Next(); err != nil {
					t.Fatal(err)
				}
			}
		})
		if got > 0 {
			t.Errorf("%s: %.0f allocations for 20 events", name, got)
		}
	}
}
