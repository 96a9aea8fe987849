package maintain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/cmd/footnote/console"
	"footnote/storage/db"
)

// A Target says where a copy goes. What is "" stays as the configuration has it.
type Target struct {
	DataDir, Database, Blob, Vector string
}

// A copyOptions has the options of `footnote copy`.
type copyOptions struct {
	Target
	again bool
}

func (p *Program) copyCommand() *cobra.Command {
	var how copyOptions
	cmd := &cobra.Command{
		Use: "copy", Short: "Copy everything to another database, document store or index", Args: cobra.NoArgs,
		Long: `Copies an installation to other stores: assistants, settings, keys, documents with all their
versions, history, audit log, files and vectors. Ids stay the same, so keys, links and citations go
on working. Nothing is embedded again. The source is only read; stop its server first.

Name what shall be elsewhere; a store that is not named stays where it is and is not copied:

  --to-database   an empty database
  --to-blob       the store of the documents' files
  --to-vector     the index
  --to-data-dir   another data directory: what the stores keep in it, the secret that signs
                  links and the weights of the embedder

Killed or interrupted, the same command goes on where it ended. No server starts on an unfinished
copy. A target with anything else in it is refused; --again throws an unfinished copy away and begins
anew, which is needed when the source was changed meanwhile.

At the end every table is compared by the number of its rows and by checksums, every file is read
back and compared with the SHA-256 of its upload, and the index is compared with the database. Then
the command prints how to start the server on the copy. Do that, and never start the old one
again: there is no way to merge the two.

Options and variables of the server say where the source is. A password on the command line is
visible to other users of the machine, so FOOTNOTE_TO_DATABASE, FOOTNOTE_TO_BLOB, FOOTNOTE_TO_VECTOR
and FOOTNOTE_TO_DATA_DIR may say where the copy goes. The keys of a bucket are FOOTNOTE_S3_ACCESS_KEY_ID
and FOOTNOTE_S3_SECRET_ACCESS_KEY. If FOOTNOTE_SECRET_KEY is set, set the same for the copy.

Exit status 0 when the copy is whole; 1 otherwise. When files of documents were missing or damaged at
the source, or its stores did not fit together, the copy is finished as well as it can be, and says so.`,
		Example: `  footnote copy --to-database postgres://footnote@db.example.com/footnote
  footnote copy --to-database postgres://footnote@db/footnote --to-vector qdrant://qdrant:6334
  footnote copy --to-data-dir /mnt/new-disk/footnote
  footnote copy --to-blob "s3://bucket/prefix?region=eu-central-1"
  FOOTNOTE_TO_DATABASE=mysql://footnote:password@db:3306/footnote footnote copy
  FOOTNOTE_DATABASE_URL=postgres://footnote@db/footnote footnote copy --to-data-dir /srv/footnote --to-database sqlite:`,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.copy(cmd.Context(), how) },
	}
	cmd.Flags().StringVar(&how.Database, "to-database", "", "copy to this database, for instance postgres://user@host:5432/name or mysql://user@host:3306/name, or sqlite: for a file in the data directory")
	cmd.Flags().StringVar(&how.Blob, "to-blob", "", "copy the documents' files there, for instance s3://bucket/prefix?region=eu-central-1, or file: for the data directory")
	cmd.Flags().StringVar(&how.Vector, "to-vector", "", "copy the index there, for instance qdrant://host:6334, or embedded: for a file in the data directory")
	cmd.Flags().StringVar(&how.DataDir, "to-data-dir", "", "copy to this data directory")
	cmd.Flags().BoolVar(&how.again, "again", false, "throw away what an unfinished copy has copied, and begin anew")
	return cmd
}

// fill sets from the environment what the command line does not say.
func (t *Target) fill(environ []string) {
	for name, field := range map[string]*string{
		"FOOTNOTE_TO_DATA_DIR=": &t.DataDir, "FOOTNOTE_TO_DATABASE=": &t.Database, "FOOTNOTE_TO_BLOB=": &t.Blob, "FOOTNOTE_TO_VECTOR=": &t.Vector,
	} {
		for _, variable := range environ {
			if value, ok := strings.CutPrefix(variable, name); ok && *field == "" {
				*field = value
			}
		}
	}
}

