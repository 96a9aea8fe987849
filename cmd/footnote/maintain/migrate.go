package maintain

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"footnote/cmd/footnote/console"
	"footnote/storage/db"
)

func (p *Program) migrateCommand() *cobra.Command {
	cmd := console.Group("migrate", "Bring the database's schema up to date, or show where it stands")
	cmd.AddCommand(
		&cobra.Command{
			Use: "up", Short: "Apply the migrations that are missing", Args: cobra.NoArgs,
			Long: "Applies the migrations that are missing. `footnote serve` does the same at its start;\nthis command is for doing it beforehand.",
			RunE: func(cmd *cobra.Command, _ []string) error { return p.migrateUp(cmd.Context()) },
		},
		&cobra.Command{
			Use: "status", Short: "List the migrations and when each was applied", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return p.migrateStatus(cmd.Context()) },
		})
	return cmd
}

// openDatabase opens the database only, for the commands about its schema.
func (p *Program) openDatabase(ctx context.Context) (_ *db.Store, end func() error, err error) {
	cfg, err := p.Config(false)
	if err != nil {
		return nil, nil, err
	}
	// Only a file needs the lock: elsewhere migrations wait for each other themselves.
	lock := &Lock{}
	if cfg.databaseIsFile() {
		if lock, err = LockData(cfg); err != nil {
			return nil, nil, err
		}
	}
	store, err := db.Open(ctx, cfg.DatabaseURL, db.Options{Logger: cfg.Log})
	if err != nil {
		return nil, nil, errors.Join(err, lock.Release())
	}
	return store, func() error { return errors.Join(store.Close(), lock.Release()) }, nil
}

func (p *Program) migrateUp(ctx context.Context) (err error) {
	store, end, err := p.openDatabase(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	applied, err := store.Migrate(ctx)
	for _, name := range applied {
		fmt.Fprintln(p.Out, "applied", name)
	}
	if err == nil && len(applied) == 0 {
		fmt.Fprintln(p.Out, "the schema is up to date")
	}
	return err
}

func (p *Program) migrateStatus(ctx context.Context) (err error) {
	store, end, err := p.openDatabase(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	migrations, err := store.MigrationStatus(ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
	for _, m := range migrations {
		state := "pending"
		if !m.AppliedAt.IsZero() {
			state = "applied " + m.AppliedAt.UTC().Format("2006-01-02 15:04:05")
		}
		fmt.Fprintf(w, "%s\t%s\n", m.Name, state)
	}
	return w.Flush()
}
