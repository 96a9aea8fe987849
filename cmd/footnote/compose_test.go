package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"

	"footnote/storage/db/postgrestest"
)

// defaultsOnly is what compose makes of a value when no variable is set.
func defaultsOnly(value string) string {
	variable := regexp.MustCompile(`\$\{[A-Z_]+:-([^${}]*)\}`)
	for variable.MatchString(value) {
		value = variable.ReplaceAllString(value, "$1")
	}
	return value
}

func TestTheComposeFileStartsTheProgram(t *testing.T) {
	k := koanf.New("/")
	if err := k.Load(file.Provider("../../compose.yaml"), yaml.Parser()); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	eachOption(&Config{}, func(o option) { known[o.env()] = true })
	var env []string
	for name, value := range k.StringMap("services/footnote/environment") {
		value = defaultsOnly(value)
		if !known[name] || strings.Contains(value, "$") {
			t.Errorf("%s=%s", name, value)
		}
		if name == "FOOTNOTE_DATABASE_URL" {
			postgres := k.StringMap("services/postgres/environment")
			if want := "postgres://" + postgres["POSTGRES_USER"] + ":" + defaultsOnly(postgres["POSTGRES_PASSWORD"]) + "@postgres:5432/" + postgres["POSTGRES_DB"] + "?sslmode=disable"; value != want {
				t.Errorf("the database's address is %s, its service makes %s", value, want)
			}
			value = postgrestest.URL(t)
		}
		env = append(env, name+"="+value)
	}
	p := start(t, t.TempDir(), nil, append(env, "FOOTNOTE_ADMIN_KEY="+testAdminKey)...)
	eventually(t, "it is ready", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
}
