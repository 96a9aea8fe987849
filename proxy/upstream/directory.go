package upstream

import (
	"context"
	"maps"

	"footnote/assistants"
)

// BuiltinExtractive is the name of the answerer that quotes its sources (see package
// extractive). It is not a language model.
const BuiltinExtractive = assistants.BuiltinExtractive

// An Entry is an upstream as assistants name it.
type Entry struct {
	Client       Client
	DefaultModel string // for assistants that name none; may be ""
}

// A Finder finds stored upstreams for chats; the cache in front of the store
// implements it.
type Finder interface {
	// KnownUpstream finds an upstream by id or name; ErrNotFound, ErrUnavailable.
	KnownUpstream(ctx context.Context, tenant assistants.TenantID, ref string) (assistants.Upstream, error)
}

// A Directory finds upstreams: the default one under "", the built-in ones
// under their own names, and stored ones by id or name.
type Directory struct {
	entries map[string]Entry
	finder  Finder
	stored  *Stored
}

// NewDirectory returns a directory with a default upstream and others by name,
// [BuiltinExtractive] among them.
func NewDirectory(def Entry, others map[string]Entry) *Directory {
	d := &Directory{entries: make(map[string]Entry, len(others)+1)}
	maps.Copy(d.entries, others)
	d.entries[""] = def
	return d
}

// WithStored returns d with the upstreams that finder finds.
func (d *Directory) WithStored(finder Finder, stored *Stored) *Directory {
	return &Directory{entries: d.entries, finder: finder, stored: stored}
}

// Named finds an upstream that a tenant's assistant names. ErrNotFound and
// ErrUnavailable as [Finder]; an [*Error] when the stored upstream cannot be used.
func (d *Directory) Named(ctx context.Context, tenant assistants.TenantID, ref string) (client Client, defaultModel string, err error) {
	if e, ok := d.entries[ref]; ok {
		return e.Client, e.DefaultModel, nil
	}
	if d.finder == nil {
		return nil, "", assistants.ErrNotFound
	}
	u, err := d.finder.KnownUpstream(ctx, tenant, ref)
	if err != nil {
		return nil, "", err
	}
	h, err := d.stored.Client(u)
	if err != nil {
		return nil, "", err
	}
	return h, u.DefaultModel, nil
}
