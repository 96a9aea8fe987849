package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/sashabaranov/go-openai"
	"golang.org/x/sync/errgroup"

	"footnote/assistants"
	"footnote/proxy/wire"
)

// Bounds of one request for embeddings. Most servers accept more. Tokens are
// estimated at three bytes each, because every model counts differently.
const (
	maxBatchTexts  = 96
	maxBatchTokens = 24_000
	bytesPerToken  = 3
)

// passageCalls bounds the concurrent requests for passages; questions do not wait
// for them.
const passageCalls = 4

// EmbedderConfig describes a model on a server with OpenAI's API.
type EmbedderConfig struct {
	// Server is its address; Timeouts.Total bounds one attempt for passages: 60 s.
	Server HTTPConfig
	// Model is the name of the model on the server.
	Model string
	// Dimensions asks for vectors of that length; 0: the model's own.
	Dimensions int
	// QueryTimeout bounds one attempt for a question: 10 s.
	QueryTimeout time.Duration
	// Backoff is the wait before the first repetition, doubled for each further one,
	// unless the server names a wait: 500 ms.
	Backoff time.Duration
}

// An Embedder makes vectors with a model server. It repeats requests when the server
// is overloaded, fails or is silent: unlike a chat, the same request has the same
// answer. Its errors wrap assistants.ErrUnavailable and are [*Error], or they are
// the context's.
type Embedder struct {
	cfg      EmbedderConfig
	http     *HTTP
	passages chan struct{} // one slot for each running request

	mu         sync.Mutex
	dimensions int // 0 while it is unknown
	batch      int // texts in one request
	state      assistants.EmbedderState
	reason     string
}

// NewEmbedder checks the configuration. Its errors say what to change, without the
// key or the URL.
func NewEmbedder(cfg EmbedderConfig) (*Embedder, error) {
	if cfg.Server.Timeouts.Total <= 0 {
		cfg.Server.Timeouts.Total = 60 * time.Second
	}
	cfg.QueryTimeout = cmp.Or(cfg.QueryTimeout, 10*time.Second)
	cfg.Backoff = cmp.Or(cfg.Backoff, 500*time.Millisecond)
	client, err := NewHTTP(cfg.Server)
	if err != nil {
		return nil, err
	}
	return &Embedder{
		cfg: cfg, http: client, passages: make(chan struct{}, passageCalls),
		dimensions: cfg.Dimensions, batch: maxBatchTexts, state: assistants.EmbedderUntried,
	}, nil
}

// Close closes idle connections. Running calls continue.
func (e *Embedder) Close() { e.http.Close() }

// Model is the name of the model on the server.
func (e *Embedder) Model() string { return e.cfg.Model }

// Embeddings forwards a request unchanged; see [HTTP.Embeddings].
func (e *Embedder) Embeddings(ctx context.Context, c Call) (*Response, error) {
	return e.http.Embeddings(ctx, c)
}

// Space is the space of the vectors. It asks the server while their length is
// unknown.
func (e *Embedder) Space(ctx context.Context) (assistants.Space, error) {
	if s, ok := e.space(); ok {
		return s, nil
	}
	if _, err := e.EmbedQuery(ctx, "How long are the vectors?"); err != nil {
		return assistants.Space{}, err
	}
	s, _ := e.space()
	return s, nil
}

func (e *Embedder) space() (assistants.Space, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return assistants.Space{Model: e.cfg.Model, Dimensions: e.dimensions}, e.dimensions > 0
}

// Status is the result of the last request.
func (e *Embedder) Status() assistants.EmbedderStatus {
	e.mu.Lock()
	defer e.mu.Unlock()
	return assistants.EmbedderStatus{
		State: e.state, Reason: e.reason, Space: assistants.Space{Model: e.cfg.Model, Dimensions: e.dimensions},
	}
}

