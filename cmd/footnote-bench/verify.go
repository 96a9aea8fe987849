package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A verifier checks answers of one kind. Every byte has to be as the upstream sent it.
// Contenders that cite add citations to the object or the finish chunk. An answer with
// citations that passed all checks is remembered, so that an equal one costs only a
// comparison.
type verifier struct {
	cites  bool
	stream bool
	want   []byte   // the upstream's body
	data   [][]byte // of the upstream's stream
	text   string   // of the upstream's answer

	mu       sync.RWMutex
	verified [][]byte
}

func newVerifier(cites, stream bool) (*verifier, error) {
	v := &verifier{cites: cites, stream: stream}
	if v.stream {
		v.data = streamData("bench")
		v.want = eventStream(v.data)
	} else {
		v.want = jsonReply()
	}
	got, err := v.read(v.want)
	v.text = got.text
	return v, err
}

// maxVerified bounds how many answers are remembered.
const maxVerified = 64

// check returns an error if an answer's body is wrong.
func (v *verifier) check(body []byte) error {
	if !v.cites {
		return checkEqual(body, v.want)
	}
	v.mu.RLock()
	known := slices.ContainsFunc(v.verified, func(r []byte) bool { return bytes.Equal(r, body) })
	v.mu.RUnlock()
	if known {
		return nil
	}
	if err := v.examine(body); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.verified) < maxVerified {
		v.verified = append(v.verified, bytes.Clone(body))
	}
	return nil
}

// examine decodes an answer and checks all of it.
func (v *verifier) examine(body []byte) error {
	if err := v.checkAdditions(body); err != nil {
		return err
	}
	got, err := v.read(body)
	if err != nil {
		return err
	}
	if got.text != v.text {
		return fmt.Errorf("the text differs: %.200q", got.text)
	}
	return got.citations.check(v.text)
}

// checkAdditions checks that the contender changed nothing, except that it added
// members at the end of one object.
func (v *verifier) checkAdditions(body []byte) error {
	if !v.stream {
		return checkExtends(body, v.want)
	}
	events := bytes.Split(bytes.TrimSuffix(body, []byte("\n\n")), []byte("\n\n"))
	if len(events) != len(v.data)+1 {
		return fmt.Errorf("%d events instead of %d", len(events), len(v.data)+1)
	}
	finish := len(v.data) - 1
	for i, event := range events {
		data, ok := bytes.CutPrefix(event, []byte("data: "))
		var err error
		switch {
		case !ok:
			err = errors.New("no data")
		case i < finish:
			err = checkEqual(data, v.data[i])
		case i == finish:
			err = checkExtends(data, v.data[i])
		default:
			err = checkEqual(data, []byte("[DONE]"))
		}
		if err != nil {
			return fmt.Errorf("event %d: %w", i, err)
		}
	}
	return nil
}

// checkExtends checks that got is object with members added at its end.
func checkExtends(got, object []byte) error {
	kept := bytes.TrimSuffix(object, []byte("}"))
	if len(got) <= len(object) {
		return errors.New("nothing was added")
	}
	return checkEqual(got[:len(kept)], kept)
}

func checkEqual(got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	n := 0
	for n < min(len(got), len(want)) && got[n] == want[n] {
		n++
	}
	return fmt.Errorf("%d bytes instead of %d, different from byte %d on: %.80q", len(got), len(want), n, got[n:])
}

// An answer is the text and the citations of a body.
type answer struct {
	text      string
	citations *citationsSeen
}

// citationsSeen are the parts of the citations that are the same in every run.
type citationsSeen struct {
	Status            string `json:"status"`
	ReferencedIndices []int  `json:"referenced_indices"`
	Sources           []struct {
		Index      int    `json:"index"`
		DocumentID string `json:"document_id"`
	} `json:"sources"`
	Markers []json.RawMessage `json:"markers"`
}

func (c *citationsSeen) check(text string) error {
	indices, markers := citedIn(text)
	switch {
	case c == nil:
		return errors.New("there are no citations")
	case c.Status != "cited", !slices.Equal(c.ReferencedIndices, indices):
		return fmt.Errorf("citations are %s %v instead of cited %v", c.Status, c.ReferencedIndices, indices)
	case len(c.Sources) != sourceCount, len(c.Markers) != markers:
		return fmt.Errorf("%d sources and %d markers instead of %d and %d", len(c.Sources), len(c.Markers), sourceCount, markers)
	}
	return nil
}

// read decodes a body.
func (v *verifier) read(body []byte) (answer, error) {
	if !v.stream {
		var a answer
		return a, a.add(body)
	}
	var a answer
	done := false
	for event := range bytes.SplitSeq(body, []byte("\n\n")) {
		data, ok := bytes.CutPrefix(event, []byte("data: "))
		switch {
		case len(event) == 0:
		case done || !ok:
			return a, fmt.Errorf("an event out of place: %.80q", event)
		case string(data) == "[DONE]":
			done = true
		default:
			if err := a.add(data); err != nil {
				return a, err
			}
		}
	}
	if !done {
		return a, errors.New("the stream has no end")
	}
	return a, nil
}

// add reads one object, a whole answer or a chunk of it.
func (a *answer) add(raw []byte) error {
	var object struct {
		Choices []struct {
			Message, Delta struct{ Content string }
		}
		Citations *citationsSeen
		Error     json.RawMessage
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		return err
	}
	if object.Error != nil {
		return fmt.Errorf("an error: %s", object.Error)
	}
	var text strings.Builder
	text.WriteString(a.text)
	for _, choice := range object.Choices {
		text.WriteString(choice.Message.Content + choice.Delta.Content)
	}
	a.text = text.String()
	if object.Citations != nil {
		a.citations = object.Citations
	}
	return nil
}
