package maintain

import "golang.org/x/sys/unix"

// freeBytes is how much may still be written to a folder's file system; ok is
// false when that is unknown.
func freeBytes(folder string) (n int64, ok bool) {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil || s.Blocks == 0 {
		return 0, false
	}
	return int64(s.Bavail) * s.Bsize, true
}
