package upstream

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

func gzipped(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	write(t, w, s)
	return b.String()
}

func write(t *testing.T, w io.WriteCloser, s string) {
	t.Helper()
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func deflated(t *testing.T, s string, wrapped bool) string {
	t.Helper()
	var b bytes.Buffer
	if wrapped {
		write(t, zlib.NewWriter(&b), s)
		return b.String()
	}
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	write(t, w, s)
	return b.String()
}

func TestEncodedAnswersAreDecoded(t *testing.T) {
	for name, c := range map[string]struct{ encoding, body string }{
		"gzip":         {"gzip", gzipped(t, hello)},
		"x-gzip":       {"X-GZip", gzipped(t, hello)},
		"zlib":         {"deflate", deflated(t, hello, true)},
		"bare deflate": {"deflate", deflated(t, hello, false)},
		"twice":        {"gzip, deflate", deflated(t, gzipped(t, hello), true)},
		"identity":     {"identity", hello},
	} {
		t.Run(name, func(t *testing.T) {
			s := upstreamtest.New(t, upstreamtest.Status(200, c.body, "Content-Encoding: "+c.encoding))
			resp, body, err := ask(t, client(t, s.URL(), nil), Call{})
			if err != nil || body != hello {
				t.Fatalf("%q %v", body, err)
			}
			if c.encoding != "identity" && resp.Header.Get("Content-Encoding")+resp.Header.Get("Content-Length") != "" {
				t.Error("headers of the encoded body are left:", resp.Header)
			}
		})
	}
}

func TestBodiesThatCannotBeDecoded(t *testing.T) {
	packed := gzipped(t, hello)
	for name, body := range map[string]string{
		"no gzip at all": hello,
		"bad sum":        packed[:len(packed)-8] + "\x00\x00\x00\x00" + packed[len(packed)-4:],
		"bad data":       packed[:12] + strings.Repeat("\xff", len(packed)-12),
	} {
		t.Run(name, func(t *testing.T) {
			s := upstreamtest.New(t, upstreamtest.Status(200, body, "Content-Encoding: gzip"))
			_, _, err := ask(t, client(t, s.URL(), nil), Call{})
			wantError(t, err, CodeInvalidResponse, http.StatusBadGateway)
		})
	}
	t.Run("cut short", func(t *testing.T) {
		s := upstreamtest.New(t, upstreamtest.Status(200, packed[:len(packed)/2], "Content-Encoding: gzip"))
		_, _, err := ask(t, client(t, s.URL(), nil), Call{})
		wantError(t, Interrupted(err), CodeInterrupted, http.StatusBadGateway)
	})
}

func TestBombsAreRefused(t *testing.T) {
	bomb := gzipped(t, strings.Repeat("\x00", maxBody+1))
	for name, c := range map[string]struct{ kind, encoding, body string }{
		"JSON":         {"application/json", "gzip", bomb},
		"event stream": {"text/event-stream", "gzip", bomb},
		"double":       {"application/json", "gzip, gzip", gzipped(t, bomb)},
		"plain":        {"application/json", "identity", strings.Repeat(" ", maxBody+1)},
	} {
		t.Run(name, func(t *testing.T) {
			s := upstreamtest.New(t, upstreamtest.Status(200, c.body, "Content-Type: "+c.kind, "Content-Encoding: "+c.encoding))
			resp, err := client(t, s.URL(), nil).Chat(t.Context(), Call{Body: []byte(prompt)})
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.Copy(io.Discard, resp.Body)
			wantError(t, err, CodeInvalidResponse, http.StatusBadGateway)
			if n != maxBody {
				t.Errorf("%d bytes were handed over, want %d", n, maxBody)
			}
			if _, err := resp.Body.Read(make([]byte, 8)); err == nil || err == io.EOF {
				t.Errorf("after the limit a read gives %v", err)
			}
			_ = resp.Body.Close()
		})
	}
}

func TestAPlainStreamHasNoLimit(t *testing.T) {
	body, err := decodeBody(http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, capped := body.(*cappedReader); capped {
		t.Error("it has")
	}
}

func TestACompressedStreamStillStreams(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	packed := func(s string) string {
		b.Reset()
		if _, err := io.WriteString(w, s); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	one := packed("data: one\n\n")
	two := packed("data: two\n\n")
	step := make(chan struct{})
	s := upstreamtest.New(t, upstreamtest.Stream("Content-Encoding: gzip").Then(
		upstreamtest.Chunk(one), upstreamtest.Wait(step), upstreamtest.Chunk(two), upstreamtest.Hangs()))
	resp, err := client(t, s.URL(), nil).Chat(t.Context(), Call{Body: []byte(prompt), Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	event := make([]byte, len("data: one\n\n"))
	if _, err := io.ReadFull(resp.Body, event); err != nil || string(event) != "data: one\n\n" {
		t.Fatalf("%q %v", event, err)
	}
	close(step)
	if _, err := io.ReadFull(resp.Body, event); err != nil || string(event) != "data: two\n\n" {
		t.Fatalf("%q %v", event, err)
	}
}
