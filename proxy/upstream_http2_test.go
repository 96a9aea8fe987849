package proxy_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"footnote/proxy/upstream"
	"footnote/proxy/upstream/upstreamtest"
)

// An act is what an HTTP/2 server does with one stream. Connections live on
// until an act fails or the client closes them.
type act func(c *upstreamtest.HTTP2Conn, stream uint32) error

func settled(do act) func(*upstreamtest.HTTP2Conn) error {
	return func(c *upstreamtest.HTTP2Conn) error {
		if err := c.WriteSettings(); err != nil {
			return err
		}
		for {
			stream, err := c.Request()
			if err != nil {
				return err
			}
			if err := do(c, stream); err != nil {
				return err
			}
		}
	}
}

var errHangUp = errors.New("the server hangs up")

func hangUp(*upstreamtest.HTTP2Conn, uint32) error { return errHangUp }

// events2 streams events, ended says that the body has ended well.
func events2(data ...string) act {
	return func(c *upstreamtest.HTTP2Conn, stream uint32) error { return c.Events(stream, data...) }
}

func ended(c *upstreamtest.HTTP2Conn, stream uint32) error { return c.WriteData(stream, true, nil) }

func resets2(code http2.ErrCode) act {
	return func(c *upstreamtest.HTTP2Conn, stream uint32) error { return c.WriteRSTStream(stream, code) }
}

func goesAway(last func(uint32) uint32, code http2.ErrCode) act {
	return func(c *upstreamtest.HTTP2Conn, stream uint32) error {
		return c.WriteGoAway(last(stream), code, []byte("canary "+canaryKey))
	}
}

func thisOne(stream uint32) uint32 { return stream }
func none(uint32) uint32           { return 0 }

func inTurn(acts ...act) act {
	return func(c *upstreamtest.HTTP2Conn, stream uint32) error {
		for _, do := range acts {
			if err := do(c, stream); err != nil {
				return err
			}
		}
		return nil
	}
}

func json2(body string, headers ...string) act {
	return func(c *upstreamtest.HTTP2Conn, stream uint32) error {
		if err := c.Head(stream, 200, append([]string{"content-type", "application/json"}, headers...)...); err != nil {
			return err
		}
		return c.WriteData(stream, true, []byte(body))
	}
}

// playHTTP2 plays rows with a script of frames.
func playHTTP2(t *testing.T, script func(*upstreamtest.HTTP2Conn) error, row fault) {
	t.Helper()
	var roots *x509.CertPool
	row.serve = func(t *testing.T) modelServer {
		cert, pool := upstreamtest.Certificate(t, "127.0.0.1", time.Now().Add(time.Hour))
		roots = pool
		return upstreamtest.NewHTTP2(t, cert, script)
	}
	tune := row.tune
	row.tune = func(h *upstream.HTTPConfig) {
		h.Transport = upstream.NewTransport(0, 0)
		h.Transport.TLSClientConfig = &tls.Config{RootCAs: roots}
		if tune != nil {
			tune(h)
		}
	}
	playFaults(t, []fault{row})
}

func TestUpstreamFaultsHTTP2Streams(t *testing.T) {
	text, more := says("The fox [1]"), says(" runs")
	for _, c := range []struct {
		name string
		do   act
		want outcome
	}{
		{"whole", inTurn(events2(text, more, stops(), "[DONE]"), ended), streams(text, more, stops())},
		{"closed in mid-stream", inTurn(events2(text), hangUp), cut(interrupted, text)},
		{"RST_STREAM in mid-stream", inTurn(events2(text, more), resets2(http2.ErrCodeInternal)), cut(interrupted, text, more)},
		{"RST_STREAM NO_ERROR in mid-stream", inTurn(events2(text), resets2(http2.ErrCodeNo)), cut(interrupted, text)},
		{"RST_STREAM CANCEL in mid-stream", inTurn(events2(text), resets2(http2.ErrCodeCancel)), cut(interrupted, text)},
		{"RST_STREAM behind the finish chunk", inTurn(events2(text, stops()), resets2(http2.ErrCodeInternal)), streams(text, stops())},
		{"END_STREAM in mid-stream", inTurn(events2(text), ended), cut(interrupted, text)},
		{"GOAWAY in mid-stream, and the stream goes on", inTurn(events2(text), goesAway(thisOne, http2.ErrCodeNo), func(c *upstreamtest.HTTP2Conn, s uint32) error {
			return errors.Join(c.WriteData(s, false, []byte(events(more, stops(), "[DONE]"))), c.WriteData(s, true, nil))
		}), streams(text, more, stops())},
		{"GOAWAY in mid-stream with an error", inTurn(events2(text), goesAway(thisOne, http2.ErrCodeInternal), hangUp), cut(interrupted, text)},
		{"GOAWAY in mid-stream that drops the stream", inTurn(events2(text), goesAway(none, http2.ErrCodeNo), hangUp), cut(interrupted, text)},
		{"pings and settings in thousands", inTurn(events2(text), func(c *upstreamtest.HTTP2Conn, s uint32) error {
			for i := range 2000 {
				if err := c.WritePing(false, [8]byte{byte(i)}); err != nil {
					return err
				}
				if err := c.WriteSettings(); err != nil {
					return err
				}
			}
			return errors.Join(c.WriteData(s, false, []byte(events(more, stops(), "[DONE]"))), c.WriteData(s, true, nil))
		}), streams(text, more, stops())},
		{"data for a stream that is none", inTurn(events2(text), func(c *upstreamtest.HTTP2Conn, s uint32) error {
			return c.WriteData(s+20, false, []byte("x"))
		}), cut(interrupted, text)},
		{"a frame that is too large", inTurn(events2(text), func(c *upstreamtest.HTTP2Conn, s uint32) error {
			c.AllowIllegalWrites = true
			return c.WriteData(s, false, make([]byte, 1<<20+1))
		}), cut(interrupted, text)},
		{"no frame at all", func(c *upstreamtest.HTTP2Conn, s uint32) error { return c.Events(s) }, refuses(504, firstToken)},
	} {
		row := fault{id: "U-043 " + c.name, ask: asStream, want: c.want}
		if c.want.code == firstToken {
			row.tune = limits(upstream.Timeouts{FirstToken: short})
		}
		playHTTP2(t, settled(c.do), row)
	}
}

