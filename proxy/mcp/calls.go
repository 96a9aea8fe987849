package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"

	"footnote/assistants"
	"footnote/proxy/access"
)

// errCancelled is why a call ended that its client has cancelled.
var errCancelled = errors.New("the client has cancelled the call")

// calls are the calls that run in this process, so that a client can cancel its own.
// The notification comes in a request of its own. If a balancer sends that to another
// instance, the work ends only when the client closes the connection of its call.
type calls struct {
	mu      sync.Mutex
	running map[callID]*context.CancelCauseFunc
}

// A callID names a call. Only the client that was given the session's random name
// knows it, so no client can cancel the call of another.
type callID struct {
	key     assistants.KeyID
	session string
	id      string // JSON
}

// begin derives the context for the work on a message. A notification that cancels a
// call ends that call's context.
func (c *calls) begin(parent context.Context, r *http.Request, caller access.Principal, m *message) (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(parent)
	id := callID{caller.Key.ID, r.Header.Get(sessionHeader), string(m.ID)}
	if id.session == "" {
		return ctx, func() { cancel(nil) }
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.Method == methodCancelled {
		var params struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		// Without a readable id it cancels nothing.
		if json.Unmarshal(m.Params, &params) == nil {
			id.id = string(params.RequestID)
			if stop := c.running[id]; stop != nil {
				(*stop)(errCancelled)
			}
		}
		return ctx, func() { cancel(nil) }
	}
	if m.ID == nil {
		return ctx, func() { cancel(nil) }
	}
	if c.running == nil {
		c.running = map[callID]*context.CancelCauseFunc{}
	}
	c.running[id] = &cancel
	return ctx, func() {
		c.mu.Lock()
		if c.running[id] == &cancel { // else a later call has taken its id
			delete(c.running, id)
		}
		c.mu.Unlock()
		cancel(nil)
	}
}
