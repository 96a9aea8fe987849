package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// silentWays are the ways of each client that a silence is tried with.
var silentWays = map[string][]string{
	"openai-node":     {"stream", "helper"},
	"openai-python":   {"stream", "helper", "async_stream"},
	"openai-python 2": {"stream", "helper", "async_stream"},
	"openai-go":       {"stream"},
	"go-openai":       {"stream"},
}

// TestNoClientIsConfusedByASilence has the model server say nothing in
// mid-stream until Footnote has sent comments to keep the connections alive: no
// client takes them for anything, and all show what follows.
func TestNoClientIsConfusedByASilence(t *testing.T) {
	w := startWorld(t)
	streams := 0
	for _, ways := range chosen(silentWays) {
		streams += 2 * len(ways)
	}
	prepared := map[string]suites{}
	for name, k := range chosen(clients) {
		prepared[name] = k.prepare(t, w)
	}
	var (
		running sync.WaitGroup
		mu      sync.Mutex
		got     = map[string]map[string]shown{}
	)
	for name, run := range prepared {
		running.Go(func() {
			results := run("silence")
			mu.Lock()
			defer mu.Unlock()
			got[name] = results
		})
	}
	speak := sync.OnceFunc(func() { close(w.upstream.speak) })
	defer running.Wait()
	defer speak() // also when the next line gives up
	w.waitForKeepAlive(streams)
	speak()
	running.Wait()
	for name, ways := range chosen(silentWays) {
		for _, way := range ways {
			t.Run(name+"/"+way, func(t *testing.T) {
				s := got[name]["silence/"+way]
				if s.Error != nil || s.text() != answerText || len(s.Choices) != 1 || s.Choices[0].FinishReason != "stop" {
					t.Errorf("the client shows %+v, error %+v", s, s.Error)
				}
				want := crashed
				want.Class, want.Status = clients[name].errors.broken, 0
				if name == "go-openai" {
					// It puts every line that is no data before the error that it decodes.
					want = shownError{Class: "other", Message: "unexpected end of JSON input"}
				}
				e := got[name]["silence_error/"+way].Error
				if e != nil {
					want.RequestID = e.RequestID // that only some know of a stream
				}
				if e == nil || *e != want {
					t.Errorf("after a silence the client shows the error %+v, want %+v", e, want)
				}
			})
		}
	}
}

// waitForKeepAlive waits until so many streams are silent, then for a comment
// on a stream that began after all of them.
func (w *world) waitForKeepAlive(streams int) {
	silent := func() bool {
		w.upstream.mu.Lock()
		defer w.upstream.mu.Unlock()
		return w.upstream.silent == streams
	}
	poll(w.t, "every stream is silent", silent)
	body, err := json.Marshal(map[string]any{
		"model": "silence/plain HTTP/stream", "stream": true, "messages": []map[string]string{{"role": "user", "content": asks}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.base+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.chatKey)
	req.Header.Set("Content-Type", "application/json")
	resp, err := httpClient(w.t).Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // left in the middle of it
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), ": keep-alive") {
			return
		}
	}
	w.t.Fatalf("no comment was sent: %v", lines.Err())
}
