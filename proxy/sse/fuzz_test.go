package sse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// reference reads a whole stream in the plainest way there is, as the oracle
// for the reader: all line ends become LF, then lines, then events.
func reference(in string) string {
	in = strings.TrimPrefix(in, "\xEF\xBB\xBF")
	in = strings.ReplaceAll(in, "\r\n", "\n")
	in = strings.ReplaceAll(in, "\r", "\n")
	lines := strings.Split(in, "\n")
	tail := lines[len(lines)-1]
	lines = lines[:len(lines)-1]
	var out strings.Builder
	var name, problem string
	var datas []string
	dispatch := func() {
		joined := strings.Join(datas, "\n")
		if strings.Trim(joined, asciiSpace) != "" || problem != "" {
			if name != "" {
				fmt.Fprintf(&out, "name %q ", name)
			}
			if strings.Trim(joined, asciiSpace) != "" {
				fmt.Fprintf(&out, "data %q ", joined)
			}
			if problem != "" {
				fmt.Fprintf(&out, "error %q ", problem)
			}
			out.WriteString("\n")
		}
		name, problem, datas = "", "", nil
	}
	line := func(l string) {
		key, value, _ := strings.Cut(l, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case key == "data":
			datas = append(datas, value)
		case key == "event":
			name = value
		case key == "error" && strings.Trim(value, asciiSpace) != "":
			problem = strings.Trim(value, asciiSpace)
		case strings.HasPrefix(l, "{"), strings.Contains(strings.Trim(key, asciiSpace), " "):
			problem = strings.Trim(l, asciiSpace)
		}
	}
	for _, l := range lines {
		if l == "" {
			dispatch()
			continue
		}
		line(l)
	}
	if strings.Trim(tail, asciiSpace) == "" || tail[0] == ':' {
		dispatch()
		return out.String() + "end: EOF\n"
	}
	before := problem
	problem = ""
	line(tail)
	last := problem
	if last == "" {
		problem = before
	}
	key, _, _ := strings.Cut(tail, ":")
	joined := strings.Join(datas, "\n")
	whole := key == "data" && (IsDone([]byte(joined)) || json.Valid([]byte(joined)))
	whole = whole || key != "data" && last != "" && (last[0] != '{' || json.Valid([]byte(last)))
	if !whole {
		return out.String() + "end: unexpected EOF\n"
	}
	dispatch()
	return out.String() + "end: EOF\n"
}

// withoutRaw is a transcript without Raw, which the reference does not know.
func withoutRaw(in io.Reader) string {
	var b strings.Builder
	r := NewReader(in, bigLimit)
	for {
		ev, err := r.Next()
		if err != nil {
			fmt.Fprintf(&b, "end: %v\n", err)
			return b.String()
		}
		ev.Raw = nil
		writeEvent(&b, ev)
	}
}

// checkStream asserts what must hold for every stream.
func checkStream(t interface{ Fatalf(string, ...any) }, in []byte, cut int) {
	whole := transcript(bytes.NewReader(in), bigLimit)
	if got := withoutRaw(bytes.NewReader(in)); got != reference(string(in)) {
		t.Fatalf("%q: got\n%swant\n%s", in, got, reference(string(in)))
	}
	if got := transcript(iotest.OneByteReader(bytes.NewReader(in)), bigLimit); got != whole {
		t.Fatalf("%q, byte by byte: got\n%swant\n%s", in, got, whole)
	}
	if got := transcript(inPieces(string(in[:cut]), string(in[cut:])), bigLimit); got != whole {
		t.Fatalf("%q, cut at %d: got\n%swant\n%s", in, cut, got, whole)
	}
	checkRaw(t, in)
}

// checkRaw asserts that Raw is a part of the stream, in order, and that framing
// the data anew gives the same bytes.
func checkRaw(t interface{ Fatalf(string, ...any) }, in []byte) {
	r := NewReader(bytes.NewReader(in), bigLimit)
	rest := in
	for {
		ev, err := r.Next()
		if err != nil {
			return
		}
		if ev.Raw == nil {
			continue
		}
		i := bytes.Index(rest, ev.Raw)
		if i < 0 {
			t.Fatalf("%q: %q is not in the stream", in, ev.Raw)
		}
		rest = rest[i+len(ev.Raw):]
		if again := AppendData(nil, ev.Data); !bytes.Equal(again, ev.Raw) {
			t.Fatalf("%q: raw %q, framed anew %q", in, ev.Raw, again)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, c := range readerCases {
		f.Add([]byte(c.in), uint16(len(c.in)/2))
	}
	f.Fuzz(func(t *testing.T, in []byte, cut uint16) {
		checkStream(t, in, int(cut)%(len(in)+1))
	})
}

func TestReaderAgreesWithThePlainestReading(t *testing.T) {
	word := rapid.SampledFrom([]string{
		"data: ", "data:", "data", "event: ", "error: ", ": ", "id: 1", "retry: 2", "\n", "\r", "\r\n", "\n\n",
		"{\"a\":1}", "{", "}", "[DONE]", "x", " ", "two words", "two words: three", "\xEF\xBB\xBF", "\xc3", "\xa9", ":", "\x00", "\t",
	})
	rapid.Check(t, func(t *rapid.T) {
		in := []byte(strings.Join(rapid.SliceOfN(word, 0, 40).Draw(t, "words"), ""))
		checkStream(t, in, rapid.IntRange(0, len(in)).Draw(t, "cut"))
	})
}

func TestTheLimitDoesNotDependOnHowTheBytesWereSplit(t *testing.T) {
	word := rapid.SampledFrom([]string{"data: ", "\n", "\r", "\r\n", "\n\n", "x", "xxxxxxxxxx", ": ping\n", "event: a\n"})
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(word, 0, 40).Draw(t, "words"), "")
		limit := rapid.IntRange(1, 60).Draw(t, "limit")
		cut := rapid.IntRange(0, len(in)).Draw(t, "cut")
		whole := transcript(strings.NewReader(in), limit)
		if got := transcript(iotest.OneByteReader(strings.NewReader(in)), limit); got != whole {
			t.Fatalf("%q, limit %d, byte by byte: got\n%swant\n%s", in, limit, got, whole)
		}
		if got := transcript(inPieces(in[:cut], in[cut:]), limit); got != whole {
			t.Fatalf("%q, limit %d, cut at %d: got\n%swant\n%s", in, limit, cut, got, whole)
		}
	})
}
