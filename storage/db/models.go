package db

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

type assistantRow struct {
	ID           assistants.AssistantID  `gorm:"primaryKey;size:64;not null;index:assistants_created_idx,priority:3"`
	TenantID     assistants.TenantID     `gorm:"size:64;not null;uniqueIndex:assistants_slug_key,priority:1;index:assistants_created_idx,priority:1"`
	Slug         string                  `gorm:"size:64;not null;uniqueIndex:assistants_slug_key,priority:2"`
	Name         string                  `gorm:"size:255;not null"`
	NameKey      string                  `gorm:"not null;default:''"` // see nameKey
	CollectionID assistants.CollectionID `gorm:"size:64;not null;uniqueIndex:assistants_collection_key"`
	Revision     int64                   `gorm:"not null"`
	CreatedAt    time.Time               `gorm:"precision:6;not null;autoCreateTime:false;index:assistants_created_idx,priority:2"`
	UpdatedAt    time.Time               `gorm:"precision:6;not null;autoUpdateTime:false"`
}

// TableName implements GORM's Tabler.
func (assistantRow) TableName() string { return "assistants" }

func (r assistantRow) assistant(s assistants.Settings) assistants.Assistant {
	return assistants.Assistant{
		ID: r.ID, TenantID: r.TenantID, Slug: r.Slug, Name: r.Name, CollectionID: r.CollectionID,
		Settings: s, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
}

// collectionRow is a collection. Revision counts the changes of its set of
// documents; updating it locks the collection.
type collectionRow struct {
	ID        assistants.CollectionID `gorm:"primaryKey;size:64;not null;index:collections_created_idx,priority:3"`
	TenantID  assistants.TenantID     `gorm:"size:64;not null;index:collections_created_idx,priority:1"`
	Name      string                  `gorm:"size:255;not null"`
	Revision  int64                   `gorm:"not null"`
	CreatedAt time.Time               `gorm:"precision:6;not null;autoCreateTime:false;index:collections_created_idx,priority:2"`
	Shared    bool                    `gorm:"not null;default:false"` // no assistant owns it
	// Space is null while nothing is embedded, NextSpace unless a re-embedding
	// is under way.
	Space       *assistants.Space       `gorm:"serializer:json"`
	NextSpace   *assistants.Space       `gorm:"serializer:json"`
	Calibration *assistants.Calibration `gorm:"serializer:json"` // of Space; null: none was worked out
	Calibrated  int                     `gorm:"not null;default:0"`
	Metadata    map[string]string       `gorm:"serializer:json"` // null: none
	Synonyms    []string                `gorm:"serializer:json"` // null: none
}

// TableName implements GORM's Tabler.
func (collectionRow) TableName() string { return "collections" }

// documentRow is a document. SourceKey replaces SourcePath in the unique index,
// because paths are too long for the indexes of some databases and must differ
// by every byte. Revision counts its changes.
type documentRow struct {
	ID           assistants.DocumentID   `gorm:"primaryKey;size:64;not null;index:documents_created_idx,priority:3;index:documents_name_idx,priority:3;index:documents_unfilled_idx,where:name_key = ''"`
	TenantID     assistants.TenantID     `gorm:"size:64;not null;index:documents_status_idx,priority:1"`
	CollectionID assistants.CollectionID `gorm:"size:64;not null;uniqueIndex:documents_content_key,priority:1;uniqueIndex:documents_source_key,priority:1;index:documents_created_idx,priority:1;index:documents_name_idx,priority:1"`
	Name         string                  `gorm:"size:255;not null"`
	NameKey      string                  `gorm:"not null;default:'';index:documents_name_idx,priority:2"` // see nameKey
	SourcePath   *string
	SourceKey    *string                `gorm:"size:64;uniqueIndex:documents_source_key,priority:2"`
	ParentID     *assistants.DocumentID `gorm:"size:64;index:documents_parent_idx"`
	Supersedes   *assistants.DocumentID `gorm:"size:64;index:documents_supersedes_idx"`
	Status       assistants.Status      `gorm:"size:32;not null;index:documents_status_idx,priority:2"`
	CauseCode    *string                `gorm:"size:64"`
	CauseMessage *string
	PagesDone    int                           `gorm:"not null"`
	PagesTotal   int                           `gorm:"not null"`
	ChunksDone   int                           `gorm:"not null"`
	ChunksTotal  int                           `gorm:"not null;default:0"`
	Labels       []string                      `gorm:"serializer:json;not null"`
	Tags         map[string]string             `gorm:"serializer:json;not null"`
	TagTypes     map[string]assistants.TagType `gorm:"serializer:json"`     // null: all tags are texts
	ProfileEdits *assistants.ProfileEdits      `gorm:"serializer:json"`     // null: none
	Marks        string                        `gorm:"not null;default:''"` // labels and tags, to find them: see marksOf
	Live         int                           `gorm:"not null"`
	Latest       int                           `gorm:"not null"`
	LatestSHA256 string                        `gorm:"column:latest_sha256;size:64;not null;uniqueIndex:documents_content_key,priority:2"`
	Revision     int64                         `gorm:"not null"`
	CreatedAt    time.Time                     `gorm:"precision:6;not null;autoCreateTime:false;index:documents_created_idx,priority:2"`
	UpdatedAt    time.Time                     `gorm:"precision:6;not null;autoUpdateTime:false"`
	ReadyAt      *time.Time                    `gorm:"precision:6"`
}

// TableName implements GORM's Tabler.
func (documentRow) TableName() string { return "documents" }

// sourceKey returns the key of a path in the unique index, nil for no path,
// which never conflicts.
func sourceKey(path string) *string {
	if path == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(path))
	key := hex.EncodeToString(sum[:])
	return &key
}

