//go:build !linux

package sandbox

import (
	"errors"
	"os/exec"
)

// canIsolate says whether children may be asked to have a network of their own.
const canIsolate = false

func withoutNetwork(*exec.Cmd) {}

func refusesNamespace(error) bool { return false }

func filter() error { return errors.ErrUnsupported }

func isolation() Isolation { return Isolation{Network: "none"} }

func dieWithParent(*exec.Cmd) {}
