package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"footnote/proxy/apierr"
)

// passedOn are the headers of the client that the API looks at: they say where the
// request came from.
var passedOn = []string{"X-Forwarded-For", "X-Forwarded-Proto", "X-Real-Ip", "Traceparent"}

// newRequest makes a request to the API. in is sent as JSON; nil: no body.
func (c *call) newRequest(ctx context.Context, method, path string, in any) (*http.Request, error) {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	r.Host, r.TLS, r.RemoteAddr = c.request.Host, c.request.TLS, c.request.RemoteAddr
	for _, name := range passedOn {
		if v := c.request.Header.Values(name); v != nil {
			r.Header[http.CanonicalHeaderKey(name)] = v
		}
	}
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// ask sends a request to the API and decodes its answer into out. An answer that is
// no success is an *apierr.Error.
func (h *Handler) ask(ctx context.Context, c *call, method, path string, in, out any) error {
	r, err := c.newRequest(ctx, method, path, in)
	if err != nil {
		return err
	}
	got := &buffer{header: http.Header{}}
	h.deps.API(got, r, c.caller)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if got.status/100 != 2 {
		return faultOf(got.status, got.body.Bytes())
	}
	if err := json.Unmarshal(got.body.Bytes(), out); err != nil {
		return fmt.Errorf("the answer to %s %s: %w", method, path, err)
	}
	return nil
}

// faultOf reads the error of an answer. A model server's error has a form of its own.
func faultOf(status int, body []byte) error {
	var got struct {
		Error struct{ Message, Code string }
	}
	if json.Unmarshal(body, &got) != nil || got.Error.Message == "" {
		return &apierr.Error{Status: status, Code: apierr.CodeInternal, Message: fmt.Sprintf("The question failed with the status %d.", status)}
	}
	const longest = 500
	message := []rune(strings.TrimSpace(got.Error.Message))
	return &apierr.Error{Status: status, Code: got.Error.Code, Message: string(message[:min(len(message), longest)])}
}

// failed returns err as the agent may read it. What has no sentence for people goes to
// the log.
func (h *Handler) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, errCancelled) {
		return errCancelled
	}
	status, _ := apierr.StatusAndCode(err)
	if _, ok := errors.AsType[*apierr.Error](err); !ok && status >= http.StatusInternalServerError {
		h.deps.Log.ErrorContext(ctx, "an MCP call failed", "error", err)
	}
	return errors.New(apierr.ObjectOf(err).Message)
}

// A buffer keeps an answer in memory. It implements [http.ResponseWriter].
type buffer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements [http.ResponseWriter].
func (b *buffer) Header() http.Header { return b.header }

// WriteHeader implements [http.ResponseWriter].
func (b *buffer) WriteHeader(status int) {
	if b.status == 0 {
		b.status = status
	}
}

// Write implements [http.ResponseWriter].
func (b *buffer) Write(p []byte) (int, error) {
	b.WriteHeader(http.StatusOK)
	return b.body.Write(p)
}

// A pipe hands an answer on as it is written. It implements [http.ResponseWriter].
type pipe struct {
	buffer // the header, the status, and the body of an error
	to     *io.PipeWriter
}

// Write implements [http.ResponseWriter]. It fails once the answer is read no more.
func (p *pipe) Write(b []byte) (int, error) {
	p.WriteHeader(http.StatusOK)
	if p.status/100 != 2 {
		return p.body.Write(b)
	}
	return p.to.Write(b)
}

// Flush implements [http.Flusher]: a pipe holds nothing back.
func (p *pipe) Flush() {}

// stream sends a request to the API whose answer is an event stream, and has read read
// it as it comes. An answer that is no success is an *apierr.Error.
func (h *Handler) stream(ctx context.Context, c *call, path string, in any, header http.Header, read func(io.Reader) error) error {
	r, err := c.newRequest(ctx, http.MethodPost, path, in)
	if err != nil {
		return err
	}
	for name, values := range header {
		r.Header[name] = values
	}
	from, to := io.Pipe()
	out := &pipe{buffer: buffer{header: http.Header{}}, to: to}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			var end error // io.EOF
			if recover() != nil {
				end = io.ErrUnexpectedEOF // the API panics to cut an answer that has begun; it has logged why
			}
			to.CloseWithError(end)
		}()
		h.deps.API(out, r, c.caller)
	}()
	readErr := read(from)
	from.CloseWithError(errors.New("the answer is read no more"))
	<-done
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case out.status/100 != 2:
		return faultOf(out.status, out.body.Bytes())
	}
	return readErr
}
