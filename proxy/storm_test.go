package proxy_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"footnote/assistants"
)

var storm = flag.Int("storm", 2000, "requests of TestAnswersAreNeverMixedUp; make nightly sends 100,000")

const stormWorkers = 200

// Under a storm of streams and JSON answers, many of them left at any moment,
// each answer carries the nonce of its own question, in the text and in its
// sources, and of no other.
func TestAnswersAreNeverMixedUp(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(echoNonce))
	defer up.Close()
	f := newFixture(t, fixture{
		upstreamURL: up.URL + "/v1", settings: mergeSettings(t, []byte(`{"enable_rag":true,"enable_citations":true}`)),
		hitsFor: func(question string) []assistants.Hit {
			return []assistants.Hit{{Score: 0.9, Document: assistants.Document{ID: "doc_1", Name: question + ".pdf"}, Chunk: assistants.Chunk{ID: "chunk_1", Text: "It is " + question + "."}}}
		},
	})
	transport := &http.Transport{MaxIdleConnsPerHost: stormWorkers}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var workers sync.WaitGroup
	for w := range stormWorkers {
		workers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 7))
			for i := range *storm / stormWorkers {
				if err := askNonce(client, f.url, fmt.Sprintf("nonce-%d-%d-", w, i), r); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	workers.Wait()
}

// askNonce asks once. One time in eight it leaves after some bytes of the
// answer, one time in eight at any moment, perhaps before it is sent.
func askNonce(client *http.Client, url, nonce string, r *rand.Rand) error {
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	body := fmt.Sprintf(`{"model":"support","stream":%v,"messages":[{"role":"user","content":%q}]}`, r.IntN(2) == 0, nonce)
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+adminKey)
	leaves := r.IntN(8)
	if leaves == 1 {
		go leave()
	}
	resp, err := client.Do(req)
	if err != nil {
		if leaves == 1 {
			return nil //nolint:nilerr // it left
		}
		return err
	}
	defer resp.Body.Close()
	if leaves == 0 {
		_, _ = io.ReadFull(resp.Body, make([]byte, r.IntN(600))) // whatever has come
		return nil
	}
	answer, err := io.ReadAll(resp.Body)
	text := string(answer)
	switch {
	case leaves == 1 && err != nil:
		return nil //nolint:nilerr // it left
	case err != nil || resp.StatusCode != 200:
		return fmt.Errorf("%s: %d %s %w", nonce, resp.StatusCode, text, err)
	case strings.Count(text, "nonce-") != strings.Count(text, nonce), !strings.Contains(text, nonce), !strings.Contains(text, `"excerpt":"It is `+nonce):
		return fmt.Errorf("%s got %s", nonce, text)
	}
	return nil
}

// echoNonce is a model server that answers with the nonce it was sent.
func echoNonce(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left
	}
	body := string(raw)
	nonce, _, _ := strings.Cut(body[strings.LastIndex(body, "nonce-"):], `"`)
	if !strings.Contains(body, `"stream":true`) {
		fmt.Fprintf(w, `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}]}`, nonce+" [1]")
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, content := range []string{nonce, " [1", "] ", nonce} {
		fmt.Fprintf(w, "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", content)
		w.(http.Flusher).Flush()
	}
	fmt.Fprint(w, "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}
