package sse

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestEventStreamsAreToldFromOtherAnswers(t *testing.T) {
	for text, want := range map[string]bool{
		"data: {}\n\n": true, "data:": true, "event: ping\n": true, ": wait\n": true, ":": true, "id: 1\n": true, "retry: 5\n": true,
		"\xEF\xBB\xBFdata: x": true, "\r\n\n data: x": false, "\r\n\ndata: x": true,
		"": false, "\n": false, "\xEF\xBB": false, "\xEF\xBB\xBF": false, "\xEF\xBB\xBF{}": false, "{}": false, " {\"data:\":1}": false, `"data:"`: false,
		"dat": false, "data": false, "data x:": false, "Data: x": false, "error: x": false, "<html>": false, strings.Repeat("\n", 10_000): false,
	} {
		for way, source := range map[string]io.Reader{
			"whole": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)), "with its end": iotest.DataErrReader(strings.NewReader(text)),
		} {
			r := bufio.NewReader(source)
			if got := Detect(r); got != want {
				t.Errorf("%.40q, %s: %v", text, way, got)
			}
			if rest, err := io.ReadAll(r); string(rest) != text || err != nil {
				t.Errorf("%.40q, %s: then %.40q, %v", text, way, rest, err)
			}
		}
	}
}

// A slow server must not have to send more than the first field.
func TestDetectReadsNoMoreThanItNeeds(t *testing.T) {
	source := inPieces("da", "ta: {", "}\n\n")
	if r := bufio.NewReader(source); !Detect(r) || source.reads != 2 {
		t.Errorf("%d reads", source.reads)
	}
	if source = inPieces("{", "}"); Detect(bufio.NewReader(source)) || source.reads != 1 {
		t.Errorf("%d reads of JSON", source.reads)
	}
}

func TestDetectKeepsTheErrorOfItsSource(t *testing.T) {
	broken := errors.New("reset")
	source := inPieces("da")
	source.end = broken
	r := bufio.NewReader(source)
	if Detect(r) {
		t.Error("half a name is taken for a stream")
	}
	if rest, err := io.ReadAll(r); string(rest) != "da" || !errors.Is(err, broken) {
		t.Errorf("%q, %v", rest, err)
	}
}
