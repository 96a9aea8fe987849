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
	// keyLife is how long a key stands for its request.
	keyLife = 24 * time.Hour
	// attemptLease is how long an attempt keeps others waiting after its
	// process died; it is renewed while the attempt is alive. It may be short:
	// two attempts at work side by side make one thing, not two.
	attemptLease = 5 * time.Second
	// closingTime is how long settling an attempt may take.
	closingTime = 10 * time.Second
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

// A request is what a client asks to be done once.
type request struct {
	key       string // "": it did not ask for that
	route     string // method and route, ids resolved
	content   []byte // everything that decides what is done
	resources []string
}

// fingerprint tells requests apart that were sent with one key.
func (r request) fingerprint() string {
	sum := sha256.Sum256(append([]byte(r.route+"\n"), r.content...))
	return hex.EncodeToString(sum[:])
}

// A try is one attempt at a request.
type try struct {
	resources []string  // ids of what it makes
	resumed   bool      // an earlier attempt may have made some of it
	since     time.Time // when the first attempt began
}

// An answer is what a request is answered with.
type answer struct {
	status int
	body   any
	// open says that another attempt may get further, so that this answer must
	// not stand for all of them.
	open bool
}

// once does what a request asks for and answers it. With a key it happens once
// in 24 hours, however often the request is sent: the first answer is stored
// and repeated.
//
// An attempt is reserved, with the ids of what it will make, before it begins.
// A process that dies between the work and its answer leaves the reservation;
// when its lease has ended the next attempt takes it over, finds by the ids
// what is there already and answers as the first would have. Answers that did
// the work, or met an error of ours that nobody understands, are stored. A
// refusal (4xx) did nothing and frees the key. A failure that may pass (503,
// a client that left) keeps the reservation for the next attempt: it may have
// done the work without knowing.
func (a *api) once(c *gin.Context, r request, do func(ctx context.Context, t try) (answer, error)) error {
	ctx := c.Request.Context()
	if r.key == "" {
		out, err := do(ctx, try{resources: r.resources})
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
	release := a.keepAttempt(&stored)
	out, err := func() (answer, error) {
		defer release()
		return do(ctx, try{stored.Resources, stored.Attempt > 1, stored.CreatedAt})
	}()
	if err != nil {
		a.settle(ctx, stored, apierr.Status(err), apierr.JSON(err), mayPass(apierr.Status(err)))
		return err
	}
	body, err := json.Marshal(out.body)
	if err != nil {
		return err
	}
	a.settle(ctx, stored, out.status, body, out.open)
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
	if stored.Status < http.StatusInternalServerError {
		c.Data(stored.Status, jsonType, stored.Body)
		return nil
	}
	c.Header("X-Should-Retry", "false")
	c.Header("Cache-Control", "no-store")
	c.Data(stored.Status, "application/json", stored.Body)
	return nil
}

// mayPass reports whether an error with this status says nothing about the
// next attempt at the same request.
func mayPass(status int) bool {
	return status > http.StatusInternalServerError || status == apierr.StatusClientClosed
}

// settle ends an attempt. Should that fail, the lease ends by itself and the
// next attempt finds what this one made.
func (a *api) settle(ctx context.Context, r assistants.IdempotentRequest, status int, body []byte, open bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
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
	// A conflict means that another attempt took over; it answers alike.
	if err != nil && !errors.Is(err, assistants.ErrConflict) {
		a.Log.Warn("the answer to a request with an idempotency key was not stored", "error", err)
	}
}

// keepAttempt renews an attempt's lease until release is called. r must not be
// touched before that returns.
func (a *api) keepAttempt(r *assistants.IdempotentRequest) (release func()) {
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
			// Not ended by stop: whether a renewal under way came through must be known.
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

// canonical is a JSON text that was read as such without its spelling: the
// order of members, spaces and escapes. Numbers keep their digits.
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
