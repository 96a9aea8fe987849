package access

import (
	"crypto/rand"
	"crypto/sha256"
	"strings"

	"footnote/assistants"
)

// KeyPrefix starts every key of ours, so that people and secret scanners
// recognise one, and so that a key for another service is told apart.
const KeyPrefix = "fn-"

const (
	publicLength = 12 // characters after KeyPrefix that are stored in the clear, to find a key by
	secretLength = 52 // base32 characters of secret: 260 bits
	keyLength    = len(KeyPrefix) + publicLength + secretLength
)

// NewKey makes a key: the secret to show once ("fn-" and 64 characters out of
// a-z and 2-7) and the record to store, which has an id, the public prefix and
// the digest. Tenant, name, scopes and times are the caller's to fill in.
func NewKey() (secret string, key assistants.Key) {
	// rand.Text yields 26 base32 characters; the public part is drawn on its
	// own, so that what is stored in the clear says nothing about the secret.
	public := rand.Text()[:publicLength]
	secret = KeyPrefix + strings.ToLower(public+rand.Text()+rand.Text())
	return secret, assistants.Key{
		ID:     assistants.NewKeyID(),
		Prefix: secret[:len(KeyPrefix)+publicLength],
		Hash:   sha256.Sum256([]byte(secret)),
	}
}

// prefixOf returns the public prefix of a token that has the form of a key.
func prefixOf(token string) (prefix string, ok bool) {
	if len(token) != keyLength || !strings.HasPrefix(token, KeyPrefix) {
		return "", false
	}
	for i := len(KeyPrefix); i < len(token); i++ {
		if c := token[i]; (c < 'a' || c > 'z') && (c < '2' || c > '7') {
			return "", false
		}
	}
	return token[:len(KeyPrefix)+publicLength], true
}
