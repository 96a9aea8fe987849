package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"footnote/assistants/ingestion/extract"
)

// Sentences for the person whose document failed.
const (
	parserFailed = "The document could not be read: the reader failed on it. Saving it again with another program may help."
	tooLong      = "The document takes longer to read than is allowed."
	tooMuch      = "The document needs more memory to read than is allowed."
)

// stderrKept is how much of a child's standard error is kept, in bytes.
const stderrKept = 8 << 10

// Hint is what is known about a file besides its bytes.
type Hint struct {
	// Name is the file's name; only its extension is looked at.
	Name string
	// Progress, if set, is told how many pages of all are done.
	Progress func(done, total int)
}

// An Extractor reads documents in child processes. It is safe for concurrent use.
type Extractor struct {
	cfg   Config
	slots chan struct{}
	// command makes the child's command; tests put misbehaving children here.
	command func(ctx context.Context) (*exec.Cmd, error)
}

// New returns an Extractor.
func New(cfg Config) *Extractor {
	cfg = cfg.withDefaults()
	return &Extractor{cfg: cfg, slots: make(chan struct{}, cfg.Parallel), command: self}
}

// self is this binary again, as a child with an empty environment.
func self(ctx context.Context) (*exec.Cmd, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, exe)
	// Two threads: one for the parser, one for the watchers beside it.
	cmd.Env = []string{marker + "=1", "GOMAXPROCS=2", "GOTRACEBACK=single"}
	return cmd, nil
}

// Extract reads f, of which it uses neither offset nor name. Its error is an
// [*extract.Error] when the document is to blame, the context's error when that
// ended, and anything else when no child could be run.
func (x *Extractor) Extract(ctx context.Context, f *os.File, hint Hint) (extract.Document, error) {
	select {
	case x.slots <- struct{}{}:
		defer func() { <-x.slots }()
	case <-ctx.Done():
		return extract.Document{}, ctx.Err()
	}
	run, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	c, err := x.start(run, f, hint)
	if err != nil {
		return extract.Document{}, err
	}
	limits := x.cfg.Limits
	timer := time.AfterFunc(limits.Wall, func() { kill(errTimeUp) })
	defer timer.Stop()
	last, readErr := c.listen(limits.Output, func(p progress) {
		if p.Done == 0 {
			// Starting the reader is not the document's time.
			timer.Reset(min(limits.Wall+time.Duration(p.Total)*limits.WallPerPage, limits.MaxWall))
		}
		if hint.Progress != nil {
			hint.Progress(p.Done, p.Total)
		}
	})
	if readErr != nil {
		kill(readErr)
	}
	exitErr := c.cmd.Wait() // also ends the child's input
	if err := ctx.Err(); err != nil {
		return extract.Document{}, err
	}
	if readErr == nil && exitErr == nil {
		return judge(last)
	}
	return extract.Document{}, c.blame(context.Cause(run), readErr, exitErr)
}

var errTimeUp = errors.New("the child's time is up")

// judge takes over what the child said last.
func judge(last frame) (extract.Document, error) {
	if f := last.Failure; f != nil {
		e := &extract.Error{Code: f.Code, Message: f.Message}
		if f.Detail != "" {
			e.Err = errors.New(f.Detail)
		}
		return extract.Document{}, e
	}
	if err := last.Document.Check(); err != nil {
		return extract.Document{}, &extract.Error{Code: extract.CodeParserFailed, Message: parserFailed, Err: err}
	}
	return *last.Document, nil
}

// A child is a running child process.
type child struct {
	cmd     *exec.Cmd
	started time.Time
	stdout  io.Reader
	stderr  *lastWords
}

func (x *Extractor) start(ctx context.Context, f *os.File, hint Hint) (*child, error) {
	cmd, err := x.command(ctx)
	if err != nil {
		return nil, err
	}
	cmd.ExtraFiles = []*os.File{f}
	cmd.WaitDelay = 5 * time.Second
	c := &child{cmd: cmd, started: time.Now(), stderr: &lastWords{limit: stderrKept}}
	cmd.Stderr = c.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make the child's input: %w", err)
	}
	if c.stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, fmt.Errorf("make the child's output: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the child: %w", err)
	}
	l := x.cfg.Limits
	// The request fits into the pipe's buffer. A child that died before reading
	// it shows itself when it is listened to.
	_ = writeFrame(stdin, request{
		Name: hint.Name, CacheDir: x.cfg.CacheDir, Memory: l.Memory, CPU: l.CPU, CPUPerPage: l.CPUPerPage,
	})
	return c, nil
}

// listen reads frames until the last one, which it returns.
func (c *child) listen(limit int64, tell func(progress)) (frame, error) {
	out := &io.LimitedReader{R: c.stdout, N: limit}
	for {
		var f frame
		if err := readFrame(out, limit, &f); err != nil {
			if out.N <= 0 {
				err = errFrameTooLong
			}
			return frame{}, err
		}
		switch {
		case f.Progress != nil:
			tell(*f.Progress)
		case f.Document != nil || f.Failure != nil:
			return f, nil
		default:
			return frame{}, errors.New("an empty frame")
		}
	}
}

// blame finds out why a child did not answer.
func (c *child) blame(cause, readErr, exitErr error) error {
	state := c.cmd.ProcessState
	detail := fmt.Errorf("child: %w (%v): %s", errors.Join(readErr, exitErr), state, c.stderr.String())
	e := &extract.Error{Code: extract.CodeParserFailed, Message: parserFailed, Err: detail}
	switch {
	case state.ExitCode() == exitCPU:
		e.Code, e.Message = extract.CodeTooComplex, tooLong
	case errors.Is(cause, errTimeUp):
		e.Message = tooLong
		// A child that worked had too much to do; one that sat there has failed.
		// On a busy machine it may have got little of the processor.
		if used := state.UserTime() + state.SystemTime(); 8*used >= time.Since(c.started) {
			e.Code = extract.CodeTooComplex
		}
	case c.stderr.exhausted():
		e.Code, e.Message = extract.CodeTooComplex, tooMuch
	}
	return e
}

// lastWords keeps the first bytes written to it: the Go runtime names its reason
// first and then lists goroutines.
type lastWords struct {
	limit int
	buf   bytes.Buffer
}

func (w *lastWords) Write(p []byte) (int, error) {
	if room := w.limit - w.buf.Len(); room > 0 {
		w.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (w *lastWords) String() string { return w.buf.String() }

// exhausted reports whether the Go runtime died of a lack of memory or stack.
// It says so on standard error and nowhere else.
func (w *lastWords) exhausted() bool {
	for _, words := range []string{"out of memory", "cannot allocate memory", "stack overflow", "goroutine stack exceeds"} {
		if bytes.Contains(w.buf.Bytes(), []byte(words)) {
			return true
		}
	}
	return false
}