// A copyRun is one copy.
type copyRun struct {
	p        *Program
	from, to Config
	plan     plan
	again    bool
	id       string // of the installation
	source   *db.Store
	store    *db.Store      // of the copy; source, unless the database is copied
	closers  []func() error // in the order of opening

	problems  map[assistants.DocumentID]bool // documents whose files could not be copied, or are damaged at the source
	inherited int                            // findings that the source has, too
}

// A plan says what is copied.
type plan struct{ dataDir, database, blobs, index bool }

// planCopy compares two configurations.
func planCopy(from, to Config) (plan, error) {
	dir := !sameFolder(from.DataDir, to.DataDir)
	p := plan{
		dataDir:  dir,
		database: from.DatabaseURL != to.DatabaseURL && !sameFile(from.DatabaseURL, to.DatabaseURL),
		blobs:    from.BlobURL != to.BlobURL || from.BlobURL == "file:" && dir,
		index:    from.VectorURL != to.VectorURL || from.VectorURL == "embedded:" && dir,
	}
	if !p.dataDir && !p.database && !p.blobs && !p.index {
		return p, errors.New("the copy would be where the source is; name another place with --to-database, --to-blob, --to-vector or --to-data-dir")
	}
	if inMemory(from.DatabaseURL) || inMemory(to.DatabaseURL) {
		return p, errors.New("a database in memory is gone with its process: it can be neither the source nor the target of a copy")
	}
	return p, nil
}

// sameFile reports whether two URLs name the same file of a database.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(databasePath(a))
	infoB, errB := os.Stat(databasePath(b))
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

func (p *Program) copy(ctx context.Context, how copyOptions) (err error) {
	PrivateFiles()
	ctx, stop := interruptible(ctx)
	defer stop()
	start := time.Now()
	how.fill(p.Environ)
	c := &copyRun{p: p, again: how.again, problems: map[assistants.DocumentID]bool{}}
	if c.from, err = p.Config(true); err != nil {
		return err
	}
	if c.to, err = c.from.At(how.Target); err != nil {
		return err
	}
	if c.plan, err = planCopy(c.from, c.to); err != nil {
		return err
	}
	if _, err := os.Stat(c.from.DataDir); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no data directory %s to copy; name another with --data-dir", c.from.DataDir)
	}
	if err := c.run(ctx); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted; the same command goes on where it ended")
		}
		return err
	}
	return c.report(time.Since(start))
}

func (c *copyRun) run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, c.close()) }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := c.open(ctx, cancel); err != nil {
		return err
	}
	steps := []func(context.Context) error{c.begin, c.copyDatabase, c.copyDataDir, c.copyBlobs, c.copyIndex, c.check, c.end}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			if cause := context.Cause(ctx); cause != nil && ctx.Err() != nil {
				err = errors.Join(err, cause)
			}
			return err
		}
	}
	return nil
}

// close closes what is open, the last one first.
func (c *copyRun) close() error {
	var errs []error
	for n := len(c.closers) - 1; n >= 0; n-- {
		errs = append(errs, c.closers[n]())
	}
	return errors.Join(errs...)
}

// open locks both installations and opens both databases.
func (c *copyRun) open(ctx context.Context, onLost func(error)) error {
	lock, err := lockWithoutServer(c.from)
	if err != nil {
		return err
	}
	c.closers = append(c.closers, lock.Release)
	if c.source, err = openForCheck(ctx, c.from, db.Options{Logger: c.from.Log, ReadOnly: true}); err != nil {
		return err
	}
	c.closers = append(c.closers, c.source.Close)
	if err := c.exclude(ctx, c.source, c.from, onLost); err != nil {
		return err
	}
	if c.id, err = c.source.Meta(ctx, metaInstallation); err != nil {
		return err
	}
	if err := c.lockTarget(); err != nil {
		return err
	}
	if err := c.checkTargetBucket(ctx); err != nil {
		return err
	}
	c.store = c.source
	if !c.plan.database {
		return nil
	}
	c.store, err = db.Open(ctx, c.to.DatabaseURL, db.Options{Logger: c.to.Log})
	if err != nil {
		return fmt.Errorf("the database %s cannot be opened; correct --to-database: %w", console.RedactURL(c.to.DatabaseURL), err)
	}
	c.closers = append(c.closers, c.store.Close)
	return c.exclude(ctx, c.store, c.to, onLost)
}

