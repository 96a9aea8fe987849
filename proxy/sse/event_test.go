package sse

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestIsDone(t *testing.T) {
	for in, want := range map[string]bool{
		"[DONE]":        true,
		"[DONE] ":       true,
		" [DONE]":       true,
		"[done]":        true,
		"[DONE] bye":    true,
		"[DONE]{}":      true,
		"":              false,
		"[DON":          false,
		"DONE":          false,
		"{\"a\":1}":     false,
		"\"[DONE]\"":    false,
		"[\"DONE\"]":    false,
		"text [DONE]":   false,
		"[D O N E]":     false,
		"[DONE":         false,
		"\u202f[DONE]":  false,
		"   [DONE] x y": true,
	} {
		if got := IsDone([]byte(in)); got != want {
			t.Errorf("IsDone(%q) = %v", in, got)
		}
	}
}

func TestAppendDataWritesOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "data: \n\n",
		"x":                  "data: x\n\n",
		"{\"a\":1}":          "data: {\"a\":1}\n\n",
		"{\n\"a\":1\r\n}":    "data: { \"a\":1  }\n\n",
		"\n":                 "data:  \n\n",
		"a\rb":               "data: a b\n\n",
		"\r\r\n\n":           "data:     \n\n",
		"a\u2028b":           "data: a\u2028b\n\n",
		"caf\u00e9 \u2603\n": "data: caf\u00e9 \u2603 \n\n",
	} {
		if got := string(AppendData([]byte("before|"), []byte(in))); got != "before|"+want {
			t.Errorf("AppendData(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAppendDataLeavesItsInputAlone(t *testing.T) {
	in := []byte("a\nb")
	AppendData(nil, in)
	if string(in) != "a\nb" {
		t.Errorf("the data was changed to %q", in)
	}
}

func TestWhatIsFramedIsReadBackVerbatim(t *testing.T) {
	for _, data := range []string{"{}", "{\"a\":\"b\"}", " x", "x ", "[DONE]", "data: x", ":", "{\"a\":\n1}"} {
		framed := AppendData(nil, []byte(data))
		r := NewReader(bytes.NewReader(framed), bigLimit)
		ev, err := r.Next()
		if err != nil || string(ev.Data) != strings.ReplaceAll(data, "\n", " ") || !bytes.Equal(ev.Raw, framed) {
			t.Errorf("%q: got %q, %q, %v", data, ev.Data, ev.Raw, err)
		}
	}
}

func TestOurOwnFramesAreAsTheContractSays(t *testing.T) {
	if KeepAlive != ": keep-alive\n" {
		t.Errorf("a keep-alive is one line without a blank one, got %q", KeepAlive)
	}
	if want := string(AppendData(nil, []byte("[DONE]"))); Done != want {
		t.Errorf("got %q, want %q", Done, want)
	}
}

func TestKeepAlivesMayStandBetweenAnyTwoFrames(t *testing.T) {
	in := KeepAlive + "data: 1\n\n" + KeepAlive + KeepAlive + "data: 2\n\n" + KeepAlive + Done
	want := expected([]string{"v:1", "v:2", "v:[DONE]"}, fmt.Errorf("EOF"))
	if got := transcript(strings.NewReader(in), bigLimit); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
