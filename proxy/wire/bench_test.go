package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// usualFrame is a frame of usual size and form.
const usualFrame = `{"id":"chatcmpl-9tXyQ3bYfZ1hC6uVnWq0","object":"chat.completion.chunk","created":1723456789,"model":"gpt-4o-mini-2024-07-18",` +
	`"system_fingerprint":"fp_48196bc67a","choices":[{"index":0,"delta":{"content":" revenue"},"logprobs":null,"finish_reason":null}]}`

func BenchmarkScanFrame(b *testing.B) {
	escaped := strings.Replace(usualFrame, " revenue", `\n\"caf\u00e9\"`, 1)
	for name, data := range map[string]string{"usual": usualFrame, "escaped": escaped} {
		b.Run(name, func(b *testing.B) {
			frame := []byte(data)
			var c Frame
			b.ReportAllocs()
			b.SetBytes(int64(len(frame)))
			for b.Loop() {
				if err := ScanFrame(frame, &c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The two other ways to read a frame, for comparison.
func BenchmarkOtherScans(b *testing.B) {
	frame := []byte(usualFrame)
	b.Run("gjson", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !gjson.ValidBytes(frame) || gjson.GetBytes(frame, "choices.0.delta.content").String() == "" {
				b.Fatal()
			}
			gjson.GetBytes(frame, "choices.0.finish_reason")
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var c struct {
				Choices []struct {
					Delta        struct{ Content string }
					FinishReason *string `json:"finish_reason"`
				}
			}
			if err := json.Unmarshal(frame, &c); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// conversation is a request of about that size, after a real one.
func conversation(size int) []byte {
	var b strings.Builder
	b.WriteString(`{"model":"handbook","temperature":0.2,"stream":true,"messages":[{"role":"system","content":"You are helpful."}`)
	for i := 0; b.Len() < size; i++ {
		text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 8)
		fmt.Fprintf(&b, `,{"role":"user","content":"%s"},{"role":"assistant","content":"%s\n\nIt \"did\" [1]."}`, text, text)
	}
	b.WriteString(`,{"role":"user","content":"And then?"}],"retrieval_options":{"top_k":5}}`)
	return []byte(b.String())
}

func BenchmarkEditRequest(b *testing.B) {
	sources := strings.Repeat("[1] (Source: \"Q3.pdf\", page 12)\nRevenue grew 15% year-over-year.\n", 62)
	for _, size := range []int{1 << 10, 22 << 10} {
		body := conversation(size)
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				r, err := ReadRequest(body)
				if err != nil {
					b.Fatal(err)
				}
				r.StripExtensions()
				r.SetModel("gpt-4o")
				r.AddContext(sources)
				if len(r.LastUserText())+len(r.Body()) < len(body) {
					b.Fatal()
				}
			}
		})
	}
}

func BenchmarkSplice(b *testing.B) {
	body := corpus(b, "responses")["openai"]
	object := []byte(`{"status":"cited","sources":[` + strings.Repeat(`{"index":1,"document_name":"Q3.pdf"},`, 40) + `{}]}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		Splice(nil, body, Member{"citations", object}, Member{"retrieval", []byte("{}")})
	}
}

func BenchmarkReadResponse(b *testing.B) {
	body := corpus(b, "responses")["openai"]
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		r, err := ReadResponse(body)
		if err != nil || len(r.Choices()) != 1 {
			b.Fatal(err)
		}
	}
}

// BenchmarkHostile reads bodies that are made to be slow to read.
func BenchmarkHostile(b *testing.B) {
	const size = 9 << 20
	for name, body := range map[string][]byte{
		"messages": []byte(`{"messages":` + list("{}", size/3) + `}`),
		"field":    []byte(`{"x":` + list("{}", size/3) + `,` + oneMessage + `}`),
		"brackets": []byte(strings.Repeat("[", size)),
		"keys":     []byte(`{` + strings.Repeat(`"x":1,`, size/6) + oneMessage + `}`),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				_, _ = ReadRequest(body) // refused or not, it is the time that counts
			}
		})
	}
}
