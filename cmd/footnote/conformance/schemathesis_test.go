package conformance

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"footnote/storage/db/postgrestest"
)

// schemathesisTime bounds about 30,000 requests on a busy machine.
const schemathesisTime = 40 * time.Minute

// TestTheDescriptionHoldsForSchemathesis has Schemathesis make requests from the
// description: good ones, wrong ones and series of them. It checks that no answer is a
// fault or undocumented, that wrong requests are refused, and that keys are needed. It
// takes minutes of processor time, so it runs where frameworks are asked, and with more requests, on
// PostgreSQL and without any key at night.
func TestTheDescriptionHoldsForSchemathesis(t *testing.T) {
	t.Parallel()
	if !asksFrameworks() {
		return
	}
	command := schemathesis(t)
	signed := []string{"-H", "Authorization: Bearer " + adminKey}
	examples := "10"
	runs := map[string]struct{ env, args []string }{"sqlite": {nil, signed}} // Schemathesis repeats requests without the key
	if nightly {
		examples = "100"
		runs["postgres"] = struct{ env, args []string }{[]string{"FOOTNOTE_DATABASE_URL=" + postgrestest.URL(t)}, signed}
		// The limit per address would refuse embeddings before the missing key is seen. Nothing
		// is made without a key, so no series of requests can follow.
		runs["without a key"] = struct{ env, args []string }{nil, []string{"--exclude-operation-id", "createEmbeddings", "--phases", "examples,coverage,fuzzing"}}
	}
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, []string{"--demo"}, run.env...)
			ctx, cancel := context.WithTimeout(t.Context(), schemathesisTime)
			defer cancel()
			cmd := exec.CommandContext(ctx, command, append([]string{
				"--config-file", config(t), "run", p.url + "/v1.0/openapi.json", "--url", p.url,
				"--checks", "all", "--max-examples", examples, "--seed", "1", "--continue-on-failure", "--no-color",
			}, run.args...)...)
			cmd.Dir = t.TempDir() // it leaves files behind
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// config is the path of the file that says which refusals are right.
func config(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("python", "schemathesis", "schemathesis.toml"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// schemathesis installs it and returns its command.
func schemathesis(t *testing.T) string {
	t.Helper()
	python := pythonPackages(t, "schemathesis")[0]
	command := filepath.Join(filepath.Dir(python), "schemathesis")
	if _, err := os.Stat(command); err != nil {
		t.Fatal(err)
	}
	return command
}
