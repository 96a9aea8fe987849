package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"

	"footnote/assistants"
	"footnote/cmd/footnote/console"
	"footnote/storage/db"
	"footnote/storage/vector/qdrant"
)

// Secret is a string that prints as *** in every format.
type Secret string

// String hides the secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "***"
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText hides the secret from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Size is a number of bytes, written as "32MiB" or plainly.
type Size int64

// String writes the size with a unit.
func (s Size) String() string { return humanize.IBytes(uint64(max(s, 0))) }

// Config has the options of the server. The tags hold an option's name, default
// and explanation. The environment variable is FOOTNOTE_ and the name in
// capitals, the key of footnote.yaml is the name itself, and the flag is the
// name with dashes.
type Config struct {
	Addr        string `name:"addr" default:"127.0.0.1:8080" help:"listen address"`
	DataDir     string `name:"data_dir" default:"./footnote-data" help:"everything the embedded defaults store"`
	DatabaseURL string `name:"database_url" default:"sqlite:" help:"database: sqlite: (a file in the data directory), sqlite:/path/to/file.db, postgres://user:password@host:5432/name, mysql://user:password@host:3306/name or sqlserver://user:password@host:1433/name (experimental)"`
	BlobURL     string `name:"blob_url" default:"file:" help:"documents: file: (in the data directory) or s3://bucket/prefix?endpoint=…&region=…&path_style=true"`
	VectorURL   string `name:"vector_url" default:"embedded:" help:"index: embedded: (in the data directory) or qdrant://host:6334?tls=true&api_key=…&collection_prefix=…"`

	S3AccessKeyID     Secret `name:"s3_access_key_id" help:"access key for documents on S3; default: the AWS configuration (environment, profile or role)"`
	S3SecretAccessKey Secret `name:"s3_secret_access_key" help:"its secret"`

	UpstreamURL    string `name:"upstream_url" help:"OpenAI-compatible base URL, or builtin:extractive; default: https://api.openai.com/v1 when a key is set, else builtin:extractive"`
	UpstreamAPIKey Secret `name:"upstream_api_key" help:"key of the upstream; default: OPENAI_API_KEY if the URL is OpenAI's"`
	UpstreamModel  string `name:"upstream_model" help:"default model for assistants that name none"`

	UpstreamFirstTokenTimeout int `name:"upstream_first_token_timeout" default:"120" help:"seconds until the first token of a model server's stream; stored upstreams can set their own"`
	UpstreamIdleTimeout       int `name:"upstream_idle_timeout" default:"120" help:"seconds between two pieces of such a stream"`
	UpstreamTotalTimeout      int `name:"upstream_total_timeout" default:"600" help:"seconds for an answer that is not a stream"`

	EmbeddingURL        string `name:"embedding_url" default:"builtin:" help:"embedder: OpenAI-compatible base URL, or builtin:, whose weights footnote model import installs"`
	EmbeddingModel      string `name:"embedding_model" help:"model of the embedding server; of builtin:, multilingual adds a second model to the English one"`
	EmbeddingAPIKey     Secret `name:"embedding_api_key" help:"key of the embedding server; default: OPENAI_API_KEY if the URL is OpenAI's"`
	EmbeddingDimensions int    `name:"embedding_dimensions" default:"0" help:"numbers per vector, of models that let one choose; 0: the model's own"`

	AdminKey       Secret   `name:"admin_key" help:"key with every scope; default: created at first start and printed once"`
	PublicURL      string   `name:"public_url" help:"absolute base of links; default: the request's host if it is loopback or in allowed_hosts"`
	AllowedHosts   []string `name:"allowed_hosts" help:"hosts that links may be built from"`
	TrustedProxies []string `name:"trusted_proxies" help:"addresses or networks whose X-Forwarded-* counts"`
	CORSOrigins    []string `name:"cors_origins" help:"browser origins that may call the API"`
	SecretKey      Secret   `name:"secret_key" help:"signs links, encrypts stored upstream keys, marks the limits of passages in prompts; default: a 0600 file in the data directory"`

	Passthrough           bool `name:"passthrough" default:"false" help:"models that are no assistant go to the default upstream"`
	AllowPrivateUpstreams bool `name:"allow_private_upstreams" default:"true" help:"whether upstreams made through the API may be private addresses"`

	MaxBodyBytes       Size `name:"max_body_bytes" default:"32MiB" help:"largest chat request"`
	MaxUploadBytes     Size `name:"max_upload_bytes" default:"100MiB" help:"largest document"`
	PassageCacheBytes  Size `name:"passage_cache_bytes" default:"64MiB" help:"memory for passages that were found before, so that a question asked again reads no database; 0: none"`
	AuditRetentionDays int  `name:"audit_retention_days" default:"365" help:"days that the audit log is kept; 0: for ever"`

	LogLevel  string `name:"log_level" default:"info" help:"debug, info, warn or error"`
	LogFormat string `name:"log_format" help:"json or text; default: json, text on a terminal"`
	DebugAddr string `name:"debug_addr" help:"loopback address such as 127.0.0.1:6060 that serves profiles of the server (Go's pprof); default: none"`
}

