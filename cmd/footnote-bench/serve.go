package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A server is the real program, `footnote serve`, with a data directory of its own.
type server struct {
	program string
	dir     string   // of its own, with the data directory in it
	env     []string // how it is set up
	addr    string
	cmd     *exec.Cmd
	exited  chan struct{}
	err     error // of the process, once it has exited

	mu       sync.Mutex
	warnings []string // the newest warnings and errors of its log
	profiles string   // where it serves profiles; "": it does not
}

const benchAdminKey = "fn-admin-key-of-the-benchmark-0123456789"

// newServer makes the directory of a server that is set up with env, and starts nothing.
func newServer(program string, env ...string) (*server, error) {
	program, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "footnote-bench-serve-")
	if err != nil {
		return nil, err
	}
	s := &server{program: program, dir: dir, exited: make(chan struct{})}
	close(s.exited)
	// The user's configuration file and environment must not change the figures.
	s.env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "FOOTNOTE_ADDR=127.0.0.1:0", "FOOTNOTE_ADMIN_KEY=" + benchAdminKey}, env...)
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "TMPDIR"} {
		if value, ok := os.LookupEnv(name); ok {
			s.env = append(s.env, name+"="+value)
		}
	}
	return s, nil
}

func (s *server) data() string { return filepath.Join(s.dir, "data") }

// start starts the program and waits until it answers in full.
func (s *server) start(ctx context.Context) error {
	s.cmd = exec.CommandContext(ctx, s.program, "serve", "--data-dir", s.data())
	s.cmd.Dir, s.cmd.Env = s.dir, s.env
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(os.Interrupt) } // it ends in order then, too
	log, err := s.cmd.StderrPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return err
	}
	addr := make(chan string, 1)
	s.exited = make(chan struct{})
	go s.readLog(log, addr)
	select {
	case s.addr = <-addr:
		err = s.waitReady(ctx)
	case <-s.exited:
		err = fmt.Errorf("it ended: %w", s.err)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s serve: %w\n%s", s.program, err, strings.Join(s.recentWarnings(), "\n")), s.halt())
	}
	return nil
}

// waitReady waits until the server is ready.
func (s *server) waitReady(ctx context.Context) error {
	for s.send(ctx, http.MethodGet, "/readyz", nil, &struct{}{}) != nil {
		if err := pause(ctx, 5*time.Millisecond); err != nil {
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

// readLog reads the server's log to its end, so that the server never waits for it.
func (s *server) readLog(log io.Reader, addr chan<- string) {
	lines := bufio.NewReaderSize(log, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if bytes.Contains(line, []byte(`"level":"INFO","msg":"request"`)) || bytes.Contains(line, []byte("upstream_stream_interrupted")) {
			continue // ordinary requests, and streams that the upstream of a soak interrupts on purpose
		}
		var entry struct{ Level, Msg, Addr, URL string }
		switch {
		case json.Unmarshal(line, &entry) != nil, entry.Level == "WARN", entry.Level == "ERROR":
			s.mu.Lock()
			s.warnings = append(s.warnings, fmt.Sprintf("%.300s", bytes.TrimSpace(line)))
			s.warnings = s.warnings[max(0, len(s.warnings)-5):]
			s.mu.Unlock()
		case entry.Msg == "serving profiles":
			s.mu.Lock()
			s.profiles = entry.URL
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

func (s *server) profilesURL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.profiles
}

func (s *server) recentWarnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.warnings)
}

// halt stops the program as Ctrl-C does, without the delay for load balancers.
func (s *server) halt() error {
	select {
	case <-s.exited:
		return nil
	default:
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-s.exited
	return s.err
}

// stop ends the server and removes what it stored.
func (s *server) stop() error {
	return errors.Join(s.halt(), os.RemoveAll(s.dir))
}

// send sends a request to the server with the administrator's key.
func (s *server) send(ctx context.Context, method, path string, body, result any, header ...string) error {
	var raw []byte
	if body != nil {
		raw = mustJSON(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.addr+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+benchAdminKey)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	raw, err = io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, raw)
	}
	return json.Unmarshal(raw, result)
}

// command runs a command of the program.
func (s *server) command(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, s.program, args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("footnote %s: %w: %s", args[0], err, stderr.String())
	}
	return nil
}

// ingest brings files into an assistant, which is made if it does not exist.
func (s *server) ingest(ctx context.Context, assistant string, paths ...string) error {
	return s.command(ctx, append([]string{"ingest", "--url", "http://" + s.addr, "--key", benchAdminKey, "--assistant", assistant, "--create"}, paths...)...)
}

// documentCounts counts an assistant's documents.
type documentCounts struct {
	all    int
	full   int // documents that have vectors
	chunks int
}

// waitForDocuments waits until the server has processed an assistant's documents.
func (s *server) waitForDocuments(ctx context.Context, assistant string) (documentCounts, error) {
	for {
		var list struct {
			Data []struct {
				Name, Status, Searchable string
				Chunks                   int
				Error                    *struct{ Message string }
			}
		}
		if err := s.send(ctx, http.MethodGet, "/v1.0/assistants/"+url.PathEscape(assistant)+"/documents?limit=1000", nil, &list); err != nil {
			return documentCounts{}, err
		}
		counts, working := documentCounts{all: len(list.Data)}, false
		for _, d := range list.Data {
			counts.chunks += d.Chunks
			switch {
			case d.Error != nil:
				return documentCounts{}, fmt.Errorf("%s: %s", d.Name, d.Error.Message)
			case d.Status != "ready":
				working = true
			case d.Searchable == "full":
				counts.full++
			}
		}
		if !working {
			return counts, nil
		}
		if err := pause(ctx, waitPause); err != nil {
			return documentCounts{}, err
		}
	}
}

// waitPause is the pause between two looks at documents that are being read.
const waitPause = 500 * time.Millisecond

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
