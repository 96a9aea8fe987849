package maintain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"footnote/assistants"
	"footnote/storage/archive"
	"footnote/storage/blob"
	"footnote/storage/db"
	"footnote/storage/vector/embedded"

	"footnote/cmd/footnote/console"
)

func (p *Program) backupCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "backup FILE", Short: "Save database, documents and index in one archive, while the server serves", Args: cobra.ExactArgs(1),
		Long: `Writes everything that the data directory keeps into one archive: database, documents, index
and the installation's secret. The server may go on serving: the archive holds one moment of the
database and every file that this moment names. Run it on the machine of the server and as the
same user; it reads the files and sends the server no request.

FILE appears when it is whole; "-" writes to standard output. The archive holds secrets (hashes of
API keys, the secret that signs links) and all documents: only its owner may read it; keep it
like that. It does not hold the configuration: keep footnote.yaml and FOOTNOTE_*
variables yourself, FOOTNOTE_SECRET_KEY above all, if you set it.

Exit status 1 if a document's file is missing or damaged: the archive is still written, and
the documents are named. An index on a Qdrant server is not in the archive: it is built again.
Documents on S3 are not in it either: copy the bucket after the database. A database on a server has its own tools; this command says what to do instead.`,
		Example: `  footnote backup footnote-2026-11-21.tar.gz
  footnote backup --data-dir /var/lib/footnote --force /backups/footnote.tar.gz
  footnote backup - | ssh backup-host 'cat > footnote.tar.gz'
  docker exec footnote /footnote backup - > footnote.tar.gz`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := p.Config(false)
			if err != nil {
				return err
			}
			return p.backup(cmd.Context(), cfg, args[0], force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace FILE if it is there already")
	return cmd
}

// interruptible is a context that ends when the user or the system ends the
// command. It ignores SIGPIPE, so that a closed standard output is an error of
// writing, after which the command cleans up.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	signal.Ignore(syscall.SIGPIPE)
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// A backupRun is one archive in the making.
type backupRun struct {
	p     *Program
	cfg   Config
	in    installation
	path  string // of the archive, "-" for standard output
	out   *output
	ar    *archive.Writer
	store *db.Store
	blobs *blob.Reader
	stage *stage // for the copies of database and index
	bar   *progressbar.ProgressBar

	schema         int64
	settledBefore  map[assistants.DocumentID]int64 // settled documents and their revisions, before the index was copied
	settled        map[assistants.DocumentID]int64 // the same in the database's copy
	installationID string                          // of the installation, in the database's copy
	notes          []string                        // what else the user should know
}

func (p *Program) backup(ctx context.Context, cfg Config, path string, force bool) error {
	PrivateFiles()
	ctx, stop := interruptible(ctx)
	defer stop()
	b := &backupRun{p: p, cfg: cfg}
	return b.run(ctx, path, force, createOutput)
}

func (b *backupRun) run(ctx context.Context, path string, force bool, create func(path string) (outputFile, error)) (err error) {
	b.path = path
	if b.in, err = embeddedInstallation(b.cfg); err != nil {
		return err
	}
	if err := b.in.checkReadable(); err != nil {
		return err
	}
	start := time.Now()
	if b.out, err = openOutput(path, force, b.p.Out, create); err != nil {
		return err
	}
	done, err := b.write(ctx, start)
	if err == nil {
		err = b.out.commit()
	}
	if err != nil {
		err = errors.Join(err, b.out.discard())
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		if b.out.file == nil {
			return fmt.Errorf("the archive is not whole, throw it away: %w", err)
		}
		return fmt.Errorf("no archive was written, and nothing is left of it: %w", err)
	}
	return b.report(done, start)
}

// checkReadable returns an error if the installation cannot be backed up now.
func (in installation) checkReadable() error {
	if _, err := os.Stat(in.database); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no database %s, so there is nothing to back up; name the data directory with --data-dir", in.database)
		}
		return fmt.Errorf("the database cannot be read: %w", err)
	}
	if _, err := os.Lstat(in.path(swapJournal)); err == nil {
		return fmt.Errorf("a restore into %s is under way, or was interrupted; the next start of the server finishes it", in.dir)
	}
	return nil
}

