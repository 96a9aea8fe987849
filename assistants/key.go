package assistants

import (
	"slices"
	"time"
)

// Scope is something a key may do.
type Scope string

// Scopes of keys. Admin includes the others.
const (
	ScopeChat   Scope = "chat"
	ScopeSearch Scope = "search"
	ScopeAdmin  Scope = "admin"
)

// Scopes lists every scope.
var Scopes = []Scope{ScopeChat, ScopeSearch, ScopeAdmin}

// A Key is an API key as it is stored: a prefix to find and recognise it by, and
// the SHA-256 of the whole key, but not the key.
type Key struct {
	ID               KeyID
	TenantID         TenantID
	Name             string
	Prefix           string // public first characters of the key, unique
	Hash             [32]byte
	Scopes           []Scope
	Assistants       []AssistantID // nil: all of the tenant
	DefaultAssistant AssistantID   // "": none
	CreatedAt        time.Time
	ExpiresAt        *time.Time
	RevokedAt        *time.Time
	Limits           Limits
}

// Has reports whether the key has the scope.
func (k Key) Has(s Scope) bool {
	return slices.Contains(k.Scopes, s) || slices.Contains(k.Scopes, ScopeAdmin)
}

// MaySee reports whether the key may see the assistant.
func (k Key) MaySee(id AssistantID) bool {
	return k.Assistants == nil || slices.Contains(k.Assistants, id)
}

// Alive reports whether the key is neither revoked nor expired at now.
func (k Key) Alive(now time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || now.Before(*k.ExpiresAt))
}

// A Sight is the set of a tenant's assistants that a caller may see. Its zero
// value is empty. Stores filter by it, so that an invisible assistant and a
// missing one are the same to callers.
type Sight struct {
	All    bool          // every one
	Some   []AssistantID // these
	Public bool          // those with public access
}

// Sees reports whether an assistant is in sight.
func (s Sight) Sees(a *Assistant) bool {
	return s.All || s.Public && a.Settings.PublicAccess || slices.Contains(s.Some, a.ID)
}
