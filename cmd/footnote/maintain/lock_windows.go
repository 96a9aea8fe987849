package maintain

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes the lock that lives as long as the open file, and so never
// outlives the process. busy reports that another process has it.
func lockFile(f *os.File) (busy bool, err error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	// One byte far beyond the text, so that others can read who holds the lock.
	err = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return true, nil
	}
	return false, err
}

// PrivateFiles does nothing: files inherit the access rules of their folder.
func PrivateFiles() {}
