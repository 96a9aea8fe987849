package extract

import (
	"errors"
	"strings"
	"testing"
)

func TestARefusalSaysWhatTheFileIs(t *testing.T) {
	for content, want := range map[string]string{
		"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR":                                  "This is a PNG picture, which has no text. ",
		"\xff\xd8\xff\xe0\x00\x10JFIF\x00":                                     "This is a JPEG picture, which has no text. ",
		"PK\x03\x04\x14\x00\x00\x00":                                           "This is a ZIP archive, which is not read. Unpack it ",
		"\x1f\x8b\x08\x00\x00\x00\x00\x00":                                     "This is a gzip archive, which is not read. Unpack it ",
		"7z\xbc\xaf\x27\x1c\x00\x04":                                           "This is a 7-Zip archive, ",
		"RIFF\x24\x00\x00\x00WAVEfmt ":                                         "This is a sound file (wav), which has no text. ",
		"MZ\x90\x00\x03\x00\x00\x00":                                           "This is a program, ",
		"%!PS-Adobe-3.0\n":                                                     "This is a PostScript file, which is not read. Save it as PDF ",
		"Words\x00 with \x00NULs\x00 in\x00 \x00them, and\x00\x00 more words.": "This looks like text, but it has NUL bytes in it, ",
		"W\x00\x00\x00o\x00\x00\x00r\x00\x00\x00":                              "This looks like text in UTF-32, ",
		"\x00\x01\x02\x03\x04\x05\x06\x07":                                     "It cannot be told what this file is",
		"\x00\x00\x00\x00":                                                     "It cannot be told what this file is",
		"SQLite format 3\x00\x10\x00\x01\x01":                                  "This is a SQLite database, ",
	} {
		contentType, supported := Sniff([]byte(content), "a.pdf")
		if got := Refusal(contentType, []byte(content)); supported || !strings.HasPrefix(got, want) || !strings.HasSuffix(got, ".") {
			t.Errorf("%q (%s, %v): %s", content, contentType, supported, got)
		}
		_, err := extractBytes(t, content)
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeUnreadable || !strings.HasPrefix(e.Message, want) {
			t.Errorf("%q is extracted with %v", content, err)
		}
	}
}

func extractBytes(t *testing.T, content string) (Document, error) {
	t.Helper()
	return Extract(t.Context(), strings.NewReader(content), int64(len(content)), Options{Name: "a.pdf"})
}