// commandVariables are read by single commands: those that talk to a server, and copy.
var commandVariables = []string{"FOOTNOTE_URL", "FOOTNOTE_API_KEY", "FOOTNOTE_TO_DATABASE", "FOOTNOTE_TO_BLOB", "FOOTNOTE_TO_VECTOR", "FOOTNOTE_TO_DATA_DIR"}

const envPrefix = "FOOTNOTE_"

// A Problem is something wrong with the configuration, and what to do about it.
type Problem struct {
	Option  string
	Message string
}

func (p Problem) String() string { return p.Option + ": " + p.Message }

// Problems is the error of a configuration that cannot be used: all of them at once.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = "  " + p.String()
	}
	return "the configuration has problems:\n" + strings.Join(lines, "\n")
}

// Sources are where a configuration comes from; tests hand in their own.
type Sources struct {
	File    string            // "": footnote.yaml in the working directory if there is one
	Environ []string          // as os.Environ gives it
	Flags   map[string]string // option name → value, only those given
}

// LoadConfig reads the configuration: defaults, then the file, then the
// environment, then flags. Warnings are about unknown variables. The
// error is [Problems]: every problem, each with its remedy.
func LoadConfig(src Sources) (cfg Config, warnings []string, err error) {
	k := koanf.New("\x00") // no nesting: a key is a whole name
	var problems Problems
	problems = append(problems, loadFile(k, src.File)...)
	more, warnings := loadEnvironment(k, src.Environ)
	problems = append(problems, more...)
	for name, value := range src.Flags {
		problems = append(problems, setOption(k, name, value)...)
	}
	eachOption(&cfg, func(o option) {
		if err := o.set(k); err != nil {
			problems = append(problems, Problem{o.env(), err.Error()})
		}
	})
	cfg.fillDefaults(src.Environ)
	problems = append(problems, cfg.Validate()...)
	if len(problems) > 0 {
		return cfg, warnings, problems
	}
	return cfg, warnings, nil
}

func setOption(k *koanf.Koanf, name, value string) Problems {
	if err := k.Set(name, value); err != nil {
		return Problems{{name, err.Error()}}
	}
	return nil
}

func loadFile(k *koanf.Koanf, path string) Problems {
	given := path != ""
	if !given {
		path = "footnote.yaml"
	}
	if _, err := os.Stat(path); err != nil {
		if !given && errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return Problems{{path, "The file cannot be read; check --config and its permissions."}}
	}
	if err := k.Load(file.Provider(path), yaml.Parser()); err != nil {
		return Problems{{path, "The file is no valid YAML: " + err.Error()}}
	}
	var problems Problems
	known := optionNames()
	for _, key := range k.Keys() {
		if key = strings.Split(key, "\x00")[0]; !slices.Contains(known, key) {
			problems = append(problems, Problem{path, fmt.Sprintf("There is no option %q%s; remove it.", key, suggest(key, known))})
		}
	}
	return problems
}

// loadEnvironment reads FOOTNOTE_X, and FOOTNOTE_X_FILE for the content of a file.
func loadEnvironment(k *koanf.Koanf, environ []string) (problems Problems, warnings []string) {
	known := optionNames()
	fromFile := map[string]string{}
	provider := env.Provider("\x00", env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: func() []string { return environ },
		TransformFunc: func(key, value string) (string, any) {
			name := strings.ToLower(strings.TrimPrefix(key, envPrefix))
			base, isFile := strings.CutSuffix(name, "_file")
			switch {
			case value == "" && (slices.Contains(known, name) || isFile && slices.Contains(known, base)):
				// Compose files and orchestrators pass on variables that are not set, as empty ones.
			case slices.Contains(known, name):
				return name, value
			case isFile && slices.Contains(known, base):
				fromFile[base] = value
			case !slices.Contains(commandVariables, key) && !strings.HasPrefix(key, "FOOTNOTE_TEST_"):
				warnings = append(warnings, fmt.Sprintf("%s is no option of Footnote%s; it is ignored", key, suggestEnv(name, known)))
			}
			return "", nil
		},
	})
	if err := k.Load(provider, nil); err != nil {
		problems = append(problems, Problem{"environment", err.Error()})
	}
	for name, path := range fromFile {
		variable := envPrefix + strings.ToUpper(name)
		if slices.ContainsFunc(environ, func(e string) bool { return strings.HasPrefix(e, variable+"=") && len(e) > len(variable)+1 }) {
			problems = append(problems, Problem{variable, "Set either " + variable + " or " + variable + "_FILE, not both."})
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			problems = append(problems, Problem{variable + "_FILE", "The file it names cannot be read; check the path and its permissions."})
			continue
		}
		if strings.TrimSpace(string(content)) == "" {
			problems = append(problems, Problem{variable + "_FILE", "The file it names is empty; put the value into it."})
			continue
		}
		problems = append(problems, setOption(k, name, strings.TrimRight(string(content), "\r\n"))...)
	}
	slices.Sort(warnings)
	return problems, warnings
}

