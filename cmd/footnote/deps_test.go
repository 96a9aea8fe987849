package main

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport says which packages of this module each package may import; a trailing
// "/..." stands for everything below. A permission that is not used is removed.
// CONTRIBUTING.md explains the rules. Run with -count=1: a cached run hides a violation.
var mayImport = map[string][]string{
	"citations":             {"citations/support"},
	"citations/support":     {"citations/tables"},
	"citations/tables":      nil,
	"citations/formattest":  nil,
	"assistants":            {"assistants/lexical"},
	"assistants/lexical":    nil,
	"assistants/tokens":     nil,
	"assistants/evaluation": nil,

	"assistants/evaluation/runs": {"assistants", "assistants/evaluation"},

	"assistants/audit":     {"assistants", "assistants/backlog"},
	"assistants/backlog":   {"assistants"},
	"assistants/history":   {"assistants", "assistants/backlog"},
	"assistants/embedding": {"assistants"},

	"assistants/ingestion/extract":             nil,
	"assistants/ingestion/extract/extracttest": {"assistants/ingestion/extract"},
	"assistants/ingestion/extract/office":      {"assistants/ingestion/extract"},
	"assistants/ingestion/extract/pdf":         {"assistants/ingestion/extract"},

	"assistants/ingestion/chunker": {"assistants/tokens", "assistants/lexical"},
	"assistants/ingestion/profile": {"assistants", "assistants/lexical"},
	"assistants/ingestion/sandbox": {"assistants/ingestion/extract/..."},
	"assistants/ingestion":         {"assistants", "assistants/ingestion/..."},
	"assistants/retrieval":         {"assistants", "assistants/lexical"},

	"dashboard":                 nil,
	"migrations":                nil,
	"storage/db":                {"assistants", "assistants/evaluation", "assistants/evaluation/runs", "migrations"},
	"storage/db/dbtest":         nil,
	"storage/db/postgrestest":   {"storage/servertest"},
	"storage/db/mariadbtest":    {"storage/servertest"},
	"storage/servertest":        nil,
	"storage/archive":           nil,
	"storage/blob":              {"assistants"},
	"storage/blob/blobtest":     {"assistants"},
	"storage/blob/s3test":       {"storage/servertest"},
	"storage/vector":            {"assistants", "assistants/lexical"},
	"storage/vector/embedded":   {"assistants", "assistants/lexical", "storage/vector", "storage/vector/dot"},
	"storage/vector/qdrant":     {"assistants", "storage/vector"},
	"storage/vector/dot":        nil,
	"storage/vector/vectortest": {"assistants", "assistants/lexical"},
	"storage/vector/qdranttest": nil,

	"proxy/wire":                  nil,
	"proxy/sse":                   nil,
	"proxy/access":                {"assistants"},
	"proxy/tracing":               {"assistants/retrieval"},
	"proxy/upstream":              {"proxy/tracing", "assistants", "proxy/wire"},
	"proxy/upstream/extractive":   {"assistants/lexical", "citations/tables", "proxy/sse", "proxy/upstream"},
	"proxy/upstream/upstreamtest": nil,
	"proxy/apierr":                {"assistants", "proxy/upstream", "proxy/wire"},
	"proxy/events":                {"assistants"},
	"proxy/links":                 {"assistants", "citations"},
	"proxy/openapi":               {"assistants", "proxy/openapi/postman"},
	"proxy/openapi/openapitest":   {"proxy/openapi"},
	"proxy/openapi/postman":       nil,

	"proxy/openapi/postman/collection": {"proxy/openapi/postman"},

	"proxy/grounding":    {"assistants", "assistants/lexical", "assistants/retrieval", "citations", "proxy/apierr", "proxy/upstream", "proxy/wire"},
	"proxy/completion":   {"proxy/sse", "proxy/tracing", "proxy/upstream", "proxy/wire"},
	"proxy/search":       {"assistants", "assistants/lexical", "assistants/retrieval", "assistants/tokens", "citations", "proxy/access", "proxy/apierr", "proxy/completion", "proxy/front", "proxy/grounding", "proxy/jsonbody", "proxy/sse", "proxy/upstream"},
	"proxy/filters":      {"assistants", "proxy/apierr", "proxy/jsonbody"},
	"proxy/responses":    {"assistants", "proxy/access", "proxy/apierr", "proxy/filters", "proxy/front", "proxy/jsonbody", "proxy/sse"},
	"proxy/forms":        {"assistants", "proxy/apierr"},
	"proxy/vectorstores": {"assistants", "assistants/ingestion", "proxy/access", "proxy/apierr", "proxy/filters", "proxy/forms", "proxy/front", "proxy/jsonbody", "proxy/search"},
	"proxy/front":        {"proxy/apierr"},
	"proxy/chat":         {"assistants", "assistants/retrieval", "assistants/tokens", "citations", "proxy/access", "proxy/apierr", "proxy/completion", "proxy/front", "proxy/grounding", "proxy/jsonbody", "proxy/links", "proxy/sse", "proxy/tracing", "proxy/upstream", "proxy/upstream/extractive", "proxy/wire"},
	"proxy/check":        {"assistants", "assistants/retrieval", "citations", "proxy/access", "proxy/apierr", "proxy/front", "proxy/grounding", "proxy/jsonbody", "proxy/links", "proxy/wire"},
	"proxy/jsonbody":     {"proxy/apierr"},
	"proxy/control":      {"assistants/...", "citations", "proxy/access", "proxy/apierr", "proxy/events", "proxy/forms", "proxy/grounding", "proxy/jsonbody", "proxy/links", "proxy/upstream", "proxy/sse", "proxy/wire"},
	"proxy/mcp":          {"assistants", "citations", "proxy/access", "proxy/apierr", "proxy/sse"},
	"proxy":              {"proxy/...", "assistants", "dashboard"},

	"cmd/footnote/demo":        nil,
	"cmd/footnote/gold":        nil,
	"cmd/footnote/gold/family": nil,
	"cmd/footnote/conformance": nil,
	"cmd/footnote/console":     nil,
	"cmd/footnote/cli":         {"cmd/footnote/console", "assistants", "assistants/evaluation", "assistants/ingestion", "citations", "proxy/sse"},
	"cmd/footnote/maintain":    {"cmd/footnote/console", "assistants", "assistants/ingestion", "storage/..."},
	"cmd/footnote":             {"..."},
}

