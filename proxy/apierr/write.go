package apierr

import (
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
)

// RequestIDHeader is the response header that carries the request's id. A
// middleware sets it before any handler runs.
const RequestIDHeader = "X-Request-Id"

// A Body is the error object of the OpenAI API, wrapped as it is sent.
type Body struct {
	Error Object `json:"error"`
}

// An Object is an error as clients read it. Param is null when no parameter is
// at fault.
type Object struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    string  `json:"code"`
}

// Object returns the error as clients read it.
func (e *Error) Object() Object {
	o := Object{Message: e.Message, Type: e.Type, Code: e.Code}
	if e.Param != "" {
		o.Param = &e.Param
	}
	return o
}

// ObjectOf returns err as clients read it.
func ObjectOf(err error) Object { return resolve(err).Object() }

// JSON returns the body of err as one line of JSON, without a line end.
func JSON(err error) []byte {
	b, encodeErr := json.Marshal(Body{ObjectOf(err)})
	if encodeErr != nil { // strings always encode
		panic(encodeErr)
	}
	return b
}

// Status returns the status with which Write would answer err.
func Status(err error) int { return resolve(err).Status }

// StatusAndCode returns the status and the code with which Write would answer err.
func StatusAndCode(err error) (status int, code string) {
	e := resolve(err)
	return e.Status, e.Code
}

// Frame returns err as the event that ends a stream in which something failed.
// It has no name, as OpenAI clients read unnamed events only.
func Frame(err error) []byte {
	return append(append([]byte("data: "), JSON(err)...), '\n', '\n')
}

// Handle makes a gin handler of a function that returns its error.
func Handle(h func(c *gin.Context) error) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := h(c); err != nil {
			Write(c, err)
		}
	}
}

// Write answers a request with err and ends its chain of handlers. If the
// answer has begun already, err is only logged; the caller decides how to
// break off.
func Write(c *gin.Context, err error) {
	c.Abort()
	e := Report(c, err)
	if c.Writer.Written() {
		return
	}
	if e.Status == StatusClientClosed {
		c.Status(StatusClientClosed) // the client is gone; the status is for the access log
		return
	}
	e.setHeaders(c.Writer.Header())
	c.Data(e.Status, "application/json", JSON(e))
}

// Report logs err if its status is 500 or more, and returns it as clients see
// it. Write calls it; others need it only for an error that is part of a
// larger answer or of a stream.
func Report(c *gin.Context, err error) *Error {
	e := resolve(err)
	if e.Status == StatusClientClosed && c.Request.Context().Err() == nil {
		// Cancelled, but not by the client, which still waits for an answer.
		e = resolve(&Error{Status: http.StatusInternalServerError, Code: CodeInternal, Message: Internal().Message, Cause: err})
	}
	if e.Status >= http.StatusInternalServerError {
		level := slog.LevelError
		switch e.Code {
		case CodeDraining, CodeOverloaded:
			level = slog.LevelWarn // expected under load and at shutdown
		case CodeStarting:
			level = slog.LevelDebug // health checks ask every few seconds
		}
		slog.Log(c.Request.Context(), level, "request failed",
			"request_id", c.Writer.Header().Get(RequestIDHeader), "method", c.Request.Method, "route", c.FullPath(),
			"status", e.Status, "code", e.Code, "error", causeText(e))
	}
	return e
}

// causeText avoids logging the message twice when the cause is the error itself.
func causeText(e *Error) string {
	if own, ok := errors.AsType[*Error](e.Cause); ok && own.Cause != nil {
		return own.Cause.Error()
	}
	return e.Cause.Error()
}

// longestWait is how long clients of this API wait at most; they ignore a
// longer Retry-After and retry at once, unless X-Should-Retry forbids it.
const longestWait = time.Minute

func (e *Error) setHeaders(h http.Header) {
	h.Set("Content-Type", "application/json") // gin keeps one that a handler set before it failed
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	permanent := e.Permanent
	wait := max(e.RetryAfter, 0)
	switch e.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if wait == 0 {
			wait = time.Second
		}
	}
	if wait > 0 {
		permanent = permanent || wait > longestWait
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		h.Set("Retry-After-Ms", strconv.FormatInt(max(wait.Milliseconds(), 1), 10))
	}
	if permanent {
		h.Set("X-Should-Retry", "false")
	}
}

// NoMethod answers a path that is served, but not for this method. The
// router has set the Allow header.
func NoMethod(c *gin.Context) {
	Write(c, New(http.StatusMethodNotAllowed, CodeMethodNotAllowed, "This path does not take this method."))
}
