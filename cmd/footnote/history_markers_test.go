package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What markers leave of an earlier answer, as the model server is sent it: nothing of them, and
// no other byte is written anew. With keep the answer stays as it was.
func TestMarkersOfEarlierAnswersLeaveNoDebris(t *testing.T) {
	bodies := make(chan []byte, 1)
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost {
			http.Error(w, "no question", http.StatusNotFound)
			return
		}
		bodies <- body
		answer := speech{Says: "Yes.", How: "whole", N: 1}
		if bytes.Contains(body, []byte(`"stream":true`)) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, err = io.WriteString(w, strings.Join(answer.events(), "\n\n")+"\n\n")
		} else {
			w.Header().Set("Content-Type", "application/json")
			_, err = io.WriteString(w, answer.whole())
		}
		if err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(up.Close)
	p := start(t, t.TempDir(), nil, "FOOTNOTE_UPSTREAM_URL="+up.URL+"/v1", "FOOTNOTE_UPSTREAM_MODEL=m")
	for _, mode := range []string{"strip", "keep"} {
		settings := map[string]any{"enable_rag": true, "enable_citations": true, "history_markers": mode}
		if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": mode, "settings": settings}, nil); status != http.StatusCreated {
			t.Fatal(status)
		}
		for said, left := range map[string]string{
			`Revenue gr\u0065w [1]. A\/B\u00e9 [2].`:             `Revenue gr\u0065w. A\/B\u00e9.`,
			`Revenue grew [1] and [2].`:                          `Revenue grew.`,
			`Revenue grew [1] and [2] costs fell.`:               `Revenue grew and costs fell.`,
			`1999. [1]`:                                          `1999.`,
			`Revenue grew **[1]**.`:                              `Revenue grew.`,
			`Revenue grew (see [1]–[3]), costs fell, cf. [2].`:   `Revenue grew, costs fell.`,
			`Revenue gr\u0065w \"[1]\" .\n- [2]\n- A\/B`:         `Revenue gr\u0065w.\n- A\/B`,
			`Revenue grew ( [Source 1, p. 12] ).`:                `Revenue grew.`,
			`Revenue grew <sup>[1]</sup>.`:                       `Revenue grew.`,
			`Revenue grew [citation:1], costs fell`:              `Revenue grew, costs fell`,
			`Revenue grew ([1], [2]).`:                           `Revenue grew.`,
			`It costs $ab and a[1] is code in ` + "`a[1]`":       `It costs $ab and a is code in ` + "`a[1]`",
			`No marker: [x], (1).\n\n[1]: https://e.test/report`: `No marker: [x], (1).\n\n[1]: https://e.test/report`,
		} {
			if mode == "keep" {
				left = said
			}
			for _, stream := range []bool{false, true} {
				body := fmt.Sprintf(`{"model":%q,"stream":%v,"messages":[{"role":"user","content":"And?"},{"role":"assistant","content":"%s"},{"role":"user","content":"Sure?"}]}`, mode, stream, said)
				if status := p.request("POST", "/v1/chat/completions", "application/json", bytes.NewReader([]byte(body)), nil); status != http.StatusOK {
					t.Fatal(status)
				}
				if sent := <-bodies; !bytes.Contains(sent, []byte(`"content":"`+left+`"`)) {
					t.Errorf("%s, stream %v: of %s the model server was sent %s", mode, stream, said, sent)
				}
			}
		}
	}
}
