package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"footnote/assistants/ingestion/sandbox"
	"footnote/proxy/openapi/openapitest"
	"footnote/proxy/upstream/upstreamtest"
	"footnote/storage/db/mariadbtest"
	"footnote/storage/db/postgrestest"
)

// binary is the real program, built once for all tests of this package.
var binary string

func TestMain(m *testing.M) {
	if sandbox.IsChild() { // servers in this process read documents in processes of their own, too
		sandbox.RunChild()
		return
	}
	dir, err := os.MkdirTemp("", "footnote-test-")
	if err != nil {
		panic(err)
	}
	demoFolder = filepath.Join(dir, "demo")
	if err := findProgram(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := mariadbtest.Main{M: postgrestest.Main{M: m}}.Run()
	http.DefaultClient.CloseIdleConnections()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// findProgram takes the program that FOOTNOTE_TEST_PROGRAM names, or builds one
// into a folder.
func findProgram(dir string) error {
	if binary = os.Getenv("FOOTNOTE_TEST_PROGRAM"); binary != "" {
		_, err := os.Stat(binary) // also so that cached results of tests are not used for another program
		return err
	}
	binary = filepath.Join(dir, "footnote")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

const testAdminKey = "admin-key-of-the-tests"

// bareEnv is the environment of a machine without keys and network settings.
func bareEnv(extra ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir(), "FOOTNOTE_ADDR=127.0.0.1:0"}, extra...)
}

// A running server of the real program.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string
	stdout *lockedBuffer
	stderr *lockedBuffer
	exited chan struct{}
	err    error
}

// A remoteDocument is a document as the API shows it.
type remoteDocument struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	SourcePath string    `json:"source_path"`
	Status     string    `json:"status"`
	Searchable string    `json:"searchable"`
	SHA256     string    `json:"sha256"`
	Chunks     int       `json:"chunks"`
	Pages      int       `json:"pages"`
	Error      *apiError `json:"error"`
}

// An apiError is the error object of an answer.
type apiError struct {
	Message string `json:"message"`
	Code    string `json:"code"`
}

// lockedBuffer is a buffer that a process writes while a test reads.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// start runs `footnote serve` on a data directory and waits until it listens.
func start(t *testing.T, dataDir string, args []string, env ...string) *process {
	t.Helper()
	return launch(t, exec.Command(binary, append([]string{"serve", "--data-dir", dataDir}, args...)...), env...)
}

// launch is start with a command that ends up as the server.
func launch(t *testing.T, cmd *exec.Cmd, env ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, stdout: &lockedBuffer{}, stderr: &lockedBuffer{}, exited: make(chan struct{})}
	p.cmd.Env = bareEnv(append([]string{"FOOTNOTE_ADMIN_KEY=" + testAdminKey}, env...)...)
	p.cmd.Dir = cmp.Or(p.cmd.Dir, t.TempDir())
	p.cmd.Stdout = p.stdout
	pipe, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	listening := make(chan string, 1)
	go func() {
		sc := bufio.NewScanner(pipe)
		sc.Buffer(nil, 1<<20)
		for sc.Scan() {
			_, _ = p.stderr.Write(append(sc.Bytes(), '\n'))
			var line struct{ Msg, Addr string }
			if json.Unmarshal(sc.Bytes(), &line) == nil && line.Msg == "listening" {
				listening <- line.Addr
			}
		}
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(p.kill)
	select {
	case addr := <-listening:
		p.url = "http://" + addr
	case <-p.exited:
		t.Fatalf("the server ended: %v\n%s", p.err, p.stderr)
	case <-time.After(60 * time.Second):
		t.Fatalf("the server does not listen\n%s", p.stderr)
	}
	return p
}

// readAnswer reads an answer to its end. After an error frame the transfer must
// break, and only then may it.
func readAnswer(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(r)
	switch failed := bytes.Contains(body, []byte("data: {\"error\":")); {
	case !failed:
		return body, err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return body, nil
	default:
		return body, fmt.Errorf("the transfer ends with %v after an error frame", err)
	}
}

// kill ends the process as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	<-p.exited
}

// stop ends the process in order and returns its exit code.
func (p *process) stop(sig os.Signal) int {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
	select {
	case <-p.exited:
	case <-time.After(60 * time.Second):
		p.t.Fatal("the server does not stop")
	}
	return p.cmd.ProcessState.ExitCode()
}

