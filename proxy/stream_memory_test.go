package proxy_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"footnote/assistants"
	"footnote/proxy/upstream"
)

var wantedEvents = regexp.MustCompile(`(\d+) times (\d+) bytes of (\d+)`)

// wordOf is the text of an event of a stream.
func wordOf(stream, event, size int) string {
	return strings.Repeat(fmt.Sprintf("<%d.%d>", stream, event), size/6+1)
}

// writeStream answers a question such as "3 times 20 bytes of 7" with three events of stream 7,
// now and then several in one write.
func writeStream(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var events, size, stream int
	_, _ = fmt.Sscanf(string(wantedEvents.Find(body)), "%d times %d bytes of %d", &events, &size, &stream)
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range events {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", wordOf(stream, i, size))
		if i%3 == 2 {
			_ = http.NewResponseController(w).Flush()
		}
	}
	_, _ = io.WriteString(w, "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

// Streams hand on the memory of their frames. Each client gets the bytes of its own stream,
// although others begin and end at the same time, and some clients leave.
func TestStreamsAtTheSameTimeKeepTheirBytes(t *testing.T) {
	model := httptest.NewServer(http.HandlerFunc(writeStream))
	t.Cleanup(model.Close)
	set, err := assistants.DefaultSettings().Merge([]byte(`{"enable_rag":false,"enable_citations":false}`))
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, fixture{
		settings: set, upstreamURL: model.URL + "/v1",
		configure: func(c *upstream.HTTPConfig) { c.Transport = upstream.NewTransport(0, 0) },
	})
	sizes := []int{5, 40, 300, 2000, 3400, 3600, 9000, 20000, 70000}
	var wg sync.WaitGroup
	for worker := range 32 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(23, uint64(worker)))
			for turn := range 8 {
				stream, size, events := 1000+worker*100+turn, sizes[random.IntN(len(sizes))], 1+random.IntN(25)
				leavesAfter := -1
				if random.IntN(6) == 0 {
					leavesAfter = random.IntN(events)
				}
				if err := f.readStream(stream, size, events, leavesAfter); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// readStream asks for a stream and checks its events. The client leaves after some, or not at
// all if that is below 0.
func (f *fixture) readStream(stream, size, events, leavesAfter int) error {
	question := fmt.Sprintf(`{"model":"support","stream":true,"messages":[{"role":"user","content":"%d times %d bytes of %d"}]}`, events, size, stream)
	req, err := http.NewRequest(http.MethodPost, f.url+"/v1/chat/completions", strings.NewReader(question))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+adminKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	at := 0
	for lines.Scan() && at != leavesAfter {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok || string(data) == "[DONE]" {
			continue
		}
		var frame struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal(data, &frame); err != nil {
			return fmt.Errorf("stream %d, event %d: %w", stream, at, err)
		}
		if want := wordOf(stream, at, size); at < events && frame.Choices[0].Delta.Content != want {
			return fmt.Errorf("stream %d, event %d: got %.40q, want %.40q", stream, at, frame.Choices[0].Delta.Content, want)
		}
		at++
	}
	if leavesAfter < 0 && at != events+1 {
		return fmt.Errorf("stream %d: %d events, want %d", stream, at, events+1)
	}
	return lines.Err()
}
