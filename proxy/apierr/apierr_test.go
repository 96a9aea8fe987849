package apierr

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/upstream"
	"footnote/proxy/wire"
)

// secret stands for internal text: it must never be in an answer.
const secret = "postgres://user:hunter2@10.0.0.7/x"

func TestTable(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	internal := errors.New(secret)
	for _, c := range []struct {
		name   string
		err    error
		status int
		typ    string
		param  string
		code   string
	}{
		{"an unknown error", internal, 500, TypeServer, "", "internal_error"},
		{"wire", fmt.Errorf("read: %w", &wire.Error{Code: "duplicate_key", Param: "model", Message: "m"}), 400, TypeInvalidRequest, "model", "duplicate_key"},
		{"an upstream that broke off", upstream.Interrupted(internal), 502, TypeUpstream, "", "upstream_stream_interrupted"},
		{"an upstream that stalled", upstream.Stalled(time.Second), 504, TypeUpstream, "", "upstream_stalled"},
		{"an upstream's rate limit", upstream.Reported("slow down", "rate_limit_error", "", ""), 429, TypeRateLimit, "", "upstream_rate_limited"},
		{"an upstream's refusal of our key", upstream.Reported("bad key "+secret, "authentication_error", "", ""), 502, TypeUpstream, "", "upstream_auth_failed"},
		{"an upstream's complaint about a parameter", upstream.Reported("too long", "invalid_request_error", "messages", "context_length_exceeded"), 400, TypeInvalidRequest, "messages", "context_length_exceeded"},
		{"a body over its limit", fmt.Errorf("read: %w", &http.MaxBytesError{Limit: 5}), 413, TypeInvalidRequest, "", "request_too_large"},
		{"a field", fmt.Errorf("x: %w", &assistants.FieldError{Field: "top_p", Message: "m"}), 400, TypeInvalidRequest, "top_p", "invalid_value"},
		{"a field that is not built", &assistants.FieldError{Field: "top_p", Message: "m", Kind: assistants.ErrNotBuilt}, 400, TypeInvalidRequest, "top_p", "not_available"},
		{"a field of another type", &assistants.FieldError{Field: "top_p", Message: "m", Kind: assistants.ErrWrongType}, 400, TypeInvalidRequest, "top_p", "invalid_type"},
		{"a field of an unknown kind", &assistants.FieldError{Field: "top_p", Message: "m", Kind: internal}, 400, TypeInvalidRequest, "top_p", "invalid_value"},
		{"a slug that is taken", &assistants.FieldError{Field: "slug", Message: "m", Kind: assistants.ErrConflict}, 409, TypeInvalidRequest, "slug", "conflict"},
		{"ambiguous credentials", fmt.Errorf("%s: %w", secret, assistants.ErrAmbiguous), 400, TypeInvalidRequest, "", "ambiguous_credentials"},
		{"not built", fmt.Errorf("%s: %w", secret, assistants.ErrNotBuilt), 400, TypeInvalidRequest, "", "not_available"},
		{"no key", fmt.Errorf("%s: %w", secret, assistants.ErrUnauthorized), 401, TypeInvalidRequest, "", "invalid_api_key"},
		{"no scope", fmt.Errorf("%s: %w", secret, assistants.ErrForbidden), 403, TypePermission, "", "permission_denied"},
		{"not found", fmt.Errorf("%s: %w", secret, assistants.ErrNotFound), 404, TypeInvalidRequest, "", "not_found"},
		{"conflict", fmt.Errorf("%s: %w", secret, assistants.ErrConflict), 409, TypeInvalidRequest, "", "conflict"},
		{"stale", fmt.Errorf("%s: %w", secret, assistants.ErrStale), 412, TypeInvalidRequest, "", "precondition_failed"},
		{"too large", fmt.Errorf("%s: %w", secret, assistants.ErrTooLarge), 413, TypeInvalidRequest, "", "request_too_large"},
		{"media", fmt.Errorf("%s: %w", secret, assistants.ErrUnsupportedMedia), 415, TypeInvalidRequest, "", "unsupported_media_type"},
		{"empty file", fmt.Errorf("%s: %w", secret, assistants.ErrEmptyFile), 422, TypeInvalidRequest, "", "empty_file"},
		{"invalid", fmt.Errorf("%s: %w", secret, assistants.ErrInvalid), 400, TypeInvalidRequest, "", "invalid_value"},
		{"storage", fmt.Errorf("%s: %w", secret, assistants.ErrUnavailable), 503, TypeServer, "", "storage_unavailable"},
		{"a deadline", fmt.Errorf("%s: %w", secret, context.DeadlineExceeded), 504, TypeUpstream, "", "upstream_timeout"},
		{"storage, because the client went", fmt.Errorf("%w: %w", assistants.ErrUnavailable, context.Canceled), 499, TypeInvalidRequest, "", "client_closed"},
		{"an own error wins over its cause", &Error{Status: 503, Code: "draining", Message: "m", Cause: assistants.ErrNotFound}, 503, TypeServer, "", "draining"},
		{"own, wrapped", fmt.Errorf("%s: %w", secret, Missing("name")), 400, TypeInvalidRequest, "name", "missing_required_parameter"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body := answerTo(c.err)
			if status != c.status || body.Error.Type != c.typ || body.Error.Code != c.code {
				t.Errorf("got %d %s %s, want %d %s %s", status, body.Error.Type, body.Error.Code, c.status, c.typ, c.code)
			}
			if got := body.Error.Param; got == nil && c.param != "" || got != nil && *got != c.param {
				t.Errorf("param %v, want %q", got, c.param)
			}
			if body.Error.Message == "" || strings.Contains(string(JSON(c.err)), "hunter2") {
				t.Errorf("the answer %s says nothing, or too much", JSON(c.err))
			}
		})
	}
}

