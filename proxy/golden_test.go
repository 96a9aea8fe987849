package proxy_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"footnote/assistants"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata/chat")

// TestChatGoldens plays every file of testdata/chat: one behaviour each, with
// the client's request, the assistant's settings, the hits, what the upstream
// saw and answered, and what the client got.
func TestChatGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/chat/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { playGolden(t, file) })
	}
}

func playGolden(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	part := func(name string) []byte {
		i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == name })
		if i < 0 {
			return nil
		}
		return ar.Files[i].Data
	}
	var seen bytes.Buffer
	calls := 0
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(&seen, "%s %s\n", r.Method, r.URL.Path)
		for _, name := range []string{"Authorization", "Accept", "Accept-Encoding", "Cookie", "Idempotency-Key", "Openai-Beta", "Traceparent", "X-Forwarded-For"} {
			if v := r.Header.Get(name); v != "" {
				fmt.Fprintf(&seen, "%s: %s\n", name, v)
			}
		}
		fmt.Fprintf(&seen, "\n%s\n", body)
		playResponse(t, w, part("upstream"))
	}))
	defer up.Close()

	f := newFixture(t, fixture{upstreamURL: up.URL + "/v1", settings: mergeSettings(t, part("settings.json")), hits: readHits(t, part("hits.json")),
		retrievalError: string(part("retrieval-error")), deleted: func() []assistants.DocumentID { return documentIDs(part("deleted")) }})
	resp, body := f.send(readRequestPart(t, part("request")))
	var got bytes.Buffer
	fmt.Fprintln(&got, resp.StatusCode)
	for _, name := range []string{"Content-Type", "Retry-After", "X-Footnote-Assistant", "X-Footnote-Citations", "X-Ratelimit-Remaining-Requests", "Set-Cookie"} {
		if v := resp.Header.Get(name); v != "" {
			fmt.Fprintf(&got, "%s: %s\n", name, v)
		}
	}
	body = bytes.ReplaceAll(body, []byte(f.url), []byte("http://footnote.test"))
	fmt.Fprintf(&got, "\n%s", bytes.TrimSuffix(body, []byte("\n")))
	got.WriteByte('\n')

	compareGolden(t, ar, "upstream-request", seen.Bytes())
	compareGolden(t, ar, "response", got.Bytes())
	if calls > 1 {
		t.Errorf("the upstream was called %d times", calls)
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// documentIDs reads ids, one to a line.
func documentIDs(raw []byte) (ids []assistants.DocumentID) {
	for line := range strings.Lines(string(raw)) {
		ids = append(ids, assistants.DocumentID(strings.TrimSpace(line)))
	}
	return ids
}

func compareGolden(t *testing.T, ar *txtar.Archive, name string, got []byte) {
	t.Helper()
	i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == name })
	if *update {
		if i < 0 {
			ar.Files = append(ar.Files, txtar.File{Name: name})
			i = len(ar.Files) - 1
		}
		ar.Files[i].Data = bytes.Clone(got)
		return
	}
	if i < 0 || !bytes.Equal(ar.Files[i].Data, got) {
		want := []byte("(missing)")
		if i >= 0 {
			want = ar.Files[i].Data
		}
		t.Errorf("%s differs (run with -update to accept)\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}

// playResponse writes a response in pieces of seven bytes, so that every
// golden also proves that the cut of the stream does not matter.
func playResponse(t *testing.T, w http.ResponseWriter, raw []byte) {
	head, body, _ := bytes.Cut(raw, []byte("\n\n"))
	lines := strings.Split(strings.TrimSpace(string(head)), "\n")
	status := http.StatusOK
	if _, err := fmt.Sscan(lines[0], &status); err != nil {
		t.Errorf("upstream part: %v", err)
	}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		w.Header().Set(name, value)
	}
	w.WriteHeader(status)
	for piece := range slices.Chunk(bytes.TrimSuffix(body, []byte("\n\n\n")), 7) {
		_, _ = w.Write(piece)
		w.(http.Flusher).Flush()
	}
}

// readRequestPart reads "METHOD /path", headers, a blank line and the body.
func readRequestPart(t *testing.T, raw []byte) *http.Request {
	t.Helper()
	head, body, _ := bytes.Cut(raw, []byte("\n\n"))
	sc := bufio.NewScanner(bytes.NewReader(head))
	sc.Scan()
	method, path, _ := strings.Cut(sc.Text(), " ")
	req, err := http.NewRequest(method, path, bytes.NewReader(bytes.TrimSuffix(body, []byte("\n"))))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for sc.Scan() {
		name, value, _ := strings.Cut(sc.Text(), ": ")
		req.Header.Set(name, value)
	}
	return req
}

func mergeSettings(t *testing.T, raw []byte) assistants.Settings {
	t.Helper()
	s := assistants.DefaultSettings()
	s.SystemPrompt = ""
	if raw == nil {
		return s
	}
	s, err := s.Merge(raw)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// readHits reads hits as testdata writes them: the chunk's facts and text.
func readHits(t testing.TB, raw []byte) []assistants.Hit {
	t.Helper()
	if raw == nil {
		return nil
	}
	var in []struct {
		Document, Name, Type, Chunk, Section, Text string
		Index, Page, PageEnd, Start                int
		Score                                      float64
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		t.Fatal(err)
	}
	hits := make([]assistants.Hit, len(in))
	for i, h := range in {
		hits[i] = assistants.Hit{Score: h.Score,
			Document: assistants.Document{ID: assistants.DocumentID(h.Document), Name: h.Name, Version: assistants.Version{ContentType: h.Type}},
			Chunk: assistants.Chunk{ID: assistants.ChunkID(h.Chunk), DocumentID: assistants.DocumentID(h.Document), Index: h.Index, Text: h.Text,
				Page: h.Page, PageEnd: max(h.Page, h.PageEnd), CharStart: h.Start, CharEnd: h.Start + len([]rune(h.Text))},
		}
		if h.Section != "" {
			hits[i].Chunk.HeadingPath = []string{h.Section}
		}
	}
	return hits
}
