package access

import (
	"crypto/rand"
	"crypto/sha256"
	"strings"

	"footnote/assistants"
)

// KeyPrefix is the prefix of every Footnote key, so that people and secret
// scanners recognise it, and keys for other services are distinguished.
const KeyPrefix = "fn-"

const (
	publicLength = 12 // characters after KeyPrefix that are stored, to find a key by
	secretLength = 52 // base32 characters of secret: 260 bits
	keyLength    = len(KeyPrefix) + publicLength + secretLength
)

// NewKey makes a key: the secret to show once ("fn-" and 64 characters of a-z
// and 2-7) and the record to store with id, public prefix and digest. The caller
// fills in tenant, name, scopes and times.
func NewKey() (secret string, key assistants.Key) {
	// rand.Text returns 26 base32 characters. The public part is independent of
	// the secret, so that it reveals nothing about it.
	public := rand.Text()[:publicLength]
	secret = KeyPrefix + strings.ToLower(public+rand.Text()+rand.Text())
	return secret, assistants.Key{
		ID:     assistants.NewKeyID(),
		Prefix: secret[:len(KeyPrefix)+publicLength],
		Hash:   sha256.Sum256([]byte(secret)),
	}
}

// prefixOf returns the public prefix of a token, if the token has the form of a
// key.
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
