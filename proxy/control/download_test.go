package control_test

import (
	"bufio"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"testing"

	"footnote/assistants"
)

func TestADownloadIsTheBytesAndNeverAPage(t *testing.T) {
	w := newWorld(t)
	const content = "<html><script>alert(1)</script>\n<p>text</p></html>"
	id := w.document(w.assistant("mine", ""), "Ünïcode \"quoted\".html", content)
	got := w.call("GET", "/documents/"+id+"/download", "").want(200)
	if string(got.raw) != content {
		t.Errorf("bytes %q", got.raw)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'",
		"Accept-Ranges": "bytes", "Content-Length": fmt.Sprint(len(content)),
	} {
		if got.header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.header.Get(name), want)
		}
	}
	disposition, params, err := mime.ParseMediaType(got.header.Get("Content-Disposition"))
	if err != nil || disposition != "attachment" || params["filename"] != "Ünïcode \"quoted\".html" {
		t.Errorf("Content-Disposition %q: %v %v", got.header.Get("Content-Disposition"), params, err)
	}
	head := w.call("HEAD", "/documents/"+id+"/download", "").want(200)
	if len(head.raw) != 0 || head.header.Get("Content-Length") != fmt.Sprint(len(content)) {
		t.Errorf("HEAD: %q %v", head.raw, head.header)
	}
	etag := got.header.Get("Etag")
	if again := w.send("GET", "/documents/"+id+"/download", adminKey, nil, "If-None-Match", etag); again.status != 304 {
		t.Errorf("with its ETag: %d", again.status)
	}
}

func TestContentTypesOfDownloads(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	for name, want := range map[string]string{"a.txt": "text/plain", "b.md": "text/markdown"} {
		id := w.document(mine, name, "# "+name+"\n\ntext of it")
		if got := w.call("GET", "/documents/"+id+"/download", "").want(200).header.Get("Content-Type"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestNamesCannotBreakOutOfTheHeader(t *testing.T) {
	w := newWorld(t)
	id := w.document(w.assistant("mine", ""), "a.txt", "text")
	for _, name := range []string{`x"; filename="evil.exe`, `x\`, "x;y=z", "日本語.pdf", "%0d%0aSet-Cookie: a=b", "a'b*c.txt", "  x"} {
		if got := w.call("PATCH", "/documents/"+id, fmt.Sprintf(`{"name":%q}`, name)); got.status != 200 {
			t.Fatalf("%q: %d %s", name, got.status, got.raw)
		}
		got := w.call("GET", "/documents/"+id+"/download", "").want(200)
		_, params, err := mime.ParseMediaType(got.header.Get("Content-Disposition"))
		if err != nil || params["filename"] != name || len(params) != 1 || got.header.Get("Set-Cookie") != "" {
			t.Errorf("%q: %q %v %v", name, got.header.Get("Content-Disposition"), params, err)
		}
	}
}

func TestRanges(t *testing.T) {
	w := newWorld(t)
	id := w.document(w.assistant("mine", ""), "a.txt", "0123456789")
	path := "/documents/" + id + "/download"
	etag := w.call("GET", path, "").header.Get("Etag")
	for value, want := range map[string]string{"bytes=2-4": "234", "bytes=7-": "789", "bytes=-3": "789", "bytes=0-0": "0", "bytes=5-99": "56789"} {
		got := w.send("GET", path, adminKey, nil, "Range", value)
		if got.status != 206 || string(got.raw) != want || !strings.HasSuffix(got.header.Get("Content-Range"), "/10") {
			t.Errorf("%s: %d %q %v", value, got.status, got.raw, got.header)
		}
	}
	if got := w.send("GET", path, adminKey, nil, "Range", "bytes=0-1,4-5"); got.status != 206 || !strings.Contains(got.header.Get("Content-Type"), "multipart/byteranges") {
		t.Errorf("two ranges: %d %v", got.status, got.header)
	}
	for _, value := range []string{"bytes=-0", "bytes=10-", "bytes=50-60", "bytes=4-2", "bytes=x"} {
		got := w.send("GET", path, adminKey, nil, "Range", value)
		got.fails(416, "invalid_value", "")
		if got.header.Get("Content-Disposition") != "" {
			t.Errorf("%s: the error is offered as a file", value)
		}
	}
	for _, unit := range []string{"items=0-4", "seconds=1-", "bytes 0-4", "x"} {
		if got := w.send("GET", path, adminKey, nil, "Range", unit); got.status != 200 || len(got.raw) != 10 {
			t.Errorf("%s is not ignored: %d %q", unit, got.status, got.raw)
		}
	}
	if got := w.send("GET", path, adminKey, nil, "Range", "bytes=2-4", "If-Range", `"another"`); got.status != 200 || len(got.raw) != 10 {
		t.Errorf("of another version: %d %q", got.status, got.raw)
	}
	if got := w.send("GET", path, adminKey, nil, "Range", "bytes=2-4", "If-Range", etag); got.status != 206 {
		t.Errorf("of this version: %d", got.status)
	}
}

// TestLinkModes tests each mode of links.
func TestLinkModes(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	id := w.document(mine, "a.txt", "text")
	path := "/documents/" + id + "/download"
	reader := w.key(`{"name":"r","scopes":["chat"],"assistants":["` + mine + `"]}`)
	search := w.key(`{"name":"s","scopes":["search"]}`)
	w.as(reader, "GET", path, "").fails(404, "not_found", "")
	w.as(search, "GET", path, "").fails(404, "not_found", "")
	w.call("GET", path, "").want(200)
	w.call("PATCH", "/assistants/"+mine+"/settings", `{"citation_link_mode":"Authenticated"}`).want(200)
	w.as(reader, "GET", path, "").want(200)
	w.as(search, "GET", path, "").want(200)
	w.as("", "GET", path, "").fails(401, "invalid_api_key", "")
}

func TestAMissingOrDamagedFileIsNotFound(t *testing.T) {
	w := newWorld(t)
	id := w.document(w.assistant("mine", ""), "a.txt", "text")
	d, err := w.store.Document(t.Context(), assistants.DefaultTenant, assistants.DocumentID(id))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.blobs.Delete(t.Context(), d.Version.BlobKey); err != nil {
		t.Fatal(err)
	}
	w.call("GET", "/documents/"+id+"/download", "").fails(404, "not_found", "")
	if _, _, err := w.blobs.Put(t.Context(), d.Version.BlobKey, strings.NewReader("longer than it was")); err != nil {
		t.Fatal(err)
	}
	w.call("GET", "/documents/"+id+"/download", "").fails(404, "not_found", "")
}

func TestAReaderThatLeavesEndsTheDownload(t *testing.T) {
	w := newWorld(t)
	id := w.document(w.assistant("mine", ""), "a.txt", strings.Repeat("0123456789abcdef", 50_000))
	req, err := http.NewRequestWithContext(t.Context(), "GET", w.url+"/documents/"+id+"/download", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+adminKey)
	resp, err := w.server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(bufio.NewReader(resp.Body), make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close() // the server's Close waits for the handler, and goleak for its goroutines
}
