package main

import (
	"bufio"
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

// Every part of a run that costs processor time is a process of its own, so that
// its time can be measured. These processes run this same program in another role.
// They read orders from standard input, one JSON object a line, answer on standard
// output in the same way, and end when their input ends.

// An order is one command to a child.
type order struct {
	Op   string          `json:"op"`
	Args json.RawMessage `json:"args,omitempty"`
}

// A report is a child's answer to an order.
type report struct {
	Error  string          `json:"error,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

// A listening is the first line that a child writes.
type listening struct {
	Addr string `json:"addr,omitempty"` // where it serves
	Key  string `json:"key,omitempty"`  // the key it expects
}

// ops are the orders that a child knows.
type ops map[string]func(args json.RawMessage) (any, error)

// orderOf is an order with an argument of one type; it has no result.
func orderOf[T any](do func(T) error) func(json.RawMessage) (any, error) {
	return func(args json.RawMessage) (any, error) {
		var arg T
		if err := json.Unmarshal(args, &arg); err != nil {
			return nil, err
		}
		return nil, do(arg)
	}
}

// obey reports hello, then carries out orders until the input ends.
func obey(in io.Reader, out io.Writer, hello listening, known ops) error {
	enc := json.NewEncoder(out)
	if err := enc.Encode(hello); err != nil {
		return err
	}
	dec := json.NewDecoder(in)
	for {
		var o order
		if err := dec.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := enc.Encode(known.carryOut(o)); err != nil {
			return err
		}
	}
}

func (known ops) carryOut(o order) report {
	op, ok := known[o.Op]
	if !ok {
		return report{Error: "unknown order " + o.Op}
	}
	result, err := op(o.Args)
	if err != nil {
		return report{Error: err.Error()}
	}
	raw, err := json.Marshal(result)
	if err != nil {
		return report{Error: err.Error()}
	}
	return report{Result: raw}
}

// A child is a process of a run.
type child struct {
	role  string
	hello listening
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
}

// startChild starts this program in a role. Its standard error is this program's.
func startChild(ctx context.Context, role string, args ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{role: role, cmd: exec.CommandContext(ctx, self, append([]string{"child", role}, args...)...)}
	c.cmd.Stderr = os.Stderr
	c.cmd.WaitDelay = 5 * time.Second
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(out, 1<<20)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	if err := c.read(&c.hello); err != nil {
		return nil, errors.Join(fmt.Errorf("%s did not start: %w", role, err), c.stop())
	}
	return c, nil
}

func (c *child) pid() int { return c.cmd.Process.Pid }

func (c *child) read(v any) error {
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, v)
}

// call gives an order and waits for its result, which it decodes into result
// unless that is nil.
func (c *child) call(op string, args, result any) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	if _, err := c.in.Write(append(mustJSON(order{Op: op, Args: raw}), '\n')); err != nil {
		return fmt.Errorf("%s: %w", c.role, err)
	}
	var r report
	if err := c.read(&r); err != nil {
		return fmt.Errorf("%s: %s: %w", c.role, op, err)
	}
	if r.Error != "" {
		return fmt.Errorf("%s: %s: %s", c.role, op, r.Error)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(r.Result, result)
}

// stop ends the child by ending its input.
func (c *child) stop() error {
	err := c.in.Close()
	if waited := c.cmd.Wait(); waited != nil {
		err = errors.Join(err, fmt.Errorf("%s: %w", c.role, waited))
	}
	return err
}

// listen opens a port of the kernel's choice.
func listen() (net.Listener, error) {
	return new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
}

// Allocations are what a Go process has allocated so far.
type allocations struct {
	Mallocs uint64 `json:"mallocs"`
	Bytes   uint64 `json:"bytes"`
}

// allocationsSoFar is an order of every contender of ours.
func allocationsSoFar(json.RawMessage) (any, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return allocations{m.Mallocs, m.TotalAlloc}, nil
}
