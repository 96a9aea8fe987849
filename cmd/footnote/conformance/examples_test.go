package conformance

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exampleServer is the server that the documents' examples ask.
const exampleServer = "http://127.0.0.1:8080"

// TestTheExamplesOfTheDocumentsRun runs the examples of both READMEs as they are,
// except for the server's address, and compares what they print with what plain
// HTTP says.
func TestTheExamplesOfTheDocumentsRun(t *testing.T) {
	p := startDemo(t)
	truth := p.ask("/v1/chat/completions", map[string]any{
		"model": "handbook", "messages": []map[string]string{{"role": "user", "content": demoQuestion}},
	})
	text := truth.Choices[0].Message.Content
	printed := fmt.Sprintf("%s\n1 %s %d\n", text, answeredBy, answeredPage)
	readme, clients := filepath.Join("..", "..", "..", "README.md"), "README.md"
	for name, example := range map[string]struct {
		document, heading, language string
		command                     func(t *testing.T, code string) []string
		exactly                     bool // prints this and nothing else
	}{
		"Python":     {readme, "## Ask", "python", pythonExample, true},
		"JavaScript": {clients, "## JavaScript and Go", "js", nodeExample, true},
		"Go":         {clients, "## JavaScript and Go", "go", goExample, true},
		"shell":      {readme, "## Ask", "sh", shellExample, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, code := range codeBlocks(t, example.document, example.heading, example.language) {
				if !strings.Contains(code, exampleServer) || !strings.Contains(code, demoQuestion) {
					t.Errorf("%s asks another server, or something else", code)
				}
				command := example.command(t, strings.ReplaceAll(code, exampleServer, p.url))
				cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
				cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "OPENAI_") || strings.HasPrefix(e, "FOOTNOTE_") })
				out, err := cmd.CombinedOutput()
				if err != nil || example.exactly && string(out) != printed || !strings.Contains(string(out), text) {
					t.Errorf("%v, it prints\n%s\nwant\n%s", err, out, printed)
				}
			}
		})
	}
}

// codeBlocks are the fenced blocks of a language under a heading.
func codeBlocks(t *testing.T, document, heading, language string) (blocks []string) {
	t.Helper()
	raw, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(raw), "\n"+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for {
		_, rest, found := strings.Cut(section, "\n```"+language+"\n")
		if !found {
			break
		}
		var block string
		block, section, _ = strings.Cut(rest, "\n```\n")
		blocks = append(blocks, block+"\n")
	}
	if len(blocks) == 0 {
		t.Fatalf("%s has no example in %s under %q", document, language, heading)
	}
	return blocks
}

// saved writes an example to a file in a folder.
func saved(t *testing.T, dir, name, code string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func pythonExample(t *testing.T, code string) []string {
	return []string{pythonPackages(t, "openai-3")[0], saved(t, t.TempDir(), "example.py", code)}
}

func nodeExample(t *testing.T, code string) []string {
	command := openaiNode(t)
	return []string{command[0], saved(t, filepath.Dir(command[1]), "example.mjs", code)}
}

// goExample is compiled with the modules of this repository, whose go.mod has the SDK.
func goExample(t *testing.T, code string) []string {
	return []string{tool(t, "go"), "run", saved(t, t.TempDir(), "main.go", code)}
}

func shellExample(t *testing.T, code string) []string {
	tool(t, "curl")
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return []string{tool(t, "sh"), "-ec", strings.ReplaceAll(code, "bin/footnote", program)}
}

// TestTheReadmeSaysWhatNeedsAKey asks without a key.
func TestTheReadmeSaysWhatNeedsAKey(t *testing.T) {
	p := startDemo(t)
	chat := `{"model":"handbook","messages":[{"role":"user","content":"` + demoQuestion + `"}]}`
	for _, asked := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodGet, "/healthz", "", 200},
		{http.MethodGet, "/readyz", "", 200},
		{http.MethodGet, "/metrics", "", 200},
		{http.MethodPost, "/v1/chat/completions", chat, 200},
		{http.MethodPost, "/assistants/handbook/v1/chat/completions", chat, 200},
		{http.MethodPost, "/v1/embeddings", `{"model":"all-MiniLM-L6-v2","input":"leave"}`, 401},
		{http.MethodGet, "/v1.0/status", "", 401},
		{http.MethodGet, "/v1.0/assistants", "", 401},
		{http.MethodGet, "/v1/models", "", 200},
	} {
		req, err := http.NewRequestWithContext(t.Context(), asked.method, p.url+asked.path, strings.NewReader(asked.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := httpClient(t).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != asked.status {
			t.Errorf("%s %s: %d, want %d", asked.method, asked.path, resp.StatusCode, asked.status)
		}
	}
}
