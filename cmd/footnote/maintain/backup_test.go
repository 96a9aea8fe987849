package maintain

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestWhatIsNotInFilesIsNotBackedUpHere(t *testing.T) {
	empty := t.TempDir()
	cfg := inFiles(empty)
	for says, change := range map[string]func(*Config){
		"pg_dump":            func(c *Config) { c.DatabaseURL = "postgres://u:very-secret@host/db" },
		"gone with its":      func(c *Config) { c.DatabaseURL = "sqlite::memory:" },
		"nothing to back up": func(*Config) {},
	} {
		c := cfg
		change(&c)
		p := quiet(nil, nil)
		err := p.backup(t.Context(), c, filepath.Join(empty, "a.gz"), false)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "very-secret") {
			t.Errorf("%s: %v", says, err)
		}
		if says == "nothing to back up" {
			continue
		}
		if err := p.restore(t.Context(), c, filepath.Join(empty, "a.gz"), false); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("restore, %s: %v", says, err)
		}
	}
	if got := filesOf(t, empty); len(got) > 0 {
		t.Errorf("made: %v", got)
	}
}

// What to save instead is named for each pair of stores, and nothing that they do not have.
func TestABackupNamesWhatTheStoresHave(t *testing.T) {
	const files, bucket = "/data/documents", "s3://docs/footnote"
	everything := []string{"pg_dump", "mariadb-dump", "tools of its server", files, bucket, "/data/installation", "/data/secret.key"}
	for name, c := range map[string]struct {
		database, blob string
		secretSet      bool
		want           []string
	}{
		"PostgreSQL, files":             {"postgres://u:very-secret@host/db", "file:", false, []string{"pg_dump", files, "/data/installation", "/data/secret.key"}},
		"PostgreSQL, files, secret set": {"postgresql://u:very-secret@host/db", "file:", true, []string{"pg_dump", files, "/data/installation"}},
		"MariaDB, files":                {"mysql://u:very-secret@host/db", "file:", false, []string{"mariadb-dump", files, "/data/installation", "/data/secret.key"}},
		"MariaDB, S3":                   {"mysql://u:very-secret@host/db", bucket + "?region=eu", false, []string{"mariadb-dump", bucket, "/data/secret.key"}},
		"PostgreSQL, S3, secret set":    {"postgres://u:very-secret@host/db", bucket, true, []string{"pg_dump", bucket}},
		"SQL Server, S3":                {"sqlserver://u:very-secret@host/db", bucket, false, []string{"tools of its server", bucket, "/data/secret.key"}},
	} {
		cfg := Config{DataDir: "/data", DatabaseURL: c.database, BlobURL: c.blob, SecretKeySet: c.secretSet}
		_, err := embeddedInstallation(cfg)
		if err == nil || strings.Contains(err.Error(), "very-secret") || !strings.Contains(err.Error(), `"Backup and restore"`) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, part := range everything {
			if strings.Contains(err.Error(), part) != slices.Contains(c.want, part) {
				t.Errorf("%s, %s: %v", name, part, err)
			}
		}
	}
}

