package proxy_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"footnote/assistants"
	"footnote/proxy/links"
	"footnote/proxy/upstream/upstreamtest"
)

const (
	publicLinks = `{"enable_rag":true,"enable_citations":true,"citation_link_mode":"Public"}`
	citedAnswer = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"Revenue grew [1]."},"finish_reason":"stop"}]}`
)

func storedHits(t *testing.T) []assistants.Hit {
	t.Helper()
	raw, err := os.ReadFile("testdata/hits.json")
	if err != nil {
		t.Fatal(err)
	}
	return readHits(t, raw)
}

// What was found is asked for again when the answer goes out, and not before
// (S-25, S-101).
func TestADocumentThatIsDeletedWhileItsAnswerStreamsHasNoLink(t *testing.T) {
	for _, deletes := range []bool{false, true} {
		next := make(chan struct{})
		up := upstreamtest.New(t, upstreamtest.Stream().Then(upstreamtest.Event(textChunk), upstreamtest.Wait(next),
			upstreamtest.Event(stopChunk), upstreamtest.Event("[DONE]"), upstreamtest.EndStream()))
		var gone atomic.Bool
		f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(publicLinks)), hits: storedHits(t),
			deleted: func() []assistants.DocumentID {
				if gone.Load() {
					return []assistants.DocumentID{"doc_q3"}
				}
				return nil
			}})
		resp := f.open(chatRequest(t, streamRequest))
		r := bufio.NewReader(resp.Body)
		if line, err := r.ReadString('\n'); err != nil || line != "data: "+textChunk+"\n" {
			t.Fatal(line, err)
		}
		gone.Store(deletes)
		close(next)
		rest, err := io.ReadAll(r)
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(rest), `"available":false`) != deletes || strings.Contains(string(rest), `"download_url":"`+f.url+links.Path) == deletes {
			t.Errorf("deleted %v: %s", deletes, rest)
		}
		if body := string(up.Last().Body); strings.Contains(body, links.Path) || strings.Contains(body, f.url) {
			t.Errorf("a link is in the prompt: %s", body)
		}
	}
}

func TestAnswersSayThatLinksCannotBeMadeForAnUnknownHost(t *testing.T) {
	for _, mode := range []string{"None", "Authenticated", "Public"} {
		up := upstreamtest.New(t, upstreamtest.JSON(citedAnswer))
		f := newFixture(t, fixture{upstreamURL: up.URL(), hits: storedHits(t), settings: mergeSettings(t, []byte(strings.Replace(publicLinks, "Public", mode, 1)))})
		req, err := http.NewRequest("POST", f.url+"/v1/chat/completions", chatRequest(t, plainRequest).Body)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "somebody.example"
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+adminKey)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			t.Fatal(err)
		}
		answer := string(body)
		if strings.Contains(answer, "FOOTNOTE_PUBLIC_URL") != (mode != "None") || strings.Contains(answer, "download_url") ||
			strings.Contains(answer, "annotations") || strings.Contains(answer, "somebody.example") || !strings.Contains(answer, `"referenced_indices":[1]`) {
			t.Errorf("%s: %s", mode, answer)
		}
	}
}
