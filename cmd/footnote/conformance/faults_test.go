package conformance

import (
	"strings"
	"testing"
	"time"
)

// ours are the refusals that Footnote makes itself, before it asks a model server.
var ours = map[string]shownError{
	"bad_request": {Status: 400, Type: "invalid_request_error", Param: "messages", Code: "invalid_value"},
	"wrong_key":   {Status: 401, Type: "invalid_request_error", Code: "invalid_api_key"},
	"wrong_scope": {Status: 403, Type: "permission_error", Code: "permission_denied"},
	// By the same words as what may not be seen.
	"unknown_model": {Status: 404, Type: "invalid_request_error", Param: "model", Code: "model_not_found"},
	"too_large":     {Status: 413, Type: "invalid_request_error", Code: "request_too_large"},
	"no_model":      {Status: 503, Type: "server_error", Code: "upstream_model_missing"},
}

// TestEveryClientRaisesEveryFailure lets everything fail in all ways of all
// clients: each raises an error with the words that it was sent, and asks again
// as often as it should and no more.
func TestEveryClientRaisesEveryFailure(t *testing.T) {
	w := startWorld(t)
	t.Run("clients", func(t *testing.T) {
		for name, k := range chosen(clients) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := faultsOf{t: t, w: w, name: name, client: k, got: k.prepare(t, w)("faults")}
				for way, v := range k.views {
					if way == "async_helper" || way == "parse_helper" {
						continue // they are helper, with other things around it
					}
					f.checkRefusals(way)
					f.checkOurs(way)
					f.checkBreaches(way, v.streams)
				}
				f.checkLeaving()
			})
		}
	})
}

// faultsOf are what a client showed of what failed.
type faultsOf struct {
	t      *testing.T
	w      *world
	name   string
	client client
	got    map[string]shown
}

func (f faultsOf) checkRefusals(way string) {
	f.t.Helper()
	for _, name := range names(refused) {
		want := refused[name].want
		f.check(name, way, want)
		f.attempts(name, way, want.Status >= 500 || want.Status == 429, want.Code == "upstream_auth_failed" || name == "refused_for_long")
	}
}

func (f faultsOf) checkOurs(way string) {
	f.t.Helper()
	// Strangers are not asked to wait for long; the model server was asked until then.
	f.check("too_fast", way, shownError{Status: 429, Type: "rate_limit_error", Code: "rate_limit_exceeded"})
	for _, name := range names(ours) {
		f.check(name, way, ours[name])
		if n := len(f.w.upstream.requests(name + "/" + f.name + "/" + way)); n != 0 {
			f.t.Errorf("%s/%s: the model server was asked %d times", name, way, n)
		}
	}
}

func (f faultsOf) checkBreaches(way string, streams bool) {
	f.t.Helper()
	for _, name := range names(broken) {
		b := broken[name]
		switch {
		case streams:
			want := b.want
			want.Status = 0 // of a stream it was 200
			f.check(name, way, want)
			if text := f.got[name+"/"+way].text(); way != "accumulator" && !strings.HasPrefix(text, "Employees get 27 vacation") {
				f.t.Errorf("%s/%s: before the error the client shows %q", name, way, text)
			}
			f.attempts(name, way, false, false)
		case b.wantWhole != nil:
			f.check(name, way, *b.wantWhole)
			f.attempts(name, way, true, false)
		default:
			f.check(name, way, b.want)
			f.attempts(name, way, true, false)
		}
	}
}

// check compares an error with what was sent. Where the words are not given, there have to be some.
func (f faultsOf) check(name, way string, want shownError) {
	f.t.Helper()
	e := f.got[name+"/"+way].Error
	if e == nil {
		f.t.Errorf("%s/%s: the client shows no error", name, way)
		return
	}
	want.Class = f.client.errors.refused(want.Status)
	if want.Status == 0 {
		want.Class = f.client.errors.broken
	}
	if want.Message == "" && e.Message != "" {
		want.Message = e.Message
	}
	if f.name != "go-openai" && want.Status != 0 && e.RequestID == "" {
		f.t.Errorf("%s/%s: no request id", name, way)
	}
	if f.name != "go-openai" && want.Status == 429 && e.RetryAfter == "" {
		f.t.Errorf("%s/%s: no Retry-After", name, way)
	}
	want.RequestID, want.RetryAfter, want.Stack = e.RequestID, e.RetryAfter, e.Stack
	if *e != want {
		f.t.Errorf("%s/%s: the client shows\n%+v\nwant\n%+v", name, way, *e, want)
	}
}

// attempts compares how often the model server was asked: three times when the
// client tries again and was not asked to stop.
func (f faultsOf) attempts(name, way string, again, told bool) {
	f.t.Helper()
	want := 1
	if again && !told && !f.client.once {
		want = 3
	}
	if n := len(f.w.upstream.requests(name + "/" + f.name + "/" + way)); n != want {
		f.t.Errorf("%s/%s: the model server was asked %d times, want %d", name, way, n, want)
	}
}

// checkLeaving proves that a client that leaves frees the model server.
func (f faultsOf) checkLeaving() {
	f.t.Helper()
	checked := 0
	for name, g := range f.got {
		way, ok := strings.CutPrefix(name, "left/")
		if !ok {
			continue
		}
		checked++
		if g.text() != "Employees get 27 " {
			f.t.Errorf("%s: before it left the client shows %+v, error %+v", name, g, g.Error)
			continue
		}
		select {
		case <-f.w.upstream.left("left/" + f.name + "/" + way):
		case <-time.After(patience):
			f.t.Errorf("%s: the model server is still writing", name)
		}
	}
	if checked == 0 {
		f.t.Error("no client left")
	}
}
