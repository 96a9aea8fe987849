package maintain

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/storage/db"
)

// claimedRows is a database that knows its installation and has documents.
type claimedRows struct {
	id        string
	documents int
	copying   bool // the copy into it is unfinished
}

func (r *claimedRows) Meta(_ context.Context, key string) (string, error) {
	if key != db.MetaCopy {
		return r.id, nil
	}
	if r.copying {
		return "{}", nil
	}
	return "", nil
}

func (r *claimedRows) SetMetaOnce(_ context.Context, _, value string) (string, error) {
	if r.id == "" {
		r.id = value
	}
	return r.id, nil
}

func (r *claimedRows) CountDocuments(context.Context, assistants.TenantID) (map[assistants.Status]int, error) {
	if r.documents == 0 {
		return nil, nil
	}
	return map[assistants.Status]int{assistants.StatusReady: r.documents}, nil
}

// ownedBucket keeps its owner; lost says that the first answer to SetOwner is lost.
type ownedBucket struct {
	owner string
	lost  bool
}

func (b *ownedBucket) Owner(context.Context) (string, error) { return b.owner, nil }

func (b *ownedBucket) SetOwner(_ context.Context, id string) error {
	if b.owner != "" {
		return assistants.ErrConflict
	}
	b.owner = id
	if b.lost {
		return assistants.ErrConflict // the answer to the second attempt
	}
	return nil
}

func TestDocumentsOnS3AreClaimedByOneDatabase(t *testing.T) {
	for name, c := range map[string]struct {
		rows   claimedRows
		bucket ownedBucket
		want   string
	}{
		"both new":                        {claimedRows{}, ownedBucket{}, ""},
		"both new, and an answer is lost": {claimedRows{}, ownedBucket{lost: true}, ""},
		"known to each other":             {claimedRows{id: "one", documents: 3}, ownedBucket{owner: "one"}, ""},
		"a database without documents":    {claimedRows{id: "one"}, ownedBucket{}, ""},
		"another database's":              {claimedRows{id: "one", documents: 3}, ownedBucket{owner: "two"}, "those of another database"},
		"a new database":                  {claimedRows{}, ownedBucket{owner: "two"}, "those of another database"},
		"documents that are elsewhere":    {claimedRows{id: "one", documents: 3}, ownedBucket{}, "move them there"},
		"an unfinished copy":              {claimedRows{id: "one", documents: 3, copying: true}, ownedBucket{owner: "one"}, "has not been finished"},
	} {
		cfg := Config{DataDir: t.TempDir()}
		err := ClaimS3(t.Context(), cfg, &c.rows, &c.bucket)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		kept, readErr := os.ReadFile(filepath.Join(cfg.DataDir, fileInstallation))
		if err != nil {
			if !errors.Is(readErr, os.ErrNotExist) {
				t.Errorf("%s: a refused start wrote %q", name, kept)
			}
			continue
		}
		if id, err := InstallationID(cfg.DataDir); err != nil || id != c.rows.id || id != c.bucket.owner {
			t.Errorf("%s: %q, %q in the database, %q in the bucket, %v", name, id, c.rows.id, c.bucket.owner, err)
		}
		if err := ClaimS3(t.Context(), cfg, &c.rows, &c.bucket); err != nil {
			t.Errorf("%s: the next start: %v", name, err)
		}
		if err := Claim(t.Context(), cfg, &c.rows); err == nil || !strings.Contains(err.Error(), "the documents are on S3") {
			t.Errorf("%s: with documents on disk: %v", name, err)
		}
	}
}
