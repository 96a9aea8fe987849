package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/pdf"
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
	// Progress, if set, is called with the number of pages done and of all pages.
	Progress func(done, total int)
}

// An Extractor reads documents in child processes. It is safe for concurrent use.
type Extractor struct {
	cfg      Config
	slots    chan struct{} // for documents
	pictures chan struct{} // for pictures, so that a user who waits for one need not wait for documents
	network  namespaces
	probe    sync.Once
	found    Isolation                   // what probe found
	waited   func(pid int) time.Duration // for a processor; tests replace it
	// command makes the child's command; tests put misbehaving children here.
	command func(ctx context.Context) (*exec.Cmd, error)
}

// New returns an Extractor.
func New(cfg Config) *Extractor {
	cfg = cfg.withDefaults()
	return &Extractor{
		cfg: cfg, slots: make(chan struct{}, cfg.Parallel), pictures: make(chan struct{}, cfg.Parallel), command: self,
		waited: waitedForCPU,
	}
}

// self returns the command that runs this binary as a child, with an environment
// that holds only what the child needs.
func self(ctx context.Context) (*exec.Cmd, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, exe)
	// Two threads: one for the parser, one for the watchers.
	cmd.Env = []string{marker + "=1", "GOMAXPROCS=2", "GOTRACEBACK=single"}
	return cmd, nil
}

// Extract reads f from its beginning; it does not use f's offset or name. Its error
// is an [*extract.Error] when the document is to blame, ctx's error when ctx has
// ended, and any other when no child could be run.
func (x *Extractor) Extract(ctx context.Context, f *os.File, hint Hint) (extract.Document, error) {
	last, err := x.run(ctx, x.slots, f, request{Name: hint.Name, Recogniser: x.cfg.Recogniser}, hint.Progress)
	switch {
	case err != nil:
		return extract.Document{}, err
	case last.Document == nil:
		return extract.Document{}, &extract.Error{Code: extract.CodeParserFailed, Message: parserFailed, Err: errOtherAnswer}
	}
	if err := last.Document.Check(); err != nil {
		return extract.Document{}, &extract.Error{Code: extract.CodeParserFailed, Message: parserFailed, Err: err}
	}
	return *last.Document, nil
}

// Draw draws a page of a PDF as PNG. Errors are those of Extract, and
// [pdf.ErrNoPage].
func (x *Extractor) Draw(ctx context.Context, f *os.File, want pdf.Picture) ([]byte, error) {
	last, err := x.run(ctx, x.pictures, f, request{Picture: &want}, nil)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(last.Picture, []byte("\x89PNG\r\n")) {
		return nil, &extract.Error{Code: extract.CodeParserFailed, Message: parserFailed, Err: errOtherAnswer}
	}
	return last.Picture, nil
}

// Isolation reports what children cannot do. A child tries it once; later calls
// return the same result.
func (x *Extractor) Isolation(ctx context.Context) Isolation {
	x.probe.Do(func() {
		null, err := os.Open(os.DevNull)
		if err != nil {
			return
		}
		defer null.Close()
		// If no child can be run, nothing is known to be isolated.
		last, err := x.run(context.WithoutCancel(ctx), x.pictures, null, request{Probe: true}, nil)
		if err == nil && last.Isolation != nil {
			x.found = *last.Isolation
			x.found.Namespace = x.found.Namespace && x.network.inUse()
		}
	})
	return x.found
}

var errOtherAnswer = errors.New("the child answered something else")

