package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"footnote/proxy/tracing"
)

// Timeouts bound a call. Zero values mean the defaults. The reader of a stream
// watches FirstToken and Idle, because only it knows what a token is.
type Timeouts struct {
	FirstToken time.Duration // to the first token of a stream, its headers included: 120 s
	Idle       time.Duration // between two pieces of a stream: 120 s
	Total      time.Duration // of a call that is not a stream, to its last byte: 600 s
	Models     time.Duration // to list the models: 5 s
	Queue      time.Duration // for a connection, where the transport limits their number: 1 s
	Tail       time.Duration // for the end of a body after its last event, so that its connection can be reused: 250 ms
}

// WithDefaults returns t with the defaults for zero values.
func (t Timeouts) WithDefaults() Timeouts {
	t.FirstToken = cmp.Or(t.FirstToken, defaultFirstToken)
	t.Idle = cmp.Or(t.Idle, defaultIdle)
	t.Total = cmp.Or(t.Total, defaultTotal)
	t.Models = cmp.Or(t.Models, defaultModels)
	t.Queue = cmp.Or(t.Queue, defaultQueue)
	t.Tail = cmp.Or(t.Tail, defaultTail)
	return t
}

// HTTPConfig describes a server with OpenAI's API.
type HTTPConfig struct {
	// BaseURL is the base URL as SDKs call it: "/chat/completions" is appended to its
	// path, and its query is kept. Example: https://api.openai.com/v1
	BaseURL string
	// APIKey is sent as a bearer token, or as api-key to Azure; "" sends none.
	APIKey string
	// Headers are sent with every request and win over the key's.
	Headers map[string]string
	// Timeouts are the bounds of its calls.
	Timeouts Timeouts
	// Transport is shared by upstreams; nil creates one. See [NewTransport].
	Transport *http.Transport
	// Health keeps how the calls end; nil: nothing does.
	Health *Health

	base context.Context // ends what the client does on its own; nil: Close does
}

// HTTP is a [Client] for servers with OpenAI's API.
type HTTP struct {
	chatURL       *url.URL
	embeddingsURL *url.URL
	modelsURL     *url.URL
	header        http.Header
	secrets       secrets
	timeouts      Timeouts
	transport     *http.Transport
	models        *modelList
	health        *Health
	stop          context.CancelFunc
}

// NewHTTP checks the configuration and returns a client. Its errors say what to
// change, without the key or the URL.
func NewHTTP(cfg HTTPConfig) (*HTTP, error) {
	e, err := parseEndpoint(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	header, err := fixedHeader(cfg.APIKey, e.azure, cfg.Headers)
	if err != nil {
		return nil, err
	}
	h := &HTTP{
		chatURL: e.join(chatPath), embeddingsURL: e.join(embeddingsPath), modelsURL: e.join("models"), header: header,
		timeouts: cfg.Timeouts.WithDefaults(), transport: cfg.Transport, secrets: secretsOf(cfg.APIKey, cfg.Headers),
		health: cfg.Health,
	}
	if h.transport == nil {
		h.transport = NewTransport(0, 0)
	}
	base := cfg.base
	if h.stop = func() {}; base == nil {
		base, h.stop = context.WithCancel(context.Background())
	}
	h.models = &modelList{fetch: func(ctx context.Context) ([]Model, error) { return h.fetchModels(ctx, h.modelsURL) }, base: base, limit: h.timeouts.Models, now: time.Now}
	return h, nil
}

// Timeouts returns the bounds of the client's calls.
func (h *HTTP) Timeouts() Timeouts { return h.timeouts }

// Health returns the health of the upstream; nil: nothing is kept.
func (h *HTTP) Health() *Health { return h.health }

// Close ends the client's own requests and closes idle connections. Running calls
// continue until their contexts end.
func (h *HTTP) Close() {
	h.stop()
	h.transport.CloseIdleConnections()
}

// errBusy is the cause of a context whose call got no connection in time.
var errBusy = errors.New("no connection to the upstream is free")

// errLate is the cause of a context that one of our time limits ended.
var errLate = errors.New("the upstream's time limit ran out")

// Chat sends a chat completion once. It repeats the request only if the first
// attempt ended before a byte of it was written.
func (h *HTTP) Chat(ctx context.Context, c Call) (*Response, error) {
	return h.call(ctx, h.chatURL, c)
}

// Embeddings sends a request for embeddings under the rules of Chat.
func (h *HTTP) Embeddings(ctx context.Context, c Call) (*Response, error) {
	return h.call(ctx, h.embeddingsURL, c)
}

func (h *HTTP) call(ctx context.Context, to *url.URL, c Call) (*Response, error) {
	// The end of the body may be read after the caller has left, so ctx ends the call
	// through a hook that can be removed.
	call, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	unbound := func() bool { return false }
	if !c.Stream {
		unbound = time.AfterFunc(h.timeouts.Total, func() { cancel(errLate) }).Stop
	}
	resp, err := h.post(h.withQueueLimit(call, cancel), to, c)
	end := func() { unbound(); unhook(); cancel(nil) }
	if err == nil {
		err = checkStatus(resp.StatusCode)
		if err == nil {
			return h.answer(resp, &answerBody{raw: rawBody{r: resp.Body}, call: call, cancel: cancel, unhook: unhook, end: end, tail: h.timeouts.Tail, late: func(cause error) error { return h.tooLate(to, cause) }})
		}
		_ = resp.Body.Close() // drop it unread
	}
	defer end()
	return nil, h.callError(ctx, call, to, err)
}

// callError returns the reason of a failed call: its caller ended it, it took too
// long, or the network failed.
func (h *HTTP) callError(ctx, call context.Context, to *url.URL, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(context.Cause(call), errLate):
		return h.tooLate(to, err)
	case errors.Is(context.Cause(call), errBusy):
		return &Error{
			Code: CodeOverloaded, Status: http.StatusServiceUnavailable,
			Message: "This server already sends the model server as many requests at a time as it may; try again.", err: fmt.Errorf("%w: %w", errBusy, err),
		}
	default:
		return err
	}
}

