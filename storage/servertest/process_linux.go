package servertest

import (
	"os/exec"
	"runtime"
	"syscall"
)

// endWithTests makes the system stop the server when the test process dies.
func endWithTests(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGQUIT }

// run starts the process and waits for it, both on one thread, because the
// signal is sent when the thread that started it ends.
func run(cmd *exec.Cmd, started chan<- error, done chan<- struct{}) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	started <- err
	if err == nil {
		_ = cmd.Wait() // the exit code does not matter
		close(done)
	}
}
