package proxy_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"footnote/proxy/upstream"
	"footnote/proxy/upstream/upstreamtest"
)

// The end of a body often comes in a packet of its own, behind [DONE]. It is
// waited for, though not by the client: the next stream finds the connection.
func TestStreamsInTurnUseOneConnection(t *testing.T) {
	for name, ask := range map[string]string{"stream": streamRequest, "collected": plainRequest} {
		t.Run(name, func(t *testing.T) {
			const streams = 10
			end := make(chan struct{}, streams)
			up := upstreamtest.New(t, upstreamtest.Stream().Then(
				upstreamtest.Event(textChunk), upstreamtest.Event(stopChunk), upstreamtest.Event("[DONE]"), upstreamtest.Wait(end), upstreamtest.EndStream()))
			f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, nil), configure: func(c *upstream.HTTPConfig) {
				c.Transport = upstream.NewTransport(0, 0)
				c.Transport.MaxConnsPerHost = 1 // the next call waits for the end of the one before
				c.Timeouts = upstream.Timeouts{Queue: long, Tail: long}
			}})
			for i := range streams {
				if resp, body := f.send(chatRequest(t, ask)); resp.StatusCode != 200 {
					t.Fatalf("stream %d: %d %s", i, resp.StatusCode, body)
				}
				end <- struct{}{} // the client has its whole answer by now
			}
			if up.Count() != streams || up.Accepted() != 1 {
				t.Errorf("%d connections for %d streams", up.Accepted(), up.Count())
			}
		})
	}
}

// On HTTP/2 nothing but the stream is at stake: it ends, and is not reset.
func TestAStreamOfHTTP2EndsWithoutAReset(t *testing.T) {
	goOn, left := make(chan struct{}), make(chan error, 1)
	far := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // what was asked is no matter
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: "+textChunk+"\n\ndata: "+stopChunk+"\n\ndata: [DONE]\n\n")
		_ = http.NewResponseController(w).Flush() // the client tells
		<-goOn
		left <- r.Context().Err()
	}))
	far.EnableHTTP2 = true
	far.StartTLS()
	t.Cleanup(far.Close)
	f := newFixture(t, fixture{upstreamURL: far.URL + "/v1", settings: mergeSettings(t, nil), configure: func(c *upstream.HTTPConfig) {
		c.Transport = upstream.NewTransport(0, 0)
		c.Transport.TLSClientConfig = far.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		c.Transport.TLSClientConfig.NextProtos = nil
		c.Timeouts.Tail = long
	}})
	if resp, body := f.send(chatRequest(t, streamRequest)); resp.StatusCode != 200 {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	close(goOn)
	if err := <-left; err != nil {
		t.Error("the stream was given up:", err)
	}
}

// What does not end behind [DONE] is given up soon.
func TestUpstreamFaultsStreamsThatNeverEnd(t *testing.T) {
	script := sends(says("x"), stops(), "[DONE]")
	playFaults(t, []fault{
		{id: "silent behind [DONE]", script: script.Then(upstreamtest.Hangs()), ask: asStream, want: streams(says("x"), stops())},
		{id: "comments behind [DONE]", script: script.Then(upstreamtest.Repeat(1<<30, "9\r\n: alive\n\n\r\n")), ask: asStream, want: streams(says("x"), stops())},
		{id: "a tail without end behind [DONE]", script: script.Then(upstreamtest.Chunk(says(string(make([]byte, 1<<20)))), upstreamtest.Hangs()), ask: asStream, want: streams(says("x"), stops())},
	})
}
