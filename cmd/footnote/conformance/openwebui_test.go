package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestOpenWebUIShowsTheDocumentOfEachMarker replays what Open WebUI sends, and does
// with the answer what it was seen to do in a browser: it lists each distinct link of
// the annotations of a stream by its title, and shows [n] as the n-th of them.
func TestOpenWebUIShowsTheDocumentOfEachMarker(t *testing.T) {
	w := startAssistants(t, map[string]map[string]any{
		"native": {"citation_renumber": true}, "openai": {"citation_format": "openai", "citation_renumber": true}, "kept": {},
	})
	requests := openWebUIRequests(t)
	for name, want := range map[string]string{
		"native": "Leeds has holidays of its own (offices.md).",
		"openai": "Leeds has holidays of its own (offices.md).",
		"kept":   "Leeds has holidays of its own .", // [2], but there is one link: what the settings warn of
	} {
		for _, task := range []string{"title", "follow_ups", "tags"} {
			if code := w.post("/assistants/"+name+"/v1/chat/completions", asModel(requests[task], "second/Open WebUI/"+task), nil); code != http.StatusOK {
				t.Errorf("%s of %s: %d", task, name, code)
			}
		}
		text, links := w.openWebUIStream(name, asModel(requests["chat"], "second/Open WebUI/chat"))
		if shown := chips(text, links); shown != want {
			t.Errorf("%s: Open WebUI shows %q, want %q; the text is %q with %v", name, shown, want, text, links)
		}
	}
}

func openWebUIRequests(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "openwebui.json"))
	if err != nil {
		t.Fatal(err)
	}
	var requests map[string]json.RawMessage
	if err := json.Unmarshal(raw, &requests); err != nil {
		t.Fatal(err)
	}
	return requests
}

func asModel(request json.RawMessage, model string) json.RawMessage {
	return bytes.Replace(request, []byte(`"model": "M"`), []byte(`"model": `+strconv.Quote(model)), 1)
}

// openWebUIStream returns the text of a stream, and the distinct links of its
// annotations.
func (w *world) openWebUIStream(assistant string, request json.RawMessage) (text string, links []link) {
	w.t.Helper()
	req, err := http.NewRequest(http.MethodPost, w.assistantURL(assistant)+"/chat/completions", bytes.NewReader(request))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + w.chatKey}, "Content-Type": {"application/json"}, "Accept": {"*/*"},
		"Accept-Encoding": {"gzip, deflate, br"}, "User-Agent": {"Python/3.11 aiohttp/3.14.5"}}
	resp, err := httpClient(w.t).Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	seen := map[string]bool{}
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content     string
					Annotations []struct {
						URLCitation link `json:"url_citation"`
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			w.t.Fatalf("%s: %v", data, err)
		}
		for _, c := range chunk.Choices {
			text += c.Delta.Content
			for _, a := range c.Delta.Annotations {
				if !seen[a.URLCitation.URL] {
					seen[a.URLCitation.URL] = true
					links = append(links, a.URLCitation)
				}
			}
		}
	}
	if err := lines.Err(); err != nil {
		w.t.Fatal(err)
	}
	return text, links
}

var marker = regexp.MustCompile(`\[(\d+)\]`)

// chips replaces each [n] of a text by the title of the n-th link, or by nothing.
func chips(text string, links []link) string {
	return marker.ReplaceAllStringFunc(text, func(m string) string {
		n, err := strconv.Atoi(m[1 : len(m)-1])
		if err != nil || n < 1 || n > len(links) {
			return ""
		}
		return "(" + links[n-1].Title + ")"
	})
}
