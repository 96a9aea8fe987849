package chunker

import "footnote/assistants/tokens"

// headerShare limits a repeated header to Options.Max / headerShare tokens.
const headerShare = 3

// addHeaders repeats the header of a table in the chunks that continue it.
func addHeaders(in Input, opt Options, chunks []Chunk) {
	at := 0
	for _, table := range in.Lines {
		header := trim(in.Text, Range{table.Start, max(table.HeaderEnd, table.Start)})
		if header.Start == header.End {
			continue
		}
		repeated := false
		for ; at < len(chunks) && chunks[at].Start < table.End; at++ {
			c := &chunks[at]
			if c.Start < header.End {
				continue // the chunk contains the header, or a part of it
			}
			if !repeated {
				limit := opt.Max / headerShare
				// A token is at least a byte, and seldom more than sixteen.
				if header.End-header.Start > 16*limit || tokens.Count(in.Text[header.Start:header.End]) > limit {
					break
				}
				repeated = true
			}
			c.TableHeader = header
		}
	}
}