// lockTarget locks what of the target is not the source's.
func (c *copyRun) lockTarget() error {
	lock := &Lock{}
	var err error
	switch {
	case c.plan.dataDir:
		to := c.to
		if !c.plan.database { // the source has locked it
			to.DatabaseURL = ""
		}
		lock, err = LockData(to)
	case c.plan.database:
		err = lock.lockDatabase(c.to)
	}
	if err != nil {
		return withoutServer(err)
	}
	c.closers = append(c.closers, lock.Release)
	return nil
}

// exclude keeps servers from a database until the end.
func (c *copyRun) exclude(ctx context.Context, store *db.Store, cfg Config, onLost func(error)) error {
	release, err := store.Exclude(ctx, onLost)
	if errors.Is(err, assistants.ErrConflict) {
		return fmt.Errorf("the database %s is in use by a server, or is the source's; stop the server, or name another database", console.RedactURL(cfg.DatabaseURL))
	}
	if err != nil {
		return err
	}
	c.closers = append(c.closers, func() error { release(); return nil })
	return nil
}

// checkFinished returns an error for a database that is the target of an unfinished
// copy.
func checkFinished(ctx context.Context, store interface {
	Meta(ctx context.Context, key string) (string, error)
}) error {
	state, err := store.Meta(ctx, db.MetaCopy)
	if err == nil && state != "" {
		err = errors.New("a copy into this database has not been finished: run the same `footnote copy` again, or use another database")
	}
	return err
}

// begin prepares the database of the copy, and checks that the other targets may be used.
func (c *copyRun) begin(ctx context.Context) error {
	if c.plan.dataDir {
		kept, err := InstallationID(c.to.DataDir)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if err == nil && kept != c.id {
			return fmt.Errorf("the data directory %s belongs to another installation; choose an empty one with --to-data-dir", c.to.DataDir)
		}
	}
	if !c.plan.database {
		return nil
	}
	shown := console.RedactURL(c.to.DatabaseURL)
	if _, err := c.store.Migrate(ctx); err != nil {
		return fmt.Errorf("the database %s cannot be used: %w", shown, err)
	}
	if c.again {
		if err := c.store.AbandonCopy(ctx, c.id); err != nil {
			return explainTarget(shown, err)
		}
	}
	resumed, err := c.store.BeginCopy(ctx, c.id)
	if err != nil {
		return explainTarget(shown, err)
	}
	if resumed {
		fmt.Fprintln(c.p.Err, "an unfinished copy goes on")
	}
	return nil
}

// explainTarget says what to do when a database cannot be the target.
func explainTarget(shown string, err error) error {
	if full, ok := errors.AsType[*db.NotEmptyError](err); ok {
		return fmt.Errorf("the database %s is not empty, its table %s has rows; use an empty database", shown, full.Table)
	}
	if _, ok := errors.AsType[*db.CopyOfAnotherError](err); ok {
		return fmt.Errorf("the database %s has the unfinished copy of another installation; use an empty database", shown)
	}
	return err
}

// copyDatabase copies the rows and compares both databases.
func (c *copyRun) copyDatabase(ctx context.Context) error {
	if !c.plan.database {
		return nil
	}
	total, err := c.source.CountRows(ctx)
	if err != nil {
		return err
	}
	bar := c.p.countBar("copying rows", total)
	err = c.source.CopyRows(ctx, c.store, bar.add)
	bar.end()
	if err != nil {
		return fmt.Errorf("the rows were not all copied; the same command goes on: %w", err)
	}
	bar = c.p.countBar("comparing rows", 2*total)
	defer bar.end()
	want, err := c.source.Sums(ctx, bar.add)
	if err != nil {
		return err
	}
	got, err := c.store.Sums(ctx, bar.add)
	if err != nil {
		return err
	}
	if different := db.DifferentTables(want, got); len(different) > 0 {
		return fmt.Errorf("the source has changed since the copy was begun, or the target was written to: the tables %v differ; copy everything anew with --again", different)
	}
	rows := 0
	for _, sum := range got {
		rows += sum.Rows
	}
	bar.end()
	fmt.Fprintf(c.p.Out, "database: %s of %s, compared by checksums\n", console.Plural(rows, "row"), console.Plural(len(got), "table"))
	return nil
}

