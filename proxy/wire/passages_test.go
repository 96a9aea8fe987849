package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func passagesOf(n int, text string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"id":"p%d","text":%q}`, i, text)
	}
	return "[" + strings.Join(list, ",") + "]"
}

func TestPassagesHaveBounds(t *testing.T) {
	for _, c := range []struct {
		name, list string
		ok         bool
	}{
		{"50 passages", passagesOf(maxPassages, "x"), true},
		{"51 passages", passagesOf(maxPassages+1, "x"), false},
		{"just 256 KiB", passagesOf(1, strings.Repeat("x", maxPassageBytes-len("p0"))), true},
		{"more than 256 KiB with its id", passagesOf(1, strings.Repeat("x", maxPassageBytes)), false},
		{"more than 256 KiB together", passagesOf(2, strings.Repeat("x", maxPassageBytes/2)), false},
	} {
		_, err := ReadPassages("passages", []byte(c.list))
		if strings.Contains(c.name, "more than") && !strings.Contains(err.Error(), "256 KiB of ids, names, texts and URLs together") {
			t.Errorf("%s: %v", c.name, err)
		}
		if e, refused := errors.AsType[*Error](err); refused == c.ok || refused && (e.Param != "passages" || e.Code != "invalid_value") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestAPassageIsReadAsItWasSent(t *testing.T) {
	const raw = `[ {"text":"\u00e9 \"x\"\n[1]","id":"a\/b","name":"N","page_number":3,"url":"https://example.test/a?b#c"}, {"id":"é","text":"y","name":null,"url":null,"page_number":null} ]`
	got, err := ReadPassages("passages", []byte(raw))
	want := []Passage{{ID: "a/b", Name: "N", Text: "é \"x\"\n[1]", Page: 3, URL: "https://example.test/a?b#c"}, {ID: "é", Text: "y"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v, %v", got, err)
	}
	if got, err := ReadPassages("passages", []byte("null")); got != nil || err != nil {
		t.Error("null is as if absent:", got, err)
	}
}

// Whatever the list is, reading it ends, and what is read is what encoding/json reads.
func FuzzPassages(f *testing.F) {
	for _, seed := range []string{passagesOf(2, "x"), `[{"id":"a","text":"\ud83d"}]`, `[[]]`, `[{"id":"a","id":"b","text":""}]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		if !json.Valid([]byte(list)) || !utf8.ValidString(list) {
			return // a request with such a list is refused before
		}
		got, err := ReadPassages("passages", []byte(strings.TrimSpace(list)))
		if err != nil {
			return
		}
		var same []struct {
			ID, Name, Text, URL string
			Page                int `json:"page_number"`
		}
		if err := json.Unmarshal([]byte(list), &same); err != nil || len(same) != len(got) {
			t.Fatalf("%s is read as %+v, %v", list, got, err)
		}
		for i, p := range got {
			if p != (Passage{same[i].ID, same[i].Name, same[i].Text, same[i].Page, same[i].URL}) {
				t.Errorf("%+v, not %+v", p, same[i])
			}
		}
	})
}
