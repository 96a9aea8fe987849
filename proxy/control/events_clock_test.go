package control_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/control"
	"footnote/proxy/events"
)

// A pipeListener accepts connections within the process. They have no buffers, so that a
// client that does not read blocks the server at once, and a test's clock runs.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	close(l.closed)
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (l *pipeListener) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	l.conns <- server
	return client, nil
}

// noDocuments is a store in which every document was deleted.
type noDocuments struct{ control.Store }

func (noDocuments) DocumentsByID(context.Context, assistants.TenantID, []assistants.DocumentID) ([]assistants.Document, error) {
	return nil, nil
}

func (noDocuments) CountDocuments(context.Context, assistants.TenantID) (map[assistants.Status]int, error) {
	return nil, nil
}

// oneKey knows one key.
type oneKey struct{ key assistants.Key }

func (k oneKey) KeyFor(context.Context, string, func(assistants.Key) bool) (assistants.Key, error) {
	return k.key, nil
}

// followWithClock opens a stream of events with a key that is valid for an hour. It must
// be called within synctest.Test.
func followWithClock(t *testing.T, hub *events.Hub) *eventStream {
	t.Helper()
	secret, key := access.NewKey()
	end := time.Now().Add(time.Hour)
	key.TenantID, key.Scopes, key.ExpiresAt = assistants.DefaultTenant, []assistants.Scope{assistants.ScopeAdmin}, &end
	auth, err := access.New(oneKey{key}, "", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	engine := gin.New()
	control.Register(engine, control.Deps{Store: noDocuments{}, Auth: auth, Events: hub, Log: slog.New(slog.DiscardHandler)})
	l := &pipeListener{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: engine} //nolint:gosec // nobody attacks a pipe
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	transport := &http.Transport{DialContext: l.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := errors.Join(server.Close(), <-served); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	s := openStream(t, &http.Client{Transport: transport}, "http://pipe/v1.0/events", secret, "")
	s.want("queue")
	s.want("status")
	return s
}

func deleted(ids ...assistants.DocumentID) (changes []assistants.DocumentChange) {
	for _, id := range ids {
		changes = append(changes, assistants.DocumentChange{Tenant: assistants.DefaultTenant, Collection: "coll_a", Document: id, Deleted: true})
	}
	return changes
}

func TestACommentComesEvery15SecondsWithoutAnEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := events.New(events.Limits{})
		s := followWithClock(t, hub)
		last := time.Now()
		quiet := func() {
			t.Helper()
			e, ok := s.next()
			if passed := time.Since(last); !ok || e.data != "keep-alive" || passed != 15*time.Second {
				t.Errorf("%+v, %v after %v", e, ok, passed)
			}
			last = time.Now()
		}
		quiet()
		quiet()
		time.AfterFunc(10*time.Second, func() { hub.Publish(deleted("doc_a")) })
		s.want("document")
		last = time.Now()
		quiet()
	})
}

func TestAStreamEndsWhenItsKeyExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := followWithClock(t, events.New(events.Limits{}))
		begun := time.Now()
		e := s.want("end")
		if passed := time.Since(begun); !strings.Contains(e.data, "invalid_api_key") || passed < time.Hour || passed > time.Hour+2*time.Second {
			t.Errorf("%+v after %v", e, passed)
		}
	})
}

// TestAClientThatDoesNotReadDelaysNobody has more documents change than are kept, while
// the server's write to the client blocks.
func TestAClientThatDoesNotReadDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := events.New(events.Limits{Documents: 2})
		s := followWithClock(t, hub)
		hub.Publish(deleted("doc_a"))
		synctest.Wait() // the server is writing
		for range 1000 {
			hub.Publish(deleted("doc_b", "doc_c", "doc_d"))
		}
		first := s.want("document")
		if !strings.Contains(first.data, "doc_a") {
			t.Error(first)
		}
		if e := s.want("reset"); e.id == first.id {
			t.Error(e)
		}
		hub.Publish(deleted("doc_e"))
		if e := s.want("document"); !strings.Contains(e.data, "doc_e") {
			t.Error(e)
		}
	})
}

func TestChangesOfADocumentWithinAShortTimeAreOneEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := events.New(events.Limits{})
		s := followWithClock(t, hub)
		hub.Publish(deleted("doc_a"))
		s.want("document")
		for range 10 {
			hub.Publish(deleted("doc_b"))
			hub.Publish(deleted("doc_a"))
		}
		for _, want := range []string{"doc_b", "doc_a"} {
			if e := s.want("document"); !strings.Contains(e.data, want) {
				t.Errorf("%+v, want %s", e, want)
			}
		}
		if e, _ := s.next(); e.data != "keep-alive" {
			t.Error(e)
		}
	})
}
