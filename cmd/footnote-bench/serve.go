package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A server is the real program, `footnote serve`, with a data directory of its
// own and an assistant whose document answers the question of the conversations.
type server struct {
	addr   string
	key    string // for chats
	cmd    *exec.Cmd
	dir    string
	exited chan struct{}
	err    error // of the process, once it has exited

	mu    sync.Mutex
	heard []string // the newest warnings and errors of its log
}

const benchAdminKey = "admin-key-of-the-benchmark"

// startServer furnishes a data directory and starts the program on it: once to
// take in the document and once more, so that what that cost is not counted.
func startServer(ctx context.Context, program, upstream string) (*server, error) {
	dir, err := os.MkdirTemp("", "footnote-bench-serve-")
	if err != nil {
		return nil, err
	}
	first, err := launch(ctx, program, dir, upstream)
	if err == nil {
		err = errors.Join(first.furnish(ctx), first.interrupt())
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s, err := launch(ctx, program, dir, upstream)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.key = first.key
	return s, nil
}

// launch starts the program on a directory and waits until it answers in full.
func launch(ctx context.Context, program, dir, upstream string) (*server, error) {
	s := &server{dir: dir, exited: make(chan struct{})}
	s.cmd = exec.CommandContext(ctx, program, "serve", "--data-dir", filepath.Join(dir, "data"))
	s.cmd.Dir = dir // no configuration file of somebody's
	s.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "FOOTNOTE_ADDR=127.0.0.1:0", "FOOTNOTE_ADMIN_KEY=" + benchAdminKey,
		"FOOTNOTE_UPSTREAM_URL=http://" + upstream + "/v1", "FOOTNOTE_UPSTREAM_API_KEY=sk-of-the-benchmark", "FOOTNOTE_UPSTREAM_MODEL=gpt-4o-mini",
	}
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} { // the rest of the environment is not the server's business
		if value, ok := os.LookupEnv(name); ok {
			s.cmd.Env = append(s.cmd.Env, name+"="+value)
		}
	}
	log, err := s.cmd.StderrPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	addr := make(chan string, 1)
	go s.listen(log, addr)
	select {
	case s.addr = <-addr:
		err = s.ready(ctx)
	case <-s.exited:
		err = fmt.Errorf("it ended: %w", s.err)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s serve: %w\n%s", program, err, strings.Join(s.complaints(), "\n")), s.interrupt())
	}
	return s, nil
}

// ready waits until the server says that it is.
func (s *server) ready(ctx context.Context) error {
	for s.call(ctx, "/readyz", "", nil, &struct{}{}) != nil {
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
		select {
		case <-s.exited:
			return fmt.Errorf("it ended: %w", s.err)
		default:
		}
	}
	return nil
}

// listen reads the server's log to its end, so that it is never held up by it.
func (s *server) listen(log io.Reader, addr chan<- string) {
	lines := bufio.NewReaderSize(log, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if bytes.Contains(line, []byte(`"level":"INFO","msg":"request"`)) || bytes.Contains(line, []byte("upstream_stream_interrupted")) {
			continue // as most are, or what a soak's upstream does on purpose
		}
		var entry struct{ Level, Msg, Addr string }
		switch {
		case json.Unmarshal(line, &entry) != nil, entry.Level == "WARN", entry.Level == "ERROR":
			s.mu.Lock()
			s.heard = append(s.heard, fmt.Sprintf("%.300s", bytes.TrimSpace(line)))
			s.heard = s.heard[max(0, len(s.heard)-5):]
			s.mu.Unlock()
		case entry.Msg == "listening":
			addr <- entry.Addr
		}
		if err != nil {
			s.err = s.cmd.Wait()
			close(s.exited)
			return
		}
	}
}

func (s *server) complaints() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.heard)
}

// interrupt ends the server at once: there is no balancer that has to be told first.
func (s *server) interrupt() error {
	select {
	case <-s.exited:
		return nil
	default:
	}
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	<-s.exited
	return s.err
}

// stop ends the server and removes what it stored.
func (s *server) stop() error {
	return errors.Join(s.interrupt(), os.RemoveAll(s.dir))
}

// furnish makes an assistant with a document, and a key that may use it.
func (s *server) furnish(ctx context.Context) error {
	var made struct{ ID, Key string }
	if err := s.call(ctx, "/v1.0/assistants", "application/json", mustJSON(map[string]any{
		"name": "Bench", "slug": modelName, "settings": map[string]any{"enable_rag": true, "enable_citations": true},
	}), &made); err != nil {
		return err
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "manual-1.pdf.md")
	if err != nil {
		return err
	}
	if _, err := io.WriteString(part, manual()); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	var doc struct{ ID string }
	if err := s.call(ctx, "/v1.0/assistants/"+modelName+"/documents", w.FormDataContentType(), form.Bytes(), &doc); err != nil {
		return err
	}
	if err := s.searchable(ctx, doc.ID); err != nil {
		return err
	}
	err = s.call(ctx, "/v1.0/keys", "application/json", mustJSON(map[string]any{"name": "bench", "scopes": []string{"chat"}, "assistants": []string{made.ID}}), &made)
	s.key = made.Key
	return err
}

// searchable waits until a document answers questions.
func (s *server) searchable(ctx context.Context, id string) error {
	for {
		var doc struct{ Status string }
		err := s.call(ctx, "/v1.0/documents/"+id, "", nil, &doc)
		switch {
		case err != nil || doc.Status == "ready":
			return err
		case doc.Status == "failed":
			return errors.New("the document could not be read")
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// call asks the control API: POST with a body, GET without.
func (s *server) call(ctx context.Context, path, contentType string, body []byte, result any) error {
	method := http.MethodPost
	if body == nil {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.addr+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Close = true // a connection that stays open would be counted
	req.Header.Set("Authorization", "Bearer "+benchAdminKey)
	req.Header.Set("Content-Type", contentType)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, raw)
	}
	return json.Unmarshal(raw, result)
}

// manual is a document of many passages, each with words of the question.
func manual() string {
	var text strings.Builder
	text.WriteString("# Manual\n")
	for i := range 120 {
		fmt.Fprintf(&text, "\n## Section %d\n\nModel %d has a pump and a sensor of its own. ", i+1, 1000+37*i)
		for j := range 5 {
			text.WriteString(sentences[(i*(j+1)+j)%len(sentences)])
			fmt.Fprintf(&text, " This is rule %d of chapter %d. ", 100*i+j, i)
		}
		text.WriteString("\n")
	}
	return text.String()
}

// startServe starts the program as a contender.
func startServe(ctx context.Context, s site) (*running, error) {
	if _, err := os.Stat(s.footnote); err != nil {
		return nil, errNotInstalled
	}
	program, err := filepath.Abs(s.footnote)
	if err != nil {
		return nil, err
	}
	server, err := startServer(ctx, program, s.upstream)
	if err != nil {
		return nil, err
	}
	return &running{addr: server.addr, key: server.key, pid: server.cmd.Process.Pid, stop: server.stop}, nil
}
