package main

import (
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"

	"footnote/assistants/embedding"
	"footnote/storage/db/postgrestest"
)

// imageSets are the options that the image has values for, which compose.yaml leaves alone.
var imageSets = []string{"FOOTNOTE_ADDR", "FOOTNOTE_DATA_DIR"}

// loadCompose reads compose.yaml as docker compose does, which compares it with
// the schema, with variables as a file .env sets them.
func loadCompose(t *testing.T, env types.Mapping) (footnote, postgres types.ServiceConfig) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	project, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: root, ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(root, "compose.yaml")}}, Environment: env,
	}, func(o *loader.Options) { o.SetProjectName("footnote", true) })
	if err != nil {
		t.Fatal(err)
	}
	return project.Services["footnote"], project.Services["postgres"]
}

// dockerfile is the Dockerfile's instructions: the last of a kind, in one line.
func dockerfile(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	instructions := map[string]string{}
	for line := range strings.Lines(strings.ReplaceAll(string(raw), "\\\n", " ")) {
		name, rest, _ := strings.Cut(line, " ")
		instructions[name] = strings.Join(strings.Fields(rest), " ")
	}
	return instructions
}

// imageEnvironment is what the image sets and, over it, the service.
func imageEnvironment(t *testing.T, service types.ServiceConfig) map[string]string {
	t.Helper()
	env := map[string]string{}
	for pair := range strings.FieldsSeq(dockerfile(t)["ENV"]) {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	for name, value := range service.Environment {
		env[name] = *value
	}
	return env
}

func TestComposePassesEveryOptionOn(t *testing.T) {
	t.Parallel()
	service, _ := loadCompose(t, nil)
	image := dockerfile(t)
	known := []string{"OPENAI_API_KEY"}
	eachOption(&Config{}, func(o option) {
		known = append(known, o.env())
		inImage := slices.Contains(imageSets, o.env())
		if _, ok := service.Environment[o.env()]; ok == inImage {
			t.Errorf("compose.yaml passes %s on: %v", o.env(), ok)
		}
		if strings.Contains(image["ENV"], o.env()+"=") != inImage {
			t.Errorf("the image sets %s: %v", o.env(), !inImage)
		}
		if !isListed(t, o.env()) {
			t.Errorf("README.md of this folder has no row about %s", o.env())
		}
		if o.env() == "FOOTNOTE_DATABASE_URL" {
			return
		}
		given, _ := loadCompose(t, types.Mapping{o.env(): "given"})
		if value, ok := given.Environment[o.env()]; ok && *value != "given" {
			t.Errorf("%s=%s of the file .env becomes %q", o.env(), "given", *value)
		}
	})
	for name := range service.Environment {
		if !slices.Contains(known, name) && !strings.HasPrefix(name, "OTEL_") { // OpenTelemetry's own
			t.Errorf("there is no option %s", name)
		}
	}
}

// isListed reports whether the operators' page has a table row about a variable.
func isListed(t *testing.T, variable string) bool {
	t.Helper()
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if cells := strings.Split(line, "|"); len(cells) > 2 && strings.Contains(cells[1], "`"+variable+"`") {
			return true
		}
	}
	return false
}

// TestComposeSendsOpenAIsKeyToOpenAIAlone proves that another server, such as
// Ollama on the host, does not get it.
func TestComposeSendsOpenAIsKeyToOpenAIAlone(t *testing.T) {
	t.Parallel()
	service, _ := loadCompose(t, types.Mapping{"OPENAI_API_KEY": "sk-openai", "FOOTNOTE_UPSTREAM_URL": "http://host.docker.internal:11434/v1"})
	for upstream, key := range map[string]Secret{"http://host.docker.internal:11434/v1": "", "": "sk-openai"} {
		env := imageEnvironment(t, service)
		env["FOOTNOTE_UPSTREAM_URL"] = upstream
		var environ []string
		for name, value := range env {
			environ = append(environ, name+"="+value)
		}
		cfg, warnings, err := LoadConfig(Sources{Environ: environ})
		if err != nil || len(warnings) > 0 || cfg.UpstreamAPIKey != key {
			t.Errorf("%q gets the key %q: %v %v", upstream, string(cfg.UpstreamAPIKey), warnings, err)
		}
	}
	if hosts := service.ExtraHosts["host.docker.internal"]; !slices.Equal(hosts, []string{"host-gateway"}) {
		t.Errorf("the host is reached by %v", service.ExtraHosts)
	}
}

