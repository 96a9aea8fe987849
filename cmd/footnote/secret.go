package main

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"footnote/cmd/footnote/maintain"
)

// A masterSecret is the installation's one secret. Each purpose has its own key
// derived from it, so that no key reveals another.
type masterSecret []byte

// subkey derives the 32-byte key for a purpose (HKDF-SHA-256, RFC 5869).
func (s masterSecret) subkey(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, s, nil, "footnote "+purpose, 32)
	if err != nil {
		panic(err) // only for a length that the hash cannot give
	}
	return key
}

// secretKey returns the installation's secret: the configured one, else the
// content of a file in the data directory, made at the first start.
func secretKey(cfg Config) (masterSecret, error) {
	if cfg.SecretKey != "" {
		return masterSecret(cfg.SecretKey), nil
	}
	path := filepath.Join(cfg.DataDir, maintain.FileSecret)
	content, err := os.ReadFile(path)
	if err == nil && len(strings.TrimSpace(string(content))) >= 32 {
		return masterSecret(strings.TrimSpace(string(content))), nil
	}
	if err == nil {
		return nil, fmt.Errorf("%s is damaged: restore it from a backup, or delete it and lose the links signed with it and the keys of stored upstreams", path)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails: it ends the program instead
	secret := base64.RawStdEncoding.EncodeToString(random[:])
	return masterSecret(secret), maintain.WriteFile(path, []byte(secret+"\n"))
}