// copyIndex copies the vectors, and indexes the words of the database's passages.
func (c *copyRun) copyIndex(ctx context.Context) (err error) {
	if !c.plan.index {
		return nil
	}
	vectors, err := c.from.OpenVectors(ctx)
	if err != nil {
		return fmt.Errorf("the index %s cannot be read: %w", console.RedactURL(c.from.VectorURL), err)
	}
	defer func() { err = errors.Join(err, vectors.Close()) }()
	index, err := c.to.OpenIndex()
	if err != nil {
		return fmt.Errorf("the index %s cannot be used; correct --to-vector: %w", console.RedactURL(c.to.VectorURL), err)
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	total, err := countDocuments(ctx, c.store)
	if err != nil {
		return err
	}
	bar := c.p.countBar("copying the index", total)
	defer bar.end()
	run := ingestion.IndexCopy{Store: c.store, From: vectors, To: index, Progress: func() { bar.add(1) }}
	documents, without, err := run.Run(ctx)
	bar.end()
	if errors.Is(err, assistants.ErrConflict) {
		return fmt.Errorf("the index %s is not empty: it has documents of another installation; name another place with --to-vector or --to-data-dir", console.RedactURL(c.to.VectorURL))
	}
	if err != nil {
		return fmt.Errorf("the index was not wholly copied; the same command goes on: %w", err)
	}
	fmt.Fprintf(c.p.Out, "index: %s\n", console.Plural(documents, "document"))
	if without > 0 {
		fmt.Fprintf(c.p.Out, "index: %s without vectors at the source; the server makes them when it starts\n", console.Plural(without, "document"))
	}
	return nil
}

// end marks the copy as whole.
func (c *copyRun) end(ctx context.Context) error {
	if !c.plan.database {
		return nil
	}
	return c.store.EndCopy(ctx)
}

// report says how to go on.
func (c *copyRun) report(took time.Duration) error {
	fmt.Fprintf(c.p.Out, "copied in %.1f s; start the server on the copy with", took.Seconds())
	if c.plan.dataDir {
		fmt.Fprintf(c.p.Out, " FOOTNOTE_DATA_DIR=%s", console.ShellWord(c.to.DataDir))
	}
	hidden := false
	for _, moved := range []struct {
		is             bool
		name, from, to string
	}{
		{c.plan.database, "FOOTNOTE_DATABASE_URL", c.from.shownDatabase(), c.to.shownDatabase()},
		{c.plan.blobs, "FOOTNOTE_BLOB_URL", c.from.BlobURL, c.to.BlobURL},
		{c.plan.index, "FOOTNOTE_VECTOR_URL", c.from.VectorURL, c.to.VectorURL},
	} {
		if moved.is && moved.from != moved.to {
			shown := ShownURL(moved.to)
			hidden = hidden || shown != moved.to
			fmt.Fprintf(c.p.Out, " %s=%s", moved.name, console.ShellWord(shown))
		}
	}
	fmt.Fprintln(c.p.Out)
	if hidden {
		fmt.Fprintln(c.p.Out, "In place of each *** write what you gave the command.")
	}
	if c.from.SecretKeySet {
		fmt.Fprintln(c.p.Out, "Set the same FOOTNOTE_SECRET_KEY.")
	}
	if c.inherited > 0 {
		return fmt.Errorf("the copy is as the source is, which has %s above; `footnote check --repair` on the copy mends them", console.Plural(c.inherited, "finding"))
	}
	if len(c.problems) > 0 {
		return fmt.Errorf("the copy is whole but for the files of %s named above", console.Plural(len(c.problems), "document"))
	}
	return nil
}
