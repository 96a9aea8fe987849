package postgrestest

import (
	"os/exec"
	"runtime"
	"syscall"
)

// endWithTests makes the system end the server when the test process dies.
func endWithTests(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGQUIT }

// run starts the process and waits for its end, on one thread: the signal
// comes when the thread that started it dies.
func run(cmd *exec.Cmd, started chan<- error, done chan<- struct{}) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	started <- err
	if err == nil {
		_ = cmd.Wait() // however it ended, it has
		close(done)
	}
}
