package maintain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"footnote/storage/archive"
)

// Names of the files that the embedded defaults keep in the data directory.
const (
	fileDatabase     = "footnote.db"
	fileIndex        = "index.db"
	fileInstallation = "installation"
	FileSecret       = "secret.key"
	folderDocuments  = "documents"
)

// Names that backup and restore use there while they work. Only a process that
// was killed leaves its folder behind.
const (
	backupPrefix  = ".footnote-backup-"
	restorePrefix = ".footnote-restore-"
	asidePrefix   = "replaced-"
	swapJournal   = "restoring.json"
)

// An installation is the files of the embedded defaults.
type installation struct {
	dir      string // the data directory
	database string // the database's file
	outside  bool   // the database is not in the data directory
	onS3     bool   // the documents are not files
}

// embeddedInstallation finds the files, and refuses a database that is not one.
func embeddedInstallation(cfg Config) (installation, error) {
	path, isFile := strings.CutPrefix(cfg.DatabaseURL, "sqlite:")
	path = strings.TrimPrefix(path, "//")
	switch {
	case !isFile:
		return installation{}, cfg.backupElsewhere()
	case path == ":memory:":
		return installation{}, errors.New("a database in memory is gone with its process: there is nothing to back up or to restore")
	}
	dir, err := filepath.Abs(cfg.DataDir)
	if err != nil {
		return installation{}, err
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil { // all names of the directory give the same path
		dir = resolved
	}
	in := installation{dir: dir, database: filepath.Join(dir, filepath.Base(path)), onS3: cfg.BlobURL != "file:"}
	if elsewhere := cfg.databaseElsewhere(); elsewhere != "" {
		if in.database, err = filepath.Abs(elsewhere); err != nil {
			return installation{}, err
		}
		rel, err := filepath.Rel(dir, in.database) // a database in a subfolder belongs to the data directory, too
		in.outside = err != nil || !filepath.IsLocal(rel)
	}
	return in, nil
}

// bucket names the place of documents on S3.
func (cfg Config) bucket() string {
	place, _, _ := strings.Cut(cfg.BlobURL, "?")
	return "all that is at " + place
}

// backupElsewhere says how to back up an installation whose database is on a server.
func (cfg Config) backupElsewhere() error {
	tool := "the tools of its server"
	switch scheme, _, _ := strings.Cut(cfg.DatabaseURL, ":"); scheme {
	case "postgres", "postgresql":
		tool = "pg_dump"
	case "mysql":
		tool = "mariadb-dump or mysqldump"
	}
	in := installation{dir: cfg.DataDir}
	files := []string{in.path(folderDocuments), in.path(fileInstallation)}
	if cfg.BlobURL != "file:" {
		files = []string{cfg.bucket()}
	}
	if !cfg.SecretKeySet {
		files = append(files, in.path(FileSecret))
	}
	return fmt.Errorf("the database is on a server, so the archive would lack it: save the database first, with %s, then %s; "+
		"put all of it back the same way before the server starts (\"Backup and restore\" in cmd/footnote/README.md has the commands)", tool, strings.Join(files, " and "))
}

func (in installation) path(name string) string { return filepath.Join(in.dir, name) }

// tidyData finishes a restore that was cut short, and removes what killed
// backups and restores left in a data directory that this process has locked.
func tidyData(dir string) error {
	if _, err := archive.Resume(filepath.Join(dir, swapJournal)); err != nil {
		return fmt.Errorf("a restore was interrupted and cannot be finished: %w", err)
	}
	return errors.Join(removeAll(dir, restorePrefix, func(string) bool { return true }),
		removeAll(dir, backupPrefix, func(folder string) bool { return abandoned(folder, filepath.Join(folder, "lock")) }))
}

// removeAll removes the entries of a folder whose names have the prefix, if
// which returns true for them.
func removeAll(folder, prefix string, which func(path string) bool) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if !strings.HasPrefix(e.Name(), prefix) || !which(path) {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// lockGrace is the age up to which a file may not have got its lock yet.
const lockGrace = time.Minute

// abandoned reports whether the process that made a file or folder has ended:
// its lock is free.
func abandoned(path, lock string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() || time.Since(info.ModTime()) < lockGrace {
		return false
	}
	f, err := os.OpenFile(lock, os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) // it died before it made its lock
	}
	busy, err := lockFile(f)
	return errors.Join(err, f.Close()) == nil && !busy
}

// A stage is a folder where a backup or a restore keeps unfinished files. It is
// usually in the data directory, where SQLite works and files can be renamed into
// place.
type stage struct {
	dir  string
	lock *os.File // locked until remove
}

// makeStage makes a stage and removes those of processes that have gone.
func makeStage(dir, prefix string) (*stage, error) {
	if err := removeAll(dir, prefix, func(folder string) bool { return abandoned(folder, filepath.Join(folder, "lock")) }); err != nil {
		return nil, err
	}
	made, err := os.MkdirTemp(dir, prefix+"*")
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written; run this as the user of the server: %w", dir, err)
	}
	s := &stage{dir: made}
	if s.lock, err = os.Create(s.path("lock")); err == nil {
		_, err = lockFile(s.lock)
	}
	if err != nil {
		return nil, errors.Join(err, s.remove())
	}
	return s, nil
}

func (s *stage) path(name string) string { return filepath.Join(s.dir, name) }

// remove removes the folder with everything in it.
func (s *stage) remove() error {
	var err error
	if s.lock != nil {
		err = s.lock.Close()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}
