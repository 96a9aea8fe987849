package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy/upstream/upstreamtest"
)

func TestMediaTypesAndEncodingsThatAreNotReadAreRefused(t *testing.T) {
	c := newClients(t, fixture{})
	c.refuses(t, []badRequest{
		{"C-014 no Content-Type", post(chatPath, plainRequest, "-Content-Type"), 415, "unsupported_media_type", ""},
		{"C-014 empty Content-Type", post(chatPath, plainRequest, "Content-Type:"), 415, "unsupported_media_type", ""},
		{"C-014 text/plain", post(chatPath, plainRequest, "Content-Type: text/plain"), 415, "unsupported_media_type", ""},
		{"C-014 a form", post(chatPath, plainRequest, "Content-Type: application/x-www-form-urlencoded"), 415, "unsupported_media_type", ""},
		{"C-014 a multipart form", post(chatPath, plainRequest, "Content-Type: multipart/form-data; boundary=x"), 415, "unsupported_media_type", ""},
		{"C-014 charset=utf-16", post(chatPath, plainRequest, "Content-Type: application/json; charset=utf-16"), 415, "unsupported_media_type", ""},
		{"C-014 charset=latin1", post(chatPath, plainRequest, "Content-Type: application/json; charset=iso-8859-1"), 415, "unsupported_media_type", ""},
		{"C-014 JSON of another kind", post(chatPath, plainRequest, "Content-Type: application/ld+json"), 415, "unsupported_media_type", ""},
		{"C-014 no media type", post(chatPath, plainRequest, "Content-Type: application"), 415, "unsupported_media_type", ""},
		{"C-015 gzip", post(chatPath, "\x1f\x8b\x08\x00", "Content-Encoding: gzip"), 415, "unsupported_media_type", ""},
		{"C-015 deflate", post(chatPath, plainRequest, "Content-Encoding: deflate"), 415, "unsupported_media_type", ""},
		{"C-015 br and identity", post(chatPath, plainRequest, "Content-Encoding: identity, br"), 415, "unsupported_media_type", ""},
		{"C-015 an encoding of its own", post(chatPath, plainRequest, "Content-Encoding: x"), 415, "unsupported_media_type", ""},
	})
	c.accepts(t, []goodRequest{
		{"C-014 charset=UTF-8", post(chatPath, plainRequest, "Content-Type: application/json; charset=UTF-8"), ""},
		{"C-014 upper case", post(chatPath, plainRequest, `Content-Type: APPLICATION/JSON; charset="utf-8"`), ""},
		{"C-015 identity", post(chatPath, plainRequest, "Content-Encoding: identity"), ""},
		{"C-013 stream false, Accept of a stream", post(chatPath, plainRequest, "Accept: text/event-stream"), ""},
		{"C-013 Accept of nothing we have", post(chatPath, plainRequest, "Accept: image/png"), ""},
	})
}

func TestTheBodyAndNotTheAcceptHeaderDecidesAboutStreaming(t *testing.T) {
	c := newClients(t, fixture{}, upstreamtest.SSE(textChunk, stopChunk, "[DONE]"))
	a := c.exchange(t, post(chatPath, streamRequest, "Accept: application/json"))
	if a.Response == nil || a.Header.Get("Content-Type") != "text/event-stream" || string(a.body) != "data: "+textChunk+"\n\ndata: "+stopChunk+"\n\ndata: [DONE]\n\n" {
		t.Errorf("C-013: %+v", a)
	}
	c.settle(t)
}