// run starts a child for the request and returns the child's last frame. tell, if
// set, is called with the progress.
func (x *Extractor) run(ctx context.Context, slots chan struct{}, f *os.File, req request, tell func(done, total int)) (frame, error) {
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return frame{}, ctx.Err()
	}
	running, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	info, err := f.Stat()
	if err != nil {
		return frame{}, fmt.Errorf("look at the document: %w", err)
	}
	c, err := x.start(running, f, req)
	if err != nil {
		return frame{}, err
	}
	limits := x.cfg.Limits
	wall := x.newWall(c.cmd.Process.Pid, func() { kill(errTimeUp) })
	defer wall.stop()
	pictures, counted := 0, false
	last, readErr := c.listen(limits.Output, func(p progress) {
		switch {
		case p.Recognising > 0 && pictures < maxPictures:
			pictures++
			wall.add(timePerPicture)
		case p.Done == 0 && !counted:
			counted = true // the time to start the reader does not count
			wall.set(min(limits.Wall+timeForPages(p.Total, info.Size(), limits.WallPerPage), limits.MaxWall))
		}
		if tell != nil {
			tell(p.Done, p.Total)
		}
	})
	if readErr != nil {
		kill(readErr)
	}
	exitErr := c.cmd.Wait() // also ends the child's input
	if err := ctx.Err(); err != nil {
		return frame{}, err
	}
	if readErr == nil && exitErr == nil {
		return last, failureOf(last)
	}
	return frame{}, c.blame(context.Cause(running), readErr, exitErr)
}

var errTimeUp = errors.New("the child's time is up")

// failureOf returns the failure that the child reported, or nil.
func failureOf(last frame) error {
	f := last.Failure
	if f == nil {
		return nil
	}
	if f.Code == codeNoPage {
		return pdf.ErrNoPage
	}
	e := &extract.Error{Code: f.Code, Message: f.Message}
	if f.Detail != "" {
		e.Err = errors.New(f.Detail)
	}
	return e
}

// A child is a running child process.
type child struct {
	cmd     *exec.Cmd
	started time.Time
	stdout  io.Reader
	stderr  *stderrHead
}

// start starts a child, without a network if the kernel allows that.
func (x *Extractor) start(ctx context.Context, f *os.File, req request) (*child, error) {
	alone := x.network.wanted()
	c, err := x.startChild(ctx, f, req, alone)
	if err != nil && alone && x.network.refused(err) {
		return x.startChild(ctx, f, req, false)
	}
	return c, err
}

func (x *Extractor) startChild(ctx context.Context, f *os.File, req request, alone bool) (*child, error) {
	cmd, err := x.command(ctx)
	if err != nil {
		return nil, err
	}
	if alone {
		withoutNetwork(cmd)
	}
	cmd.ExtraFiles = []*os.File{f}
	cmd.WaitDelay = 5 * time.Second
	c := &child{cmd: cmd, started: time.Now(), stderr: &stderrHead{limit: stderrKept}}
	cmd.Stderr = c.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make the child's input: %w", err)
	}
	if c.stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, errors.Join(fmt.Errorf("make the child's output: %w", err), stdin.Close())
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the child: %w", err)
	}
	l := x.cfg.Limits
	req.CacheDir, req.Memory, req.CPU, req.CPUPerPage = x.cfg.CacheDir, l.Memory, l.CPU, l.CPUPerPage
	// If the child does not read its request, listen returns an error. The write ends
	// at the latest when the child does.
	go func() { _ = writeFrame(stdin, req) }()
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
		case f.last():
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
		// A child that used the processor had too much to do; an idle one has hung. The
		// bar is low, because on a busy machine a child may get little processor time.
		if used := state.UserTime() + state.SystemTime(); 8*used >= time.Since(c.started) {
			e.Code = extract.CodeTooComplex
		}
	case c.stderr.exhausted():
		e.Code, e.Message = extract.CodeTooComplex, tooMuch
	}
	return e
}

// stderrHead keeps the first bytes written to it, because the Go runtime writes the
// reason of a crash before it lists goroutines.
type stderrHead struct {
	limit int
	buf   bytes.Buffer
}

func (w *stderrHead) Write(p []byte) (int, error) {
	if room := w.limit - w.buf.Len(); room > 0 {
		w.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (w *stderrHead) String() string { return w.buf.String() }

// exhausted reports whether the Go runtime ran out of memory or stack. The runtime
// says so on standard error only. It cannot start a thread if there is no memory
// for the thread's stack.
func (w *stderrHead) exhausted() bool {
	for _, words := range []string{
		"out of memory", "cannot allocate memory", "stack overflow", "goroutine stack exceeds", "failed to create new OS thread", "pthread_create failed",
	} {
		if bytes.Contains(w.buf.Bytes(), []byte(words)) {
			return true
		}
	}
	return false
}
