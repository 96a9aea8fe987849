package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// jsonTexts are texts at the edge of JSON, most after JSONTestSuite.
var jsonTexts = []string{
	"null", "true", "false", "nul", "nulll", "True", "tru", "fals", "truefalse", "0", "-0", "-", "+1", "01", "-01", "00", "1.", ".5", "1.5", "1.5e",
	"1e5", "1E+5", "1e-5", "1e+", "1e5.5", "1.e1", "-1.5E-10", "0x10", "1_000", "NaN", "Infinity", "-Infinity", "1e400", "123456789012345678901234567890",
	`""`, `"a"`, `"`, `"a`, `"\"`, `"\""`, `"\\"`, `"\\\"`, `"\u0041"`, `"\u00g1"`, `"\u004"`, `"\u"`, `"\uD83D"`, `"\x41"`, `"\a"`, `"\'"`, `"\/"`, `"\b\f\n\r\t"`,
	"\"\x00\"", "\"\x1f\"", "\"\n\"", "\"\t\"", "\"\x7f\"", "\"\u2028\"", "'a'", `"12345678"`, `"1234567\n"`, `"12345678\""`, "\"1234567\x01\"", "\"123456789012345\x1f7\"",
	"[]", "[ ]", "[1]", "[1,2]", "[1,]", "[,1]", "[,]", "[1 2]", "[1", "[", "]", "[]]", "[[]", "[1,,2]", "[null,true,false,\"\",{},[]]", "[1\n,2\t]", "[\v1]", "[\u00a01]",
	"{}", "{ }", `{"a":1}`, `{"a":1,}`, `{,"a":1}`, `{"a"}`, `{"a":}`, `{"a" 1}`, `{a:1}`, `{'a':1}`, `{1:1}`, `{"a":1 "b":2}`, `{"a":1,"b":2}`, `{"a":1;"b":2}`, `{"a"::1}`,
	`{"a":{"b":{"c":[{}]}}}`, `{"a":1}}`, `{{}`, `{"a":[}`, `{"a":[}]`, `[{]}`, `{"a":1]`, `[1}`, "{", "}", `{"`, `{"a`, `{"a":`, `{"a":1`, `{"a":1,`, `{"":0}`, `{"a":1,"a":2}`,
	"/**/1", "1 // x", "[1,/*x*/2]", "#1", "{}{}", "1 2", "[] []", "\xEF\xBB\xBF{}", "", " ", "\n", " 1 ", " {} ", "\t[\r\n]\r", "undefined", "{\"a\":undefined}",
	`{"a":"b"}#`, `{"a":true}"x"`, `["a",4,]`, `["x"`, `[3[4]]`, `[a`, `{"x":null,"y":[1,{"z":"]}"}]}`, `"\ud800\ud800\n"`, `[1e-2,2E+3]`, `{"k\u0065y":"\\"}`,
}

// isJSON is skipValue over a whole text.
func isJSON(s string) bool {
	b := []byte(s)
	i := skipSpace(b, 0)
	end := skipValue(b, i, 0)
	return end > 0 && skipSpace(b, end) == len(b)
}

func TestScanningAcceptsExactlyJSON(t *testing.T) {
	for _, s := range jsonTexts {
		if got, want := isJSON(s), json.Valid([]byte(s)); got != want {
			t.Errorf("%q: got %v, encoding/json says %v", s, got, want)
		}
	}
}

func TestEveryPrefixOfAValueIsRefused(t *testing.T) {
	const whole = `{"a":[1,-2.5e+3,true,false,null,"x\u00e9\"\\",{"b":{}, "c" : [ [] , [ [ ] ] ]}],"d":"12345678901234567890"}`
	if !isJSON(whole) {
		t.Fatal("the whole must be valid")
	}
	for i := range len(whole) {
		if isJSON(whole[:i]) {
			t.Errorf("%q was accepted", whole[:i])
		}
	}
}

func TestOneWrongByteIsJudgedAsEncodingJSONDoes(t *testing.T) {
	const whole = `{"a":[1,-2.5e+3,true,null,"x\u00e9\"",{"b":{}, "c" : [ [] ]}],"d":"1234567890"}`
	for i := range len(whole) {
		for _, c := range "\x00 \n\"\\{}[],:0-.eEtu/a\x1f\x7f" {
			s := whole[:i] + string(c) + whole[i+1:]
			if got, want := isJSON(s), json.Valid([]byte(s)); got != want {
				t.Fatalf("%q: got %v, encoding/json says %v", s, got, want)
			}
		}
	}
}

func TestInvalidUTF8InStringsIsLeftAlone(t *testing.T) {
	for _, s := range []string{"\"\xff\"", "\"\xc3(\"", "\"\xed\xa0\x80\"", "{\"\xfe\":1}"} {
		if !isJSON(s) {
			t.Errorf("%q was refused", s)
		}
	}
}

