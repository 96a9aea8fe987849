package citations

import "strings"

// StripMarkers takes every marker out of a text, whatever its number, with the
// space before it, or after it at the start of a line. Code, links and all else
// that is no marker stays byte for byte.
func StripMarkers(text string) string {
	// One at a time: strings.ContainsAny is slow for what is not ASCII.
	if !strings.Contains(text, "[") && !strings.Contains(text, "【") && !strings.Contains(text, "［") {
		return text
	}
	var out strings.Builder
	kept := 0             // of text, up to here
	fromLineStart := true // what was taken out last began a line
	s := newScanner(UnitByte, func(f found) *Marker {
		start, end := f.start, f.end
		lineStart := start == 0 || text[start-1] == '\n' || start == kept && fromLineStart
		fromLineStart = lineStart
		switch {
		case !lineStart && text[start-1] == ' ':
			start--
		case lineStart && end < len(text) && text[end] == ' ':
			end++
		}
		if start > kept {
			out.WriteString(text[kept:start])
		}
		kept = max(kept, end)
		return nil
	})
	s.claim.off = true
	s.write(text)
	s.finish()
	if kept == 0 {
		return text
	}
	out.WriteString(text[kept:])
	return out.String()
}
