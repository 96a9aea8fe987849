package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func load(t *testing.T, src Sources) (Config, []string, Problems) {
	t.Helper()
	cfg, warnings, err := LoadConfig(src)
	var problems Problems
	if err != nil && !errors.As(err, &problems) {
		t.Fatal(err)
	}
	return cfg, warnings, problems
}

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDefaultsNeedNothing(t *testing.T) {
	cfg, warnings, problems := load(t, Sources{})
	if len(problems) > 0 || len(warnings) > 0 {
		t.Fatal(problems, warnings)
	}
	if cfg.Addr != "127.0.0.1:8080" || cfg.UpstreamURL != "builtin:extractive" || cfg.MaxBodyBytes != 32<<20 ||
		cfg.MaxUploadBytes != 100<<20 || cfg.Passthrough || !cfg.AllowPrivateUpstreams {
		t.Errorf("%+v", cfg)
	}
}

func TestLayersDefaultsFileEnvironmentFlags(t *testing.T) {
	path := writeConfig(t, "addr: 127.0.0.1:1\nlog_level: debug\nmax_body_bytes: 2MiB\nallowed_hosts: [a.test, b.test]\n")
	cfg, _, problems := load(t, Sources{File: path,
		Environ: []string{"FOOTNOTE_ADDR=127.0.0.1:2", "FOOTNOTE_LOG_LEVEL=warn", "FOOTNOTE_PASSTHROUGH=true"},
		Flags:   map[string]string{"addr": "127.0.0.1:3"}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if cfg.Addr != "127.0.0.1:3" || cfg.LogLevel != "warn" || cfg.MaxBodyBytes != 2<<20 || !cfg.Passthrough ||
		strings.Join(cfg.AllowedHosts, " ") != "a.test b.test" {
		t.Errorf("%+v", cfg)
	}
}

func TestAKeyForOpenAIChoosesOpenAI(t *testing.T) {
	cfg, _, _ := load(t, Sources{Environ: []string{"OPENAI_API_KEY=sk-x"}})
	if cfg.UpstreamURL != "https://api.openai.com/v1" || cfg.UpstreamAPIKey != "sk-x" {
		t.Errorf("%+v", cfg)
	}
	cfg, _, _ = load(t, Sources{Environ: []string{"OPENAI_API_KEY=sk-x", "FOOTNOTE_UPSTREAM_API_KEY=mine", "FOOTNOTE_UPSTREAM_URL=http://127.0.0.1:1/v1"}})
	if cfg.UpstreamURL != "http://127.0.0.1:1/v1" || cfg.UpstreamAPIKey != "mine" {
		t.Errorf("%+v", cfg)
	}
	for address, key := range map[string]Secret{"https://api.openai.com/v1": "sk-x", "http://127.0.0.1:1/v1": "", "https://api.openai.com.evil.test/v1": "", "http://api.openai.com/v1": ""} {
		cfg, _, _ = load(t, Sources{Environ: []string{"OPENAI_API_KEY=sk-x", "FOOTNOTE_UPSTREAM_URL=" + address}})
		if cfg.UpstreamURL != address || cfg.UpstreamAPIKey != key {
			t.Errorf("%s gets the key %q", address, string(cfg.UpstreamAPIKey))
		}
	}
}

func TestEveryProblemIsToldAtOnce(t *testing.T) {
	path := writeConfig(t, "adr: 1\nupstream:\n  url: x\n")
	_, _, problems := load(t, Sources{File: path, Environ: []string{
		"FOOTNOTE_ADDR=127.0.0.1:99999", "FOOTNOTE_DATABASE_URL=mysql://x", "FOOTNOTE_BLOB_URL=s3://b", "FOOTNOTE_VECTOR_URL=qdrant://h?tls=maybe",
		"FOOTNOTE_EMBEDDING_API_KEY=k", "FOOTNOTE_UPSTREAM_URL=localhost", "FOOTNOTE_PUBLIC_URL=/x", "FOOTNOTE_ADMIN_KEY=short",
		"FOOTNOTE_SECRET_KEY=short", "FOOTNOTE_TRUSTED_PROXIES=10.0.0.0/8,proxy", "FOOTNOTE_CORS_ORIGINS=*",
		"FOOTNOTE_MAX_BODY_BYTES=1GiB", "FOOTNOTE_MAX_UPLOAD_BYTES=many", "FOOTNOTE_LOG_LEVEL=loud", "FOOTNOTE_LOG_FORMAT=xml",
		"FOOTNOTE_PASSTHROUGH=perhaps", "FOOTNOTE_UPSTREAM_API_KEY_FILE=/nonexistent",
	}})
	text := problems.Error()
	for _, want := range []string{"adr", `did you mean "addr"`, `"upstream"`, "FOOTNOTE_ADDR", "FOOTNOTE_DATABASE_URL", "FOOTNOTE_BLOB_URL",
		"FOOTNOTE_VECTOR_URL", "FOOTNOTE_EMBEDDING_URL", "FOOTNOTE_UPSTREAM_URL", "FOOTNOTE_PUBLIC_URL", "FOOTNOTE_ADMIN_KEY",
		"FOOTNOTE_SECRET_KEY", "FOOTNOTE_TRUSTED_PROXIES", "FOOTNOTE_CORS_ORIGINS", "FOOTNOTE_MAX_BODY_BYTES",
		"FOOTNOTE_MAX_UPLOAD_BYTES", "FOOTNOTE_LOG_LEVEL", "FOOTNOTE_LOG_FORMAT", "FOOTNOTE_PASSTHROUGH", "FOOTNOTE_UPSTREAM_API_KEY_FILE"} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing is said about %s in:\n%s", want, text)
		}
	}
}

