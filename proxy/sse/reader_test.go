package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

const bigLimit = 8 << 20

// pieces is a source that hands out its pieces one per Read, then end.
type pieces struct {
	left  [][]byte
	end   error
	reads int
}

func (p *pieces) Read(b []byte) (int, error) {
	p.reads++
	if len(p.left) == 0 {
		return 0, p.end
	}
	n := copy(b, p.left[0])
	if p.left[0] = p.left[0][n:]; len(p.left[0]) == 0 {
		p.left = p.left[1:]
	}
	return n, nil
}

func inPieces(parts ...string) *pieces {
	p := &pieces{end: io.EOF}
	for _, s := range parts {
		p.left = append(p.left, []byte(s))
	}
	return p
}

// transcript writes down everything that a reader hands out, so that two
// readings can be compared.
func transcript(src io.Reader, limit int) string {
	var b strings.Builder
	r := NewReader(src, limit)
	for {
		ev, err := r.Next()
		if err != nil {
			fmt.Fprintf(&b, "end: %v\n", err)
			return b.String()
		}
		writeEvent(&b, ev)
	}
}

func writeEvent(b *strings.Builder, ev Event) {
	if ev.Name != "" {
		fmt.Fprintf(b, "name %q ", ev.Name)
	}
	if ev.Data != nil {
		fmt.Fprintf(b, "data %q ", ev.Data)
	}
	if ev.ErrorLine != nil {
		fmt.Fprintf(b, "error %q ", ev.ErrorLine)
	}
	if ev.Raw != nil {
		fmt.Fprintf(b, "raw %q ", ev.Raw)
	}
	b.WriteString("\n")
}

