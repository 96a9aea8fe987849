package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"footnote/storage/db/postgrestest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(postgrestest.Main{M: m}, goleak.Cleanup(func(code int) {
		if built != "" {
			_ = os.RemoveAll(built) // a leftover in the system's temporary folder
		}
		os.Exit(code)
	}))
}

const (
	adminKey = "admin-key-of-the-conformance-tests"
	// patience bounds every wait; a machine that builds other things meanwhile is slow.
	patience = 2 * time.Minute
)

// built is the folder that the program was built into, once for all tests.
var built string

var build = sync.OnceValues(func() (string, error) {
	if program := os.Getenv("FOOTNOTE_TEST_PROGRAM"); program != "" {
		_, err := os.Stat(program) // also so that cached results of tests are not used for another program
		return program, err
	}
	dir, err := os.MkdirTemp("", "footnote-conformance")
	if err != nil {
		return "", err
	}
	built = dir
	binary := filepath.Join(dir, "footnote")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, "footnote/cmd/footnote")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return binary, nil
})

// A program is the real program, serving on a free port.
type program struct {
	t   *testing.T
	url string
}

// start builds the program and starts it with these arguments and settings, and
// without any other key or network setting in its environment.
func start(t *testing.T, args []string, env ...string) *program {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command(binary, append([]string{"serve"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "FOOTNOTE_ADDR=127.0.0.1:0", "FOOTNOTE_LOG_FORMAT=json",
		"FOOTNOTE_DATA_DIR=" + filepath.Join(dir, "data"), "FOOTNOTE_ADMIN_KEY=" + adminKey,
	}, env...)
	p := &program{t: t, url: "http://" + launch(t, cmd)}
	poll(t, "the server is ready", func() bool { return p.get("/readyz", nil) == http.StatusOK })
	return p
}

// launch starts the program, has it ended at the end of the test, and returns the
// address it says that it listens on.
func launch(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var (
		mu        sync.Mutex
		log       bytes.Buffer
		listening = make(chan string, 1)
		ended     = make(chan error, 1)
	)
	go func() {
		lines := bufio.NewReader(stderr)
		for {
			line, err := lines.ReadBytes('\n')
			var event struct{ Level, Msg, Addr string }
			if json.Unmarshal(line, &event) == nil && event.Msg == "listening" {
				listening <- event.Addr
			}
			if event.Level != "INFO" { // there are thousands of requests
				mu.Lock()
				log.Write(line)
				mu.Unlock()
			}
			if err != nil {
				break
			}
		}
		ended <- cmd.Wait()
	}()
	t.Cleanup(func() {
		// An interrupt ends the program without the pause that SIGTERM gives to load balancers.
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended already
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(patience):
			_ = cmd.Process.Kill()
			t.Errorf("the server does not end: %v", <-ended)
		}
		if t.Failed() {
			mu.Lock()
			defer mu.Unlock()
			t.Logf("warnings and errors of the server:\n%s", &log)
		}
	})
	select {
	case addr := <-listening:
		return addr
	case err := <-ended:
		ended <- err // for the clean-up
		t.Fatalf("the server ended before it listened: %v", err)
	case <-time.After(patience):
		t.Fatal("the server does not listen")
	}
	return ""
}

// poll asks again and again until ok, about something that another process does.
func poll(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for !ok() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("waited %s in vain: %s", patience, what)
		}
	}
}

// documentsReady reports whether an assistant has so many documents, all ready;
// one that failed ends the test.
func (p *program) documentsReady(assistant string, want int) bool {
	var list struct {
		Data []struct {
			Name   string
			Status string
			Error  json.RawMessage
		}
	}
	if p.get("/v1.0/assistants/"+assistant+"/documents", &list) != http.StatusOK || len(list.Data) != want {
		return false
	}
	ready := 0
	for _, d := range list.Data {
		switch d.Status {
		case "ready":
			ready++
		case "failed":
			p.t.Fatalf("%s: %s", d.Name, d.Error)
		}
	}
	return ready == want
}