// TestTheComposeFileStartsTheProgram starts what compose.yaml and the image
// describe without Docker: with their environment, as their user and as any
// other, with nothing to write to but the volume and the folder of temporary
// files, with the weights beside the program, and with their health check.
func TestTheComposeFileStartsTheProgram(t *testing.T) {
	for name, env := range map[string]types.Mapping{"its own user": nil, "any user": {"RUN_AS": "1000770000:0"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, postgres := loadCompose(t, env)
			checkContainer(t, service)
			image := unpackedImage(t)
			data := filepath.Join(reachableFolder(t), "data")
			if err := errors.Join(os.Mkdir(data, 0o700), os.Chmod(data, 0o777|os.ModeSticky)); err != nil { // as the Dockerfile makes it
				t.Fatal(err)
			}
			environment := imageEnvironment(t, service)
			if want := postgresURL(postgres); environment["FOOTNOTE_DATABASE_URL"] != want {
				t.Errorf("the database's address is %s, its service makes %s", environment["FOOTNOTE_DATABASE_URL"], want)
			}
			environment["FOOTNOTE_DATABASE_URL"] = postgrestest.URL(t)
			environment["FOOTNOTE_DATA_DIR"] = data
			environment["FOOTNOTE_ADDR"] = replacePort(t, environment["FOOTNOTE_ADDR"], "0")
			environment["FOOTNOTE_ADMIN_KEY"] = testAdminKey
			cmd := exec.Command(image("/footnote"), "serve")
			cmd.SysProcAttr, cmd.Dir = asUser(t, service.User), "/"
			p := launch(t, cmd, pairs(environment)...)
			at, err := url.Parse(p.url)
			if err != nil {
				t.Fatal(err)
			}
			environment["FOOTNOTE_ADDR"] = replacePort(t, environment["FOOTNOTE_ADDR"], at.Port())
			eventually(t, "it is healthy", func() bool {
				check := exec.Command(image(service.HealthCheck.Test[1]), service.HealthCheck.Test[2:]...)
				check.SysProcAttr, check.Env, check.Dir = asUser(t, service.User), bareEnv(pairs(environment)...), "/"
				return check.Run() == nil
			})
			var status struct{ Embedder struct{ State string } }
			if code := p.request("GET", "/v1.0/status", "", nil, &status); code != 200 || status.Embedder.State != "ready" {
				t.Errorf("%d, the weights beside the program are not used: %+v\n%s", code, status, p.stderr)
			}
			if code := p.stop(syscall.SIGINT); code != 0 {
				t.Errorf("exit status %d\n%s", code, p.stderr)
			}
		})
	}
}

// checkContainer compares the service with the image and with what this test assumes of both.
func checkContainer(t *testing.T, service types.ServiceConfig) {
	t.Helper()
	image := dockerfile(t)
	if service.HealthCheck == nil || len(service.HealthCheck.Test) < 3 || service.HealthCheck.Test[0] != "CMD" {
		t.Fatalf("the health check is %+v", service.HealthCheck)
	}
	if _, command, _ := strings.Cut(image["HEALTHCHECK"], " CMD "); command != `["`+strings.Join(service.HealthCheck.Test[1:], `", "`)+`"]` {
		t.Errorf("the image's health check is %s, the service's %v", command, service.HealthCheck.Test)
	}
	if image["ENTRYPOINT"] != `["/footnote"]` || image["CMD"] != `["serve"]` || len(service.Entrypoint)+len(service.Command) > 0 {
		t.Errorf("%s %s, %v %v", image["ENTRYPOINT"], image["CMD"], service.Entrypoint, service.Command)
	}
	if !service.ReadOnly || !slices.Equal(service.Tmpfs, types.StringList{"/tmp"}) || len(service.Volumes) != 1 || service.Volumes[0].Target != image["VOLUME"] {
		t.Errorf("read-only: %v, in memory: %v, volumes: %+v", service.ReadOnly, service.Tmpfs, service.Volumes)
	}
	if len(service.Ports) != 1 || strconv.Itoa(int(service.Ports[0].Target)) != image["EXPOSE"] || service.Ports[0].HostIP != "127.0.0.1" {
		t.Errorf("ports: %+v, the image has %s", service.Ports, image["EXPOSE"])
	}
}

