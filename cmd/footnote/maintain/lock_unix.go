//go:build unix

package maintain

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes the lock that lives as long as the open file, and so never
// outlives the process. busy reports that another process has it.
func lockFile(f *os.File) (busy bool, err error) {
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// PrivateFiles makes what this process writes readable for its user only.
func PrivateFiles() { unix.Umask(0o077) }
