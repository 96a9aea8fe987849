package control_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/proxy/control"
	"footnote/proxy/front"

	"github.com/gin-gonic/gin"
)

func TestAnUploadIsAccepted(t *testing.T) {
	w := newWorld(t)
	path := "/assistants/" + w.assistant("mine", "") + "/documents"
	got := w.upload("POST", path, part{"labels", "", `["hr","hr","2026"]`}, part{"tags", "", `{"year":"2026"}`}, part{"file", "a b.txt", "some text"}).object(202)
	if want := []string{"bytes", "chunks", "collection_id", "content_type", "created_at", "id", "labels", "name", "pages", "ready_at", "searchable", "sha256", "status", "tags"}; !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
		t.Errorf("members of %v, want %v", got, want)
	}
	if got["name"] != "a b.txt" || got["status"] != "pending" || got["searchable"] != "none" || got["bytes"] != 9.0 || got["ready_at"] != nil ||
		got["sha256"] != "b94f6f125c79e3a5ffaa826f584c10d52ada669e6762051b826b55776d05aed2" || fmt.Sprint(got["labels"]) != "[hr 2026]" || fmt.Sprint(got["tags"]) != "map[year:2026]" {
		t.Errorf("document %v", got)
	}
	again := w.upload("POST", path, part{"file", "other.txt", "some text"}).object(200)
	if again["id"] != got["id"] || again["duplicate"] != true || again["name"] != "a b.txt" {
		t.Errorf("the same bytes again: %v", again)
	}
	if list := w.call("GET", path, "").object(200)["data"].([]any); len(list) != 1 {
		t.Errorf("%d documents, want 1", len(list))
	}
}

func TestFieldsMayFollowTheFiles(t *testing.T) {
	w := newWorld(t)
	path := "/assistants/" + w.assistant("mine", "") + "/documents"
	got := w.upload("POST", path, part{"file", "a.txt", "one"}, part{"tags", "", `{"k":""}`}, part{"labels", "", `["x"]`}).object(202)
	if fmt.Sprint(got["labels"]) != "[x]" || fmt.Sprint(got["tags"]) != "map[k:]" {
		t.Errorf("document %v", got)
	}
	// A wrong field behind the file refuses the form before anything is stored.
	w.upload("POST", path, part{"file", "b.txt", "two"}, part{"labels", "", `{"x":1}`}).fails(400, "invalid_type", "labels")
	if list := w.call("GET", path, "").object(200)["data"].([]any); len(list) != 1 {
		t.Errorf("%d documents, want 1", len(list))
	}
}

func TestSeveralFilesHaveAResultEach(t *testing.T) {
	w := newWorld(t)
	path := "/assistants/" + w.assistant("mine", "") + "/documents"
	type answer struct {
		Data []struct {
			Document *struct {
				ID, Name  string
				Duplicate bool
			}
			Name  string
			Error *struct{ Message, Type, Code string }
		}
	}
	var all, some answer
	w.upload("POST", path, part{"file", "a.txt", "one"}, part{"file", "b.txt", "two"}, part{"file", "c.txt", "one"}).into(202, &all)
	if len(all.Data) != 3 || all.Data[0].Document.Name != "a.txt" || all.Data[2].Document.ID != all.Data[0].Document.ID || !all.Data[2].Document.Duplicate || all.Data[1].Document.Duplicate {
		t.Errorf("answer %+v", all)
	}
	w.upload("POST", path, part{"file", "d.txt", "three"}, part{"file", "e.txt", ""}, part{"file", "f.bin", "MZ\x00\x01\x02\x03\x00\x00"}).into(207, &some)
	if some.Data[0].Document == nil || some.Data[1].Name != "e.txt" || some.Data[1].Error.Code != "empty_file" || some.Data[2].Error.Code != "unsupported_media_type" || !strings.HasPrefix(some.Data[2].Error.Message, "This is a ") || some.Data[2].Document != nil {
		t.Errorf("answer %+v", some)
	}
	w.upload("POST", path, part{"file", "a.txt", "one"}, part{"file", "b.txt", "two"}).into(200, &all)
	if len(w.call("GET", path, "").object(200)["data"].([]any)) != 3 {
		t.Error("not three documents")
	}
}

