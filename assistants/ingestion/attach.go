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

// attach stores the attachments of a mail as documents of the mail's collection,
// with its labels and tags, before the mail itself can be searched. When the mail
// is read again, unchanged attachments keep their documents, a changed attachment
// replaces the one of the same name, and documents of missing attachments are
// deleted. An attachment that cannot be read is logged and skipped. Attachments
// of attachments are not read.
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
	attached := attachmentImport{attempt: a, mail: d, library: NewLibrary(a.store, a.blobs, a.Notify)}
	attached.library.Now = a.Now
	attached.library.MaxQueue = math.MaxInt // the queue's limit was applied to the mail
	return attached.keep(ctx, files, known)
}

// An attachmentImport stores the attachments of one mail.
type attachmentImport struct {
	*attempt
	mail    assistants.Document
	library *Library
}

func (e attachmentImport) keep(ctx context.Context, files []extract.Attachment, known []assistants.Document) error {
	// An attachment is unchanged if a document has the same bytes, even under another
	// name. A version that is about to be replaced does not count.
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
	replaced := map[int]assistants.DocumentID{} // by index in changed
	for _, f := range files {
		i := slices.IndexFunc(known, func(d assistants.Document) bool { return d.Version.FileName == CleanName(f.Name) })
		if i >= 0 {
			replaced[len(changed)] = known[i].ID
			known = slices.Delete(known, i, i+1)
		}
		changed = append(changed, f)
	}
	for _, d := range known {
		if err := e.store.DeleteDocument(ctx, d.TenantID, d.ID); err != nil && !isObsolete(err) {
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

// put stores a file as a new document, or as a new version of an old one.
func (e attachmentImport) put(ctx context.Context, f extract.Attachment, old assistants.DocumentID) error {
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
	// Another document of the collection has these bytes, so the old one is deleted.
	if err := e.store.DeleteDocument(ctx, u.Tenant, old); err != nil && !isObsolete(err) {
		return err
	}
	u.Content = bytes.NewReader(f.Data)
	_, _, err = e.library.Add(ctx, u) // if it belonged to another mail, it now belongs to none
	return err
}

// skipRefused logs and drops the errors that concern one attachment only. Other
// errors fail the mail.
func (e attachmentImport) skipRefused(f extract.Attachment, err error) error {
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