// tooLate is the error of a call that took longer than Timeouts.Total. Embedding
// servers have no setting for it and no streams.
func (h *HTTP) tooLate(to *url.URL, cause error) error {
	if to == h.embeddingsURL {
		return timedOut(cause)
	}
	return tooLate(h.timeouts.Total, cause)
}

// post sends the request, and repeats it if that is safe.
func (h *HTTP) post(ctx context.Context, to *url.URL, c Call) (*http.Response, error) {
	req := (&http.Request{
		Method: http.MethodPost, URL: to,
		Header:        requestHeader(h.header, c.Header, c.Stream, tracing.Header(ctx)),
		ContentLength: int64(len(c.Body)),
		// No GetBody: without it the transport cannot send a body twice.
	}).WithContext(ctx)
	resp, again, err := h.send(req, c.Body)
	if again {
		resp, _, err = h.send(req, c.Body)
		if e, ok := errors.AsType[*Error](err); ok {
			e.Retried = true // classify made it for this call
		}
	}
	return resp, err
}

// send makes one attempt. again reports that it failed and may be repeated.
func (h *HTTP) send(req *http.Request, body []byte) (resp *http.Response, again bool, err error) {
	a := attempt{body: len(body) > 0}
	req = req.WithContext(a.watch(req.Context()))
	req.Body = http.NoBody
	if len(body) > 0 {
		req.Body = &requestBody{data: body}
	}
	// RoundTrip instead of http.Client, which would follow redirects and keep cookies.
	resp, err = h.transport.RoundTrip(req)
	if err == nil {
		return resp, false, nil
	}
	return nil, req.Context().Err() == nil && a.mayRetry(err), a.classify(err)
}

// A requestBody drops its bytes when it is closed, because an answer may stream long
// after the request was sent.
type requestBody struct {
	mu   sync.Mutex // the transport may close while it reads
	data []byte
}

// Read reads the bytes that were not sent yet.
func (b *requestBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	return n, nil
}

// Close drops the bytes.
func (b *requestBody) Close() error {
	b.mu.Lock()
	b.data = nil
	b.mu.Unlock()
	return nil
}

// sendWithoutBody sends a request without a body.
func (h *HTTP) sendWithoutBody(req *http.Request) (*http.Response, error) {
	resp, _, err := h.send(req, nil)
	return resp, err
}

// checkStatus refuses statuses that a client must not see: redirects, which are not
// followed because they would take key and prompt elsewhere; answers without a body;
// and refusals of Footnote's key.
func checkStatus(status int) error {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusProxyAuthRequired:
		return authFailed()
	case status >= 300 && status < 400:
		return Invalid("The model server answered with a redirect, which is not followed; its operator has to check the upstream's base URL.")
	case status == http.StatusNoContent, status == http.StatusResetContent, status < 200, status > 599:
		return Invalid("The model server's answer has no content.")
	default:
		return nil
	}
}

// answer builds the response for the caller.
func (h *HTTP) answer(resp *http.Response, body *answerBody) (*Response, error) {
	var err error
	if body.Reader, err = decodeBody(resp.Header, &body.raw); err != nil {
		_ = body.Close() // drop it unread
		return nil, err
	}
	if resp.StatusCode != http.StatusOK && len(h.secrets) > 0 {
		body.Reader = &maskingReader{r: body.Reader, secrets: h.secrets}
	}
	return &Response{Status: resp.StatusCode, Header: h.secrets.maskHeader(resp.Header), Body: body, secrets: h.secrets, body: body}, nil
}

// tailBytes bounds what is read of a body after its last event.
const tailBytes = 4 << 10

// An answerBody ends its call when it is closed.
type answerBody struct {
	io.Reader // decoded
	raw       rawBody
	call      context.Context
	cancel    context.CancelCauseFunc
	unhook    func() bool // detaches the call from its caller's context
	end       func()
	tail      time.Duration
	late      func(cause error) error // the error when the call's time is up
	complete  bool                    // the rest of the body does not matter
	once      sync.Once
}

// A rawBody knows whether it was read to its end.
type rawBody struct {
	r     io.ReadCloser
	ended bool
}

// Read reads raw bytes.
func (b *rawBody) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.ended = b.ended || errors.Is(err, io.EOF)
	return n, err
}

// Read reads decoded bytes. The limit of the call appears as an [*Error].
func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return n, err
	case errors.Is(context.Cause(b.call), errLate):
		return n, b.late(err)
	default:
		return n, unquotedError{err}
	}
}

// Close closes the connection, or returns it to the pool if the body was read to its
// end. If only the end of a complete body is missing, it is read in the background.
func (b *answerBody) Close() error {
	var err error
	b.once.Do(func() {
		if b.complete && !b.raw.ended {
			go b.readTail()
			return
		}
		err = b.raw.r.Close()
		b.end()
	})
	return err
}

// readTail reads a body to its end, if that comes soon.
func (b *answerBody) readTail() {
	defer b.end()
	giveUp := time.AfterFunc(b.tail, func() { b.cancel(errLate) })
	defer giveUp.Stop()
	_, _ = io.CopyN(io.Discard, &b.raw, tailBytes) // an error closes the connection, as it should
	_ = b.raw.r.Close()                            // no caller is left to receive the error
}
