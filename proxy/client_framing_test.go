package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
)

// chunked is a body in chunks of one size.
func chunked(body string, size int) string {
	var b strings.Builder
	for len(body) > 0 {
		n := min(size, len(body))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return b.String() + "0\r\n\r\n"
}

// postRaw is a chat request whose body is framed by its headers alone.
func postRaw(body string, headers ...string) string {
	raw := post(chatPath, "", append([]string{"-Content-Length"}, headers...)...)
	return raw + body
}

func TestBodiesBeyondTheLimitAreRefusedAndTheConnectionIsClosed(t *testing.T) {
	c := newClients(t, fixture{})
	large := strings.Repeat(" ", 1<<20) + plainRequest
	c.refuses(t, []badRequest{
		{"C-006 beyond the limit", post(chatPath, large), 413, "request_too_large", ""},
		{"C-006 chunks beyond the limit", postRaw(chunked(large, 64<<10), "Transfer-Encoding: chunked"), 413, "request_too_large", ""},
		{"C-006 endless chunks", postRaw(chunked(strings.Repeat(" ", 4<<20), 1000), "Transfer-Encoding: chunked"), 413, "request_too_large", ""},
		{"C-006 a length beyond all", postRaw("{", "Content-Length: 9223372036854775807"), 413, "request_too_large", ""},
	})
	for _, raw := range []string{post(chatPath, large), postRaw(chunked(large, 64<<10), "Transfer-Encoding: chunked")} {
		if a := c.exchange(t, raw); !a.Close {
			t.Error("C-006: the connection is kept")
		}
	}
}

// C-006: what lies behind a body that is longer than it said is no request.
func TestALengthThatIsTooSmallEndsTheConnection(t *testing.T) {
	c := newClients(t, fixture{})
	conn := c.dialAs(t)
	defer conn.Close()
	if _, err := io.WriteString(conn, post(chatPath, plainRequest+"\r\n\r\n", "Content-Length: 10")); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	c.wantError(t, readReply(t, in, "POST"), 400, "invalid_json", "")
	c.wantError(t, readReply(t, in, "POST"), 400, "invalid_value", "")
	if rest, err := io.ReadAll(in); len(rest) > 0 || err != nil && !isReset(err) {
		t.Errorf("behind the refusals: %q %v", rest, err)
	}
	_ = conn.Close()
	c.settle(t)
	if c.up.Count() != 0 {
		t.Error("something reached the upstream")
	}
}

// C-028, S-76: what two readers could take for different requests is answered
// with 400, or its connection takes nothing after it.
func TestRequestsThatCouldBeReadInTwoWays(t *testing.T) {
	c := newClients(t, fixture{})
	smuggled := "GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + adminKey + "\r\n\r\n"
	const bad, code = 400, "invalid_value"
	c.refuses(t, []badRequest{
		{"C-028 two lengths", post(chatPath, plainRequest, "Content-Length:+ 5"), bad, code, ""},
		{"C-028 a list of lengths", postRaw(plainRequest, "Content-Length: 5, 6"), bad, code, ""},
		{"C-028 negative length", postRaw(plainRequest, "Content-Length: -1"), bad, code, ""},
		{"C-028 length with a plus", postRaw(plainRequest, "Content-Length: +5"), bad, code, ""},
		{"C-028 length in hexadecimal", postRaw(plainRequest, "Content-Length: 0x5"), bad, code, ""},
		{"C-028 length of nothing", postRaw(plainRequest, "Content-Length:"), bad, code, ""},
		{"C-028 length beyond 64 bits", postRaw(plainRequest, "Content-Length: 99999999999999999999"), bad, code, ""},
		{"C-028 xchunked", postRaw(chunked(plainRequest, 9), "Transfer-Encoding: xchunked"), bad, code, ""},
		{"C-028 chunked twice", postRaw(chunked(plainRequest, 9), "Transfer-Encoding: chunked, chunked"), bad, code, ""},
		{"C-028 gzip, chunked", postRaw(chunked(plainRequest, 9), "Transfer-Encoding: gzip, chunked"), bad, code, ""},
		{"C-028 identity and chunked", postRaw(chunked(plainRequest, 9), "Transfer-Encoding: identity", "Transfer-Encoding:+ chunked"), bad, code, ""},
		{"C-028 chunked behind a vertical tab", postRaw(chunked(plainRequest, 9), "Transfer-Encoding: \x0bchunked"), bad, code, ""},
		{"C-028 a space before the colon", postRaw(chunked(plainRequest, 9), "Transfer-Encoding : chunked"), bad, code, ""},
		{"C-028 folded first header", "POST " + chatPath + " HTTP/1.1\r\n X: y\r\nHost: x\r\n\r\n", bad, code, ""},
		{"C-028 no colon", "POST " + chatPath + " HTTP/1.1\r\nHost: x\r\nnothing\r\n\r\n", bad, code, ""},
		{"C-028 no Host", "POST " + chatPath + " HTTP/1.1\r\n\r\n", bad, code, ""},
		{"C-028 two Hosts", "GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", bad, code, ""},
		{"C-028 a Host with a space", "GET /healthz HTTP/1.1\r\nHost: x y\r\n\r\n", bad, code, ""},
		{"C-028 a size that is none", postRaw("x\r\n"+plainRequest+"\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), 400, "invalid_json", ""},
		{"C-028 a negative size", postRaw("-1\r\n"+plainRequest+"\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), 400, "invalid_json", ""},
		{"C-028 a size beyond 64 bits", postRaw("fffffffffffffffff\r\n"+plainRequest+"\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), 400, "invalid_json", ""},
		{"C-028 a chunk longer than its size", postRaw("5\r\n"+plainRequest+"\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), 400, "invalid_json", ""},
		{"C-028 a size that ends in LF alone", postRaw(fmt.Sprintf("%x\n%s\r\n0\r\n\r\n", len(plainRequest), plainRequest), "Transfer-Encoding: chunked"), 400, "invalid_json", ""},
		{"C-028 1 MB of chunk extension", postRaw("1;"+strings.Repeat("x", 1<<20)+"\r\n{\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), 400, "invalid_json", ""},
		{"C-028 extensions that outweigh the body", postRaw(strings.Repeat("1;"+strings.Repeat("x", 4000)+"\r\n \r\n", 100)+"0\r\n\r\n", "Transfer-Encoding: chunked"), 400, "invalid_json", ""},
	})
	c.accepts(t, []goodRequest{
		{"C-028 the same length twice", post(chatPath, plainRequest, fmt.Sprintf("Content-Length:+ %d", len(plainRequest))), ""},
		// net/http drops the length and reads the chunks, as RFC 9112 6.1 allows; the connection takes nothing more.
		{"C-028 a length beside chunks", postRaw(chunked(plainRequest, 9)+smuggled, "Content-Length: 3", "Transfer-Encoding: chunked"), upstreamBody},
		{"C-028 small chunks", postRaw(chunked(plainRequest, 1), "Transfer-Encoding: chunked"), upstreamBody},
		{"C-028 LF for CRLF", strings.ReplaceAll(post(chatPath, plainRequest), "\r\n", "\n"), upstreamBody},
		{"C-028 a folded header", post(chatPath, plainRequest, "X-Folded: a\r\n b"), upstreamBody},
	})
}

var upstreamBody = strings.Replace(plainRequest, "support", "base-model", 1)

func TestMethodsAndProtocolsThatAreNotSpoken(t *testing.T) {
	c := newClients(t, fixture{anonymous: 100})
	const wrong, code = 405, "method_not_allowed"
	c.refuses(t, []badRequest{
		{"C-027 GET", request("GET", chatPath, ""), wrong, code, ""},
		{"C-027 PUT", request("PUT", chatPath, plainRequest), wrong, code, ""},
		{"C-027 OPTIONS", request("OPTIONS", chatPath, ""), wrong, code, ""},
		{"C-027 TRACE", request("TRACE", chatPath, ""), wrong, code, ""},
		{"C-027 a method of its own", request("BREW", chatPath, ""), wrong, code, ""},
		{"C-027 a method in small letters", request("post", chatPath, plainRequest), wrong, code, ""},
		{"C-027 OPTIONS *", request("OPTIONS", "*", ""), 404, "not_found", ""},
		{"C-027 CONNECT", request("CONNECT", "evil.test:443", ""), 404, "not_found", ""},
		{"C-027 CONNECT to a path", request("CONNECT", chatPath, ""), wrong, code, ""},
		{"C-027 PRI * HTTP/2.0", "PRI * HTTP/2.0\r\n\r\n", 404, "not_found", ""},
		{"C-027 PRI * HTTP/2.0 with frames", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00", 404, "not_found", ""},
		{"C-027 HTTP/2.0", "GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n", 505, "invalid_value", ""},
		{"C-027 HTTP/0.9", "GET /healthz\r\n\r\n", 400, "invalid_value", ""},
		{"C-027 HTTP/1.x", "GET /healthz HTTP/1.x\r\nHost: x\r\n\r\n", 400, "invalid_value", ""},
		{"C-027 TLS", "\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03" + strings.Repeat("\x00", 32) + "\r\n\r\n", 400, "invalid_value", ""},
		{"C-027 noise", "\x00\x01\x02\r\n\r\n", 400, "invalid_value", ""},
		{"C-027 an empty line too many", "\r\n\r\n" + post(chatPath, plainRequest), 400, "invalid_value", ""},
	})
	h2c := []string{"Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"}
	c.accepts(t, []goodRequest{
		{"C-027 an upgrade to h2c is not taken", post(chatPath, plainRequest, h2c...), upstreamBody},
		{"C-027 an upgrade to a web socket is not taken", post(chatPath, plainRequest, "Connection: Upgrade", "Upgrade: websocket"), upstreamBody},
		{"C-027 HTTP/1.0", strings.Replace(post(chatPath, plainRequest), "HTTP/1.1", "HTTP/1.0", 1), upstreamBody},
		{"C-027 HTTP/1.0 kept alive", strings.Replace(post(chatPath, plainRequest, "Connection: keep-alive"), "HTTP/1.1", "HTTP/1.0", 1), upstreamBody},
	})
	a := c.exchange(t, request("HEAD", chatPath, ""))
	if a.StatusCode != 405 || len(a.body) != 0 || a.Header.Get("Allow") != "POST" {
		t.Errorf("C-027 HEAD: %d %v %q", a.StatusCode, a.Header, a.body)
	}
	if a = c.exchange(t, post(chatPath, plainRequest, "Expect: magic")); a.StatusCode != 417 || !a.Close {
		t.Errorf("C-027 Expect: magic: %d", a.StatusCode) // net/http's own, without a body
	}
	c.settle(t)
}

// C-027: answers come in the order of the requests, refusals among them.
func TestPipelinedRequestsAreAnsweredInOrder(t *testing.T) {
	c := newClients(t, fixture{})
	conn := c.dialAs(t)
	defer conn.Close()
	raw := post(chatPath, plainRequest) + request("GET", "/v1/models", "") + post(chatPath, "{") + request("GET", "/nowhere", "") + post(chatPath, plainRequest, "Connection: close") + request("GET", "/v1/models", "")
	if _, err := io.WriteString(conn, raw); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	for i, want := range []string{okAnswer, `"object":"list"`, "invalid_json", "not_found", okAnswer} {
		if a := readReply(t, in, "POST"); a.Response == nil || !strings.Contains(string(a.body), want) {
			t.Fatalf("answer %d: %+v", i, a)
		}
	}
	if rest, err := io.ReadAll(in); len(rest) > 0 || err != nil && !isReset(err) {
		t.Errorf("behind the last answer: %q %v", rest, err)
	}
	if c.up.Count() != 2 {
		t.Errorf("%d requests upstream", c.up.Count())
	}
	_ = conn.Close()
	c.settle(t)
}

// The answers that net/http gives before any handler runs are as JSON as all others.
func TestWhatIsNoHTTPIsRefusedInJSONAndLogged(t *testing.T) {
	c := newClients(t, fixture{})
	a := c.exchange(t, "nonsense\r\n\r\n")
	c.wantError(t, a, 400, "invalid_value", "")
	if !a.Close || !strings.Contains(c.log.String(), a.Header.Get("X-Request-Id")) {
		t.Errorf("closed: %v, log: %s", a.Close, c.log)
	}
	if got := c.metric(`footnote_refused_total{reason="malformed"}`); got != "1" {
		t.Errorf("counted %s times", got)
	}
	c.settle(t)
}

// A refusal reaches a client that is still sending: closing at once would
// reset the connection and throw the answer away.
func TestARefusalReachesAClientThatIsStillSending(t *testing.T) {
	c := newClients(t, fixture{})
	for name, head := range map[string]string{
		"too large": "POST " + chatPath + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer " + adminKey + "\r\nContent-Length: 2000000\r\n\r\n",
		"no HTTP":   "POST " + chatPath + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: nonsense\r\n\r\n",
	} {
		conn := c.dialAs(t)
		if _, err := io.Copy(conn, io.MultiReader(strings.NewReader(head), strings.NewReader(strings.Repeat(" ", 200<<10)))); err != nil {
			t.Error(name, err)
		}
		if a := readReply(t, bufio.NewReader(conn), "POST"); a.Response == nil || a.StatusCode/100 != 4 {
			t.Errorf("%s: %+v", name, a)
		}
		_ = conn.Close()
	}
	c.settle(t)
}
