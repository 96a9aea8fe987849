package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy/upstream/upstreamtest"
)

const models = `{"data":[{"id":"m-1","created":1.5,"owned_by":"them"},{"id":"m-2"}]}`

var dawn = time.Date(2026, 3, 4, 6, 0, 0, 0, time.UTC)

func newStored(t *testing.T, cfg StoredConfig) *Stored {
	t.Helper()
	s := NewStored(cfg)
	t.Cleanup(s.Close)
	return s
}

func storedAt(base string) assistants.Upstream {
	return assistants.Upstream{
		ID: "up_1", TenantID: "t", Name: "far", BaseURL: base, APIKey: assistants.NewSecret("sk-canary-0123456789"), DefaultModel: "base",
		Headers: map[string]assistants.Secret{"X-Team": assistants.NewSecret("Bearer canary-team-token")}, UpdatedAt: dawn,
	}
}

// upstreamMap is a store of upstreams.
type upstreamMap map[string]assistants.Upstream

func (s upstreamMap) KnownUpstream(_ context.Context, tenant assistants.TenantID, ref string) (assistants.Upstream, error) {
	u, ok := s[string(tenant)+"/"+ref]
	if !ok {
		return u, fmt.Errorf("map: %w", assistants.ErrNotFound)
	}
	return u, nil
}

func TestStoredUpstreamsAreFoundAndAskedWithTheirOwnKeyAndHeaders(t *testing.T) {
	far := upstreamtest.New(t, upstreamtest.JSON(hello))
	def := client(t, "http://one.test/v1", nil)
	d := NewDirectory(Entry{Client: def}, nil).WithStored(upstreamMap{"t/far": storedAt(far.URL())}, newStored(t, StoredConfig{}))
	c, model, err := d.Named(t.Context(), "t", "far")
	if err != nil || model != "base" {
		t.Fatal(model, err)
	}
	if again, _, err := d.Named(t.Context(), "t", "far"); err != nil || again != c {
		t.Error("another client for the same upstream", err)
	}
	if _, _, err := ask(t, c.(*HTTP), Call{Header: clientHeader()}); err != nil {
		t.Fatal(err)
	}
	if h := far.Last().Header; h.Get("Authorization") != "Bearer sk-canary-0123456789" || h.Get("X-Team") != "Bearer canary-team-token" {
		t.Error(h)
	}
	if _, _, err := d.Named(t.Context(), "other", "far"); !errors.Is(err, assistants.ErrNotFound) {
		t.Errorf("another tenant gets %v", err)
	}
	if c, _, err := d.Named(t.Context(), "other", ""); err != nil || c != Client(def) {
		t.Errorf("the default one: %v, %v", c, err)
	}
}

