package maintain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/storage/db"

	"footnote/cmd/footnote/console"
)

// A check has the options of `footnote check`.
type check struct {
	deep, repair, json bool
}

func (p *Program) checkCommand() *cobra.Command {
	var how check
	cmd := &cobra.Command{
		Use: "check", Short: "Check that database, documents and index agree", Args: cobra.NoArgs,
		Long: `Checks that the database, the documents' files and the index agree, and prints one line for
each problem, with its remedy. Nothing is changed without --repair. Stop the server first.

It finds: damage of the database's file; documents whose file is missing, of another size or,
with --deep, of other bytes; documents that wait for a job that does not exist; rows, files and
passages that belong to nothing; an index that differs from the database. Work that the next
start does is no finding.

--repair deletes files and rows that no document has, queues documents again, marks documents
whose file is gone as failed, and brings the index up to date. It never deletes a document
that has a file.

Exit status 0 when everything fits or was repaired, 1 otherwise.`,
		Example: "  footnote check --deep\n  footnote check --repair",
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.check(cmd.Context(), how) },
	}
	cmd.Flags().BoolVar(&how.deep, "deep", false, "read every file and compare its SHA-256, not just its size")
	cmd.Flags().BoolVar(&how.repair, "repair", false, "repair what can be repaired")
	cmd.Flags().BoolVar(&how.json, "json", false, "print one JSON object")
	return cmd
}

// A checkReport is what --json prints.
type checkReport struct {
	Clean    bool                `json:"clean"` // nothing found, or everything repaired
	Findings []ingestion.Finding `json:"findings"`
	ingestion.Counts
}

func (p *Program) check(ctx context.Context, how check) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	cfg, err := p.Config(true)
	if err != nil {
		return err
	}
	if _, err := os.Stat(cfg.DataDir); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no data directory %s; name another with --data-dir", cfg.DataDir)
	}
	PrivateFiles()
	lock, err := lockWithoutServer(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	report := checkReport{Clean: true, Findings: []ingestion.Finding{}}
	found := func(f ingestion.Finding) {
		report.Findings = append(report.Findings, f)
		report.Clean = report.Clean && f.Repaired
		if !how.json {
			p.printFinding(f)
		}
	}
	if report.Counts, err = p.checkData(ctx, cfg, how, found); err != nil {
		return err
	}
	if how.json {
		out := json.NewEncoder(p.Out)
		out.SetIndent("", "  ")
		err = out.Encode(report)
	} else {
		p.printSummary(report)
	}
	if err == nil && !report.Clean {
		return console.ErrReported
	}
	return err
}

func (p *Program) printFinding(f ingestion.Finding) {
	state := "repair with --repair: " + f.Remedy
	switch {
	case f.Repaired:
		state = "repaired: " + f.Remedy
	case !f.Repairable:
		state = "not repairable here: " + f.Remedy
	}
	fmt.Fprintf(p.Out, "%s %s %s (%s)\n", f.Kind, f.ID, f.Message, state)
}

func (p *Program) printSummary(r checkReport) {
	repaired := 0
	for _, f := range r.Findings {
		if f.Repaired {
			repaired++
		}
	}
	result := "everything fits"
	if n := len(r.Findings); n > 0 {
		result = fmt.Sprintf("%d found, %d repaired", n, repaired)
	}
	fmt.Fprintf(p.Out, "%s: %d documents, %d files of %s, %d jobs for the next start\n",
		result, r.Documents, r.Files, humanize.IBytes(uint64(max(r.Bytes, 0))), r.OpenJobs)
}

