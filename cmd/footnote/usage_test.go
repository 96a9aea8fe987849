package main

import (
	"strings"
	"testing"
)

// TestWrongArgumentsAndFlagsNameTheUse: an error about arguments or flags shows the right use.
func TestWrongArgumentsAndFlagsNameTheUse(t *testing.T) {
	for line, c := range map[string]struct {
		status int
		want   []string
	}{
		"ingest":                 {1, []string{"footnote ingest PATH… [flags]"}},
		"ask --assistant manual": {1, []string{"footnote ask QUESTION [flags]"}},
		"keys revoke":            {1, []string{"footnote keys revoke ID [flags]"}},
		"check-text":             {2, []string{"footnote check-text FILE [flags]"}},
		"serve --port 80":        {1, []string{"--port", "footnote serve --help"}},
		"check-text --deep x":    {2, []string{"--deep", "footnote check-text --help"}},
		"serve now":              {1, []string{"footnote serve [flags]"}},
	} {
		_, stderr, status := run(t, t.TempDir(), strings.Fields(line)...)
		for _, want := range c.want {
			if status != c.status || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("%s: %d %q, want %q", line, status, stderr, want)
			}
		}
	}
}