// write writes the archive into its unfinished file.
func (b *backupRun) write(ctx context.Context, start time.Time) (done summary, err error) {
	identity, err := os.Stat(b.in.database)
	if err != nil {
		return done, err
	}
	end, err := b.open(ctx)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, end()) }()
	b.ar = archive.NewWriter(b.out, start)
	c := collector{
		archive: b.ar, list: b.store.Blobs, snapshot: b.snapshot, expect: b.expect, onRead: b.countRead,
		open: func(ctx context.Context, key string) (blob.File, int64, error) {
			if b.blobs == nil {
				return nil, 0, assistants.ErrNotFound
			}
			return b.blobs.Open(ctx, key)
		},
	}
	if b.in.onS3 {
		done, err = b.withoutFiles(ctx)
	} else {
		done, err = c.run(ctx, func() error { return b.copyIndex(ctx) })
	}
	if err != nil {
		return done, err
	}
	if err := b.addRest(ctx); err != nil {
		return done, err
	}
	now, err := os.Stat(b.in.database)
	if err == nil && !os.SameFile(identity, now) {
		err = errors.New("the data directory was replaced by another meanwhile")
	}
	if err != nil {
		return done, err
	}
	return done, b.ar.Finish(archive.Manifest{
		Program: b.p.Version, Schema: b.schema, Documents: done.documents, Damaged: done.damaged,
		SecretElsewhere: b.cfg.SecretKeySet, DocumentsElsewhere: b.in.onS3,
	})
}

// open opens what is read, and a folder for the copies.
func (b *backupRun) open(ctx context.Context) (end func() error, err error) {
	closeAll := func() error {
		var errs []error
		if b.store != nil {
			errs = append(errs, b.store.Close())
		}
		if b.blobs != nil {
			errs = append(errs, b.blobs.Close())
		}
		if b.stage != nil {
			errs = append(errs, b.stage.remove())
		}
		return errors.Join(errs...)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeAll())
		}
	}()
	folder, err := b.in.roomForCopies(b.path, freeBytes)
	if err != nil {
		return nil, err
	}
	if b.stage, err = makeStage(folder, backupPrefix); err != nil {
		return nil, err
	}
	if b.store, err = db.Open(ctx, "sqlite:"+b.in.database, db.Options{}); err != nil {
		return nil, err
	}
	if b.schema, err = b.store.SchemaVersion(ctx); err != nil {
		return nil, err
	}
	if b.schema == 0 {
		return nil, errors.New("the database is empty, so there is nothing to back up")
	}
	if b.in.onS3 {
		return closeAll, nil
	}
	b.blobs, err = blob.OpenReader(b.in.path(folderDocuments))
	if errors.Is(err, assistants.ErrNotFound) {
		err = nil // the report names every document that has no file
	}
	return closeAll, err
}

// roomForCopies chooses the folder for the copies of database and index. It prefers
// the data directory, where SQLite is known to work, then the archive's folder, then
// that for temporary files. The folder must have twice the space that the copies need,
// so that the server does not run out of space.
func (in installation) roomForCopies(path string, free func(folder string) (int64, bool)) (string, error) {
	var need int64
	for _, file := range []string{in.database, in.database + "-wal", in.path(fileIndex), in.path(fileIndex + "-wal")} {
		if info, err := os.Stat(file); err == nil {
			need += info.Size()
		}
	}
	folders := []string{in.dir}
	if path != "-" {
		folders = append(folders, filepath.Dir(path))
	}
	for _, folder := range append(folders, os.TempDir()) {
		if n, known := free(folder); !known || n >= 2*need {
			return folder, nil
		}
	}
	return "", fmt.Errorf("copies of database and index need %s free in %s, in the folder of the archive or in $TMPDIR", humanize.IBytes(uint64(2*need)), in.dir)
}

// copyIndex copies the index. If that fails, the archive has no index, and the server
// builds it again from the database.
func (b *backupRun) copyIndex(ctx context.Context) (err error) {
	if b.settledBefore, err = b.store.Settled(ctx); err != nil {
		return err
	}
	if b.cfg.VectorURL != "embedded:" {
		b.notes = append(b.notes, "The index is on a server and not in the archive. If it is lost, it is built again after a restore.")
		return nil
	}
	to := b.stage.path(fileIndex)
	if err := embedded.Snapshot(ctx, b.in.path(fileIndex), to); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		b.notes = append(b.notes, "The index could not be copied and is not in the archive; it is built again after a restore.")
		return os.RemoveAll(to)
	}
	return nil
}

