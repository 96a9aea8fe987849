package assistants

import (
	"cmp"
	"fmt"
	"time"
)

// Status is the state of a document's newest version on its way into the index.
type Status string

// States of a document, in order. Embedding follows Indexing because a document
// is found by its words while its vectors are made. A version that replaces one
// with vectors is embedded before it is indexed.
const (
	StatusPending    Status = "pending"
	StatusExtracting Status = "extracting"
	StatusChunking   Status = "chunking"
	StatusIndexing   Status = "indexing"
	StatusEmbedding  Status = "embedding"
	StatusReady      Status = "ready"
	StatusFailed     Status = "failed"
)

// Statuses lists every state.
var Statuses = []Status{
	StatusPending, StatusExtracting, StatusChunking, StatusIndexing,
	StatusEmbedding, StatusReady, StatusFailed,
}

// A TagType is what a tag was given as.
type TagType string

// Types of tags that are no texts.
const (
	TagNumber  TagType = "number"
	TagBoolean TagType = "boolean"
)

// Searchable says how a document can be found.
type Searchable string

// Ways a document can be found.
const (
	SearchableNone Searchable = "none" // not at all yet
	SearchableText Searchable = "text" // by its words
	SearchableFull Searchable = "full" // by its words and its meaning
)

// Codes of the failed state.
const (
	CodeUnreadable   = "document_unreadable"
	CodeEncrypted    = "document_encrypted"
	CodeTooComplex   = "document_too_complex"
	CodeNoText       = "no_text_found"
	CodeParserFailed = "parser_failed"
)

// Codes of documents that are found by their words but not by their meaning.
const (
	CodeEmbedderUnavailable = "embedder_unavailable"         // it will be tried again
	CodeEmbeddingFailed     = "embedding_failed"             // the embedder rejects this document
	CodeSpaceMismatch       = "embedding_dimension_mismatch" // its vectors cannot be compared with the collection's
)

// CodePagesUnreadable is the code of a document of which only some pages could be read.
const CodePagesUnreadable = "pages_unreadable"

// A Cause says why a document failed: a code above and one sentence for a person.
type Cause struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Progress counts the work done on a document; zero totals are unknown.
type Progress struct {
	Pages      int `json:"pages,omitempty"`
	PagesTotal int `json:"pages_total,omitempty"`
	// Chunks counts those made, or, while the document is embedding, those embedded.
	Chunks      int `json:"chunks,omitempty"`
	ChunksTotal int `json:"chunks_total,omitempty"`
}

// A Version is one stored file of a document. Versions count from 1.
type Version struct {
	DocumentID  DocumentID
	Number      int
	FileName    string // at upload; the document's name may change
	BlobKey     string // key in the blob store
	SHA256      string // lower-case hex
	Bytes       int64
	ContentType string
	OCR         bool // at least part of the text was recognised in images
	Pages       int  // 0: a format without pages, or not read yet
	Chunks      int
	Space       Space // in which every chunk has a vector; zero: none
	Next        Space // the same for the collection's next space
	// Profile is what the file says of itself; nil: it was not looked for.
	Profile   *Profile
	CreatedAt time.Time
}

// A VersionRef names a version of a document.
type VersionRef struct {
	Tenant   TenantID
	Document DocumentID
	Number   int
}

// A Document is a named file with versions. The Live version answers questions.
// Ingestion works on the Latest version; both are the same when nothing is being
// processed. Version describes the live version, or the latest while none is
// live.
type Document struct {
	ID           DocumentID
	TenantID     TenantID
	CollectionID CollectionID
	Name         string
	SourcePath   string // where it was ingested from; unique within the collection unless empty
	// Parent is the mail that this document was attached to and is deleted with.
	// It is "" for a document that was also uploaded by itself or attached to
	// several mails.
	Parent   DocumentID
	Status   Status
	Cause    *Cause // why it failed, will be tried again, or was not embedded; see Notice
	Progress Progress
	Labels   []string
	Tags     map[string]string
	// TagTypes are those of tags that a client of OpenAI's API gave as numbers or truth
	// values, and gets back as such. Nothing else looks at them.
	TagTypes map[string]TagType
	// Supersedes is the document of the same collection that it replaces, SupersededBy the
	// last added one that replaces it.
	Supersedes, SupersededBy DocumentID
	// Edits are what people have set of the profile; nil: nothing.
	Edits     *ProfileEdits
	Live      int // number of the version that answers; 0: none
	Latest    int
	Version   Version
	CreatedAt time.Time
	UpdatedAt time.Time
	ReadyAt   *time.Time
}