func TestUploadsThatAreRefusedAtOnce(t *testing.T) {
	w := newWorld(t)
	path := "/assistants/" + w.assistant("mine", "") + "/documents"
	file := part{"file", "a.txt", "text"}
	many := make([]part, 1001)
	for i := range many {
		many[i] = part{"file", fmt.Sprintf("%d.txt", i), fmt.Sprint(i)}
	}
	for name, c := range map[string]struct {
		parts       []part
		status      int
		code, param string
	}{
		"no part":                     {nil, 400, "missing_required_parameter", "file"},
		"no file":                     {[]part{{"labels", "", "[]"}}, 400, "missing_required_parameter", "file"},
		"a text field named file":     {[]part{{"file", "", "text"}}, 400, "invalid_value", "file"},
		"an unknown field":            {[]part{file, {"tenant_id", "", "b"}}, 400, "unsupported_parameter", "tenant_id"},
		"labels twice":                {[]part{file, {"labels", "", "[]"}, {"labels", "", "[]"}}, 400, "duplicate_key", "labels"},
		"labels that are no array":    {[]part{file, {"labels", "", "hr"}}, 400, "invalid_type", "labels"},
		"labels that are no strings":  {[]part{file, {"labels", "", "[1]"}}, 400, "invalid_type", "labels"},
		"an empty label":              {[]part{file, {"labels", "", `["a"," "]`}}, 400, "invalid_value", "labels[1]"},
		"too many labels":             {[]part{file, {"labels", "", "[" + strings.Repeat(`"x",`, 100) + `"y"]`}}, 400, "invalid_value", "labels"},
		"tags that are no object":     {[]part{file, {"tags", "", `[]`}}, 400, "invalid_type", "tags"},
		"a tag that is no string":     {[]part{file, {"tags", "", `{"year":2026}`}}, 400, "invalid_type", "tags"},
		"a tag without a key":         {[]part{file, {"tags", "", `{"":"x"}`}}, 400, "invalid_value", "tags"},
		"NUL in a tag":                {[]part{file, {"tags", "", `{"k":"\u0000"}`}}, 400, "invalid_value", "tags.k"},
		"an endless field":            {[]part{file, {"labels", "", strings.Repeat(" ", 1<<20) + "[]"}}, 400, "invalid_value", "labels"},
		"an empty source path":        {[]part{file, {"source_path", "", ""}}, 400, "invalid_value", "source_path"},
		"a source path with NUL":      {[]part{file, {"source_path", "", "a\x00b"}}, 400, "invalid_value", "source_path"},
		"a source path for two files": {[]part{file, {"file", "b.txt", "b"}, {"source_path", "", "a"}}, 400, "invalid_value", "source_path"},
		"an empty file":               {[]part{{"file", "a.txt", ""}}, 422, "empty_file", ""},
		"a program":                   {[]part{{"file", "a.pdf", "MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff"}}, 415, "unsupported_media_type", ""},
		"1,001 parts":                 {many, 400, "invalid_value", ""},
		"a file over the limit":       {[]part{{"file", "a.txt", strings.Repeat("x", 1<<20+1)}}, 413, "request_too_large", ""},
		"a form far over the limit":   {[]part{{"file", "a.txt", strings.Repeat("x", 5<<20)}}, 413, "request_too_large", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			w.upload("POST", path, c.parts...).fails(c.status, c.code, c.param)
		})
	}
	w.t = t
	for _, contentType := range []string{"", "text/plain", "application/json", "application/x-www-form-urlencoded", "multipart/mixed; boundary=x"} {
		w.send("POST", path, adminKey, strings.NewReader("x"), "Content-Type", contentType).fails(415, "unsupported_media_type", "")
	}
	if n := len(w.call("GET", path, "").object(200)["data"].([]any)); n != 0 {
		t.Errorf("%d documents were stored", n)
	}
}

