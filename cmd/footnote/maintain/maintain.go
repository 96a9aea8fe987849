// Package maintain has the commands that work on the data directory itself,
// without a server: backup, restore, check and migrate. It owns what these have
// in common with a server: the lock of the data directory, the names of the
// files in it and the id that ties them to their database. The package must not
// import the proxy; it gets the configuration and the index as functions.
package maintain

import (
	"context"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/cmd/footnote/console"
	"footnote/storage/blob"
)

// A Config says where an installation keeps its things.
type Config struct {
	DataDir            string
	DatabaseURL        string // complete: the data directory is filled in
	BlobURL, VectorURL string
	SecretKeySet       bool // the configuration has the secret, so the data directory need not

	Log *slog.Logger
	// InspectIndex reports what the index has of each document, and what of it
	// is damaged, without changing a file.
	InspectIndex func(context.Context) (have map[assistants.DocumentID]assistants.Indexed, damage []string, err error)
	OpenIndex    func() (Index, error)
	// OpenS3 prepares the documents on S3. nil: they are in the data directory.
	OpenS3 func(context.Context) (*blob.S3, error)
}

// databaseIsFile reports whether the database is a file on this machine.
func (cfg Config) databaseIsFile() bool { return strings.HasPrefix(cfg.DatabaseURL, "sqlite:") }

// An Index is the index that a check brings up to date.
type Index interface {
	ingestion.Index
	Close() error
}

// A Program is what the commands get from the program that they belong to.
type Program struct {
	console.Streams
	Version string
	// Config reads the configuration. A quiet one logs errors only.
	Config func(quiet bool) (Config, error)
}

// Commands returns the commands; each takes the options of the server as well.
func Commands(p Program) []*cobra.Command {
	return []*cobra.Command{p.migrateCommand(), p.backupCommand(), p.restoreCommand(), p.checkCommand()}
}
