package main

import (
	"os"
	"strings"
	"testing"
)

// TestAMovedDocumentAnswersWhereItIsNow asks two assistants before and after a
// document is moved, also when the server is killed behind the answer.
func TestAMovedDocumentAnswersWhereItIsNow(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, env ...string) {
		dir := t.TempDir()
		p := evalWorld(t, dir, "builtin:extractive", env...)
		var other struct {
			ID           string
			CollectionID string `json:"collection_id"`
		}
		settings := map[string]any{"enable_rag": true, "enable_citations": true, "upstream": "builtin:extractive"}
		if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": "other", "settings": settings}, &other); status != 201 {
			t.Fatal(status)
		}
		cites := func(assistant string) bool {
			t.Helper()
			var answer struct {
				Citations struct {
					Status  string
					Sources []struct {
						Name string `json:"document_name"`
					}
				}
			}
			if status := p.json("POST", "/v1/chat/completions", map[string]any{
				"model": assistant, "messages": []any{map[string]string{"role": "user", "content": "When does wax melt?"}},
			}, &answer); status != 200 {
				t.Fatal(status)
			}
			return answer.Citations.Status == "cited" && answer.Citations.Sources[0].Name == "bees.md"
		}
		if !cites("things") || cites("other") {
			t.Fatal("before it is moved, its assistant does not cite the document alone")
		}
		docs := p.documents("things")
		var moved struct {
			CollectionID string `json:"collection_id"`
		}
		eventually(t, "nothing is left to do", func() bool {
			var status struct{ Jobs int }
			return p.json("GET", "/v1.0/status", nil, &status) == 200 && status.Jobs == 0
		})
		if status := p.json("POST", "/v1.0/documents/"+docs[0].ID+"/move", map[string]any{"collection_id": other.CollectionID}, &moved); status != 200 || moved.CollectionID != other.CollectionID {
			t.Fatalf("%d %+v", status, moved)
		}
		if cites("things") {
			t.Error("its old assistant still cites the document")
		}
		p.kill()
		p = start(t, dir, nil, env...)
		eventually(t, "its new assistant cites the document", func() bool { return cites("other") })
		if cites("things") {
			t.Error("its old assistant cites the document again")
		}
		if strings.Contains(p.stderr.String(), "security:") {
			t.Errorf("an alarm: %s", p.stderr)
		}
		p.stop(os.Interrupt)
		if out, stderr, code := runIn(t, t.TempDir(), env, "check", "--data-dir", dir, "--deep"); code != 0 {
			t.Errorf("check: %d %s %s", code, out, stderr)
		}
	})
}