func TestHeadersBeyondTheLimitAreRefused(t *testing.T) {
	c := newClients(t, fixture{})
	many := func(n int, header string) string { return strings.TrimSuffix(strings.Repeat(header+"\r\n", n), "\r\n") }
	c.refuses(t, []badRequest{
		{"C-026 64 KiB and one header", post(chatPath, plainRequest, "X-Long: "+strings.Repeat("x", 64<<10)), 431, "headers_too_large", ""},
		{"C-026 10,000 headers", post(chatPath, plainRequest, many(10_000, "X-Many: 1")), 431, "headers_too_large", ""},
		{"C-026 100,000 cookies", post(chatPath, plainRequest, "Cookie: "+strings.Repeat("a=b; ", 100_000)), 431, "headers_too_large", ""},
		{"C-026 a long path", post("/"+strings.Repeat("x", 70<<10), plainRequest), 431, "headers_too_large", ""},
		{"C-026 headers without an end", "GET /healthz HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("X-Many: 1\r\n", 20_000), 431, "headers_too_large", ""},
		{"C-026 NUL in a header", post(chatPath, plainRequest, "X-Nul: a\x00b"), 400, "invalid_value", ""},
		{"C-026 CR in a header", post(chatPath, plainRequest, "X-Cr: a\rb"), 400, "invalid_value", ""},
		{"C-026 LF in a header", post(chatPath, plainRequest, "X-Lf: a\nb"), 400, "invalid_value", ""},
		{"C-026 DEL in a name", post(chatPath, plainRequest, "X\x7f: a"), 400, "invalid_value", ""},
		{"C-026 a space before the colon", post(chatPath, plainRequest, "X-Space : a"), 400, "invalid_value", ""},
		{"C-026 an empty name", post(chatPath, plainRequest, ": a"), 400, "invalid_value", ""},
	})
	c.accepts(t, []goodRequest{
		{"C-026 60 KiB of headers", post(chatPath, plainRequest, "X-Long: "+strings.Repeat("x", 59<<10)), ""},
		{"C-026 1,000 headers", post(chatPath, plainRequest, many(1000, "X-Many: 1")), ""},
	})
}

// publicSettings let everybody ask the assistant.
const publicSettings = `{"public_access":true}`

func TestKeysThatAreNotGoodEnough(t *testing.T) {
	c := newClients(t, fixture{anonymous: 100})
	revoked := c.keys.add(func(k *assistants.Key) { k.RevokedAt = new(time.Now().Add(-time.Hour)) })
	expired := c.keys.add(func(k *assistants.Key) { k.ExpiresAt = new(time.Now().Add(-time.Hour)) })
	foreign := c.keys.add(func(k *assistants.Key) { k.TenantID = "tenant_other" })
	bound := c.keys.add(func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{"asst_other"} })
	search := c.keys.add(func(k *assistants.Key) { k.Scopes = []assistants.Scope{assistants.ScopeSearch} })
	unknown := strings.Repeat("a", 64)
	bearer := func(token string) string { return "Authorization: Bearer " + token }
	const bad, code = 401, "invalid_api_key"
	c.refuses(t, []badRequest{
		{"C-016 no key", post(chatPath, plainRequest, "-Authorization"), bad, code, ""},
		{"C-016 empty Authorization", post(chatPath, plainRequest, "Authorization:"), bad, code, ""},
		{"C-016 Bearer and nothing", post(chatPath, plainRequest, bearer("")), bad, code, ""},
		{"C-016 malformed key", post(chatPath, plainRequest, bearer("fn-x")), bad, code, ""},
		{"C-016 key in capitals", post(chatPath, plainRequest, bearer(strings.ToUpper(revoked))), bad, code, ""},
		{"C-016 unknown key", post(chatPath, plainRequest, bearer("fn-"+unknown)), bad, code, ""},
		{"C-016 revoked key", post(chatPath, plainRequest, bearer(revoked)), bad, code, ""},
		{"C-016 expired key", post(chatPath, plainRequest, bearer(expired)), bad, code, ""},
		{"C-016 a good prefix with a wrong secret", post(chatPath, plainRequest, bearer(wrongSecret(bound))), bad, code, ""},
		{"C-016 key of another service", post(chatPath, plainRequest, bearer("sk-proj-x")), bad, code, ""},
		{"C-016 Basic", post(chatPath, plainRequest, "Authorization: Basic YTpi"), bad, code, ""},
		{"C-016 the key without a scheme", post(chatPath, plainRequest, "Authorization: "+bound), bad, code, ""},
		{"C-016 50 KiB of key", post(chatPath, plainRequest, bearer("fn-"+strings.Repeat("a", 50<<10))), bad, code, ""},
		{"C-016 two Authorization headers", post(chatPath, plainRequest, "Authorization:+ Bearer "+bound), 400, "ambiguous_credentials", ""},
		{"C-016 api-key beside Authorization", post(chatPath, plainRequest, "api-key: "+bound), 400, "ambiguous_credentials", ""},
		{"C-016 api-key twice", post(chatPath, plainRequest, "-Authorization", "api-key: "+bound, "api-key:+ "+bound), 400, "ambiguous_credentials", ""},
		{"C-016 a key that may only search", post(chatPath, plainRequest, bearer(search)), 403, "permission_denied", ""},
		{"C-009 an assistant the key may not see", post(chatPath, plainRequest, bearer(bound)), 404, "model_not_found", "model"},
		{"C-009 another tenant's assistant", post(chatPath, plainRequest, bearer(foreign)), 404, "model_not_found", "model"},
		{"C-029 refused key, large body announced", post(chatPath, "", bearer(revoked), "Content-Length: 1000000", "Expect: 100-continue"), bad, code, ""},
		{"C-029 too large a body announced", post(chatPath, "", "Content-Length: 2000000", "Expect: 100-continue"), 413, "request_too_large", ""},
		{"C-029 wrong media type", post(chatPath, "", "Content-Type: text/plain", "Content-Length: 1000000", "Expect: 100-continue"), 415, "unsupported_media_type", ""},
		{"C-029 no key for an assistant in the path", post("/assistants/support"+chatPath, "", "-Authorization", "Content-Length: 1000000", "Expect: 100-continue"), bad, code, ""},
		{"C-029 no such assistant in the path", post("/assistants/nope"+chatPath, "", "Content-Length: 1000000", "Expect: 100-continue"), 404, "model_not_found", "model"},
		{"C-032 key in the query", post(chatPath+"?key=x", plainRequest), 400, "invalid_value", "key"},
		{"C-032 api_key in the query", post(chatPath+"?a=b&API_KEY="+bound, plainRequest), 400, "invalid_value", "api_key"},
	})
	c.accepts(t, []goodRequest{
		{"C-016 bearer in small letters", post(chatPath, plainRequest, "Authorization: bearer "+adminKey), ""},
		{"C-016 api-key", post(chatPath, plainRequest, "-Authorization", "api-key: "+adminKey), ""},
		{"C-016 the same key twice over", post(chatPath, plainRequest, "api-key: "+adminKey), ""},
	})
	c.wantNoSecret(t, "the log", c.log.String(), revoked, expired, foreign, bound, search, unknown)
}

