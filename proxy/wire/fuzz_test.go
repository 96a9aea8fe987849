package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// addCorpus seeds a fuzz target with the files of testdata.
func addCorpus(f *testing.F, folder string) {
	for _, body := range corpus(f, folder) {
		if folder == "streams" {
			for _, frame := range frames(body) {
				f.Add(frame)
			}
			continue
		}
		f.Add(body)
	}
}

func FuzzScanning(f *testing.F) {
	for _, s := range jsonTexts {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := isJSON(string(b)), json.Valid(b); got != want {
			t.Fatalf("%q: got %v, encoding/json says %v", b, got, want)
		}
	})
}

func FuzzQuoting(f *testing.F) {
	for _, s := range []string{"", "a\"\\\n", "\u2028\U0001F600", "\xff\xc3("} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkQuoting(t, s) })
}

func FuzzRequest(f *testing.F) {
	addCorpus(f, "requests")
	for _, c := range refusals {
		if len(c.body) < 1<<10 {
			f.Add([]byte(c.body))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before := string(body)
		r, err := ReadRequest(body)
		if err != nil {
			if !reflect.TypeOf(err).AssignableTo(reflect.TypeFor[*Error]()) || r != nil {
				t.Fatalf("got %v, %T", r, err)
			}
			return
		}
		if !json.Valid(body) {
			t.Fatalf("%q was taken", body)
		}
		r.Messages()
		r.LastUserText()
		r.JSONMode()
		r.ForcedTool()
		r.MaxTokens()
		if got := r.Body(); string(got) != before {
			t.Fatalf("unedited, %q became %q", before, got)
		}
		inserted, err := ReadRequest(body)
		if err != nil {
			t.Fatal(err)
		}
		insertTurns(inserted)
		if !bytes.Contains(body, []byte(quotedTurns)) && withoutTurns(t, inserted.Body()) != before {
			t.Fatalf("with messages, %q became %q", before, inserted.Body())
		}
		insertTurns(r)
		everything(r)
		got := r.Body()
		if string(body) != before {
			t.Fatalf("the client's bytes were changed: %q became %q", before, body)
		}
		checkEdited(t, body, got)
	})
}

// checkEdited asserts what holds for a request after everything was done to it.
func checkEdited(t *testing.T, body, got []byte) {
	again, err := ReadRequest(got)
	if err != nil {
		t.Fatalf("%q became %q, which is refused: %v", body, got, err)
	}
	if again.Model() != "gpt" || !again.Has("temperature") || !reflect.DeepEqual(again.Extensions(), Extensions{}) {
		t.Fatalf("%q became %q", body, got)
	}
	var was, is object
	if json.Unmarshal(body, &was) != nil || json.Unmarshal(got, &is) != nil {
		return // numbers beyond float64
	}
	for key, value := range was {
		switch key {
		case "model", "messages", "citation_options", "retrieval_options", "metadata_filter", "debug_options":
			continue
		}
		if !reflect.DeepEqual(is[key], value) {
			t.Fatalf("%q of %q became %v in %q", key, body, is[key], got)
		}
	}
	first, err := ReadRequest(body)
	if err != nil {
		t.Fatal(err)
	}
	if added := len(again.messages) - len(first.messages); added != 2 && added != 3 { // a system message, too
		t.Fatalf("%d messages were added in %q", added, got)
	}
	if !strings.Contains(again.Messages()[0].Text+textOf(again, "system")+textOf(again, "developer"), "C") {
		t.Fatalf("the context is not in %q", got)
	}
}

// textOf is the text of all messages of a role.
func textOf(r *Request, role string) string {
	var b strings.Builder
	for _, m := range r.Messages() {
		if m.Role == role {
			b.WriteString(m.Text)
		}
	}
	return b.String()
}

func FuzzSplice(f *testing.F) {
	addCorpus(f, "responses")
	addCorpus(f, "streams")
	f.Fuzz(func(t *testing.T, body []byte) {
		const member = `"footnote \u2028 test":[{"}":"{"}]`
		got := Splice(nil, body, Member{"footnote \u2028 test", []byte(`[{"}":"{"}]`)})
		trimmed := bytes.TrimSpace(body)
		if !json.Valid(body) || trimmed[0] != '{' {
			if !bytes.Equal(got, body) {
				t.Fatalf("%q is no object, yet became %q", body, got)
			}
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%q became %q", body, got)
		}
		restored := got
		if i := bytes.LastIndex(got, []byte(member)); i >= 0 {
			start := i
			if got[i-1] == ',' {
				start--
			}
			restored = append(append([]byte(nil), got[:start]...), got[i+len(member):]...)
		}
		if !bytes.Equal(restored, body) && !bytes.Contains(got, []byte("upstream_footnote")) {
			t.Fatalf("%q became %q, and without the member %q", body, got, restored)
		}
		checkAnnotated(t, body)
	})
}

