package maintain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"footnote/storage/archive"
	"footnote/storage/blob"
	"footnote/storage/db"

	"footnote/cmd/footnote/console"
)

func (p *Program) restoreCommand() *cobra.Command {
	var replace bool
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Put a backup back into the data directory", Args: cobra.ExactArgs(1),
		Long: `Puts an archive of ` + "`footnote backup`" + ` into the data directory, which must be missing or empty, or is
moved aside with --replace: nothing is ever deleted. The server must be stopped.

The whole archive is read and verified before anything is put in its place: every file's hash, the
database's integrity and schema, and that no document lacks its file, unless the files are on S3.
Killed at any moment, the data directory is what it was before, or becomes what was in the archive at
the next start. "-" reads standard input.

The configuration is not in the archive. If FOOTNOTE_SECRET_KEY was set, set the same again.`,
		Example: `  footnote restore footnote-2026-11-21.tar.gz
  footnote restore --data-dir /var/lib/footnote --replace /backups/footnote.tar.gz
  ssh backup-host cat footnote.tar.gz | footnote restore -
  docker run --rm -i -v footnote:/data footnote restore - < footnote.tar.gz`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := p.Config(false)
			if err != nil {
				return err
			}
			return p.restore(cmd.Context(), cfg, args[0], replace)
		},
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "move what the data directory holds aside")
	return cmd
}

// A restoreRun puts one archive in its place.
type restoreRun struct {
	p       *Program
	cfg     Config
	in      installation
	replace bool
	start   time.Time
	stage   *stage
	bar     *progressbar.ProgressBar
	aside   []string // paths of the files that were there before, now moved aside
}

func (p *Program) restore(ctx context.Context, cfg Config, path string, replace bool) (err error) {
	PrivateFiles()
	ctx, stop := interruptible(ctx)
	defer stop()
	r := &restoreRun{p: p, cfg: cfg, replace: replace, start: time.Now()}
	if r.in, err = embeddedInstallation(cfg); err != nil {
		return err
	}
	source := p.In
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("the archive cannot be read: %w", err)
		}
		defer f.Close() //nolint:errcheck // only read
		source = f
	} else if f, ok := p.In.(*os.File); ok && console.IsTerminal(f) {
		return errors.New("there is no archive on standard input; name a file, or redirect the input")
	}
	m, err := r.lockAndPlace(ctx, source)
	if r.bar != nil {
		_ = r.bar.Clear() // only the display
	}
	if err != nil {
		if errors.Is(err, archive.ErrUnfinished) {
			return fmt.Errorf("the files could not all be put in their place; the next start of the server, or of this command, finishes it: %w", err)
		}
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		return fmt.Errorf("nothing was restored, and nothing was changed: %w", err)
	}
	r.report(m)
	return nil
}

// lockAndPlace restores under the lock of the data directory. If it made the
// directory and fails, it removes the directory.
func (r *restoreRun) lockAndPlace(ctx context.Context, source io.Reader) (m archive.Manifest, err error) {
	_, statErr := os.Stat(r.in.dir)
	lock, err := lockWithoutServer(r.cfg)
	if err != nil {
		return m, err
	}
	defer func() {
		if err != nil && errors.Is(statErr, fs.ErrNotExist) {
			err = errors.Join(err, os.Remove(r.in.path("lock")))
			_ = os.Remove(r.in.dir) // unless something is in it
		}
		err = errors.Join(err, lock.Release())
	}()
	stamp := asidePrefix + r.start.UTC().Format("20060102T150405.000Z")
	if present, err := r.in.movesAside(stamp); err != nil || len(present) > 0 && !r.replace {
		if err == nil {
			err = fmt.Errorf("%s is not empty: it has %s; choose another with --data-dir, or move what is there aside with --replace",
				r.in.dir, filepath.Base(present[0].From))
		}
		return m, err
	}
	if r.stage, err = makeStage(r.in.dir, restorePrefix); err != nil {
		return m, err
	}
	defer func() {
		if !errors.Is(err, archive.ErrUnfinished) {
			_ = r.stage.remove() // what stays is removed by the next start
		}
	}()
	file, err := r.seekable(ctx, source)
	if err != nil {
		return m, err
	}
	defer file.Close() //nolint:errcheck // only read
	if m, err = r.unpack(ctx, file); err != nil {
		return m, err
	}
	p := placement{in: r.in, stage: r.stage, stamp: stamp}
	if r.aside, err = p.place(); err == nil {
		_ = syncFolder(filepath.Dir(r.in.dir)) // makes a new data directory durable; users may lack the permission
	}
	return m, err
}

// seekable is the archive as a file that can be read twice.
func (r *restoreRun) seekable(ctx context.Context, source io.Reader) (*os.File, error) {
	if f, ok := source.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			_, err := f.Seek(0, io.SeekStart)
			return f, err
		}
	}
	f, err := os.Create(r.stage.path("archive"))
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(f, &watchedReader{ctx, source, func(int64) {}})
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// unpack verifies the archive and unpacks it into the stage.
func (r *restoreRun) unpack(ctx context.Context, file *os.File) (m archive.Manifest, err error) {
	info, err := file.Stat()
	if err != nil {
		return m, err
	}
	onRead := func(int64) {}
	if console.IsTerminal(r.p.Err) {
		r.bar = byteBar(r.p.Err, "restoring", 2*info.Size()) // it is read twice
		onRead = func(n int64) { _ = r.bar.Add64(n) }        // only the display
	}
	if m, err = archive.Verify(&watchedReader{ctx, file, onRead}); err != nil {
		return m, err
	}
	if err := r.checkEntries(m); err != nil {
		return m, err
	}
	if free, known := freeBytes(r.stage.dir); known && m.Bytes() > free {
		return m, fmt.Errorf("the archive unpacks to %s, and there are only %s free in %s",
			humanize.IBytes(uint64(m.Bytes())), humanize.IBytes(uint64(max(free, 0))), r.in.dir)
	}
	fresh := r.stage.path("new")
	if err := os.Mkdir(fresh, 0o700); err != nil {
		return m, err
	}
	root, err := os.OpenRoot(fresh)
	if err != nil {
		return m, err
	}
	if _, err = file.Seek(0, io.SeekStart); err == nil {
		err = archive.Unpack(&watchedReader{ctx, file, onRead}, m, root)
	}
	if err = errors.Join(err, root.Close()); err != nil {
		return m, err
	}
	return m, checkRestored(ctx, fresh, m)
}