// fillDefaults sets defaults that depend on other options.
func (c *Config) fillDefaults(environ []string) {
	var openAI Secret
	for _, e := range environ {
		if v, ok := strings.CutPrefix(e, "OPENAI_API_KEY="); ok {
			openAI = Secret(v)
		}
	}
	// OpenAI's key is sent to no other server unless the configuration says so.
	if c.UpstreamAPIKey == "" && (c.UpstreamURL == "" || isOpenAI(c.UpstreamURL)) {
		c.UpstreamAPIKey = openAI
	}
	if c.EmbeddingAPIKey == "" && isOpenAI(c.EmbeddingURL) {
		c.EmbeddingAPIKey = openAI
	}
	if c.UpstreamURL == "" {
		c.UpstreamURL = "builtin:extractive"
		if c.UpstreamAPIKey != "" {
			c.UpstreamURL = "https://api.openai.com/v1"
		}
	}
}

// isOpenAI reports whether a base URL leads to OpenAI itself.
func isOpenAI(base string) bool {
	u, err := url.Parse(base)
	return err == nil && u.Scheme == "https" && u.Host == "api.openai.com"
}

// Validate returns every problem with the values; it changes nothing.
func (c *Config) Validate() Problems {
	var ps Problems
	report := func(option, format string, args ...any) {
		ps = append(ps, Problem{envPrefix + strings.ToUpper(option), fmt.Sprintf(format, args...)})
	}
	if !isListenAddress(c.Addr) {
		report("addr", "%q is no listen address; write it as host:port, for instance 127.0.0.1:8080.", c.Addr)
	}
	if c.DebugAddr != "" && !isLoopbackAddress(c.DebugAddr) {
		report("debug_addr", "Profiles have no key, so they are served on a loopback address only, such as 127.0.0.1:6060.")
	}
	if c.DataDir == "" {
		report("data_dir", "The data directory must be named.")
	}
	if f, ok := errors.AsType[*assistants.FieldError](db.CheckURL(c.DatabaseURL)); ok {
		report("database_url", "%s", f.Message)
	}
	c.validateDocuments(report)
	if c.VectorURL != "embedded:" {
		if _, err := qdrant.ParseURL(c.VectorURL); err != nil {
			report("vector_url", "%q is neither embedded: nor a Qdrant server: %s.", console.RedactURL(c.VectorURL), err)
		}
	}
	c.validateEmbedding(report)
	if c.UpstreamURL != "builtin:extractive" && !console.IsAbsoluteURL(c.UpstreamURL) {
		report("upstream_url", "%q is no base URL; write it as http(s)://host/v1, or builtin:extractive.", console.RedactURL(c.UpstreamURL))
	}
	c.validateTimeouts(report)
	if c.PublicURL != "" && !console.IsAbsoluteURL(c.PublicURL) {
		report("public_url", "%q is no absolute URL; write it as https://host.", console.RedactURL(c.PublicURL))
	}
	if c.AdminKey != "" && isWeak(c.AdminKey, 16) {
		report("admin_key", "An admin key has at least 16 characters, eight of them different; make one with: openssl rand -base64 24.")
	}
	if c.SecretKey != "" && isWeak(c.SecretKey, 32) {
		report("secret_key", "A secret key has at least 32 characters, eight of them different; make one with: openssl rand -base64 32.")
	}
	for _, p := range c.TrustedProxies {
		_, errAddr := netip.ParseAddr(p)
		_, errNet := netip.ParsePrefix(p)
		if errAddr != nil && errNet != nil {
			report("trusted_proxies", "%q is neither an address nor a network such as 10.0.0.0/8.", p)
		}
	}
	for _, o := range c.CORSOrigins {
		if u, err := url.Parse(o); o == "*" || err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || u.Path != "" {
			report("cors_origins", "%q is no origin; write it as https://app.example.com.", console.RedactURL(o))
		}
	}
	if c.MaxBodyBytes < 1024 || c.MaxBodyBytes > maxInFlightBytes {
		report("max_body_bytes", "The limit of a chat request must be between 1KiB and %s, the limit of all requests in flight together.", Size(maxInFlightBytes))
	}
	if c.MaxUploadBytes < 1024 {
		report("max_upload_bytes", "The limit of a document must be at least 1KiB.")
	}
	if c.PassageCacheBytes < 0 || c.PassageCacheBytes > maxPassageCacheBytes {
		report("passage_cache_bytes", "The memory for passages must be between 0 and %s.", Size(maxPassageCacheBytes))
	}
	if c.AuditRetentionDays < 0 || c.AuditRetentionDays > maxRetentionDays {
		report("audit_retention_days", "The audit log is kept for 1 to %d days, or with 0 for ever.", maxRetentionDays)
	}
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, c.LogLevel) {
		report("log_level", "%q is no level; use debug, info, warn or error.", c.LogLevel)
	}
	if !slices.Contains([]string{"", "json", "text"}, c.LogFormat) {
		report("log_format", "%q is no format; use json or text.", c.LogFormat)
	}
	return ps
}

