package ingestion

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"footnote/assistants"
)

// A Finding is something about which database, files and index disagree, or
// that none of them needs.
type Finding struct {
	Kind    string `json:"kind"`
	ID      string `json:"id"`      // of the document or the file; "" for the database as a whole
	Message string `json:"message"` // what is wrong, in a sentence
	Remedy  string `json:"remedy"`  // what Repair does, or what the operator must do
	// Repairable says that a repair is possible, Repaired that it was made.
	Repairable bool `json:"repairable"`
	Repaired   bool `json:"repaired"`
}

// Kinds of findings.
const (
	FoundDatabaseDamaged    = "database_damaged"
	FoundStrayRows          = "stray_rows"
	FoundNoAssistant        = "document_without_assistant"
	FoundNoVersion          = "document_without_version"
	FoundNoJob              = "document_without_job"
	FoundReadyWithoutLive   = "document_not_live"
	FoundChunksDiffer       = "chunks_differ"
	FoundFileMissing        = "file_missing"
	FoundFileDamaged        = "file_damaged"
	FoundFileWithoutVersion = "file_without_document"
	FoundLeftover           = "leftover_file"
	FoundIndexDiffers       = "index_differs"
	FoundVectorsDiffer      = "vectors_differ"
	FoundIndexDamaged       = "index_damaged"
)

var causeFileDamaged = assistants.Cause{Code: assistants.CodeUnreadable, Message: "The stored file is damaged. Upload it again."}

// CheckStore is how a [Checker] inspects and repairs the database. RemoveStray,
// Requeue, QueueEmbedding and SetStatus return ErrNotFound or ErrConflict when
// the rows have changed; every method returns an error wrapping ErrUnavailable
// when the database cannot answer.
type CheckStore interface {
	// Damage reports what the database itself finds wrong with its file.
	Damage(ctx context.Context) ([]string, error)
	// Inventories calls fn for every document, of every tenant.
	Inventories(ctx context.Context, fn func(assistants.Inventory) error) error
	// Strays lists rows that belong to nothing, RemoveStray removes them.
	Strays(ctx context.Context) ([]assistants.Stray, error)
	RemoveStray(ctx context.Context, s assistants.Stray) error
	// OpenPurges calls fn for every purge that is still to be done.
	OpenPurges(ctx context.Context, fn func(assistants.Job) error) error
	// Requeue makes the newest version that is there the latest, and pending;
	// a document without any is deleted.
	Requeue(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) error
	// QueueEmbedding queues the embedding of the document whose live version this is.
	QueueEmbedding(ctx context.Context, ref assistants.VersionRef, vectorsLost bool) error
	SetStatus(ctx context.Context, ref assistants.VersionRef, s assistants.Status, p assistants.Progress, cause *assistants.Cause) error
	BlobOwner
}

// CheckedBlobs is how a [Checker] inspects and repairs the files.
type CheckedBlobs interface {
	Open(ctx context.Context, key string) (f io.ReadSeekCloser, size int64, err error)
	Delete(ctx context.Context, key string) error
	BlobLister
	// Leftovers calls fn for every file that an interrupted write left behind.
	Leftovers(ctx context.Context, fn func(name string) error) error
	RemoveLeftovers(ctx context.Context) error
}

// A Checker verifies that database, files and index fit together. Nothing else may
// work on them meanwhile. It does not report differences that an open job will
// remove.
type Checker struct {
	Store CheckStore
	Blobs CheckedBlobs
	// Index is what the index holds, IndexDamage what is wrong with its file.
	Index       map[assistants.DocumentID]assistants.Indexed
	IndexDamage []string
	// Reindex makes the index hold what the database says. Only repair calls it.
	Reindex func(ctx context.Context) error
	// Deep makes Run read every file and compare its SHA-256, not just its size.
	Deep bool
	// Repair makes Run repair what it can. It deletes nothing that a row of a document
	// names, and no document that has a file.
	Repair bool
	// Report is called with every finding, after its repair.
	Report func(Finding)
	// Progress is called for every document; may be nil.
	Progress func()

	purged  map[string]bool                              // files that an open purge deletes
	busy    map[assistants.DocumentID]bool               // documents that an open job works on
	live    map[assistants.DocumentID]assistants.Indexed // what the index should have
	counted Counts
}

