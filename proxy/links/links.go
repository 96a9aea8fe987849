// Package links decides which download_url the sources of an answer get, and
// makes and checks the links that need no key.
//
// It obeys one rule: a link is made when an answer goes out and is never stored,
// so that it can be neither in a prompt nor in the database. The permission is
// checked again at the click. The package imports no routes and no storage.
package links

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"footnote/assistants"
	"footnote/citations"
)

// A Grant says for whom a link is to be made.
type Grant struct {
	Base      string // absolute address of this server, without a slash at its end; "": not known
	Assistant assistants.AssistantID
	Document  assistants.Document // as it is now
	TTL       time.Duration
}

// Public makes links that open a document without a key. The Signer of this
// package makes them for documents that this server keeps; a store that can
// sign links itself may take its place.
type Public interface {
	// DownloadURL returns an absolute URL that expires after the TTL or sooner.
	// "" without an error: there is no link.
	DownloadURL(ctx context.Context, g Grant) (string, error)
}

// A Presigner is a store of documents that makes links to itself.
type Presigner interface {
	// PresignDownload returns a URL that opens the file of this key without a key
	// until ttl has passed, with these headers. ErrInvalid, ErrUnavailable.
	PresignDownload(ctx context.Context, key string, ttl time.Duration, contentType, disposition string) (string, error)
}

// Documents finds the documents that still exist.
type Documents interface {
	// ExistingDocuments returns the ids of those of the named documents that
	// exist, in no order; every chat asks it, so it must be cheap. ErrUnavailable.
	ExistingDocuments(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.DocumentID, error)
	// DocumentsByID returns those of the named documents that exist, in no order. ErrUnavailable.
	DocumentsByID(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.Document, error)
}

// Options are the parts that Links are made of. All are required unless the comment
// says what nil means.
type Options struct {
	// Base returns the absolute address that links start with, without a slash
	// at its end; ok is false when it is not known.
	Base      func(r *http.Request) (base string, ok bool)
	Documents Documents
	Public    Public
	Presigner Presigner // nil: this server sends all documents itself
	Log       *slog.Logger
}

// Links complete the sources of answers. They are safe for concurrent use.
type Links struct{ Options }

// New returns Links made of those parts.
func New(o Options) *Links { return &Links{o} }

// patience is how long an answer waits to learn which documents are still there.
const patience = time.Second

const warnNoBase = "Links are left out because the server does not know its public address; set FOOTNOTE_PUBLIC_URL."

