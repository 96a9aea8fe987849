package control

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

const (
	idempotencyHeader = "Idempotency-Key"
	replayedHeader    = "Idempotent-Replayed"
	maxIdempotencyKey = 255
	// keyLife is how long a key identifies its request.
	keyLife = 24 * time.Hour
	// attemptLease is how long other attempts wait after the process of one
	// died. A living attempt renews it. It may be short, because two concurrent
	// attempts make one resource, not two.
	attemptLease = 5 * time.Second
	// finishTimeout bounds storing the result of an attempt.
	finishTimeout = 10 * time.Second
)

// idempotencyKey reads the header; "" when it was not sent.
func idempotencyKey(c *gin.Context) (string, error) {
	values := c.Request.Header.Values(idempotencyHeader)
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	if len(values) > 1 || !utf8.ValidString(key) || strings.ContainsFunc(key, unicode.IsControl) ||
		key == "" || utf8.RuneCountInString(key) > maxIdempotencyKey {
		return "", apierr.Invalid(idempotencyHeader, fmt.Sprintf("%s must be sent once, with 1 to %d characters.", idempotencyHeader, maxIdempotencyKey))
	}
	return key, nil
}

// A request is work that a client wants done once.
type request struct {
	key       string // "": the client sent no key
	route     string // method and route, with resolved ids
	content   []byte // everything that determines the work
	resources []string
}

// fingerprint distinguishes requests that were sent with the same key.
func (r request) fingerprint() string {
	sum := sha256.Sum256(append([]byte(r.route+"\n"), r.content...))
	return hex.EncodeToString(sum[:])
}

// An attempt is one try at a request.
type attempt struct {
	resources []string  // ids of what it makes
	resumed   bool      // an earlier attempt may have made some of them
	since     time.Time // when the first attempt began
}

// An answer is the response to a request.
type answer struct {
	status int
	body   any
	// open says that another attempt may get further, so this answer must not be
	// stored.
	open bool
}

// once does a request's work and answers it. With a key the work is done once in
// 24 hours: the first answer is stored and repeated.
//
// An attempt reserves the key before it begins, with the ids of what it will
// make. If the process dies before it answers, the reservation stays. When its
// lease has ended, the next attempt takes it over, finds by the ids what was
// made, and answers as the first would have.
//
// Successes and internal errors (500) are stored. A refusal (4xx) changed
// nothing and frees the key. A failure that may pass (503, a client that left)
// keeps the reservation, because it may have done the work without knowing.
func (a *api) once(c *gin.Context, r request, do func(ctx context.Context, t attempt) (answer, error)) error {
	ctx := c.Request.Context()
	if r.key == "" {
		out, err := do(ctx, attempt{resources: r.resources})
		if err != nil {
			return err
		}
		c.JSON(out.status, out.body)
		return nil
	}
	now := a.Now()
	stored, reserved, err := a.Store.ReserveRequest(ctx, assistants.IdempotentRequest{
		TenantID: principalOf(c).Tenant, Key: assistants.HashIdempotencyKey(r.key), Fingerprint: r.fingerprint(),
		Resources: r.resources, LeaseUntil: now.Add(attemptLease), CreatedAt: now, ExpiresAt: now.Add(keyLife),
	}, now)
	if err != nil {
		return err
	}
	if !reserved {
		return repeat(c, stored, r.fingerprint(), now)
	}
	release := a.renewAttempt(&stored)
	out, err := func() (answer, error) {
		defer release()
		return do(ctx, attempt{stored.Resources, stored.Attempt > 1, stored.CreatedAt})
	}()
	if err != nil {
		a.finishAttempt(ctx, stored, apierr.Status(err), apierr.JSON(err), mayPass(apierr.Status(err)))
		return err
	}
	body, err := json.Marshal(out.body)
	if err != nil {
		return err
	}
	a.finishAttempt(ctx, stored, out.status, body, out.open)
	c.Data(out.status, jsonType, body)
	return nil
}

const jsonType = "application/json; charset=utf-8"

// repeat answers a request whose key is taken.
func repeat(c *gin.Context, stored assistants.IdempotentRequest, fingerprint string, now time.Time) error {
	switch {
	case stored.Fingerprint != fingerprint:
		return &apierr.Error{Status: http.StatusUnprocessableEntity, Code: apierr.CodeIdempotencyMismatch, Param: idempotencyHeader,
			Message: "This " + idempotencyHeader + " was sent with another request before; use a fresh one for each."}
	case stored.Status == 0:
		return &apierr.Error{Status: http.StatusConflict, Code: apierr.CodeIdempotencyProgress, Param: idempotencyHeader,
			Message: "The request with this " + idempotencyHeader + " is being worked on; try again.", RetryAfter: max(stored.LeaseUntil.Sub(now), time.Second)}
	}
	c.Header(replayedHeader, "true")
	noteRepeated(c, stored.Body)
	if stored.Status < http.StatusInternalServerError {
		c.Data(stored.Status, jsonType, stored.Body)
		return nil
	}
	c.Header("X-Should-Retry", "false")
	c.Header("Cache-Control", "no-store")
	c.Data(stored.Status, "application/json", stored.Body)
	return nil
}

// mayPass reports whether the next attempt at the same request may succeed.
func mayPass(status int) bool {
	return status > http.StatusInternalServerError || status == apierr.StatusClientClosed
}

// finishAttempt stores the result of an attempt. If that fails, the lease ends by
// itself and the next attempt finds what this one made.
func (a *api) finishAttempt(ctx context.Context, r assistants.IdempotentRequest, status int, body []byte, open bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	var err error
	switch {
	case open:
		_, err = a.Store.RenewRequest(ctx, r, a.Now())
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		err = a.Store.ForgetRequest(ctx, r)
	default:
		r.Status, r.Body = status, body
		err = a.Store.AnswerRequest(ctx, r)
	}
	// A conflict means that another attempt took over; its answer is the same.
	if err != nil && !errors.Is(err, assistants.ErrConflict) {
		a.Log.Warn("the answer to a request with an idempotency key was not stored", "error", err)
	}
}

// renewAttempt renews an attempt's lease until release is called. r must not be
// used before release returns.
func (a *api) renewAttempt(r *assistants.IdempotentRequest) (release func()) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(attemptLease / 3)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
			}
			// Stop does not cancel it, because the outcome of the renewal must be known.
			ctx, cancel := context.WithTimeout(context.Background(), attemptLease)
			renewed, err := a.Store.RenewRequest(ctx, *r, a.Now().Add(attemptLease))
			cancel()
			if err == nil {
				*r = renewed
			} else if errors.Is(err, assistants.ErrConflict) {
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-done
	}
}

// canonical returns a JSON text independent of its spelling: the order of
// members, spaces and escapes. Numbers keep their digits.
func canonical(text []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return text
	}
	out, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return out
}
