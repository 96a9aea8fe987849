package main

import (
	"strings"
	"testing"

	"footnote/cmd/footnote/console"
)

// TestAWrongAddressIsShown proves that an address with a mistake in it is named, so
// that the mistake can be seen, and that no secret in it is.
func TestAWrongAddressIsShown(t *testing.T) {
	dir := t.TempDir()
	for given, shown := range map[string]string{
		"127.0.0.1:11434/v1":                      "127.0.0.1:11434/v1",
		"127.0.0.1":                               "127.0.0.1",
		"[::1]:11434/v1":                          "[::1]:11434/v1",
		"localhost:11434":                         "localhost:11434",
		"ollama:11434/v1":                         "ollama:11434/v1",
		"api.openai.com/v1":                       "api.openai.com/v1",
		"http://127.0.0.1:11434a/v1":              "http://127.0.0.1:11434a/v1",
		"http://model server/v1":                  "http://model server/v1",
		`"http://h/v1"`:                           `\"http://h/v1\"`,
		"htp://h/v1":                              "htp://h/v1",
		"http://u:secret@h:1a/v1?key=secret":      "http://***@h:1a/v1?***",
		"http://u:se/cret@h:1/v1":                 "http://***@h:1/v1",
		"http://u:se?cret@h:1/v1":                 "http://***@h:1/v1",
		"user:secret@h:11434/v1":                  "***",
		"sk-proj-AbCdEf0123456789secret":          "***",
		"sk-0123456789secret.abc/DEF":             "***",
		"eyJhbGciOi.eyJzdWIiOi.c2VjcmV0c2VjcmV0":  "***",
		"fn-0123456789secret0123456789secret0123": "***",
		"sk-secret http://h/v1":                   "***",
	} {
		stdout, stderr, code := runIn(t, dir, []string{"FOOTNOTE_UPSTREAM_URL=" + given}, "check-config")
		if code != 1 || !strings.Contains(stderr, `FOOTNOTE_UPSTREAM_URL: "`+shown+`" is no base URL`) {
			t.Errorf("%s: %d, not shown as %s\n%s", given, code, shown, stderr)
		}
		if strings.Contains(stdout+stderr, "secret") || strings.Contains(stdout+stderr, "cret@") {
			t.Errorf("%s: a secret is shown\n%s%s", given, stdout, stderr)
		}
	}
}

// TestNoPartOfAPasswordIsShown proves it for passwords whose special characters are not
// percent-encoded, so that a part of them looks like a host, a path or a query.
func TestNoPartOfAPasswordIsShown(t *testing.T) {
	dir := t.TempDir()
	for given, shown := range map[string]string{
		"://foot:pw:S@cret/20@127.0.0.1:43306/foot": "://***@127.0.0.1:43306/foot",
		"://foot:pw@S/cret/20@127.0.0.1:1/foot?a=b": "://***@127.0.0.1:1/foot?***",
		"://foot:1/cret@127.0.0.1:1/foot":           "://***@127.0.0.1:1/foot",
		"://foot:pw@S?cret@127.0.0.1:1/foot":        "://***",
		"://foot:1?cret@127.0.0.1:1/foot":           "://***",
		"://foot:1#cret@127.0.0.1:1/foot":           "://***",
		"://foot:p%w@127.0.0.1:1/foot?a=cret@S":     "://***",
	} {
		for _, scheme := range []string{"mysql", "postgres", "sqlserver"} {
			database := scheme + given
			for _, command := range []string{"check-config", "serve"} {
				stdout, stderr, code := runIn(t, dir, []string{"FOOTNOTE_DATABASE_URL=" + database}, command)
				if said := stdout + stderr; code != 1 || !strings.Contains(said, "special characters of the password percent-encoded") ||
					strings.Contains(said, "cret") || strings.Contains(said, "S@") || strings.Contains(said, "//S") {
					t.Errorf("%s %s: %d\n%s", command, database, code, said)
				}
			}
			if got := console.RedactURL(database); got != scheme+shown {
				t.Errorf("%s is shown as %s", database, got)
			}
		}
	}
}