// Complete adds to the sources of an answer to r what is known only when it goes
// out: the links of the assistant's mode, and which documents were deleted since
// they were found. It reports whether a source has a link.
func (l *Links) Complete(r *http.Request, a *assistants.Assistant, set *citations.Set) (linked bool) {
	names := set.Documents()
	if len(names) == 0 {
		return false
	}
	ids := make([]assistants.DocumentID, len(names))
	for i, name := range names {
		ids[i] = assistants.DocumentID(name)
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	existing, err := l.existing(ctx, a, ids)
	if err != nil && r.Context().Err() == nil {
		// The links may stay: the permission is checked again at the click.
		l.Log.WarnContext(ctx, "cannot see whether cited documents still exist", "assistant", a.ID, "error", err)
	}
	base := l.base(r, a.Settings, set)
	exists := func(id string) bool {
		_, ok := existing[assistants.DocumentID(id)]
		return ok || err != nil
	}
	set.Link(func(id, name string) (string, bool) {
		if !exists(id) {
			return "", false
		}
		d := assistants.Document{ID: assistants.DocumentID(id), TenantID: a.TenantID, Name: name}
		if known := existing[d.ID]; known != nil {
			d = *known
		}
		address := l.address(ctx, a, Grant{Base: base, Assistant: a.ID, Document: d, TTL: ttl(a)})
		linked = linked || address != ""
		return address, true
	}, exists)
	return linked
}

// existing returns the documents that still exist. Signed links need the
// documents themselves; for the others the ids are enough (the values are nil),
// which costs a seventh.
func (l *Links) existing(ctx context.Context, a *assistants.Assistant, ids []assistants.DocumentID) (map[assistants.DocumentID]*assistants.Document, error) {
	existing := make(map[assistants.DocumentID]*assistants.Document, len(ids))
	if a.Settings.CitationLinkMode == assistants.LinkPublic {
		found, err := l.Documents.DocumentsByID(ctx, a.TenantID, ids)
		for i := range found {
			existing[found[i].ID] = &found[i]
		}
		return existing, err
	}
	found, err := l.Documents.ExistingDocuments(ctx, a.TenantID, ids)
	for _, id := range found {
		existing[id] = nil
	}
	return existing, err
}

func ttl(a *assistants.Assistant) time.Duration {
	return time.Duration(a.Settings.CitationLinkTTLSeconds) * time.Second
}

// base is the address that the assistant's links start with; "" when it has no
// links or the address is not known. In that case the answer gets a warning.
func (l *Links) base(r *http.Request, s assistants.Settings, set *citations.Set) string {
	if s.CitationLinkMode == assistants.LinkNone {
		return ""
	}
	base, ok := l.Base(r)
	if !ok {
		if !l.presigns(s) {
			set.Warn(warnNoBase)
		}
		return ""
	}
	return base
}

// address makes the link of the assistant's mode.
func (l *Links) address(ctx context.Context, a *assistants.Assistant, g Grant) string {
	switch a.Settings.CitationLinkMode {
	case assistants.LinkAuthenticated:
		if g.Base == "" {
			return ""
		}
		return g.Base + "/v1.0/documents/" + string(g.Document.ID) + "/download"
	case assistants.LinkPublic:
		address, err := l.public(ctx, a, g)
		if err != nil || address != "" && !forBrowsers(address) {
			l.Log.ErrorContext(ctx, "no link could be made", "assistant", a.ID, "document", g.Document.ID, "error", err)
			return ""
		}
		return address
	default:
		return ""
	}
}

// presigns reports whether the store of documents makes an assistant's links.
func (l *Links) presigns(s assistants.Settings) bool {
	return l.Presigner != nil && s.CitationLinkMode == assistants.LinkPublic && (s.CitationLinkDelivery == nil || *s.CitationLinkDelivery == assistants.DeliverPresigned)
}

// public makes a link that opens without a key. While the database does not tell
// where the file is, the link leads to this server, which looks for it at the click.
func (l *Links) public(ctx context.Context, a *assistants.Assistant, g Grant) (string, error) {
	if v := g.Document.Version; v.BlobKey != "" && l.presigns(a.Settings) {
		return l.Presigner.PresignDownload(ctx, v.BlobKey, g.TTL, ContentType(v.ContentType), Disposition(g.Document.Name))
	}
	return l.Public.DownloadURL(ctx, g)
}

// forBrowsers reports whether an address is safe to click: it must lead to a web
// server and carry no user name, which could pass for the host.
func forBrowsers(address string) bool {
	u, err := url.Parse(address) // which refuses control characters
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

// Warnings lists the link settings that have no effect on answers to requests
// like r.
func (l *Links) Warnings(r *http.Request, s assistants.Settings) []string {
	if s.CitationLinkMode == assistants.LinkNone {
		return nil
	}
	var list []string
	if d := s.CitationLinkDelivery; l.Presigner == nil && s.CitationLinkMode == assistants.LinkPublic && d != nil && *d == assistants.DeliverPresigned {
		list = append(list, "citation_link_delivery presigned has no effect, because the documents are not on S3: this server sends them itself.")
	}
	if _, ok := l.Base(r); ok || l.presigns(s) {
		return list
	}
	return append(list, "citation_link_mode "+string(s.CitationLinkMode)+" gives no links while the server does not know its public address:"+
		" set FOOTNOTE_PUBLIC_URL, or list the hosts it is called by in FOOTNOTE_ALLOWED_HOSTS.")
}
