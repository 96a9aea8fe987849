package assistants

import (
	"fmt"
	"slices"
	"strings"
)

// MaxFallbacks is how many fallbacks an assistant may have.
const MaxFallbacks = 5

// A Fallback is an upstream that is asked when those before it have failed.
type Fallback struct {
	Upstream string  `json:"upstream"`        // id or name of a stored upstream, or BuiltinExtractive
	Model    *string `json:"model,omitempty"` // nil: the upstream's default model
}

// StoredUpstreams returns the ids and names of stored upstreams that the settings
// name, sorted and each once. The default and built-in ones are not among them.
func (s Settings) StoredUpstreams() []string {
	var refs []string
	if s.Upstream != nil {
		refs = append(refs, *s.Upstream)
	}
	for _, f := range s.UpstreamFallbacks {
		refs = append(refs, f.Upstream)
	}
	refs = slices.DeleteFunc(refs, func(ref string) bool { return strings.HasPrefix(ref, BuiltinPrefix) })
	slices.Sort(refs)
	return slices.Compact(refs)
}

// checkFallbacks checks the form of the fallbacks, as checkUpstream does.
func (s Settings) checkFallbacks() error {
	const field = "upstream_fallbacks"
	if len(s.UpstreamFallbacks) > MaxFallbacks {
		return &FieldError{Field: field, Message: fmt.Sprintf("%s has at most %d entries.", field, MaxFallbacks)}
	}
	for _, f := range s.UpstreamFallbacks {
		if f.Upstream == "" || strings.HasPrefix(f.Upstream, BuiltinPrefix) && f.Upstream != BuiltinExtractive {
			return UnknownFallback(field)
		}
		if err := (Field{Name: field, MaxLength: MaxName}).check(f.Upstream); err != nil {
			return err
		}
		if f.Model == nil {
			continue
		}
		if *f.Model == "" {
			return &FieldError{Field: field, Message: "A fallback's model must not be empty; leave it out for the upstream's default_model."}
		}
		if err := (Field{Name: field, MaxLength: MaxName}).check(*f.Model); err != nil {
			return err
		}
	}
	return nil
}

// UnknownFallback is the error of settings with a fallback that does not exist.
// field is the setting's path in the request.
func UnknownFallback(field string) error {
	return &FieldError{Field: field,
		Message: "There is no such upstream; each fallback's upstream must be the id or name of a stored one, or " + BuiltinExtractive + "."}
}
