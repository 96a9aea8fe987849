// Package maintain has the commands that work on the data directory itself,
// without a server: backup, restore, copy, check and migrate. It owns what these have
// in common with a server: the lock of the data directory, the names of the
// files in it and the id that ties them to their database. The package must not
// import the proxy; it gets the configuration and the stores as functions.
package maintain

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
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
	// OpenVectors opens the index to read its vectors, and changes nothing.
	OpenVectors func(context.Context) (Vectors, error)
	// OpenBlobs opens the store of the documents' files as it is.
	OpenBlobs func(context.Context) (Blobs, error)
	// At is this configuration with other stores. Its error says what is wrong with them.
	At func(Target) (Config, error)
}

// databaseIsFile reports whether the database is a file on this machine.
func (cfg Config) databaseIsFile() bool { return strings.HasPrefix(cfg.DatabaseURL, "sqlite:") }

// databasePath is the path of a database that is a file, "" for others.
func databasePath(url string) string {
	path, isFile := strings.CutPrefix(url, "sqlite:")
	if !isFile {
		return ""
	}
	return strings.TrimPrefix(path, "//")
}

// shownDatabase is the database's URL without the data directory where that is the default.
func (cfg Config) shownDatabase() string {
	if databasePath(cfg.DatabaseURL) == filepath.Join(cfg.DataDir, fileDatabase) {
		return "sqlite:"
	}
	return cfg.DatabaseURL
}

// ShownURL is the URL of a store as it may be printed. That of a bucket is whole: one with
// a key in it cannot be read.
func ShownURL(address string) string {
	if _, err := blob.ParseS3URL(address); err == nil {
		return address
	}
	return console.RedactURL(address)
}

func inMemory(url string) bool { return databasePath(url) == ":memory:" }

// An Index is the index that a check brings up to date.
type Index interface {
	ingestion.Index
	Close() error
}

// Vectors are what an index has.
type Vectors interface {
	ingestion.VectorReader
	Close() error
}

// Blobs are the files of the documents, as checks and copies use them.
type Blobs interface {
	ingestion.CheckedBlobs
	Put(ctx context.Context, key string, r io.Reader) (size int64, sha256 string, err error)
	Close() error
}

var _, _ Blobs = (*blob.Disk)(nil), (*blob.S3)(nil)

// A Program is what the commands get from the program that they belong to.
type Program struct {
	console.Streams
	Version string
	Environ []string
	// Config reads the configuration. A quiet one logs errors only.
	Config func(quiet bool) (Config, error)
}

// Commands returns the commands; each takes the options of the server as well.
func Commands(p Program) []*cobra.Command {
	return []*cobra.Command{p.migrateCommand(), p.backupCommand(), p.restoreCommand(), p.copyCommand(), p.checkCommand()}
}