// TestBrokenForms sends forms that no client library makes.
func TestBrokenForms(t *testing.T) {
	w := newWorld(t)
	path := "/assistants/" + w.assistant("mine", "") + "/documents"
	head := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
	for name, c := range map[string]struct{ contentType, body string }{
		"an empty body":              {"multipart/form-data; boundary=b", ""},
		"zero parts":                 {"multipart/form-data; boundary=b", "--b--\r\n"},
		"no terminator":              {"multipart/form-data; boundary=b", head + "text"},
		"no terminator after a part": {"multipart/form-data; boundary=b", head + "text\r\n--b\r\n"},
		"cut off between parts":      {"multipart/form-data; boundary=b", head + "text\r\n--b"},
		"the wrong boundary":         {"multipart/form-data; boundary=c", head + "text\r\n--b--\r\n"},
		"no boundary":                {"multipart/form-data", head + "text\r\n--b--\r\n"},
		"a boundary of 1 kB":         {"multipart/form-data; boundary=" + strings.Repeat("b", 1000), head},
		"a header line of 1 MB":      {"multipart/form-data; boundary=b", "--b\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n\r\n--b--\r\n"},
		"20,000 headers":             {"multipart/form-data; boundary=b", "--b\r\n" + strings.Repeat("X: y\r\n", 20000) + "\r\n\r\n--b--\r\n"},
		"no colon in a header":       {"multipart/form-data; boundary=b", "--b\r\nnonsense\r\n\r\n\r\n--b--\r\n"},
		"a part without a name":      {"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n"},
		"an empty file name":         {"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\"\r\n\r\n\r\n--b--\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			got := w.send("POST", path, adminKey, strings.NewReader(c.body), "Content-Type", c.contentType)
			if got.status != 400 {
				t.Errorf("%d %s, want 400", got.status, got.raw)
			}
		})
	}
	w.t = t
	if n := len(w.call("GET", path, "").object(200)["data"].([]any)); n != 0 {
		t.Errorf("%d documents were stored", n)
	}
}

func TestATooLargeUploadIsRefusedUnread(t *testing.T) {
	w := newWorld(t)
	id := w.assistant("mine", "")
	u, err := url.Parse(w.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// 2 GiB are announced; not one byte of them is sent.
	fmt.Fprintf(conn, "POST /v1.0/assistants/%s/documents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 2147483648\r\nExpect: 100-continue\r\n\r\n", id, adminKey)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 413 || !resp.Close {
		t.Errorf("status %d, close %v; want 413 and a closed connection", resp.StatusCode, resp.Close)
	}
}

func TestAnEndlessUploadEndsAtTheLimit(t *testing.T) {
	spool := t.TempDir()
	w := newWorld(t, func(d *control.Deps) { d.SpoolDir = spool })
	id := w.assistant("mine", "")
	r, body := io.Pipe()
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := io.WriteString(body, "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n")
		for chunk := bytes.Repeat([]byte("x"), 64<<10); err == nil; {
			_, err = body.Write(chunk) // until the server has had enough
		}
	})
	req, err := http.NewRequestWithContext(t.Context(), "POST", w.url+"/assistants/"+id+"/documents", r)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+adminKey)
	req.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	if resp, err := w.server.Client().Do(req); err == nil { // the connection may also break while the client still sends
		resp.Body.Close()
		if resp.StatusCode != 413 {
			t.Errorf("status %d, want 413", resp.StatusCode)
		}
	}
	r.Close()
	wg.Wait()
	if left, err := os.ReadDir(spool); err != nil || len(left) != 0 {
		t.Errorf("left in the spool directory: %v, %v", left, err)
	}
}