// request sends a request with the admin key and decodes the JSON answer into out.
func (p *process) request(method, path, contentType string, body io.Reader, out any) int {
	p.t.Helper()
	req, err := http.NewRequest(method, p.url+path, body)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Authorization", "Bearer "+testAdminKey)
	client := http.Client{Transport: openapitest.Transport(p.t, http.DefaultTransport)}
	resp, err := client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	raw, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		p.t.Fatal(err)
	}
	if out != nil {
		if err := json.Unmarshal(raw, out); err != nil {
			p.t.Fatalf("%s %s: %d %v\n%s", method, path, resp.StatusCode, err, raw)
		}
	}
	return resp.StatusCode
}

func (p *process) json(method, path string, in, out any) int {
	p.t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.request(method, path, "application/json", bytes.NewReader(raw), out)
}

// modelServer is a scripted model server. The server asks each for its models once.
func modelServer(t testing.TB, scripts ...upstreamtest.Script) *upstreamtest.Server {
	t.Helper()
	return upstreamtest.New(t, scripts...).ListModels("m", "m2")
}

// eventually polls until ok, for things that another process does.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ticker := time.NewTicker(30 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(120 * time.Second)
	for !ok() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

// documents waits until all of an assistant's documents are settled.
func (p *process) documents(assistant string) (docs []remoteDocument) {
	p.t.Helper()
	eventually(p.t, "all documents settled", func() bool {
		var list struct{ Data []remoteDocument }
		if status := p.request("GET", "/v1.0/assistants/"+assistant+"/documents", "", nil, &list); status != 200 || len(list.Data) == 0 {
			return false
		}
		docs = list.Data
		for _, d := range docs {
			if d.Status != "ready" && d.Status != "failed" {
				return false
			}
		}
		return true
	})
	return docs
}

// run runs another command of the program to its end.
func run(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return runIn(t, dir, nil, args...)
}

// runIn is run with more in the environment.
func runIn(t *testing.T, dir string, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env, cmd.Dir = bareEnv(env...), dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// statusFor is the status of a GET with a key.
func (p *process) statusFor(key, path string) int {
	p.t.Helper()
	req, err := http.NewRequest("GET", p.url+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode
}

// printedKey is the admin key that a first start prints.
func (p *process) printedKey() (key string) {
	p.t.Helper()
	eventually(p.t, "the admin key is printed", func() bool {
		for _, word := range strings.Fields(p.stdout.String()) {
			if strings.HasPrefix(word, "fn-") {
				key = word
			}
		}
		return key != ""
	})
	return key
}

func TestTwoProcessesCannotShareADataDirectory(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, nil)
	_, stderr, code := run(t, dir, "keys", "list", "--data-dir", dir)
	if code != 1 || !strings.Contains(stderr, fmt.Sprintf("process %d", p.cmd.Process.Pid)) || !strings.Contains(stderr, "--url") {
		t.Errorf("%d %s", code, stderr)
	}
	for _, url := range []string{p.url, p.url + "/v1"} { // the base URL of the SDKs is understood, too
		stdout, stderr, code := run(t, dir, "keys", "list", "--url", url, "--key", testAdminKey)
		if code != 0 || !strings.Contains(stdout, "SCOPES") {
			t.Errorf("%d %s %s", code, stdout, stderr)
		}
	}
}

// A server remembers the keys and assistants of its database, so nobody else
// may change them under it.
func TestTwoProcessesCannotShareADatabase(t *testing.T) {
	database := "sqlite:" + filepath.Join(t.TempDir(), "shared.db")
	start(t, t.TempDir(), []string{"--database-url", database})
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "footnote.yaml"), []byte("data_dir: "+dir+"\ndatabase_url: "+database+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"serve"}, {"keys", "list"}, {"migrate", "status"}} {
		_, stderr, code := run(t, dir, args...)
		if code != 1 || !strings.Contains(stderr, "shared.db is in use by process") || !strings.Contains(stderr, "--url") {
			t.Errorf("%s: %d %s", args, code, stderr)
		}
	}
}

func TestTheDatabaseOfADataDirectoryIsNobodyElses(t *testing.T) {
	t.Parallel()
	mine, other := t.TempDir(), t.TempDir()
	url := "sqlite:" + filepath.Join(mine, "footnote.db")
	p := start(t, mine, []string{"--demo"})
	p.documents("handbook")
	elsewhere := []string{"serve", "--data-dir", other, "--database-url", url}
	if _, stderr, code := run(t, other, elsewhere...); code != 1 || !strings.Contains(stderr, "is in use by process") {
		t.Errorf("beside the server: %d %s", code, stderr)
	}
	p.stop(os.Interrupt)
	if _, stderr, code := run(t, other, elsewhere...); code != 1 || !strings.Contains(stderr, "files are in another data directory") {
		t.Errorf("with documents that are not there: %d %s", code, stderr)
	}
	// The other way round: first by its name, then as one's own.
	mine, other = t.TempDir(), t.TempDir()
	start(t, other, []string{"--database-url", "sqlite:" + filepath.Join(mine, "footnote.db")})
	if _, stderr, code := run(t, mine, "serve", "--data-dir", mine); code != 1 || !strings.Contains(stderr, "is in use by process") {
		t.Errorf("in the folder of a database that is in use: %d %s", code, stderr)
	}
}

