//go:build !linux

package servertest

import "os/exec"

func endWithTests(*exec.Cmd) {}

// run starts the process and waits for its end.
func run(cmd *exec.Cmd, started chan<- error, done chan<- struct{}) {
	err := cmd.Start()
	started <- err
	if err == nil {
		_ = cmd.Wait() // the exit code does not matter
		close(done)
	}
}
