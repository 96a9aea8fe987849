package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"footnote/storage/db"
)

// openDatabase opens the database alone, for the commands that see to its schema.
func (p *program) openDatabase(ctx context.Context) (_ *db.Store, end func() error, err error) {
	cfg, err := p.config()
	if err != nil {
		return nil, nil, err
	}
	// Only a file needs the lock: elsewhere migrations wait for each other themselves.
	lock := &dataLock{}
	if cfg.databaseIsFile() {
		if lock, err = lockData(cfg); err != nil {
			return nil, nil, err
		}
	}
	store, err := db.Open(ctx, cfg.databaseURL(), db.Options{Logger: p.logger(cfg)})
	if err != nil {
		return nil, nil, errors.Join(err, lock.release())
	}
	return store, func() error { return errors.Join(store.Close(), lock.release()) }, nil
}

func (p *program) migrateUp(ctx context.Context) (err error) {
	store, end, err := p.openDatabase(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	applied, err := store.Migrate(ctx)
	for _, name := range applied {
		fmt.Fprintln(p.out, "applied", name)
	}
	if err == nil && len(applied) == 0 {
		fmt.Fprintln(p.out, "the schema is up to date")
	}
	return err
}

func (p *program) migrateStatus(ctx context.Context) (err error) {
	store, end, err := p.openDatabase(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	migrations, err := store.MigrationStatus(ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	for _, m := range migrations {
		state := "pending"
		if !m.AppliedAt.IsZero() {
			state = "applied " + m.AppliedAt.UTC().Format("2006-01-02 15:04:05")
		}
		fmt.Fprintf(w, "%s\t%s\n", m.Name, state)
	}
	return w.Flush()
}