func TestACommandThatDoesNotExistIsAnError(t *testing.T) {
	for _, args := range [][]string{{"keys", "crate"}, {"migrate", "upp"}, {"serv"}} {
		if _, stderr, code := run(t, t.TempDir(), args...); code != 1 || !strings.Contains(stderr, "unknown command") {
			t.Errorf("%v: %d %s", args, code, stderr)
		}
	}
	if stdout, _, code := run(t, t.TempDir(), "keys"); code != 0 || !strings.Contains(stdout, "revoke") {
		t.Errorf("keys alone: %d %s", code, stdout)
	}
}

func TestADatabaseThatDoesNotKnowTheDocumentsIsRefused(t *testing.T) {
	dir := t.TempDir()
	start(t, dir, nil).stop(os.Interrupt)
	if err := os.Remove(filepath.Join(dir, "footnote.db")); err != nil {
		t.Fatal(err)
	}
	_, stderr, code := run(t, dir, "serve", "--data-dir", dir)
	if code != 1 || !strings.Contains(stderr, "not the one that knows the documents") {
		t.Errorf("%d %s", code, stderr)
	}
}

func TestSIGTERMDrainsAndExitsCleanly(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil)
	eventually(t, "readyz says ready", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "readyz says draining", func() bool {
		var answer struct{ Error apiError }
		return p.request("GET", "/readyz", "", nil, &answer) == 503 && answer.Error.Code == "draining"
	})
	if code := p.stop(syscall.SIGTERM); code != 0 {
		t.Errorf("exit status %d\n%s", code, p.stderr)
	}
}

func TestCheckConfigTellsEverything(t *testing.T) {
	dir := t.TempDir()
	stdout, stderr, code := run(t, dir, "check-config", "--upstream-api-key", "sk-very-secret", "--log-level", "loud", "--addr", "x", "--public-url", "https://u:very-secret@h/?key=very-secret")
	if code != 1 || !strings.Contains(stdout, "FOOTNOTE_UPSTREAM_API_KEY=***") || strings.Contains(stdout+stderr, "very-secret") ||
		strings.Count(stderr, "problem:") != 2 {
		t.Errorf("%d\n%s\n%s", code, stdout, stderr)
	}
	if _, stderr, code := run(t, dir, "check-config"); code != 0 {
		t.Error(code, stderr)
	}
	if _, stderr, code := run(t, dir, "serve", "--no-such-flag"); code != 1 || !strings.Contains(stderr, "no-such-flag") {
		t.Error(code, stderr)
	}
}

func TestMigrateAndVersion(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if stdout, stderr, code := run(t, dir, "migrate", "status", "--data-dir", data); code != 0 || !strings.Contains(stdout, "pending") {
		t.Error(code, stdout, stderr)
	}
	if stdout, stderr, code := run(t, dir, "migrate", "up", "--data-dir", data); code != 0 || !strings.Contains(stdout, "applied") {
		t.Error(code, stdout, stderr)
	}
	if stdout, _, _ := run(t, dir, "migrate", "up", "--data-dir", data); !strings.Contains(stdout, "up to date") {
		t.Error(stdout)
	}
	for _, word := range []string{"version", "--version"} {
		if stdout, _, code := run(t, dir, word); code != 0 || !strings.HasPrefix(stdout, "footnote ") {
			t.Error(word, code, stdout)
		}
	}
}

func TestACommandThatOnlyReadsMakesNoDataDirectory(t *testing.T) {
	for _, args := range [][]string{{"ask", "--assistant", "handbook", "Why?"}, {"keys", "list"}, {"keys", "revoke", "key_1"}} {
		dir := t.TempDir()
		_, stderr, code := run(t, dir, args...)
		if code != 1 || !strings.Contains(stderr, "there is no data directory ") || !strings.Contains(stderr, "--url") {
			t.Errorf("%s: %d %s", args, code, stderr)
		}
		if made, err := os.ReadDir(dir); err != nil || len(made) > 0 {
			t.Errorf("%s made %v, %v", args, made, err)
		}
	}
}

func TestAFailedQuestionIsOneSentence(t *testing.T) {
	dir := t.TempDir()
	start(t, dir, nil).stop(os.Interrupt)
	_, stderr, code := run(t, dir, "ask", "--data-dir", dir, "--assistant", "nobody", "Why?")
	if code != 1 || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "SQL") {
		t.Errorf("%d %q", code, stderr)
	}
}
