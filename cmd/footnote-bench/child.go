package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// Some contenders are this program in another role. They read orders from
// standard input and reply on standard output, one JSON object a line. They end when
// their input ends.

// orderMallocs asks how many objects were allocated so far. It is the only order.
const orderMallocs = "mallocs"

type order struct{ Op string }

// A reply answers an order. The first one, with address and key, answers none.
type reply struct {
	Addr, Key string
	Mallocs   uint64
	Error     string
}

// An httpServer serves HTTP until it is closed.
type httpServer interface {
	Serve(ln net.Listener) error
	Close() error
}

// serveChild serves a contender's HTTP requests, and the orders on standard input.
// key is the API key that requests need.
func serveChild(server httpServer, key string) error {
	ln, err := listen()
	if err != nil {
		return err
	}
	go func() { _ = server.Serve(ln) }() // it ends with the process
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for r := (reply{Addr: ln.Addr().String(), Key: key}); ; {
		if err := out.Encode(r); err != nil {
			return err
		}
		var o order
		if err := in.Decode(&o); errors.Is(err, io.EOF) {
			return server.Close()
		} else if err != nil {
			return err
		}
		r = reply{}
		if o.Op == orderMallocs {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			r.Mallocs = m.Mallocs
		} else {
			r.Error = "no such order"
		}
	}
}

// A child is a contender's process.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// startRole returns a function that starts this program in a role. The child writes
// to this program's standard error.
func startRole(role string) func(context.Context, startOptions) (*running, error) {
	return func(ctx context.Context, s startOptions) (*running, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		c := &child{cmd: exec.CommandContext(ctx, self, "child", role, s.upstream)}
		c.cmd.Stderr, c.cmd.WaitDelay = os.Stderr, 5*time.Second
		if c.in, err = c.cmd.StdinPipe(); err != nil {
			return nil, err
		}
		out, err := c.cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := c.cmd.Start(); err != nil {
			return nil, err
		}
		c.out = json.NewDecoder(out)
		var hello reply
		if err := c.out.Decode(&hello); err != nil {
			return nil, errors.Join(fmt.Errorf("%s did not start: %w", role, err), c.stop())
		}
		return &running{addr: hello.Addr, key: hello.Key, pid: c.cmd.Process.Pid, child: c, stop: c.stop}, nil
	}
}

// call sends an order and waits for the reply. It does nothing for a nil child, that
// of a contender which is another program.
func (c *child) call(op string) (r reply, err error) {
	if c == nil {
		return r, nil
	}
	if err = json.NewEncoder(c.in).Encode(order{op}); err == nil {
		err = c.out.Decode(&r)
	}
	if err == nil && r.Error != "" {
		err = errors.New(r.Error)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", op, err)
	}
	return r, err
}

// stop ends the child by ending its input.
func (c *child) stop() error { return errors.Join(c.in.Close(), c.cmd.Wait()) }
