package maintain

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A Lock is the right to work on a data directory and its database, which
// one process at a time may have.
type Lock struct{ files []*os.File }

// LockData makes the data directory if it is missing and locks it, and with it
// a database that lies elsewhere. When another process holds one of them, the
// error says which and what to do.
func LockData(cfg Config) (*Lock, error) {
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("the data directory cannot be made; choose another with --data-dir: %w", err)
	}
	l := &Lock{}
	if err := l.lockPath(filepath.Join(cfg.DataDir, "lock"), "the data directory "+cfg.DataDir, "--data-dir"); err != nil {
		return nil, err
	}
	if err := l.lockDatabase(cfg); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	if err := tidyData(cfg.DataDir); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	return l, nil
}

// lockDatabase locks the file of the database, because another process may have
// named the same file in another way. A database outside the data directory is
// locked together with the data directory that it may belong to. One inside is
// locked if another process has used it as a database outside of its own.
func (l *Lock) lockDatabase(cfg Config) error {
	if path := cfg.databaseElsewhere(); path != "" {
		if err := l.lockPath(path+"-lock", "the database "+path, "--database-url"); err != nil {
			return err
		}
		owner := filepath.Dir(path)
		if _, err := os.Stat(filepath.Join(owner, fileInstallation)); err == nil {
			return l.lockPath(filepath.Join(owner, "lock"), "the data directory "+owner+" of the database", "--database-url")
		}
		return nil
	}
	path, isFile := strings.CutPrefix(cfg.DatabaseURL, "sqlite:")
	lock := strings.TrimPrefix(path, "//") + "-lock"
	if _, err := os.Stat(lock); isFile && err == nil {
		return l.lockPath(lock, "the database "+strings.TrimSuffix(lock, "-lock"), "--data-dir")
	}
	return nil
}

// An inUseError says who holds what another process wants.
type inUseError struct{ what, holder string }

func (e *inUseError) Error() string {
	return fmt.Sprintf("%s is in use by %s; talk to that server with --url, or stop it first", e.what, e.holder)
}

// lockWithoutServer is LockData for commands that no server can run for the user.
// Its error does not suggest to use --url.
func lockWithoutServer(cfg Config) (*Lock, error) {
	lock, err := LockData(cfg)
	return lock, withoutServer(err)
}

// withoutServer is an error of a lock that does not suggest to use --url.
func withoutServer(err error) error {
	if held, ok := errors.AsType[*inUseError](err); ok {
		err = fmt.Errorf("%s is in use by %s; stop it first", held.what, held.holder)
	}
	return err
}

// databaseElsewhere is the path of a database that does not lie in the data
// directory, whose lock thus does not cover it.
func (cfg Config) databaseElsewhere() string {
	path, ok := strings.CutPrefix(cfg.DatabaseURL, "sqlite:")
	if !ok {
		return "" // not a file: the server locks it in the database itself
	}
	path = strings.TrimPrefix(path, "//")
	if path == "" || path == ":memory:" || sameFolder(filepath.Dir(path), cfg.DataDir) {
		return ""
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil { // one lock for all names of the file
		return resolved
	}
	return path
}

// sameFolder reports whether two paths name one folder, which need not be there yet.
func sameFolder(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	return errA == nil && errB == nil && absA == absB
}

// lockPath locks the file at path. In errors, what names the thing that the lock is for,
// and option is the flag that chooses another one.
func (l *Lock) lockPath(path, what, option string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("%s cannot be written; choose another with %s: %w", what, option, err)
	}
	busy, err := lockFile(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if busy {
		holder, _ := io.ReadAll(io.LimitReader(f, 200)) // only for the message
		return errors.Join(&inUseError{what, describeHolder(string(holder))}, f.Close())
	}
	l.files = append(l.files, f)
	if err := f.Truncate(0); err != nil {
		return errors.Join(err, l.Release())
	}
	if _, err := fmt.Fprintf(f, "process %d\n", os.Getpid()); err != nil {
		return errors.Join(err, l.Release())
	}
	return nil
}

func describeHolder(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return "another process"
	}
	return s
}

// Release gives the lock back, so that another process may work on the data.
func (l *Lock) Release() error {
	var errs []error
	for _, f := range l.files {
		errs = append(errs, f.Close())
	}
	l.files = nil
	return errors.Join(errs...)
}
