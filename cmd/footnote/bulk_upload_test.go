package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A bulkEmbedder notes the order in which an embedding server is asked about documents. It
// answers nothing about passages until it is opened.
type bulkEmbedder struct {
	answer http.Handler
	open   chan struct{}

	mu    sync.Mutex
	order []string
}

func (b *bulkEmbedder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left in the middle of it
	}
	var req struct{ Input []string }
	if json.Unmarshal(raw, &req) == nil && len(req.Input) > 0 {
		if name, _, ok := strings.Cut(req.Input[0], ":"); ok {
			b.mu.Lock()
			b.order = append(b.order, name)
			b.mu.Unlock()
			select {
			case <-b.open:
			case <-r.Context().Done():
				return
			}
		}
	}
	r.Body = io.NopCloser(strings.NewReader(string(raw)))
	b.answer.ServeHTTP(w, r)
}

// bulkText is a document of many passages, each of which begins with its name.
func bulkText(name string, passages int) string {
	var b strings.Builder
	for i := range passages {
		fmt.Fprintf(&b, "# %s: part %d\n\n%s\n\n", name, i, strings.Repeat(fmt.Sprintf("Part %d of %s is kept here. ", i, name), 8))
	}
	return b.String()
}

// A bulk upload becomes ready document by document, small ones first, and the large ones end.
// All of them are found by their words before the first vector is made.
func TestABulkUploadIsReadyDocumentByDocument(t *testing.T) {
	embedder := &bulkEmbedder{answer: newEmbeddingServer(t).Config.Handler, open: make(chan struct{})}
	server := httptest.NewServer(embedder)
	defer server.Close()
	p := start(t, t.TempDir(), nil, "FOOTNOTE_EMBEDDING_URL="+server.URL, "FOOTNOTE_EMBEDDING_MODEL=words")
	upload := func(assistant, name string, passages int) {
		t.Helper()
		body, contentType := formOf(t, name+".md", bulkText(name, passages))
		if code := p.request("POST", "/v1.0/assistants/"+assistant+"/documents", contentType, strings.NewReader(body), nil); code != 202 {
			t.Fatal(code)
		}
	}
	assistants := []string{"one", "two", "three", "four", "five", "six", "seven", "eight"}
	for _, a := range assistants {
		if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": a}, nil); code != 201 {
			t.Fatal(code)
		}
		upload(a, "large "+a, 1400)
	}
	for i := range 3 {
		for _, a := range assistants[:2] {
			upload(a, fmt.Sprintf("small %s %d", a, i), 3+i)
		}
	}
	all := func(searchable string) bool {
		for _, a := range assistants {
			var list struct{ Data []remoteDocument }
			code := p.request("GET", "/v1.0/assistants/"+a+"/documents", "", nil, &list)
			if code != 200 || slices.ContainsFunc(list.Data, func(d remoteDocument) bool { return d.Searchable != searchable }) {
				return false
			}
		}
		return true
	}
	eventually(t, "all documents are found by their words", func() bool { return all("text") })
	close(embedder.open)
	eventually(t, "all documents have their vectors", func() bool { return all("full") })

	embedder.mu.Lock()
	defer embedder.mu.Unlock()
	first, last := map[string]int{}, map[string]int{}
	for i, name := range embedder.order {
		if _, ok := first[name]; !ok {
			first[name] = i
		}
		last[name] = i
	}
	ends, begun := len(embedder.order), 0
	for _, a := range assistants {
		ends = min(ends, last["large "+a])
	}
	for name, at := range first {
		if strings.HasPrefix(name, "small") && last[name] > ends {
			t.Errorf("%s was embedded after a large document was ready", name)
		}
		if strings.HasPrefix(name, "large") && at < ends {
			begun++
		}
	}
	if begun > 5 {
		t.Errorf("%d of 8 large documents were begun before one was ready", begun)
	}
	if len(last) != 14 {
		t.Errorf("%d documents were embedded, want 14", len(last))
	}
}
