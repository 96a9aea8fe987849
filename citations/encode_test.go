package citations

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
)

// reference returns the object as encoding/json writes it.
func reference(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// Every member is set or left empty at random, so that a member that was added to the
// structs but not to the encoder shows.
func TestAppendJSONEqualsEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		var c Citations
		randomize(r, reflect.ValueOf(&c).Elem())
		if got, want := string(c.AppendJSON(nil)), reference(t, c); got != want {
			t.Fatalf("\n got %s\nwant %s", got, want)
		}
	}
	for _, empty := range []*Citations{Skipped(nil), Unavailable(&Set{}), NewSet([]Source{{}}, Options{}).Tracker().Result()} {
		if got, want := string(empty.AppendJSON(nil)), reference(t, empty); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
}

var texts = []string{"", "plain", "a \"quote\" and a \\", "line\nfeed\r\ttab\b\f\x00\x1f\x7f", "é日本語😀", "\u2028\u2029\ufffd", "bad \xff\xc3 UTF-8", "<&>", "[1]"}

func randomize(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				continue
			}
			randomize(r, v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(4), 4)) // never nil, as in every object
		for i := range v.Len() {
			randomize(r, v.Index(i))
		}
	case reflect.Pointer:
		if r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			randomize(r, v.Elem())
		}
	case reflect.String:
		v.SetString(texts[r.IntN(len(texts))])
	case reflect.Int:
		v.SetInt(int64(r.IntN(3000) - 1000))
	case reflect.Float64:
		v.SetFloat([]float64{0, 1, 0.5, 0.8731, 1e-7, 2.5e-9, 1e-12, 3e21, -0.25, 1234567.5}[r.IntN(10)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	default:
		panic(v.Kind())
	}
}

func TestAnnotationsEqualEncodingJSON(t *testing.T) {
	type urlCitation struct {
		StartIndex int    `json:"start_index"`
		EndIndex   int    `json:"end_index"`
		Title      string `json:"title"`
		URL        string `json:"url"`
	}
	type annotation struct {
		Type        string      `json:"type"`
		URLCitation urlCitation `json:"url_citation"`
	}
	c := Citations{
		Sources: []Source{{Index: 1, DocumentName: "a \"b\"\n", DownloadURL: "http://x/1?a=1&b=2"}, {Index: 2, DocumentName: "no link"}, {Index: 3, DocumentName: "twice", DownloadURL: "http://x/1?a=1&b=2", PageNumber: pointer(7)}, {Index: 4, DocumentName: "é", DownloadURL: "http://x/4"}},
		Markers: []Marker{{Start: 3, End: 6, Indices: []int{4, 1}}, {Start: 9, End: 12, Indices: []int{2, 3}}},
	}
	want := reference(t, []annotation{
		{"url_citation", urlCitation{3, 6, "a \"b\"", "http://x/1?a=1&b=2#chunk=0"}},
		{"url_citation", urlCitation{9, 12, "twice, page 7", "http://x/1?a=1&b=2#page=7"}},
		{"url_citation", urlCitation{3, 6, "é", "http://x/4#chunk=0"}},
	})
	if got := string(c.Annotations(0)); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if got := c.Annotations(1); got != nil {
		t.Errorf("a choice without markers has %s", got)
	}
}

func TestEveryByteIsEscapedWhereverItStands(t *testing.T) {
	for c := range 256 {
		for at := range 17 {
			text := []byte("abcdefghijklmnopq")
			text[at] = byte(c)
			w := writer{}
			w.text("", string(text))
			if got, want := string(w.b), reference(t, string(text)); got != want {
				t.Fatalf("\n got %s\nwant %s", got, want)
			}
		}
	}
}