// maxRetentionDays bounds how long the audit log is kept: a hundred years.
const maxRetentionDays = 36_500

// maxPassageCacheBytes bounds the memory for passages.
const maxPassageCacheBytes = 64 << 30

func (c *Config) validateTimeouts(report func(option, format string, args ...any)) {
	const most = int(assistants.MaxUpstreamTimeout / time.Second)
	check := func(option string, seconds int) {
		if seconds < 1 || seconds > most {
			report(option, "A model server is given between 1 and %d seconds.", most)
		}
	}
	check("upstream_first_token_timeout", c.UpstreamFirstTokenTimeout)
	check("upstream_idle_timeout", c.UpstreamIdleTimeout)
	check("upstream_total_timeout", c.UpstreamTotalTimeout)
}

func (c *Config) validateEmbedding(report func(option, format string, args ...any)) {
	switch {
	case c.EmbeddingURL == builtinEmbedder:
		if c.EmbeddingAPIKey != "" || c.EmbeddingDimensions != 0 {
			report("embedding_url", "The built-in embedder has no key and vectors of one length; name the server that the other embedding options are for, or leave them out.")
		}
		if c.EmbeddingModel != "" && c.EmbeddingModel != multilingualModel {
			report("embedding_model", "The built-in embedder has no model %q; leave it out for English, write %s for other languages, too, or name the server that has it in embedding_url.", c.EmbeddingModel, multilingualModel)
		}
		return
	case !console.IsAbsoluteURL(c.EmbeddingURL):
		report("embedding_url", "%q is no base URL; write it as http(s)://host/v1, or builtin:.", console.RedactURL(c.EmbeddingURL))
	}
	if c.EmbeddingModel == "" {
		report("embedding_model", "Name the model that the embedding server shall use, for instance text-embedding-3-small.")
	}
	if c.EmbeddingDimensions < 0 || c.EmbeddingDimensions > maxDimensions {
		report("embedding_dimensions", "A vector has between 1 and %d numbers; 0 leaves that to the model.", maxDimensions)
	}
}

// builtinEmbedder is the URL of the embedder in this process. multilingualModel is the
// model to name for languages other than English.
const (
	builtinEmbedder   = "builtin:"
	multilingualModel = "multilingual"
)

// maxInFlightBytes bounds all chat requests together.
const maxInFlightBytes = 256 << 20

// maxDimensions bounds embedding_dimensions.
const maxDimensions = 16384

// isWeak reports whether a secret can be guessed: it is short, or a placeholder such
// as zeros.
func isWeak(s Secret, least int) bool {
	different := map[rune]bool{}
	for _, r := range s {
		different[r] = true
	}
	return len(strings.TrimSpace(string(s))) < least || len(different) < 8
}

func isListenAddress(s string) bool {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// databaseIsFile reports whether the database is a file on this machine.
func (c *Config) databaseIsFile() bool { return strings.HasPrefix(c.DatabaseURL, "sqlite:") }

// databaseURL is the database's address with the data directory filled in.
func (c *Config) databaseURL() string {
	if c.DatabaseURL == "sqlite:" {
		return "sqlite:" + filepath.Join(c.DataDir, "footnote.db")
	}
	return c.DatabaseURL
}
