package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

const (
	linkAnswer = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"At eight [1]."},"finish_reason":"stop"}]}`
	linkChunk  = `{"id":"c","choices":[{"index":0,"delta":{"content":"At eight [1]."},"finish_reason":null}]}`
	linkStop   = `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

	linkPage = "<html><body><h1>Öffnungszeiten</h1><p>The office opens at eight.</p><script>alert(1)</script></body></html>"
	linkName = `Öffnungs "Zeiten" [1].html`
)

// linkedOffice is an assistant of the running program with one page and public links.
func (p *process) linkedOffice(ttl int) {
	p.t.Helper()
	settings := map[string]any{"enable_rag": true, "enable_citations": true, "citation_link_mode": "Public", "citation_link_ttl_seconds": ttl}
	if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Office", "settings": settings}, nil); status != 201 {
		p.t.Fatal(status)
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", linkName)
	if err == nil {
		_, err = io.WriteString(part, linkPage)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		p.t.Fatal(err)
	}
	if status := p.request("POST", "/v1.0/assistants/office/documents", w.FormDataContentType(), &form, nil); status != 202 {
		p.t.Fatal(status)
	}
	p.documents("office")
}

// linksIn are the links of an answer, or of a chunk of one.
func linksIn(t *testing.T, raw string) (sources, annotations []string) {
	t.Helper()
	type annotated struct {
		Annotations []struct {
			URLCitation struct{ URL string } `json:"url_citation"`
		}
	}
	var answer struct {
		Choices   []struct{ Message, Delta annotated }
		Citations struct {
			Sources []struct {
				URL string `json:"download_url"`
			}
		}
		Data []struct {
			URL string `json:"download_url"`
		}
	}
	if err := json.Unmarshal([]byte(raw), &answer); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	for _, s := range append(answer.Citations.Sources, answer.Data...) {
		sources = append(sources, s.URL)
	}
	for _, c := range answer.Choices {
		for _, a := range slices.Concat(c.Message.Annotations, c.Delta.Annotations) {
			annotations = append(annotations, a.URLCitation.URL)
		}
	}
	return sources, annotations
}

// follow opens a link with a client that has no key.
func follow(t *testing.T, link string) (*http.Response, string) {
	t.Helper()
	resp, err := http.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestLinksInAnswersAreTheDocumentForAnyone(t *testing.T) {
	up := modelServer(t, upstreamtest.JSON(linkAnswer), upstreamtest.SSE(linkChunk, linkStop, "[DONE]"))
	dir := t.TempDir()
	env := []string{"FOOTNOTE_UPSTREAM_URL=" + up.URL(), "FOOTNOTE_UPSTREAM_MODEL=m", "FOOTNOTE_LOG_LEVEL=debug"}
	p := start(t, dir, nil, append(env, "FOOTNOTE_SECRET_KEY="+strings.Repeat("the-first-", 8))...)
	p.linkedOffice(3600)
	found := map[string]string{
		"json":     p.raw("/v1/chat/completions", `{"model":"office","messages":[{"role":"user","content":"When does the office open?"}]}`),
		"retrieve": p.raw("/v1.0/assistants/office/retrieve", `{"query":"When does the office open?"}`),
	}
	stream := p.raw("/v1/chat/completions", `{"model":"office","stream":true,"messages":[{"role":"user","content":"When does the office open?"}]}`)
	for frame := range strings.SplitSeq(stream, "\n\n") {
		if strings.Contains(frame, "download_url") {
			found["stream"] = strings.TrimPrefix(frame, "data: ")
		}
	}
	var all []string
	for _, name := range []string{"json", "retrieve", "stream"} {
		sources, annotations := linksIn(t, found[name])
		if len(sources) != 1 || !strings.HasPrefix(sources[0], p.url+"/v1.0/links/") || name != "retrieve" && !slices.Equal(annotations, []string{sources[0] + "#chunk=0"}) {
			t.Fatalf("%s: links %q, annotations %q in %s", name, sources, annotations, found[name])
		}
		all = append(all, sources[0])
		resp, body := follow(t, sources[0])
		disposition, params, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition"))
		if resp.StatusCode != 200 || body != linkPage || err != nil || disposition != "attachment" || params["filename"] != linkName ||
			resp.Header.Get("Content-Type") != "application/octet-stream" || resp.Header.Get("X-Content-Type-Options") != "nosniff" ||
			resp.Header.Get("Content-Security-Policy") != "sandbox; default-src 'none'" || resp.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %d %q %v", name, resp.StatusCode, body, resp.Header)
		}
	}
	for _, r := range up.Requests() {
		if strings.Contains(string(r.Body), "/links/") || strings.Contains(string(r.Body), p.url) {
			t.Errorf("a link is in a prompt: %s", r.Body)
		}
	}
	_, metrics := follow(t, p.url+"/metrics")
	p.kill()
	for _, link := range all {
		keptNowhere(t, strings.Split(link, "/")[5], dir, map[string]string{"log": p.stdout.String() + p.stderr.String(), "metrics": metrics})
	}
	// The secret decides, not the process.
	for secret, want := range map[string]int{"the-first-": 200, "another-one-": 403} {
		again := start(t, dir, nil, append(env, "FOOTNOTE_SECRET_KEY="+strings.Repeat(secret, 8))...)
		for _, link := range all {
			if resp, body := follow(t, strings.Replace(link, p.url, again.url, 1)); resp.StatusCode != want {
				t.Errorf("with the secret %s: %d %s", secret, resp.StatusCode, body)
			}
		}
		again.kill()
	}
}

// raw posts JSON with the admin key and returns the answer as it came.
func (p *process) raw(path, body string) string {
	p.t.Helper()
	req, err := http.NewRequest("POST", p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+testAdminKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	raw, err := readAnswer(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != 200 {
		p.t.Fatalf("%s: %d %v %s", path, resp.StatusCode, err, raw)
	}
	return string(raw)
}

// keptNowhere looks for a signature in whatever the program wrote.
func keptNowhere(t *testing.T, signature, dir string, texts map[string]string) {
	t.Helper()
	if len(signature) != 43 {
		t.Fatalf("%q is no signature", signature)
	}
	for name, text := range texts {
		if text == "" || strings.Contains(text, signature) {
			t.Errorf("%s is empty, or has the signature of a link", name)
		}
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(signature)) {
			t.Errorf("%s has the signature of a link", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestALinkOfOneSecondIsSoRefused(t *testing.T) {
	p := start(t, t.TempDir(), nil)
	p.linkedOffice(1)
	sources, _ := linksIn(t, p.raw("/v1.0/assistants/office/retrieve", `{"query":"When does the office open?"}`))
	eventually(t, "the link has expired", func() bool {
		resp, body := follow(t, sources[0])
		return resp.StatusCode == 403 && strings.Contains(body, `"permission_denied"`) && strings.Contains(body, "has expired. Ask again")
	})
}
