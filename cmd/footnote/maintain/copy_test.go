package maintain

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/cmd/footnote/console"
	"footnote/storage/blob"
	"footnote/storage/vector/embedded"
)

// A bucket is a store of documents' files that is no folder. It fails at the n-th call
// of Put from now.
type bucket struct {
	objects map[string][]byte
	failAt  int
	puts    int
	opened  int // and not closed yet
}

var errSlowDown = fmt.Errorf("slow down: %w", assistants.ErrUnavailable)

func (b *bucket) Put(_ context.Context, key string, r io.Reader) (int64, string, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return 0, "", err
	}
	if b.puts++; b.puts == b.failAt {
		return 0, "", errSlowDown
	}
	b.objects[key] = content
	sum := sha256.Sum256(content)
	return int64(len(content)), hex.EncodeToString(sum[:]), nil
}

// object is an open object.
type object struct {
	*bytes.Reader
	of *bucket
}

func (o object) Close() error { o.of.opened--; return nil }

func (b *bucket) Open(_ context.Context, key string) (io.ReadSeekCloser, int64, error) {
	content, ok := b.objects[key]
	if !ok {
		return nil, 0, assistants.ErrNotFound
	}
	b.opened++
	return object{bytes.NewReader(content), b}, int64(len(content)), nil
}

func (b *bucket) Delete(_ context.Context, key string) error { delete(b.objects, key); return nil }

func (b *bucket) Each(_ context.Context, _ time.Time, fn func(key string) error) error {
	for key := range maps.Clone(b.objects) {
		if err := fn(key); err != nil {
			return err
		}
	}
	return nil
}

func (b *bucket) Leftovers(context.Context, func(name string) error) error { return nil }
func (b *bucket) RemoveLeftovers(context.Context) error                    { return nil }
func (b *bucket) Close() error                                             { return nil }

// withStores gives a configuration its stores; in is the bucket of "bucket:".
func withStores(cfg Config, in *bucket) Config {
	index := filepath.Join(cfg.DataDir, fileIndex)
	cfg.InspectIndex = func(ctx context.Context) (map[assistants.DocumentID]assistants.Indexed, []string, error) {
		return embedded.Inspect(ctx, index)
	}
	cfg.OpenIndex = func() (Index, error) { return embedded.Open(index, embedded.Options{Log: cfg.Log}) }
	cfg.OpenVectors = func(context.Context) (Vectors, error) { return embedded.OpenReader(index) }
	cfg.OpenBlobs = func(context.Context) (Blobs, error) {
		if cfg.BlobURL == "bucket:" {
			return in, nil
		}
		if err := os.MkdirAll(filepath.Join(cfg.DataDir, folderDocuments), 0o700); err != nil {
			return nil, err
		}
		return blob.OpenDiskAsIs(filepath.Join(cfg.DataDir, folderDocuments))
	}
	cfg.At = func(t Target) (Config, error) {
		to := cfg
		if t.DataDir != "" {
			to.DataDir = t.DataDir
			if cfg.shownDatabase() == "sqlite:" {
				to.DatabaseURL = "sqlite:" + filepath.Join(t.DataDir, fileDatabase)
			}
		}
		if t.Blob != "" {
			to.BlobURL = t.Blob
		}
		return withStores(to, in), nil
	}
	return cfg
}

// copied runs the command.
func copied(cfg Config, how copyOptions) (out, errs string, err error) {
	var o, e bytes.Buffer
	p := quiet(&o, &e)
	p.Config = func(bool) (Config, error) { return cfg, nil }
	err = p.copy(context.Background(), how)
	return o.String(), e.String(), err
}

