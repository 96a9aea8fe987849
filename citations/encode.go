package citations

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Every answer carries the object, so it is written by hand, in a tenth of the time
// of encoding/json. The result is the same byte for byte, except that HTML is not
// escaped, which JSON does not require. The struct tags name the members.

// AppendJSON appends the object as JSON to dst.
func (c *Citations) AppendJSON(dst []byte) []byte {
	const perSource, perMarker, rest = 600, 100, 500 // usual sizes in bytes
	w := writer{slices.Grow(dst, rest+len(c.Sources)*perSource+len(c.Markers)*perMarker)}
	w.text(`{"status":`, c.Status)
	w.raw(`,"sources":[`)
	for i := range c.Sources {
		w.comma(i)
		w.source(&c.Sources[i])
	}
	w.numbers(`],"referenced_indices":`, c.ReferencedIndices)
	w.raw(`,"markers":[`)
	for i := range c.Markers {
		w.comma(i)
		w.marker(&c.Markers[i])
	}
	w.raw(`]`)
	if c.Truncated {
		w.raw(`,"truncated":true`)
	}
	w.numbers(`,"invalid_indices":`, c.InvalidIndices)
	if c.AutoPopulated {
		w.raw(`,"auto_populated":true`)
	}
	if c.Coverage != nil {
		w.float(`,"coverage":`, *c.Coverage)
	}
	for i, s := range c.Uncited {
		w.raw([...]string{`,"uncited":[`, `,`}[min(i, 1)])
		w.int(`{"choice":`, s.Choice)
		w.int(`,"start":`, s.Start)
		w.int(`,"end":`, s.End)
		w.raw(`}`)
	}
	if len(c.Uncited) > 0 {
		w.raw(`]`)
	}
	w.float(`,"confidence":`, c.Confidence.Confidence)
	w.int(`,"confidence_percent":`, c.ConfidencePercent)
	w.text(`,"confidence_level":`, c.ConfidenceLevel)
	w.float(`,"confidence_factors":{"relevance":`, c.ConfidenceFactors.Relevance)
	w.float(`,"sources":`, c.ConfidenceFactors.Sources)
	w.float(`,"similarity":`, c.ConfidenceFactors.Similarity)
	w.text(`,"method":`, c.ConfidenceFactors.Method)
	w.text(`},"offset_unit":`, string(c.OffsetUnit))
	w.raw(`,"warnings":[`)
	for i, warning := range c.Warnings {
		w.comma(i)
		w.text("", warning)
	}
	w.raw(`]}`)
	return w.b
}

// A writer appends members. Each call also passes the bytes before the value.
type writer struct{ b []byte }

func (w *writer) source(s *Source) {
	w.int(`{"index":`, s.Index)
	if p := s.prepared; p != nil {
		w.raw(p.document)
		w.float(`,"score":`, s.Score)
		w.raw(p.shown)
		w.optional(`,"download_url":`, s.DownloadURL)
		w.raw(p.place)
	} else {
		w.document(s)
		w.float(`,"score":`, s.Score)
		w.text(`,"excerpt":`, s.Excerpt)
		w.optional(`,"download_url":`, s.DownloadURL)
		w.place(s)
	}
	if len(s.Chunks) > 0 {
		w.raw(`,"chunks":[`)
		for i := range s.Chunks {
			w.comma(i)
			w.chunk(&s.Chunks[i])
		}
		w.raw(`]`)
	}
	if len(s.AlsoIn) > 0 {
		w.raw(`,"also_in":[`)
		for i := range s.AlsoIn {
			w.comma(i)
			w.otherPlace(&s.AlsoIn[i])
		}
		w.raw(`]`)
	}
	if s.Available != nil {
		w.raw(`,"available":`)
		w.b = strconv.AppendBool(w.b, *s.Available)
	}
	if s.RerankScore != nil {
		w.float(`,"rerank_score":`, *s.RerankScore)
	}
	w.raw(`}`)
}

// document writes the members of a source that come before its score.
func (w *writer) document(s *Source) {
	w.text(`,"document_id":`, s.DocumentID)
	w.text(`,"document_name":`, s.DocumentName)
	w.optional(`,"content_type":`, s.ContentType)
}

// place writes the members of a source that come after its URL and do not depend on
// the question.
func (w *writer) place(s *Source) {
	w.optional(`,"chunk_id":`, s.ChunkID)
	w.int(`,"chunk_index":`, s.ChunkIndex)
	if s.PageNumber != nil {
		w.int(`,"page_number":`, *s.PageNumber)
	}
	if s.PageEnd != nil {
		w.int(`,"page_end":`, *s.PageEnd)
	}
	w.optional(`,"section_header":`, s.SectionHeader)
	w.int(`,"char_start":`, s.CharStart)
	w.int(`,"char_end":`, s.CharEnd)
	w.text(`,"citation":`, s.Citation)
}