func newDocumentRow(d assistants.Document) documentRow {
	r := documentRow{
		ID: d.ID, TenantID: d.TenantID, CollectionID: d.CollectionID,
		Name: d.Name, NameKey: nameKey(d.Name), Marks: marksOf(d.Labels, d.Tags),
		SourcePath: orNull(d.SourcePath), SourceKey: sourceKey(d.SourcePath), ParentID: orNull(d.Parent), Status: d.Status, Labels: orEmpty(d.Labels), Tags: d.Tags, TagTypes: d.TagTypes, ProfileEdits: d.Edits, Supersedes: orNull(d.Supersedes),
		Live: d.Live, Latest: d.Latest, LatestSHA256: d.Version.SHA256,
		CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt,
	}
	if r.Tags == nil {
		r.Tags = map[string]string{}
	}
	return r
}

func (r documentRow) document(v versionRow) assistants.Document {
	d := assistants.Document{
		ID: r.ID, TenantID: r.TenantID, CollectionID: r.CollectionID, Name: r.Name, SourcePath: orZero(r.SourcePath), Parent: orZero(r.ParentID), Status: r.Status,
		Cause:    cause(r.CauseCode, r.CauseMessage),
		Progress: assistants.Progress{Pages: r.PagesDone, PagesTotal: r.PagesTotal, Chunks: r.ChunksDone, ChunksTotal: r.ChunksTotal},
		Labels:   orEmpty(r.Labels), Tags: r.Tags, TagTypes: r.TagTypes, Edits: r.ProfileEdits, Supersedes: orZero(r.Supersedes), Live: r.Live, Latest: r.Latest, Version: v.version(),
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(), ReadyAt: stampPointer(r.ReadyAt),
	}
	if d.Tags == nil {
		d.Tags = map[string]string{}
	}
	return d
}

func cause(code, message *string) *assistants.Cause {
	if code == nil || message == nil {
		return nil
	}
	return &assistants.Cause{Code: *code, Message: *message}
}

func causeColumns(c *assistants.Cause) (code, message *string) {
	if c == nil {
		return nil, nil
	}
	return &c.Code, &c.Message
}

type versionRow struct {
	DocumentID  assistants.DocumentID `gorm:"primaryKey;size:64;not null"`
	Number      int                   `gorm:"column:version;primaryKey;autoIncrement:false;not null"`
	TenantID    assistants.TenantID   `gorm:"size:64;not null"`
	FileName    string                `gorm:"size:1024;not null"`
	BlobKey     string                `gorm:"size:255;not null;index:document_versions_blob_idx"`
	SHA256      string                `gorm:"column:sha256;size:64;not null"`
	Bytes       int64                 `gorm:"not null"`
	ContentType string                `gorm:"size:255;not null"`
	Pages       int                   `gorm:"not null"`
	Chunks      int                   `gorm:"not null"`
	OCR         bool                  `gorm:"column:ocr;not null;default:false"`
	CreatedAt   time.Time             `gorm:"precision:6;not null;autoCreateTime:false"`
	// Space is the collection's space, or null unless every chunk has a vector
	// in it; NextSpace is the same for the collection's next space.
	Space     *assistants.Space `gorm:"serializer:json"`
	NextSpace *assistants.Space `gorm:"serializer:json"`
	// Profile is null until the version was read.
	Profile *assistants.Profile `gorm:"serializer:json"`
}

// TableName implements GORM's Tabler.
func (versionRow) TableName() string { return "document_versions" }

func newVersionRow(tenant assistants.TenantID, v assistants.Version) versionRow {
	return versionRow{
		DocumentID: v.DocumentID, Number: v.Number, TenantID: tenant, FileName: v.FileName, BlobKey: v.BlobKey, SHA256: v.SHA256,
		Bytes: v.Bytes, ContentType: v.ContentType, Pages: v.Pages, Chunks: v.Chunks, OCR: v.OCR, CreatedAt: v.CreatedAt,
	}
}

func (r versionRow) version() assistants.Version {
	return assistants.Version{
		DocumentID: r.DocumentID, Number: r.Number, FileName: r.FileName, BlobKey: r.BlobKey, SHA256: r.SHA256, Bytes: r.Bytes,
		ContentType: r.ContentType, Pages: r.Pages, Chunks: r.Chunks, OCR: r.OCR, CreatedAt: r.CreatedAt.UTC(),
		Space: orZero(r.Space), Next: orZero(r.NextSpace), Profile: r.Profile,
	}
}

