package chunker

import "footnote/assistants/tokens"

// headerShare limits a repeated header to Options.Max / headerShare tokens.
const headerShare = 3

// addHeaders repeats the header of a table in the chunks that continue it, and the heads of a table in
// all its chunks.
func addHeaders(in Input, opt Options, chunks []Chunk) {
	at := 0
	for _, table := range in.Lines {
		header := trim(in.Text, Range{table.Start, max(table.HeaderEnd, table.Start)})
		limit := opt.Max / headerShare
		headed, repeated := fits(in.Text, limit, table.Heads...), fits(in.Text, limit, header)
		both := headed && repeated && fits(in.Text, limit, append([]Range{header}, table.Heads...)...)
		for ; at < len(chunks) && chunks[at].Start < table.End; at++ {
			c := &chunks[at]
			continues := repeated && c.Start >= header.End // or it contains the header, or a part of it
			if headed && (both || !continues) && c.End > table.Start {
				c.Heads = before(c.Start, table.Heads)
			}
			if continues {
				c.TableHeader = header
			}
		}
	}
}

// fits reports whether ranges are some text of at most so many tokens.
func fits(text string, limit int, parts ...Range) bool {
	length, count := 0, 0
	for _, p := range parts {
		length += p.End - p.Start
	}
	if length == 0 || length > 16*limit { // a token is at least a byte, and seldom more than sixteen
		return false
	}
	for _, p := range parts {
		count += tokens.Count(text[p.Start:p.End])
	}
	return count <= limit
}

// before returns the ranges that end before a place.
func before(at int, ranges []Range) []Range {
	var out []Range
	for _, r := range ranges {
		if r.End <= at {
			out = append(out, r)
		}
	}
	return out
}