// snapshot copies the database and replaces the last copy. It returns the files that
// the new copy names.
func (b *backupRun) snapshot(ctx context.Context) (refs []db.BlobRef, err error) {
	path := b.stage.path(fileDatabase)
	if err := os.RemoveAll(path); err != nil {
		return nil, err
	}
	if err := b.store.Snapshot(ctx, path); err != nil {
		return nil, err
	}
	copied, err := db.Open(ctx, "sqlite:"+path, db.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	if b.settled, err = copied.Settled(ctx); err != nil {
		return nil, err
	}
	if b.installationID, err = copied.Meta(ctx, metaInstallation); err != nil {
		return nil, err
	}
	return copied.Blobs(ctx)
}

// withoutFiles makes the copies for an archive that leaves the documents on S3.
func (b *backupRun) withoutFiles(ctx context.Context) (done summary, err error) {
	if err := b.copyIndex(ctx); err != nil {
		return done, err
	}
	refs, err := b.snapshot(ctx)
	documents := map[assistants.DocumentID]bool{}
	for _, ref := range refs {
		documents[ref.Document] = true
	}
	b.notes = append(b.notes, "The files of the documents are not in the archive: now copy "+b.cfg.bucket()+".")
	return summary{documents: len(documents)}, err
}

// addRest adds everything but the documents.
func (b *backupRun) addRest(ctx context.Context) error {
	if err := b.addFile(ctx, fileDatabase, b.stage.path(fileDatabase)); err != nil {
		return err
	}
	index := b.stage.path(fileIndex)
	if _, err := os.Stat(index); err == nil {
		// What changed between the two copies is indexed again after a restore.
		err := embedded.Prune(ctx, index, func(id assistants.DocumentID) bool {
			now, settled := b.settled[id]
			was, before := b.settledBefore[id]
			return settled && before && now == was
		})
		if err == nil {
			err = b.addFile(ctx, fileIndex, index)
		}
		if err != nil {
			return err
		}
	}
	if err := b.addSmall(fileInstallation, func(content string) error {
		if strings.TrimSuffix(content, markS3) != b.installationID {
			return fmt.Errorf("the database is not the one that knows the documents in %s: correct --database-url or --data-dir", b.in.dir)
		}
		return nil
	}); err != nil {
		return err
	}
	return b.addSmall(FileSecret, func(string) error { return nil })
}

// addFile adds a file that must be read whole.
func (b *backupRun) addFile(ctx context.Context, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		b.expect(info.Size())
		_, err = b.ar.Add(name, info.Size(), &watchedReader{ctx, f, b.countRead})
	}
	return errors.Join(err, f.Close())
}

// addSmall adds a file of the data directory, if it is there.
func (b *backupRun) addSmall(name string, check func(content string) error) error {
	content, err := os.ReadFile(b.in.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = check(strings.TrimSpace(string(content)))
	}
	if err == nil {
		_, err = b.ar.Add(name, int64(len(content)), strings.NewReader(string(content)))
	}
	return err
}

// expect adds n to the bytes that the progress bar expects.
func (b *backupRun) expect(n int64) {
	switch {
	case !console.IsTerminal(b.p.Err):
	case b.bar == nil:
		b.bar = byteBar(b.p.Err, "backing up", n)
	default:
		b.bar.ChangeMax64(b.bar.GetMax64() + n)
	}
}

func (b *backupRun) countRead(n int64) {
	if b.bar != nil {
		_ = b.bar.Add64(n) // only the display
	}
}

func byteBar(w io.Writer, what string, total int64) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond))
}

// report prints what was saved, and what was not.
func (b *backupRun) report(done summary, start time.Time) error {
	if b.bar != nil {
		_ = b.bar.Clear() // only the display
	}
	for _, d := range done.damaged {
		fmt.Fprintf(b.p.Err, "damaged  %s (%s): its file %s\n", d.Name, d.Document, d.Problem)
	}
	for _, note := range b.notes {
		fmt.Fprintln(b.p.Err, note)
	}
	if b.cfg.SecretKeySet {
		fmt.Fprintln(b.p.Err, "FOOTNOTE_SECRET_KEY is not in the archive: keep it, for without it links and stored keys are lost.")
	}
	w := b.p.Out
	if b.out.file == nil {
		w = b.p.Err // standard output is the archive
	}
	size := humanize.IBytes(uint64(done.bytes))
	if b.in.onS3 {
		size = "without their files"
	}
	fmt.Fprintf(w, "%s, %s, backed up in %.1f s", console.Plural(done.documents, "document"), size, time.Since(start).Seconds())
	if b.out.file != nil {
		size = ""
		if info, err := os.Stat(b.out.path); err == nil {
			size = " (" + humanize.IBytes(uint64(info.Size())) + ")"
		}
		fmt.Fprintf(w, ": %s%s", b.out.path, size)
	}
	fmt.Fprintln(w)
	if len(done.damaged) > 0 {
		return fmt.Errorf("the archive is whole but for %s named above", console.Plural(len(done.damaged), "document"))
	}
	return nil
}