// Counts says how much was looked at.
type Counts struct {
	Documents int   `json:"documents"`
	Files     int   `json:"files"`
	Bytes     int64 `json:"bytes"`
	OpenJobs  int   `json:"open_jobs"`
}

// Run checks everything. An error means that a check or a repair failed, so
// findings may be missing.
func (c *Checker) Run(ctx context.Context) (Counts, error) {
	c.purged, c.busy, c.live = map[string]bool{}, map[assistants.DocumentID]bool{}, map[assistants.DocumentID]assistants.Indexed{}
	c.counted = Counts{}
	for _, part := range []func(context.Context) error{c.database, c.documents, c.files, c.index} {
		if err := part(ctx); err != nil {
			return c.counted, err
		}
	}
	return c.counted, nil
}

// found reports a finding. It first calls mend if Repair is set; a nil mend means
// that the finding cannot be repaired.
func (c *Checker) found(ctx context.Context, f Finding, mend func(context.Context) error) error {
	f.Repairable = mend != nil
	if mend != nil && c.Repair {
		if err := mend(ctx); err != nil {
			c.Report(f)
			return fmt.Errorf("repair %s %s: %w", f.Kind, f.ID, err)
		}
		f.Repaired = true
	}
	c.Report(f)
	return nil
}

func (c *Checker) database(ctx context.Context) error {
	damage, err := c.Store.Damage(ctx)
	if err != nil {
		return fmt.Errorf("check the database's file: %w", err)
	}
	for _, line := range damage {
		err := c.found(ctx, Finding{Kind: FoundDatabaseDamaged, Message: "The database's file is damaged: " + line + ".",
			Remedy: "restore it from a backup"}, nil)
		if err != nil {
			return err
		}
	}
	strays, err := c.Store.Strays(ctx)
	if err != nil {
		return fmt.Errorf("look for stray rows: %w", err)
	}
	for _, s := range strays {
		err := c.found(ctx, Finding{Kind: FoundStrayRows, ID: string(s.Document),
			Message: fmt.Sprintf("%d rows in %s of version %d belong to nothing.", s.Rows, s.Table, s.Version), Remedy: "delete the rows"},
			func(ctx context.Context) error { return c.Store.RemoveStray(ctx, s) })
		if err != nil {
			return err
		}
	}
	return c.Store.OpenPurges(ctx, func(j assistants.Job) error {
		c.counted.OpenJobs++
		c.busy[j.DocumentID] = true
		for _, key := range j.BlobKeys {
			c.purged[key] = true
		}
		return nil
	})
}

func (c *Checker) documents(ctx context.Context) error {
	return c.Store.Inventories(ctx, func(i assistants.Inventory) error {
		c.counted.Documents++
		if c.Progress != nil {
			c.Progress()
		}
		c.live[i.ID] = expected(i)
		c.counted.OpenJobs += len(i.Queued) + len(i.Embed)
		c.busy[i.ID] = c.busy[i.ID] || len(i.Queued) > 0 || i.Latest != i.Live && slices.Contains(i.Embed, i.Latest)
		if err := c.checkRows(ctx, i); err != nil {
			return err
		}
		for _, v := range i.Versions {
			if err := c.checkFile(ctx, i, v); err != nil {
				return err
			}
		}
		return nil
	})
}

// expected returns the version and spaces that the index should hold of a document.
func expected(i assistants.Inventory) assistants.Indexed {
	in := assistants.Indexed{Version: i.Live}
	v, _ := i.Version(i.Live)
	for _, s := range []assistants.Space{v.Space, v.Next} {
		if !s.IsZero() {
			in.Spaces = append(in.Spaces, s)
		}
	}
	return in
}

