package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// demoServer serves the demo, with every document ready.
func demoServer(t *testing.T) *process {
	t.Helper()
	return loadDemo(t, start(t, demoData(t), []string{"--demo"}))
}

// demoData is a data directory with the demo, every document ready. The first call has a
// server read the documents; the others copy its data.
func demoData(t *testing.T) string {
	t.Helper()
	demoOnce.Do(func() {
		loadDemo(t, start(t, demoFolder, []string{"--demo"})).stop(os.Interrupt)
	})
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(dir, os.DirFS(demoFolder)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// demoFolder is the data directory of the demo that others are copied from.
var (
	demoFolder string
	demoOnce   sync.Once
)

// loadDemo waits until a server has read the demo's documents and says so.
func loadDemo(t *testing.T, p *process) *process {
	t.Helper()
	for _, d := range p.documents("handbook") {
		if d.Status != "ready" {
			t.Fatalf("%s: %+v", d.Name, d)
		}
	}
	eventually(t, "the curl line is printed", func() bool { return strings.Contains(p.stdout.String(), "Stop with Ctrl-C") })
	return p
}

// printedCurl is the curl line of the demo's text, run as a shell would see it.
func printedCurl(t *testing.T, text string) (url, body string) {
	t.Helper()
	m := regexp.MustCompile(`curl -s (\S+) -H 'Content-Type: application/json' \\\n\s+-d '(.*)'`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no curl line in\n%s", text)
	}
	return m[1], m[2]
}

type chatAnswer struct {
	Choices []struct {
		Message      struct{ Content string }
		Delta        struct{ Content string }
		FinishReason *string `json:"finish_reason"`
	}
	Citations *struct {
		Status            string
		ReferencedIndices []int `json:"referenced_indices"`
		Sources           []struct {
			Index        int
			DocumentName string `json:"document_name"`
			PageNumber   int    `json:"page_number"`
		}
	}
}

func TestThePrintedCurlAnswersWithCitations(t *testing.T) {
	t.Parallel()
	p := demoServer(t)
	address, body := printedCurl(t, p.stdout.String())
	post := func(body string) string {
		resp, err := http.Post(address, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%d %v %s", resp.StatusCode, err, raw)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		return string(raw)
	}
	var whole chatAnswer
	if err := json.Unmarshal([]byte(post(body)), &whole); err != nil {
		t.Fatal(err)
	}
	text := whole.Choices[0].Message.Content
	if whole.Citations == nil || whole.Citations.Status != "cited" || len(whole.Citations.ReferencedIndices) == 0 {
		t.Fatalf("%+v", whole)
	}
	first := whole.Citations.ReferencedIndices[0]
	if !strings.Contains(text, fmt.Sprintf("[%d]", first)) || whole.Citations.Sources[first-1].DocumentName == "" {
		t.Errorf("%q %+v", text, whole.Citations)
	}

	var streamed strings.Builder
	var last chatAnswer
	lines := strings.Split(strings.TrimSpace(post(`{"stream":true,`+body[1:])), "\n\n")
	for _, line := range lines[:len(lines)-1] {
		var chunk chatAnswer
		if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &chunk); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		streamed.WriteString(chunk.Choices[0].Delta.Content)
		if chunk.Choices[0].FinishReason != nil {
			last = chunk
		} else if chunk.Citations != nil {
			t.Error("citations before the finish chunk")
		}
	}
	if lines[len(lines)-1] != "data: [DONE]" || streamed.String() != text || fmt.Sprint(last.Citations) == "" ||
		fmt.Sprintf("%+v", *last.Citations) != fmt.Sprintf("%+v", *whole.Citations) {
		t.Errorf("the stream differs: %q %+v", streamed.String(), last.Citations)
	}
}

// A retrieved passage as /retrieve shows it.
type passage struct {
	DocumentName string `json:"document_name"`
	PageNumber   int    `json:"page_number"`
	PageEnd      int    `json:"page_end"`
	Score        float64
	Text         string
}

func TestQuestionsInAReadersWordsFindTheirPassage(t *testing.T) {
	t.Parallel()
	p := demoServer(t)
	raw, err := os.ReadFile("demo/questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		var q struct {
			Question, Document, Passage, Expect string
			Page                                int
		}
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatal(err)
		}
		var found struct{ Data []passage }
		if code := p.json("POST", "/v1.0/assistants/handbook/retrieve", map[string]any{"query": q.Question}, &found); code != 200 {
			t.Fatalf("%s: %d", q.Question, code)
		}
		if q.Expect == "no_sources" {
			if len(found.Data) > 0 {
				t.Errorf("%q finds %q (%.2f)", q.Question, found.Data[0].Text, found.Data[0].Score)
			}
			continue
		}
		rank := 0
		for i, d := range found.Data {
			if d.DocumentName == q.Document && (q.Page == 0 || d.PageNumber <= q.Page && q.Page <= d.PageEnd) &&
				strings.Contains(plain(d.Text), plain(q.Passage)) {
				rank = i + 1
				break
			}
		}
		if rank == 0 || rank > 3 {
			t.Errorf("%q: rank %d of %d", q.Question, rank, len(found.Data))
			for _, d := range found.Data[:min(3, len(found.Data))] {
				t.Logf("  %.2f %s p%d %.80q", d.Score, d.DocumentName, d.PageNumber, d.Text)
			}
		}
	}
}

