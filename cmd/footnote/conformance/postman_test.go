package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"footnote/proxy/openapi"
	"footnote/proxy/openapi/postman"
	"footnote/proxy/openapi/postman/collection"
	"footnote/storage/db/postgrestest"
)

var update = flag.Bool("update", false, "write the Postman collection and its example answers")

// Where the collection and the answers in it are kept.
var (
	collectionFile = filepath.Join("..", "..", "..", "proxy", "openapi", "postman", "footnote.postman_collection.json")
	examplesFile   = filepath.Join("..", "..", "..", "proxy", "openapi", "postman", "examples.json")
)

// TestThePostmanCollectionRuns has newman send every request of the collection, in order,
// to an empty server, where frameworks are asked.
func TestThePostmanCollectionRuns(t *testing.T) {
	t.Parallel()
	if !asksFrameworks() && !*update {
		return
	}
	command := newman(t)
	for name, env := range map[string][]string{
		"sqlite":   nil,
		"postgres": {"FOOTNOTE_DATABASE_URL=" + postgrestest.URL(t)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, nil, env...)
			report := filepath.Join(t.TempDir(), "report.json")
			ctx, cancel := context.WithTimeout(t.Context(), suiteTime)
			defer cancel()
			out, err := exec.CommandContext(ctx, command[0], append(command[1:], "run", collectionFile,
				"--env-var", "base_url="+p.url, "--env-var", "api_key="+adminKey, "--color", "off", "--timeout-request", "60000",
				"--reporters", "cli,json", "--reporter-json-export", report)...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			examples := examplesOf(t, report)
			stored, err := postman.Recorded()
			if err != nil {
				t.Fatal(err)
			}
			for request, example := range examples {
				if was := stored[request]; !*update && (was.Code != example.Code || was.ContentType != example.ContentType) {
					t.Errorf("%s: the example answer is outdated; run make postman", request)
				}
			}
			if *update && name == "sqlite" {
				writeJSON(t, examplesFile, examples)
			}
		})
	}
}

// TestThePostmanCollectionIsTheDescription compares the collection in the repository with
// the one that the description and the flows give now.
func TestThePostmanCollectionIsTheDescription(t *testing.T) {
	description, err := openapi.New("test")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := postman.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	made, err := collection.Make(description.JSON, examples)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(collectionFile, made, 0o644); err != nil { //nolint:gosec // a file of the repository
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(collectionFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(stored, made) {
		t.Error("the collection is outdated; run make postman")
	}
}

// notInCollection are the operations that the collection does not call, with the reason.
var notInCollection = map[string]string{
	"createEmbeddings":    "it needs an embedder",
	"reprocessCollection": "it needs an embedder",
	"headHealth":          "as getHealth",
	"headReady":           "as getReady",
	"headMetrics":         "as getMetrics",
}

// TestThePostmanCollectionCallsEveryOperation finds operations without a request.
func TestThePostmanCollectionCallsEveryOperation(t *testing.T) {
	description, err := openapi.New("test")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := postman.Folders()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, folder := range folders {
		for _, request := range folder.Requests {
			used[request.Call] = true
		}
	}
	for _, match := range regexp.MustCompile(`"operationId":"(\w+)"`).FindAllStringSubmatch(string(description.JSON), -1) {
		id := match[1]
		if _, left := notInCollection[id]; used[id] == left {
			t.Errorf("%s: in a request %v, left out %v", id, used[id], left)
		}
	}
}

// newman installs newman and returns its command.
func newman(t *testing.T) []string {
	t.Helper()
	npm, node := tool(t, "npm"), tool(t, "node")
	installed := cached(t, "newman", "", []string{"package.json", "package-lock.json", ".npmrc"}, func(dir string) {
		for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
			copyFile(t, filepath.Join("newman", name), filepath.Join(dir, name))
		}
		install(t, dir, npm, "ci", "--ignore-scripts")
	})
	return []string{node, filepath.Join(installed, "node_modules", "newman", "bin", "newman.js")}
}

// What differs from run to run in an answer, and what stands for it in an example.
var varying = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`\b(asst|coll|doc|chunk|key|up|req|audit|gold|run|ans|thr)_[0-9a-z]{26}`), "${1}_01m84eyzv7m65p5pkfqty6ysbj"},
	{regexp.MustCompile(`\bfn-[a-z2-7]{64}`), "fn-…"},
	{regexp.MustCompile(`\bfn-[a-z2-7]{12}\b`), "fn-abcdefghijkl"},
	{regexp.MustCompile(`chatcmpl-[0-9A-Z]+`), "chatcmpl-1"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`), "2026-11-23T12:00:00Z"},
	{regexp.MustCompile(`"created":\d+`), `"created":1795435200`},
	{regexp.MustCompile(`http://127\.0\.0\.1:[1-9]\d{3,}`), "http://127.0.0.1:8080"},
	{regexp.MustCompile(`/v1\.0/links/[^"#]+`), "/v1.0/links/…/vacation.md"},
	{regexp.MustCompile(`"(duration_ms|embed|text|vector|latency_ms|uptime_seconds|response_time_ms|first_byte_ms)":[0-9.e-]+`), `"$1":1`},
	{regexp.MustCompile(`"mean":[0-9.e-]+,"max":[0-9.e-]+`), `"mean":1,"max":1`},
	{regexp.MustCompile(`postman \d{10}`), "postman 1795435200"},
	{regexp.MustCompile(`"version":"[^"]*"`), `"version":"1.0.0"`},
	{regexp.MustCompile(`\bid: [a-z2-7]{16}-\d+`), "id: abcdefghijklmnop-1"},
}

// examplesOf reads the answers of a run, the last one of each request.
func examplesOf(t *testing.T, report string) map[string]postman.Example {
	t.Helper()
	raw, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var run struct {
		Run struct {
			Executions []struct {
				Item     struct{ Name string }
				Response struct {
					Code   int
					Status string
					Header []struct{ Key, Value string }
					Stream struct{ Data []int }
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &run); err != nil {
		t.Fatal(err)
	}
	const longest = 20_000 // such as the whole description
	examples := map[string]postman.Example{}
	for _, e := range run.Run.Executions {
		content := make([]byte, len(e.Response.Stream.Data))
		for i, b := range e.Response.Stream.Data {
			content[i] = byte(b)
		}
		text := string(content)
		for _, v := range varying {
			text = v.from.ReplaceAllString(text, v.to)
		}
		example := postman.Example{Code: e.Response.Code, Status: e.Response.Status, Body: text}
		for _, h := range e.Response.Header {
			if strings.EqualFold(h.Key, "Content-Type") {
				example.ContentType = h.Value
			}
		}
		if len(text) > longest || strings.HasPrefix(example.ContentType, "text/plain; version") {
			example.Body = ""
		}
		examples[e.Item.Name] = example
	}
	if len(examples) < 60 {
		t.Fatalf("only %d requests were sent", len(examples))
	}
	return examples
}

func writeJSON(t *testing.T, name string, value any) {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil { //nolint:gosec // a file of the repository
		t.Fatal(err)
	}
}