// checkRows checks that the rows of a document belong together.
func (c *Checker) checkRows(ctx context.Context, i assistants.Inventory) error {
	const again = "queue the document again"
	requeue := func(ctx context.Context) error { return c.Store.Requeue(ctx, i.TenantID, i.ID) }
	if !i.Owned {
		err := c.found(ctx, Finding{Kind: FoundNoAssistant, ID: string(i.ID), Message: "The document belongs to no assistant.",
			Remedy: "restore the database from a backup"}, nil)
		if err != nil {
			return err
		}
	}
	_, hasLatest := i.Version(i.Latest)
	_, hasLive := i.Version(i.Live)
	queued := slices.Contains(i.Queued, i.Latest)
	switch done := i.Status == assistants.StatusReady || i.Status == assistants.StatusFailed; {
	case len(i.Versions) == 0:
		return c.found(ctx, Finding{Kind: FoundNoVersion, ID: string(i.ID), Message: "The document has no version, and so no file.",
			Remedy: "delete the document"}, requeue)
	case !hasLatest, i.Live > 0 && !hasLive, i.Live > i.Latest:
		return c.found(ctx, Finding{Kind: FoundNoVersion, ID: string(i.ID),
			Message: fmt.Sprintf("The document's version %d, or the live one %d, is missing.", i.Latest, i.Live), Remedy: again}, requeue)
	case i.Status == assistants.StatusReady && i.Live != i.Latest:
		return c.found(ctx, Finding{Kind: FoundReadyWithoutLive, ID: string(i.ID),
			Message: fmt.Sprintf("The document is ready, but version %d is not the live one (%d).", i.Latest, i.Live), Remedy: again}, requeue)
	case i.Status == assistants.StatusEmbedding && i.Live > 0: // the latest version is live, or becomes live with its vectors
		if !slices.Contains(i.Embed, i.Latest) {
			err := c.found(ctx, Finding{Kind: FoundNoJob, ID: string(i.ID), Message: "The document is embedding, but no job works on it.",
				Remedy: "queue its embedding again"}, func(ctx context.Context) error {
				return c.Store.QueueEmbedding(ctx, assistants.VersionRef{Tenant: i.TenantID, Document: i.ID, Number: i.Live}, false)
			})
			if err != nil {
				return err
			}
		}
	case !done && !queued && !i.Held:
		return c.found(ctx, Finding{Kind: FoundNoJob, ID: string(i.ID),
			Message: fmt.Sprintf("The document is %s, but no job works on it.", i.Status), Remedy: again}, requeue)
	}
	for _, v := range i.Versions {
		text := v.HasText && v.ChunkRows > 0 || v.Number != i.Live
		if v.ChunkRows == v.Chunks && text || v.Number == i.Latest && queued {
			continue
		}
		f := Finding{Kind: FoundChunksDiffer, ID: string(i.ID),
			Message: fmt.Sprintf("Version %d has %d passages, %d are stored.", v.Number, v.Chunks, v.ChunkRows), Remedy: again}
		mend := requeue
		if v.Number != i.Latest {
			f.Remedy, mend = "upload the file again", nil
		}
		if err := c.found(ctx, f, mend); err != nil {
			return err
		}
	}
	return nil
}

// checkFile checks the bytes of a version.
func (c *Checker) checkFile(ctx context.Context, i assistants.Inventory, v assistants.VersionInventory) error {
	c.counted.Files++
	kind, cause, detail, err := c.compareFile(ctx, v.Version)
	if err != nil || kind == "" {
		return err
	}
	if i.Status == assistants.StatusFailed && i.Cause != nil && *i.Cause == cause && v.Number == i.Latest {
		return nil // the document's state already says so
	}
	f := Finding{Kind: kind, ID: string(i.ID), Message: fmt.Sprintf("The file %s of version %d %s.", v.BlobKey, v.Number, detail),
		Remedy: "mark the document failed; upload the file again"}
	mend := func(ctx context.Context) error {
		return c.Store.SetStatus(ctx, assistants.VersionRef{Tenant: i.TenantID, Document: i.ID, Number: v.Number}, assistants.StatusFailed, assistants.Progress{}, &cause)
	}
	if v.Number != i.Latest {
		f.Remedy, mend = "upload the file again", nil
	}
	return c.found(ctx, f, mend)
}

