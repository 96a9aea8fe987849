package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A dataLock is the right to work on a data directory, which one process at a
// time may have.
type dataLock struct{ file *os.File }

// lockDataDir makes the directory if it is missing and locks it. When another
// process holds it, the error says which and what to do.
func lockDataDir(dir string) (*dataLock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the data directory cannot be made; choose another with --data-dir: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the data directory cannot be written; choose another with --data-dir: %w", err)
	}
	busy, err := lockFile(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if busy {
		holder, _ := io.ReadAll(io.LimitReader(f, 200)) // only to say more; the lock itself is what counts
		return nil, errors.Join(fmt.Errorf("the data directory %s is in use by %s; talk to that server with --url, or stop it first",
			dir, describeHolder(string(holder))), f.Close())
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := fmt.Fprintf(f, "process %d\n", os.Getpid()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &dataLock{f}, nil
}

func describeHolder(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return "another process"
	}
	return s
}

func (l *dataLock) release() error { return l.file.Close() }