func TestDepth(t *testing.T) {
	for _, c := range []struct {
		name, open, middle, end string
	}{
		{"lists", "[", "", "]"},
		{"objects", `{"a":`, "1", "}"},
		{"both", `[{"a":`, "null", "}]"},
		{"lists with neighbours", `[1,"]",`, "2", ",3]"},
	} {
		per := strings.Count(c.open, "[") + strings.Count(c.open, "{")
		for _, depth := range []int{1, 2, 3, 10, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000, maxDepth / per} {
			s := strings.Repeat(c.open, depth) + c.middle + strings.Repeat(c.end, depth)
			if got := skipValue([]byte(s), 0, 0); got != len(s) {
				t.Errorf("%s, depth %d: got %d", c.name, depth, got)
			}
			if depth > 1 {
				wrong := strings.Repeat(c.open, depth) + c.middle + strings.Repeat(c.end, depth-1) + "\"]"
				if got := skipValue([]byte(wrong), 0, 0); got != badSyntax {
					t.Errorf("%s, depth %d, wrong end: got %d", c.name, depth, got)
				}
			}
		}
		over := maxDepth/per + 1
		s := strings.Repeat(c.open, over) + c.middle + strings.Repeat(c.end, over)
		if got := skipValue([]byte(s), 0, 0); got != tooDeep {
			t.Errorf("%s, depth %d: got %d", c.name, over, got)
		}
	}
}

func TestDepthCountsWhatIsOpenAlready(t *testing.T) {
	for _, s := range []string{"[]", "{}", `{"a":1}`} {
		if got := skipValue([]byte(s), 0, maxDepth-1); got != len(s) {
			t.Errorf("%s on the last level: got %d", s, got)
		}
		if got := skipValue([]byte(s), 0, maxDepth); got != tooDeep {
			t.Errorf("%s below the last level: got %d", s, got)
		}
	}
}

func TestMillionsOfOpenBracketsCostNoMemory(t *testing.T) {
	for _, unit := range []string{"[", `{"a":`, `[{"a":`} {
		b := []byte(strings.Repeat(unit, 1<<20))
		if got := testing.AllocsPerRun(1, func() { skipValue(b, 0, 0) }); got > 12 {
			t.Errorf("%q: %.0f allocations", unit, got)
		}
	}
}

func TestScanningOrdinaryJSONAllocatesNothing(t *testing.T) {
	for name, b := range corpus(t, "responses") {
		start := skipSpace(b, 0)
		if got := testing.AllocsPerRun(10, func() { skipValue(b, start, 0) }); got > 0 {
			t.Errorf("%s: %.0f allocations", name, got)
		}
	}
}

func TestScanningAgreesWithEncodingJSONOnAssembledText(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"{", "}", "[", "]", ",", ":", `"a"`, `"`, `\"`, `\`, "1", "-1.5e3", "0", ".", "e", "-", "true", "null", "fal", " ", "\n", `"b":`, "{}", "[]", `\u00e9`, "é", "\x01",
	})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(piece, 0, 20).Draw(t, "pieces"), "")
		if got, want := isJSON(s), json.Valid([]byte(s)); got != want {
			t.Fatalf("%q: got %v, encoding/json says %v", s, got, want)
		}
	})
}

func TestWalkingAnObjectGivesItsMembers(t *testing.T) {
	b := []byte(`{ "a" : 1 , "b\u0063":"x","":[ ],"d"  :{"e":2},"a":null } `)
	var got []string
	w := walk(b, 0, 0)
	for w.member() {
		key := string(w.key.of(b))
		got = append(got, fmt.Sprintf("%s=%s", key, w.skip().of(b)))
	}
	want := `[a=1 b\u0063="x" =[ ] d={"e":2} a=null]`
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if w.i != len(b)-1 {
		t.Errorf("the walk ended at %d of %d", w.i, len(b))
	}
}

func TestWalkingRefusesWhatScanningRefuses(t *testing.T) {
	var walkAll func(w *walker, closing byte)
	walkAll = func(w *walker, closing byte) {
		next := w.element
		if closing == '}' {
			next = w.member
		}
		for next() {
			if k := w.kind(); k == '{' || k == '[' {
				inner := walk(w.b, w.i, w.depth)
				walkAll(&inner, k+2)
				w.i = inner.i
			} else {
				w.skip()
			}
		}
	}
	for _, s := range jsonTexts {
		if s == "" || s[0] != '{' && s[0] != '[' {
			continue
		}
		w := walk([]byte(s), 0, 0)
		walkAll(&w, s[0]+2)
		if want := skipValue([]byte(s), 0, 0); w.i != want && (w.i >= 0 || want >= 0) {
			t.Errorf("%q: walking ended at %d, scanning at %d", s, w.i, want)
		}
	}
}

func TestFindTakesTheLastOfSeveral(t *testing.T) {
	b := []byte(`{"a":1,"b":2,"a":3,"\u0061":4}`)
	all := span{0, len(b)}
	for name, want := range map[string]string{"a": "4", "b": "2", "c": ""} {
		if got := string(find(b, all, name).of(b)); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for _, s := range []string{"[1]", `"a"`, "null", "1"} {
		if got := find([]byte(s), span{0, len(s)}, "a"); !got.none() {
			t.Errorf("found something in %s", s)
		}
	}
}
