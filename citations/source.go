package citations

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrNoDocument is returned by FormatCitation when the document has no name.
var ErrNoDocument = errors.New("citations: a citation needs the name of a document")

// unknownDocument replaces the name of a document that has none.
const unknownDocument = "Unknown Document"

// excerptLength is the number of code points of a passage in Source.Excerpt.
const excerptLength = 200

// Source is one passage that was given to the model, with its origin. Its JSON form
// is an entry of "sources" in the citations object, which omits unknown optional
// fields.
type Source struct {
	// Index is the number of the source in the prompt, from 1.
	Index int `json:"index"`
	// DocumentID names the document in the store.
	DocumentID string `json:"document_id"`
	// DocumentName is the name shown to people, never blank in a Set.
	DocumentName string `json:"document_name"`
	// ContentType is the media type of the document.
	ContentType string `json:"content_type,omitempty"`
	// Score is the relevance of the passage to the question, from 0 to 1.
	Score float64 `json:"score"`
	// Excerpt is the first 200 code points of the passage, with "..." if cut.
	Excerpt string `json:"excerpt"`
	// DownloadURL is the address of the document; it is never part of a prompt.
	DownloadURL string `json:"download_url,omitempty"`
	// ChunkID names the passage in the store.
	ChunkID string `json:"chunk_id,omitempty"`
	// ChunkIndex is the position of the passage in its document, from 0.
	ChunkIndex int `json:"chunk_index"`
	// PageNumber is the page of the first character of the passage, from 1.
	PageNumber *int `json:"page_number,omitempty"`
	// PageEnd is the page of its last character.
	PageEnd *int `json:"page_end,omitempty"`
	// SectionHeader is the heading above the passage.
	SectionHeader string `json:"section_header,omitempty"`
	// CharStart is the offset of the passage in the text of its document.
	CharStart int `json:"char_start"`
	// CharEnd is the offset after its last character.
	CharEnd int `json:"char_end"`
	// Citation is the line of FormatCitation for the passage.
	Citation string `json:"citation"`
	// Chunks are the passages of a document that shares one number.
	Chunks []ChunkRef `json:"chunks,omitempty"`
	// AlsoIn are other places that say the same; see [Place].
	AlsoIn []Place `json:"also_in,omitempty"`
	// Available is false when the document was deleted meanwhile, else nil.
	Available *bool `json:"available,omitempty"`
	// RerankScore is the score of a reranking model, 0–10; nil if none was asked.
	RerankScore *float64 `json:"rerank_score,omitempty"`
	// Pages are the pages that begin within Text; nil if Text is on one page. With a
	// Lead they include the page of its first character.
	Pages []PageStart `json:"-"`
	// Lead is the number of code points in Text before the passage that was found,
	// which CharStart and CharEnd delimit: its neighbours.
	Lead int `json:"-"`
	// Brought: the passage came with the request. DocumentID is the client's name for it,
	// and DownloadURL stays as it is.
	Brought bool `json:"-"`
	// TableHeader is the header of the table that the passage continues. The model sees
	// it above the passage. It is never quoted.
	TableHeader string `json:"-"`
	// Text is the whole passage, with its neighbours, for the prompt and for
	// checking claims.
	Text string `json:"-"`

	prepared *Prepared // of this source; nil: nothing is prepared
}

// headed returns the text below the header of its table.
func (s *Source) headed() string {
	if s.TableHeader == "" {
		return s.Text
	}
	return s.TableHeader + "\n" + s.Text
}

// complete fills in a source of a set: its number, a name, a score that JSON can
// represent, its excerpt and its citation line.
func (s *Source) complete(index int) {
	s.Index = index
	if strings.TrimSpace(s.DocumentName) == "" {
		s.DocumentName = unknownDocument
	}
	if math.IsNaN(s.Score) {
		s.Score = 0
	}
	s.Score = min(max(s.Score, 0), 1)
	if s.prepared != nil {
		return // it has excerpt and citation line
	}
	// An excerpt given by the caller wins. With neighbours merged into Text, it still
	// shows the passage that was found.
	if s.Excerpt == "" {
		s.Excerpt = s.Text
	}
	s.Excerpt = excerpt(s.Excerpt)
	s.Citation = citationLine(s.DocumentName, s.PageNumber, s.ChunkIndex)
}

// excerpt returns the first 200 code points of text, with "..." if there are more.
func excerpt(text string) string {
	if len(text) <= excerptLength {
		return text
	}
	if ascii(text[:excerptLength]) {
		return text[:excerptLength] + "..."
	}
	seen := 0
	for i := range text {
		if seen == excerptLength {
			return text[:i] + "..."
		}
		seen++
	}
	return text
}

