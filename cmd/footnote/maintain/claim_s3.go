package maintain

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"footnote/assistants"
)

// An OwnedStore is a store of documents that keeps the id of its installation.
type OwnedStore interface {
	// Owner returns "" if there is none yet.
	Owner(ctx context.Context) (string, error)
	// SetOwner returns ErrConflict if there is one already.
	SetOwner(ctx context.Context, id string) error
}

// markS3 follows the id in a data directory whose documents are on S3.
const markS3 = " s3"

var errOtherOwner = errors.New("the documents at FOOTNOTE_BLOB_URL are those of another database: correct --database-url or --blob-url, " +
	"give each installation a prefix of its own, or put the database back from a backup")

// ClaimS3 is [Claim] for documents on S3, where the id is kept beside them. The data
// directory then holds nothing that the database needs, and may be a new one.
func ClaimS3(ctx context.Context, cfg Config, store ClaimStore, documents OwnedStore) error {
	if err := checkFinished(ctx, store); err != nil {
		return err
	}
	known, err := store.Meta(ctx, metaInstallation)
	if err != nil {
		return err
	}
	owner, err := documents.Owner(ctx)
	switch {
	case err != nil:
		return err
	case owner != "" && owner != known:
		return errOtherOwner
	case owner == "":
		if known, err = claimUnowned(ctx, store, documents, known); err != nil {
			return err
		}
	}
	path := filepath.Join(cfg.DataDir, fileInstallation)
	kept, err := os.ReadFile(path)
	want := known + markS3 + "\n"
	if err == nil && string(kept) == want {
		return nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return WriteFile(path, []byte(want))
}

// claimUnowned makes documents that belong to nobody those of the database.
func claimUnowned(ctx context.Context, store ClaimStore, documents OwnedStore, known string) (id string, err error) {
	if known != "" {
		counts, err := store.CountDocuments(ctx, "")
		if err != nil {
			return "", err
		}
		if len(counts) > 0 {
			return "", errors.New("the database knows documents whose files are not at FOOTNOTE_BLOB_URL: correct --blob-url, or move them there with `footnote copy`")
		}
	}
	if id, err = store.SetMetaOnce(ctx, metaInstallation, rand.Text()); err != nil {
		return "", err
	}
	err = documents.SetOwner(ctx, id)
	if errors.Is(err, assistants.ErrConflict) { // perhaps by this very call, whose first answer was lost
		var owner string
		if owner, err = documents.Owner(ctx); err == nil && owner != id {
			return "", errOtherOwner
		}
	}
	if err != nil {
		return "", fmt.Errorf("the documents cannot be claimed: %w", err)
	}
	return id, nil
}
