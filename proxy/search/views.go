package search

import (
	"context"
	"unicode/utf8"

	"footnote/assistants"
	"footnote/citations"
	"footnote/proxy/grounding"
)

// Answer is the answer to a search.
type Answer struct {
	Query           string     `json:"query"`
	Answer          string     `json:"answer"`       // with markers
	AnswerClean     string     `json:"answer_clean"` // without
	Citations       []Citation `json:"citations"`
	Confidence      float64    `json:"confidence"`
	ConfidenceLevel string     `json:"confidence_level"`
	Results         []Result   `json:"results"`
	ResultCount     int        `json:"result_count"`
	Message         string     `json:"message,omitempty"`
	Warnings        []string   `json:"warnings"`
}

// A Citation is a source that the answer cites. Its number is that of its markers.
type Citation struct {
	Number        int               `json:"number"`
	DocumentID    string            `json:"document_id"`
	DocumentName  string            `json:"document_name"`
	PageNumber    *int              `json:"page_number"`
	SectionHeader *string           `json:"section_header"`
	Excerpt       string            `json:"excerpt"`
	CharStart     int               `json:"char_start"`
	CharEnd       int               `json:"char_end"`
	Confidence    float64           `json:"confidence"` // the relevance of the passage
	ChunkID       string            `json:"chunk_id"`
	AlsoIn        []citations.Place `json:"also_in,omitempty"`
}

func citationOf(src *citations.Source) Citation {
	return Citation{
		Number: src.Index, DocumentID: src.DocumentID, DocumentName: src.DocumentName, PageNumber: src.PageNumber, SectionHeader: orNull(src.SectionHeader),
		Excerpt: src.Excerpt, CharStart: src.CharStart, CharEnd: src.CharEnd, Confidence: src.Score, ChunkID: src.ChunkID, AlsoIn: src.AlsoIn,
	}
}

// A Result is a passage that was found. A quick search has the beginning of its text
// only.
type Result struct {
	DocumentID     string            `json:"document_id"`
	DocumentName   string            `json:"document_name"`
	CollectionID   string            `json:"collection_id"`
	CollectionName string            `json:"collection_name"`
	ChunkID        string            `json:"chunk_id"`
	ChunkIndex     int               `json:"chunk_index"`
	ChunkText      string            `json:"chunk_text,omitempty"`
	Excerpt        string            `json:"excerpt"`
	RelevanceScore float64           `json:"relevance_score"`
	PageNumber     *int              `json:"page_number"`
	SectionHeader  *string           `json:"section_header"`
	CharStart      int               `json:"char_start"`
	CharEnd        int               `json:"char_end"`
	AlsoIn         []citations.Place `json:"also_in,omitempty"`
}

// quickExcerpt is the number of characters of a passage that a quick search shows.
const quickExcerpt = 100

// results shows hits, with their whole texts or the beginnings only.
func (j *job) results(ctx context.Context, hits []assistants.Hit, whole bool) ([]Result, error) {
	names, err := j.names(ctx, hits)
	if err != nil {
		return nil, err
	}
	list := make([]Result, len(hits))
	set := citations.NewSet(grounding.Sources(hits), citations.Options{})
	for i, src := range set.Sources() {
		h := hits[i]
		list[i] = Result{
			DocumentID: src.DocumentID, DocumentName: src.DocumentName, CollectionID: string(h.Document.CollectionID), CollectionName: names[h.Document.CollectionID],
			ChunkID: src.ChunkID, ChunkIndex: src.ChunkIndex, Excerpt: src.Excerpt, RelevanceScore: src.Score,
			PageNumber: src.PageNumber, SectionHeader: orNull(src.SectionHeader), CharStart: src.CharStart, CharEnd: src.CharEnd, AlsoIn: src.AlsoIn,
		}
		if whole {
			list[i].ChunkText = h.Chunk.Text
		} else {
			list[i].Excerpt = beginning(h.Chunk.Text)
		}
	}
	return list, nil
}

// beginning returns the first characters of a text, with "..." if there are more.
func beginning(text string) string {
	if utf8.RuneCountInString(text) <= quickExcerpt {
		return text
	}
	return string([]rune(text)[:quickExcerpt]) + "..."
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
