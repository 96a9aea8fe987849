package control

import (
	"context"
	"time"

	"footnote/assistants"
	"footnote/proxy/upstream"
)

// A breakerView says whether the latest calls of an upstream failed.
type breakerView struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	State     upstream.State `json:"state"`
	Failures  int            `json:"failures"`
	FailedAt  *time.Time     `json:"failed_at"`
	Cause     *string        `json:"cause"`
	NextTryAt *time.Time     `json:"next_try_at"`
}

// breakers are those of the default upstream, unless that is built in, and of
// the tenant's own.
func (a *api) breakers(ctx context.Context, tenant assistants.TenantID) ([]breakerView, error) {
	views := []breakerView{}
	if r, ok := a.Upstreams.Health(upstream.DefaultID); ok {
		views = append(views, viewBreaker(upstream.DefaultID, upstream.DefaultID, r))
	}
	for list := (assistants.List{Limit: 1000}); ; {
		stored, next, err := a.Store.Upstreams(ctx, tenant, list)
		if err != nil {
			return nil, err
		}
		for _, u := range stored {
			r, _ := a.Upstreams.Health(string(u.ID))
			views = append(views, viewBreaker(string(u.ID), u.Name, r))
		}
		if list.Cursor = next; next == "" {
			return views, nil
		}
	}
}

func viewBreaker(id, name string, r upstream.Report) breakerView {
	v := breakerView{ID: id, Name: name, State: r.State, Failures: r.Failures}
	if !r.FailedAt.IsZero() {
		at := stamp(r.FailedAt)
		v.FailedAt, v.Cause = &at, &r.Cause
	}
	if !r.NextTryAt.IsZero() {
		at := stamp(r.NextTryAt)
		v.NextTryAt = &at
	}
	return v
}
