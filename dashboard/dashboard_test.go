package dashboard

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func get(t *testing.T, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	ok, err := Serve(w, r)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return nil
	}
	return w.Result()
}

func body(t *testing.T, r io.Reader) string {
	t.Helper()
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

func TestEachPageIsTheOneThatLoadsTheRest(t *testing.T) {
	for _, path := range []string{"/", "/welcome", "/a/handbook/chat", "/a/" + "%2e%2e", "/documents/doc_1", "/search", "/keys", "/upstreams", "/audit", "/status"} {
		r := get(t, path)
		page := body(t, r.Body)
		if !Has(path) || r.Header.Get("Content-Security-Policy") != Policy || !strings.Contains(page, `src="/assets/app.js"`) {
			t.Errorf("%s: %v %s", path, r.Header, page)
		}
		if strings.Contains(page, "<style") || strings.Contains(page, "<script>") {
			t.Errorf("%s has a script or a style of its own", path)
		}
	}
	for _, path := range []string{"/welcome/x", "/v1/nothing", "/dist/index.html", "/index.html", "/a"} {
		if Has(path) {
			t.Errorf("%s is a page", path)
		}
	}
	if get(t, "/assets/none.js") != nil {
		t.Error("a file that is not there was answered")
	}
}

func TestAFileIsSentOnceAndPacked(t *testing.T) {
	plain, packed := get(t, "/assets/app.js"), get(t, "/assets/app.js", "Accept-Encoding", "br, gzip;q=0.8")
	content := body(t, plain.Body)
	zip, err := gzip.NewReader(packed.Body)
	if err != nil || body(t, zip) != content {
		t.Errorf("%v: the packed file is another", err)
	}
	if plain.Header.Get("ETag") == packed.Header.Get("ETag") || packed.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("%v", packed.Header)
	}
	if r := get(t, "/assets/app.js", "Accept-Encoding", "gzip;q=0"); r.Header.Get("Content-Encoding") != "" {
		t.Error("packed for one who does not take it")
	}
	if again := get(t, "/assets/app.js", "If-None-Match", plain.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("%d", again.StatusCode)
	}
}

// TestTheFirstLoadIsSmall holds the budget: 200 KB, packed.
func TestTheFirstLoadIsSmall(t *testing.T) {
	all, err := files()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for name, f := range all {
		sum += len(f.zip)
		if f.contentType == "" || bytes.Equal(f.content, nil) {
			t.Errorf("%s: %q", name, f.contentType)
		}
	}
	if sum > 200_000 {
		t.Errorf("%d bytes", sum)
	}
}
