package wire

import "fmt"

// embeddingFields are the members of a request for embeddings that Footnote reads.
var embeddingFields = []string{"model", "input", "encoding_format", "dimensions"}

// An EmbeddingsRequest is a request for embeddings: the bytes the client sent,
// and what was read from them.
type EmbeddingsRequest struct {
	r     Request
	input span
}

// ReadEmbeddings checks that a request is a JSON object with a model and an
// input, and nothing else: a model server judges the rest. The error is an
// [*Error]. The request keeps body, which must not change any more.
func ReadEmbeddings(body []byte) (*EmbeddingsRequest, error) {
	q := &EmbeddingsRequest{r: Request{body: body}}
	_, e := q.r.readMembers()
	if e == nil {
		e = q.r.checkKeys(embeddingFields)
	}
	if e != nil {
		return nil, e
	}
	model := q.r.find("model")
	if model.none() {
		return nil, &Error{"missing_required_parameter", "model", "'model' is missing; name a model."}
	}
	if e = q.r.readModel(model); e != nil {
		return nil, e
	}
	if q.input = q.r.find("input"); q.input.none() {
		return nil, &Error{"missing_required_parameter", "input", "'input' is missing; send a text or a list of texts."}
	}
	return q, nil
}

// Model is the model the client named.
func (q *EmbeddingsRequest) Model() string { return q.r.model }

// SetModel replaces the model.
func (q *EmbeddingsRequest) SetModel(m string) { q.r.SetModel(m) }

// Body returns the request with the model replaced; the very bytes the client
// sent when it was not.
func (q *EmbeddingsRequest) Body() []byte { return q.r.Body() }

// Texts are the texts of the input, a string or a list of strings, of which
// there are at most limit and none is empty. Tokens instead of texts are refused.
func (q *EmbeddingsRequest) Texts(limit int) ([]string, error) {
	b := q.r.body
	if text, ok := textValue(b, q.input); ok {
		if text == "" {
			return nil, emptyInput("input")
		}
		return []string{text}, nil
	}
	if b[q.input.start] != '[' {
		return nil, wrongType("input", "a string or a list of strings")
	}
	var texts []string
	for w := walk(b, q.input.start, 0); w.element(); {
		param := fmt.Sprintf("input[%d]", len(texts))
		text, ok := textValue(b, w.skip())
		switch {
		case !ok:
			return nil, wrongType(param, "a string; this embedder takes texts, not tokens")
		case text == "":
			return nil, emptyInput(param)
		case len(texts) == limit:
			return nil, &Error{"invalid_value", "input", fmt.Sprintf("'input' has more than %d texts.", limit)}
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return nil, emptyInput("input")
	}
	return texts, nil
}

func emptyInput(param string) *Error {
	return &Error{"invalid_value", param, fmt.Sprintf("'%s' is empty; send a text.", param)}
}

// Base64 reports whether vectors are asked for as base64 instead of as lists.
func (q *EmbeddingsRequest) Base64() (bool, error) {
	v := q.r.find("encoding_format")
	if v.none() || string(v.of(q.r.body)) == "null" {
		return false, nil
	}
	switch format, _ := textValue(q.r.body, v); format {
	case "float":
		return false, nil
	case "base64":
		return true, nil
	}
	return false, &Error{"invalid_value", "encoding_format", "'encoding_format' must be 'float' or 'base64'."}
}

// Dimensions is the length of vectors that is asked for, 0 when none is.
func (q *EmbeddingsRequest) Dimensions() (int, error) {
	v := q.r.find("dimensions")
	if v.none() || string(v.of(q.r.body)) == "null" {
		return 0, nil
	}
	const most = 1 << 16
	n, e := readInt("dimensions", v.of(q.r.body), most)
	if e != nil {
		return 0, e
	}
	return n, nil
}
