package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
)

// A world is a handler behind a real HTTP server, over a directory and an API in memory.
type world struct {
	t          *testing.T
	url        string
	client     *http.Client
	log        lockedText
	caller     access.Principal
	assistants []assistants.Assistant
	documents  map[assistants.CollectionID][]assistants.Document
	broken     error  // of the database
	stop       func() // ends the server's work
	drains     bool

	mu  sync.Mutex
	api func(w http.ResponseWriter, r *http.Request, caller access.Principal)
}

type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		t: t, documents: map[assistants.CollectionID][]assistants.Document{},
		caller:     access.Principal{Tenant: "t", Key: assistants.Key{ID: "key_a", Scopes: []assistants.Scope{assistants.ScopeChat, assistants.ScopeSearch}}},
		assistants: []assistants.Assistant{{ID: "asst_a", Slug: "a", Name: "A", TenantID: "t", CollectionID: "coll_a"}},
	}
	stopped, stop := context.WithCancelCause(context.Background())
	w.stop = func() { stop(apierr.ShuttingDown()) }
	t.Cleanup(func() { stop(nil) })
	bounded := func(parent context.Context) (context.Context, context.CancelCauseFunc) {
		ctx, cancel := context.WithCancelCause(parent)
		unhook := context.AfterFunc(stopped, func() { cancel(context.Cause(stopped)) })
		return ctx, func(cause error) { unhook(); cancel(cause) }
	}
	h := New(Deps{Directory: w, Documents: w, API: w.answer, Bounded: bounded, Log: slog.New(slog.NewTextHandler(&w.log, nil)), Version: "test"})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.drains {
			rw.Header().Set("Connection", "close")
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = h.Serve(rw, r, body, w.caller)
		}
		if err != nil {
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(apierr.Status(err))
			_, _ = rw.Write(apierr.JSON(err)) // the client may have left
		}
	}))
	transport := &http.Transport{}
	w.url, w.client = server.URL, &http.Client{Transport: transport}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	return w
}

func (w *world) KnownAssistant(_ context.Context, _ assistants.TenantID, ref string, sight assistants.Sight) (*assistants.Assistant, error) {
	for _, a := range w.assistants {
		if (a.Slug == ref || string(a.ID) == ref) && sight.Sees(&a) {
			return &a, nil
		}
	}
	return nil, assistants.ErrNotFound
}

// Assistants lists two at a time.
func (w *world) Assistants(_ context.Context, _ assistants.TenantID, list assistants.List) ([]assistants.Assistant, string, error) {
	if w.broken != nil {
		return nil, "", w.broken
	}
	return cut(w.assistants, list.Cursor, 2)
}

func (w *world) Documents(_ context.Context, _ assistants.TenantID, collection assistants.CollectionID, list assistants.List) ([]assistants.Document, string, error) {
	return cut(w.documents[collection], list.Cursor, list.Limit)
}

func cut[T any](all []T, cursor string, limit int) ([]T, string, error) {
	from := 0
	if cursor != "" {
		var err error
		if from, err = strconv.Atoi(cursor); err != nil || from > len(all) {
			return nil, "", &assistants.FieldError{Field: "cursor", Message: "wrong"}
		}
	}
	to := min(from+limit, len(all))
	if to == len(all) {
		return all[from:to], "", nil
	}
	return all[from:to], strconv.Itoa(to), nil
}

func (w *world) answer(rw http.ResponseWriter, r *http.Request, caller access.Principal) {
	w.mu.Lock()
	api := w.api
	w.mu.Unlock()
	api(rw, r, caller)
}

// answers sets what the API answers.
func (w *world) answers(api func(http.ResponseWriter, *http.Request, access.Principal)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.api = api
}

// says answers every request to the API with a body.
func (w *world) says(status int, body string) {
	w.answers(func(rw http.ResponseWriter, _ *http.Request, _ access.Principal) {
		rw.WriteHeader(status)
		_, _ = io.WriteString(rw, body) // the client may have left
	})
}

// post sends a message and returns the status and the body.
func (w *world) post(ctx context.Context, body string, header ...string) (int, string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := w.client.Do(req)
	if err != nil {
		if ctx.Err() == nil {
			w.t.Error(err)
		}
		return 0, ""
	}
	raw, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil && ctx.Err() == nil {
		w.t.Error(err)
	}
	return resp.StatusCode, string(raw)
}

func toolCall(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}
