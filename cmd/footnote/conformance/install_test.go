package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// installTime bounds the download and installation of an SDK.
	installTime = 10 * time.Minute
	// suiteTime bounds hundreds of requests by clients that take long to load.
	suiteTime = 30 * time.Minute
)

// openaiNode installs openai-node as its lock file says, and returns the
// command that its scripts are run with.
func openaiNode(t *testing.T) []string {
	t.Helper()
	npm := tool(t, "npm")
	node := tool(t, "node")
	installed := cached(t, "node", "", []string{"package.json", "package-lock.json", ".npmrc"}, func(dir string) {
		for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
			copyFile(t, filepath.Join("node", name), filepath.Join(dir, name))
		}
		install(t, dir, npm, "ci", "--ignore-scripts")
	})
	// Modules are found next to the script that imports them.
	work := t.TempDir()
	if err := os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(work, "node_modules")); err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob(filepath.Join("node", "*.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		copyFile(t, script, filepath.Join(work, filepath.Base(script)))
	}
	return []string{node, filepath.Join(work, "main.mjs")}
}

// pythonFrameworks installs the frameworks of Python that have clients for OpenAI's API.
func pythonFrameworks(t *testing.T) []string {
	return pythonPackages(t, "langchain-llamaindex-litellm")
}

// pythonPackages installs the packages of a folder in python into a virtual environment,
// every file checked against the hashes of its requirements.txt.
func pythonPackages(t *testing.T, version string) []string {
	t.Helper()
	python := tool(t, "python3")
	requirements, err := filepath.Abs(filepath.Join("python", version, "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	// A virtual environment belongs to the Python that made it.
	made, err := exec.CommandContext(t.Context(), python, "-c", "import sys; print(sys.version, sys.executable)").Output()
	if err != nil {
		t.Fatal(err)
	}
	installed := cached(t, filepath.Join("python", version), string(made), []string{"requirements.txt"}, func(dir string) {
		install(t, dir, python, "-m", "venv", dir)
		install(t, dir, filepath.Join(dir, "bin", "python"), "-m", "pip", "--disable-pip-version-check", "--no-input",
			"install", "--require-hashes", "--only-binary=:all:", "-r", requirements)
	})
	// -B: no compiled copies are left next to the scripts.
	return []string{filepath.Join(installed, "bin", "python"), "-B", filepath.Join("python", "main.py")}
}

// tool finds a program. Without it the test is skipped, but never in CI.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if inCI, _ := strconv.ParseBool(os.Getenv("CI")); inCI {
		t.Fatalf("%s is needed in CI: %v", name, err)
	}
	t.Skipf("%s is not installed: %v", name, err)
	return ""
}

// installing is held by a test that installs, as others may need the same.
var installing sync.Mutex

// cached returns the folder that fill once filled from the locked files, with a
// tool. Its name has the hash of both, so that a new lock file makes a new
// folder; a fill that was interrupted is done again.
func cached(t *testing.T, kind, tool string, locked []string, fill func(dir string)) string {
	t.Helper()
	hash := sha256.New()
	hash.Write([]byte(tool))
	for _, name := range locked {
		raw, err := os.ReadFile(filepath.Join(kind, name))
		if err != nil {
			t.Fatal(err)
		}
		hash.Write(raw)
	}
	root, err := filepath.Abs(filepath.Join("..", "..", "..", ".cache", "conformance"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, strings.TrimLeft(strings.ReplaceAll(filepath.ToSlash(kind), "/", "-"), ".-")+"-"+hex.EncodeToString(hash.Sum(nil))[:16])
	complete := filepath.Join(dir, ".complete")
	if _, err := os.Stat(complete); err == nil {
		return dir
	}
	installing.Lock()
	defer installing.Unlock()
	if _, err := os.Stat(complete); err == nil {
		return dir
	} else if !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	fill(dir)
	if err := os.WriteFile(complete, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func install(t *testing.T, dir string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), installTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	raw, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs a suite of an SDK's scripts and returns what each scenario showed.
func run[T any](t *testing.T, command []string, suite string, env map[string]string) map[string]T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), suiteTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], suite)...)
	// The SDKs read keys, proxies and log levels from the environment: they get none.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	var results map[string]T
	if err == nil {
		err = json.Unmarshal(stdout, &results)
	}
	if err != nil {
		t.Errorf("%s: %v\n%s%s", suite, err, stdout, &stderr)
	}
	return results
}
