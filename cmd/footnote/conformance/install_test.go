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
	"testing"
	"time"
)

// installTime bounds the download and installation of an SDK.
const installTime = 10 * time.Minute

// An sdk runs a scenario of its script against a server.
type sdk struct {
	name string
	// command returns the program and the arguments that run a scenario.
	command func(scenario string) []string
}

// openaiNode installs openai-node as its lock file says.
func openaiNode(t *testing.T) sdk {
	t.Helper()
	npm := tool(t, "npm")
	node := tool(t, "node")
	installed := cached(t, "node", []string{"package.json", "package-lock.json", ".npmrc"}, func(dir string) {
		for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
			copyFile(t, filepath.Join("node", name), filepath.Join(dir, name))
		}
		install(t, dir, npm, "ci", "--ignore-scripts")
	})
	// Modules are found beside the script that imports them.
	work := t.TempDir()
	if err := os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(work, "node_modules")); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(work, "sdk.mjs")
	copyFile(t, filepath.Join("node", "sdk.mjs"), script)
	return sdk{name: "openai-node", command: func(scenario string) []string { return []string{node, script, scenario} }}
}

// openaiPython installs openai-python into a virtual environment, every file
// checked against the hashes of requirements.txt.
func openaiPython(t *testing.T) sdk {
	t.Helper()
	python := tool(t, "python3")
	requirements, err := filepath.Abs(filepath.Join("python", "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	installed := cached(t, "python", []string{"requirements.txt"}, func(dir string) {
		install(t, dir, python, "-m", "venv", dir)
		install(t, dir, filepath.Join(dir, "bin", "python"), "-m", "pip", "--disable-pip-version-check", "--no-input",
			"install", "--require-hashes", "--only-binary=:all:", "-r", requirements)
	})
	program := filepath.Join(installed, "bin", "python")
	script := filepath.Join("python", "sdk.py")
	// -B: no compiled copy is left beside the script.
	return sdk{name: "openai-python", command: func(scenario string) []string { return []string{program, "-B", script, scenario} }}
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

// cached returns the folder that fill once filled from the locked files. Its
// name has the files' hash, so that a new lock file makes a new folder; a fill
// that was interrupted is done again.
func cached(t *testing.T, kind string, locked []string, fill func(dir string)) string {
	t.Helper()
	hash := sha256.New()
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
	dir := filepath.Join(root, kind+"-"+hex.EncodeToString(hash.Sum(nil))[:16])
	complete := filepath.Join(dir, ".complete")
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

// run runs a scenario of the SDK's script and decodes the line it prints.
func (k sdk) run(t *testing.T, scenario string, env map[string]string, out any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	args := k.command(scenario)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	// The SDKs read keys, proxies and log levels from the environment: they get none.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", k.name, scenario, err, stdout, &stderr)
	}
	if err := json.Unmarshal(stdout, out); err != nil {
		t.Fatalf("%s %s: %v in %q", k.name, scenario, err, stdout)
	}
}