// compareFile compares a version's bytes with what the database says about them.
func (c *Checker) compareFile(ctx context.Context, v assistants.Version) (kind string, cause assistants.Cause, detail string, err error) {
	file, size, err := c.Blobs.Open(ctx, v.BlobKey)
	if errors.Is(err, assistants.ErrNotFound) {
		return FoundFileMissing, causeFileGone, "is missing", nil
	}
	if err != nil {
		return "", cause, "", fmt.Errorf("open the file %s: %w", v.BlobKey, err)
	}
	defer file.Close() //nolint:errcheck // only read from
	c.counted.Bytes += size
	if size != v.Bytes {
		return FoundFileDamaged, causeFileDamaged, fmt.Sprintf("has %d bytes instead of %d", size, v.Bytes), nil
	}
	if !c.Deep {
		return "", cause, "", nil
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, ctxReader{ctx, file}); err != nil {
		if ctx.Err() != nil {
			return "", cause, "", context.Cause(ctx)
		}
		return FoundFileDamaged, causeFileDamaged, "cannot be read", nil //nolint:nilerr // that is the finding
	}
	if hex.EncodeToString(hash.Sum(nil)) != v.SHA256 {
		return FoundFileDamaged, causeFileDamaged, "has other bytes than were uploaded", nil
	}
	return "", cause, "", nil
}

// A ctxReader reads until ctx ends.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (u ctxReader) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// files looks for files that nothing names.
func (c *Checker) files(ctx context.Context) error {
	var leftovers []string
	err := c.Blobs.Leftovers(ctx, func(name string) error {
		leftovers = append(leftovers, name)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	for _, name := range leftovers {
		err := c.found(ctx, Finding{Kind: FoundLeftover, ID: name, Message: "The file is what an interrupted write left behind.",
			Remedy: "delete the file"}, c.Blobs.RemoveLeftovers)
		if err != nil {
			return err
		}
	}
	var keys []string
	flush := func() error {
		orphans, err := c.Store.UnknownBlobs(ctx, keys)
		if err != nil {
			return fmt.Errorf("ask for orphans: %w", err)
		}
		keys = keys[:0]
		for _, key := range orphans {
			if c.purged[key] {
				continue
			}
			err := c.found(ctx, Finding{Kind: FoundFileWithoutVersion, ID: key, Message: "No document has this file.", Remedy: "delete the file"},
				func(ctx context.Context) error { return c.Blobs.Delete(ctx, key) })
			if err != nil {
				return err
			}
		}
		return nil
	}
	everything := time.Unix(1<<40, 0) // no uploads run meanwhile, so age does not matter
	err = c.Blobs.Each(ctx, everything, func(key string) error {
		if keys = append(keys, key); len(keys) < sweepAtOnce {
			return nil
		}
		return flush()
	})
	if err != nil {
		return fmt.Errorf("list the files: %w", err)
	}
	return flush()
}

// index compares the index with the live versions.
func (c *Checker) index(ctx context.Context) error {
	reindexed := false
	reindex := func(ctx context.Context) error {
		if reindexed {
			return nil
		}
		reindexed = true
		return c.Reindex(ctx)
	}
	const remedy = "index the document again"
	for _, line := range c.IndexDamage {
		err := c.found(ctx, Finding{Kind: FoundIndexDamaged, Message: "The index is damaged: " + line + ".", Remedy: "build it anew"}, reindex)
		if err != nil {
			return err
		}
	}
	if len(c.IndexDamage) > 0 {
		return nil // the damage explains any difference
	}
	for _, id := range sortedIDs(c.live, c.Index) {
		have, want := c.Index[id], c.live[id]
		f := Finding{Kind: FoundIndexDiffers, ID: string(id), Remedy: remedy,
			Message: fmt.Sprintf("The index has version %d of the document, version %d is live (0: none).", have.Version, want.Version)}
		switch {
		case c.busy[id]:
			continue
		case have.Version == want.Version && holds(have.Spaces, want.Spaces):
			continue
		case have.Version == want.Version:
			f.Kind, f.Remedy = FoundVectorsDiffer, "queue its embedding again"
			f.Message = "The index lacks vectors of the document."
		}
		if err := c.found(ctx, f, reindex); err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether all of some spaces are in a list.
func holds(list, some []assistants.Space) bool {
	return !slices.ContainsFunc(some, func(s assistants.Space) bool { return !slices.Contains(list, s) })
}

// sortedIDs are the documents of both maps in ascending order.
func sortedIDs(a, b map[assistants.DocumentID]assistants.Indexed) []assistants.DocumentID {
	ids := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(ids)
	return slices.Compact(ids)
}
