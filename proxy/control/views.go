package control

import (
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
)

// stamp rounds a time to the API's precision: UTC with milliseconds.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

func stampOrNil(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	s := stamp(*t)
	return &s
}

type assistantView struct {
	ID           assistants.AssistantID  `json:"id"`
	Name         string                  `json:"name"`
	Slug         string                  `json:"slug"`
	CollectionID assistants.CollectionID `json:"collection_id"`
	CreatedAt    time.Time               `json:"created_at"`
	UpdatedAt    time.Time               `json:"updated_at"`
	Settings     assistants.Settings     `json:"settings"`
	Warnings     []string                `json:"warnings,omitempty"`
}

func viewAssistant(a assistants.Assistant) assistantView {
	return assistantView{
		ID: a.ID, Name: a.Name, Slug: a.Slug, CollectionID: a.CollectionID,
		CreatedAt: stamp(a.CreatedAt), UpdatedAt: stamp(a.UpdatedAt), Settings: a.Settings,
	}
}

// viewWithWarnings is viewAssistant with warnings about the settings. It answers
// requests that store settings.
func (a *api) viewWithWarnings(c *gin.Context, saved assistants.Assistant) assistantView {
	v := viewAssistant(saved)
	v.Warnings = a.warningsFor(c.Request, saved)
	return v
}

type documentView struct {
	ID           assistants.DocumentID   `json:"id"`
	Name         string                  `json:"name"`
	SourcePath   string                  `json:"source_path,omitempty"`
	ParentID     assistants.DocumentID   `json:"parent_id,omitempty"` // the mail that it was attached to
	Status       assistants.Status       `json:"status"`
	Searchable   assistants.Searchable   `json:"searchable"`
	Progress     *assistants.Progress    `json:"progress,omitempty"`
	Error        *assistants.Cause       `json:"error,omitempty"`
	ContentType  string                  `json:"content_type"`
	Bytes        int64                   `json:"bytes"`
	SHA256       string                  `json:"sha256"`
	Pages        int                     `json:"pages"` // 0: a format without pages, or not read yet
	Chunks       int                     `json:"chunks"`
	OCR          bool                    `json:"ocr,omitempty"` // at least part of the text was recognised in images
	Labels       []string                `json:"labels"`
	Tags         map[string]string       `json:"tags"`
	Supersedes   assistants.DocumentID   `json:"supersedes,omitempty"`
	SupersededBy assistants.DocumentID   `json:"superseded_by,omitempty"`
	Profile      *profileView            `json:"profile,omitempty"` // nil: it was read before there were profiles, or not yet
	CollectionID assistants.CollectionID `json:"collection_id"`
	CreatedAt    time.Time               `json:"created_at"`
	ReadyAt      *time.Time              `json:"ready_at"`
	Duplicate    bool                    `json:"duplicate,omitempty"` // answers to uploads only
}

func viewDocument(d assistants.Document) documentView {
	v := documentView{
		ID: d.ID, Name: d.Name, SourcePath: d.SourcePath, ParentID: d.Parent, Status: d.Status, Searchable: d.Searchable(),
		Error: d.Notice(), ContentType: d.Version.ContentType, Bytes: d.Version.Bytes, SHA256: d.Version.SHA256,
		Pages: d.Version.Pages, Chunks: d.Version.Chunks, OCR: d.Version.OCR, Labels: d.Labels, Tags: d.Tags, Profile: viewProfile(d), Supersedes: d.Supersedes, SupersededBy: d.SupersededBy,
		CollectionID: d.CollectionID, CreatedAt: stamp(d.CreatedAt), ReadyAt: stampOrNil(d.ReadyAt),
	}
	if d.Progress != (assistants.Progress{}) && d.Status != assistants.StatusReady && d.Status != assistants.StatusFailed {
		v.Progress = &d.Progress
	}
	if v.Labels == nil {
		v.Labels = []string{}
	}
	if v.Tags == nil {
		v.Tags = map[string]string{}
	}
	return v
}

type chunkView struct {
	ID            assistants.ChunkID `json:"id"`
	Index         int                `json:"index"`
	Text          string             `json:"text"`
	PageNumber    int                `json:"page_number,omitempty"`
	PageEnd       int                `json:"page_end,omitempty"`
	SectionHeader string             `json:"section_header,omitempty"`
	TableHeader   string             `json:"table_header,omitempty"`
	CharStart     int                `json:"char_start"`
	CharEnd       int                `json:"char_end"`
}

func viewChunk(ch assistants.Chunk) chunkView {
	return chunkView{
		ID: ch.ID, Index: ch.Index, Text: ch.Text, PageNumber: ch.Page, PageEnd: ch.PageEnd,
		SectionHeader: ch.SectionHeader(), TableHeader: ch.TableHeader, CharStart: ch.CharStart, CharEnd: ch.CharEnd,
	}
}

type logView struct {
	Time    time.Time         `json:"time"`
	Version int               `json:"version"`
	Status  assistants.Status `json:"status"`
	Error   *assistants.Cause `json:"error,omitempty"`
}

func viewLog(e assistants.LogEntry) logView {
	return logView{Time: stamp(e.Time), Version: e.Version, Status: e.Status, Error: e.Cause}
}

type keyView struct {
	ID               assistants.KeyID         `json:"id"`
	Name             string                   `json:"name"`
	Prefix           string                   `json:"prefix"`
	Scopes           []assistants.Scope       `json:"scopes"`
	Assistants       []assistants.AssistantID `json:"assistants"` // null: all
	DefaultAssistant *assistants.AssistantID  `json:"default_assistant"`
	CreatedAt        time.Time                `json:"created_at"`
	ExpiresAt        *time.Time               `json:"expires_at"`
	RevokedAt        *time.Time               `json:"revoked_at"`
	Limits           assistants.Limits        `json:"limits"`
	Key              string                   `json:"key,omitempty"` // the secret, in the answer to its creation only
}

func viewKey(k assistants.Key) keyView {
	v := keyView{
		ID: k.ID, Name: k.Name, Prefix: k.Prefix, Scopes: k.Scopes, Assistants: k.Assistants,
		CreatedAt: stamp(k.CreatedAt), ExpiresAt: stampOrNil(k.ExpiresAt), RevokedAt: stampOrNil(k.RevokedAt), Limits: k.Limits,
	}
	if k.DefaultAssistant != "" {
		v.DefaultAssistant = &k.DefaultAssistant
	}
	return v
}
