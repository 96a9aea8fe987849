package control_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/pdf"
	"footnote/assistants/ingestion/sandbox"
	"footnote/proxy/control"
)

// An easel is a control.Pictures that records requests.
type easel struct {
	mu    sync.Mutex
	asked []pdf.Picture
	keys  []string
	err   error
}

func (e *easel) Draw(_ context.Context, key string, want pdf.Picture) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked, e.keys = append(e.asked, want), append(e.keys, key)
	return []byte("\x89PNG picture"), e.err
}

// pictured is a world with a ready PDF of two pages.
func pictured(t *testing.T) (*world, *easel, string) {
	t.Helper()
	e := &easel{}
	w := newWorld(t, func(d *control.Deps) { d.Pictures = e })
	id := w.document(w.assistant("mine", ""), "a.pdf", "%PDF-1.7 of a test")
	w.publishAs(id, "application/pdf", "Erste Seite – ü.", "Zweite 😀 Seite.")
	return w, e, id
}

func TestAPictureOfAPageMarksThePassage(t *testing.T) {
	w, e, id := pictured(t)
	page := "/documents/" + id + "/pages/2?format=png"
	got := w.call("GET", page+"&highlight=23-30&dpi=144", "")
	got.want(200)
	if !bytes.HasPrefix(got.raw, []byte("\x89PNG")) || got.header.Get("Content-Type") != "image/png" || got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Etag") == "" {
		t.Errorf("%v %q", got.header, got.raw)
	}
	want := pdf.Picture{Page: 2, DPI: 144, Text: "Zweite 😀 Seite.", Start: 7, End: 17}
	if len(e.asked) != 1 || e.asked[0] != want {
		t.Fatalf("asked for %+v, want %+v", e.asked, want)
	}
	if marked := want.Text[want.Start:want.End]; marked != "😀 Seite" && marked != "😀 Seit" {
		t.Fatalf("the test marks %q", marked)
	}
	for query, want := range map[string]pdf.Picture{
		"":                 {Page: 2},
		"&width=640":       {Page: 2, Width: 640},
		"&highlight=0-5":   {Page: 2}, // on the page before
		"&highlight=10-22": {Page: 2, Text: "Zweite 😀 Seite.", Start: 0, End: 6},
		"&highlight=0-31":  {Page: 2, Text: "Zweite 😀 Seite.", Start: 0, End: 18},
	} {
		w.call("GET", page+query, "").want(200)
		if got := e.asked[len(e.asked)-1]; got != want {
			t.Errorf("%s: asked for %+v, want %+v", query, got, want)
		}
	}
}

func TestAnUnchangedPictureIsNotDrawnAgain(t *testing.T) {
	w, e, id := pictured(t)
	page := "/documents/" + id + "/pages/1?format=png"
	tag := w.call("GET", page, "").header.Get("Etag")
	req, err := http.NewRequestWithContext(t.Context(), "GET", w.url+page, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+adminKey)
	req.Header.Set("If-None-Match", tag)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 304 || len(e.asked) != 1 {
		t.Errorf("%d, drawn %d times", resp.StatusCode, len(e.asked))
	}
	if other := w.call("GET", page+"&highlight=0-5", "").header.Get("Etag"); other == tag {
		t.Error("another passage has the same tag")
	}
}

func TestAPictureThatCannotBeSaysWhy(t *testing.T) {
	w, e, id := pictured(t)
	path := "/documents/" + id + "/pages/"
	for _, n := range []string{"0", "3", "-1", "x", "99999999999999999999"} {
		w.call("GET", path+n+"?format=png", "").fails(404, "not_found", "")
	}
	for _, query := range []string{"highlight=", "highlight=5", "highlight=5-5", "highlight=6-5", "highlight=-1-5", "highlight=a-b", "highlight=0-33", "highlight=1-2-3", "highlight=0-99999999999999999999"} {
		w.call("GET", path+"1?format=png&"+query, "").fails(400, "invalid_value", "highlight")
	}
	for _, query := range []string{"highlight=0-33", "highlight=99999999999-999999999999"} {
		if got := w.call("GET", path+"1?format=png&"+query, ""); !strings.Contains(string(got.raw), "ends behind the document's text, which has 31 characters") {
			t.Errorf("%s: %s", query, got.raw)
		}
	}
	for _, query := range []string{"dpi=0", "dpi=35", "dpi=201", "dpi=x", "dpi="} {
		w.call("GET", path+"1?format=png&"+query, "").fails(400, "invalid_value", "dpi")
	}
	for _, query := range []string{"width=99", "width=2001", "width=1e3"} {
		w.call("GET", path+"1?format=png&"+query, "").fails(400, "invalid_value", "width")
	}
	if len(e.asked) != 0 {
		t.Errorf("drawn although unchanged: %+v", e.asked)
	}
	e.err = &extract.Error{Code: extract.CodeTooComplex, Message: "The document takes longer to read than is allowed.", Err: fmt.Errorf("inside")}
	got := w.call("GET", path+"1?format=png", "")
	got.fails(422, extract.CodeTooComplex, "")
	if bytes.Contains(got.raw, []byte("inside")) || got.header.Get("Etag") != "" {
		t.Errorf("%v %s", got.header, got.raw)
	}
	e.err = assistants.ErrNotFound
	w.call("GET", path+"1?format=png", "").fails(404, "not_found", "")
	e.err = assistants.ErrUnavailable
	w.call("GET", path+"1?format=png", "").want(503)
}

// A storeInMotion calls then, once, before it reads a text.
type storeInMotion struct {
	control.Store
	then *func()
}

func (s storeInMotion) LiveText(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Text, error) {
	if then := *s.then; then != nil {
		*s.then = nil
		then()
	}
	return s.Store.LiveText(ctx, tenant, id)
}

// If a document is replaced during a request for a picture, text and page are of
// the same version.
func TestAPictureIsOfOneVersion(t *testing.T) {
	e, then := &easel{}, new(func())
	w := newWorld(t, func(d *control.Deps) { d.Pictures, d.Store = e, storeInMotion{d.Store, then} })
	id := w.document(w.assistant("mine", ""), "a.pdf", "%PDF-1.7 of a test")
	w.publishAs(id, "application/pdf", "The first version.")
	doc := assistants.DocumentID(id)
	key := ""
	*then = func() {
		v := assistants.Version{FileName: "a.pdf", BlobKey: "default/second", SHA256: strings.Repeat("2", 64), Bytes: 1, ContentType: "application/pdf"}
		if _, _, err := w.store.ReplaceFile(t.Context(), assistants.DefaultTenant, doc, v); err != nil {
			t.Fatal(err)
		}
		w.publishVersion(id, 2, "application/pdf", "The second version.")
		key = v.BlobKey
	}
	w.call("GET", "/documents/"+id+"/pages/1?format=png&highlight=4-10", "").want(200)
	if len(e.keys) != 1 || e.keys[0] != key || e.asked[0].Text != "The second version." {
		t.Errorf("drawn %q with %+v", e.keys, e.asked)
	}
}

func TestStatusShowsTheIsolationOfReaders(t *testing.T) {
	w := newWorld(t, func(d *control.Deps) {
		d.Sandbox = func(context.Context) sandbox.Isolation {
			return sandbox.Isolation{Network: "filter", Filter: true, CPU: true}
		}
	})
	if got := w.call("GET", "/status", "").object(200); fmt.Sprint(got["sandbox"]) != "map[cpu:true filter:true memory:false namespace:false network:filter]" {
		t.Errorf("sandbox %v", got["sandbox"])
	}
}
