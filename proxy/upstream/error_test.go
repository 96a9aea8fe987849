package upstream

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestReportedFailuresGetTheStatusOfTheirClass(t *testing.T) {
	for name, c := range map[string]struct {
		typ, code string
		status    int
		want      string
	}{
		"OpenAI, context":        {"invalid_request_error", "context_length_exceeded", 400, "context_length_exceeded"},
		"OpenAI, plain":          {"invalid_request_error", "", 400, CodeReported},
		"OpenAI, server":         {"server_error", "", 502, CodeReported},
		"OpenAI, tokens":         {"tokens", "rate_limit_exceeded", 429, CodeRateLimited},
		"OpenAI, quota":          {"insufficient_quota", "insufficient_quota", 429, CodeRateLimited},
		"OpenAI, our key":        {"invalid_request_error", "invalid_api_key", 502, CodeAuthFailed},
		"Anthropic, overloaded":  {"overloaded_error", "", 503, CodeOverloaded},
		"Anthropic, key":         {"authentication_error", "", 502, CodeAuthFailed},
		"OpenRouter, 429":        {"", "429", 429, CodeRateLimited},
		"OpenRouter, 502":        {"", "502", 502, CodeReported},
		"OpenRouter, 401":        {"", "401", 502, CodeAuthFailed},
		"OpenRouter, 408":        {"", "408", 504, CodeTimeout},
		"529":                    {"", "529", 503, CodeOverloaded},
		"504":                    {"", "504", 504, CodeTimeout},
		"vLLM":                   {"BadRequestError", "400", 400, CodeReported},
		"llama.cpp, loading":     {"unavailable_error", "503", 503, CodeOverloaded},
		"nothing at all":         {"", "", 502, CodeReported},
		"a code that is no word": {"invalid_request_error", "<b>x</b>", 400, CodeReported},
		"a number out of range":  {"", "200", 502, CodeReported},
	} {
		err := Reported("It went wrong.", c.typ, "messages[0]", c.code)
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Status != c.status || e.Code != c.want {
			t.Errorf("%s: got %v with status %d, want %s with %d", name, err, e.Status, c.want, c.status)
		}
		if e.Code != CodeAuthFailed && (e.Message != "It went wrong." || e.Param != "messages[0]") {
			t.Errorf("%s: the words were lost: %v %q", name, err, e.Param)
		}
	}
	if e, _ := errors.AsType[*Error](Reported(" ", "", "", "")); strings.TrimSpace(e.Message) == "" {
		t.Error("a report without words has no message")
	}
}

func TestCredentialFailuresSayNothingOfTheUpstreams(t *testing.T) {
	e, _ := errors.AsType[*Error](Reported("Incorrect API key provided: canary", "authentication_error", "canary", "401"))
	if e.Code != CodeAuthFailed || strings.Contains(e.Message+e.Param, "canary") {
		t.Error(e)
	}
}

func TestRedactTakesOutKeysAndAddresses(t *testing.T) {
	for in, canary := range map[string]string{
		"Incorrect API key provided: sk-ab…xyz.":                    "sk-ab",
		"bad key sk-proj-AbCd1234EfGh5678 (masked sk-ab***wxyz)":    "AbCd",
		"header Authorization: Bearer abcdef0123456789":             "abcdef",
		`{"api_key":"hunter2hunter2"}`:                              "hunter2",
		"token=abcd1234; password: tops3cret":                       "tops3cret",
		"jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln":             "eyJ",
		"AIzaSyA1234567890abcdefghij is invalid":                    "AIza",
		"dial tcp 10.1.2.3:8080: connect: connection refused":       "10.1.2.3",
		"Post \"http://vllm.prod.svc.cluster.local:8000/v1\": EOF":  "vllm",
		"lookup vllm.prod.svc.cluster.local on 10.0.0.10:53":        "cluster",
		"dial tcp [fd00::1]:443: i/o timeout":                       "fd00",
		"connect to fe80::1ff:fe23:4567:890a failed":                "fe80",
		"listening on ::1 only":                                     "::1",
		"no route to gpu-box:11434":                                 "gpu-box",
		"see https://internal.example.com/x?sig=abc for help":       "internal",
		"host api.mycompany.internal refused":                       "mycompany",
		"connect to localhost failed":                               "localhost",
		"digest 0123456789abcdef0123456789abcdef does not match it": "0123456789abcdef",
	} {
		if got := Redact(in); strings.Contains(got, canary) {
			t.Errorf("Redact(%q) = %q", in, got)
		}
	}
}

func TestRedactKeepsPlainWords(t *testing.T) {
	for _, s := range []string{
		"This model's maximum context length is 8192 tokens. However, you requested 10000 tokens.",
		"The model `gpt-4o-mini-2024-07-18` does not exist.",
		"Rate limit reached: limit 200000, used 199000. Please try again in 1.5s.",
		"Invalid value: 'x' at messages[3].content; supported: 'text', 'image_url'.",
		"Überlastet – bitte später noch einmal versuchen (um 12:30 Uhr).",
		"claude-3-5-sonnet-20241022 is overloaded", "ratio 3:2", "v1.2.3",
	} {
		if got := Redact(s); got != s {
			t.Errorf("Redact(%q) = %q", s, got)
		}
	}
	if got := Redact(strings.Repeat("ä", maxMessage)); len(got) > maxMessage+8 {
		t.Errorf("%d bytes are left", len(got))
	}
}

func TestCausesAreForLogsOnly(t *testing.T) {
	err := Interrupted(io.ErrUnexpectedEOF)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "unexpected EOF") {
		t.Error(err)
	}
	if e, _ := errors.AsType[*Error](err); strings.Contains(e.Message, "EOF") {
		t.Error(e.Message)
	}
	if said := Invalid("x"); Interrupted(said) != said {
		t.Error("an error that says more is covered up")
	}
	for _, err := range []error{Stalled(time.Second), FirstTokenTimeout(time.Second)} {
		if e, ok := errors.AsType[*Error](err); !ok || e.Status < http.StatusInternalServerError || e.Message == "" || e.Error() == "" {
			t.Error(err)
		}
	}
}