// An answer does not reveal whether a key or an assistant exists.
func TestRefusalsOfTheSameKindSayTheSame(t *testing.T) {
	c := newClients(t, fixture{anonymous: 100})
	revoked := c.keys.add(func(k *assistants.Key) { k.RevokedAt = new(time.Now().Add(-time.Hour)) })
	bound := c.keys.add(func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{"asst_other"} })
	same := func(name string, requests ...string) {
		t.Helper()
		var first string
		for i, raw := range requests {
			a := c.exchange(t, raw)
			if got := strings.ReplaceAll(fmt.Sprint(a.StatusCode, string(a.body)), "nowhere", "support"); i == 0 {
				first = got
			} else if got != first {
				t.Errorf("%s: %s\nbut %s", name, got, first)
			}
		}
	}
	same("C-016 keys", post(chatPath, plainRequest, "-Authorization"), post(chatPath, plainRequest, "Authorization: Bearer "+revoked),
		post(chatPath, plainRequest, "Authorization: Bearer fn-x"), post(chatPath, plainRequest, "Authorization: Bearer fn-"+strings.Repeat("a", 64)))
	other := strings.Replace(plainRequest, `"model":"support"`, `"model":"nowhere"`, 1)
	same("C-009 models", post(chatPath, plainRequest, "Authorization: Bearer "+bound), post(chatPath, other, "Authorization: Bearer "+bound))
	same("C-009 assistants", post(chatPath, plainRequest, "Authorization: Bearer "+bound, "X-Footnote-Assistant: support"),
		post(chatPath, plainRequest, "Authorization: Bearer "+bound, "X-Footnote-Assistant: nowhere"))
	c.settle(t)
}

