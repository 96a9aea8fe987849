package wire

// Earlier returns the messages before the last one of the user, but for system and
// developer messages: what [Request.WithoutEarlier] leaves out.
func (r *Request) Earlier() []Message {
	var earlier []Message
	for _, m := range r.earlier() {
		earlier = append(earlier, Message{Role: r.role(m), Text: contentText(r.body, m.content, "\n")})
	}
	return earlier
}

func (r *Request) earlier() []message {
	last := len(r.messages) - 1
	for last >= 0 && r.role(r.messages[last]) != "user" {
		last--
	}
	var earlier []message
	for _, m := range r.messages[:max(last, 0)] {
		if !r.instructs(m) {
			earlier = append(earlier, m)
		}
	}
	return earlier
}

// WithoutEarlier returns the request without its earlier messages, see
// [Request.Earlier]. The other messages and members keep their bytes. Edits of r are not
// taken over.
func (r *Request) WithoutEarlier() (*Request, error) {
	gone := r.earlier()
	if len(gone) == 0 {
		return r, nil
	}
	body := append([]byte(nil), r.body[:r.list.start]...)
	separator := byte('[')
	for _, m := range r.messages {
		if len(gone) > 0 && m.at == gone[0].at {
			gone = gone[1:]
			continue
		}
		body = append(append(body, separator), m.at.of(r.body)...)
		separator = ','
	}
	body = append(append(body, ']'), r.body[r.list.end:]...)
	return ReadRequest(body)
}
