package ingestion

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract"
)

// attach makes documents of the files that came with a mail, in its
// collection, with its labels and tags, before the mail itself answers. Read
// again, the mail gives the same documents: a file that has not changed is
// left alone, a changed one of the same name is replaced, one that is no longer
// there is removed. What cannot be read is noted in the log; it does not fail
// the mail. Files within files that came with a mail stay where they are.
func (a *attempt) attach(ctx context.Context, files []extract.Attachment) error {
	defer a.documents.lock(a.job.DocumentID)()
	known, err := a.store.Attached(ctx, a.job.TenantID, a.job.DocumentID)
	if err != nil {
		return fmt.Errorf("look up what came with the mail: %w", err)
	}
	if len(files)+len(known) == 0 {
		return nil
	}
	d, err := a.store.Document(ctx, a.job.TenantID, a.job.DocumentID)
	switch {
	case err != nil:
		return fmt.Errorf("look up the document: %w", err)
	case d.Latest != a.job.Version:
		return fmt.Errorf("a newer version has come: %w", assistants.ErrConflict)
	case d.Parent != "":
		a.cfg.Log.Info("files within an attachment are not read", "document", d.ID, "files", len(files))
		return nil
	}
	enclosed := enclosure{attempt: a, mail: d, library: NewLibrary(a.store, a.blobs, a.Notify)}
	enclosed.library.Now = a.Now
	enclosed.library.MaxQueue = math.MaxInt // the mail was let in
	return enclosed.keep(ctx, files, known)
}

// An enclosure is a mail's files on their way into the collection.
type enclosure struct {
	*attempt
	mail    assistants.Document
	library *Library
}

func (e enclosure) keep(ctx context.Context, files []extract.Attachment, known []assistants.Document) error {
	// What has not changed is known by its bytes, whatever it is called now; not
	// by those that answer only until others take their place.
	files = slices.DeleteFunc(slices.Clone(files), func(f extract.Attachment) bool {
		sum := sha256.Sum256(f.Data)
		i := slices.IndexFunc(known, func(d assistants.Document) bool {
			stays := d.Version.Number == d.Latest || d.Status == assistants.StatusFailed
			return stays && d.Version.SHA256 == hex.EncodeToString(sum[:])
		})
		if i >= 0 {
			known = slices.Delete(known, i, i+1)
		}
		return i >= 0
	})
	var changed []extract.Attachment
	replaced := map[int]assistants.DocumentID{} // by place in changed
	for _, f := range files {
		i := slices.IndexFunc(known, func(d assistants.Document) bool { return d.Version.FileName == CleanName(f.Name) })
		if i >= 0 {
			replaced[len(changed)] = known[i].ID
			known = slices.Delete(known, i, i+1)
		}
		changed = append(changed, f)
	}
	for _, d := range known {
		if err := e.store.DeleteDocument(ctx, d.TenantID, d.ID); err != nil && !isVoid(err) {
			return fmt.Errorf("remove what is no longer attached: %w", err)
		}
		e.library.notify()
	}
	for i, f := range changed {
		if err := e.skipRefused(f, e.put(ctx, f, replaced[i])); err != nil {
			return err
		}
	}
	return nil
}

// put stores a file as a document, or in the place of one.
func (e enclosure) put(ctx context.Context, f extract.Attachment, old assistants.DocumentID) error {
	if f.Data == nil {
		return assistants.ErrTooLarge
	}
	u := Upload{
		Tenant: e.mail.TenantID, Collection: e.mail.CollectionID, Name: f.Name, Parent: e.mail.ID,
		Labels: e.mail.Labels, Tags: e.mail.Tags, Content: bytes.NewReader(f.Data),
	}
	if old == "" {
		_, _, err := e.library.Add(ctx, u)
		return err
	}
	_, _, err := e.library.Replace(ctx, u.Tenant, old, u)
	if !errors.Is(err, assistants.ErrConflict) {
		return err
	}
	// The collection has these bytes already; the old ones are out of date.
	if err := e.store.DeleteDocument(ctx, u.Tenant, old); err != nil && !isVoid(err) {
		return err
	}
	u.Content = bytes.NewReader(f.Data)
	_, _, err = e.library.Add(ctx, u) // which notes that this mail has them, too
	return err
}

// skipRefused logs and drops the errors that concern one attachment only. Other
// errors fail the mail.
func (e enclosure) skipRefused(f extract.Attachment, err error) error {
	log := e.cfg.Log.With("document", e.mail.ID, "attachment", f.Name)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, assistants.ErrUnsupportedMedia), errors.Is(err, assistants.ErrEmptyFile), errors.Is(err, assistants.ErrTooLarge),
		errors.Is(err, assistants.ErrInvalid), errors.Is(err, assistants.ErrConflict):
		log.Info("an attachment is left out", "reason", err)
		return nil
	}
	return fmt.Errorf("store the attachment: %w", err)
}
