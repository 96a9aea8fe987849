package access

import (
	"fmt"

	"footnote/assistants"
)

// A Principal is the sender of a request. The zero value may do nothing.
type Principal struct {
	// Tenant owns everything the principal can reach.
	Tenant assistants.TenantID
	// Key is the key that was presented; it is zero for an anonymous principal.
	Key assistants.Key
	// Anonymous is set when the request had no Footnote key. Such a principal
	// may only use assistants with public access.
	Anonymous bool
	// Within is set for a request that this process makes itself, such as that of an
	// evaluation. No limits hold for it.
	Within bool
}

// Require checks that the principal has the scope. It returns ErrUnauthorized
// without a key, and a [assistants.FieldError] of kind ErrForbidden for a key
// without the scope.
func (p Principal) Require(scope assistants.Scope) error {
	return p.RequireAny(scope)
}

// RequireAny checks that the principal has one of several scopes.
func (p Principal) RequireAny(scopes ...assistants.Scope) error {
	if p.Anonymous || p.Key.ID == "" {
		return assistants.ErrUnauthorized
	}
	for _, s := range scopes {
		if p.Key.Has(s) {
			return nil
		}
	}
	return &assistants.FieldError{
		Message: fmt.Sprintf("This key lacks the scope for this request (%s).", join(scopes)),
		Kind:    assistants.ErrForbidden,
	}
}

// MaySee reports whether the principal's key covers the assistant. It is false
// for an anonymous principal: public access is a property of the assistant,
// which the caller checks.
func (p Principal) MaySee(id assistants.AssistantID) bool {
	return !p.Anonymous && p.Key.ID != "" && p.Key.MaySee(id)
}

// MaySeeAll reports whether the principal's key covers every assistant of its
// tenant, including future ones.
func (p Principal) MaySeeAll() bool {
	return !p.Anonymous && p.Key.ID != "" && p.Key.Assistants == nil
}

// Sight returns what the principal may see by its key.
func (p Principal) Sight() assistants.Sight {
	if p.Anonymous || p.Key.ID == "" {
		return assistants.Sight{}
	}
	return assistants.Sight{All: p.Key.Assistants == nil, Some: p.Key.Assistants}
}

func join(scopes []assistants.Scope) string {
	text := ""
	for i, s := range scopes {
		if i > 0 {
			text += " or "
		}
		text += string(s)
	}
	return text
}
