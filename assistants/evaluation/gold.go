package evaluation

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A Turn is a message of a conversation.
type Turn struct {
	Role    string `json:"role"` // user or assistant
	Content string `json:"content"`
}

// An Expected is a document that answers a question.
type Expected struct {
	Document string `json:"document"`        // its name, with or without its extension
	Pages    []int  `json:"pages,omitempty"` // every page of it that answers, from 1
}

// A Question is one line of a gold set. Either Question or Turns is given; the
// last turn is then the user's.
type Question struct {
	ID         string     `json:"id"`
	Document   string     `json:"document"` // name of the document that answers, with or without its extension
	Language   string     `json:"language,omitempty"`
	Question   string     `json:"question,omitempty"`
	Turns      []Turn     `json:"turns,omitempty"`
	WrittenOut string     `json:"written_out,omitempty"` // the last turn as a question that needs no context
	Pages      []int      `json:"pages,omitempty"`       // every page that answers, from 1; none: pages are not judged
	Also       []Expected `json:"also,omitempty"`        // further documents that answer as well
	Passage    string     `json:"passage,omitempty"`     // a few words of the page; "": passages are not judged
	Answer     string     `json:"answer,omitempty"`
	Kind       string     `json:"kind,omitempty"`
	Cross      bool       `json:"cross,omitempty"` // asked in another language than the document's
}

// Messages returns the conversation that the question is sent as.
func (q Question) Messages() []Turn {
	if len(q.Turns) > 0 {
		return q.Turns
	}
	return []Turn{{Role: "user", Content: q.Question}}
}

// Expected returns every document that answers the question.
func (q Question) Expected() []Expected {
	return append([]Expected{{Document: q.Document, Pages: q.Pages}}, q.Also...)
}

// maxLine is the longest line of a gold set.
const maxLine = 1 << 20

// Read reads a gold set: a JSON object per line. It skips empty lines.
// The error names every line that is wrong, and what would be right.
func Read(r io.Reader) ([]Question, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	var (
		out  []Question
		errs []error
		seen = map[string]int{}
	)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\xef\xbb\xbf")))
		if len(line) == 0 {
			continue
		}
		q, err := parse(line)
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", n, err))
			continue
		}
		if q.ID == "" {
			q.ID = fmt.Sprintf("line-%d", n)
		}
		if first := seen[q.ID]; first > 0 {
			errs = append(errs, fmt.Errorf("line %d: the id %q is that of line %d, too", n, q.ID, first))
		}
		seen[q.ID] = n
		out = append(out, q)
	}
	if err := lines.Err(); err != nil {
		errs = append(errs, fmt.Errorf("line %d: %w", len(seen)+1, err))
	}
	if len(out) == 0 && len(errs) == 0 {
		errs = append(errs, errors.New("there is no question in it"))
	}
	return out, errors.Join(errs...)
}

func parse(line []byte) (q Question, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return q, fmt.Errorf("%s must not be a %s", wrong.Field, wrong.Value)
		}
		return q, fmt.Errorf("%sit must be a JSON object with %s, and nothing else", unknown(line), strings.Join(members(), ", "))
	}
	if d.More() {
		return q, errors.New("it must be one JSON object and nothing else")
	}
	return q, q.Validate()
}

// unknown names a member that a line must not hold, and begins the sentence about it; "":
// there is none, or the line is no object.
func unknown(line []byte) string {
	var given map[string]json.RawMessage
	if json.Unmarshal(line, &given) != nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(members(), name) {
			return fmt.Sprintf("unknown field %q: ", name)
		}
	}
	return ""
}

// members are the names of what a line may hold.
func members() (names []string) {
	for f := range reflect.TypeFor[Question]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// Validate returns an error if nothing could be asked or judged. The error says
// what would be right.
func (q Question) Validate() error {
	switch {
	case strings.TrimSpace(q.Question) == "" && len(q.Turns) == 0:
		return errors.New("question or turns is missing")
	case q.Question != "" && len(q.Turns) > 0:
		return errors.New("give either question or turns")
	case strings.TrimSpace(q.Document) == "":
		return errors.New("document is missing: the name of the document that answers")
	}
	if n := len(q.Turns); n > 0 && q.Turns[n-1].Role != "user" {
		return errors.New("the last of turns must have the role user")
	}
	for _, t := range q.Turns {
		if t.Role != "user" && t.Role != "assistant" || strings.TrimSpace(t.Content) == "" {
			return errors.New("turns must have the role user or assistant, and content")
		}
	}
	for _, e := range q.Expected() {
		if strings.TrimSpace(e.Document) == "" {
			return errors.New("each of also needs a document")
		}
		if slices.ContainsFunc(e.Pages, func(p int) bool { return p < 1 }) {
			return errors.New("pages count from 1")
		}
	}
	return nil
}
