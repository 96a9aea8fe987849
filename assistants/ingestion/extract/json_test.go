package extract

import (
	"slices"
	"strings"
	"testing"
)

func TestJSONIsShownInReadableLines(t *testing.T) {
	for _, c := range []struct{ about, name, raw, want string }{
		{"members", "a.json", `{"name":"Widget","price":12.50,"sold":true,"note":null}`, "name: Widget\nprice: 12.50\nsold: true\nnote: null"},
		{"objects within", "a.json", `{"server":{"host":"localhost","port":8080,"tls":{"on":false}},"x":1}`, "server:\n  host: localhost\n  port: 8080\n  tls:\n    on: false\nx: 1"},
		{"lists", "a.json", `{"tags":["red","blue"],"sizes":[1,2.0,3e4],"none":[],"nothing":{}}`, "tags:\n  - red\n  - blue\nsizes:\n  - 1, 2.0, 3e4\nnone: []\nnothing: {}"},
		{"lists of objects", "a.json", `{"items":[{"id":1,"n":"one"},{"id":2,"of":[[1,2],["x"]]}]}`, "items:\n  - id: 1\n    n: one\n  - id: 2\n    of:\n      - 1, 2\n      - x"},
		{"records", "a.json", `[{"id":1},{"id":2}]`, "id: 1\n\nid: 2"},
		{"scalars", "a.json", `["a",2,false]`, "a\n2\nfalse"},
		{"a scalar", "a.json", `"text"`, "text"},
		{"line ends and control characters", "a.json", `{"text":"one\ntwo\u0000\u001b","k\ney\u0007":1}`, "text: one\ntwo\nk ey: 1"},
		{"half a surrogate", "a.json", `{"a":"\ud800x"}`, "a: \uFFFDx"},
		{"no key", "a.json", `{"":1}`, `"": 1`},
		{"values in a row", "a.json", "{\"a\":1}\n{\"a\":2}", "a: 1\n\na: 2"},
		{"no JSON", "a.json", "{\n  // a comment\n  a: 1,\n}", "{\n  // a comment\n  a: 1,\n}"},
		{"cut off", "a.json", `{"a":1,"b":[`, `{"a":1,"b":[`},
		{"lines", "a.jsonl", "{\"a\":1,\"b\":{\"c\":2}}\nno JSON\n\n[1,2]\n{\"a\":2}\n", "a: 1\nb:\n  c: 2\n\nno JSON\n\n1\n2\n\na: 2"},
	} {
		doc := mustExtract(t, c.name, []byte(c.raw))
		if doc.Text != c.want {
			t.Errorf("%s: %q, want %q", c.about, doc.Text, c.want)
		}
	}
}

func TestLargeValuesOfJSONStandUnderTheirPath(t *testing.T) {
	long := strings.Repeat("word ", 400)
	doc := mustExtract(t, "a.json", []byte(`{"version":1,"leave":{"days":25,"sick":{"text":"`+long+`"},"unpaid":"no"},"end":"x",`+
		`"trips":[{"to":"`+long+`"},{"to":"Oslo"}]}`))
	var got []string
	for _, h := range doc.Headings {
		line, _, _ := strings.Cut(doc.Text[h.Start:], "\n")
		got = append(got, strings.Repeat("#", h.Level)+h.Title+"|"+line[:min(len(line), 12)])
	}
	want := []string{"#leave|leave", "##sick|sick", "#leave|unpaid: no", "#|end: x", "#trips|trips", "##trips[0]|trips[0]", "#trips|- to: Oslo"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestRecordsOfJSONLinesAreBlocks(t *testing.T) {
	doc := mustExtract(t, "a.ndjson", []byte("{\"a\":1,\"b\":2}\n{\"a\":3}\n"))
	if got := blockTexts(doc, BlockList); !slices.Equal(got, []string{"a: 1\nb: 2", "a: 3"}) {
		t.Errorf("%q", got)
	}
}

func TestJSONNestedBeyondReasonIsRefused(t *testing.T) {
	for name, raw := range map[string]string{
		"a.json":  strings.Repeat("[", 257) + strings.Repeat("]", 257),
		"b.json":  strings.Repeat(`{"a":`, 100_000),
		"a.jsonl": "{}\n" + strings.Repeat("[", 1_000_000),
	} {
		_, err := extracted(t, name, []byte(raw))
		wantCode(t, err, CodeTooComplex)
	}
	// Of YAML there is no tree: it is read as the text it is.
	yaml := strings.Repeat("- ", 100_000) + "&a [*a, *a]\nb: " + strings.Repeat("{c: ", 100_000)
	if doc := mustExtract(t, "a.yaml", []byte(yaml)); strings.TrimSpace(doc.Text) != strings.TrimSpace(yaml) {
		t.Errorf("the text of YAML changed: %d bytes", len(doc.Text))
	}
	doc := mustExtract(t, "c.json", []byte(strings.Repeat(`{"a":`, 256)+"1"+strings.Repeat("}", 256)))
	if !strings.HasSuffix(doc.Text, "a: 1") {
		t.Errorf("%q", doc.Text[len(doc.Text)-40:])
	}
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"a":[1,{"b":[[]]},"x",[{"c":{}}]]}`)
	f.Add("{\"a\":\"" + strings.Repeat("x", 2000) + "\",\"b\":{\"c\":\"" + strings.Repeat("y", 2000) + "\",\"d\":1}}")
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func([]byte, Options) (Document, error){readJSON, readJSONLines} {
			doc, err := read([]byte(text), Options{MaxText: 1 << 20})
			if err == nil {
				err = doc.Check()
			} else if err == error(errTooDeep) {
				err = nil
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