// answer sends err through a real server and returns what a client gets, and the log.
func answer(t *testing.T, err error) (*http.Response, string, string) {
	t.Helper()
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&log, nil)))
	defer slog.SetDefault(before)
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.GET("/x/:id", func(c *gin.Context) { c.Header(RequestIDHeader, "req_1") }, Handle(func(*gin.Context) error { return err }),
		func(*gin.Context) { t.Error("a handler ran after the error") })
	server := httptest.NewServer(r)
	defer server.Close()
	resp, getErr := server.Client().Get(server.URL + "/x/7")
	if getErr != nil {
		t.Fatal(getErr)
	}
	defer resp.Body.Close()
	body, readErr := io.ReadAll(resp.Body)
	if readErr != nil {
		t.Fatal(readErr)
	}
	return resp, string(body), log.String()
}

func TestWriteIsExactlyTheErrorObject(t *testing.T) {
	resp, body, log := answer(t, Invalid("top_k", `a "quoted" text`))
	if want := `{"error":{"message":"a \"quoted\" text","type":"invalid_request_error","param":"top_k","code":"invalid_value"}}`; body != want {
		t.Errorf("body %s\nwant %s", body, want)
	}
	if resp.StatusCode != 400 || resp.Header.Get("Content-Type") != "application/json" || resp.Header.Get(RequestIDHeader) != "req_1" {
		t.Errorf("status %d, headers %v", resp.StatusCode, resp.Header)
	}
	if resp.Header.Get("X-Should-Retry") != "" || log != "" {
		t.Errorf("a client's mistake: x-should-retry %q, log %s", resp.Header.Get("X-Should-Retry"), log)
	}
	if _, body, _ = answer(t, NotFound()); !strings.Contains(body, `"param":null`) {
		t.Errorf("%s: no param must be null", body)
	}
}

func TestForeignAndAbsentAnswerAlike(t *testing.T) {
	_, absent, _ := answer(t, fmt.Errorf("db: assistant: %w", assistants.ErrNotFound))
	_, foreign, _ := answer(t, assistants.ErrNotFound)
	_, own, _ := answer(t, NotFound())
	if absent != foreign || own != foreign {
		t.Errorf("%s\n%s\n%s", absent, foreign, own)
	}
}

func TestServerErrorsAreLoggedOnceWithTheRequestID(t *testing.T) {
	_, body, log := answer(t, fmt.Errorf("load: %w", errors.New(secret)))
	if strings.Contains(body, "load") || strings.Contains(body, "hunter2") {
		t.Errorf("internal text in %s", body)
	}
	if strings.Count(log, "\n") != 1 {
		t.Fatalf("want one line in the log: %s", log)
	}
	var line map[string]any
	if err := json.Unmarshal([]byte(log), &line); err != nil {
		t.Fatal(err)
	}
	if line["request_id"] != "req_1" || line["route"] != "/x/:id" || line["status"] != 500.0 || !strings.Contains(fmt.Sprint(line["error"]), "load: ") {
		t.Errorf("log line %v", line)
	}
}

func TestRetryHeaders(t *testing.T) {
	for _, c := range []struct {
		name                    string
		err                     error
		after, millis, noRetry  string
		status                  int
		challenge, contentSniff string
	}{
		{name: "429 rounds up to whole seconds", err: RateLimited(1200 * time.Millisecond), status: 429, after: "2", millis: "1200"},
		{name: "503 without a time says one second", err: Overloaded(), status: 503, after: "1", millis: "1000"},
		{name: "waits that clients ignore are forbidden", err: RateLimited(61 * time.Second), status: 429, after: "61", millis: "61000", noRetry: "false"},
		{name: "a missing model stays missing", err: UpstreamModelMissing(), status: 503, after: "1", millis: "1000", noRetry: "false"},
		{name: "a refused key stays refused", err: upstream.Reported("", "authentication_error", "", ""), status: 502, noRetry: "false"},
		{name: "a conflict stays", err: Conflict("slug", "m"), status: 409, noRetry: "false"},
		{name: "an internal error may pass", err: errors.New("x"), status: 500},
		{name: "401 names the scheme", err: assistants.ErrUnauthorized, status: 401, challenge: "Bearer"},
	} {
		resp, _, _ := answer(t, c.err)
		h := resp.Header
		if resp.StatusCode != c.status || h.Get("Retry-After") != c.after || h.Get("Retry-After-Ms") != c.millis ||
			h.Get("X-Should-Retry") != c.noRetry || h.Get("WWW-Authenticate") != c.challenge {
			t.Errorf("%s: %d %v", c.name, resp.StatusCode, h)
		}
	}
}

