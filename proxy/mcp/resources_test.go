package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"footnote/assistants"
)

func TestResourcesArePagedOverCollections(t *testing.T) {
	w := newWorld(t)
	filter := assistants.LabelFilter{Required: []string{"open"}}
	w.assistants = nil
	for i := range 120 { // more than one page looks at
		a := assistants.Assistant{ID: assistants.AssistantID(fmt.Sprint("asst_", i)), Slug: fmt.Sprint("a", i), TenantID: "t", CollectionID: assistants.CollectionID(fmt.Sprint("coll_", i))}
		if i == 0 {
			a.Settings.Collections, a.Settings.RetrievalLabelFilter = []string{"coll_shared", "coll_119"}, &filter
		}
		w.assistants = append(w.assistants, a)
	}
	want := map[string]bool{}
	add := func(collection assistants.CollectionID, n int, seen bool, change func(*assistants.Document)) {
		for i := range n {
			d := assistants.Document{ID: assistants.DocumentID(fmt.Sprintf("doc_%s_%d", collection, i)), Name: "x", Live: 1}
			change(&d)
			w.documents[collection] = append(w.documents[collection], d)
			if seen {
				want[documentURI+string(d.ID)] = true
			}
		}
	}
	same := func(*assistants.Document) {}
	add("coll_1", 250, true, same)
	add("coll_2", 1, false, func(d *assistants.Document) { d.Live = 0 })
	add("coll_shared", 3, true, func(d *assistants.Document) { d.Labels = []string{"open"} })
	add("coll_118", 2, true, same)
	add("coll_119", 2, true, same) // its owner is in sight, so all of it
	add("coll_elsewhere", 2, false, same)
	cursor, pages := "", 0
	for {
		_, raw := w.post(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"`+cursor+`"}}`)
		_, data, _ := strings.Cut(raw, "data: ")
		var got struct{ Result sdk.ListResourcesResult }
		if err := json.Unmarshal([]byte(data), &got); err != nil || len(got.Result.Resources) > pageSize {
			t.Fatalf("%v %s", err, raw)
		}
		for _, r := range got.Result.Resources {
			if !want[r.URI] {
				t.Errorf("%s is listed twice, or may not be seen", r.URI)
			}
			delete(want, r.URI)
		}
		if pages++; got.Result.NextCursor == "" {
			break
		}
		cursor = got.Result.NextCursor
	}
	if len(want) != 0 || pages < 4 {
		t.Errorf("%d pages, without %v", pages, want)
	}
	foreign, err := position{"coll_nowhere", ""}.String()
	if err != nil {
		t.Fatal(err)
	}
	inner, err := position{"coll_1", "x"}.String()
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{"%", "bnVsbA", foreign, inner} {
		if _, got := w.post(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"`+wrong+`"}}`); !strings.Contains(got, "The cursor is not one of this list.") {
			t.Errorf("%s: %s", wrong, got)
		}
	}
}

func TestURIsOfResources(t *testing.T) {
	id := string(assistants.NewDocumentID())
	for uri, want := range map[string]string{
		documentURI + id:                  "/v1.0/documents/" + id + "/text?end=500000",
		documentURI + id + "/pages/12":    "/v1.0/documents/" + id + "/pages/12",
		documentURI + id + "/pages/0":     "",
		documentURI + id + "/pages/-1":    "",
		documentURI + id + "/pages/1/x":   "",
		documentURI + id + "/pages/":      "",
		documentURI + id + "/text":        "",
		documentURI + id + "?x":           "",
		documentURI + "../keys":           "",
		documentURI:                       "",
		"file:///etc/passwd":              "",
		"http://documents/" + id:          "",
		documentURI + id + "/pages/1?f=1": "",
	} {
		if path, ok := pathOf(uri); ok != (want != "") || ok && path != want {
			t.Errorf("%s: %q %v", uri, path, ok)
		}
	}
}

func TestALongTextSaysWhereItEnds(t *testing.T) {
	w := newWorld(t)
	w.says(200, `{"text":"Begin","start":0,"end":5,"total":9}`)
	_, got := w.post(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+documentURI+string(assistants.NewDocumentID())+`"}}`)
	if !strings.Contains(got, `Begin\n\n(The text ends here after 5 of 9 characters. Read its pages, or search it.)`) {
		t.Error(got)
	}
}