// walls are libraries that only some packages may know.
var walls = map[string][]string{
	"github.com/gin-gonic/gin":          {"proxy", "proxy/check", "proxy/front", "proxy/chat", "proxy/search", "proxy/apierr", "proxy/control", "proxy/access", "proxy/forms", "proxy/responses", "proxy/vectorstores"},
	"github.com/sashabaranov/go-openai": {"proxy/upstream"},
	"gorm.io/":                          {"storage/db"},
	"github.com/go-sql-driver/mysql":    {"storage/db", "storage/db/mariadbtest"},
	"github.com/microsoft/go-mssqldb":   {"storage/db"},
	"github.com/qdrant/go-client":       {"storage/vector/qdrant", "storage/vector/qdranttest"},
	"github.com/aws/":                   {"storage/blob"},
	"github.com/modelcontextprotocol":   {"proxy/mcp"},
	"go.opentelemetry.io/":              {"proxy/tracing", "cmd/footnote"},
	// Its expressions backtrack: a text reaches them in small pieces only.
	"github.com/tiktoken-go/tokenizer": {"assistants/tokens"},
}

// standardLibraryOnly are packages without any dependency.
var standardLibraryOnly = []string{"citations", "citations/support", "citations/tables"}

func TestImportsFollowTheHouseRules(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "footnote/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		room := strings.TrimPrefix(fields[0], "footnote/")
		ours[room] = nil
		for _, imported := range fields[1:] {
			if inside, ok := strings.CutPrefix(imported, "footnote/"); ok {
				ours[room] = append(ours[room], inside)
			} else {
				checkWalls(t, room, imported)
			}
		}
	}
	for _, problem := range importProblems(mayImport, ours) {
		t.Error(problem)
	}
}

// importProblems compares a table such as mayImport with what packages import.
func importProblems(table, imports map[string][]string) []string {
	var problems []string
	for _, room := range slices.Sorted(maps.Keys(imports)) {
		allowed, known := table[room]
		if !known {
			problems = append(problems, room+" has no rule in mayImport")
		}
		for _, imported := range imports[room] {
			if !slices.ContainsFunc(allowed, func(rule string) bool { return covers(rule, imported) }) {
				problems = append(problems, room+" may not import "+imported)
			}
		}
	}
	for _, room := range slices.Sorted(maps.Keys(table)) {
		imported, exists := imports[room]
		if !exists {
			problems = append(problems, "mayImport has a rule for "+room+", which does not exist")
			continue
		}
		for _, rule := range table[room] {
			if !slices.ContainsFunc(imported, func(name string) bool { return covers(rule, name) }) {
				problems = append(problems, room+" does not import "+rule+": remove the permission")
			}
		}
	}
	return problems
}

func TestImportProblemsAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		table, imports map[string][]string
		want           []string
	}{
		"none": {
			map[string][]string{"a": {"b", "c/..."}, "b": nil, "c": nil, "c/d": nil},
			map[string][]string{"a": {"b", "c/d"}, "b": nil, "c": nil, "c/d": nil},
			nil,
		},
		"an import without a permission": {
			map[string][]string{"a": nil, "b": nil},
			map[string][]string{"a": {"b"}, "b": nil},
			[]string{"a may not import b"},
		},
		"a package without a rule": {
			map[string][]string{},
			map[string][]string{"a": nil},
			[]string{"a has no rule in mayImport"},
		},
		"a rule without a package": {
			map[string][]string{"a": {"b"}},
			map[string][]string{},
			[]string{"mayImport has a rule for a, which does not exist"},
		},
		"permissions that are not used": {
			map[string][]string{"a": {"b", "c/...", "d"}, "b": nil, "d": nil},
			map[string][]string{"a": {"d"}, "b": nil, "d": nil},
			[]string{"a does not import b: remove the permission", "a does not import c/...: remove the permission"},
		},
	} {
		if got := importProblems(c.table, c.imports); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func checkWalls(t *testing.T, room, imported string) {
	t.Helper()
	for library, rooms := range walls {
		if strings.HasPrefix(imported, library) && !slices.Contains(rooms, room) {
			t.Errorf("%s may not import %s", room, imported)
		}
	}
	if first, _, _ := strings.Cut(imported, "/"); slices.Contains(standardLibraryOnly, room) && strings.Contains(first, ".") {
		t.Errorf("%s may import the standard library only, not %s", room, imported)
	}
}

// covers reports whether a rule of mayImport covers a package.
func covers(rule, room string) bool {
	below, all := strings.CutSuffix(rule, "...")
	return rule == room || all && strings.HasPrefix(room+"/", below)
}
