package conformance

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// dashboardSources is where the dashboard is made.
var dashboardSources = filepath.Join("..", "..", "..", "dashboard")

// dashboardTools are the locked tools of the dashboard, installed once.
func dashboardTools(t *testing.T) string {
	t.Helper()
	npm, locked := tool(t, "npm"), []string{"package.json", "package-lock.json", ".npmrc"}
	return cached(t, dashboardSources, "", locked, func(dir string) {
		for _, name := range locked {
			copyFile(t, filepath.Join(dashboardSources, name), filepath.Join(dir, name))
		}
		install(t, dir, npm, "ci", "--ignore-scripts")
	})
}

// dashboardCopy is the dashboard's sources beside their tools.
func dashboardCopy(t *testing.T) string {
	t.Helper()
	tools, dir := dashboardTools(t), t.TempDir()
	if err := os.CopyFS(dir, without{os.DirFS(dashboardSources)}); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(tools, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// without is a folder without what is installed or built.
type without struct{ fs.FS }

func (w without) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(w.FS, name)
	var kept []fs.DirEntry
	for _, e := range all {
		if e.Name() != "node_modules" && e.Name() != "dist" {
			kept = append(kept, e)
		}
	}
	return kept, err
}

// TestTheDashboardIsWhatItsSourcesMake checks the sources, and builds them anew: the
// types are those of this server's description, and dist is what is committed.
func TestTheDashboardIsWhatItsSourcesMake(t *testing.T) {
	t.Parallel()
	if !asksFrameworks() {
		return
	}
	dir, p, node := dashboardCopy(t), start(t, nil), tool(t, "node")
	module := func(parts ...string) string {
		return filepath.Join(append([]string{dir, "node_modules"}, parts...)...)
	}
	describe(t, p, dir)
	generated(t, dir, p, node, module("openapi-typescript", "bin", "cli.js"), "openapi.json", "-o", "schema.d.ts")
	sameFile(t, filepath.Join(dir, "schema.d.ts"), filepath.Join(dashboardSources, "src", "api", "schema.d.ts"))
	generated(t, dir, p, node, module("svelte-check", "bin", "svelte-check"), "--fail-on-warnings")
	generated(t, dir, p, node, module("eslint", "bin", "eslint.js"), "src")
	generated(t, dir, p, node, module("vitest", "vitest.mjs"), "run")
	generated(t, dir, p, node, module("vite", "bin", "vite.js"), "build")
	made, committed := filesIn(t, filepath.Join(dir, "dist")), filesIn(t, filepath.Join(dashboardSources, "dist"))
	if strings.Join(made, "\n") != strings.Join(committed, "\n") {
		t.Fatalf("built: %q; committed: %q; run make dashboard", made, committed)
	}
	for _, name := range made {
		sameFile(t, filepath.Join(dir, "dist", name), filepath.Join(dashboardSources, "dist", name))
	}
}

func sameFile(t *testing.T, made, committed string) {
	t.Helper()
	a, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("%s is not what its sources make; run make dashboard", committed)
	}
}

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestTheDashboardInABrowser has people use the dashboard of the demo in Chromium. The
// pictures of all screens are kept where FOOTNOTE_TEST_PICTURES says.
func TestTheDashboardInABrowser(t *testing.T) {
	t.Parallel()
	if !asksFrameworks() {
		return
	}
	dir, chromium, node := dashboardCopy(t), tool(t, "chromium"), tool(t, "node")
	p := startDemo(t)
	pictures := os.Getenv("FOOTNOTE_TEST_PICTURES")
	if pictures != "" {
		if err := os.MkdirAll(pictures, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	tests, err := filepath.Glob(filepath.Join(dir, "e2e", "*.test.mjs"))
	if err != nil || len(tests) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), suiteTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, append([]string{"--test", "--test-concurrency=1", "--test-reporter=spec"}, tests...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "BASE_URL=" + p.url, "API_KEY=" + adminKey, "CHROMIUM=" + chromium, "PICTURES=" + pictures}
	if nightly {
		cmd.Env = append(cmd.Env, "NIGHTLY=1")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