func (w *writer) otherPlace(p *Place) {
	w.text(`{"document_id":`, p.DocumentID)
	w.text(`,"document_name":`, p.DocumentName)
	if p.PageNumber != nil {
		w.int(`,"page_number":`, *p.PageNumber)
	}
	w.raw(`}`)
}

func (w *writer) chunk(c *ChunkRef) {
	w.raw(`{`)
	if c.ChunkID != "" {
		w.text(`"chunk_id":`, c.ChunkID)
		w.raw(`,`)
	}
	w.int(`"chunk_index":`, c.ChunkIndex)
	if c.PageNumber != nil {
		w.int(`,"page_number":`, *c.PageNumber)
	}
	w.int(`,"char_start":`, c.CharStart)
	w.int(`,"char_end":`, c.CharEnd)
	w.float(`,"score":`, c.Score)
	w.raw(`}`)
}

func (w *writer) marker(m *Marker) {
	w.int(`{"choice":`, m.Choice)
	w.int(`,"start":`, m.Start)
	w.int(`,"end":`, m.End)
	w.numbers(`,"indices":`, m.Indices)
	if len(m.Invalid) > 0 {
		w.numbers(`,"invalid":`, m.Invalid)
	}
	w.int(`,"claim_start":`, m.ClaimStart)
	w.int(`,"claim_end":`, m.ClaimEnd)
	w.optional(`,"support":`, m.Support)
	if m.SupportScore != nil {
		w.float(`,"support_score":`, *m.SupportScore)
	}
	if q := m.Quote; q != nil {
		w.int(`,"quote":{"index":`, q.Index)
		w.text(`,"text":`, q.Text)
		w.int(`,"char_start":`, q.CharStart)
		w.int(`,"char_end":`, q.CharEnd)
		if q.Header != "" {
			w.text(`,"header":`, q.Header)
		}
		if q.PageNumber != nil {
			w.int(`,"page_number":`, *q.PageNumber)
		}
		w.raw(`}`)
	}
	w.raw(`}`)
}

func (w *writer) raw(s string) { w.b = append(w.b, s...) }

// comma writes the separator before element i.
func (w *writer) comma(i int) {
	if i > 0 {
		w.b = append(w.b, ',')
	}
}

func (w *writer) int(lead string, n int) {
	w.raw(lead)
	w.b = strconv.AppendInt(w.b, int64(n), 10)
}

func (w *writer) numbers(lead string, list []int) {
	w.raw(lead)
	w.raw(`[`)
	for i, n := range list {
		w.comma(i)
		w.int("", n)
	}
	w.raw(`]`)
}

// float writes a number as ECMAScript does. The object only has finite numbers; JSON
// cannot represent others, so they would be 0.
func (w *writer) float(lead string, x float64) {
	w.raw(lead)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		x = 0
	}
	format := byte('f')
	if size := math.Abs(x); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	w.b = strconv.AppendFloat(w.b, x, format, -1, 64)
	if n := len(w.b); format == 'e' && n >= 4 && w.b[n-4] == 'e' && w.b[n-3] == '-' && w.b[n-2] == '0' {
		w.b[n-2] = w.b[n-1] // e-09 becomes e-9
		w.b = w.b[:n-1]
	}
}

func (w *writer) optional(lead, s string) {
	if s != "" {
		w.text(lead, s)
	}
}

// literal marks the ASCII bytes that a JSON string contains unescaped.
var literal = func() (table [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// allLiteral reports whether the first eight bytes of s are literal: no quote,
// no backslash, no control character and nothing above ASCII.
func allLiteral(s string) bool {
	const low, high = 0x0101010101010101, 0x8080808080808080
	// The compiler combines these eight loads into one.
	x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	quote, slash := x^low*'"', x^low*'\\'
	return (x|(x-low*' ')|(quote-low)|(slash-low))&high == 0
}

// text writes a string.
func (w *writer) text(lead, s string) {
	w.raw(lead)
	w.raw(`"`)
	w.inside(s)
	w.raw(`"`)
}

// inside writes a string without its quotes. U+2028 and U+2029 are escaped, because older
// versions of JavaScript take them for line ends. Invalid UTF-8 becomes U+FFFD.
func (w *writer) inside(s string) {
	const hex = "0123456789abcdef"
	b := w.b
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if literal[c] {
			for i++; len(s)-i >= 8 && allLiteral(s[i:]); {
				i += 8
			}
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if r != '\u2028' && r != '\u2029' && (r != utf8.RuneError || size > 1) {
				i += size
				continue
			}
		}
		b = append(b, s[start:i]...)
		switch r {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		}
		i += size
		start = i
	}
	w.b = b
	w.raw(s[start:])
}

// appendAnnotation appends OpenAI's url_citation at a marker.
func appendAnnotation(list []byte, m Marker, title, link string) []byte {
	w := writer{list}
	w.int(`{"type":"url_citation","url_citation":{"start_index":`, m.Start)
	w.int(`,"end_index":`, m.End)
	w.text(`,"title":`, title)
	w.text(`,"url":`, link)
	w.raw(`}}`)
	return w.b
}