// checkEntries refuses an archive that is whole but not of an installation, or whose
// documents would be looked for elsewhere.
func (r *restoreRun) checkEntries(m archive.Manifest) error {
	switch {
	case m.DocumentsElsewhere && !r.in.onS3:
		return errors.New("the archive does not have the files of the documents, which were on S3: set FOOTNOTE_BLOB_URL, as before")
	case !m.DocumentsElsewhere && r.in.onS3:
		return errors.New("the archive has the files of the documents, and FOOTNOTE_BLOB_URL is on S3: restore without it, then move them there with `footnote copy --to-blob`")
	}
	database := false
	for _, e := range m.Entries {
		key, document := strings.CutPrefix(e.Name, folderDocuments+"/")
		switch {
		case document && blob.CheckKey(key) == nil, e.Name == fileIndex, e.Name == fileInstallation, e.Name == FileSecret:
		case e.Name == fileDatabase:
			database = true
		default:
			return fmt.Errorf("the archive has an entry named %q, which no backup has", e.Name)
		}
	}
	if !database {
		return errors.New("the archive has no database")
	}
	return nil
}

// checkRestored reads the unpacked database, which must be sound, not newer
// than this program, and have a file in the archive for every document.
func checkRestored(ctx context.Context, folder string, m archive.Manifest) (err error) {
	path := filepath.Join(folder, fileDatabase)
	store, err := db.Open(ctx, "sqlite:"+path, db.Options{})
	if err != nil {
		return fmt.Errorf("the archive's database cannot be used: %w", err)
	}
	defer func() {
		err = errors.Join(err, store.Close())
		// Opening the database wrote to it, which must be durable, and made a lock file, which must not stay.
		if err == nil {
			err = errors.Join(os.Remove(path+"-migrate"), syncFile(path), syncFolder(folder))
		}
	}()
	if err := store.CheckIntegrity(ctx); err != nil {
		return fmt.Errorf("the archive's database cannot be used: %w", err)
	}
	if version, err := store.SchemaVersion(ctx); err != nil || version == 0 {
		if err == nil {
			err = errors.New("the archive's database is empty")
		}
		return err
	}
	refs, err := store.Blobs(ctx)
	if err != nil {
		return fmt.Errorf("the archive's database cannot be used: %w", err)
	}
	belongs := filepath.Join(folder, fileInstallation)
	if m.DocumentsElsewhere {
		return checkBelongs(ctx, store, belongs)
	}
	have := make(map[string]string, len(m.Entries))
	for _, e := range m.Entries {
		if !e.Unused {
			have[e.Name] = e.SHA256
		}
	}
	for _, d := range m.Damaged { // reported when the archive was made
		have[d.Entry] = ""
	}
	for _, ref := range refs {
		if sum, ok := have[entryOf(ref.Key)]; !ok || sum != "" && sum != ref.SHA256 {
			return fmt.Errorf("the archive lacks the file of the document %q (%s)", ref.Name, ref.Document)
		}
	}
	return checkBelongs(ctx, store, belongs)
}

// checkBelongs returns an error if the file with the installation's id exists and has
// another id than the database.
func checkBelongs(ctx context.Context, store *db.Store, path string) error {
	id, err := store.Meta(ctx, metaInstallation)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && strings.TrimSuffix(strings.TrimSpace(string(content)), markS3) != id {
		err = errors.New("the archive's database and documents are of two installations")
	}
	return err
}

// report prints what was restored, and what to know before the next start.
func (r *restoreRun) report(m archive.Manifest) {
	for _, d := range m.Damaged {
		fmt.Fprintf(r.p.Err, "damaged  %s (%s): its file %s since before the backup; upload it again\n", d.Name, d.Document, d.Problem)
	}
	switch {
	case m.SecretElsewhere && !r.cfg.SecretKeySet:
		fmt.Fprintln(r.p.Err, "The backup was made with FOOTNOTE_SECRET_KEY set: set the same before you start the server.")
	case !m.SecretElsewhere && r.cfg.SecretKeySet:
		fmt.Fprintln(r.p.Err, "FOOTNOTE_SECRET_KEY is set and counts instead of the secret in the archive: links signed with that one no longer work.")
	}
	fmt.Fprintf(r.p.Out, "%s, %s, restored to %s in %.1f s: as of %s\n", console.Plural(m.Documents, "document"),
		humanize.IBytes(uint64(m.Bytes())), r.in.dir, time.Since(r.start).Seconds(), m.CreatedAt.UTC().Format(time.RFC3339))
	if m.DocumentsElsewhere {
		fmt.Fprintln(r.p.Out, "Put the files of the documents back to S3 if they are lost, then run `footnote check --deep`.")
	}
	for _, path := range r.aside {
		fmt.Fprintf(r.p.Out, "What was there before is in %s; delete it when you do not need it any more.\n", path)
	}
}