func plain(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestANonsenseQuestionIsAnsweredWithoutSources(t *testing.T) {
	t.Parallel()
	p := demoServer(t)
	var answer chatAnswer
	p.json("POST", "/v1/chat/completions", map[string]any{"model": "handbook",
		"messages": []map[string]string{{"role": "user", "content": "Which quasar emits zorblax radiation?"}}}, &answer)
	if answer.Citations == nil || answer.Citations.Status != "no_sources" || len(answer.Citations.Sources) > 0 {
		t.Errorf("%+v", answer)
	}
}

func TestEveryChunkIsItsPartOfTheText(t *testing.T) {
	t.Parallel()
	p := demoServer(t)
	for _, d := range p.documents("handbook") {
		p.chunksFit(d)
	}
}

// chunksFit checks, over HTTP, that each chunk of a document is its part of
// the text, and begins on the page that it names.
func (p *process) chunksFit(d remoteDocument) {
	p.t.Helper()
	var text struct {
		Text       string
		End, Total int
	}
	p.request("GET", "/v1.0/documents/"+d.ID+"/text", "", nil, &text)
	runes := []rune(text.Text)
	if len(runes) != text.Total {
		p.t.Fatalf("%s: %d of %d code points", d.Name, len(runes), text.Total)
	}
	var chunks struct {
		Data []struct {
			Text       string
			PageNumber int `json:"page_number"`
			CharStart  int `json:"char_start"`
			CharEnd    int `json:"char_end"`
		}
	}
	p.request("GET", "/v1.0/documents/"+d.ID+"/chunks?limit=1000", "", nil, &chunks)
	if len(chunks.Data) != d.Chunks || d.Chunks == 0 {
		p.t.Errorf("%s: %d chunks, %d said", d.Name, len(chunks.Data), d.Chunks)
	}
	for i, c := range chunks.Data {
		if got := string(runes[c.CharStart:c.CharEnd]); got != c.Text {
			p.t.Errorf("%s chunk %d: %q is not %q", d.Name, i, got, c.Text)
		}
		if d.Pages == 0 {
			continue
		}
		var page struct {
			CharStart int `json:"char_start"`
			CharEnd   int `json:"char_end"`
		}
		p.request("GET", fmt.Sprintf("/v1.0/documents/%s/pages/%d", d.ID, c.PageNumber), "", nil, &page)
		if c.CharStart < page.CharStart || c.CharStart >= page.CharEnd {
			p.t.Errorf("%s chunk %d starts at %d, its page %d is %d–%d", d.Name, i, c.CharStart, c.PageNumber, page.CharStart, page.CharEnd)
		}
	}
}

func TestIngestAndAskFromTheTerminal(t *testing.T) {
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(docs, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("bees.md", "# Bees\n\nA bee colony needs fourteen kilograms of honey for the winter.\n")
	write("sub/wasps.txt", "Wasps build their nests from chewed wood.\n")
	write("broken.pdf", "%PDF-1.7\nnothing of a PDF follows\n")
	write(".hidden", "not read")
	data := filepath.Join(dir, "data")

	if _, stderr, code := run(t, dir, "ingest", "--data-dir", data, "--assistant", "garden", docs); code != 1 || !strings.Contains(stderr, "--create") {
		t.Errorf("%d %s", code, stderr)
	}
	stdout, stderr, code := run(t, dir, "ingest", "--data-dir", data, "--assistant", "garden", "--create", docs)
	if code != 1 || !strings.Contains(stdout, "2 ready, 0 unchanged, 1 failed") || !strings.Contains(stdout, "broken.pdf: ") {
		t.Errorf("%d\n%s\n%s", code, stdout, stderr)
	}
	stdout, stderr, code = run(t, dir, "ask", "--data-dir", data, "--assistant", "garden", "How much honey does a bee colony need?")
	if code != 0 || !strings.Contains(stdout, "fourteen kilograms") || !strings.Contains(stdout, "[1] bees.md") {
		t.Errorf("%d\n%s\n%s", code, stdout, stderr)
	}

	write("bees.md", "# Bees\n\nA bee colony needs fifteen kilograms of honey for the winter.\n")
	if err := os.Remove(filepath.Join(docs, "sub/wasps.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(docs, "broken.pdf")); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code = run(t, dir, "ingest", "--data-dir", data, "--assistant", "garden", "--prune", docs)
	if code != 0 || !strings.Contains(stdout, "1 ready, 0 unchanged, 0 failed, 2 removed") {
		t.Errorf("%d\n%s\n%s", code, stdout, stderr)
	}
	stdout, _, _ = run(t, dir, "ask", "--data-dir", data, "--assistant", "garden", "How much honey does a bee colony need?")
	if !strings.Contains(stdout, "fifteen") || strings.Contains(stdout, "fourteen") {
		t.Error(stdout)
	}
	if stdout, _, code = run(t, dir, "ingest", "--data-dir", data, "--assistant", "garden", docs); code != 0 || !strings.Contains(stdout, "0 ready, 1 unchanged") {
		t.Error(code, stdout)
	}
}

func TestPruneRemovesOnlyWhatIsGone(t *testing.T) {
	dir := t.TempDir()
	docs, data := filepath.Join(dir, "v1"), filepath.Join(dir, "data")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(docs, 0o700))
	must(os.WriteFile(filepath.Join(docs, "old.txt"), []byte("Honey keeps for years.\n"), 0o600))
	must(os.WriteFile(filepath.Join(docs, "copy.txt"), []byte("Honey keeps for years.\n"), 0o600))
	ingest := func(paths ...string) (string, string, int) {
		t.Helper()
		return run(t, dir, append([]string{"ingest", "--data-dir", data, "--assistant", "My Garden", "--create", "--prune"}, paths...)...)
	}
	if stdout, stderr, code := ingest(docs); code != 0 || !strings.Contains(stdout, "0 failed, 0 removed") {
		t.Fatalf("%d\n%s\n%s", code, stdout, stderr)
	}
	must(os.WriteFile(filepath.Join(docs, "third.txt"), []byte("Wax melts at sixty degrees.\n"), 0o600))
	if stdout, stderr, code := ingest(docs); code != 0 || !strings.Contains(stdout, "1 ready, 2 unchanged, 0 failed, 0 removed") {
		t.Errorf("a third file: %d\n%s\n%s", code, stdout, stderr)
	}
	must(os.WriteFile(filepath.Join(docs, "third.txt"), []byte("Honey keeps for years.\n"), 0o600))
	if stdout, stderr, code := ingest(docs); code != 0 || !strings.Contains(stdout, "0 ready, 3 unchanged, 0 failed, 0 removed") {
		t.Errorf("a third copy: %d\n%s\n%s", code, stdout, stderr)
	}
	if stdout, _, _ := run(t, dir, "ask", "--data-dir", data, "--assistant", "my-garden", "When does wax melt?"); !strings.Contains(stdout, "No passage") {
		t.Errorf("the old text still answers: %s", stdout)
	}
	must(os.Remove(filepath.Join(docs, "third.txt")))
	must(os.Rename(filepath.Join(docs, "old.txt"), filepath.Join(docs, "new.txt")))
	must(os.Remove(filepath.Join(docs, "copy.txt")))
	if stdout, stderr, code := ingest(docs); code != 0 || !strings.Contains(stdout, "copy.txt to "+filepath.Join(docs, "new.txt")+"\n0 ready, 1 unchanged, 0 failed, 0 removed") {
		t.Errorf("after a rename: %d\n%s\n%s", code, stdout, stderr)
	}
	link := filepath.Join(dir, "current")
	must(os.Symlink(docs, link))
	if stdout, stderr, code := ingest(link); code != 0 || !strings.Contains(stdout, "1 unchanged, 0 failed, 0 removed") {
		t.Errorf("through a link: %d\n%s\n%s", code, stdout, stderr)
	}
	if stdout, stderr, code := ingest(docs, filepath.Join(dir, "missing")); code != 1 || !strings.Contains(stdout, "missing: There is no such") ||
		!strings.Contains(stdout, "1 unchanged, 1 failed, 0 removed") || !strings.Contains(stderr, "Nothing is pruned") {
		t.Errorf("with a missing path: %d\n%s\n%s", code, stdout, stderr)
	}
	must(os.Remove(filepath.Join(docs, "new.txt")))
	if stdout, stderr, code := ingest(docs); code != 0 || !strings.Contains(stdout, "0 failed, 1 removed") {
		t.Errorf("after the file is gone: %d\n%s\n%s", code, stdout, stderr)
	}
}

func TestAnAcknowledgedUploadSurvivesKill9(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, dir, nil)
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Kill"}, nil); code != 201 {
		t.Fatal(code)
	}
	var accepted []string
	for i := range 5 {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		part, err := w.CreateFormFile("file", fmt.Sprintf("note-%d.txt", i))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(part, "Note %d is about topic%d and nothing else.\n", i, i)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		var doc remoteDocument
		if code := p.request("POST", "/v1.0/assistants/kill/documents", w.FormDataContentType(), &form, &doc); code != 202 {
			t.Fatal(code)
		}
		accepted = append(accepted, doc.ID)
		p.kill()
		p = start(t, dir, nil)
	}
	docs := p.documents("kill")
	if len(docs) != len(accepted) {
		t.Errorf("%d documents of %d", len(docs), len(accepted))
	}
	for i, d := range docs {
		var found struct{ Data []passage }
		p.json("POST", "/v1.0/assistants/kill/retrieve", map[string]any{"query": fmt.Sprintf("topic%d", i)}, &found)
		if d.Status != "ready" || len(found.Data) != 1 || found.Data[0].DocumentName != d.Name {
			t.Errorf("%+v %+v", d, found)
		}
		if got := p.download(d.ID); got != fmt.Sprintf("Note %d is about topic%d and nothing else.\n", i, i) {
			t.Errorf("%s: %q", d.Name, got)
		}
	}
}

func TestARenamedDocumentIsFoundByItsNewName(t *testing.T) {
	t.Parallel()
	p := demoServer(t)
	for _, d := range p.documents("handbook") {
		if d.Name == "leeds-site-guide.txt" {
			if code := p.json("PATCH", "/v1.0/documents/"+d.ID, map[string]string{"name": "zanzibar-guide.txt"}, nil); code != 200 {
				t.Fatal(code)
			}
		}
	}
	for _, d := range p.documents("handbook") {
		if d.Name == "zanzibar-guide.txt" && d.Chunks == 0 {
			t.Error("the renamed document is empty")
		}
	}
	var found struct{ Data []passage }
	p.json("POST", "/v1.0/assistants/handbook/retrieve", map[string]any{"query": "zanzibar"}, &found)
	if len(found.Data) == 0 || found.Data[0].DocumentName != "zanzibar-guide.txt" {
		t.Errorf("%+v", found)
	}
}

func (p *process) download(id string) string {
	p.t.Helper()
	return p.fetch("/v1.0/documents/" + url.PathEscape(id) + "/download")
}

// fetch is the body of an answer, whatever it is.
func (p *process) fetch(path string) string {
	p.t.Helper()
	req, err := http.NewRequest("GET", p.url+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testAdminKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		p.t.Fatal(err)
	}
	return string(raw)
}

// The picture of a chunk's page has the chunk marked, and status tells what
// keeps the readers of documents in.
func TestAChunkIsMarkedOnThePictureOfItsPage(t *testing.T) {
	p := demoServer(t)
	for _, d := range p.documents("handbook") {
		if !strings.HasSuffix(d.Name, ".pdf") {
			continue
		}
		var list struct {
			Data []struct {
				Page      int `json:"page_number"`
				CharStart int `json:"char_start"`
				CharEnd   int `json:"char_end"`
			}
		}
		if code := p.json("GET", "/v1.0/documents/"+d.ID+"/chunks", nil, &list); code != 200 || len(list.Data) < 3 {
			t.Fatalf("%s: %d, %d chunks", d.Name, code, len(list.Data))
		}
		chunk := list.Data[2]
		yellow := func(query string) (n int) {
			raw := p.fetch(fmt.Sprintf("/v1.0/documents/%s/pages/%d?format=png%s", d.ID, chunk.Page, query))
			img, err := png.Decode(strings.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			for y := range img.Bounds().Dy() {
				for x := range img.Bounds().Dx() {
					if r, g, b, _ := img.At(x, y).RGBA(); r > 0xF000 && g > 0xE000 && b < 0x8000 {
						n++
					}
				}
			}
			return n
		}
		plain, marked := yellow(""), yellow(fmt.Sprintf("&highlight=%d-%d", chunk.CharStart, chunk.CharEnd))
		if marked < plain+1000 {
			t.Errorf("%s: %d pixels are yellow, without the passage %d", d.Name, marked, plain)
		}
	}
	var status struct{ Sandbox struct{ Network string } }
	if code := p.json("GET", "/v1.0/status", nil, &status); code != 200 || status.Sandbox.Network == "" {
		t.Errorf("%d: %+v", code, status)
	}
}