// checkAnnotated asserts that annotations leave an answer as it says.
func checkAnnotated(t *testing.T, body []byte) {
	for _, delta := range []bool{false, true} {
		got := AddAnnotations(body, 0, []byte(`[{"mark":1}]`), delta)
		if !json.Valid(got) {
			t.Fatalf("%q became %q", body, got)
		}
		before, err1 := ReadResponse(body)
		after, err2 := ReadResponse(got)
		if (err1 == nil) != (err2 == nil) || err1 == nil && !reflect.DeepEqual(before.Choices(), after.Choices()) {
			t.Fatalf("%q became %q", body, got)
		}
	}
}

func FuzzFrame(f *testing.F) {
	addCorpus(f, "streams")
	f.Add([]byte(`{"error":{"message":"x"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c Frame
		err := ScanFrame(data, &c)
		object := len(bytes.TrimLeft(data, " \t\r\n")) > 0 && bytes.TrimLeft(data, " \t\r\n")[0] == '{'
		if (err == nil) != (json.Valid(data) && object) {
			t.Fatalf("%q: got %v", data, err)
		}
		if message, _, _, _, ok := ErrorObject(data); ok && err == nil && !c.Error && !c.HasChoices && message == "" {
			t.Fatalf("%q: an error without a message that no frame reports", data)
		}
		if err != nil {
			return
		}
		collector := NewCollector()
		if err := collector.Add(data); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		collector.Finish()
		answer, err := collector.JSON()
		if err != nil {
			return
		}
		r, err := ReadResponse(answer)
		if err != nil {
			t.Fatalf("%q was collected to %q", data, answer)
		}
		stream, err := StreamFromJSON(answer, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, frame := range stream {
			if err := ScanFrame(frame, &c); err != nil {
				t.Fatalf("%q became the frame %q", answer, frame)
			}
		}
		_ = r.Choices() // must not panic on what was collected
	})
}

// An answer that is read in one pass says what its members say one by one.
func FuzzResponse(f *testing.F) {
	addCorpus(f, "responses")
	f.Add([]byte(`{"usage":1,"choices":[],"choices":[{"index":7,"index":"x","message":{"content":"a","content":"b","tool_calls":[{}]}}],"usage":{"prompt_tokens":3}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := ReadResponse(body)
		top, ok := topObject(body)
		if ok != (json.Valid(body) && bytes.TrimSpace(body)[0] == '{') {
			t.Fatalf("%q: an object is %v", body, ok)
		}
		if !ok || err != nil {
			if list := find(body, top, "choices"); ok && !list.none() && len(readChoices(body, list, "message")) > 0 || !ok && err == nil {
				t.Fatalf("%q: %v", body, err)
			}
			return
		}
		usage, known := r.Usage()
		if want, has := UsageOf(body); usage != want || known != has {
			t.Fatalf("%q: %v and %v", body, usage, want)
		}
		for i, got := range r.Choices() {
			c := r.choices[i]
			want := Choice{Index: i, Text: contentText(body, find(body, find(body, c.at, "message"), "content"), "")}
			if n, ok := smallInt(find(body, c.at, "index").of(body)); ok {
				want.Index = n
			}
			message := find(body, c.at, "message")
			want.ToolCalls = isNonEmptyList(find(body, message, "tool_calls").of(body)) || isObject(find(body, message, "function_call").of(body))
			want.FinishReason, _ = findText(body, c.at, "finish_reason")
			if got != want {
				t.Fatalf("%q: %+v, want %+v", body, got, want)
			}
		}
	})
}

func FuzzErrors(f *testing.F) {
	for _, s := range []string{`{"error":{"message":"x","code":1}}`, `{"detail":[{"msg":"x"}]}`, "Internal Server Error", `[{"error":"x"}]`, `{"errors":["x"]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		message, typ, param, code, ok := ErrorObject(data)
		if !ok && message+typ+param+code != "" {
			t.Fatalf("%q: %q %q %q %q although there is no error", data, message, typ, param, code)
		}
		if len(data) < 1<<12 {
			Redact(message)
		}
	})
}