// readerCases are streams with what a reader must make of them, one line per
// event: d:data, v:data that comes verbatim with Raw, n:name, e:error line.
var readerCases = []struct {
	name, in string
	want     []string
	end      error
}{
	{"nothing", "", nil, io.EOF},
	{"one event verbatim", "data: {\"a\":1}\n\n", []string{`v:{"a":1}`}, io.EOF},
	{"two events verbatim", "data: 1\n\ndata: 2\n\n", []string{"v:1", "v:2"}, io.EOF},
	{"the end mark is an event like any other", "data: 1\n\ndata: [DONE]\n\n", []string{"v:1", "v:[DONE]"}, io.EOF},
	{"what follows the end mark is left to the caller", "data: [DONE]\n\ndata: more\n\n", []string{"v:[DONE]", "v:more"}, io.EOF},
	{"data without a space is framed anew", "data:1\n\n", []string{"d:1"}, io.EOF},
	{"only one space is taken off", "data:  1\n\n", []string{"v: 1"}, io.EOF},
	{"white space after the data stays", "data: [DONE] \n\n", []string{"v:[DONE] "}, io.EOF},
	{"a tab after the colon is data", "data:\t1\n\n", []string{"d:\t1"}, io.EOF},
	{"several data lines are joined by LF", "data: a\ndata: b\ndata:c\n\n", []string{"d:a\nb\nc"}, io.EOF},
	{"an empty data line in the middle is an empty line", "data: a\ndata:\ndata: b\n\n", []string{"d:a\n\nb"}, io.EOF},
	{"an empty data line first is an empty line", "data:\ndata: b\n\n", []string{"d:\nb"}, io.EOF},
	{"CRLF", "data: 1\r\n\r\ndata: 2\r\n\r\n", []string{"d:1", "d:2"}, io.EOF},
	{"CR", "data: 1\r\rdata: 2\r\r", []string{"d:1", "d:2"}, io.EOF},
	{"LF then CR as the blank line", "data: 1\n\rdata: 2\n\n", []string{"d:1", "v:2"}, io.EOF},
	{"LF then CRLF as the blank line", "data: 1\n\r\ndata: 2\n\n", []string{"d:1", "v:2"}, io.EOF},
	{"CR then LF is one line end, not two", "data: 1\r\ndata: 2\n\n", []string{"d:1\n2"}, io.EOF},
	{"mixed line ends inside one event", "data: 1\rdata: 2\r\ndata: 3\n\r\n", []string{"d:1\n2\n3"}, io.EOF},
	{"several blank lines between events", "\n\n\ndata: 1\n\n\n\n\ndata: 2\n\n\n", []string{"v:1", "v:2"}, io.EOF},
	{"blank lines of all kinds first", "\r\n\r\r\n\ndata: 1\n\n", []string{"v:1"}, io.EOF},
	{"a byte order mark is dropped", "\xEF\xBB\xBFdata: 1\n\n", []string{"v:1"}, io.EOF},
	{"a byte order mark before a blank line is dropped", "\xEF\xBB\xBF\ndata: 1\n\n", []string{"v:1"}, io.EOF},
	{"a byte order mark later is part of a field's name", "data: 1\n\n\xEF\xBB\xBFdata: 2\n\ndata: 3\n\n", []string{"v:1", "v:3"}, io.EOF},
	{"only the first byte order mark is dropped", "\xEF\xBB\xBF\xEF\xBB\xBFdata: 1\n\ndata: 2\n\n", []string{"v:2"}, io.EOF},
	{"half a byte order mark", "\xEF\xBB", nil, io.ErrUnexpectedEOF},
	{"a byte order mark alone", "\xEF\xBB\xBF", nil, io.EOF},
	{"comments are swallowed", ": ping\n\n:\n\n: x\ndata: 1\n\n", []string{"v:1"}, io.EOF},
	{"a comment inside an event is swallowed", "data: a\n: ping\ndata: b\n\n", []string{"d:a\nb"}, io.EOF},
	{"a comment after the data forces a new frame", "data: a\n: ping\n\n", []string{"d:a"}, io.EOF},
	{"keep-alives without blank lines", ": keep-alive\n: keep-alive\ndata: 1\n\n", []string{"v:1"}, io.EOF},
	{"OpenRouter's comments", ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\ndata: 1\n\n", []string{"v:1"}, io.EOF},
	{"id and retry are swallowed", "id: 7\nretry: 10\ndata: 1\n\n", []string{"v:1"}, io.EOF},
	{"id after the data is swallowed", "data: 1\nid: 7\n\n", []string{"d:1"}, io.EOF},
	{"an id alone is no event", "id: 7\n\n", nil, io.EOF},
	{"unknown fields are swallowed", "foo: bar\nfoo\ndatum: x\ndata: 1\n\n", []string{"v:1"}, io.EOF},
	{"a field name is case-sensitive", "Data: 0\n\nDATA: 0\n\ndata: 1\n\n", []string{"v:1"}, io.EOF},
	{"a field name with a space before it is none", " data: 0\n\ndata: 1\n\n", []string{"v:1"}, io.EOF},
	{"empty data is swallowed", "data:\n\ndata: \n\ndata\n\ndata: 1\n\n", []string{"v:1"}, io.EOF},
	{"several empty data lines are swallowed", "data:\ndata: \ndata\n\ndata: 1\n\n", []string{"v:1"}, io.EOF},
	{"blank data is swallowed", "data:    \n\ndata: 1\n\n", []string{"v:1"}, io.EOF},
	{"the name of an event", "event: error\ndata: {}\n\n", []string{"n:error", "d:{}"}, io.EOF},
	{"the name may follow the data", "data: {}\nevent: error\n\n", []string{"n:error", "d:{}"}, io.EOF},
	{"the last name counts", "event: a\nevent: b\ndata: {}\n\n", []string{"n:b", "d:{}"}, io.EOF},
	{"a name without data is no event", "event: ping\n\ndata: 1\n\n", []string{"v:1"}, io.EOF},
	{"a name does not outlive its event", "event: a\ndata: 1\n\ndata: 2\n\n", []string{"n:a", "d:1", "v:2"}, io.EOF},
	{"llama.cpp's error line", "error: {\"code\":500}\n\n", []string{`e:{"code":500}`}, io.EOF},
	{"an error line without a space", "error:{\"code\":500}\n\n", []string{`e:{"code":500}`}, io.EOF},
	{"an error line beside data", "data: 1\nerror: x y\n\n", []string{"d:1", "e:x y"}, io.EOF},
	{"an empty error line says nothing", "error:\n\nerror: \n\nerror\n\ndata: 1\n\n", []string{"v:1"}, io.EOF},
	{"JSON out of frame is an error line", "{\"error\":\"x\"}\n\n", []string{`e:{"error":"x"}`}, io.EOF},
	{"words out of frame are an error line", "Internal Server Error\n\n", []string{"e:Internal Server Error"}, io.EOF},
	{"words out of frame with a colon", "Worker failed: out of memory\n\n", []string{"e:Worker failed: out of memory"}, io.EOF},
	{"words out of frame, nothing after them", "data: 1\n\nInternal Server Error", []string{"v:1", "e:Internal Server Error"}, io.EOF},
	{"JSON out of frame, nothing after it", "data: 1\n\n{\"detail\":\"x\"}", []string{"v:1", `e:{"detail":"x"}`}, io.EOF},
	{"JSON out of frame, cut", "data: 1\n\n{\"detail\":\"x", []string{"v:1"}, io.ErrUnexpectedEOF},
	{"no blank line at the end", "data: 1\n\ndata: 2\n", []string{"v:1", "d:2"}, io.EOF},
	{"no blank line at the end, CR", "data: 1\r", []string{"d:1"}, io.EOF},
	{"no blank line at the end, CRLF", "data: 1\r\n", []string{"d:1"}, io.EOF},
	{"no line end at all after the end mark", "data: 1\n\ndata: [DONE]", []string{"v:1", "d:[DONE]"}, io.EOF},
	{"no line end at all after whole JSON", "data: {\"a\":1}", []string{`d:{"a":1}`}, io.EOF},
	{"an end mark cut short", "data: 1\n\ndata: [DON", []string{"v:1"}, io.ErrUnexpectedEOF},
	{"JSON cut short", "data: 1\n\ndata: {\"a\":{\"b\":1}", []string{"v:1"}, io.ErrUnexpectedEOF},
	{"cut in the field's name", "data: 1\n\nda", []string{"v:1"}, io.ErrUnexpectedEOF},
	{"cut after the colon", "data: 1\n\ndata:", []string{"v:1"}, io.ErrUnexpectedEOF},
	{"cut in a second data line", "data: {\"a\":\ndata: 1", nil, io.ErrUnexpectedEOF},
	{"a last line that completes the JSON of the one before", "data: {\"a\":\ndata: 1}", []string{"d:{\"a\":\n1}"}, io.EOF},
	{"cut in a name", "event: err", nil, io.ErrUnexpectedEOF},
	{"cut in a comment loses nothing", "data: 1\n\n: keep-al", []string{"v:1"}, io.EOF},
	{"a cut comment after a line", "data: 1\n: keep-al", []string{"d:1"}, io.EOF},
	{"spaces at the end lose nothing", "data: 1\n\n  ", []string{"v:1"}, io.EOF},
	{"bytes that are no UTF-8 pass", "data: \xff\xfe\n\n", []string{"v:\xff\xfe"}, io.EOF},
	{"NUL bytes pass", "data: \x00\n\n", []string{"v:\x00"}, io.EOF},
	{"NUL bytes in text pass", "data: a\x00b\n\n", []string{"v:a\x00b"}, io.EOF},
	{"other line separators of Unicode are text", "data: a\u2028b\u0085c\vd\n\n", []string{"v:a\u2028b\u0085c\vd"}, io.EOF},
	{"a colon in the data", "data: a:b: c\n\n", []string{"v:a:b: c"}, io.EOF},
	{"a field named by nothing is a comment", ":data: 1\n\n", nil, io.EOF},
}

// expected renders a case as a transcript.
func expected(want []string, end error) string {
	var b strings.Builder
	var ev Event
	flush := func() {
		if ev.Data != nil || ev.ErrorLine != nil {
			writeEvent(&b, ev)
			ev = Event{}
		}
	}
	for _, w := range want {
		value := []byte(w[2:])
		switch w[0] {
		case 'n':
			flush()
			ev.Name = string(value)
		case 'e':
			if ev.Raw != nil {
				flush()
			}
			ev.ErrorLine = value
		case 'd':
			if ev.Data != nil {
				flush()
			}
			ev.Data = value
		case 'v':
			flush()
			ev.Data, ev.Raw = value, []byte("data: "+string(value)+"\n\n")
		}
	}
	flush()
	fmt.Fprintf(&b, "end: %v\n", end)
	return b.String()
}

func TestReaderUnderstandsEveryFormOfStream(t *testing.T) {
	for _, c := range readerCases {
		t.Run(c.name, func(t *testing.T) {
			want := expected(c.want, c.end)
			if got := transcript(strings.NewReader(c.in), bigLimit); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

func TestReadingDoesNotDependOnHowTheBytesWereSplit(t *testing.T) {
	for _, c := range readerCases {
		want := expected(c.want, c.end)
		for i := range len(c.in) + 1 {
			for j := i; j <= len(c.in); j++ {
				src := inPieces(c.in[:i], c.in[i:j], c.in[j:])
				if got := transcript(src, bigLimit); got != want {
					t.Fatalf("%s, cut at %d and %d: got\n%swant\n%s", c.name, i, j, got, want)
				}
			}
		}
		for name, src := range map[string]io.Reader{
			"one byte at a time":  iotest.OneByteReader(strings.NewReader(c.in)),
			"half of the buffer":  iotest.HalfReader(strings.NewReader(c.in)),
			"data with the error": iotest.DataErrReader(strings.NewReader(c.in)),
		} {
			if got := transcript(src, bigLimit); got != want {
				t.Fatalf("%s, %s: got\n%swant\n%s", c.name, name, got, want)
			}
		}
	}
}

func TestAllCasesInARowAreReadLikeEachAlone(t *testing.T) {
	var all strings.Builder
	var want strings.Builder
	for _, c := range readerCases {
		if c.end != io.EOF || !strings.HasSuffix(c.in, "\n\n") || strings.HasPrefix(c.in, "\xEF") {
			continue
		}
		all.WriteString(c.in)
		one := expected(c.want, io.EOF)
		want.WriteString(strings.TrimSuffix(one, "end: EOF\n"))
	}
	want.WriteString("end: EOF\n")
	if got := transcript(strings.NewReader(all.String()), bigLimit); got != want.String() {
		t.Errorf("got\n%swant\n%s", got, want.String())
	}
}

func TestAReadErrorComesAfterTheWholeEventsBeforeIt(t *testing.T) {
	reset := errors.New("connection reset by peer")
	for _, tail := range []string{"", "data: 2", "data: 2\n", "data: [DONE]", ": c", "\r"} {
		src := inPieces("data: 1\n", "\nda", "ta: x\n\n", tail)
		src.end = reset
		got := transcript(src, bigLimit)
		want := "data \"1\" raw \"data: 1\\n\\n\" \ndata \"x\" raw \"data: x\\n\\n\" \nend: connection reset by peer\n"
		if got != want {
			t.Errorf("tail %q: got\n%swant\n%s", tail, got, want)
		}
	}
}

func TestAnErrorThatComesWithBytesDoesNotLoseThem(t *testing.T) {
	reset := errors.New("reset")
	src := iotest.DataErrReader(io.MultiReader(strings.NewReader("data: 1\n\n"), iotest.ErrReader(reset)))
	r := NewReader(src, bigLimit)
	if ev, err := r.Next(); err != nil || string(ev.Data) != "1" {
		t.Fatalf("got %q, %v", ev.Data, err)
	}
	for range 3 {
		if _, err := r.Next(); !errors.Is(err, reset) {
			t.Fatalf("got %v, want the source's error, again and again", err)
		}
	}
}

func TestTheEndIsFinal(t *testing.T) {
	r := NewReader(strings.NewReader("data: 1\n\ndata: {"), bigLimit)
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := r.Next(); err != io.ErrUnexpectedEOF {
			t.Fatalf("got %v", err)
		}
	}
}

func TestASourceThatNeverReturnsAnythingIsGivenUp(t *testing.T) {
	r := NewReader(iotest.ErrReader(nil), bigLimit)
	if _, err := r.Next(); err != io.ErrNoProgress {
		t.Errorf("got %v", err)
	}
}

func TestASourceThatPausesIsNotGivenUp(t *testing.T) {
	src := inPieces("data: 1")
	for range 60 {
		src.left = append(src.left, nil, []byte(" "))
	}
	src.left = append(src.left, []byte("\n\n"))
	r := NewReader(src, bigLimit)
	if ev, err := r.Next(); err != nil || !bytes.HasPrefix(ev.Data, []byte("1  ")) {
		t.Errorf("got %q, %v", ev.Data, err)
	}
}

func TestNothingIsReadWhileAWholeEventIsBuffered(t *testing.T) {
	src := inPieces("data: 1\n\ndata: 2\r\n\r\n: c\ndata: 3\n\ndata: 4\n", "\ndata: 5\r\r")
	r := NewReader(src, bigLimit)
	var reads []int
	var buffered []bool
	for {
		if _, err := r.Next(); err != nil {
			break
		}
		reads = append(reads, src.reads)
		buffered = append(buffered, r.Buffered())
	}
	if got, want := fmt.Sprint(reads), "[1 1 1 2 2]"; got != want {
		t.Errorf("reads after each event: got %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(buffered), "[true true false true false]"; got != want {
		t.Errorf("Buffered after each event: got %s, want %s", got, want)
	}
}

func TestBufferedTellsWhetherNextWillRead(t *testing.T) {
	for _, c := range readerCases {
		for size := 1; size <= 7; size++ {
			var parts []string
			for i := 0; i < len(c.in); i += size {
				parts = append(parts, c.in[i:min(i+size, len(c.in))])
			}
			src := inPieces(parts...)
			r := NewReader(src, bigLimit)
			for {
				whole, before := r.Buffered(), src.reads
				_, err := r.Next()
				if whole != (src.reads == before) && err == nil && len(src.left) > 0 {
					t.Fatalf("%s, pieces of %d: Buffered said %v, Next made %d reads", c.name, size, whole, src.reads-before)
				}
				if err != nil {
					break
				}
			}
		}
	}
}

func TestBufferedKeepsTheEventThatWasHandedOut(t *testing.T) {
	r := NewReader(strings.NewReader("data: a\ndata: b\n\ndata: c\ndata: d\n\ndata: e\n\n"), bigLimit)
	for _, want := range []string{"a\nb", "c\nd", "e"} {
		ev, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		r.Buffered()
		r.Buffered()
		if string(ev.Data) != want {
			t.Errorf("got %q, want %q", ev.Data, want)
		}
	}
}
