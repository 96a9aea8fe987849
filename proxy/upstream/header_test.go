package upstream

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/proxy/upstream/upstreamtest"
)

// clientHeader is what a careless caller might hand over.
func clientHeader() http.Header {
	h := http.Header{}
	for _, name := range []string{
		"Authorization", "Api-Key", "X-Api-Key", "Cookie", "Idempotency-Key", "X-Idempotency-Key", "X-Forwarded-For",
		"X-Forwarded-Host", "X-Real-Ip", "Forwarded", "Host", "Connection", "Transfer-Encoding", "Accept-Encoding",
		"X-Portkey-Custom-Host", "X-Footnote-Assistant", "Origin", "Referer", "User-Agent", "Openai-Organization",
	} {
		h.Set(name, "canary")
	}
	h.Set("OpenAI-Beta", "assistants=v2")
	h.Set("traceparent", "00-1-2-01")
	return h
}

func TestHeadersToTheUpstreamAreExactlyThese(t *testing.T) {
	always := map[string]string{
		"Authorization": "Bearer sk-canary-0123456789", "Content-Type": "application/json", "Content-Length": "57",
		"Openai-Beta": "assistants=v2", "Traceparent": "00-1-2-01", "User-Agent": "footnote", "X-Team": "red",
	}
	for _, stream := range []bool{false, true} {
		want := maps.Clone(always)
		want["Accept"] = "application/json"
		if stream {
			want["Accept"], want["Accept-Encoding"] = "text/event-stream", "identity"
		}
		s := upstreamtest.New(t, upstreamtest.JSON(hello))
		h := client(t, s.URL(), func(c *HTTPConfig) { c.Headers = map[string]string{"x-team": "red"} })
		if _, _, err := ask(t, h, Call{Stream: stream, Header: clientHeader()}); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for name, v := range s.Last().Header {
			got[name] = strings.Join(v, ", ")
		}
		if !maps.Equal(got, want) {
			t.Errorf("stream %v:\n got %v\nwant %v", stream, got, want)
		}
		if s.Last().Host != s.Addr() {
			t.Error("Host:", s.Last().Host)
		}
	}
}

func TestKeysGoWhereTheServerWantsThem(t *testing.T) {
	for name, c := range map[string]struct {
		key        string
		azure      bool
		configured map[string]string
		want       http.Header
	}{
		"bearer":            {"k1", false, nil, http.Header{"Authorization": {"Bearer k1"}}},
		"azure":             {"k1", true, nil, http.Header{"Api-Key": {"k1"}}},
		"none":              {"", false, nil, http.Header{}},
		"configured scheme": {"k1", false, map[string]string{"authorization": "Basic x"}, http.Header{"Authorization": {"Basic x"}}},
	} {
		h, err := fixedHeader(c.key, c.azure, c.configured)
		h.Del("User-Agent")
		if err != nil || !maps.EqualFunc(h, c.want, slices.Equal) {
			t.Error(name, h, err)
		}
	}
}

func TestHeadersThatWouldBreakRequestsCannotBeConfigured(t *testing.T) {
	for name, value := range map[string]string{
		"Host": "h", "content-length": "1", "Transfer-Encoding": "chunked", "Idempotency-Key": "i", "Accept-Encoding": "gzip",
		"Bad Name": "v", "X-A": "canary\r\nX-B: y", "": "v",
	} {
		if _, err := fixedHeader("", false, map[string]string{name: value}); err == nil {
			t.Errorf("%q: %q is accepted", name, value)
		} else if strings.Contains(err.Error(), "canary") {
			t.Error("the error repeats the value:", err)
		}
	}
	for _, key := range []string{"canary\n", "canary key", "canary\x00"} {
		if _, err := fixedHeader(key, false, nil); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("key %q: %v", key, err)
		}
	}
}

func TestClientsSeeOnlyTheseHeaders(t *testing.T) {
	in := http.Header{
		"Content-Type": {"application/json; charset=utf-8"}, "Openai-Processing-Ms": {"12"},
		"X-Ratelimit-Remaining-Requests": {"9"}, "x-ratelimit-reset-tokens": {"6ms"}, "X-Ratelimit-": {"no"},
		"Set-Cookie": {"canary"}, "Openai-Organization": {"canary"}, "Server": {"canary"}, "X-Amz-Id": {"canary"},
		"X-Request-Id": {"canary"}, "Location": {"canary"}, "Www-Authenticate": {"canary"}, "Content-Length": {"9"},
		"Content-Encoding": {"gzip"}, "Connection": {"close"}, "Access-Control-Allow-Origin": {"*"},
	}
	got := slices.Sorted(maps.Keys(ClientHeaders(in)))
	want := []string{"Content-Type", "Openai-Processing-Ms", "X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Tokens"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRetryAfterInEachForm(t *testing.T) {
	const date = "Sat, 21 Nov 2026 14:00:00 GMT"
	for name, c := range map[string]struct{ after, ms, wantAfter, wantMs, wantRetry string }{
		"seconds":                {"2", "", "2", "2000", ""},
		"a fraction":             {"1.5", "", "2", "1500", ""},
		"milliseconds":           {"", "1200", "2", "1200", ""},
		"both stay as they came": {"7", "6500", "7", "6500", ""},
		"longer than SDKs wait":  {"600", "", "600", "600000", "false"},
		"a date":                 {"Sat, 21 Nov 2026 14:00:30 GMT", "", "30", "30000", ""},
		"a date that has passed": {"Sat, 21 Nov 2026 13:00:30 GMT", "", "0", "0", ""},
		"a date far away":        {"Tue, 24 Nov 2026 14:00:00 GMT", "", "259200", "259200000", "false"},
		"zero":                   {"0", "", "0", "0", ""},
		"none":                   {"", "", "", "", ""},
		"negative":               {"-5", "", "", "", ""},
		"infinite":               {"inf", "", "", "", ""},
		"not a number":           {"nan", "soon", "", "", ""},
		"hexadecimal":            {"0x10", "", "", "", ""},
		"a thousand years":       {"31536000000", "", "", "", ""},
		"one of two is a wait":   {"inf", "1500", "2", "1500", ""},
	} {
		in := http.Header{"Date": {date}}
		if c.after != "" {
			in.Set("Retry-After", c.after)
		}
		if c.ms != "" {
			in.Set("Retry-After-Ms", c.ms)
		}
		out := ClientHeaders(in)
		if out.Get("Retry-After") != c.wantAfter || out.Get("Retry-After-Ms") != c.wantMs || out.Get("X-Should-Retry") != c.wantRetry {
			t.Errorf("%s: got %v", name, out)
		}
	}
}

func FuzzRetryAfterIsAWaitOrNothing(f *testing.F) {
	for _, s := range []string{"2", "1.5", "..", "1e9", "-1", "inf", "Sat, 21 Nov 2026 14:00:30 GMT", "9999999999999999999999", "0", " 3 "} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, after, ms string) {
		in := http.Header{"Retry-After": {after}, "Retry-After-Ms": {ms}, "Date": {"Sat, 21 Nov 2026 14:00:00 GMT"}}
		out := ClientHeaders(in)
		if (out.Get("Retry-After") == "") != (out.Get("Retry-After-Ms") == "") {
			t.Fatalf("one form without the other: %v", out)
		}
		for _, name := range []string{"Retry-After", "Retry-After-Ms"} {
			v := out.Get(name)
			if v == "" {
				continue
			}
			wait, ok := parseWait(name, v, in)
			if !ok || wait < 0 || wait > maxWait+time.Second {
				t.Fatalf("%s: %q is passed on", name, v)
			}
		}
	})
}