// Profile is what the document is, as it was read and then edited. ok is false if it was
// neither.
func (d Document) Profile() (p Profile, ok bool) {
	if d.Version.Profile != nil {
		p = *d.Version.Profile
	}
	if d.Edits != nil {
		p = d.Edits.Apply(p)
	}
	return p, d.Version.Profile != nil || d.Edits != nil
}

// Notice is what a person should know of the document: its cause, and how many pages of the
// version that answers could not be read. nil: nothing.
func (d Document) Notice() *Cause {
	settled := d.Status == StatusReady || d.Status == StatusEmbedding
	if !settled || d.Live == 0 || d.Version.Profile == nil {
		return d.Cause
	}
	lost := UnreadPages(d.Version.Profile.Unread, d.Version.Pages)
	if lost == nil || d.Cause == nil {
		return cmp.Or(lost, d.Cause)
	}
	return &Cause{Code: d.Cause.Code, Message: d.Cause.Message + " " + lost.Message}
}

// UnreadPages is the cause of a document of which n pages could not be read, nil for none.
func UnreadPages(n, pages int) *Cause {
	if n == 0 {
		return nil
	}
	return &Cause{Code: CodePagesUnreadable, Message: fmt.Sprintf("%d of %d pages could not be read; the file may be damaged.", n, pages)}
}

// Searchable says how the document can be found now.
func (d Document) Searchable() Searchable {
	switch {
	case d.Live == 0:
		return SearchableNone
	case d.Version.Space.IsZero():
		return SearchableText
	}
	return SearchableFull
}

// ToEmbed returns the number of the version to make vectors of: the live one, or
// the one that will replace it once it has vectors. 0: none.
func (d Document) ToEmbed() int {
	if d.Status == StatusEmbedding && d.Live > 0 {
		return d.Latest
	}
	return d.Live
}

// Settled reports whether ingestion has finished reading the latest version.
func (d Document) Settled() bool {
	switch d.Status {
	case StatusEmbedding, StatusReady, StatusFailed:
		return true
	}
	return false
}

// A LogEntry is a change of a document's state.
type LogEntry struct {
	Time    time.Time
	Version int
	Status  Status
	Cause   *Cause
}

// A Page is a range of a document's extracted text: the code points [Start,
// End). Number counts from 1.
type Page struct {
	Number int `json:"page"`
	Start  int `json:"char_start"`
	End    int `json:"char_end"`
}

// A Text is what was extracted from a version of a document. Runes is its length
// in code points. Pages are in order and do not overlap; formats without pages
// have none.
type Text struct {
	Text  string
	Runes int
	Pages []Page
	OCR   bool // at least part of the text was recognised in images; stored with the version
	// Profile is what the text says of its document; stored with the version.
	Profile *Profile
}

// A Chunk is a passage of a document: the code points [CharStart, CharEnd) of
// the extracted text are exactly its Text. Index counts from 0.
type Chunk struct {
	ID          ChunkID
	DocumentID  DocumentID
	Version     int
	Index       int
	Text        string
	Tokens      int
	Page        int      // page of the first character, 0: unknown
	PageEnd     int      // page of the last character, 0: unknown
	HeadingPath []string // headings above the passage, outermost first
	CharStart   int
	CharEnd     int
	// TableHeader is the header of the table that the passage continues, and what stands above
	// the first part of a statement if the passage has another part. It comes earlier in the
	// document and is not part of Text.
	TableHeader string
	// PageOpening are the lines like titles at the top of the page on which the passage
	// begins, if they come before it. They are not part of Text.
	PageOpening string
	// PageStarts are the pages that begin inside the passage, after its first
	// character. nil: none begins, or it was not recorded.
	PageStarts []PageStart
}

// A PageStart is where a page begins in a document's extracted text, in code points.
type PageStart struct {
	Page      int `json:"page"`
	CharStart int `json:"char_start"`
}

// Headed returns the text below the header of the table that it continues, if
// any.
func (c Chunk) Headed() string {
	if c.TableHeader == "" {
		return c.Text
	}
	return c.TableHeader + "\n" + c.Text
}

// SectionHeader is the innermost heading above the chunk, or "".
func (c Chunk) SectionHeader() string {
	if len(c.HeadingPath) == 0 {
		return ""
	}
	return c.HeadingPath[len(c.HeadingPath)-1]
}
