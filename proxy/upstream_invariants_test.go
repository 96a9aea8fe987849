package proxy_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"footnote/proxy/apierr"
)

// check compares a reply with what is wanted, and asserts the invariants.
func (r *rig) check(got reply, want outcome) {
	r.t.Helper()
	status := want.status
	if status == 0 {
		status = http.StatusOK
	}
	if got.status != status || got.broken != nil {
		r.t.Fatalf("status %d, want %d; the body ended with %v\n%s\nlog: %s", got.status, status, got.broken, clipped(got.body), r.logged)
	}
	for name, value := range want.header {
		if v := got.header.Get(name); v != value {
			r.t.Errorf("header %s: %q, want %q", name, v, value)
		}
	}
	switch stream := strings.HasPrefix(got.header.Get("Content-Type"), "text/event-stream"); {
	case stream && status == http.StatusOK:
		r.checkStream(got, want)
	case want.code != "":
		r.checkError(got.body, want)
	default:
		r.checkBody(got.body, want)
	}
	r.checkSecrets(got, want)
	r.checkUpstream(want)
}

// checkStream reads a stream as a strict client would: lines of data, comments
// of ours, one terminal at the end.
func (r *rig) checkStream(got reply, want outcome) {
	r.t.Helper()
	frames := dataOf(r.t, got.body)
	if len(frames) == 0 {
		r.t.Fatalf("a stream without a frame: %q", got.body)
	}
	end := frames[len(frames)-1]
	frames = frames[:len(frames)-1]
	for _, f := range frames {
		if f == "[DONE]" || strings.HasPrefix(f, `{"error":`) {
			r.t.Fatalf("more than one terminal:\n%s", clipped(got.body))
		}
	}
	if want.code == "" && end != "[DONE]" {
		r.t.Fatalf("the stream ends with %s, want [DONE]", clipped(end))
	}
	if want.code != "" {
		r.checkError(end, want)
	}
	wanted := want.frames
	if r.citing && want.cited != nil {
		wanted = want.cited
	}
	cited := -1
	for i, f := range frames {
		if bare, ours := withoutOurs(r.t, f); ours {
			if cited >= 0 {
				r.t.Error("citations on two frames")
			}
			frames[i], cited = bare, i
		}
	}
	if !slices.Equal(frames, wanted) {
		r.t.Errorf("frames\n%s\nwant\n%s", clipped(strings.Join(frames, "\n")), clipped(strings.Join(wanted, "\n")))
	}
	switch on := r.citing && want.code == ""; {
	case on && cited < 0:
		r.t.Errorf("no citations in\n%s", clipped(got.body))
	case !on && cited >= 0:
		r.t.Errorf("citations where none belong:\n%s", clipped(got.body))
	case on:
		for _, later := range frames[cited+1:] {
			if finishes(r.t, later) {
				r.t.Errorf("a finish chunk behind the citations: %s", later)
			}
		}
	}
}

// dataOf takes a stream apart and refuses what a client might stumble over.
func dataOf(t *testing.T, body string) []string {
	t.Helper()
	var frames []string
	for rest := body; rest != ""; {
		line, after, ok := strings.Cut(rest, "\n")
		data, isData := strings.CutPrefix(line, "data: ")
		switch {
		case ok && line == ": keep-alive":
			rest = after
		case ok && isData && strings.HasPrefix(after, "\n"):
			frames = append(frames, data)
			rest = after[1:]
		default:
			t.Fatalf("no client reads this: %q", clipped(rest))
		}
	}
	return frames
}