// EmbedQuery makes the vector of a question. If the server asks to wait, it is asked
// again only if the caller's deadline allows the wait.
func (e *Embedder) EmbedQuery(ctx context.Context, text string) (assistants.QueryVector, error) {
	vectors, err := e.request(ctx, []string{text}, retryLimits{count: 2, limit: e.cfg.QueryTimeout, longest: 2 * time.Second})
	if err != nil {
		return assistants.QueryVector{}, err
	}
	s, _ := e.space()
	return assistants.QueryVector{Vector: vectors[0], Space: s, Trust: 1}, nil
}

// EmbedPassages makes the vectors of texts, in their order, all or none.
func (e *Embedder) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	g, group := errgroup.WithContext(ctx)
	g.SetLimit(passageCalls)
	for from := 0; from < len(texts) && group.Err() == nil; {
		to := from + e.batchOf(texts[from:])
		into, batch := vectors[from:to], texts[from:to]
		g.Go(func() (err error) {
			defer assistants.CatchPanic(&err)
			return e.fill(group, into, batch)
		})
		from = to
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return vectors, nil
}

// batchOf returns how many of the texts fit into one request, at least one.
func (e *Embedder) batchOf(texts []string) int {
	e.mu.Lock()
	most := min(e.batch, len(texts))
	e.mu.Unlock()
	tokens := 0
	for i, text := range texts[:most] {
		if tokens += len(text)/bytesPerToken + 1; tokens > maxBatchTokens && i > 0 {
			return i
		}
	}
	return most
}

// fill makes the vectors of one batch. A server may refuse a request because it has
// too many texts, so a refused batch is halved.
func (e *Embedder) fill(ctx context.Context, vectors [][]float32, texts []string) error {
	made, err := e.requestPassages(ctx, texts)
	if !maybeTooMany(err) || len(texts) == 1 {
		copy(vectors, made)
		return err
	}
	half := len(texts) / 2
	if err := e.fill(ctx, vectors[:half], texts[:half]); err != nil {
		return err
	}
	if err := e.fill(ctx, vectors[half:], texts[half:]); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.batch = min(e.batch, max(half, 1))
	return nil
}

// requestPassages asks for the vectors of passages once a slot is free.
func (e *Embedder) requestPassages(ctx context.Context, texts []string) ([][]float32, error) {
	select {
	case e.passages <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-e.passages }()
	return e.request(ctx, texts, retryLimits{count: 5, limit: e.cfg.Server.Timeouts.Total, longest: maxSDKWait})
}

// retryLimits bound the repetitions of a request.
type retryLimits struct {
	count   int
	limit   time.Duration // of each
	longest time.Duration // wait between two; if the server asks for a longer one, it is not asked again
}

// A refusal is an error for an answer with an error status.
type refusal struct {
	status int
	wait   time.Duration // that the server asks for; negative if it names none
	cause  error
}

func (r *refusal) Error() string { return r.cause.Error() }
func (r *refusal) Unwrap() error { return r.cause }

func maybeTooMany(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && slices.Contains([]int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}, r.status)
}

// mayRetryRequest reports whether another attempt may succeed: after a failure of
// the network, or one that the server called temporary.
func mayRetryRequest(err error) bool {
	if r, ok := errors.AsType[*refusal](err); ok {
		return isTransient(r.status)
	}
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Permanent || e.Code == CodeTLSFailed {
		return false
	}
	return e.err != nil || e.quoted && isTransient(e.Status)
}

func isTransient(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500
}

