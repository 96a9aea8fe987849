package links

import "mime"

// downloadTypes are the content types that a download may have. Every other file
// is sent as plain bytes, because a browser could run or display it as a page of
// this origin.
var downloadTypes = map[string]bool{
	"application/pdf": true,
	"text/plain":      true,
	"text/markdown":   true,
	"text/csv":        true,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   true,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         true,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": true,
	"application/vnd.oasis.opendocument.text":                                   true,
	"application/vnd.oasis.opendocument.spreadsheet":                            true,
	"application/vnd.oasis.opendocument.presentation":                           true,
	"application/epub+zip": true,
}

// ContentType returns the content type that a document is sent with, for the stored one.
func ContentType(stored string) string {
	media, _, err := mime.ParseMediaType(stored)
	if err != nil || !downloadTypes[media] {
		return "application/octet-stream"
	}
	return media // without a charset, because the charset of the upload is not known
}

// Disposition offers the file under the document's name (RFC 6266, RFC 8187).
func Disposition(name string) string {
	if v := mime.FormatMediaType("attachment", map[string]string{"filename": name}); v != "" {
		return v
	}
	return "attachment"
}
