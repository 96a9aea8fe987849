package extract

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// SniffLen is how many of a file's first bytes [Sniff] uses.
const SniffLen = 8 << 10

// Sniff returns the content type of a file from its first bytes (up to
// [SniffLen] are used) and whether this package reads it. The name's extension
// only decides between kinds of text, such as Markdown and plain text.
func Sniff(head []byte, name string) (contentType string, supported bool) {
	head = head[:min(len(head), SniffLen)]
	if isPDF(head) {
		return TypePDF, true
	}
	if isRTF(head) {
		return TypeRTF, true
	}
	detected := plainType(mimetype.Detect(head))
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return zipType(detected, head)
	}
	if bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) {
		return oleType(detected)
	}
	text := looksLikeText(head)
	if !text || isPictureOrPrint(detected, head) {
		if detected == TypeText || detected == "" {
			detected = "application/octet-stream"
		}
		return detected, false
	}
	return textType(detected, head, name), true
}

// archiveTypes are the documents that are zip archives.
var archiveTypes = []string{TypeDOCX, TypePPTX, TypeXLSX, TypeODT, TypeODS, TypeODP, TypeEPUB}

// zipType distinguishes documents from other archives by the names in the head. It
// accepts an archive that may hold a document, because [Extract] checks its content.
func zipType(detected string, head []byte) (contentType string, supported bool) {
	for _, t := range archiveTypes {
		name := []byte("mimetype" + t)
		if detected == t || len(head) > 30 && bytes.HasPrefix(head[30:], name) {
			return t, true
		}
	}
	for _, name := range []string{"[Content_Types].xml", "_rels/.rels", "docProps/", "META-INF/container.xml", "META-INF/manifest.xml", "mimetype"} {
		if bytes.Contains(head, []byte(name)) {
			return TypeZIP, true
		}
	}
	return detected, false
}

// oleType accepts what may be an old or an encrypted office document, so
// that the error can say what to do with it.
func oleType(detected string) (contentType string, supported bool) {
	switch detected {
	case "application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint", TypeOLE:
		return TypeOLE, true
	}
	return detected, false
}

func plainType(m *mimetype.MIME) string {
	t, _, _ := strings.Cut(m.String(), ";")
	return t
}

// isPDF accepts what PDF readers accept: a header at the start, or after other
// bytes. A text that merely contains "%PDF-" is not a PDF.
func isPDF(head []byte) bool {
	at := bytes.Index(head[:min(len(head), 1024)], []byte("%PDF-"))
	if at < 0 {
		return false
	}
	before := bytes.TrimPrefix(head[:at], []byte("\xef\xbb\xbf"))
	return len(bytes.TrimSpace(before)) == 0 || !looksLikeText(head)
}

// looksLikeText reports whether head is text in some encoding: at most one control
// character in a hundred, or a single one. Only UTF-8 and UTF-16 may have a NUL.
func looksLikeText(head []byte) bool {
	if utf16Order(head) != nil {
		return true
	}
	controls := 0
	for _, b := range head {
		switch {
		case b == 0 && !utf8.Valid(trimRune(head)):
			return false
		case b < 0x20 && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != 0x1b || b == 0x7f:
			controls++
		}
	}
	return controls <= max(1, len(head)/100)
}

// isPictureOrPrint reports whether a file that looks like text is a picture, sound,
// film, font or PostScript file.
func isPictureOrPrint(detected string, head []byte) bool {
	switch detected {
	case "application/postscript", "image/svg+xml":
		return true
	}
	if strings.HasPrefix(detected, "image/") || strings.HasPrefix(detected, "audio/") ||
		strings.HasPrefix(detected, "video/") || strings.HasPrefix(detected, "font/") {
		// Real pictures carry bytes that are not text; a text whose first
		// letters happen to be a magic number ("BM …") does not.
		return !utf8.Valid(trimRune(head))
	}
	return false
}

// trimRune removes an incomplete rune from the end of head.
func trimRune(head []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax, len(head)); i++ {
		if b := head[len(head)-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(head[len(head)-i:]) {
				return head[:len(head)-i]
			}
			break
		}
	}
	return head
}

// textTypes are the kinds of text that an extension may choose.
var textTypes = map[string]string{
	".md": TypeMarkdown, ".markdown": TypeMarkdown, ".mdown": TypeMarkdown, ".mkd": TypeMarkdown,
	".html": TypeHTML, ".htm": TypeHTML, ".xhtml": TypeHTML,
	".txt": TypeText, ".text": TypeText, ".log": TypeText, ".rst": TypeText, ".adoc": TypeText,
	".csv": TypeCSV, ".tsv": TypeTSV, ".tab": TypeTSV,
	".json": TypeJSON, ".geojson": TypeJSON, ".ipynb": TypeJSON, ".jsonl": TypeJSONL, ".ndjson": TypeJSONL,
	".xml": TypeXML, ".rss": TypeXML, ".atom": TypeXML, ".dita": TypeXML, ".dbk": TypeXML,
	".yaml": "application/yaml", ".yml": "application/yaml",
}

func textType(detected string, head []byte, name string) string {
	if isHTMLDocument(head) {
		return TypeHTML
	}
	ext := strings.ToLower(path.Ext(name))
	switch wanted := textTypes[ext]; {
	case wanted == "" && isMail(head, ext == ".eml"):
		return TypeMail
	case wanted == TypeXML && !startsLikeXML(head):
		return TypeText
	case wanted == TypeHTML && !bytes.ContainsRune(head, '<') && utf16Order(head) == nil:
		return TypeText // as HTML its line ends would be lost
	case wanted != "":
		return wanted
	case detected == TypeHTML:
		return TypeHTML
	case detected == TypeJSON || detected == TypeJSONL:
		return detected
	case startsLikeXML(head) && (detected == "text/xml" || strings.HasSuffix(detected, "xml")):
		return TypeXML
	case ext == "" && (detected == TypeCSV || detected == TypeTSV):
		return detected
	}
	return TypeText
}

// startsLikeXML reports whether a text begins with a tag.
func startsLikeXML(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(inUTF8(head), " \t\r\n"), []byte("<"))
}

// inUTF8 returns head as UTF-8, without a byte order mark.
func inUTF8(head []byte) []byte {
	if utf16Order(head) == nil {
		return bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	}
	decoded, _ := decode(head[:len(head)&^1])
	return []byte(decoded)
}

// isHTMLDocument recognises a whole page, whatever its name: the first tag
// after comments and the XML declaration is one that only pages have.
func isHTMLDocument(head []byte) bool {
	s := bytes.ToLower(bytes.TrimLeft(inUTF8(head), " \t\r\n\f"))
	for {
		switch {
		case bytes.HasPrefix(s, []byte("<!--")):
			_, after, found := bytes.Cut(s, []byte("-->"))
			if !found {
				return false
			}
			s = bytes.TrimLeft(after, " \t\r\n\f")
		case bytes.HasPrefix(s, []byte("<?xml")):
			_, after, found := bytes.Cut(s, []byte("?>"))
			if !found {
				return false
			}
			s = bytes.TrimLeft(after, " \t\r\n\f")
		default:
			for _, tag := range []string{"<!doctype html", "<html", "<head", "<body"} {
				rest, found := bytes.CutPrefix(s, []byte(tag))
				if found && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n\f>/"), rest[0]) >= 0) {
					return true
				}
			}
			return false
		}
	}
}
