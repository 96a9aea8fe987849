package main

import (
	"context"
	"fmt"
	"time"

	"footnote/proxy/upstream"
	"footnote/proxy/upstream/extractive"
)

// openUpstreams makes the default upstream, the built-in answerer and what
// makes clients of stored upstreams. It says once whether the installation's
// secret is the one that these were stored with.
func (a *app) openUpstreams(ctx context.Context) (*upstream.Directory, *upstream.Stored, error) {
	unreadable, err := a.store.UnreadableUpstreams(ctx)
	if err != nil {
		return nil, nil, err
	}
	if unreadable > 0 {
		a.log.Warn("the secrets of stored upstreams cannot be read: FOOTNOTE_SECRET_KEY, or secret.key in the data directory, is not the one they were stored with. "+
			"Restore it, or store their API keys and headers again; until then chats with them fail", "upstreams", unreadable)
	}
	stored := upstream.NewStored(upstream.StoredConfig{PublicOnly: !a.cfg.AllowPrivateUpstreams, Timeouts: a.cfg.upstreamTimeouts()})
	a.closers = append(a.closers, stored.Close)
	quotes := upstream.Entry{Client: extractive.New(), DefaultModel: extractive.Model}
	others := map[string]upstream.Entry{upstream.BuiltinExtractive: quotes}
	if a.cfg.UpstreamURL == upstream.BuiltinExtractive {
		return upstream.NewDirectory(quotes, others).WithStored(a.store, stored), stored, nil
	}
	client, err := upstream.NewHTTP(upstream.HTTPConfig{BaseURL: a.cfg.UpstreamURL, APIKey: string(a.cfg.UpstreamAPIKey), Timeouts: a.cfg.upstreamTimeouts()})
	if err != nil {
		return nil, nil, fmt.Errorf("FOOTNOTE_UPSTREAM_URL: %w", err)
	}
	a.closers = append(a.closers, client.Close)
	fallback := upstream.Entry{Client: client, DefaultModel: a.cfg.UpstreamModel}
	return upstream.NewDirectory(fallback, others).WithStored(a.store, stored), stored, nil
}

// upstreamTimeouts are the bounds of calls to model servers.
func (c *Config) upstreamTimeouts() upstream.Timeouts {
	return upstream.Timeouts{
		FirstToken: time.Duration(c.UpstreamFirstTokenTimeout) * time.Second,
		Idle:       time.Duration(c.UpstreamIdleTimeout) * time.Second,
		Total:      time.Duration(c.UpstreamTotalTimeout) * time.Second,
	}
}
