package blob

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"footnote/assistants"
	"footnote/storage/blob/blobtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openDisk(t *testing.T, dir string) *Disk {
	t.Helper()
	d, err := OpenDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// filesBelow lists the names of all files below dir.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, d.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestDiskKeepsTheContract(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blobtest.Store {
		dir := t.TempDir()
		t.Cleanup(func() {
			for _, name := range filesBelow(t, dir) {
				if strings.HasPrefix(name, tempPrefix) {
					t.Errorf("%s was left behind", name)
				}
			}
		})
		return openDisk(t, dir)
	})
}

// faulty fails at the n-th step that writes.
type faulty struct {
	left int
	err  error
}

func (f *faulty) step() error {
	if f.left--; f.left < 0 {
		return f.err
	}
	return nil
}

type faultyFile struct {
	tempFile
	fault *faulty
}

func (f faultyFile) Write(p []byte) (int, error) {
	if err := f.fault.step(); err != nil {
		return f.short(p, err)
	}
	return f.tempFile.Write(p)
}

// short writes half, as a disk that fills up does.
func (f faultyFile) short(p []byte, failure error) (int, error) {
	n, err := f.tempFile.Write(p[:len(p)/2])
	return n, errors.Join(failure, err)
}

func (f faultyFile) Sync() error {
	if err := f.fault.step(); err != nil {
		return err
	}
	return f.tempFile.Sync()
}

func (f faultyFile) Close() error {
	return errors.Join(f.tempFile.Close(), f.fault.step())
}

func (f *faulty) into(d *Disk) {
	create, rename, syncDir := d.create, d.rename, d.syncDir
	d.create = func(name string) (tempFile, error) {
		if err := f.step(); err != nil {
			return nil, err
		}
		file, err := create(name)
		return faultyFile{file, f}, err
	}
	d.rename = func(from, to string) error {
		if err := f.step(); err != nil {
			return err
		}
		return rename(from, to)
	}
	d.syncDir = func(name string) error {
		if err := f.step(); err != nil {
			return err
		}
		return syncDir(name)
	}
}

func TestADiskThatFailsAtAnyStepLeavesNothingBehind(t *testing.T) {
	const content = 300 << 10 // three writes
	for _, fault := range []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS, syscall.EACCES, syscall.EMFILE, syscall.EDQUOT} {
		for n := 0; ; n++ {
			dir := t.TempDir()
			d := openDisk(t, dir)
			(&faulty{left: n, err: fault}).into(d)
			_, _, err := d.Put(t.Context(), "default/a", io.LimitReader(zeros{}, content))
			if err == nil {
				// create, mkdir's sync, 3 writes, sync, close, rename, sync: all were hit before.
				if n < 9 {
					t.Errorf("%v: only %d steps could fail", fault, n)
				}
				break
			}
			if !errors.Is(err, assistants.ErrUnavailable) || !errors.Is(err, fault) {
				t.Errorf("%v at step %d: %v", fault, n, err)
			}
			if left := filesBelow(t, dir); len(left) != 0 {
				t.Errorf("%v at step %d left %v", fault, n, left)
			}
		}
	}
}

// notedFile notes what is done to it.
type notedFile struct {
	tempFile
	note func(step string)
}

func (f notedFile) Write(p []byte) (int, error) {
	f.note("write")
	return f.tempFile.Write(p)
}

func (f notedFile) Sync() error {
	f.note("sync")
	return f.tempFile.Sync()
}