// withoutOurs takes what we add out of a JSON object, and reports whether
// anything was there. It checks the citations on the way.
func withoutOurs(t *testing.T, object string) (string, bool) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &members); err != nil {
		t.Fatalf("no JSON object: %s", clipped(object))
	}
	var cited struct {
		Status            string
		ReferencedIndices []int `json:"referenced_indices"`
		Sources           []struct {
			Document string `json:"document_id"`
		}
	}
	raw := members["citations"]
	if json.Unmarshal(raw, &cited) != nil || cited.Status == "" {
		return object, false // an upstream's own are a list
	}
	for _, s := range cited.Sources {
		if s.Document != "doc_one" && s.Document != "doc_two" {
			t.Errorf("a source of another request: %s", raw)
		}
	}
	for _, n := range cited.ReferencedIndices {
		if n < 1 || n > len(cited.Sources) {
			t.Errorf("a citation without a source: %s", raw)
		}
	}
	for _, name := range []string{"citations", "retrieval"} {
		object = strings.Replace(object, fmt.Sprintf(`,%q:%s`, name, members[name]), "", 1)
	}
	return strings.Replace(object, `"upstream_citations":`, `"citations":`, 1), true
}

func finishes(t *testing.T, frame string) bool {
	t.Helper()
	var chunk struct {
		Choices []struct {
			FinishReason *string `json:"finish_reason"`
		}
	}
	if err := json.Unmarshal([]byte(frame), &chunk); err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(chunk.Choices, func(c struct {
		FinishReason *string `json:"finish_reason"`
	}) bool {
		return c.FinishReason != nil
	})
}

// checkError wants exactly the error object and nothing else.
func (r *rig) checkError(body string, want outcome) {
	r.t.Helper()
	var e apierr.Body
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		r.t.Fatalf("no error object: %s", clipped(body))
	}
	again, err := json.Marshal(e)
	if err != nil || string(again) != body || e.Error.Message == "" || e.Error.Type == "" {
		r.t.Errorf("not exactly an error object: %s", clipped(body))
	}
	if !slices.Contains(strings.Split(want.code, "|"), e.Error.Code) || !strings.Contains(e.Error.Message, want.says) {
		r.t.Errorf("error %s, want code %s and %q\nlog: %s", body, want.code, want.says, r.logged)
	}
}

// checkBody compares an answer that is no error of ours.
func (r *rig) checkBody(body string, want outcome) {
	r.t.Helper()
	ours := false
	if want.status == 0 {
		body, ours = withoutOurs(r.t, body)
	}
	if body != want.body || ours != (r.citing && want.status == 0) {
		r.t.Errorf("answer (citations: %v)\n%s\nwant\n%s", ours, clipped(body), clipped(want.body))
	}
}

// checkSecrets looks for what must not be seen. An error body of the upstream's
// is passed on as it came, but for the key; a good answer says what the model
// said. The log is the operator's and may name the upstream's address.
func (r *rig) checkSecrets(got reply, want outcome) {
	r.t.Helper()
	var header strings.Builder
	_ = got.header.Write(&header) // to memory
	seen := header.String() + got.body
	hidden := []string{canaryKey}
	if want.code != "" {
		hidden = append(hidden, canaryPrompt, canarySource, r.far.Addr())
	}
	for _, secret := range hidden {
		if strings.Contains(seen, secret) {
			r.t.Errorf("the client sees %q in\n%s", secret, clipped(seen))
		}
	}
	for _, secret := range []string{canaryKey, canaryPrompt, canarySource} {
		if strings.Contains(r.logged.String(), secret) {
			r.t.Errorf("the log has %q:\n%s", secret, r.logged)
		}
	}
}

// checkUpstream counts the requests, and sees that no connection is in use.
func (r *rig) checkUpstream(want outcome) {
	r.t.Helper()
	calls := max(want.calls, 1)
	if want.calls == noCalls {
		calls = 0
	}
	if n := r.far.Count(); n != calls {
		r.t.Errorf("the upstream was asked %d times, want %d", n, calls)
	}
	eventually(r.t, "no connection to the upstream is in use", func() bool {
		r.client.Close() // what is idle; what is not would stay
		return r.far.Conns() == 0
	})
}

// clipped is the beginning and the end of a long text.
func clipped(s string) string {
	const most = 4000
	if len(s) > most {
		return s[:most/2] + " … " + s[len(s)-most/2:]
	}
	return s
}