func TestOptionsOfTheEmbedderFitTogether(t *testing.T) {
	for _, c := range []struct {
		environ []string
		option  string // at fault, "" for none
		remedy  string
	}{
		{nil, "", ""},
		{[]string{"EMBEDDING_URL=http://127.0.0.1:11434/v1", "EMBEDDING_MODEL=nomic-embed-text"}, "", ""},
		{[]string{"EMBEDDING_URL=https://api.openai.com/v1", "EMBEDDING_MODEL=text-embedding-3-small", "EMBEDDING_DIMENSIONS=512"}, "", ""},
		{[]string{"EMBEDDING_URL=https://api.openai.com/v1"}, "FOOTNOTE_EMBEDDING_MODEL", "for instance"},
		{[]string{"EMBEDDING_URL=localhost:11434", "EMBEDDING_MODEL=m"}, "FOOTNOTE_EMBEDDING_URL", "http(s)://host/v1"},
		{[]string{"EMBEDDING_MODEL=multilingual"}, "", ""},
		{[]string{"EMBEDDING_MODEL=m"}, "FOOTNOTE_EMBEDDING_MODEL", "name the server"},
		{[]string{"EMBEDDING_API_KEY=k"}, "FOOTNOTE_EMBEDDING_URL", "name the server"},
		{[]string{"EMBEDDING_URL=http://h/v1", "EMBEDDING_MODEL=m", "EMBEDDING_DIMENSIONS=-1"}, "FOOTNOTE_EMBEDDING_DIMENSIONS", "0 leaves that"},
		{[]string{"EMBEDDING_URL=http://h/v1", "EMBEDDING_MODEL=m", "EMBEDDING_DIMENSIONS=many"}, "FOOTNOTE_EMBEDDING_DIMENSIONS", "whole number"},
	} {
		var environ []string
		for _, e := range c.environ {
			environ = append(environ, "FOOTNOTE_"+e)
		}
		_, _, problems := load(t, Sources{Environ: environ})
		if c.option == "" && len(problems) > 0 || c.option != "" && (len(problems) != 1 || problems[0].Option != c.option || !strings.Contains(problems[0].Message, c.remedy)) {
			t.Errorf("%v: %v", c.environ, problems)
		}
	}
}