// An upload may take any time as long as it moves.
func TestSlowUploadsAreCutUnlessTheyMove(t *testing.T) {
	w := newWorld(t)
	path := "/assistants/" + w.assistant("mine", "") + "/documents"
	const pace = 400 * time.Millisecond
	bounded := gin.New()
	bounded.Use(front.New(front.Config{Timings: front.Timings{Upload: pace}}, slog.New(slog.DiscardHandler)).BoundBody)
	bounded.NoRoute(gin.WrapH(w.engine))
	server := httptest.NewServer(bounded)
	defer server.Close()
	w.url = server.URL + "/v1.0"
	for name, c := range map[string]struct {
		piece, pieces, status int
		code                  string
	}{
		"a byte now and then": {1, 1 << 20, 408, "request_timeout"},
		"60 KiB now and then": {60 << 10, 8, 202, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, body := io.Pipe()
			var wg sync.WaitGroup
			defer wg.Wait()
			defer r.Close()
			wg.Go(func() {
				ticker := time.NewTicker(pace / 4)
				defer ticker.Stop()
				_, err := io.WriteString(body, "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n")
				for i := 0; i < c.pieces && err == nil; i++ {
					<-ticker.C
					_, err = body.Write(bytes.Repeat([]byte("x"), c.piece))
				}
				if err == nil {
					_, err = io.WriteString(body, "\r\n--b--\r\n")
				}
				_ = body.CloseWithError(err)
			})
			answer := w.send("POST", path, adminKey, r, "Content-Type", "multipart/form-data; boundary=b").want(c.status)
			if c.code != "" {
				answer.fails(c.status, c.code, "")
			}
		})
	}
}

func TestFileNamesAreDataOnly(t *testing.T) {
	w := newWorld(t)
	path := "/assistants/" + w.assistant("mine", "") + "/documents"
	for i, c := range [][2]string{
		{"../../etc/passwd.txt", "passwd.txt"}, {`..\..\boot.txt`, "boot.txt"}, {`C:\x\y.txt`, "y.txt"}, {"/abs/z.txt", "z.txt"},
		{"Übersicht – 第三四半期.txt", "Übersicht – 第三四半期.txt"}, {"invoice\u202etxt.exe.txt", "invoicetxt.exe.txt"},
		{"a\tb.txt", "ab.txt"}, {strings.Repeat("n", 300) + ".txt", strings.Repeat("n", 251) + ".txt"},
	} {
		body := &bytes.Buffer{}
		fmt.Fprintf(body, "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=%s\r\n\r\ntext %d\r\n--b--\r\n", quoted(c[0]), i)
		got := w.send("POST", path, adminKey, body, "Content-Type", "multipart/form-data; boundary=b").object(202)
		if got["name"] != c[1] {
			t.Errorf("%q became %q, want %q", c[0], got["name"], c[1])
		}
	}
}

// quoted is a quoted-string that keeps backslashes, as browsers send them.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

func TestAKnownSourcePathReplacesItsDocument(t *testing.T) {
	w := newWorld(t)
	path := "/assistants/" + w.assistant("mine", "") + "/documents"
	at := part{"source_path", "", "docs/a.txt"}
	first := w.upload("POST", path, at, part{"labels", "", `["old"]`}, part{"file", "a.txt", "one"}).object(202)
	if first["source_path"] != "docs/a.txt" {
		t.Errorf("document %v", first)
	}
	second := w.upload("POST", path, part{"file", "a.txt", "two"}, at).object(202)
	if second["id"] != first["id"] || fmt.Sprint(second["labels"]) != "[old]" {
		t.Errorf("second %v", second)
	}
	same := w.upload("POST", path, at, part{"file", "a.txt", "two"}, part{"labels", "", `["new"]`}).object(200)
	if same["id"] != first["id"] || same["duplicate"] != true || fmt.Sprint(same["labels"]) != "[new]" {
		t.Errorf("same %v", same)
	}
	// The same path in another collection is another document.
	other := w.upload("POST", "/assistants/"+w.assistant("other", "")+"/documents", at, part{"file", "a.txt", "two"}).object(202)
	if other["id"] == first["id"] {
		t.Error("a document of another assistant was replaced")
	}
	// Bytes that another document of the collection has: that one is the
	// answer, and what the path stood for is gone.
	third := w.upload("POST", path, part{"file", "b.txt", "three"}).object(202)
	twin := w.upload("POST", path, at, part{"file", "a.txt", "three"}).object(200)
	if twin["id"] != third["id"] || twin["duplicate"] != true {
		t.Errorf("twin %v", twin)
	}
	w.send("GET", fmt.Sprint("/documents/", first["id"]), adminKey, nil).want(404)
}