func TestUpstreamFaultsHTTP2Answers(t *testing.T) {
	many := make([]string, 0, 40_000)
	for i := range 20_000 {
		many = append(many, "x-"+strconv.Itoa(i), "yes")
	}
	for _, c := range []struct {
		name string
		ask  answerKind
		do   act
		want outcome
	}{
		{"JSON", asJSON, json2(whole), answers(whole)},
		{"RST_STREAM before the answer", 0, resets2(http2.ErrCodeInternal), refuses(502, invalid)},
		{"RST_STREAM REFUSED_STREAM", 0, resets2(http2.ErrCodeRefusedStream), refuses(502, invalid)},
		{"RST_STREAM HTTP_1_1_REQUIRED", 0, resets2(http2.ErrCodeHTTP11Required), refuses(502, invalid)},
		{"RST_STREAM inside the body", asJSON, func(c *upstreamtest.HTTP2Conn, s uint32) error {
			return errors.Join(c.Head(s, 200, "content-type", "application/json"), c.WriteData(s, false, []byte(whole[:20])), c.WriteRSTStream(s, http2.ErrCodeInternal))
		}, refuses(502, interrupted)},
		{"GOAWAY before the answer", 0, inTurn(goesAway(none, http2.ErrCodeNo), hangUp), refuses(502, invalid)},
		{"GOAWAY ENHANCE_YOUR_CALM", 0, inTurn(goesAway(none, http2.ErrCodeEnhanceYourCalm), hangUp), refuses(502, invalid)},
		{"closed before the answer", 0, hangUp, refuses(502, invalid)},
		{"length too long", asJSON, json2(whole, "content-length", "9999"), refuses(502, interrupted)},
		{"length too short", asJSON, json2(whole, "content-length", "10"), refuses(502, interrupted+"|"+invalid)},
		{"no status", 0, func(c *upstreamtest.HTTP2Conn, s uint32) error { return c.Head(s, 0) }, refuses(502, invalid)},
		{"headers of 1 MiB", 0, json2(whole, "x-long", strings.Repeat("x", 1<<20)), refuses(502, invalid)},
		{"20,000 headers", 0, json2(whole, many...), refuses(502, invalid)},
		{"103 first", asJSON, inTurn(func(c *upstreamtest.HTTP2Conn, s uint32) error { return c.Head(s, 103, "link", "</x>") }, json2(whole)), answers(whole)},
		{"a refusal", 0, func(c *upstreamtest.HTTP2Conn, s uint32) error {
			return errors.Join(c.Head(s, 429, "content-type", "application/json", "retry-after", "2"), c.WriteData(s, true, []byte(refused)))
		}, passes(429, refused)},
	} {
		playHTTP2(t, settled(c.do), fault{id: "U-043 " + c.name, ask: c.ask, want: c.want})
	}
}

func TestUpstreamFaultsHTTP2Connections(t *testing.T) {
	first := func(settings ...http2.Setting) func(*upstreamtest.HTTP2Conn) error {
		return func(c *upstreamtest.HTTP2Conn) error { return errors.Join(c.WriteSettings(settings...), c.Drain()) }
	}
	unread := refuses(502, invalid+"|"+connectFailed)
	unread.calls = noCalls
	for name, script := range map[string]func(*upstreamtest.HTTP2Conn) error{
		"SETTINGS with a frame size of zero":    first(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 0}),
		"SETTINGS with a window that overflows": first(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 31}),
		"SETTINGS that push twice":              first(http2.Setting{ID: http2.SettingEnablePush, Val: 2}),
		"no SETTINGS": func(c *upstreamtest.HTTP2Conn) error {
			return errors.Join(c.WritePing(false, [8]byte{}), c.Drain())
		},
		"a frame header of garbage": func(c *upstreamtest.HTTP2Conn) error {
			_, err := c.Conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			return errors.Join(err, c.Drain())
		},
		"closed behind the SETTINGS": func(c *upstreamtest.HTTP2Conn) error { return c.WriteSettings() },
	} {
		playHTTP2(t, script, fault{id: "U-043 " + name, want: unread})
	}
	noWindow := func(c *upstreamtest.HTTP2Conn) error {
		if err := c.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}); err != nil {
			return err
		}
		_, err := c.Request() // its body never comes
		return err
	}
	for ask, code := range map[answerKind]string{asJSON: timedOut, asStream: firstToken} {
		playHTTP2(t, noWindow, fault{id: "U-043 a window of zero", ask: ask, want: refuses(504, code),
			tune: limits(upstream.Timeouts{FirstToken: short, Total: short}), with: `"x":"` + strings.Repeat("x", 200<<10) + `",`})
	}
	playHTTP2(t, settled(func(c *upstreamtest.HTTP2Conn, s uint32) error { // a HEADERS frame that never ends
		err := c.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: []byte("\x88")})
		for err == nil {
			err = c.WriteContinuation(s, false, []byte("\x00\x01x\x01y"))
		}
		return err
	}), fault{id: "U-043 CONTINUATION without end", want: refuses(502, invalid)})
}
