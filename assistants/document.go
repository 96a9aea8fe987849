package assistants

import "time"

// Status is the state of a document's newest version on its way into the index.
type Status string

// States of a document, in the order of its life. Embedding follows Indexing
// because a document is found by its words while its vectors are being made; a
// version that takes the place of one with vectors is embedded before that.
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

// Searchable says how a document can be found.
type Searchable string

// Ways a document can be found.
const (
	SearchableNone Searchable = "none" // not at all yet
	SearchableText Searchable = "text" // by its words
	SearchableFull Searchable = "full" // by its words and its meaning
)

// Codes of the failed state (CONTRACT 4).
const (
	CodeUnreadable   = "document_unreadable"
	CodeEncrypted    = "document_encrypted"
	CodeTooComplex   = "document_too_complex"
	CodeNoText       = "no_text_found"
	CodeParserFailed = "parser_failed"
)

// Codes of documents that answer, but are not found by their meaning.
const (
	CodeEmbedderUnavailable = "embedder_unavailable"         // the embedder is asked again
	CodeEmbeddingFailed     = "embedding_failed"             // it makes no vectors of this document
	CodeSpaceMismatch       = "embedding_dimension_mismatch" // its vectors do not go with the collection's
)

// A Cause says why a document failed: a code above and one sentence for a person.
type Cause struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Progress counts the work done on a document; zero totals are unknown.
type Progress struct {
	Pages      int `json:"pages,omitempty"`
	PagesTotal int `json:"pages_total,omitempty"`
	// Chunks have been made, and while the document is embedding, embedded.
	Chunks      int `json:"chunks,omitempty"`
	ChunksTotal int `json:"chunks_total,omitempty"`
}

// A Version is one stored file of a document. Versions count from 1.
type Version struct {
	DocumentID  DocumentID
	Number      int
	FileName    string // as it was uploaded; the document's own name may change
	BlobKey     string // key in the blob store
	SHA256      string // lower-case hex
	Bytes       int64
	ContentType string
	OCR         bool // the text, or some of it, was recognised on pictures
	Pages       int  // 0: a format without pages, or not read yet
	Chunks      int
	Space       Space // in which every chunk has a vector; zero: none
	Next        Space // likewise, of the space that the collection goes over to
	CreatedAt   time.Time
}

// A VersionRef names a version of a document.
type VersionRef struct {
	Tenant   TenantID
	Document DocumentID
	Number   int
}

// A Document is a file behind a name. Its Live version answers questions; its
// Latest version is the one ingestion works on, the same when nothing is in
// work. The file's fields (Version) are those of the live version, or of the
// latest while none is live yet.
type Document struct {
	ID           DocumentID
	TenantID     TenantID
	CollectionID CollectionID
	Name         string
	SourcePath   string // where it was ingested from; unique within the collection unless empty
	// Parent is the mail that this document came with, and is removed with; ""
	// for one that came by itself, too, or with several.
	Parent    DocumentID
	Status    Status
	Cause     *Cause // why it failed, is tried again, or was not embedded
	Progress  Progress
	Labels    []string
	Tags      map[string]string
	Live      int // number of the version that answers; 0: none
	Latest    int
	Version   Version
	CreatedAt time.Time
	UpdatedAt time.Time
	ReadyAt   *time.Time
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

// ToEmbed is the number of the version that vectors are made of: the live one,
// or the one that takes its place once it has them. 0: none.
func (d Document) ToEmbed() int {
	if d.Status == StatusEmbedding && d.Live > 0 {
		return d.Latest
	}
	return d.Live
}

// Settled reports whether no newer version of the document is being read.
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

// A Page is a stretch of a document's extracted text, half open, in code
// points. Number counts from 1.
type Page struct {
	Number int `json:"page"`
	Start  int `json:"char_start"`
	End    int `json:"char_end"`
}

// A Text is what was extracted from a version of a document: the whole text,
// its length in code points, and its pages in order, none for formats that
// have no pages. Pages do not overlap.
type Text struct {
	Text  string
	Runes int
	Pages []Page
	OCR   bool // the text, or some of it, was recognised on pictures; kept with the version
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
	// TableHeader is the header of the table that the passage goes on with; it
	// stands before the passage in the document, and is no part of it.
	TableHeader string
	// PageStarts are the pages that begin within the passage, behind its first
	// character; nil when none does, or when it was not noted.
	PageStarts []PageStart
}

// A PageStart is where a page begins in a document's extracted text, in code points.
type PageStart struct {
	Page      int `json:"page"`
	CharStart int `json:"char_start"`
}

// Headed is the text as it is read: below the header of its table, if that
// stands elsewhere.
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
