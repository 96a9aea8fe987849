package main

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"
)

// What the clocks say of a process and its child is what the kernel reports at
// their end.
func TestCPUOfAProcessIncludesItsChildren(t *testing.T) {
	const work = `i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done`
	cmd := exec.Command("sh", "-c", "sh -c '"+work+"; echo worked; read end'; exit 0")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != "worked" {
		t.Fatal(line, err)
	}
	measured, err := cpuOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	rss, err := rssOf(cmd.Process.Pid)
	if err != nil || rss < 100<<10 {
		t.Error("resident memory", rss, err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	whole := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if measured < whole/2 || measured > whole+whole/10 {
		t.Errorf("the clocks say %s, the kernel %s", measured, whole)
	}
}

func TestAProcessThatEndedIsAnError(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := cpuOf(cmd.Process.Pid); err == nil {
		t.Error("it has a clock")
	}
	if _, err := rssOf(cmd.Process.Pid); err == nil {
		t.Error("it has memory")
	}
}