func TestAChangeIsInForceForTheNextCallAndCutsNone(t *testing.T) {
	step := make(chan struct{})
	before := upstreamtest.New(t, upstreamtest.Stream().Then(upstreamtest.Event("one"), upstreamtest.Wait(step), upstreamtest.Event("two"), upstreamtest.EndStream()))
	after := upstreamtest.New(t, upstreamtest.JSON(hello))
	s := newStored(t, StoredConfig{})
	u := storedAt(before.URL())
	first, err := s.Client(u)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := first.Chat(t.Context(), Call{Body: []byte(prompt), Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	changed := u
	changed.BaseURL, changed.APIKey, changed.UpdatedAt = after.URL(), assistants.NewSecret("sk-another-key"), dawn.Add(time.Microsecond)
	second, err := s.Client(changed)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ask(t, second, Call{}); err != nil || after.Last().Header.Get("Authorization") != "Bearer sk-another-key" {
		t.Error("after the change:", err)
	}
	if late, err := s.Client(u); err != nil || late != second {
		t.Error("who read the former state brings it back", err)
	}
	s.Forget(u.ID)
	close(step)
	rest, err := io.ReadAll(stream.Body)
	if err != nil || string(rest) != "data: one\n\ndata: two\n\n" {
		t.Errorf("the stream under way: %q, %v", rest, err)
	}
	if err := stream.Body.Close(); err != nil {
		t.Error(err)
	}
	if third, err := s.Client(changed); err != nil || third == second {
		t.Error("what was forgotten is still there", err)
	}
}

func TestOneClientServesAll(t *testing.T) {
	s := newStored(t, StoredConfig{})
	seen := make([]*HTTP, 20)
	var all sync.WaitGroup
	for i := range seen {
		all.Go(func() { seen[i], _ = s.Client(storedAt("http://far.test/v1")) })
	}
	all.Wait()
	for _, c := range seen {
		if c == nil || c != seen[0] {
			t.Fatal("more than one client for one state of an upstream")
		}
	}
	for i := range maxClients + 10 {
		u := storedAt("http://far.test/v1")
		u.ID = assistants.UpstreamID(fmt.Sprint("up_", i))
		if _, err := s.Client(u); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.clients) > maxClients {
		t.Errorf("%d clients are kept", len(s.clients))
	}
}

func TestWhatCannotBeReadSaysWhatToDo(t *testing.T) {
	s := newStored(t, StoredConfig{})
	lost, headerLost, broken := storedAt("http://far.test/v1"), storedAt("http://far.test/v1"), storedAt("not a url")
	lost.APIKey = assistants.SealedSecret("v1:xyz")
	headerLost.Headers["X-Team"] = assistants.SealedSecret("v1:xyz")
	for says, u := range map[string]assistants.Upstream{"API key and headers again": lost, "FOOTNOTE_SECRET_KEY": headerLost, "store it again": broken} {
		for _, ask := range []func(context.Context, assistants.Upstream) ([]Model, error){s.Models, probed(s)} {
			_, err := ask(t.Context(), u)
			wantError(t, err, CodeUnavailable, 503)
			if e, _ := errors.AsType[*Error](err); !strings.Contains(e.Message, says) || strings.Contains(e.Error(), "xyz") {
				t.Errorf("%v, want %q", err, says)
			}
		}
	}
}

// probed returns only the models that a probe finds.
func probed(s *Stored) func(context.Context, assistants.Upstream) ([]Model, error) {
	return func(ctx context.Context, u assistants.Upstream) ([]Model, error) {
		found, err := s.Probe(ctx, u)
		return found.Models, err
	}
}

func TestAskingDoesNotBelieveMemories(t *testing.T) {
	far := upstreamtest.New(t, upstreamtest.JSON(models), upstreamtest.Status(401, "sk-canary-0123456789"), upstreamtest.JSON(`{"data":[]}`))
	s := newStored(t, StoredConfig{})
	u := storedAt(far.URL())
	for range 2 {
		if list, err := s.Models(t.Context(), u); err != nil || len(list) != 2 || list[0] != (Model{"m-1", 1, "them"}) {
			t.Error(list, err)
		}
	}
	_, err := s.Probe(t.Context(), u)
	wantError(t, err, CodeAuthFailed, 502)
	if list, err := probed(s)(t.Context(), u); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
	if list, err := s.Models(t.Context(), u); err != nil || len(list) != 2 || far.Count() != 3 {
		t.Error(list, err, far.Count())
	}
}

// A server that echoes what it was sent shows nothing of it to ours.
func TestNoSecretComesBackFromAServerThatEchoes(t *testing.T) {
	const key, token = "sk-canary-0123456789", "canary-team-token"
	far := upstreamtest.New(t,
		upstreamtest.JSON(`{"data":[{"id":"`+key+`"},{"id":"m","owned_by":"`+token+`"},{"id":"fine"}]}`),
		upstreamtest.Status(400, `{"error":{"message":"headers: Bearer `+key+`, X-Team: Bearer `+token+`"}}`))
	s := newStored(t, StoredConfig{})
	u := storedAt(far.URL())
	list, err := probed(s)(t.Context(), u)
	if err != nil || len(list) != 1 || list[0].ID != "fine" {
		t.Error(list, err)
	}
	c, err := s.Client(u)
	if err != nil {
		t.Fatal(err)
	}
	resp, body, err := ask(t, c, Call{})
	if err != nil || resp.Status != 400 || strings.Contains(body, key) || strings.Contains(body, token) || !strings.Contains(body, "***") {
		t.Error(resp, body, err)
	}
	reported := resp.Reported("no "+key+" and no "+token, "", "", "")
	if e, _ := errors.AsType[*Error](reported); strings.Contains(e.Message, key) || strings.Contains(e.Message, token) {
		t.Error(e.Message)
	}
}

func TestValuesThatNoUpstreamMayHave(t *testing.T) {
	s := newStored(t, StoredConfig{})
	many := map[string]assistants.Secret{}
	for i := range maxHeaders + 1 {
		many[fmt.Sprint("X-", i)] = assistants.NewSecret("v")
	}
	header := func(name, value string) func(*assistants.Upstream) {
		return func(u *assistants.Upstream) {
			u.Headers = map[string]assistants.Secret{name: assistants.NewSecret(value)}
		}
	}
	for what, c := range map[string]struct {
		field  string
		change func(*assistants.Upstream)
	}{
		"a long URL":              {"base_url", func(u *assistants.Upstream) { u.BaseURL += strings.Repeat("x", maxBaseURL) }},
		"no URL":                  {"base_url", func(u *assistants.Upstream) { u.BaseURL = "" }},
		"a port that is none":     {"base_url", func(u *assistants.Upstream) { u.BaseURL = "http://host:70000/v1" }},
		"a line end in the key":   {"api_key", func(u *assistants.Upstream) { u.APIKey = assistants.NewSecret("canary\n") }},
		"a space in the key":      {"api_key", func(u *assistants.Upstream) { u.APIKey = assistants.NewSecret("canary key") }},
		"letters beyond ASCII":    {"api_key", func(u *assistants.Upstream) { u.APIKey = assistants.NewSecret("canarÿ") }},
		"a long key":              {"api_key", func(u *assistants.Upstream) { u.APIKey = assistants.NewSecret(strings.Repeat("k", maxKey+1)) }},
		"too many headers":        {"headers", func(u *assistants.Upstream) { u.Headers = many }},
		"no name of a header":     {"headers.", header("", "canary")},
		"a space in the name":     {"headers.X Y", header("X Y", "canary")},
		"a line end in the value": {"headers.X", header("X", "canary\r\nY: z")},
		"NUL in the value":        {"headers.X", header("X", "canary\x00")},
		"a long value":            {"headers.X", header("X", strings.Repeat("k", maxHeaderValue+1))},
		"Host":                    {"headers.Host", header("Host", "canary")},
		"Content-Length":          {"headers.content-length", header("content-length", "1")},
		"Transfer-Encoding":       {"headers.Transfer-Encoding", header("Transfer-Encoding", "chunked")},
		"an idempotency key":      {"headers.Idempotency-Key", header("Idempotency-Key", "canary")},
	} {
		u := storedAt("https://far.example/v1")
		c.change(&u)
		err := s.Check(u)
		if f, ok := errors.AsType[*assistants.FieldError](err); !ok || f.Field != c.field || !errors.Is(err, assistants.ErrInvalid) || strings.Contains(f.Message, "canar") {
			t.Errorf("%s: %v, want one on %s", what, err, c.field)
		}
	}
	fine := storedAt("https://x.openai.azure.com/openai/deployments/gpt?api-version=2024-10-21")
	fine.Headers = map[string]assistants.Secret{"Authorization": assistants.NewSecret("Basic abc"), "Openai-Organization": assistants.NewSecret("org-1")}
	if err := s.Check(fine); err != nil {
		t.Error(err)
	}
}

func TestAModelListUnderWaySurvivesAChange(t *testing.T) {
	step := make(chan struct{})
	far := upstreamtest.New(t, upstreamtest.Script{}.Then(upstreamtest.Wait(step)).Then(upstreamtest.JSON(models)...), upstreamtest.JSON(`{"data":[]}`))
	s := newStored(t, StoredConfig{})
	u := storedAt(far.URL())
	var list []Model
	var err error
	var asking sync.WaitGroup
	asking.Go(func() { list, err = s.Models(t.Context(), u) })
	far.WaitRequests(1)
	u.UpdatedAt = dawn.Add(time.Hour)
	if _, err := s.Client(u); err != nil {
		t.Fatal(err)
	}
	s.Forget(u.ID)
	close(step)
	asking.Wait()
	if err != nil || len(list) != 2 {
		t.Error(list, err)
	}
}

// counted is a context that counts who waits for its end.
type counted struct {
	context.Context
	end     chan struct{} // its own, or package context would look behind it
	waiting *int
}

func (c counted) Done() <-chan struct{} { return c.end }

func (c counted) AfterFunc(func()) (stop func() bool) {
	*c.waiting++
	return func() bool { *c.waiting--; return true }
}

func TestAFormerClientLeavesNothingBehind(t *testing.T) {
	s, waiting := newStored(t, StoredConfig{}), 0
	s.base = counted{s.base, make(chan struct{}), &waiting}
	u := storedAt("http://far.test/v1")
	for range 3 {
		u.UpdatedAt = u.UpdatedAt.Add(time.Second)
		if _, err := s.Client(u); err != nil {
			t.Fatal(err)
		}
	}
	if s.Forget(u.ID); waiting != 0 {
		t.Errorf("%d former clients wait for the end of the server", waiting)
	}
}
