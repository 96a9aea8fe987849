package upstream

import (
	"bytes"
	"io"
)

// minSecret is the shortest key that is looked for: shorter ones ("none",
// "ollama") are words.
const minSecret = 8

// maxMasked bounds an error answer; a longer one is refused.
const maxMasked = 1 << 20

// A maskingReader replaces our own key in an upstream's error answer by
// asterisks of the same length; every other byte passes. It reads the answer
// as a whole, since a key may lie across two reads.
type maskingReader struct {
	r      io.Reader
	secret []byte
	masked *bytes.Reader
	err    error
}

// Read reads masked bytes.
func (m *maskingReader) Read(p []byte) (int, error) {
	if m.masked == nil {
		var body []byte
		body, m.err = io.ReadAll(&cappedReader{r: m.r, left: maxMasked})
		m.masked = bytes.NewReader(bytes.ReplaceAll(body, m.secret, bytes.Repeat([]byte("*"), len(m.secret))))
	}
	n, err := m.masked.Read(p)
	if err == io.EOF && m.err != nil {
		err = m.err
	}
	return n, err
}