// Documents move into a store that is no folder and fails at each file once, and back into
// another data directory.
func TestFilesAreCopiedToAnyStoreAndBack(t *testing.T) {
	in := &bucket{objects: map[string][]byte{}}
	cfg := withStores(filled(t, "a.txt", "b.txt", "c.txt", "d.txt"), in)
	before := len(filesOf(t, filepath.Join(cfg.DataDir, folderDocuments, "default")))
	failures := 0
	for done := false; !done; {
		in.failAt = in.puts + 2
		out, _, err := copied(cfg, copyOptions{Target: Target{Blob: "bucket:"}})
		if done = err == nil; done {
			if !strings.Contains(out, "documents: 4 files, ") || !strings.Contains(out, "FOOTNOTE_BLOB_URL=bucket:") || strings.Contains(out, "database") || strings.Contains(out, "index") {
				t.Error(out)
			}
			break
		}
		if failures++; !errors.Is(err, assistants.ErrUnavailable) || !strings.Contains(err.Error(), "the same command goes on") || failures > 4 {
			t.Fatal(err)
		}
	}
	if failures != 3 || len(in.objects) != 4 || in.opened != 0 {
		t.Errorf("%d failures, %d objects, %d open", failures, len(in.objects), in.opened)
	}
	if after := len(filesOf(t, filepath.Join(cfg.DataDir, folderDocuments, "default"))); after != before {
		t.Errorf("the source has %d files, it had %d", after, before)
	}
	cfg.BlobURL = "bucket:"
	back := filepath.Join(t.TempDir(), "back")
	if _, errs, err := copied(withStores(cfg, in), copyOptions{Target: Target{DataDir: back, Blob: "file:"}}); err != nil || errs != "" {
		t.Fatal(err, errs)
	}
	if got := names(t, inFiles(back)); got != "a.txt b.txt c.txt d.txt" {
		t.Error(got)
	}
}

// Bytes that the target has changed are found when they are read back.
func TestACopyReadsBackWhatItHasWritten(t *testing.T) {
	in := &bucket{objects: map[string][]byte{}}
	cfg := withStores(filled(t, "a.txt", "b.txt"), in)
	if _, _, err := copied(cfg, copyOptions{Target: Target{Blob: "bucket:"}}); err != nil {
		t.Fatal(err)
	}
	for key, content := range in.objects {
		content[0]++
		in.objects[key] = content
		break
	}
	_, errs, err := copied(cfg, copyOptions{Target: Target{Blob: "bucket:"}})
	if err == nil || !strings.Contains(err.Error(), "the copy is not whole: 1 finding above") || !strings.Contains(errs, "file_damaged doc_") {
		t.Errorf("%v %s", err, errs)
	}
}

// What a killed server has left, and what the source's stores disagree about, does not
// keep a copy from its end.
func TestACopyOfAnUntidySourceIsFinished(t *testing.T) {
	in := &bucket{objects: map[string][]byte{}}
	cfg := withStores(filled(t, "a.txt", "b.txt"), in)
	folder := filepath.Join(cfg.DataDir, folderDocuments, "default")
	files := filesOf(t, folder)
	lost := filepath.Join(folder, files[0])
	// The database is elsewhere, and stays there.
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.db")
	err := errors.Join(
		os.WriteFile(filepath.Join(folder, ".tmp-x"), []byte("x"), 0o600), os.WriteFile(filepath.Join(folder, "orphan"), []byte("x"), 0o600),
		os.Remove(lost), os.Rename(filepath.Join(cfg.DataDir, fileDatabase), elsewhere),
	)
	if err != nil {
		t.Fatal(err)
	}
	cfg.DatabaseURL = "sqlite:" + elsewhere
	cfg = withStores(cfg, in)
	moved := filepath.Join(t.TempDir(), "moved")
	out, errs, err := copied(cfg, copyOptions{Target: Target{DataDir: moved}})
	if err == nil || err.Error() != "the copy is whole but for the files of 1 document named above" || strings.Count(errs, "\n") != 1 || strings.Contains(out, "database") {
		t.Errorf("%v %s %s", err, out, errs)
	}
	if got := filesOf(t, filepath.Join(moved, folderDocuments, "default")); len(got) != 1 || got[0] != files[1] {
		t.Errorf("%v", got)
	}
	// Only the index is copied: the files are as they were.
	cfg.At = func(Target) (Config, error) {
		to := withStores(cfg, in)
		to.VectorURL = "another:"
		return to, nil
	}
	out, errs, err = copied(cfg, copyOptions{})
	if err == nil || !strings.Contains(err.Error(), "the copy is as the source is, which has 1 finding above") || !strings.HasPrefix(errs, "file_missing doc_") || strings.Count(errs, "\n") != 1 {
		t.Errorf("%v %s %s", err, out, errs)
	}
}