// unpackedImage is a folder with what the image holds, where a user other than
// this test's writes nothing. It returns where a file of the image is.
func unpackedImage(t *testing.T) (at func(string) string) {
	t.Helper()
	root := reachableFolder(t)
	if err := os.Mkdir(filepath.Join(root, "models"), 0o700); err != nil {
		t.Fatal(err)
	}
	copyAs(t, binary, filepath.Join(root, "footnote"), 0o555)
	copyAs(t, packedModel(t), filepath.Join(root, "models", embedding.FileName), 0o444)
	for _, dir := range []string{filepath.Join(root, "models"), root} {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) }) // so that it can be deleted
	}
	return func(name string) string { return filepath.Join(root, name) }
}

// reachableFolder is a temporary folder that other users can enter, whatever umask
// other tests have set.
func reachableFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func copyAs(t *testing.T, from, to string, mode os.FileMode) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close(), in.Close(), os.Chmod(to, mode)); err != nil {
		t.Fatal(err)
	}
}

// asUser runs a command as a service's user. Only root can; other users run it as themselves.
func asUser(t *testing.T, user string) *syscall.SysProcAttr {
	t.Helper()
	uid, gid, _ := strings.Cut(user, ":")
	u, errU := strconv.ParseUint(uid, 10, 32)
	g, errG := strconv.ParseUint(gid, 10, 32)
	if err := errors.Join(errU, errG); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(u), Gid: uint32(g)}}
}

func postgresURL(service types.ServiceConfig) string {
	env := service.Environment
	return "postgres://" + *env["POSTGRES_USER"] + ":" + *env["POSTGRES_PASSWORD"] + "@postgres:5432/" + *env["POSTGRES_DB"] + "?sslmode=disable"
}

func replacePort(t *testing.T, address, port string) string {
	t.Helper()
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort(host, port)
}

func pairs(env map[string]string) (list []string) {
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	return list
}

// TestTheImageHasGitsVersion proves that a plain docker build can ask git: its
// context has .git and every file that git tracks, else the version would be
// "dev" or "dirty", and the Dockerfile builds with the Makefile, which asks.
func TestTheImageHasGitsVersion(t *testing.T) {
	t.Parallel()
	recipe, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(recipe), "make build ${VERSION:+VERSION=") {
		t.Error("the Dockerfile does not build with the Makefile")
	}
	ignored, err := os.ReadFile("../../.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	for pattern := range strings.Lines(string(ignored)) {
		if pattern = strings.TrimSpace(pattern); pattern == "" || strings.HasPrefix(pattern, "#") {
			continue
		}
		if pattern == ".git" {
			t.Error("the context has no .git")
		}
		if tracked := output(t, "git", "ls-files", "--", ":(glob)"+pattern, ":(glob)"+pattern+"/**"); tracked != "" {
			t.Errorf("%s keeps away what git tracks:\n%s", pattern, tracked)
		}
	}
	version := output(t, "git", "describe", "--tags", "--always", "--dirty")
	for want, args := range map[string][]string{version: nil, "v9": {"VERSION=v9"}} {
		if command := output(t, "make", append([]string{"-n", "build"}, args...)...); !strings.Contains(command, "main.version="+want+`"`) {
			t.Errorf("%v: %s, want the version %s", args, command, want)
		}
	}
}

// output is what a command prints that runs in the repository's root.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}
