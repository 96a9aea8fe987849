package wire

// Rewrite passes the text of each delta of the frame, its string or each of its
// text parts, through edit, in the order in which they stand. Texts that come
// back unchanged keep their bytes, and so does everything else. data must be
// what was scanned last; the result is appended to dst unless it is data itself.
func (c *Frame) Rewrite(dst, data []byte, edit func(choice int, text string) string) []byte {
	var all []splice
	for _, one := range c.Choices {
		switch {
		case !one.HasContent():
		case data[one.content.start] == '"':
			// The decoded text, for halves of characters wait in it for the next frame.
			all = editString(all, data, one.content, one.Content, one.Index, edit)
		default:
			all = editParts(all, data, one.content, one.Index, edit)
		}
	}
	return apply(dst, data, all)
}

// Rewrite passes the text of each message, its string or each of its text
// parts, through edit, like [Frame.Rewrite]. It returns the body that results.
func (r *Response) Rewrite(dst []byte, edit func(choice int, text string) string) []byte {
	var all []splice
	for _, c := range r.choices {
		content := find(r.body, c.holder, "content")
		if text, ok := textValue(r.body, content); ok {
			all = editString(all, r.body, content, text, c.index, edit)
		} else {
			all = editParts(all, r.body, content, c.index, edit)
		}
	}
	return apply(dst, r.body, all)
}

// editString appends the change that edit makes of the string at s, which says text.
func editString(all []splice, b []byte, s span, text string, choice int, edit func(int, string) string) []splice {
	if text != "" {
		text = edit(choice, text)
	}
	if was, _ := textValue(b, s); text == was {
		return all
	}
	return append(all, splice{at: span{s.start + 1, s.end - 1}, plain: text})
}

func editParts(all []splice, b []byte, content span, choice int, edit func(int, string) string) []splice {
	eachTextPart(b, content, func(part span) {
		text, _ := textValue(b, part)
		all = editString(all, b, part, text, choice, edit)
	})
	return all
}

// AppendText puts a text behind that of the messages, or of the deltas, of an
// answer: for each choice what tail returns. tail is asked for choices whose
// content is a string or has text parts only, the last of those with one index
// first; a delta's string must say something, because text that comes with a
// finish reason is lost on some clients. What tail is not asked for is still to
// be sent.
func AppendText(body []byte, delta bool, tail func(choice int) string) []byte {
	top, ok := topObject(body)
	if !ok {
		return body
	}
	choices := readChoices(body, find(body, top, "choices"), holderName(delta))
	var all []splice
	for i := len(choices) - 1; i >= 0; i-- {
		content := find(body, choices[i].holder, "content")
		last := span{}
		switch {
		case content.none():
		case body[content.start] == '"':
			if !delta || len(content.of(body)) > len(`""`) {
				last = content
			}
		default:
			eachTextPart(body, content, func(part span) { last = part })
		}
		if last.none() {
			continue
		}
		if text := tail(choices[i].index); text != "" {
			all = append(all, splice{at: span{last.end - 1, last.end - 1}, plain: text})
		}
	}
	return apply(nil, body, all)
}
