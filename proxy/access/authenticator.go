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

// Keys finds stored keys; looking one up is all that authenticating needs.
type Keys interface {
	// KeyFor finds a key by its public prefix, revoked and expired ones
	// included. Only a key that fits may come from memory; for every other
	// prefix the database is asked, whether it has a key for it or not, so that
	// the two take the same. ErrNotFound: there is none. ErrUnavailable: the
	// store cannot answer.
	KeyFor(ctx context.Context, prefix string, fits func(assistants.Key) bool) (assistants.Key, error)
}

// MinAdminKey is the least length of a configured admin key, in bytes.
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
// FOOTNOTE_ADMIN_KEY, "" for none: any text of at least [MinAdminKey] bytes,
// which then has every scope in the default tenant. now is the clock, time.Now
// when nil.
func New(keys Keys, adminKey string, now func() time.Time) (*Authenticator, error) {
	if now == nil {
		now = time.Now
	}
	a := &Authenticator{keys: keys, now: now}
	if adminKey == "" {
		return a, nil
	}
	if len(adminKey) < MinAdminKey || strings.TrimSpace(adminKey) != adminKey {
		// The text is not repeated: it may be a secret with a slip in it.
		return nil, &assistants.FieldError{
			Field:   "FOOTNOTE_ADMIN_KEY",
			Message: fmt.Sprintf("The admin key needs at least %d characters and no white space around it.", MinAdminKey),
		}
	}
	a.admin, a.hasAdmin = sha256.Sum256([]byte(adminKey)), true
	return a, nil
}

// adminKeyID stands in for the id of the configured admin key, which has no row.
const adminKeyID assistants.KeyID = "key_configured_admin"

// Authenticate finds the principal behind r from "Authorization: Bearer" or
// the "api-key" header.
//
// No credential, or one that is not a key of ours, gives an anonymous
// principal and no error: only the caller knows whether the assistant is
// public. A key of ours that is malformed, unknown, revoked or expired gives
// ErrUnauthorized, each in the same words. Contradictory credentials give a
// [assistants.FieldError] of kind ErrAmbiguous, a key in the query one of kind
// ErrInvalid. ErrUnavailable: the store cannot answer.
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
			ID: adminKeyID, TenantID: assistants.DefaultTenant, Name: "FOOTNOTE_ADMIN_KEY",
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
	// An unknown prefix leaves a zero key, which is looked at all the same: an
	// unknown and a partly right key take the same steps.
	if !fits(key) || err != nil {
		return Principal{}, assistants.ErrUnauthorized
	}
	return Principal{Tenant: key.TenantID, Key: key}, nil
}

func anonymous() Principal {
	return Principal{Tenant: assistants.DefaultTenant, Anonymous: true}
}

// credential returns the one token that a request carries, "" for none.
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

// bearerToken takes the token out of an Authorization header (RFC 6750, 2.1);
// any other scheme is a malformed credential.
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

// refuseQuery refuses keys in the URL, where logs, histories and referrers
// would keep them. RawQuery is looked at first because nearly no request has one.
func refuseQuery(r *http.Request) error {
	if r.URL.RawQuery == "" {
		return nil
	}
	for name := range r.URL.Query() {
		switch strings.ToLower(name) {
		case "key", "api_key", "api-key":
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
