package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"footnote/assistants"
	"footnote/proxy/wire"
)

// maxModels bounds a list of models; the longest known one has about 1 MiB.
const maxModels = 8 << 20

// How long a list of models, or a failure, is remembered.
const (
	modelsFresh  = time.Minute
	modelsFailed = 5 * time.Second
)

// A modelList remembers an upstream's models for a short time, and shares one
// request among concurrent callers.
type modelList struct {
	fetch func(context.Context) ([]Model, error)
	base  context.Context // ends with the client
	limit time.Duration
	now   func() time.Time

	group singleflight.Group
	mu    sync.Mutex
	until time.Time
	list  []Model
	err   error
}

// get returns the list. The request to the upstream outlives the context of the
// caller that started it, because others wait for the same answer.
func (m *modelList) get(ctx context.Context) ([]Model, error) {
	if list, ok, err := m.remembered(); ok {
		return list, err
	}
	done := m.group.DoChan("", func() (_ any, err error) {
		defer assistants.CatchPanic(&err)
		if list, ok, err := m.remembered(); ok { // another request has just finished
			return list, err
		}
		ctx, cancel := context.WithTimeout(m.base, m.limit)
		defer cancel()
		list, err := m.fetch(ctx)
		keep := modelsFresh
		if err != nil {
			keep = modelsFailed
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.list, m.err, m.until = list, err, m.now().Add(keep)
		return list, err
	})
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case r := <-done:
		list, _ := r.Val.([]Model)
		return list, r.Err
	}
}

func (m *modelList) remembered() (list []Model, ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.list, m.now().Before(m.until), m.err
}

// Models lists the server's models. Lists are remembered for a minute,
// failures for five seconds.
func (h *HTTP) Models(ctx context.Context) ([]Model, error) { return h.models.get(ctx) }

// fetchModels asks the server at an address.
func (h *HTTP) fetchModels(ctx context.Context, at *url.URL) ([]Model, error) {
	header := requestHeader(h.header, nil, false, "")
	header.Del("Content-Type") // there is no body
	req := (&http.Request{Method: http.MethodGet, URL: at, Header: header}).WithContext(ctx)
	resp, err := h.sendWithoutBody(req)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, timedOut(err)
		}
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it is read or given up
	if err := checkStatus(resp.StatusCode); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, &Error{Code: CodeReported, Status: http.StatusBadGateway, Message: "The model server does not list its models."}
	}
	body, err := decodeBody(resp.Header, resp.Body)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(&cappedReader{r: body, left: maxModels})
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, timedOut(err)
	case err != nil:
		return nil, Interrupted(err)
	}
	models, err := parseModels(wire.TrimMark(raw))
	// A server that repeats what it received must not make us reveal its key.
	return slices.DeleteFunc(models, func(m Model) bool {
		return h.secrets.mask(m.ID) != m.ID || h.secrets.mask(m.OwnedBy) != m.OwnedBy
	}), err
}

// parseModels reads OpenAI's list, or the bare array that some servers send. It
// leaves out entries without a name.
func parseModels(raw []byte) ([]Model, error) {
	list := raw
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		var object struct {
			Data json.RawMessage `json:"data"`
		}
		if json.Unmarshal(raw, &object) == nil {
			list = object.Data // nothing in LM Studio's 200 for a path that it does not have
		}
	}
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return nil, Invalid("The model server's list of models could not be read.")
	}
	models := make([]Model, 0, len(items))
	for _, item := range items {
		var m struct {
			ID      string  `json:"id"`
			Created float64 `json:"created"` // some servers send fractions
			OwnedBy any     `json:"owned_by"`
		}
		if json.Unmarshal(item, &m) != nil || m.ID == "" {
			continue
		}
		owner, _ := m.OwnedBy.(string)
		models = append(models, Model{ID: m.ID, Created: int64(m.Created), OwnedBy: owner})
	}
	return models, nil
}