// ascii reports whether s contains only ASCII.
func ascii(s string) bool {
	var all byte
	for i := range len(s) {
		all |= s[i]
	}
	return all < utf8.RuneSelf
}

// FormatCitation returns "(Source: name, page N, chunk K)" on one line. The page
// counts from 1 and reads "N/A" if it is unknown; the chunk counts from 0. Line
// breaks and invisible characters are removed from the name, so page and chunk are
// always the last two parts. A blank name is ErrNoDocument.
//
// The sources of a Set have the line in Citation, with a name in place of a blank one.
// FormatCitation is for programs that use this package alone and have no Set, for which
// a source without a name is a mistake.
func FormatCitation(name string, page *int, chunk int) (string, error) {
	if oneLine(name) == "" {
		return "", ErrNoDocument
	}
	return citationLine(name, page, chunk), nil
}

func citationLine(name string, page *int, chunk int) string {
	name = oneLine(name)
	if name == "" {
		name = unknownDocument
	}
	number := "N/A"
	if page != nil && *page > 0 {
		number = strconv.Itoa(*page)
	}
	line := append(make([]byte, 0, 128), "(Source: "...)
	line = append(append(line, name...), ", page "...)
	line = append(append(line, number...), ", chunk "...)
	return string(append(strconv.AppendInt(line, int64(chunk), 10), ')'))
}

// where returns ", page 12" for a source, ", pages 12–13" for one over a page break,
// and "" if the page is unknown.
func where(s *Source) string {
	page := pageOf(s)
	switch {
	case page == 0:
		return ""
	case s.PageEnd != nil && *s.PageEnd > page:
		return ", pages " + strconv.Itoa(page) + "–" + strconv.Itoa(*s.PageEnd)
	}
	return ", page " + strconv.Itoa(page)
}

// title returns what lists call a source: "name, page 4".
func title(s *Source) string { return shownName(s.DocumentName) + where(s) }

// linkOf returns the link of a source alone: the document's, with the page or else
// the passage as fragment. Viewers open the page, and clients that take equal links
// for one source see as many as there are. It is "" without a URL.
func linkOf(sources []Source, i int) string {
	src := &sources[i]
	if src.DownloadURL == "" || strings.Contains(src.DownloadURL, "#") {
		return src.DownloadURL
	}
	chunk := "chunk=" + strconv.Itoa(src.ChunkIndex)
	page := pageOf(src)
	if page == 0 {
		return src.DownloadURL + "#" + chunk
	}
	link := src.DownloadURL + "#page=" + strconv.Itoa(page)
	for j := range i {
		if sources[j].DownloadURL == src.DownloadURL && pageOf(&sources[j]) == page {
			return link + "&" + chunk
		}
	}
	return link
}

// pageOf returns the page of a source, 0 if it is not known.
func pageOf(s *Source) int {
	if s.PageNumber == nil {
		return 0
	}
	return max(0, *s.PageNumber)
}

// AppendCitation returns text, one blank line and the citation. Blank lines at the
// end of text are replaced, so that there is exactly one. Text that already ends in
// the citation is returned unchanged.
func AppendCitation(text, citation string) string {
	citation = strings.TrimSpace(citation)
	if citation == "" {
		return text
	}
	body := withoutTrailingBlankLines(text)
	if body == "" {
		return citation
	}
	if body == citation || strings.HasSuffix(body, "\n\n"+citation) {
		return text
	}
	return body + "\n\n" + citation
}

// withoutTrailingBlankLines removes the line break at the end of text and the blank
// lines after its last line, but not the spaces within that line.
func withoutTrailingBlankLines(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	end := len(strings.TrimRight(text, " \t\r\n"))
	if lineEnd := strings.IndexAny(text[end:], "\r\n"); lineEnd >= 0 {
		return text[:end+lineEnd]
	}
	return text
}

// A ChunkRef names a passage of a document that shares one number.
type ChunkRef struct {
	ChunkID    string  `json:"chunk_id,omitempty"`
	ChunkIndex int     `json:"chunk_index"`
	PageNumber *int    `json:"page_number,omitempty"`
	CharStart  int     `json:"char_start"`
	CharEnd    int     `json:"char_end"`
	Score      float64 `json:"score"`
}

// A Place is a place in a document that says the same as a source. Its passage is not given
// to the model a second time.
type Place struct {
	DocumentID   string `json:"document_id"`
	DocumentName string `json:"document_name"`
	PageNumber   *int   `json:"page_number,omitempty"`
}

// A PageStart is where a page begins in a document's text, in code points.
type PageStart struct{ Page, Char int }
