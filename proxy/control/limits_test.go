package control_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/control"
)

// newLimitedWorld is newWorld with limits, whose clock stands still and whose counts
// of months are in its database.
func newLimitedWorld(t *testing.T) *world {
	t.Helper()
	var limits *access.Limits
	w := newWorld(t, func(d *control.Deps) {
		limits = access.NewLimits(access.LimitsConfig{Months: d.Store.(access.MonthStore), Now: func() time.Time { return noon }})
		d.Limits = limits
	})
	t.Cleanup(func() { // before the database is closed
		if err := limits.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func TestAKeyHasLimitsThatCanBeReadAndSet(t *testing.T) {
	w := newLimitedWorld(t)
	made := w.call("POST", "/keys", `{"name":"web","scopes":["chat","search"],"limits":{"requests_per_minute":60}}`).object(http.StatusCreated)
	limits := made["limits"].(map[string]any)
	if limits["requests_per_minute"] != 60.0 || limits["searches_per_minute"] != 30.0 || limits["tokens_per_month"] != nil {
		t.Errorf("a new key: %v", limits)
	}
	id := "/keys/" + made["id"].(string)
	patched := w.call("PATCH", id, `{"name":"site","limits":{"searches_per_minute":null,"tokens_per_month":1000}}`).object(http.StatusOK)
	limits = patched["limits"].(map[string]any)
	if patched["name"] != "site" || limits["requests_per_minute"] != 60.0 || limits["searches_per_minute"] != nil || limits["tokens_per_month"] != 1000.0 {
		t.Errorf("patched: %v", patched)
	}
	again := w.call("GET", id, "").object(http.StatusOK)
	if again["name"] != "site" || again["limits"].(map[string]any)["tokens_per_month"] != 1000.0 {
		t.Errorf("stored: %v", again)
	}
	admin := w.call("POST", "/keys", `{"name":"ops","scopes":["admin"]}`).object(http.StatusCreated)
	if got := admin["limits"].(map[string]any)["searches_per_minute"]; got != nil {
		t.Errorf("an admin key has %v searches a minute", got)
	}
	for body, param := range map[string]string{
		`{"limits":{"requests_per_minute":-1}}`:                      "limits.requests_per_minute",
		`{"limits":{"requests_per_minute":1.5}}`:                     "limits.requests_per_minute",
		`{"limits":{"tokens_per_minute":1000000000001}}`:             "limits.tokens_per_minute",
		`{"limits":{"tokens_per_minute":"many"}}`:                    "limits.tokens_per_minute",
		`{"limits":{"per_day":1}}`:                                   "limits.per_day",
		`{"limits":{"uploads_per_minute":1,"uploads_per_minute":2}}`: "limits.uploads_per_minute",
		`{"limits":null}`:                                            "limits",
		`{"limits":7}`:                                               "limits",
		`{"name":""}`:                                                "name",
		`{"scopes":["admin"]}`:                                       "scopes",
	} {
		if got := w.call("PATCH", id, body).want(http.StatusBadRequest); !strings.Contains(string(got.raw), `"param":"`+param+`"`) {
			t.Errorf("%s: %s", body, got.raw)
		}
	}
	w.call("PATCH", "/keys/key_nowhere", `{}`).fails(http.StatusNotFound, "not_found", "")
}

func TestAKeyIsNotPatchedOverAnotherChange(t *testing.T) {
	w := newLimitedWorld(t)
	id := "/keys/" + w.call("POST", "/keys", `{"name":"web","scopes":["chat"]}`).object(http.StatusCreated)["id"].(string)
	tag := w.call("GET", id, "").want(http.StatusOK).header.Get("ETag")
	patch := func() reply {
		return w.send("PATCH", id, adminKey, strings.NewReader(`{"limits":{"requests_per_minute":5}}`), "Content-Type", "application/json", "If-Match", tag)
	}
	patch().want(http.StatusOK)
	patch().fails(http.StatusPreconditionFailed, "precondition_failed", "")
}

func TestTheThirtyFirstSearchOfAMinuteIs429(t *testing.T) {
	w := newLimitedWorld(t)
	a := w.assistant("docs", `{}`)
	made := w.call("POST", "/keys", `{"name":"web","scopes":["search"]}`).object(http.StatusCreated)
	key := made["key"].(string)
	for i := range 30 {
		if got := w.as(key, "POST", "/assistants/"+a+"/retrieve", `{"query":"When?"}`); got.status != http.StatusOK {
			t.Fatal(i, got.status, string(got.raw))
		}
	}
	w.as(key, "POST", "/assistants/"+a+"/retrieve", `{"query":""}`).fails(http.StatusBadRequest, "invalid_value", "query")
	got := w.as(key, "POST", "/assistants/"+a+"/retrieve", `{"query":"When?"}`)
	got.fails(http.StatusTooManyRequests, "rate_limit_exceeded", "")
	if got.header.Get("Retry-After") != "60" || !strings.Contains(string(got.raw), "This key has reached its limit of 30 searches a minute") {
		t.Error(got.header, string(got.raw))
	}
	w.as(key, "POST", "/assistants/nowhere/retrieve", `{"query":"When?"}`).fails(http.StatusNotFound, "not_found", "")
	w.call("POST", "/assistants/"+a+"/retrieve", `{"query":"When?"}`).want(http.StatusOK) // another key
	used := w.limit("/keys/"+made["id"].(string), assistants.SearchesPerMinute)
	if used["used"] != 30.0 || used["max"] != 30.0 || used["remaining"] != 0.0 || used["resets_at"] != "2026-03-04T12:01:00Z" {
		t.Errorf("%v", used)
	}
	w.call("PATCH", "/keys/"+made["id"].(string), `{"limits":{"searches_per_minute":31}}`).want(http.StatusOK)
	w.as(key, "POST", "/assistants/"+a+"/retrieve", `{"query":"When?"}`).want(http.StatusOK) // at once
}

// limit returns what GET limits says of one limit.
func (w *world) limit(of string, name assistants.Limit) map[string]any {
	w.t.Helper()
	for _, item := range w.call("GET", of+"/limits", "").object(http.StatusOK)["data"].([]any) {
		if one := item.(map[string]any); one["limit"] == string(name) {
			return one
		}
	}
	w.t.Fatal("there is no ", name)
	return nil
}

func TestUploadsOfAnAssistantAreLimited(t *testing.T) {
	w := newLimitedWorld(t)
	a := w.assistant("docs", `{"uploads_per_minute":2}`)
	path := "/assistants/" + a + "/documents"
	file := func(name string) part { return part{"file", name, "text of " + name} }
	got := w.upload("POST", path, file("a.txt"), file("b.txt"), file("c.txt"))
	got.fails(http.StatusTooManyRequests, "rate_limit_exceeded", "")
	if !strings.Contains(string(got.raw), "This request has 3 files and this assistant is limited to 2 uploads a minute") || got.header.Get("X-Should-Retry") != "false" {
		t.Error(got.header, string(got.raw))
	}
	w.upload("POST", path, file("a.txt"), file("b.txt")).want(http.StatusAccepted)
	w.upload("POST", path, file("c.txt")).fails(http.StatusTooManyRequests, "rate_limit_exceeded", "")
	if used := w.limit("/assistants/"+a, assistants.UploadsPerMinute); used["used"] != 2.0 {
		t.Errorf("%v", used)
	}
}

func TestAnUploadThatIsRepeatedCountsOnce(t *testing.T) {
	w := newLimitedWorld(t)
	a := w.assistant("docs", `{"uploads_per_minute":1}`)
	for i, status := range []int{http.StatusAccepted, http.StatusAccepted, http.StatusTooManyRequests} {
		name := "a.txt"
		key := "again"
		if i == 2 {
			name, key = "b.txt", "another"
		}
		body, contentType := encode(t, part{"file", name, "text of " + name})
		got := w.send("POST", "/assistants/"+a+"/documents", adminKey, body, "Content-Type", contentType, "Idempotency-Key", key)
		if got.status != status {
			t.Errorf("%d: %d %s", i, got.status, got.raw)
		}
	}
}
