package conformance

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The clients that people generate from the description are complete, compile, and do
// what they say.

func TestTypeScriptTypesAreMadeOfTheDescription(t *testing.T) {
	t.Parallel()
	if !asksFrameworks() {
		return
	}
	npm, node := tool(t, "npm"), tool(t, "node")
	installed := cached(t, "typescript", "", []string{"package.json", "package-lock.json", ".npmrc"}, func(dir string) {
		for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
			copyFile(t, filepath.Join("typescript", name), filepath.Join(dir, name))
		}
		install(t, dir, npm, "ci", "--ignore-scripts")
	})
	p, dir := start(t, nil), t.TempDir()
	if err := os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"package.json", "tsconfig.json", "main.ts"} {
		copyFile(t, filepath.Join("typescript", name), filepath.Join(dir, name))
	}
	describe(t, p, dir)
	module := func(parts ...string) string { return filepath.Join(append([]string{dir, "node_modules"}, parts...)...) }
	generated(t, dir, p, node, module("openapi-typescript", "bin", "cli.js"), "openapi.json", "-o", "api.ts")
	generated(t, dir, p, node, module("typescript", "bin", "tsc"), "-p", dir)
	said := generated(t, dir, p, node, filepath.Join(dir, "made", "main.js"))
	if want := `{"top_k":[10,3],"documents":0,"event":true,"requests":0,"code":"not_found"}`; strings.TrimSpace(said) != want {
		t.Errorf("said %s, want %s", said, want)
	}
}

func TestAPythonClientIsMadeOfTheDescription(t *testing.T) {
	t.Parallel()
	if !asksFrameworks() {
		return
	}
	python := pythonPackages(t, "generated")[0]
	p, dir := start(t, nil), t.TempDir()
	describe(t, p, dir)
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("post_hooks: []\ncontent_type_overrides: {application/jsonl: application/octet-stream, application/x-ndjson: application/octet-stream}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A warning names a part of the description that the client lacks.
	generated(t, dir, p, filepath.Join(filepath.Dir(python), "openapi-python-client"), "generate",
		"--path", "openapi.json", "--config", "config.yaml", "--meta", "none", "--output-path", "client", "--fail-on-warning")
	generated(t, dir, p, python, "-m", "compileall", "-q", "client")
	copyFile(t, filepath.Join("python", "generated", "use.py"), filepath.Join(dir, "use.py"))
	said := generated(t, dir, p, python, "-B", "use.py")
	if want := `{"top_k": [10, 3], "event": true, "requests": 0, "code": "not_found"}`; strings.TrimSpace(said) != want {
		t.Errorf("said %s, want %s", said, want)
	}
}

// describe writes the description into a folder.
func describe(t *testing.T, p *program, dir string) {
	t.Helper()
	resp, err := http.Get(p.url + "/v1.0/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "openapi.json"), raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// generated runs a command in a folder and returns what it prints.
func generated(t *testing.T, dir string, p *program, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), suiteTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "BASE_URL="+p.url, "API_KEY="+adminKey)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
