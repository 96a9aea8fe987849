package main

import (
	"encoding/json"
	"strings"
	"testing"

	"footnote/proxy/upstream/extractive"
)

// Where nothing was searched, the built-in answerer does not claim that it found
// nothing: it says that it only quotes documents, and what helps.
func TestTheBuiltInAnswererSaysWhyNothingWasSearched(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, nil)
	for slug, settings := range map[string]any{"off": map[string]any{}, "on": map[string]any{"enable_rag": true, "enable_citations": true}} {
		if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": slug, "slug": slug, "settings": settings}, nil); code != 201 {
			t.Fatal(slug, code)
		}
	}
	const question = `,"messages":[{"role":"user","content":"How much honey does a colony need?"}]}`
	for name, c := range map[string]struct{ request, want string }{
		"the assistant's retrieval is off": {`{"model":"off"` + question, extractive.NoRetrieval},
		"the request's retrieval is off":   {`{"model":"on","retrieval_options":{"enabled":false}` + question, extractive.NotWanted},
		"there is no text to search for":   {`{"model":"on","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}}]}]}`, extractive.NotWanted},
		"a search found nothing":           {`{"model":"on"` + question, extractive.Nothing},
	} {
		var got struct {
			Choices []struct{ Message struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(p.raw("/v1/chat/completions", c.request)), &got); err != nil || len(got.Choices) != 1 || got.Choices[0].Message.Content != c.want {
			t.Errorf("%s: %v %+v", name, err, got)
		}
	}
	stream := p.raw("/v1/chat/completions", `{"model":"off","stream":true`+question)
	if first := strings.Fields(extractive.NoRetrieval)[0]; !strings.Contains(stream, `"content":"`+first+`"`) || !strings.Contains(stream, "[DONE]") {
		t.Error(stream)
	}
}

// What a message's content may be is judged by who answers. The built-in answerer judges
// as OpenAI does, and counts messages as the client sent them.
func TestTheBuiltInAnswererRefusesContentThatIsNoText(t *testing.T) {
	p := start(t, t.TempDir(), []string{"--demo"}, "FOOTNOTE_PASSTHROUGH=true")
	for _, model := range []string{"handbook", "any"} {
		for _, content := range []string{`123`, `null`, `{"text":"x"}`} {
			var e struct {
				Error struct{ Type, Param string }
			}
			body := `{"model":"` + model + `","messages":[{"role":"user","content":"x"},{"role":"user","content":` + content + `}]}`
			if code := p.json("POST", "/v1/chat/completions", json.RawMessage(body), &e); code != 400 || e.Error.Type != "invalid_request_error" || e.Error.Param != "messages[1].content" {
				t.Errorf("%s, %s: %d %+v", model, content, code, e)
			}
		}
	}
}

// A question with a long text around it is answered by the documents that its beginning
// and its end find, and says that the rest was not searched for. The built-in answerer
// reads no prompt, so none is too long for it.
func TestALongQuestionSaysWhatOfItWasSearchedFor(t *testing.T) {
	p := startWithBees(t)
	const question = "How much honey does a colony need for the winter?"
	for name, c := range map[string]struct {
		text     string
		warnings int
	}{
		"short":          {question, 0},
		"8 KiB":          {question + strings.Repeat(" ", 8<<10-len(question)-1) + "?", 0},
		"8 KiB and more": {question + strings.Repeat(" ", 8<<10) + "?", 1},
		"1 MiB":          {question + strings.Repeat(" honey winter", 1<<20/13), 1},
	} {
		var got struct {
			Choices   []struct{ Message struct{ Content string } }
			Citations struct {
				Status   string
				Warnings []string
			}
		}
		code := p.json("POST", "/v1/chat/completions", map[string]any{"model": "bees", "messages": []map[string]string{{"role": "user", "content": c.text}}}, &got)
		if code != 200 || got.Citations.Status != "cited" || len(got.Citations.Warnings) != c.warnings || !strings.Contains(got.Choices[0].Message.Content, "20 kg") {
			t.Errorf("%s: %d %+v", name, code, got)
		}
		for _, warning := range got.Citations.Warnings {
			if !strings.Contains(warning, "8 KiB") {
				t.Errorf("%s: %s", name, warning)
			}
		}
	}
}