func TestOpenAIsKeyGoesToOpenAIAlone(t *testing.T) {
	for address, want := range map[string]Secret{
		"https://api.openai.com/v1": "sk-x", "http://api.openai.com/v1": "", "https://api.openai.com.example.org/v1": "", "https://h/v1": "", "builtin:": "",
	} {
		cfg, _, _ := load(t, Sources{Environ: []string{"OPENAI_API_KEY=sk-x", "FOOTNOTE_EMBEDDING_URL=" + address}})
		if cfg.EmbeddingAPIKey != want {
			t.Errorf("%s gets %q", address, string(cfg.EmbeddingAPIKey))
		}
	}
}

func TestSecretsComeFromFilesAndAreNeverPrinted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("a-very-secret-key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, _, problems := load(t, Sources{Environ: []string{"FOOTNOTE_ADMIN_KEY_FILE=" + path}})
	if len(problems) > 0 || cfg.AdminKey != "a-very-secret-key" {
		t.Fatal(problems, string(cfg.AdminKey))
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, cfg); strings.Contains(text, "secret-key") {
			t.Errorf("%s prints the secret", format)
		}
	}
	_, _, problems = load(t, Sources{Environ: []string{"FOOTNOTE_ADMIN_KEY_FILE=" + path, "FOOTNOTE_ADMIN_KEY=another-secret-key"}})
	if len(problems) != 1 || !strings.Contains(problems.Error(), "not both") {
		t.Error(problems)
	}
}

func TestUnknownVariablesAreWarnings(t *testing.T) {
	_, warnings, problems := load(t, Sources{Environ: []string{"FOOTNOTE_ADRR=x", "FOOTNOTE_SERVICE_HOST=10.0.0.1", "FOOTNOTE_TEST_POSTGRES_URL=x", "FOOTNOTE_URL=http://x", "FOOTNOTE_API_KEY=fn-x"}})
	if len(problems) > 0 || len(warnings) != 2 {
		t.Fatal(problems, warnings)
	}
	if !strings.Contains(warnings[0], "did you mean FOOTNOTE_ADDR?") {
		t.Error(warnings)
	}
}

func TestEmptyVariablesAreUnset(t *testing.T) {
	var environ []string
	eachOption(&Config{}, func(o option) { environ = append(environ, o.env()+"=", o.env()+"_FILE=") })
	got, warnings, problems := load(t, Sources{Environ: environ})
	want, _, _ := load(t, Sources{})
	if len(warnings) > 0 || len(problems) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%v %v\n%+v\n%+v", warnings, problems, got, want)
	}
}

func TestADatabaseURLThatCannotBeReadIsAProblem(t *testing.T) {
	_, _, problems := load(t, Sources{Environ: []string{"FOOTNOTE_DATABASE_URL=postgres://fn:p@ss:w%zz@h/fndb"}})
	if len(problems) != 1 || problems[0].Option != "FOOTNOTE_DATABASE_URL" || strings.Contains(problems[0].Message, "p@ss") {
		t.Errorf("%v", problems)
	}
}

func TestAMissingFileIsAProblemOnlyWhenNamed(t *testing.T) {
	if _, _, problems := load(t, Sources{File: filepath.Join(t.TempDir(), "none.yaml")}); len(problems) != 1 {
		t.Error(problems)
	}
}

func TestSecretsThatAnybodyMayGuessAreRefused(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	zeros := strings.Repeat("0", 64)
	for _, environ := range [][]string{
		{"FOOTNOTE_ADMIN_KEY=" + zeros}, {"FOOTNOTE_SECRET_KEY=" + zeros}, {"FOOTNOTE_SECRET_KEY=" + strings.Repeat("\x00", 64)},
		{"FOOTNOTE_ADMIN_KEY=" + strings.Repeat(" ", 32)}, {"FOOTNOTE_ADMIN_KEY=0123456789abcde"}, {"FOOTNOTE_SECRET_KEY=0123456789abcdef0123456789abcde"},
		{"FOOTNOTE_ADMIN_KEY=   0123456789ab   "}, {"FOOTNOTE_SECRET_KEY_FILE=" + empty}, {"FOOTNOTE_ADMIN_KEY_FILE=" + empty}, {"FOOTNOTE_UPSTREAM_API_KEY_FILE=" + empty},
	} {
		_, _, problems := load(t, Sources{Environ: environ})
		name, value, _ := strings.Cut(environ[0], "=")
		if len(problems) != 1 || problems[0].Option != name || len(value) < 40 && value != empty && strings.Contains(problems[0].Message, value) {
			t.Errorf("%q: %v", environ, problems)
		}
	}
}

