package main

import (
	"strings"
	"testing"
)

// What check-config prints is what takes effect, also where an option is not set or cannot be read.
func TestCheckConfigPrintsWhatTakesEffect(t *testing.T) {
	stdout, stderr, code := runIn(t, t.TempDir(), []string{"FOOTNOTE_MAX_BODY_BYTES=much", "FOOTNOTE_AUDIT_RETENTION_DAYS=x"}, "check-config")
	if code != 1 || strings.Count(stderr, "problem:") != 2 || !strings.Contains(stderr, `"much" is no size`) {
		t.Errorf("%d %s", code, stderr)
	}
	for _, want := range []string{"FOOTNOTE_LOG_FORMAT=json\n", "FOOTNOTE_MAX_BODY_BYTES=32 MiB\n", "FOOTNOTE_AUDIT_RETENTION_DAYS=365\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}