// The power may fail at any time: bytes are on the disk before they have their
// name, and the name before anybody is told (N-002).
func TestBytesAreDurableBeforeTheirNameIs(t *testing.T) {
	d := openDisk(t, t.TempDir())
	var steps []string
	note := func(step string) {
		if len(steps) == 0 || steps[len(steps)-1] != step {
			steps = append(steps, step)
		}
	}
	create, rename, syncDir := d.create, d.rename, d.syncDir
	d.create = func(name string) (tempFile, error) {
		note("create")
		f, err := create(name)
		return notedFile{f, note}, err
	}
	d.rename = func(from, to string) error {
		note("rename")
		return rename(from, to)
	}
	d.syncDir = func(name string) error {
		note("sync " + name)
		return syncDir(name)
	}
	if _, _, err := d.Put(t.Context(), "default/a", io.LimitReader(zeros{}, 300<<10)); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(steps), "[sync . create write sync rename sync default]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What a tenant's first upload could not make durable, the second must.
func TestATenantsDirectoryIsDurableBeforeAnythingInItIs(t *testing.T) {
	d := openDisk(t, t.TempDir())
	syncs, syncDir := 0, d.syncDir
	d.syncDir = func(name string) error {
		if name != "." {
			return syncDir(name)
		}
		if syncs++; syncs == 1 {
			return syscall.EIO
		}
		return syncDir(name)
	}
	if _, _, err := d.Put(t.Context(), "t/a", strings.NewReader("x")); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("the first: %v", err)
	}
	for range 2 {
		if _, _, err := d.Put(t.Context(), "t/a", strings.NewReader("x")); err != nil {
			t.Error(err)
		}
	}
	if syncs != 2 {
		t.Errorf("synced %d times", syncs)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestOpeningRemovesWhatAKillLeft(t *testing.T) {
	dir := t.TempDir()
	d := openDisk(t, dir)
	if _, _, err := d.Put(t.Context(), "default/a", strings.NewReader("kept")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "default", tempPrefix+"x"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "note.txt"), []byte("not ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	openDisk(t, dir)
	if left := fmt.Sprint(filesBelow(t, dir)); left != "[a note.txt]" {
		t.Errorf("left: %s", left)
	}
}

func TestLinksAndPipesInTheDirectoryAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := openDisk(t, dir)
	if _, _, err := d.Put(t.Context(), "default/a", strings.NewReader("mine")); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Symlink(secret, filepath.Join(dir, "default", "out")),
		os.Symlink("a", filepath.Join(dir, "default", "in")),
		os.Symlink(filepath.Dir(secret), filepath.Join(dir, "outside")),
		os.Mkdir(filepath.Join(dir, "default", "dir"), 0o700),
		syscall.Mkfifo(filepath.Join(dir, "default", "pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"default/out", "default/in", "default/dir", "default/pipe", "outside/secret"} {
		f, _, err := d.Open(t.Context(), key)
		if err == nil {
			err = f.Close()
			t.Errorf("%s could be opened (%v)", key, err)
		}
	}
	if _, _, err := d.Put(t.Context(), "outside/new", strings.NewReader("x")); err == nil {
		t.Error("written through a link")
	}
	if err := d.Delete(t.Context(), "outside/secret"); err == nil {
		t.Error("deleted through a link")
	}
	if _, err := os.Stat(secret); err != nil {
		t.Error(err)
	}
}

func TestEachFindsOldBlobsAndMayDeleteThem(t *testing.T) {
	dir := t.TempDir()
	d := openDisk(t, dir)
	for _, key := range []string{"a/old", "b/old", "a/new"} {
		if _, _, err := d.Put(t.Context(), key, strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-time.Hour)
	for _, key := range []string{"a/old", "b/old"} {
		if err := os.Chtimes(filepath.Join(dir, key), past, past); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "not.ours"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var found []string
	err := d.Each(t.Context(), time.Now().Add(-time.Minute), func(key string) error {
		found = append(found, key)
		return d.Delete(t.Context(), key)
	})
	if err != nil || fmt.Sprint(found) != "[a/old b/old]" {
		t.Errorf("found %v, %v", found, err)
	}
	if left := fmt.Sprint(filesBelow(t, dir)); left != "[new not.ours]" {
		t.Errorf("left: %s", left)
	}
	stop := errors.New("stop")
	if err := d.Each(t.Context(), time.Now().Add(time.Hour), func(string) error { return stop }); err != stop { //nolint:errorlint // identity is the promise
		t.Errorf("got %v", err)
	}
}

func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "blobs")
	d := openDisk(t, dir)
	if _, _, err := d.Put(t.Context(), "default/a", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{dir: 0o700, dir + "/default": 0o700, dir + "/default/a": 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestADirectoryThatCannotBeIsUnavailable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDisk(file); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

func TestAProbeFailsWithTheDiskAndLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	for n := 0; ; n++ {
		d := openDisk(t, dir)
		fault := &faulty{left: n, err: syscall.ENOSPC}
		fault.into(d)
		err := d.ProbeWrite(t.Context())
		if left := filesBelow(t, dir); len(left) > 0 {
			t.Errorf("step %d: left over %q", n, left)
		}
		if err == nil {
			if n < 3 {
				t.Errorf("a probe has only %d steps", n)
			}
			break
		}
		if !errors.Is(err, assistants.ErrUnavailable) || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("step %d: %v", n, err)
		}
	}
	d := openDisk(t, dir)
	if err := os.WriteFile(filepath.Join(dir, probeName), []byte("of one that was killed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.ProbeWrite(t.Context()); err != nil || len(filesBelow(t, dir)) > 0 {
		t.Errorf("after a kill: %v, %q", err, filesBelow(t, dir))
	}
}

// A directory that is gone is a broken store, not a blob that is not there.
func TestADirectoryThatWasRemovedIsUnavailable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "blobs")
	d := openDisk(t, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Put(t.Context(), "t/a", strings.NewReader("x")); !errors.Is(err, assistants.ErrUnavailable) || errors.Is(err, assistants.ErrNotFound) {
		t.Errorf("putting: %v", err)
	}
	if err := d.ProbeWrite(t.Context()); !errors.Is(err, assistants.ErrUnavailable) || errors.Is(err, assistants.ErrNotFound) {
		t.Errorf("probing: %v", err)
	}
}