func TestNothingIsWrittenIntoAnAnswerThatHasBegun(t *testing.T) {
	w := httptest.NewRecorder()
	c, _ := gin.CreateTestContext(w)
	c.Request = httptest.NewRequest(http.MethodGet, "/", nil)
	c.String(http.StatusOK, "half of it")
	Write(c, assistants.ErrNotFound)
	if w.Code != 200 || w.Body.String() != "half of it" || !c.IsAborted() {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}

func TestAClientThatLeftIsCountedAndNotLogged(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	for name, gone := range map[string]bool{"the client left": true, "we gave up": false} {
		log.Reset()
		w := httptest.NewRecorder()
		c, _ := gin.CreateTestContext(w)
		ctx, cancel := context.WithCancel(t.Context())
		c.Request = httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx)
		if gone {
			cancel()
		}
		Write(c, fmt.Errorf("query: %w", context.Canceled))
		if gone && (c.Writer.Status() != StatusClientClosed || w.Body.Len() != 0 || log.Len() != 0) {
			t.Errorf("%s: %d %q, log %q", name, c.Writer.Status(), w.Body, &log)
		}
		if !gone && (c.Writer.Status() != 500 || w.Body.Len() == 0 || log.Len() == 0) {
			t.Errorf("%s: %d %q, log %q", name, c.Writer.Status(), w.Body, &log)
		}
		cancel()
	}
}

func TestFrameIsOneUnnamedEvent(t *testing.T) {
	got := string(Frame(New(502, "upstream_error", "two\nlines")))
	if want := "data: " + `{"error":{"message":"two\nlines","type":"upstream_error","param":null,"code":"upstream_error"}}` + "\n\n"; got != want {
		t.Errorf("frame %q\nwant  %q", got, want)
	}
}

func TestNamesThatAClientSentAreRepeatedShortAndPrintable(t *testing.T) {
	for _, e := range []*Error{ModelNotFound(strings.Repeat("é", 1<<20) + "\x00"), Unsupported("a\r\nb\u202e" + strings.Repeat("x", 500)), Duplicate(strings.Repeat("y", 500))} {
		if len(e.Message) > 300 || len(e.Param) > 200 || strings.ContainsAny(e.Param, "\r\n\u202e\x00") || strings.ContainsAny(e.Message, "\r\n\u202e\x00") {
			t.Errorf("message %q, param %q", e.Message, e.Param)
		}
	}
}

func TestPathsAndMethodsThatAreNotServed(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.HandleMethodNotAllowed = true
	r.NoRoute(NoRoute)
	r.NoMethod(NoMethod)
	r.GET("/here", func(*gin.Context) {})
	for _, c := range []struct {
		method, path, code string
		status             int
	}{{"GET", "/there", CodeNotFound, 404}, {"POST", "/here", CodeMethodNotAllowed, 405}} {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.code) || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %d %s %v", c.method, c.path, w.Code, w.Body, w.Header())
		}
	}
}

func TestEveryConstructorHasAStatusAndACode(t *testing.T) {
	for _, e := range []*Error{
		InvalidJSON("m"), Missing("p"), InvalidType("p", "m"), Invalid("p", "m"), Duplicate("p"), Unsupported("p"), NotAvailable("p"),
		NotFound(), ModelNotFound("x"), Conflict("p", "m"), UnsupportedMedia("m"), TooLarge(1), RateLimited(0), TooManyStreams(), Internal(), Overloaded(),
		Draining(), ShuttingDown(), RetrievalUnavailable(), CitationMapping(7, 2), NoCitations(), UnknownDocument(), UpstreamModelMissing(), UpstreamMissing(secret), StreamTooLong(),
	} {
		if e.Status < 400 || e.Code == "" || e.Message == "" || strings.Contains(e.Message, secret) {
			t.Errorf("%+v", e)
		}
		if status, body := answerTo(e); status != e.Status || body.Error.Type == "" {
			t.Errorf("%+v is answered with %d %+v", e, status, body)
		}
	}
}

// answerTo is the status and the body that err is answered with.
func answerTo(err error) (status int, body Body) {
	e := resolve(err)
	return e.Status, Body{e.Object()}
}