// checkData opens the stores without changing them, and checks them.
func (p *Program) checkData(ctx context.Context, cfg Config, how check, found func(ingestion.Finding)) (counts ingestion.Counts, err error) {
	store, err := openForCheck(ctx, cfg, db.Options{Logger: cfg.Log})
	if err != nil {
		return counts, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	release, err := store.Exclude(ctx, cancel)
	if errors.Is(err, assistants.ErrConflict) {
		return counts, fmt.Errorf("the database %s is in use by a server; stop it first", console.RedactURL(cfg.DatabaseURL))
	}
	if err != nil {
		return counts, err
	}
	defer release()
	blobs, err := cfg.OpenBlobs(ctx)
	if err != nil {
		return counts, err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	indexed, damage, err := cfg.InspectIndex(ctx)
	if err != nil {
		return counts, err
	}
	if err := leftoverFiles(cfg.DataDir, how.repair, found); err != nil {
		return counts, err
	}
	checker := ingestion.Checker{
		Store: store, Blobs: blobs, Index: indexed, IndexDamage: damage, Deep: how.deep, Repair: how.repair, Report: found,
		Reindex: func(ctx context.Context) error { return reindex(ctx, cfg, store, blobs) },
	}
	total, err := countDocuments(ctx, store)
	if err != nil {
		return counts, err
	}
	bar := p.countBar("checking", total)
	checker.Progress = func() { bar.add(1) }
	return checker.Run(ctx)
}

// openForCheck opens the database if it belongs to the data directory. With another
// database, every file would seem to belong to no document.
func openForCheck(ctx context.Context, cfg Config, opts db.Options) (_ *db.Store, err error) {
	url := cfg.DatabaseURL
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok { // opening a missing file would create it
		if _, err := os.Stat(strings.TrimPrefix(path, "//")); err != nil {
			return nil, fmt.Errorf("there is no database %s; correct --database-url, or put it back from a backup", console.RedactURL(url))
		}
	}
	store, err := db.Open(ctx, url, opts)
	if err != nil {
		return nil, fmt.Errorf("the database %s cannot be opened; correct --database-url, or put it back from a backup: %w", console.RedactURL(url), err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, store.Close())
		}
	}()
	steps, err := store.MigrationStatus(ctx)
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		if step.AppliedAt.IsZero() {
			return nil, errors.New("the database's schema is not up to date; run `footnote migrate up` first")
		}
	}
	return store, checkOwner(ctx, cfg, store)
}

// checkOwner returns an error if the files of the documents belong to another database,
// or a copy into this one has not been finished.
func checkOwner(ctx context.Context, cfg Config, store *db.Store) error {
	known, err := store.Meta(ctx, metaInstallation)
	if err == nil {
		err = checkFinished(ctx, store)
	}
	if err != nil {
		return err
	}
	blobs, err := cfg.OpenBlobs(ctx)
	if err != nil {
		return err
	}
	if owned, ok := blobs.(OwnedStore); ok {
		owner, err := owned.Owner(ctx)
		if err == nil && owner != known {
			err = errOtherOwner
		}
		return errors.Join(err, blobs.Close())
	}
	if err := blobs.Close(); err != nil {
		return err
	}
	kept, err := os.ReadFile(filepath.Join(cfg.DataDir, fileInstallation))
	if err != nil {
		return fmt.Errorf("cannot find out whether the database is the one that knows the documents in %s: %w", cfg.DataDir, err)
	}
	return checkSameInstallation(cfg.DataDir, known, string(kept))
}

// leftoverFiles finds files that interrupted uploads and writes left in the data
// directory itself. Nothing is being written, because this process holds the lock.
func leftoverFiles(dataDir string, repair bool, found func(ingestion.Finding)) error {
	var names []string
	for _, pattern := range []string{".new-*", filepath.Join("uploads", "*")} {
		matches, err := filepath.Glob(filepath.Join(escapeGlob(dataDir), pattern))
		if err != nil {
			return err
		}
		names = append(names, matches...)
	}
	for _, name := range names {
		shown, err := filepath.Rel(dataDir, name)
		if err != nil {
			return err
		}
		f := ingestion.Finding{Kind: ingestion.FoundLeftover, ID: shown, Repairable: true,
			Message: "The file is what an interrupted write left behind.", Remedy: "delete the file"}
		if repair {
			if err := os.Remove(name); err != nil {
				return err
			}
			f.Repaired = true
		}
		found(f)
	}
	return nil
}

// escapeGlob escapes the characters of a path that have a meaning in a pattern.
func escapeGlob(path string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(path)
}

// reindex brings the index up to date, as the server does at its start.
func reindex(ctx context.Context, cfg Config, store *db.Store, blobs Blobs) (err error) {
	index, err := cfg.OpenIndex()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	return ingestion.NewWorker(ingestion.WorkerConfig{Log: cfg.Log}, store, blobs, index, nil).Reconcile(ctx)
}

var _ ingestion.CheckStore = (*db.Store)(nil)
