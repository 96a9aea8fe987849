package db

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"footnote/assistants"
)

// sealVersion is the prefix of every sealed text and names the encryption:
// AES-256-GCM with a random nonce of 12 bytes before the ciphertext, in base64.
const sealVersion = "v1:"

// A sealer encrypts texts before they are stored. Each is bound to its place. So
// an attacker who can write to the database cannot copy a secret to a row of
// their own and have it sent to their server.
type sealer struct{ aead cipher.AEAD }

var errNoSealKey = errors.New("the store has no key to encrypt secrets")

// newSealer takes a key of 32 bytes. With nil, the sealer can neither seal nor
// open.
func newSealer(key []byte) (sealer, error) {
	if key == nil {
		return sealer{}, nil
	}
	if len(key) != 32 {
		return sealer{}, fmt.Errorf("a key for stored secrets has 32 bytes, not %d", len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealer{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return sealer{aead}, err
}

// A place is where a secret is stored.
type place struct {
	tenant assistants.TenantID
	id     string
	column string
}

// bytes returns an encoding that is unique to the place.
func (p place) bytes() []byte {
	var b []byte
	for _, part := range []string{string(p.tenant), p.id, p.column} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(part)))
		b = append(b, part...)
	}
	return b
}

// seal returns the stored form of a secret, "" for none. A secret that could not
// be opened keeps its stored form.
func (s sealer) seal(secret assistants.Secret, at place) (string, error) {
	if !secret.Set() || secret.Sealed() != "" {
		return secret.Sealed(), nil
	}
	if s.aead == nil {
		return "", errNoSealKey
	}
	sealed := s.aead.Seal(nil, nil, []byte(secret.Reveal()), at.bytes())
	return sealVersion + base64.RawStdEncoding.EncodeToString(sealed), nil
}

// open returns the secret that is stored at a place.
func (s sealer) open(stored string, at place) assistants.Secret {
	if stored == "" {
		return assistants.Secret{}
	}
	encoded, ok := strings.CutPrefix(stored, sealVersion)
	raw, err := base64.RawStdEncoding.DecodeString(encoded)
	if !ok || err != nil || s.aead == nil {
		return assistants.SealedSecret(stored)
	}
	text, err := s.aead.Open(nil, nil, raw, at.bytes())
	if err != nil {
		return assistants.SealedSecret(stored)
	}
	return assistants.NewSecret(string(text))
}