// get asks with the admin key and decodes a successful answer into out.
func (p *program) get(path string, out any) int {
	p.t.Helper()
	return p.do(http.MethodGet, path, "application/json", nil, out)
}

// post sends JSON with the admin key and decodes a successful answer into out.
func (p *program) post(path string, body, out any) int {
	p.t.Helper()
	sent, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.do(http.MethodPost, path, "application/json", sent, out)
}

// upload gives an assistant a document.
func (p *program) upload(assistant, name, text string) {
	p.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := io.WriteString(part, text); err != nil {
		p.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		p.t.Fatal(err)
	}
	path := "/v1.0/assistants/" + assistant + "/documents"
	if code := p.do(http.MethodPost, path, w.FormDataContentType(), form.Bytes(), nil); code != http.StatusAccepted {
		p.t.Fatalf("upload of %s: %d", name, code)
	}
}

func (p *program) do(method, path, kind string, body []byte, out any) int {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+adminKey)
	req.Header.Set("Content-Type", kind)
	req.Close = true // idle connections would be leaks at the end
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
	if out != nil && resp.StatusCode < http.StatusMultipleChoices {
		if err := json.Unmarshal(raw, out); err != nil {
			p.t.Fatalf("%s %s: %v in %s", method, path, err, raw)
		}
	}
	return resp.StatusCode
}

// An answer is what the server says over plain HTTP: the truth that SDKs are compared with.
type answer struct {
	Object  string
	Model   string
	Choices []struct {
		Message struct {
			Content     string
			Annotations any
		}
		FinishReason string `json:"finish_reason"`
	}
	Citations any
}

// ask asks over plain HTTP.
func (p *program) ask(path string, request any) answer {
	p.t.Helper()
	var a answer
	if code := p.post(path, request, &a); code != http.StatusOK || len(a.Choices) == 0 {
		p.t.Fatalf("plain HTTP: %d %+v", code, a)
	}
	return a
}

// cited reads the parts of a citations object that the tests look into.
type cited struct {
	Status            string
	ReferencedIndices []int `json:"referenced_indices"`
	Sources           []struct {
		Index        int
		DocumentName string `json:"document_name"`
		PageNumber   int    `json:"page_number"`
		Excerpt      string
	}
	Markers []struct{ Start, End int }
}

// checkCitations proves that the answer cites a page with [n] markers that
// stand where the citations say and name one of the sources.
func checkCitations(t *testing.T, a answer, document string, page int) {
	t.Helper()
	raw, err := json.Marshal(a.Citations)
	if err != nil {
		t.Fatal(err)
	}
	var c cited
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	if c.Status != "cited" || len(c.ReferencedIndices) == 0 || len(c.Markers) == 0 {
		t.Fatalf("nothing is cited: %s", raw)
	}
	var names []string
	for _, n := range c.ReferencedIndices {
		if n < 1 || n > len(c.Sources) || c.Sources[n-1].Index != n {
			t.Fatalf("%d names no source: %s", n, raw)
		}
		names = append(names, fmt.Sprintf("%s page %d", c.Sources[n-1].DocumentName, c.Sources[n-1].PageNumber))
	}
	if want := fmt.Sprintf("%s page %d", document, page); !slices.Contains(names, want) {
		t.Errorf("cited are %q, want %q among them", names, want)
	}
	text := []rune(a.Choices[0].Message.Content)
	for _, m := range c.Markers {
		if m.Start < 0 || m.End > len(text) || m.Start >= m.End {
			t.Fatalf("marker %+v is outside of the text", m)
		}
		if s := string(text[m.Start:m.End]); !strings.HasPrefix(s, "[") || !strings.HasSuffix(s, "]") {
			t.Errorf("marker %+v is %q", m, s)
		}
	}
}
