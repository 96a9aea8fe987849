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
	"strings"
	"time"

	"footnote/assistants/evaluation"
)

// An evalServer is the real program, serving a data directory of its own.
type evalServer struct {
	program string
	dir     string
	url     string
	key     string
	env     []string // what it is set up with besides
	cmd     *exec.Cmd
	log     *os.File
	// Of all documents, full are found by meaning, too; see settled.
	full, all int
}

// evalKey is the admin key of the server under test, which nobody else reaches.
const evalKey = "fn-of-the-evaluation-0123456789"

// startEvalServer starts the program, with the embedder's weights if there are
// any, or set up with env.
func startEvalServer(ctx context.Context, program, model string, env ...string) (_ *evalServer, err error) {
	if program, err = filepath.Abs(program); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "footnote-eval-")
	if err != nil {
		return nil, err
	}
	s := &evalServer{program: program, dir: dir, key: evalKey, env: env}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	if model != "" {
		if _, err := s.call(ctx, "model", "import", "--data-dir", s.data(), model); err != nil {
			return nil, err
		}
	}
	return s, s.serve(ctx)
}

// serve starts the server over what is in its data directory.
func (s *evalServer) serve(ctx context.Context) (err error) {
	if s.log, err = os.Create(filepath.Join(s.dir, "log")); err != nil {
		return err
	}
	s.cmd = exec.Command(s.program, "serve", "--data-dir", s.data(), "--addr", "127.0.0.1:0") //nolint:noctx // halt ends it in order
	s.cmd.Env = s.environ()
	s.cmd.Dir = s.dir
	s.cmd.Stderr = s.log
	if err := s.cmd.Start(); err != nil {
		s.cmd = nil
		return err
	}
	s.url, err = s.address(ctx)
	return err
}

func (s *evalServer) data() string { return filepath.Join(s.dir, "data") }

// environ is that of this process without Footnote's own options.
func (s *evalServer) environ() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "FOOTNOTE_") && !strings.HasPrefix(e, "OPENAI_") {
			env = append(env, e)
		}
	}
	return append(append(env, "FOOTNOTE_ADMIN_KEY="+s.key, "FOOTNOTE_LOG_FORMAT=json"), s.env...)
}

// address waits for the line of the log that says where the server listens.
func (s *evalServer) address(ctx context.Context) (string, error) {
	for range 6000 {
		raw, err := os.ReadFile(s.log.Name())
		if err != nil {
			return "", err
		}
		lines := bufio.NewScanner(bytes.NewReader(raw))
		for lines.Scan() {
			var line struct{ Msg, Addr string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
				return "http://" + line.Addr, nil
			}
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return "", err
		}
	}
	raw, _ := os.ReadFile(s.log.Name())
	return "", fmt.Errorf("the server does not listen: %s", raw)
}

// halt ends the server, as if a user pressed Ctrl-C.
func (s *evalServer) halt() error {
	var errs []error
	if s.cmd != nil {
		errs = append(errs, s.cmd.Process.Signal(os.Interrupt))
		_ = s.cmd.Wait() // that it was interrupted
	}
	if s.log != nil {
		errs = append(errs, s.log.Close())
	}
	s.cmd, s.log = nil, nil
	return errors.Join(errs...)
}

// stop ends the server and removes all it stored.
func (s *evalServer) stop() error { return errors.Join(s.halt(), os.RemoveAll(s.dir)) }

// call runs a command of the program and returns its output.
func (s *evalServer) call(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.program, args...)
	cmd.Env, cmd.Dir = s.environ(), s.dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("footnote %s: %w: %s", args[0], err, errs.String())
	}
	return out.Bytes(), nil
}

// ingest brings files into an assistant, which is made.
func (s *evalServer) ingest(ctx context.Context, assistant string, paths ...string) error {
	args := append([]string{"ingest", "--url", s.url, "--key", s.key, "--assistant", assistant, "--create"}, paths...)
	_, err := s.call(ctx, args...)
	return err
}

// get reads JSON from the control API.
func (s *evalServer) get(ctx context.Context, path string, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", path, resp.Status, raw)
	}
	return json.Unmarshal(raw, out)
}

// settled waits until an assistant's documents are as searchable as they will
// be, and returns how many are found by meaning, of how many.
func (s *evalServer) settled(ctx context.Context, assistant string) (full, all int, err error) {
	for {
		var list struct {
			Data []struct {
				Name, Status, Searchable string
				Error                    *struct{ Message string }
			}
		}
		if err := s.get(ctx, "/v1.0/assistants/"+url.PathEscape(assistant)+"/documents?limit=1000", &list); err != nil {
			return 0, 0, err
		}
		full, all = 0, len(list.Data)
		working := false
		for _, d := range list.Data {
			switch {
			case d.Error != nil:
				return 0, 0, fmt.Errorf("%s: %s", d.Name, d.Error.Message)
			case d.Status != "ready":
				working = true
			case d.Searchable == "full":
				full++
			}
		}
		if !working {
			return full, all, nil
		}
		if err := pause(ctx, 500*time.Millisecond); err != nil {
			return 0, 0, err
		}
	}
}

// judge runs `footnote eval` on questions, which it writes to a file.
func (s *evalServer) judge(ctx context.Context, assistant string, questions []evaluation.Question, args ...string) (judgement, error) {
	var b bytes.Buffer
	for _, q := range questions {
		line, err := json.Marshal(q)
		if err != nil {
			return judgement{}, err
		}
		b.Write(append(line, '\n'))
	}
	file := filepath.Join(s.dir, "questions.jsonl")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		return judgement{}, err
	}
	args = append([]string{"eval", "--url", s.url, "--key", s.key, "--assistant", assistant, "--json", "--parallel", "2"}, args...)
	raw, err := s.call(ctx, append(args, file)...)
	if err != nil {
		return judgement{}, err
	}
	var got judgement
	return got, json.Unmarshal(raw, &got)
}

// A judgement is what `footnote eval --json` prints.
type judgement struct {
	evaluation.Run
	Baselines []evaluation.Run `json:"baselines"`
}
