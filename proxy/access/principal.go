package access

import (
	"fmt"

	"footnote/assistants"
)

// A Principal is whoever sent a request. The zero value may do nothing.
type Principal struct {
	// Tenant owns everything the principal can reach.
	Tenant assistants.TenantID
	// Key is the key that was presented; it is zero for an anonymous principal.
	Key assistants.Key
	// Anonymous is set when no key of ours was presented. Such a principal may
	// use assistants with public access and nothing else.
	Anonymous bool
}

// Require reports whether the principal has the scope: ErrUnauthorized without
// a key, a [assistants.FieldError] of kind ErrForbidden for a key that lacks it.
func (p Principal) Require(scope assistants.Scope) error {
	return p.RequireAny(scope)
}

// RequireAny is Require for something that each of several scopes allows.
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
// which the caller has to look at.
func (p Principal) MaySee(id assistants.AssistantID) bool {
	return !p.Anonymous && p.Key.ID != "" && p.Key.MaySee(id)
}

// MaySeeAll reports whether the principal's key covers every assistant of its
// tenant, those yet to be made included.
func (p Principal) MaySeeAll() bool {
	return !p.Anonymous && p.Key.ID != "" && p.Key.Assistants == nil
}

// Sight is what the principal may see by its key.
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
