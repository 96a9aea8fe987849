package upstream

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// forwardedHeaders are the client's headers that an upstream receives. All others
// stay: credentials and cookies belong to the client, X-Forwarded-* would identify
// it, and an Idempotency-Key would let the transport send a POST twice.
var forwardedHeaders = []string{"Openai-Beta", "Traceparent"}

// reservedHeaders belong to the connection or to the body, or would allow replays.
var reservedHeaders = map[string]bool{
	"Host": true, "Connection": true, "Keep-Alive": true, "Proxy-Connection": true, "Te": true,
	"Trailer": true, "Transfer-Encoding": true, "Upgrade": true, "Content-Length": true,
	"Content-Encoding": true, "Content-Type": true, "Expect": true, "Accept-Encoding": true,
	"Idempotency-Key": true, "X-Idempotency-Key": true,
}

// fixedHeader builds the headers of every request to an upstream. Configured headers
// win over the key's, so that any scheme of credentials works.
func fixedHeader(apiKey string, azure bool, configured map[string]string) (http.Header, error) {
	h := http.Header{"User-Agent": {"footnote"}}
	if apiKey != "" {
		name, value := "Authorization", "Bearer "+apiKey
		if azure {
			name, value = "Api-Key", apiKey
		}
		if err := checkKey(apiKey); err != nil {
			return nil, err
		}
		h.Set(name, value)
	}
	for name, value := range configured {
		if err := checkHeader(name, value); err != nil {
			return nil, err
		}
		h.Set(name, value)
	}
	return h, nil
}

func checkKey(apiKey string) error {
	if !httpguts.ValidHeaderFieldValue(apiKey) || strings.ContainsAny(apiKey, " \t") {
		return errors.New("the upstream's API key has characters that no key has (white space, line breaks); check for a pasted line end")
	}
	return nil
}

func checkHeader(name, value string) error {
	switch {
	case !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value):
		return fmt.Errorf("the upstream's configured header %q is no valid header", name)
	case reservedHeaders[http.CanonicalHeaderKey(name)]:
		return fmt.Errorf("the upstream's header %q cannot be configured: it is set for each request", name)
	}
	return nil
}

// requestHeader returns the headers of one call. While requests are traced, the trace
// goes on from our span, not from the client's.
func requestHeader(fixed, client http.Header, stream bool, traceparent string) http.Header {
	h := make(http.Header, len(fixed)+5)
	for _, name := range forwardedHeaders {
		if v := client.Values(name); len(v) > 0 {
			h[name] = v
		}
	}
	if traceparent != "" {
		h.Set("Traceparent", traceparent)
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	if stream {
		h.Set("Accept", "text/event-stream")
		// A compressing server collects events until a block is full.
		h.Set("Accept-Encoding", "identity")
	}
	maps.Copy(h, fixed)
	return h
}

// shownHeaders are the upstream's headers that clients receive. All others (cookies,
// organisation, server, infrastructure) stay.
var shownHeaders = []string{"Content-Type", "Openai-Processing-Ms"}

// maxSDKWait is the longest wait that the OpenAI SDKs honour. Beyond it some repeat
// at once, so they get X-Should-Retry: false.
const maxSDKWait = 60 * time.Second

// ClientHeaders picks the headers of an upstream's answer for the client:
// Content-Type, Retry-After, Retry-After-Ms, x-ratelimit-* and openai-processing-ms.
// If one form of Retry-After is missing, it is added. Both are whole numbers,
// because a date would need clocks that agree. An impossible wait (negative,
// infinite) is left out, and a wait that SDKs would not keep comes with
// X-Should-Retry: false. The result belongs to the caller.
func ClientHeaders(h http.Header) http.Header {
	out := make(http.Header, 4)
	for _, name := range shownHeaders {
		if v := h.Values(name); len(v) > 0 {
			out[name] = v
		}
	}
	for name, v := range h {
		if len(name) > len("x-ratelimit-") && strings.EqualFold(name[:len("x-ratelimit-")], "x-ratelimit-") {
			out[http.CanonicalHeaderKey(name)] = v
		}
	}
	wait, ok := retryAfter(h)
	if !ok {
		return out
	}
	copyOr(out, h, "Retry-After", strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10))
	copyOr(out, h, "Retry-After-Ms", strconv.FormatInt(wait.Milliseconds(), 10))
	if wait > maxSDKWait {
		out.Set("X-Should-Retry", "false")
	}
	return out
}

// copyOr copies a header if it is a wait in digits, and sets its value otherwise.
func copyOr(out, in http.Header, name, value string) {
	if v := in.Get(name); v != "" && strings.Trim(v, "0123456789") == "" {
		if _, ok := parseWait(name, v, in); ok {
			value = v
		}
	}
	out.Set(name, value)
}

// RefusalHeaders are the [ClientHeaders] of an answer with an error status. A 429
// always names a wait.
func RefusalHeaders(status int, h http.Header) http.Header {
	out := ClientHeaders(h)
	if status == http.StatusTooManyRequests && out.Get("Retry-After") == "" {
		out.Set("Retry-After", "1")
		out.Set("Retry-After-Ms", "1000")
	}
	return out
}

// retryAfter reads the wait that an upstream asks for. Milliseconds come first, as
// in the SDKs.
func retryAfter(h http.Header) (time.Duration, bool) {
	for _, name := range []string{"Retry-After-Ms", "Retry-After"} {
		if wait, ok := parseWait(name, h.Get(name), h); ok {
			return wait, true
		}
	}
	return 0, false
}

// maxWait bounds a plausible wait.
const maxWait = 365 * 24 * time.Hour

// parseWait reads one form of Retry-After: seconds or milliseconds, with or
// without a fraction, or a date, relative to the answer's own date.
func parseWait(name, value string, h http.Header) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	unit := time.Second
	if name == "Retry-After-Ms" {
		unit = time.Millisecond
	}
	// ParseFloat alone would accept "inf", "nan" and hexadecimal numbers.
	if value != "" && strings.Trim(value, "0123456789.") == "" {
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || n > maxWait.Seconds()*float64(time.Second/unit) {
			return 0, false
		}
		return time.Duration(n * float64(unit)), true
	}
	if value == "" || unit != time.Second {
		return 0, false
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	now := time.Now()
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	if wait := at.Sub(now); wait < maxWait {
		return max(wait, 0), true
	}
	return 0, false
}
