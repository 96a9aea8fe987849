package upstream

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

// minSecret is the shortest key that is looked for: shorter ones ("none",
// "ollama") are words.
const minSecret = 8

// maxMasked bounds an error answer; a longer one is refused.
const maxMasked = 1 << 20

// secrets are our own key and what else an upstream was configured to be sent:
// never to be shown, not even in its own words. The longest come first, as one
// may hold another.
type secrets []string

// secretsOf collects them. Of a header's value its last word counts by itself,
// since it may be "Bearer" and a key.
func secretsOf(apiKey string, headers map[string]string) secrets {
	all := []string{apiKey}
	for _, value := range headers {
		all = append(all, value, value[strings.LastIndexByte(value, ' ')+1:])
	}
	all = slices.DeleteFunc(all, func(s string) bool { return len(s) < minSecret })
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}

// mask takes the secrets out of a text.
func (s secrets) mask(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "[secret]")
	}
	return text
}

// maskBytes puts asterisks over the secrets in an answer.
func (s secrets) maskBytes(body []byte) []byte {
	for _, secret := range s {
		body = bytes.ReplaceAll(body, []byte(secret), bytes.Repeat([]byte("*"), len(secret)))
	}
	return body
}

// A maskingReader replaces our own secrets in an upstream's error answer by
// asterisks of the same length; every other byte passes. It reads the answer
// as a whole, since a key may lie across two reads.
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
