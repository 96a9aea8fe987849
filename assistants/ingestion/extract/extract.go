package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Limits for Options that set none: bytes of text, and pages.
const (
	DefaultMaxText  = 32 << 20
	DefaultMaxPages = 20_000
)

// Extract reads the size bytes of r. Its error is an [*Error], the context's
// error, or an error of reading r, wrapped.
func Extract(ctx context.Context, r io.ReaderAt, size int64, opt Options) (Document, error) {
	if opt.MaxText <= 0 {
		opt.MaxText = DefaultMaxText
	}
	if opt.MaxPages <= 0 {
		opt.MaxPages = DefaultMaxPages
	}
	head := make([]byte, min(size, SniffLen))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return Document{}, fmt.Errorf("read the file's head: %w", err)
	}
	contentType, supported := Sniff(head, opt.Name)
	if !supported {
		return Document{}, &Error{Code: CodeUnreadable, Message: Refusal(contentType, head)}
	}
	doc, err := extractAs(ctx, contentType, r, size, opt)
	if err != nil {
		return Document{}, err
	}
	if doc.ContentType == "" {
		doc.ContentType = contentType
	}
	if IsBlank(doc.Text) {
		return Document{}, &Error{Code: CodeNoText, Message: "The document holds no text."}
	}
	if len(doc.Text) > opt.MaxText {
		return Document{}, TooMuchText(opt.MaxText)
	}
	doc.endContents()
	doc.titleTables()
	if contentType == TypeCSV || contentType == TypeTSV {
		doc.nameTable(opt.Name)
	}
	return doc, nil
}

func extractAs(ctx context.Context, contentType string, r io.ReaderAt, size int64, opt Options) (Document, error) {
	if read, ok := readers[contentType]; ok {
		return read(ctx, io.NewSectionReader(r, 0, size), opt)
	}
	if isBinary(contentType) {
		return Document{}, fmt.Errorf("no package of formats is imported that reads %s", contentType)
	}
	// Decoding to UTF-8 at most halves a text, so a file of this size usually exceeds
	// the limit. Refusing it here saves the memory to read it.
	if size > 4*int64(opt.MaxText) {
		return Document{}, TooMuchText(opt.MaxText)
	}
	raw := make([]byte, size)
	if _, err := r.ReadAt(raw, 0); err != nil && !errors.Is(err, io.EOF) {
		return Document{}, fmt.Errorf("read the file: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return Document{}, err
	}
	if read, ok := textReaders[contentType]; ok {
		return read(raw, opt)
	}
	text, encoding := decode(raw)
	return Document{Text: Normalise(text), Encoding: encoding}, nil
}

// A Reader reads a file of one content type.
type Reader func(ctx context.Context, r *io.SectionReader, opt Options) (Document, error)

// readers holds the registered readers, by content type.
var readers = map[string]Reader{}

// Register makes Extract read a content type. The packages of formats call it
// when they are imported, so it must not be called later.
func Register(contentType string, read Reader) { readers[contentType] = read }

// isBinary reports whether a supported content type needs a registered reader.
func isBinary(contentType string) bool {
	return contentType == TypePDF || contentType == TypeOLE || contentType == TypeZIP || slices.Contains(archiveTypes, contentType)
}

// textReaders holds the readers of text formats, by content type. Other text is
// taken unchanged.
var textReaders = map[string]func(raw []byte, opt Options) (Document, error){
	TypeHTML:     func(raw []byte, _ Options) (Document, error) { return ReadHTML(raw), nil },
	TypeMarkdown: func(raw []byte, _ Options) (Document, error) { return readMarkdown(raw), nil },
	TypeCSV:      readSeparated,
	TypeTSV:      readSeparated,
	TypeJSON:     readJSON,
	TypeJSONL:    readJSONLines,
	TypeXML:      readXML,
	TypeRTF:      readRTF,
	TypeMail:     readMail,
}
