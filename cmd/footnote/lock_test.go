package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The database's path may name the data directory in other words than --data-dir does.
func TestADatabaseInTheDataDirectoryIsThereByWhateverName(t *testing.T) {
	file := backup(t, otherData(t))
	cwd := t.TempDir()
	folder := filepath.Join(cwd, "real")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.Symlink(folder, filepath.Join(cwd, "link"))); err != nil {
		t.Fatal(err)
	}
	for folder, option := range map[string]string{"relative": "./relative", "missing": filepath.Join(cwd, "missing") + "/", "real": "link"} {
		database := "sqlite:" + filepath.Join(cwd, folder, "footnote.db")
		_, stderr, code := run(t, cwd, "restore", "--data-dir", option, "--database-url", database, file)
		if _, err := os.Stat(filepath.Join(cwd, folder, "footnote.db-lock")); code != 0 || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %d %s %v", folder, code, stderr, err)
		}
	}
}
