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
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/storage/blob"
	"footnote/storage/db"

	"footnote/cmd/footnote/console"
)

// A check says how `footnote check` looks and tells.
type check struct {
	deep, repair, json bool
}

func (p *Program) checkCommand() *cobra.Command {
	var how check
	cmd := &cobra.Command{
		Use: "check", Short: "Look whether database, documents and index belong together", Args: cobra.NoArgs,
		Long: `Looks whether the database, the documents' files and the index belong together, and prints
one line for each thing that does not fit, with what repairs it. Nothing is changed without
--repair. The server must not run meanwhile.

Found are: damage of the database's file; documents whose file is missing, of another size or,
with --deep, of other bytes; documents that wait for work nobody will do; rows, files and
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
	cmd.Flags().BoolVar(&how.repair, "repair", false, "mend what can be mended")
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
	lock, err := lockStopped(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	report := checkReport{Clean: true, Findings: []ingestion.Finding{}}
	tell := func(f ingestion.Finding) {
		report.Findings = append(report.Findings, f)
		report.Clean = report.Clean && f.Repaired
		if !how.json {
			p.tellFinding(f)
		}
	}
	if report.Counts, err = p.checkData(ctx, cfg, how, tell); err != nil {
		return err
	}
	if how.json {
		out := json.NewEncoder(p.Out)
		out.SetIndent("", "  ")
		err = out.Encode(report)
	} else {
		p.tellCheck(report)
	}
	if err == nil && !report.Clean {
		return console.ErrReported
	}
	return err
}

func (p *Program) tellFinding(f ingestion.Finding) {
	state := "repair with --repair: " + f.Remedy
	switch {
	case f.Repaired:
		state = "repaired: " + f.Remedy
	case !f.Repairable:
		state = "not repairable here: " + f.Remedy
	}
	fmt.Fprintf(p.Out, "%s %s %s (%s)\n", f.Kind, f.ID, f.Message, state)
}

func (p *Program) tellCheck(r checkReport) {
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

// checkData opens what is there as it is and has it checked.
func (p *Program) checkData(ctx context.Context, cfg Config, how check, tell func(ingestion.Finding)) (counts ingestion.Counts, err error) {
	store, err := openForCheck(ctx, cfg)
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
	dir := filepath.Join(cfg.DataDir, "documents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return counts, err
	}
	blobs, err := blob.OpenDiskAsIs(dir)
	if err != nil {
		return counts, err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	indexed, damage, err := cfg.InspectIndex(ctx)
	if err != nil {
		return counts, err
	}
	if err := leftoverFiles(cfg.DataDir, how.repair, tell); err != nil {
		return counts, err
	}
	checker := ingestion.Checker{
		Ledger: store, Blobs: blobs, Index: indexed, IndexDamage: damage, Deep: how.deep, Repair: how.repair, Report: tell,
		Reindex: func(ctx context.Context) error { return reindex(ctx, cfg, store, blobs) },
	}
	if console.IsTerminal(p.Err) {
		total := 0
		byStatus, err := store.CountDocuments(ctx, "")
		if err != nil {
			return counts, err
		}
		for _, n := range byStatus {
			total += n
		}
		bar := progressbar.NewOptions(total, progressbar.OptionSetWriter(p.Err), progressbar.OptionSetDescription("checking"),
			progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))
		checker.Progress = func() { _ = bar.Add(1) } // a bar that cannot be drawn stops nothing
	}
	return checker.Run(ctx)
}

// openForCheck opens the database if it is the one that knows the documents:
// with another, every file would be one that nobody has.
func openForCheck(ctx context.Context, cfg Config) (_ *db.Store, err error) {
	url := cfg.DatabaseURL
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok { // opening it would make one
		if _, err := os.Stat(strings.TrimPrefix(path, "//")); err != nil {
			return nil, fmt.Errorf("there is no database %s; correct --database-url, or put it back from a backup", console.RedactURL(url))
		}
	}
	store, err := db.Open(ctx, url, db.Options{Logger: cfg.Log})
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
	kept, err := os.ReadFile(filepath.Join(cfg.DataDir, "installation"))
	if err != nil {
		return nil, fmt.Errorf("whether the database is the one that knows the documents in %s cannot be told: %w", cfg.DataDir, err)
	}
	known, err := store.Meta(ctx, metaInstallation)
	if err == nil {
		err = sameInstallation(cfg.DataDir, known, string(kept))
	}
	return store, err
}

// leftoverFiles finds what interrupted uploads and writes left in the data
// directory itself: with the lock held nothing is being written.
func leftoverFiles(dataDir string, repair bool, tell func(ingestion.Finding)) error {
	var names []string
	for _, pattern := range []string{".new-*", filepath.Join("uploads", "*")} {
		found, err := filepath.Glob(filepath.Join(escapeGlob(dataDir), pattern))
		if err != nil {
			return err
		}
		names = append(names, found...)
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
		tell(f)
	}
	return nil
}

// escapeGlob makes a path one that a pattern takes literally.
func escapeGlob(path string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(path)
}

// reindex brings the index up to date, as the server does at its start.
func reindex(ctx context.Context, cfg Config, store *db.Store, blobs *blob.Disk) (err error) {
	index, err := cfg.OpenIndex()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	return ingestion.NewWorker(ingestion.WorkerConfig{Log: cfg.Log}, store, blobs, index, nil).Reconcile(ctx)
}

var _ ingestion.Ledger = (*db.Store)(nil)
