package main

import (
	"bytes"
	"strings"
	"testing"
)

const goodCitations = `,"citations":{"status":"cited","sources":[{"index":1},{"index":2},{"index":3},{"index":4},{"index":5},{"index":6},{"index":7},{"index":8},{"index":9},{"index":10}],"referenced_indices":[%I],"markers":[%M]}}`

// citationsOf are the right citations of a text, as they end an object.
func citationsOf(text string) string {
	indices, markers := citedIn(text)
	list := strings.Trim(strings.ReplaceAll(string(mustJSON(indices)), " ", ""), "[]")
	return strings.NewReplacer("%I", list, "%M", strings.TrimSuffix(strings.Repeat("{},", markers), ",")).Replace(goodCitations)
}

// answers are a right answer of each kind with citations.
func answers(t *testing.T) map[string][]byte {
	t.Helper()
	object, err := newVerifier(true, false)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := newVerifier(true, true)
	if err != nil {
		t.Fatal(err)
	}
	data := streamData("bench")
	finish := len(data) - 1
	data[finish] = append(bytes.TrimSuffix(data[finish], []byte("}")), citationsOf(stream.text)...)
	return map[string][]byte{
		kindJSON:   append(bytes.TrimSuffix(jsonReply(), []byte("}")), citationsOf(object.text)...),
		kindStream: eventStream(data),
	}
}

func TestRightAnswersAreAccepted(t *testing.T) {
	for kind, body := range answers(t) {
		v, err := newVerifier(true, kind == kindStream)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second is known
			if err := v.check(body); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
}

func TestAWrongByteIsRejectedWhereverItIs(t *testing.T) {
	for kind, cited := range answers(t) {
		for cites, body := range map[bool][]byte{false: nil, true: cited} {
			v, err := newVerifier(cites, kind == kindStream)
			if err != nil {
				t.Fatal(err)
			}
			if body == nil {
				body = v.want
			}
			if err := v.check(body); err != nil {
				t.Fatal(err)
			}
			original := len(v.want)
			for at := 0; at < original; at += 97 {
				if kind == kindStream && at >= bytes.Index(body, []byte(`,"citations"`)) && cites {
					break // what we add is compared by its meaning
				}
				if kind == kindJSON && at >= original-1 {
					break
				}
				wrong := bytes.Clone(body)
				wrong[at] ^= 1
				if v.check(wrong) == nil {
					t.Fatalf("%t, %s: a wrong byte at %d passes", cites, kind, at)
				}
			}
		}
	}
}

func TestWhatIsLostSwappedOrInventedIsRejected(t *testing.T) {
	good := answers(t)
	events := bytes.SplitAfter(good[kindStream], []byte("\n\n"))
	without := func(i int) []byte {
		return bytes.Join(append(append([][]byte{}, events[:i]...), events[i+1:]...), nil)
	}
	swapped := append([][]byte{}, events...)
	swapped[20], swapped[21] = swapped[21], swapped[20]
	cases := map[string]struct {
		kind string
		body []byte
	}{
		"an event is lost":           {kindStream, without(100)},
		"two events change places":   {kindStream, bytes.Join(swapped, nil)},
		"no end":                     {kindStream, bytes.TrimSuffix(good[kindStream], []byte("data: [DONE]\n\n"))},
		"no citations in the stream": {kindStream, eventStream(streamData("bench"))},
		"the stream of another":      {kindStream, bytes.ReplaceAll(good[kindStream], []byte("chatcmpl-bench"), []byte("chatcmpl-other"))},
		"no citations":               {kindJSON, jsonReply()},
		"another index":              {kindJSON, bytes.Replace(good[kindJSON], []byte(`"referenced_indices":[`), []byte(`"referenced_indices":[9,`), 1)},
		"a marker too many":          {kindJSON, bytes.Replace(good[kindJSON], []byte(`"markers":[`), []byte(`"markers":[{},`), 1)},
		"a source is missing":        {kindJSON, bytes.Replace(good[kindJSON], []byte(`{"index":4},`), nil, 1)},
		"another status":             {kindJSON, bytes.Replace(good[kindJSON], []byte(`"cited"`), []byte(`"none"`), 1)},
		"an error":                   {kindJSON, []byte(`{"error":{"message":"no"}}`)},
		"nothing":                    {kindJSON, nil},
	}
	for name, c := range cases {
		if bytes.Equal(c.body, good[c.kind]) {
			t.Fatalf("%s: the case changes nothing", name)
		}
		v, err := newVerifier(true, c.kind == kindStream)
		if err != nil {
			t.Fatal(err)
		}
		if v.check(c.body) == nil {
			t.Errorf("%s: it passes", name)
		}
	}
}
