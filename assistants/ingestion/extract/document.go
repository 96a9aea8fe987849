package extract

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Content types of texts, which this package reads, and of PDF, which package pdf
// reads. Other kinds of text (YAML, source code …) are read as plain text and keep
// their own content type.
const (
	TypePDF      = "application/pdf"
	TypeHTML     = "text/html"
	TypeMarkdown = "text/markdown"
	TypeText     = "text/plain"
	TypeCSV      = "text/csv"
	TypeTSV      = "text/tab-separated-values"
	TypeJSON     = "application/json"
	TypeJSONL    = "application/x-ndjson"
	TypeXML      = "application/xml"
	TypeRTF      = "application/rtf"
	TypeMail     = "message/rfc822"
)

// Content types of office documents and books. Templates, slide shows and
// documents with macros have the type of the plain document, because they are read
// in the same way. TypeOLE is the container of older and of encrypted documents.
const (
	TypeDOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	TypePPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	TypeXLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	TypeODT  = "application/vnd.oasis.opendocument.text"
	TypeODS  = "application/vnd.oasis.opendocument.spreadsheet"
	TypeODP  = "application/vnd.oasis.opendocument.presentation"
	TypeEPUB = "application/epub+zip"
	TypeZIP  = "application/zip"
	TypeOLE  = "application/x-ole-storage"
)

// Codes of an [Error]; they are those of a document's failed state.
const (
	CodeUnreadable   = "document_unreadable"
	CodeEncrypted    = "document_encrypted"
	CodeTooComplex   = "document_too_complex"
	CodeNoText       = "no_text_found"
	CodeParserFailed = "parser_failed"
)

// Error says why a file gave no text: a code above and one sentence for the
// person who uploaded it. Err is the cause, for the log; it may be nil.
type Error struct {
	Code    string
	Message string
	Err     error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Code + ": " + e.Message
	}
	return fmt.Sprintf("%s: %s (%v)", e.Code, e.Message, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Document is what was read from a file. All offsets are bytes of Text.
type Document struct {
	Text        string    `json:"text"`
	ContentType string    `json:"content_type"`
	Encoding    string    `json:"encoding,omitempty"` // of the file's text, such as "utf-8"; "" for PDF
	Title       string    `json:"title,omitempty"`
	Pages       []Page    `json:"pages,omitempty"`    // in order; none for formats without pages
	Headings    []Heading `json:"headings,omitempty"` // in order of Start
	Blocks      []Block   `json:"blocks,omitempty"`   // in order, not overlapping
	// OCR says that the text, or some of it, was recognised on pictures.
	OCR bool `json:"ocr,omitempty"`
	// Unread is how many of the pages could not be read. They are among Pages, without text.
	Unread int `json:"unread,omitempty"`
	// Attachments are the files that a mail brings with it.
	Attachments []Attachment `json:"attachments,omitempty"`
}

// An Attachment is a file within a file. Data is nil when the
// limit for all attachments was reached.
type Attachment struct {
	Name string `json:"name"`
	Data []byte `json:"data,omitempty"`
}

// A Page is a page's text. Pages do not overlap; between them stand line ends.
// A page without text is empty (Start equals End).
type Page struct {
	Number int `json:"number"`
	Start  int `json:"start"`
	End    int `json:"end"`
}

// A Heading opens a section at Start; its level is 1 for the outermost.
type Heading struct {
	Start int    `json:"start"`
	Level int    `json:"level"`
	Title string `json:"title"`
}

// BlockKind says what the lines of a block are.
type BlockKind string

// Kinds of blocks whose lines belong together, each line a unit.
const (
	BlockTable BlockKind = "table" // a row per line
	BlockCode  BlockKind = "code"
	BlockList  BlockKind = "list" // an item starts a line
)

// A Block is a part of Text that is not running prose.
type Block struct {
	Kind  BlockKind `json:"kind"`
	Start int       `json:"start"`
	End   int       `json:"end"`
	// HeaderEnd is where the header rows of a table end, before their line end;
	// 0 for a table without such rows.
	HeaderEnd int `json:"header_end,omitempty"`
	// Units and Names are lines before the block that belong to its header: the units or the
	// period, and the names of columns, that stand above the first part of a statement hold for
	// its other parts, too.
	Units Span `json:"units,omitzero"`
	Names Span `json:"names,omitzero"`
	// Under says that the columns of a table stand under those of the table before it on its page. Only a
	// reader of pages knows, and says it to this package.
	Under bool `json:"-"`
	// Over is where lines above a table begin that stand over its columns and name them, right of the labels;
	// 0 if there are none. Only a reader of pages sets it.
	Over int `json:"-"`
}

// A Span is a part of Text.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Options say how to read a file. Zero values mean the defaults.
type Options struct {
	// Name is the file's name; its extension chooses between kinds of text.
	Name string
	// MaxText is the longest text, in bytes (default 32 MiB).
	MaxText int
	// MaxPages is the highest number of pages (default 20,000).
	MaxPages int
	// CacheDir keeps the compiled PDF reader between processes, which saves a
	// second at each start; "" keeps it in memory only.
	CacheDir string
	// Progress, if set, is called once before the first page and after each one.
	Progress func(done, total int)
	// Recognise, if set, finds the text on a picture of a page (PNG), for pages
	// that hold no text. Its error ends the reading.
	Recognise func(ctx context.Context, page int, picture []byte) (string, error)
}

// Check reports how the document breaks this package's promises: offsets
// inside the text and between its characters, in order, without overlap.
func (d *Document) Check() error {
	if !utf8.ValidString(d.Text) {
		return errors.New("extract: the text is not UTF-8")
	}
	inside := func(start, end int) bool {
		return start >= 0 && start <= end && end <= len(d.Text) && d.boundary(start) && d.boundary(end)
	}
	last := 0
	for i, p := range d.Pages {
		if p.Number != i+1 || p.Start < last || !inside(p.Start, p.End) {
			return fmt.Errorf("extract: page %d is out of place", i+1)
		}
		last = p.End
	}
	last = 0
	for i, h := range d.Headings {
		if h.Start < last || h.Level < 1 || !inside(h.Start, h.Start) {
			return fmt.Errorf("extract: heading %d is out of place", i)
		}
		last = h.Start
	}
	last = 0
	for i, b := range d.Blocks {
		if b.Start < last || !inside(b.Start, b.End) {
			return fmt.Errorf("extract: block %d is out of place", i)
		}
		if b.HeaderEnd != 0 && (b.HeaderEnd <= b.Start || b.HeaderEnd > b.End || !d.boundary(b.HeaderEnd)) {
			return fmt.Errorf("extract: the header of block %d is out of place", i)
		}
		for _, h := range []Span{b.Units, b.Names} {
			if h != (Span{}) && (h.Start >= h.End || h.End > b.Start || !inside(h.Start, h.End)) {
				return fmt.Errorf("extract: the units or names of block %d are out of place", i)
			}
		}
		last = b.End
	}
	return nil
}

func (d *Document) boundary(at int) bool { return at == len(d.Text) || utf8.RuneStart(d.Text[at]) }

// TooMuchText is the error for a document whose text is longer than limit bytes.
func TooMuchText(limit int) error {
	return &Error{Code: CodeTooComplex, Message: fmt.Sprintf("The document holds more than %d MiB of text.", limit>>20)}
}