// request asks for the vectors of texts until it has them or has used up its
// attempts.
func (e *Embedder) request(ctx context.Context, texts []string, a retryLimits) ([][]float32, error) {
	body, err := json.Marshal(openai.EmbeddingRequest{Input: texts, Model: openai.EmbeddingModel(e.cfg.Model), Dimensions: e.cfg.Dimensions})
	if err != nil {
		return nil, err
	}
	policy := retrypolicy.NewBuilder[[][]float32]().
		HandleIf(func(_ [][]float32, err error) bool { return err != nil && mayRetryRequest(err) }).
		AbortIf(func(_ [][]float32, err error) bool { return !mayWait(ctx, err, a.longest) }).
		WithMaxAttempts(a.count).ReturnLastFailure().
		WithBackoff(e.cfg.Backoff, max(a.longest, e.cfg.Backoff)+1).WithJitterFactor(0.2).
		WithDelayFunc(func(exec failsafe.ExecutionAttempt[[][]float32]) time.Duration {
			wait := waitOf(exec.LastError())
			return wait + max(wait, 0)/4 // the jitter takes off a fifth at most, so the wait is long enough
		}).
		Build()
	vectors, err := failsafe.With(policy).WithContext(ctx).Get(func() ([][]float32, error) { return e.requestOnce(ctx, body, len(texts), a.limit) })
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e.recordResult(timedOut(err)) // operators should see it, whichever limit ended the request
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	e.recordResult(err)
	if err != nil {
		return nil, fmt.Errorf("embed %d texts: %w: %w", len(texts), err, assistants.ErrUnavailable)
	}
	return vectors, nil
}

// waitOf returns the wait that the server asks for; negative if it names none.
func waitOf(err error) time.Duration {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.wait
	}
	return -1
}

// mayWait reports whether the caller's deadline allows the wait that the server asks
// for.
func mayWait(ctx context.Context, err error, longest time.Duration) bool {
	wait := waitOf(err)
	deadline, bounded := ctx.Deadline()
	return wait <= longest && (!bounded || wait < time.Until(deadline))
}

// recordResult stores the result of a request for Status.
func (e *Embedder) recordResult(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state, e.reason = assistants.EmbedderReady, ""
	if err == nil {
		return
	}
	e.state, e.reason = assistants.EmbedderFailing, "The embedding server's answer is of no use."
	if known, ok := errors.AsType[*Error](err); ok {
		e.reason = known.Message
	}
}

// requestOnce makes one attempt.
func (e *Embedder) requestOnce(ctx context.Context, body []byte, texts int, limit time.Duration) ([][]float32, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errLate)
	defer cancel()
	resp, err := e.http.Embeddings(ctx, Call{Body: body, Model: e.cfg.Model})
	if err != nil {
		return nil, asTimeout(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }() // it is read or given up
	if resp.Status != http.StatusOK {
		return nil, asTimeout(ctx, refusalOf(resp))
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, asTimeout(ctx, Interrupted(err))
	}
	raw = wire.TrimMark(raw)
	vectors, err := parseEmbeddings(raw, texts)
	if err != nil {
		if message, typ, param, code, ok := wire.AnsweredError(raw); ok {
			return nil, resp.Reported(message, typ, param, code)
		}
		return nil, err
	}
	return vectors, e.checkDimensions(len(vectors[0]))
}

// asTimeout replaces the error of an attempt whose time limit ran out.
func asTimeout(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errLate) {
		return timedOut(err)
	}
	return err
}

// maxRefusal bounds what is read of an error answer.
const maxRefusal = 64 << 10

// refusalOf reads an answer with an error status.
func refusalOf(resp *Response) error {
	r := &refusal{status: resp.Status, wait: -1}
	if wait, ok := retryAfter(resp.Header); ok {
		r.wait = wait
	}
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // the status is known even if the body cannot be read
	message, typ, param, code, _ := wire.ErrorObject(raw)
	if code == "" && typ == "" {
		code = fmt.Sprint(resp.Status)
	}
	r.cause = resp.Reported(message, typ, param, code)
	return r
}

// checkDimensions compares the length of vectors with the known one. A server that
// changes it has changed its model, and vectors of two models must never meet.
func (e *Embedder) checkDimensions(dimensions int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dimensions == 0 {
		e.dimensions = dimensions
	}
	if e.dimensions != dimensions {
		return Invalid(fmt.Sprintf("The embedding server's vectors have %d dimensions instead of %d; its model has changed, or it does not take the number it is asked for.", dimensions, e.dimensions))
	}
	return nil
}
