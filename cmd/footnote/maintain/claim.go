package maintain

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"footnote/assistants"
)

// metaInstallation names the id of the installation in the database.
const metaInstallation = "installation"

// A ClaimStore is what [Claim] needs of the database.
type ClaimStore interface {
	// Meta returns "" for a key that was never set.
	Meta(ctx context.Context, key string) (string, error)
	SetMetaOnce(ctx context.Context, key, value string) (string, error)
	CountDocuments(ctx context.Context, tenant assistants.TenantID) (map[assistants.Status]int, error)
}

// Claim makes sure that database and data directory belong together, by an id
// that both keep. Without it, a server that was given the wrong database would
// in time remove all files, because that database does not know them; and
// documents whose files are somewhere else could not be read. The database must not
// be the target of an unfinished copy.
func Claim(ctx context.Context, cfg Config, store ClaimStore) error {
	if err := checkFinished(ctx, store); err != nil {
		return err
	}
	path := filepath.Join(cfg.DataDir, fileInstallation)
	kept, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	known, err := store.Meta(ctx, metaInstallation)
	if err != nil {
		return err
	}
	if strings.HasSuffix(strings.TrimSpace(string(kept)), markS3) {
		return fmt.Errorf("the documents are on S3 and not in %s: set FOOTNOTE_BLOB_URL as before, or move them with `footnote copy`", cfg.DataDir)
	}
	if kept != nil {
		return checkSameInstallation(cfg.DataDir, known, string(kept))
	}
	if known != "" && (!cfg.databaseIsFile() || cfg.databaseElsewhere() != "") {
		counts, err := store.CountDocuments(ctx, "")
		if err != nil {
			return err
		}
		if len(counts) > 0 {
			return fmt.Errorf("the database knows documents whose files are in another data directory than %s: start with that one. "+
				"If it is lost, write %s into %s; questions are still answered, only the files are gone", cfg.DataDir, known, path)
		}
	}
	id, err := store.SetMetaOnce(ctx, metaInstallation, rand.Text())
	if err != nil {
		return err
	}
	return WriteFile(path, []byte(id+"\n"))
}

// InstallationID is the id that [Claim] has written into a data directory.
func InstallationID(dataDir string) (string, error) {
	id, err := os.ReadFile(filepath.Join(dataDir, fileInstallation))
	return strings.TrimSuffix(strings.TrimSpace(string(id)), markS3), err
}

// checkSameInstallation returns an error if the id in the database differs from the
// id in the data directory's file.
func checkSameInstallation(dataDir, known, kept string) error {
	if known == strings.TrimSpace(kept) {
		return nil
	}
	return fmt.Errorf("the database is not the one that knows the documents in %s: correct --database-url or --data-dir, or put the database back from a backup", dataDir)
}
