package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// agentShown is what a client of the Model Context Protocol shows of the demo.
type agentShown struct {
	Version            string
	Tools, Templates   []string
	Schemas            bool // each tool has those of its input and its output
	Resources          int
	Search             toolShown
	SearchWithProgress toolShown `json:"search_with_progress"`
	Ask                toolShown
	AskWithProgress    toolShown `json:"ask_with_progress"`
	Progress           []struct {
		Progress, Total float64
		Message         string
	}
	Page, Whole     string         // texts of resources
	WrongArguments  toolShown      `json:"wrong_arguments"`
	WrongAssistant  toolShown      `json:"wrong_assistant"`
	UnknownTool     *protocolError `json:"unknown_tool"`
	UnknownResource *protocolError `json:"unknown_resource"`
	Refused         []string       // classes of the errors that a client with a wrong key raises
	Code            int            // of these errors
}

type toolShown struct {
	Texts      []string
	Structured map[string]any
	Error      bool
}

type protocolError struct {
	Code    int
	Message string
}

// mcpClients are the official clients, and what each shows of a wrong key.
var mcpClients = map[string]struct {
	install func(*testing.T) []string
	refused string
	uses    map[string]string // version of the protocol of each way; "": the client does not say
}{
	"python": {
		func(t *testing.T) []string {
			t.Helper()
			return []string{pythonPackages(t, "mcp")[0], "-B", filepath.Join("python", "mcp", "client.py")}
		}, "MCPError",
		map[string]string{"http legacy": "2025-11-25", "stdio legacy": "2025-11-25", "http auto": "2026-07-28", "stdio auto": "2026-07-28"},
	},
	"typescript": {typescriptMCP, "StreamableHTTPError", map[string]string{"http": "2025-11-25", "stdio": ""}},
}

// typescriptMCP installs the TypeScript SDK as its lock file says, and returns the
// command that its script is run with.
func typescriptMCP(t *testing.T) []string {
	t.Helper()
	npm, node := tool(t, "npm"), tool(t, "node")
	files := []string{"package.json", "package-lock.json", ".npmrc"}
	installed := cached(t, "mcp", "", files, func(dir string) {
		for _, name := range files {
			copyFile(t, filepath.Join("mcp", name), filepath.Join(dir, name))
		}
		install(t, dir, npm, "ci", "--ignore-scripts")
	})
	work := t.TempDir()
	if err := os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(work, "node_modules")); err != nil {
		t.Fatal(err)
	}
	copyFile(t, filepath.Join("mcp", "client.mjs"), filepath.Join(work, "client.mjs"))
	return []string{node, filepath.Join(work, "client.mjs")}
}

// TestOfficialClientsUseTheDemoAsAgents drives the demo over HTTP and through the
// program for standard input and output.
func TestOfficialClientsUseTheDemoAsAgents(t *testing.T) {
	t.Parallel()
	p := startDemo(t)
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"BASE_URL": p.url, "API_KEY": adminKey, "QUESTION": demoQuestion, "PROGRAM": program}
	for name, client := range mcpClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run[agentShown](t, client.install(t), "mcp", env)
			for way, version := range client.uses {
				if got[way].Version != version {
					t.Errorf("%s: version %q, want %q", way, got[way].Version, version)
				}
				checkAgent(t, way, got[way])
			}
			if wrong := got["wrong key"]; !slices.Contains(wrong.Refused, client.refused) || wrong.Code != 0 && wrong.Code != 401 {
				t.Errorf("a wrong key: %+v", wrong)
			}
		})
	}
}

func checkAgent(t *testing.T, way string, got agentShown) {
	t.Helper()
	if !slices.Equal(got.Tools, []string{"ask", "check", "search"}) || !got.Schemas || got.Resources < 5 ||
		!slices.Equal(got.Templates, []string{"footnote://documents/{id}", "footnote://documents/{id}/pages/{n}"}) {
		t.Errorf("%s: %v %v %d %v", way, got.Tools, got.Schemas, got.Resources, got.Templates)
	}
	for _, found := range []toolShown{got.Search, got.SearchWithProgress} {
		results, _ := found.Structured["results"].([]any)
		if found.Error || len(found.Texts) != 2 || len(results) != 2 || found.Structured["assistant"] != "handbook" ||
			!strings.Contains(found.Texts[0], "27 vacation days") || !strings.HasSuffix(found.Texts[0], "\n\n(Source: employee-handbook.pdf, page 4, chunk 11)") {
			t.Errorf("%s: search shows %+v", way, found)
		}
	}
	for _, answer := range []toolShown{got.Ask, got.AskWithProgress} {
		citations, _ := answer.Structured["citations"].(map[string]any)
		if answer.Error || len(answer.Texts) < 2 || !strings.Contains(answer.Texts[0], "27 vacation days") || answer.Structured["answer"] != answer.Texts[0] ||
			citations["status"] != "cited" || !strings.HasSuffix(answer.Texts[1], "\n\n(Source: employee-handbook.pdf, page 4, chunk 11)") {
			t.Errorf("%s: ask shows %+v", way, answer)
		}
	}
	var notes []string
	for _, note := range got.Progress {
		notes = append(notes, note.Message)
	}
	if len(notes) < 3 || notes[0] != "Searching the documents of Handbook" || notes[1] != "Passages found: 2" || got.Progress[1].Progress != got.Progress[1].Total ||
		notes[2] != "Looking for passages in the documents of Handbook" {
		t.Errorf("%s: progress %v", way, got.Progress)
	}
	if !strings.Contains(got.Page, "27 vacation days") || !strings.Contains(got.Whole, got.Page) || len(got.Whole) <= len(got.Page) {
		t.Errorf("%s: page %q of %q", way, got.Page, got.Whole)
	}
	for _, wrong := range []struct {
		got  toolShown
		says string
	}{{got.WrongArguments, "query"}, {got.WrongAssistant, `The assistant "nobody" does not exist or you do not have access to it.`}} {
		if !wrong.got.Error || len(wrong.got.Texts) != 1 || !strings.Contains(wrong.got.Texts[0], wrong.says) {
			t.Errorf("%s: %+v, want %q", way, wrong.got, wrong.says)
		}
	}
	if e := got.UnknownTool; e == nil || e.Code != -32602 || !strings.Contains(e.Message, "unknown tool") {
		t.Errorf("%s: an unknown tool: %+v", way, e)
	}
	if e := got.UnknownResource; e == nil || e.Code != -32602 || !strings.Contains(e.Message, "There is no such resource") {
		t.Errorf("%s: an unknown resource: %+v", way, e)
	}
}
