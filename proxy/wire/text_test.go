package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestUnquoteDecodesAsEncodingJSONDoes(t *testing.T) {
	for _, s := range []string{
		``, `plain`, `\"`, `\\`, `\/`, `\b\f\n\r\t`, `\u0041`, `\u00e9`, `\u2603`, `\ud83d\ude00`, `\uD83D\uDE00`, `a\ud83d\ude00b`,
		`\ud83d`, `\ude00`, `\ud83dx`, `\ud83d\n`, `\ud83d\ud83d\ude00`, `\ud83d\u0041`, `\ude00\ud83d`, `\ud83d\ud83d`, `\u0000`, `\uffff`, `\ufeff`,
		`a\\\"b`, `\\u0041`, `\\\\`, `é\u00e9`, "\u2028", `x\u2028y`, `😀`, `\u005b1\u005d`, `\udbff\udfff`, `\ud800\udc00`,
	} {
		var want string
		if err := json.Unmarshal([]byte(`"`+s+`"`), &want); err != nil {
			t.Fatal(err)
		}
		if got := unquote([]byte(s)); got != want {
			t.Errorf("%s: got %q, want %q", s, got, want)
		}
	}
}

func TestUnquoteKeepsBytesThatAreNoUTF8(t *testing.T) {
	for _, s := range []string{"\xff", "a\xc3(", "\xed\xa0\x80"} {
		if got := unquote([]byte(s)); got != s {
			t.Errorf("%q became %q", s, got)
		}
		if got := unquote([]byte(s + `\n`)); got != s+"\n" {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestQuotedStringsAreWrittenPlainly(t *testing.T) {
	for in, want := range map[string]string{
		"":                     `""`,
		"plain":                `"plain"`,
		`say "hi" \ there`:     `"say \"hi\" \\ there"`,
		"a\nb\rc\td":           `"a\nb\rc\td"`,
		"\x00\x01\b\f\x1f":     `"\u0000\u0001\b\f\u001f"`,
		"\x7f":                 "\"\x7f\"",
		"<b>&amp;'</b>":        `"<b>&amp;'</b>"`,
		"caf\u00e9 \U0001F600": "\"caf\u00e9 \U0001F600\"",
		"a\u2028b\u2029c":      `"a\u2028b\u2029c"`,
		"bad \xff utf":         `"bad \ufffd utf"`,
		"cut \xe2\x80":         `"cut \ufffd\ufffd"`,
		"real \ufffd stays":    "\"real \ufffd stays\"",
		"/path/":               `"/path/"`,
		"\u2027\u202a":         "\"\u2027\u202a\"",
	} {
		if got := string(AppendString(nil, in)); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func TestWhatIsQuotedIsReadBackTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		checkQuoting(t, s)
	})
}

// checkQuoting asserts that encoding/json and unquote read s back, as far as it
// is UTF-8.
func checkQuoting(t interface{ Fatalf(string, ...any) }, s string) {
	quoted := AppendString([]byte("x"), s)[1:]
	want := strings.ToValidUTF8(s, "\ufffd")
	if utf8.ValidString(s) {
		want = s
	}
	var back string
	if err := json.Unmarshal(quoted, &back); err != nil {
		t.Fatalf("%q became %s: %v", s, quoted, err)
	}
	if utf8.ValidString(s) && back != want {
		t.Fatalf("%q came back as %q", s, back)
	}
	// citations writes strings by the same rule, and is held to it too.
	var reference bytes.Buffer
	e := json.NewEncoder(&reference)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil || reference.String() != string(quoted)+"\n" {
		t.Fatalf("%q became %s, encoding/json writes %s (%v)", s, quoted, reference.String(), err)
	}
	if got := unquote(quoted[1 : len(quoted)-1]); got != back {
		t.Fatalf("%q: unquote gives %q, encoding/json %q", s, got, back)
	}
	if strings.ContainsAny(string(quoted), "\n\r\u2028\u2029") {
		t.Fatalf("%q became %s, which some readers take for several lines", s, quoted)
	}
	if end := skipValue(quoted, 0, 0); end != len(quoted) {
		t.Fatalf("%q became %s, whose scan ends at %d", s, quoted, end)
	}
}

func TestKeysAreComparedDecoded(t *testing.T) {
	for _, c := range []struct {
		raw, name string
		want      bool
	}{
		{"model", "model", true},
		{`mod\u0065l`, "model", true},
		{`\u006d\u006f\u0064\u0065\u006c`, "model", true},
		{"Model", "model", false},
		{"mode", "model", false},
		{"models", "model", false},
		{`model\u0000`, "model", false},
		{`mod\\u0065l`, "model", false},
		{"", "", true},
		{`\/`, "/", true},
	} {
		if got := keyIs([]byte(c.raw), c.name); got != c.want {
			t.Errorf("%s is %s: got %v", c.raw, c.name, got)
		}
	}
}
