package assistants

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// BuiltinPrefix is the prefix of the names of built-in upstreams.
const BuiltinPrefix = "builtin:"

// BuiltinExtractive is the built-in upstream. It quotes its sources and is not a
// language model.
const BuiltinExtractive = BuiltinPrefix + "extractive"

// An Upstream is a model server that was stored through the API. Its name is
// unique within the tenant. API key and header values are secrets: they are
// stored encrypted and never shown again.
type Upstream struct {
	ID           UpstreamID
	TenantID     TenantID
	Name         string
	BaseURL      string // what SDKs call the base URL, "https://host/v1"
	APIKey       Secret // the zero Secret: none
	DefaultModel string // for assistants that name no model; "": none
	Headers      map[string]Secret
	Timeouts     UpstreamTimeouts
	CreatedAt    time.Time
	UpdatedAt    time.Time // grows with every change
}

// UpstreamTimeouts are how long a server may take. They are whole seconds; zero
// means the default.
type UpstreamTimeouts struct {
	FirstToken time.Duration // to the first token of a stream
	Idle       time.Duration // between two pieces of a stream
	Total      time.Duration // for an answer that is not a stream
}

// MaxUpstreamTimeout bounds each of the timeouts of an upstream.
const MaxUpstreamTimeout = 24 * time.Hour

// Readable reports whether the server's key decrypts every secret of u. If not,
// the installation's secret was changed after they were stored.
func (u Upstream) Readable() bool {
	for _, value := range u.Headers {
		if value.sealed != "" {
			return false
		}
	}
	return u.APIKey.sealed == ""
}

// A Secret is a text that is never printed: not by fmt, whatever the verb, and
// not by encoders or loggers. Its zero value is no secret.
type Secret struct {
	text   *string // a pointer, because fmt prints unexported fields
	sealed string
}

// NewSecret hides a text; "" is no secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{text: &text}
}

// SealedSecret is a secret that cannot be decrypted, in its stored form.
func SealedSecret(sealed string) Secret { return Secret{sealed: sealed} }

// Set reports whether there is a secret, readable or not.
func (s Secret) Set() bool { return s.text != nil || s.sealed != "" }

// Reveal returns the text; "" when there is none or it cannot be read.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Sealed returns the stored form of a secret that cannot be decrypted, else "".
func (s Secret) Sealed() string { return s.sealed }

// String reveals only whether there is a secret.
func (s Secret) String() string {
	if s.Set() {
		return "***"
	}
	return ""
}

// Format implements fmt.Formatter for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText hides the secret from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// CheckUpstreamName reports how a name breaks the rules for names of upstreams,
// as a [FieldError] on "name". It must not look like an id or a built-in
// upstream.
func CheckUpstreamName(name string) error {
	if err := CheckName("name", name); err != nil {
		return err
	}
	lower := strings.ToLower(strings.TrimSpace(name))
	if strings.HasPrefix(lower, upstreamPrefix) || strings.HasPrefix(lower, BuiltinPrefix) {
		return &FieldError{Field: "name", Message: "The name of an upstream must not begin with up_ or builtin:."}
	}
	return nil
}

// CheckModelName reports how the name of a model breaks its rules: at most 255
// code points without control characters. "" is allowed.
func CheckModelName(field, name string) error {
	if utf8.RuneCountInString(name) > MaxName || strings.ContainsFunc(name, unicode.IsControl) {
		return &FieldError{Field: field, Message: field + " must be at most 255 characters, none of them a control character."}
	}
	return nil
}

// checkUpstream checks the setting's form. Only the store knows whether the
// upstream exists.
func (s Settings) checkUpstream() error {
	if s.Upstream == nil || *s.Upstream == BuiltinExtractive {
		return nil
	}
	if *s.Upstream == "" || strings.HasPrefix(*s.Upstream, BuiltinPrefix) {
		return UnknownUpstream("upstream")
	}
	return nil
}

// UnknownUpstream is the error of settings that name an upstream which does not
// exist. field is the setting's path in the request.
func UnknownUpstream(field string) error {
	return &FieldError{Field: field,
		Message: "There is no such upstream; upstream must be the id or name of a stored one, " + BuiltinExtractive + ", or null for the default one."}
}