func TestAKeyInTheWrongOptionIsNotRepeated(t *testing.T) {
	const key = "sk-proj-0123456789abcdef"
	cfg, _, problems := load(t, Sources{Environ: []string{
		"FOOTNOTE_UPSTREAM_URL=" + key, "FOOTNOTE_PUBLIC_URL=" + key, "FOOTNOTE_DATABASE_URL=" + key, "FOOTNOTE_CORS_ORIGINS=https://u:" + key + "@h",
	}})
	if len(problems) != 4 || strings.Contains(problems.Error(), key) {
		t.Errorf("%v", problems)
	}
	eachOption(&cfg, func(o option) {
		if strings.Contains(o.shown(), key) {
			t.Errorf("%s shows it: %s", o.name, o.shown())
		}
	})
}

func TestARegionThatIsNotKnownIsAProblemOfItsOption(t *testing.T) {
	_, stderr, code := runIn(t, t.TempDir(), []string{"FOOTNOTE_BLOB_URL=s3://docs/footnote"}, "serve")
	if code != 1 || !strings.Contains(stderr, "FOOTNOTE_BLOB_URL: The region of the bucket is not known: add region=…") || strings.Contains(stderr, "blob_url") {
		t.Errorf("%d\n%s", code, stderr)
	}
}

func TestTheAddressOfABucketIsShownUnlessAKeyIsInIt(t *testing.T) {
	const whole = "s3://docs/third?endpoint=https://s3.example.com&region=here"
	for given, shown := range map[string]string{
		whole:                          whole,
		whole + "&secret_key=hush":     "s3://docs/third?endpoint=***&region=***&secret_key=***",
		"s3://AKIA:hush@docs/third":    "s3://***@docs/third",
		"s3://docs?endpoint=u:hush@s3": "s3://***",
	} {
		stdout, stderr, _ := runIn(t, t.TempDir(), []string{"FOOTNOTE_BLOB_URL=" + given}, "check-config")
		if !strings.Contains(stdout, "FOOTNOTE_BLOB_URL="+shown+"\n") || strings.Contains(stdout+stderr, "hush") {
			t.Errorf("%s: not shown as %s\n%s%s", given, shown, stdout, stderr)
		}
	}
}

func TestOptionsOfDocumentsOnS3FitTogether(t *testing.T) {
	keys := []string{"FOOTNOTE_S3_ACCESS_KEY_ID=AKIAEXAMPLE", "FOOTNOTE_S3_SECRET_ACCESS_KEY=secret-of-it"}
	for address, want := range map[string]string{
		"":                               "",
		"file:":                          "",
		"s3://bucket/prefix?region=here": "",
		"s3://bucket?endpoint=nowhere":   "endpoint is an absolute URL",
		"s3://AKIA:secret-of-it@bucket":  "keys do not belong into the URL",
		"https://bucket":                 "neither file: (in the data directory) nor s3://",
	} {
		cfg, _, err := LoadConfig(Sources{File: writeConfig(t, ""), Environ: append(keys, "FOOTNOTE_BLOB_URL="+address)})
		if (err != nil) != (want != "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret-of-it")) {
			t.Errorf("%q: %v", address, err)
		}
		if shown := fmt.Sprintf("%v %+v %#v", cfg, cfg, cfg); strings.Contains(shown, "secret-of-it") && want == "" {
			t.Errorf("%q: the secret is shown: %s", address, shown)
		}
	}
	for _, alone := range keys {
		if _, _, err := LoadConfig(Sources{File: writeConfig(t, ""), Environ: []string{alone}}); err == nil || !strings.Contains(err.Error(), "belong together") {
			t.Errorf("%s: %v", alone, err)
		}
	}
}
