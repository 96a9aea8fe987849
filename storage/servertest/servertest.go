// Package servertest runs the program of a server for tests: it starts it, waits until
// it answers, stops it, and ends it with the tests. It knows no kind of server, is for
// tests only and imports nothing of this module.
package servertest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// StartTime is the timeout of starting and stopping a server.
const StartTime = time.Minute

// A Process is a running server.
type Process struct {
	process *os.Process
	done    chan struct{} // closed when it has ended
}

// Start starts a server, whose output goes to the file log, and waits until ready
// succeeds. The server ends with the test process.
func Start(cmd *exec.Cmd, log string, ready func(ctx context.Context) error) (*Process, error) {
	file, err := os.Create(log) //nolint:gosec // of the test
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = file, file
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	endWithTests(cmd)
	started := make(chan error, 1)
	p := &Process{done: make(chan struct{})}
	go run(cmd, started, p.done)
	if err := errors.Join(<-started, file.Close()); err != nil {
		return nil, err
	}
	p.process = cmd.Process
	if err := p.wait(log, ready); err != nil {
		return nil, errors.Join(err, p.End(syscall.SIGKILL))
	}
	return p, nil
}

// wait tries until ready succeeds.
func (p *Process) wait(log string, ready func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), StartTime)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			output, _ := os.ReadFile(log) //nolint:gosec // of the test, and only for the message
			return fmt.Errorf("it ended: %s", output)
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// End sends a signal and waits for the end of the process.
func (p *Process) End(sig os.Signal) error {
	if err := p.process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(StartTime):
		return errors.New("it does not stop")
	}
}

// NewName returns a name for a database.
func NewName() string { return "footnote_" + strings.ToLower(rand.Text()) }
