package proxy_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Under a storm of streams and JSON answers, many of them left half-way, each
// answer carries the nonce of its own question and of no other.
func TestAnswersAreNeverMixedUp(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(echoNonce))
	defer up.Close()
	f := newFixture(t, fixture{upstreamURL: up.URL + "/v1", settings: mergeSettings(t, []byte(`{"enable_rag":true,"enable_citations":true}`))})
	var workers sync.WaitGroup
	for w := range 40 {
		workers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 7))
			for i := range 25 {
				if err := askNonce(f.url, fmt.Sprintf("nonce-%d-%d-", w, i), r); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	workers.Wait()
}

// askNonce asks once; one time in four it leaves after the first bytes.
func askNonce(url, nonce string, r *rand.Rand) error {
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	body := fmt.Sprintf(`{"model":"support","stream":%v,"messages":[{"role":"user","content":%q}]}`, r.IntN(2) == 0, nonce)
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+adminKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	left := r.IntN(4) == 0
	if left {
		_, _ = io.ReadFull(resp.Body, make([]byte, 64)) // whatever has come
		leave()
		return nil
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		return fmt.Errorf("%s: %d %w", nonce, resp.StatusCode, err)
	}
	text := string(answer)
	if strings.Count(text, "nonce-") != strings.Count(text, nonce) || !strings.Contains(text, nonce) || !strings.Contains(text, `"citations":{`) {
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
		fmt.Fprintf(w, `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}]}`, nonce)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, content := range []string{nonce, nonce, nonce} {
		fmt.Fprintf(w, "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", content)
		w.(http.Flusher).Flush()
	}
	fmt.Fprint(w, "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}
