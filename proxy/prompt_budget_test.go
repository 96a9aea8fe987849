package proxy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/assistants/tokens"
	"footnote/citations"
	"footnote/proxy/upstream/upstreamtest"
)

// manyHits are passages that take 130 to 160 tokens of the prompt each, fence lines included.
func manyHits(n int) []assistants.Hit {
	hits := make([]assistants.Hit, n)
	for i := range hits {
		id := fmt.Sprint(i + 1)
		hits[i] = assistants.Hit{Score: 0.9, Document: assistants.Document{ID: assistants.DocumentID("doc_" + id), Name: "Report " + id + ".pdf"},
			Chunk: assistants.Chunk{ID: assistants.ChunkID("chunk_" + id), Text: strings.Repeat("Margins were stable, as the board had expected in spring. ", 5)}}
	}
	return hits
}

// sentPrompt is what the upstream was sent: its tokens, sources and worked turns.
func sentPrompt(t *testing.T, body []byte) (size, sources, worked int) {
	t.Helper()
	var sent struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	for _, m := range sent.Messages {
		size += tokens.Count(m.Content) + 4
		switch headers := strings.Count(m.Content, "] (Source: \""); {
		case m.Role == "system":
			sources += headers
		case headers > 0:
			worked++
		}
	}
	return size, sources, worked
}

func TestEveryPresetKeepsTheContextWindow(t *testing.T) {
	const total, answer = 8, 200
	up := upstreamtest.New(t, upstreamtest.JSON(oddAnswers[0]))
	f := newFixture(t, fixture{upstreamURL: up.URL(), hits: manyHits(total)})
	own := "Cite as told. " + strings.Repeat("Cite! ", 100) + "\n\n{sources}\n\nCite!"
	for _, prompt := range append(citations.Presets(), own) {
		whole, kept, examples := false, 0, 0
		for window := 1024; window <= 2048; window += 64 {
			patch, err := json.Marshal(map[string]any{"enable_rag": true, "enable_citations": true, "context_window": window, "max_tokens": answer, "citation_prompt": prompt})
			if err != nil {
				t.Fatal(err)
			}
			f.settings = mergeSettings(t, patch)
			f.settings.SystemPrompt = "Be brief."
			_, got := f.send(chatRequest(t, `{"model":"support","messages":[{"role":"user","content":"How stable were margins?"}]}`))
			size, sources, worked := sentPrompt(t, up.Last().Body)
			name := fmt.Sprintf("%.20q in %d tokens", prompt, window)
			if size > window-answer {
				t.Errorf("%s: the prompt has %d", name, size)
			}
			if sources < kept || sources < total && size < window-answer-180 {
				t.Errorf("%s: %d sources, %d before; the prompt has %d tokens", name, sources, kept, size)
			}
			dropped := fmt.Sprintf("%d of %d sources were left out", total-sources, total)
			if strings.Contains(string(got), dropped) != (sources < total) {
				t.Errorf("%s: %d sources and the answer %s", name, sources, got)
			}
			turns := prompt == citations.PresetWorked
			if strings.Contains(string(got), "The worked examples of the prompt were left out") != (turns && worked == 0) || worked > 0 && (worked != 3 || sources < total) {
				t.Errorf("%s: %d sources, %d worked turns and the answer %s", name, sources, worked, got)
			}
			kept, examples, whole = sources, worked, whole || sources < total
		}
		if !whole || kept != total || (examples == 3) != (prompt == citations.PresetWorked) {
			t.Errorf("%.20q: sources were dropped: %v; at the end %d sources and %d worked turns", prompt, whole, kept, examples)
		}
	}
}