func TestUploadsOfOnePathAtOnceMakeOneDocument(t *testing.T) {
	w := newWorld(t)
	path := w.url + "/assistants/" + w.assistant("mine", "") + "/documents"
	var wg sync.WaitGroup
	for i := range 8 {
		body, contentType := encode(t, part{"source_path", "", "p"}, part{"file", "a.txt", fmt.Sprint("text ", i)})
		wg.Go(func() {
			req, err := http.NewRequestWithContext(t.Context(), "POST", path, body)
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Authorization", "Bearer "+adminKey)
			req.Header.Set("Content-Type", contentType)
			resp, err := w.server.Client().Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if resp.StatusCode != 202 {
				text, err := io.ReadAll(resp.Body)
				t.Errorf("status %d %s %v", resp.StatusCode, text, err)
			}
		})
	}
	wg.Wait()
	if n := len(w.call("GET", strings.TrimPrefix(path, w.url), "").object(200)["data"].([]any)); n != 1 {
		t.Errorf("%d documents, want 1", n)
	}
}

func TestANewVersionOfADocument(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	id := w.document(mine, "a.txt", "the old text")
	w.publish(id, "the old text")
	path := "/documents/" + id + "/file"
	got := w.upload("PUT", path, part{"file", "b.txt", "the new text"}).object(202)
	if got["id"] != id || got["name"] != "a.txt" || got["status"] != "pending" || got["searchable"] != "text" {
		t.Errorf("document %v", got)
	}
	if text := w.call("GET", "/documents/"+id+"/text", "").object(200); text["text"] != "the old text" {
		t.Errorf("while the new version is in work, the text is %v", text)
	}
	if again := w.upload("PUT", path, part{"file", "c.txt", "the new text"}).object(200); again["duplicate"] != true {
		t.Errorf("the same bytes again: %v", again)
	}
	w.upload("PUT", path, part{"file", "a", "1"}, part{"file", "b", "2"}).fails(400, "invalid_value", "file")
	w.upload("PUT", path, part{"labels", "", "[]"}, part{"file", "b", "2"}).fails(400, "unsupported_parameter", "labels")
	w.upload("PUT", path).fails(400, "missing_required_parameter", "file")
	w.upload("PUT", path, part{"file", "a.txt", ""}).fails(422, "empty_file", "")
	w.upload("PUT", "/documents/doc_nowhere/file", part{"file", "a.txt", "x"}).fails(404, "not_found", "")
}

func TestTheSpoolDirectoryMustBeWritable(t *testing.T) {
	w := newWorld(t, func(d *control.Deps) { d.SpoolDir = "/nowhere/at/all" })
	got := w.upload("POST", "/assistants/"+w.assistant("mine", "")+"/documents", part{"file", "a.txt", "x"})
	got.fails(503, "storage_unavailable", "")
	if strings.Contains(string(got.raw), "nowhere") || got.header.Get("Retry-After") == "" {
		t.Errorf("%s %v", got.raw, got.header)
	}
}

// Browsers and curl write three characters of a file's name as percent escapes.
func TestNamesOfFilesAsBrowsersWriteThem(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	for sent, want := range map[string]string{
		`filename="a %22q%22 name.txt"`:         `a "q" name.txt`,
		`filename="two%0D%0Alines%0A.txt"`:      `twolines.txt`,
		`filename="100%25 %2522 %0a %41 %.txt"`: `100%25 %2522 %0a %41 %.txt`,
		`filename="a \"q\" b.txt"`:              `a "q" b.txt`,
		`filename*=UTF-8''a%2522b%22.txt`:       `a%22b".txt`,
		`filename="..%0D/%22.txt"`:              `".txt`,
	} {
		body := "--b\r\nContent-Disposition: form-data; name=\"file\"; " + sent + "\r\n\r\ntext of " + want + "\r\n--b--\r\n"
		got := w.send("POST", "/assistants/"+mine+"/documents", adminKey, strings.NewReader(body), "Content-Type", "multipart/form-data; boundary=b").object(202)
		if got["name"] != want {
			t.Errorf("%s: %q, want %q", sent, got["name"], want)
		}
	}
}
