package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"footnote/assistants"
)

// Keys finds stored keys, which is all that authentication needs.
type Keys interface {
	// KeyFor finds a key by its public prefix, including revoked and expired
	// keys. Only a key that fits may come from a cache. For every other prefix
	// the database is asked, whether it has a key or not, so that both take the
	// same time. ErrNotFound: there is no key. ErrUnavailable: the store cannot
	// answer.
	KeyFor(ctx context.Context, prefix string, fits func(assistants.Key) bool) (assistants.Key, error)
}

// MinAdminKey is the minimum length of a configured admin key, in bytes.
const MinAdminKey = 16

// An Authenticator finds the principal behind a request. It is safe for
// concurrent use.
type Authenticator struct {
	keys     Keys
	now      func() time.Time
	admin    [sha256.Size]byte
	hasAdmin bool
}

// New returns an Authenticator over keys. adminKey is the value of
// FOOTNOTE_ADMIN_KEY, "" for none: a text of at least [MinAdminKey] bytes that
// has every scope in the default tenant. now is the clock; nil means time.Now.
func New(keys Keys, adminKey string, now func() time.Time) (*Authenticator, error) {
	if now == nil {
		now = time.Now
	}
	a := &Authenticator{keys: keys, now: now}
	if adminKey == "" {
		return a, nil
	}
	if len(adminKey) < MinAdminKey || strings.TrimSpace(adminKey) != adminKey {
		// Do not repeat the text, which may be a secret with a typo.
		return nil, &assistants.FieldError{
			Field:   "FOOTNOTE_ADMIN_KEY",
			Message: fmt.Sprintf("The admin key needs at least %d characters and no white space around it.", MinAdminKey),
		}
	}
	a.admin, a.hasAdmin = sha256.Sum256([]byte(adminKey)), true
	return a, nil
}

// AdminKeyID is the id of the configured admin key, which is not stored.
const AdminKeyID assistants.KeyID = "key_configured_admin"

// Authenticate finds the principal behind r from "Authorization: Bearer" or the
// "api-key" header.
//
// Without a credential, or with one that is not a Footnote key, it returns an
// anonymous principal and no error, because only the caller knows whether the
// assistant is public. A Footnote key that is malformed, unknown, revoked or
// expired gives ErrUnauthorized, always with the same message. Contradictory
// credentials give a [assistants.FieldError] of kind ErrAmbiguous, and a key in
// the query one of kind ErrInvalid. ErrUnavailable: the store cannot answer.
func (a *Authenticator) Authenticate(ctx context.Context, r *http.Request) (Principal, error) {
	token, err := credential(r)
	if err != nil {
		return Principal{}, err
	}
	if token == "" {
		return anonymous(), nil
	}
	digest := sha256.Sum256([]byte(token))
	if a.hasAdmin && subtle.ConstantTimeCompare(digest[:], a.admin[:]) == 1 {
		return Principal{Tenant: assistants.DefaultTenant, Key: assistants.Key{
			ID: AdminKeyID, TenantID: assistants.DefaultTenant, Name: "FOOTNOTE_ADMIN_KEY",
			Scopes: []assistants.Scope{assistants.ScopeAdmin},
		}}, nil
	}
	if !strings.HasPrefix(token, KeyPrefix) {
		return anonymous(), nil
	}
	prefix, ok := prefixOf(token)
	if !ok {
		return Principal{}, assistants.ErrUnauthorized
	}
	now := a.now()
	fits := func(k assistants.Key) bool {
		same := subtle.ConstantTimeCompare(digest[:], k.Hash[:]) == 1
		return k.Alive(now) && same
	}
	key, err := a.keys.KeyFor(ctx, prefix, fits)
	if err != nil && !errors.Is(err, assistants.ErrNotFound) {
		return Principal{}, fmt.Errorf("look up key: %w", err)
	}
	// An unknown prefix leaves a zero key. It is compared as well, so that
	// unknown keys and keys with a known prefix take the same steps.
	if !fits(key) || err != nil {
		return Principal{}, assistants.ErrUnauthorized
	}
	return Principal{Tenant: key.TenantID, Key: key}, nil
}

func anonymous() Principal {
	return Principal{Tenant: assistants.DefaultTenant, Anonymous: true}
}

// credential returns the token of a request, "" for none.
func credential(r *http.Request) (string, error) {
	if err := refuseQuery(r); err != nil {
		return "", err
	}
	authorization, apiKey := r.Header.Values("Authorization"), r.Header.Values("Api-Key")
	if len(authorization) > 1 || len(apiKey) > 1 {
		return "", ambiguous("Send one key: a header with a key appears more than once.")
	}
	bearer, err := bearerToken(authorization)
	if err != nil {
		return "", err
	}
	if len(apiKey) == 0 {
		return bearer, nil
	}
	other := strings.Trim(apiKey[0], " ")
	if len(authorization) == 1 && other != bearer {
		return "", ambiguous("Send one key: Authorization and api-key differ.")
	}
	return other, nil
}

// bearerToken extracts the token from an Authorization header (RFC 6750, 2.1).
// Any other scheme is a malformed credential.
func bearerToken(values []string) (string, error) {
	if len(values) == 0 {
		return "", nil
	}
	value := strings.Trim(values[0], " ")
	if value == "" {
		return "", nil
	}
	scheme, token, _ := strings.Cut(value, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", assistants.ErrUnauthorized
	}
	return strings.Trim(token, " "), nil
}

// refuseQuery refuses keys in the URL, which would end up in logs, histories and
// referrers. It looks at RawQuery first because few requests have a query.
func refuseQuery(r *http.Request) error {
	if r.URL.RawQuery == "" {
		return nil
	}
	for name := range r.URL.Query() {
		switch strings.ToLower(name) {
		case "key", "api_key", "api-key", "apikey", "access_token", "api_token", "bearer", "authorization":
			return &assistants.FieldError{
				Field:   strings.ToLower(name),
				Message: "A key must not be part of the URL; send it as \"Authorization: Bearer\" or \"api-key\" header.",
			}
		}
	}
	return nil
}

func ambiguous(message string) error {
	return &assistants.FieldError{Message: message, Kind: assistants.ErrAmbiguous}
}
