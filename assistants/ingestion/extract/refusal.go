package extract

import (
	"bytes"
	"strings"
)

// Refusal describes in a sentence or two a file that [Sniff] does not support, and
// says what its owner can do. contentType is what Sniff returned for head.
func Refusal(contentType string, head []byte) string {
	kind, name, _ := strings.Cut(contentType, "/")
	switch usual := known[contentType]; {
	case usual.name != "":
		return "This is " + usual.name + ", which " + usual.advice
	case kind == "image":
		return "This is a picture (" + name + "), which " + asPicture
	case kind == "audio":
		return "This is a sound file (" + name + "), which " + asSound
	case kind == "video":
		return "This is a film (" + name + "), which " + asSound
	case kind == "font":
		return "This is a font (" + name + "), which has no text."
	case contentType != "application/octet-stream":
		return "This is a file of the type " + contentType + ", which is not read."
	}
	text := bytes.ReplaceAll(head, []byte{0}, nil)
	zeros := len(head) - len(text)
	switch {
	case zeros == 0 || len(text) == 0 || !looksLikeText(text):
		return "It cannot be told what this file is: it is neither text nor a document of a kind that is read."
	case 2*zeros > len(head):
		return "This looks like text in UTF-32, which is not read. Save it as UTF-8 and upload that."
	}
	return "This looks like text, but it has NUL bytes in it, which no text has; it may be damaged. Save it anew as text and upload that."
}

const (
	asPicture = "has no text. Upload it as a PDF with its text recognised."
	asSound   = "has no text. Upload a transcript."
	asArchive = "is not read. Unpack it and upload the documents in it one by one."
	asProgram = "has no text that can be read."
	asPDF     = "is not read. Save it as PDF and upload that."
)

// known holds a name and advice for unsupported types that users often upload.
var known = map[string]struct{ name, advice string }{
	"image/png":                    {"a PNG picture", asPicture},
	"image/jpeg":                   {"a JPEG picture", asPicture},
	"image/gif":                    {"a GIF picture", asPicture},
	"image/tiff":                   {"a TIFF picture", asPicture},
	"image/bmp":                    {"a BMP picture", asPicture},
	"image/webp":                   {"a WebP picture", asPicture},
	"image/heic":                   {"a HEIC picture", asPicture},
	"image/svg+xml":                {"an SVG picture", asPicture},
	"application/postscript":       {"a PostScript file", asPDF},
	"application/zip":              {"a ZIP archive", asArchive},
	"application/gzip":             {"a gzip archive", asArchive},
	"application/x-tar":            {"a tar archive", asArchive},
	"application/x-bzip2":          {"a bzip2 archive", asArchive},
	"application/x-xz":             {"an xz archive", asArchive},
	"application/zstd":             {"a Zstandard archive", asArchive},
	"application/x-7z-compressed":  {"a 7-Zip archive", asArchive},
	"application/x-rar-compressed": {"a RAR archive", asArchive},
	"application/vnd.ms-outlook":   {"an Outlook message", "is not read. Save it as EML and upload that."},
	"application/x-sqlite3":        {"a SQLite database", "is not read. Export its tables as CSV and upload those."},
	"application/vnd.sqlite3":      {"a SQLite database", "is not read. Export its tables as CSV and upload those."},
	"application/x-elf":            {"a program", asProgram},
	"application/x-executable":     {"a program", asProgram},
	"application/x-mach-binary":    {"a program", asProgram},
	"application/vnd.microsoft.portable-executable": {"a program", asProgram},
}
