package main

import (
	"net/http"
	"strings"
	"testing"
)

// Answers by quotation choose by words where there is no embedder, and by meaning where
// there is one: whoever asks how to erase something is answered with how to remove it.
func TestAnswersByQuotationCompareMeaning(t *testing.T) {
	weights, data := packedModel(t), t.TempDir()
	const (
		byWords   = "The command ls shows a whole folder with everything in it [1]."
		byMeaning = "To remove a directory with all files beneath it, call unlink [1]."
	)
	cited := map[string]bool{"enable_rag": true, "enable_citations": true}
	answer := func() string {
		t.Helper()
		p := start(t, data, nil, "FOOTNOTE_UPSTREAM_URL=builtin:extractive")
		defer p.kill()
		if code := p.json(http.MethodPost, "/v1.0/assistants", map[string]any{"slug": "notes", "name": "Notes", "settings": cited}, nil); code != 201 && code != 409 {
			t.Fatal(code)
		}
		if doc, code := p.note("notes", "shell.txt", "The command ls shows a whole folder with everything in it. To remove a directory with all files beneath it, call unlink. Both take a path."); code != 202 && code != 200 {
			t.Fatal(code, doc)
		}
		p.documents("notes")
		var got struct {
			Choices []struct{ Message struct{ Content string } }
		}
		body := map[string]any{"model": "notes", "messages": []map[string]string{{"role": "user", "content": "Which call erases a whole folder with everything in it?"}}}
		if code := p.json(http.MethodPost, "/assistants/notes/v1/chat/completions", body, &got); code != 200 || len(got.Choices) != 1 {
			t.Fatal(code, got)
		}
		return got.Choices[0].Message.Content
	}
	if got := answer(); !strings.HasPrefix(got, byWords) {
		t.Errorf("without an embedder: %q", got)
	}
	if _, said, code := run(t, t.TempDir(), "model", "import", "--data-dir", data, weights); code != 0 {
		t.Fatal(said)
	}
	if got := answer(); !strings.HasPrefix(got, byMeaning) {
		t.Errorf("with one: %q", got)
	}
}
