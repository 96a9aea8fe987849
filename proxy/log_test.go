package proxy_test

import (
	"log/slog"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

// What an upstream says may be what a user wrote. The client gets its words,
// the log only what kind of failure it was.
func TestTheLogDoesNotRepeatAnUpstreamsWords(t *testing.T) {
	const words = "cannot parse: private words of a user"
	report := `{"error":{"message":"` + words + `","param":"messages: ` + words + `","type":"server_error","code":"` + words + `"}}`
	for name, c := range map[string]struct {
		request string
		script  upstreamtest.Script
	}{
		"in a stream":         {streamRequest, upstreamtest.SSE(textChunk, report)},
		"first in a stream":   {streamRequest, upstreamtest.SSE(report)},
		"instead of JSON":     {plainRequest, upstreamtest.JSON(report)},
		"JSON for a stream":   {streamRequest, upstreamtest.JSON(report)},
		"in a stream of JSON": {plainRequest, upstreamtest.SSE(textChunk, report)},
		"with a status":       {plainRequest, upstreamtest.Status(500, report)},
	} {
		t.Run(name, func(t *testing.T) {
			log, before := &lockedLog{}, slog.Default()
			slog.SetDefault(slog.New(slog.NewTextHandler(log, nil))) // the log of failed requests
			t.Cleanup(func() { slog.SetDefault(before) })
			up := upstreamtest.New(t, c.script)
			f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, nil), log: log})
			_, body := f.send(chatRequest(t, c.request))
			if !strings.Contains(string(body), words) {
				t.Errorf("the client got %s", body)
			}
			if s := log.String(); strings.Contains(s, "private") {
				t.Error("the log says", s)
			} else if name != "with a status" && !strings.Contains(s, "upstream_error") {
				t.Error("the log does not say what it was:", s)
			}
		})
	}
}
