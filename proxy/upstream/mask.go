package upstream

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
)

// minSecret is the length of the shortest key that is searched for: shorter ones
// ("none", "ollama") are words.
const minSecret = 8

// maxMasked bounds an error answer; longer ones are refused.
const maxMasked = 1 << 20

// secrets are the key and the configured headers of an upstream. They must never
// appear, even if the upstream repeats them. The longest come first, because one may
// contain another.
type secrets []string

// secretsOf collects the secrets. The last word of a header's value counts on its
// own, because the value may be "Bearer" and a key.
func secretsOf(apiKey string, headers map[string]string) secrets {
	all := []string{apiKey}
	for _, value := range headers {
		all = append(all, value, value[strings.LastIndexByte(value, ' ')+1:])
	}
	all = slices.DeleteFunc(all, func(s string) bool { return len(s) < minSecret })
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}

// mask removes the secrets from a text.
func (s secrets) mask(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "[secret]")
	}
	return text
}

// maskHeader returns the headers without those that repeat a secret.
func (s secrets) maskHeader(h http.Header) http.Header {
	for name, values := range h {
		if slices.ContainsFunc(values, func(v string) bool { return s.mask(v) != v }) {
			delete(h, name)
		}
	}
	return h
}

// maskBytes puts asterisks over the secrets in an answer.
func (s secrets) maskBytes(body []byte) []byte {
	for _, secret := range s {
		body = bytes.ReplaceAll(body, []byte(secret), bytes.Repeat([]byte("*"), len(secret)))
	}
	return body
}

// A maskingReader replaces the secrets in an upstream's error answer by asterisks of
// the same length; all other bytes pass. It reads the whole answer first, because a
// key may span two reads.
type maskingReader struct {
	r       io.Reader
	secrets secrets
	masked  *bytes.Reader
	err     error
}

// Read reads masked bytes.
func (m *maskingReader) Read(p []byte) (int, error) {
	if m.masked == nil {
		var body []byte
		body, m.err = io.ReadAll(&cappedReader{r: m.r, left: maxMasked})
		m.masked = bytes.NewReader(m.secrets.maskBytes(body))
	}
	n, err := m.masked.Read(p)
	if err == io.EOF && m.err != nil {
		err = m.err
	}
	return n, err
}