// C-029: a client that asks before it sends is refused before it sends.
func TestNoRefusedClientIsAskedForItsBody(t *testing.T) {
	c := newClients(t, fixture{})
	conn := c.dialAs(t)
	defer conn.Close()
	if _, err := io.WriteString(conn, post(chatPath, "", "Authorization: Bearer fn-x", "Content-Length: 1000000", "Expect: 100-continue")); err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(bufio.NewReader(conn))
	if err != nil || !strings.HasPrefix(string(raw), "HTTP/1.1 401 ") || strings.Contains(string(raw), "100 Continue") {
		t.Errorf("%q %v", raw, err)
	}
	_ = conn.Close()
	c.settle(t)
}

func TestAnonymousClientsAreLimitedByTheirAddress(t *testing.T) {
	c := newClients(t, fixture{settings: mergeSettings(t, []byte(publicSettings))})
	for range 5 { // the fixture's rate
		if a := c.exchange(t, post(chatPath, plainRequest, "-Authorization")); a.StatusCode != 200 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	c.refuses(t, []badRequest{
		{"C-030 over the rate", post(chatPath, plainRequest, "-Authorization"), 429, "rate_limit_exceeded", ""},
		{"C-030 with a key of another service", post(chatPath, plainRequest, "Authorization: Bearer sk-x"), 429, "rate_limit_exceeded", ""},
		{"C-034 X-Forwarded-For does not help", post(chatPath, plainRequest, "-Authorization", "X-Forwarded-For: 192.0.2.7", "X-Real-Ip: 192.0.2.7", "Forwarded: for=192.0.2.7"), 429, "rate_limit_exceeded", ""},
		{"C-030 before the body is sent", post(chatPath, "", "-Authorization", "Content-Length: 1000000", "Expect: 100-continue"), 429, "rate_limit_exceeded", ""},
	})
	a := c.exchange(t, post(chatPath, plainRequest, "-Authorization"))
	if after := a.Header.Get("Retry-After"); after == "" || strings.Trim(after, "0123456789") != "" || len(a.Header.Get("Retry-After-Ms")) < 4 {
		t.Errorf("Retry-After %q, Retry-After-Ms %q", after, a.Header.Get("Retry-After-Ms"))
	}
	c.accepts(t, []goodRequest{{"C-030 a key is not limited by it", post(chatPath, plainRequest), ""}})
}

// C-031: a chat is asked once, whatever its Idempotency-Key, which stays here:
// a transport that sees one sends a request again that may have been answered.
func TestAnIdempotencyKeyStaysHereAndRepeatsNothing(t *testing.T) {
	c := newClients(t, fixture{})
	for i, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		a := c.exchange(t, post(chatPath, plainRequest, name+": 1", "Cookie: a=b", "X-Forwarded-For: 192.0.2.7"))
		if a.StatusCode != 200 || c.up.Count() != i+1 {
			t.Errorf("%d, %d requests", a.StatusCode, c.up.Count())
		}
		for _, header := range []string{name, "Cookie", "X-Forwarded-For"} {
			if got := c.up.Last().Header.Get(header); got != "" {
				t.Errorf("the upstream got %s: %s", header, got)
			}
		}
	}
	c.up.Play(upstreamtest.Reset())
	c.wantError(t, c.exchange(t, post(chatPath, plainRequest, "Idempotency-Key: 1")), 502, "upstream_invalid_response", "")
	if c.up.Count() != 3 {
		t.Errorf("%d requests: one was repeated", c.up.Count()-2)
	}
	c.settle(t)
}

// wrongSecret is key but for its last character.
func wrongSecret(key string) string {
	last := "2"
	if strings.HasSuffix(key, last) {
		last = "3"
	}
	return key[:len(key)-1] + last
}