// orZero returns *p, or the zero value if p is nil.
func orZero[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

type textRow struct {
	DocumentID assistants.DocumentID `gorm:"primaryKey;size:64;not null"`
	Version    int                   `gorm:"primaryKey;autoIncrement:false;not null"`
	TenantID   assistants.TenantID   `gorm:"size:64;not null"`
	Body       string                `gorm:"not null"`
	Runes      int                   `gorm:"not null"`
	Pages      []assistants.Page     `gorm:"serializer:json;not null"`
}

// TableName implements GORM's Tabler.
func (textRow) TableName() string { return "document_texts" }

func (r textRow) text() assistants.Text {
	return assistants.Text{Text: r.Body, Runes: r.Runes, Pages: orEmpty(r.Pages)}
}

type chunkRow struct {
	ID          assistants.ChunkID    `gorm:"primaryKey;size:64;not null"`
	TenantID    assistants.TenantID   `gorm:"size:64;not null"`
	DocumentID  assistants.DocumentID `gorm:"size:64;not null;uniqueIndex:chunks_place_key,priority:1"`
	Version     int                   `gorm:"not null;uniqueIndex:chunks_place_key,priority:2"`
	ChunkIndex  int                   `gorm:"not null;uniqueIndex:chunks_place_key,priority:3"`
	Body        string                `gorm:"not null"`
	Tokens      int                   `gorm:"not null"`
	Page        int                   `gorm:"not null"`
	PageEnd     int                   `gorm:"not null"`
	HeadingPath []string              `gorm:"serializer:json;not null"`
	CharStart   int                   `gorm:"not null"`
	CharEnd     int                   `gorm:"not null"`
	// PageStarts is null if no page begins within the chunk, or it was not
	// recorded.
	PageStarts []assistants.PageStart `gorm:"serializer:json"`
	// TableHeader is null if there is none.
	TableHeader *string
	// PageOpening is null if there is none.
	PageOpening *string
}

// TableName implements GORM's Tabler.
func (chunkRow) TableName() string { return "chunks" }

func newChunkRow(tenant assistants.TenantID, c assistants.Chunk) chunkRow {
	return chunkRow{
		ID: c.ID, TenantID: tenant, DocumentID: c.DocumentID, Version: c.Version, ChunkIndex: c.Index, Body: c.Text,
		Tokens: c.Tokens, Page: c.Page, PageEnd: c.PageEnd, HeadingPath: orEmpty(c.HeadingPath),
		CharStart: c.CharStart, CharEnd: c.CharEnd, PageStarts: c.PageStarts,
		TableHeader: orNull(c.TableHeader), PageOpening: orNull(c.PageOpening),
	}
}

func (r chunkRow) chunk() assistants.Chunk {
	return assistants.Chunk{
		ID: r.ID, DocumentID: r.DocumentID, Version: r.Version, Index: r.ChunkIndex, Text: r.Body, Tokens: r.Tokens,
		Page: r.Page, PageEnd: r.PageEnd, HeadingPath: orEmpty(r.HeadingPath), CharStart: r.CharStart, CharEnd: r.CharEnd,
		PageStarts: r.PageStarts, TableHeader: orZero(r.TableHeader), PageOpening: orZero(r.PageOpening),
	}
}

// orNull returns nil for "", so that it is stored as null.
func orNull[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}

// logRow is a change of a document's state. Revision is the document's after the
// change.
type logRow struct {
	DocumentID   assistants.DocumentID `gorm:"primaryKey;size:64;not null"`
	Revision     int64                 `gorm:"primaryKey;autoIncrement:false;not null"`
	TenantID     assistants.TenantID   `gorm:"size:64;not null"`
	Version      int                   `gorm:"not null"`
	Status       assistants.Status     `gorm:"size:32;not null"`
	CauseCode    *string               `gorm:"size:64"`
	CauseMessage *string
	LoggedAt     time.Time `gorm:"precision:6;not null"`
}

// TableName implements GORM's Tabler.
func (logRow) TableName() string { return "document_log" }

// orEmpty makes sure that a nil list is stored as an empty JSON list.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// insertBatch is the most rows that one INSERT has.
const insertBatch = 100

// parameters is how many parameters a statement has at most. SQL Server has the lowest
// limit, 2,100.
const parameters = 2000

// batchOf is how many rows of so many columns one INSERT has.
func batchOf(columns int) int { return max(1, min(insertBatch, parameters/columns)) }

// createAll inserts rows of a table.
func createAll[R any](tx *gorm.DB, rows []R) error {
	of := &gorm.Statement{DB: tx}
	if err := of.Parse(new(R)); err != nil {
		return err
	}
	return tx.CreateInBatches(rows, batchOf(len(of.Schema.DBNames))).Error
}