// A copy that ends at any of its signals says that it goes on, and does.
func TestAnInterruptedCopyGoesOn(t *testing.T) {
	in := &bucket{objects: map[string][]byte{}}
	cfg := withStores(filled(t, "a.txt"), in)
	target := filepath.Join(t.TempDir(), "target")
	ctx, cancel := context.WithCancel(t.Context())
	interrupted := cfg
	interrupted.At = func(to Target) (Config, error) {
		c, err := cfg.At(to)
		c.OpenBlobs = func(context.Context) (Blobs, error) {
			cancel()
			return nil, ctx.Err()
		}
		return c, err
	}
	p := quiet(nil, nil)
	p.Config = func(bool) (Config, error) { return interrupted, nil }
	if err := p.copy(ctx, copyOptions{Target: Target{DataDir: target}}); err == nil || err.Error() != "interrupted; the same command goes on where it ended" {
		t.Error(err)
	}
	// Weights and secrets of the source come along, those that are there already stay.
	models := filepath.Join(cfg.DataDir, folderModels)
	if err := errors.Join(os.Mkdir(models, 0o700), os.WriteFile(filepath.Join(models, "weights"), []byte("weights"), 0o600),
		os.WriteFile(filepath.Join(cfg.DataDir, FileSecret), []byte("the secret of the source\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, errs, err := copied(cfg, copyOptions{Target: Target{DataDir: target}}); err != nil || errs != "an unfinished copy goes on\n" {
		t.Errorf("%v %s", err, errs)
	}
	for name, want := range map[string]string{filepath.Join(folderModels, "weights"): "weights", FileSecret: "the secret of the source\n"} {
		if got, err := os.ReadFile(filepath.Join(target, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	if got := names(t, inFiles(target)); got != "a.txt" {
		t.Error(got)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := errors.Join(os.Mkdir(other, 0o700), os.WriteFile(filepath.Join(other, FileSecret), []byte("another secret\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := copied(cfg, copyOptions{Target: Target{DataDir: other}}); err == nil || !strings.Contains(err.Error(), "is another secret") {
		t.Error(err)
	}
}

// TestACopySaysHowToStartTheServer proves that a shell takes the line, and that it says
// what has to be put in for the password.
func TestACopySaysHowToStartTheServer(t *testing.T) {
	for _, c := range []struct {
		to   Config
		want string
	}{
		{Config{DatabaseURL: "sqlite:/d/footnote.db", BlobURL: "s3://docs/third?endpoint=https://s3.example.com&region=here", VectorURL: "qdrant://qdrant:6334"},
			" FOOTNOTE_BLOB_URL='s3://docs/third?endpoint=https://s3.example.com&region=here' FOOTNOTE_VECTOR_URL=qdrant://qdrant:6334\n"},
		{Config{DatabaseURL: "mysql://foot:cret@db:3306/foot?tls=true", BlobURL: "file:", VectorURL: "embedded:"},
			" FOOTNOTE_DATABASE_URL='mysql://***@db:3306/foot?tls=***'\nIn place of each *** write what you gave the command.\n"},
		{Config{DataDir: "/my disk/it's", DatabaseURL: "sqlite:/d/footnote.db", BlobURL: "file:", VectorURL: "embedded:"},
			` FOOTNOTE_DATA_DIR='/my disk/it'\''s'` + "\n"},
	} {
		var out bytes.Buffer
		from := Config{DatabaseURL: "sqlite:/d/footnote.db", BlobURL: "file:", VectorURL: "embedded:"}
		run := &copyRun{p: &Program{Streams: console.Streams{Out: &out}}, from: from, to: c.to, plan: plan{
			dataDir: c.to.DataDir != "", database: c.to.DatabaseURL != from.DatabaseURL, blobs: c.to.BlobURL != from.BlobURL, index: c.to.VectorURL != from.VectorURL,
		}}
		if err := run.report(time.Second); err != nil || !strings.HasSuffix(out.String(), "with"+c.want) {
			t.Errorf("%v\n%s", err, out.String())
		}
	}
}