// Documents on S3 are left out of the archive, which can only be restored for them.
func TestABackupBesideDocumentsOnS3HasNoDocuments(t *testing.T) {
	cfg, other := filled(t, "a.txt"), filled(t, "b.txt")
	cfg.BlobURL = "s3://docs/footnote?region=eu"
	id, err := InstallationID(cfg.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	mark := func(id string) {
		if err := os.WriteFile(filepath.Join(cfg.DataDir, fileInstallation), []byte(id+markS3+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mark("another")
	if err := quiet(nil, nil).backup(t.Context(), cfg, filepath.Join(t.TempDir(), "a.gz"), false); err == nil || !strings.Contains(err.Error(), "is not the one") {
		t.Errorf("with the id of another: %v", err)
	}
	mark(id)
	var out, errs bytes.Buffer
	file := filepath.Join(t.TempDir(), "a.gz")
	err = quiet(&out, &errs).backup(t.Context(), cfg, file, false)
	if err != nil || !strings.Contains(out.String(), "1 document, without their files, backed up") || !strings.Contains(errs.String(), "now copy all that is at s3://docs/footnote.") {
		t.Fatalf("%v %s %s", err, out.String(), errs.String())
	}
	to := inFiles(filepath.Join(t.TempDir(), "restored"))
	if err := quiet(nil, nil).restore(t.Context(), to, file, false); err == nil || !strings.Contains(err.Error(), "set FOOTNOTE_BLOB_URL") {
		t.Errorf("into files: %v", err)
	}
	to.BlobURL = cfg.BlobURL
	if err := quiet(nil, nil).restore(t.Context(), to, archived(t, other), false); err == nil || !strings.Contains(err.Error(), "copy --to-blob") {
		t.Errorf("with files beside S3: %v", err)
	}
	if err := quiet(nil, nil).restore(t.Context(), to, file, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(to.DataDir, folderDocuments)); !os.IsNotExist(err) {
		t.Errorf("documents are in the archive: %v", err)
	}
	if got, err := InstallationID(to.DataDir); got != id {
		t.Errorf("%s %v", got, err)
	}
}

// An index on a server is left out of the archive, which says so.
func TestABackupBesideAnIndexOnAServerHasNoIndex(t *testing.T) {
	cfg := filled(t, "a.txt")
	cfg.VectorURL = "qdrant://host"
	if err := os.WriteFile(filepath.Join(cfg.DataDir, fileIndex), []byte("of an earlier time"), 0o600); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	file := filepath.Join(t.TempDir(), "a.gz")
	if err := quiet(&bytes.Buffer{}, &errs).backup(t.Context(), cfg, file, false); err != nil || !strings.Contains(errs.String(), "built again after a restore") {
		t.Errorf("%v %s", err, errs.String())
	}
	to := inFiles(filepath.Join(t.TempDir(), "restored"))
	to.VectorURL = cfg.VectorURL
	if err := quiet(nil, nil).restore(t.Context(), to, file, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(to.DataDir, fileIndex)); !os.IsNotExist(err) {
		t.Errorf("the index is in the archive: %v", err)
	}
	if got := names(t, to); got != "a.txt" {
		t.Error(got)
	}
}

func TestACopyOfTheDatabaseIsMadeWhereThereIsRoomForIt(t *testing.T) {
	data, beside, temp := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	in := installation{dir: data, database: filepath.Join(data, fileDatabase)}
	if err := os.WriteFile(in.database, make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(beside, "a.gz")
	for _, c := range []struct {
		free map[string]int64
		path string
		want string
	}{
		{map[string]int64{data: 5000, beside: 5000, temp: 5000}, file, data},
		{map[string]int64{data: 1500, beside: 5000, temp: 5000}, file, beside},
		{map[string]int64{data: 1500, beside: 1500, temp: 5000}, file, temp},
		{map[string]int64{data: 1500, beside: 5000, temp: 5000}, "-", temp},
		{map[string]int64{data: 1500, beside: 1500, temp: 1500}, file, ""},
		{nil, file, data}, // unknown
	} {
		got, err := in.roomForCopies(c.path, func(folder string) (int64, bool) { n, ok := c.free[folder]; return n, ok })
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%v for %s: %q %v", c.free, c.path, got, err)
		}
	}
}

// A faultyFile fails at one of its steps.
type faultyFile struct {
	*os.File
	left  int // bytes that can be written; -1 for all
	sync  error
	close error
}

func (f *faultyFile) Write(p []byte) (int, error) {
	if f.left >= 0 {
		if len(p) > f.left {
			return 0, syscall.ENOSPC
		}
		f.left -= len(p)
	}
	return f.File.Write(p)
}

func (f *faultyFile) Sync() error  { return errors.Join(f.sync, f.File.Sync()) }
func (f *faultyFile) Close() error { return errors.Join(f.close, f.File.Close()) }

func TestADiskThatIsFullOrBrokenLeavesNoHalfArchive(t *testing.T) {
	data := filled(t, "bees.txt", "wasps.txt", "ants.txt", "beetles.txt")
	for name, fault := range map[string]faultyFile{
		"full at once": {left: 0}, "full soon": {left: 1000}, "full late": {left: 9_000},
		"sync": {left: -1, sync: syscall.EIO}, "close": {left: -1, close: syscall.ENOSPC},
	} {
		dir := t.TempDir()
		var out, errs bytes.Buffer
		program := quiet(&out, &errs)
		b := &backupRun{p: program, cfg: data}
		err := b.run(t.Context(), filepath.Join(dir, "a.gz"), false, func(path string) (outputFile, error) {
			f, err := os.Create(path + partialInfix + "1")
			fault.File = f
			return &fault, err
		})
		if err == nil || !strings.Contains(err.Error(), "nothing is left") || !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: %v", name, err)
		}
		if got := filesOf(t, dir); len(got) > 0 || out.Len() > 0 {
			t.Errorf("%s: %v %s", name, got, out.String())
		}
	}
	for _, name := range filesOf(t, data.DataDir) {
		if strings.HasPrefix(name, backupPrefix) {
			t.Errorf("left behind: %s", name)
		}
	}
}

func TestAnInterruptedBackupSaysSoAndLeavesNothing(t *testing.T) {
	data := filled(t, "bees.txt", "wasps.txt", "ants.txt", "beetles.txt")
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	program := quiet(nil, nil)
	b := &backupRun{p: program, cfg: data}
	err := b.run(ctx, filepath.Join(dir, "a.gz"), false, func(path string) (outputFile, error) {
		cancel()
		return createOutput(path)
	})
	if err == nil || !strings.Contains(err.Error(), "interrupted") || strings.Contains(err.Error(), "context") {
		t.Error(err)
	}
	if got := filesOf(t, dir); len(got) > 0 {
		t.Errorf("left: %v", got)
	}
	for _, name := range filesOf(t, data.DataDir) {
		if strings.HasPrefix(name, backupPrefix) {
			t.Errorf("left behind: %s", name)
		}
	}
}
