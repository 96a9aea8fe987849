package main

import (
	"context"
	"fmt"
	"time"

	"footnote/cmd/footnote/console"
	"footnote/proxy/upstream"
	"footnote/proxy/upstream/extractive"
)

// openUpstreams makes the directory of the default upstream and the built-in one, and
// the factory of clients for stored upstreams. It warns if the secrets of stored
// upstreams cannot be decrypted.
func (a *app) openUpstreams(ctx context.Context) (*upstream.Directory, *upstream.Stored, error) {
	unreadable, err := a.store.UnreadableUpstreams(ctx)
	if err != nil {
		return nil, nil, err
	}
	if unreadable > 0 {
		a.log.Warn("the secrets of stored upstreams cannot be read: FOOTNOTE_SECRET_KEY, or secret.key in the data directory, is not the one they were stored with. "+
			"Restore it, or store their API keys and headers again; until then chats with them fail", "upstreams", unreadable)
	}
	a.healths = upstream.NewHealths(time.Now, a.log)
	stored := upstream.NewStored(upstream.StoredConfig{PublicOnly: !a.cfg.AllowPrivateUpstreams, Timeouts: a.cfg.upstreamTimeouts(), Healths: a.healths})
	a.closers = append(a.closers, stored.Close)
	quotes := upstream.Entry{Client: extractive.New(), DefaultModel: extractive.Model}
	others := map[string]upstream.Entry{upstream.BuiltinExtractive: quotes}
	if a.cfg.UpstreamURL == upstream.BuiltinExtractive {
		return upstream.NewDirectory(quotes, others).WithStored(a.store, stored), stored, nil
	}
	client, err := a.defaultUpstream(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("FOOTNOTE_UPSTREAM_URL: %w", err)
	}
	a.closers = append(a.closers, client.Close)
	a.defaultClient = client
	fallback := upstream.Entry{Client: client, DefaultModel: a.cfg.UpstreamModel}
	return upstream.NewDirectory(fallback, others).WithStored(a.store, stored), stored, nil
}

// defaultUpstream makes the client of the default upstream. If its URL lacks the /v1
// at which the server has its models, the client gets it.
func (a *app) defaultUpstream(ctx context.Context) (*upstream.HTTP, error) {
	config := upstream.HTTPConfig{BaseURL: a.cfg.UpstreamURL, APIKey: string(a.cfg.UpstreamAPIKey), Timeouts: a.cfg.upstreamTimeouts(), Health: a.healths.Of(upstream.DefaultID)}
	client, err := upstream.NewHTTP(config)
	if err != nil || !upstream.LacksVersion(config.BaseURL) {
		return client, err
	}
	finding, err := client.Probe(ctx)
	if err != nil || !finding.Completes(config.BaseURL) {
		return client, nil //nolint:nilerr // the server may be started later; describeUpstream reports it
	}
	client.Close()
	a.log.Warn("FOOTNOTE_UPSTREAM_URL leads to no models; the address where the server has them is used in its place. Write that",
		"url", console.RedactURL(finding.BaseURL))
	config.BaseURL = finding.BaseURL
	return upstream.NewHTTP(config)
}

// describeUpstream logs what the default upstream says of itself, once.
func (a *app) describeUpstream(ctx context.Context) {
	if a.defaultClient == nil {
		return
	}
	finding, err := a.defaultClient.Probe(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		a.log.Warn("the model server gave no list of its models; chats may fail. Check FOOTNOTE_UPSTREAM_URL and its key",
			"url", console.RedactURL(a.cfg.UpstreamURL), "error", err)
	case finding.BaseURL != "":
		a.log.Warn("the model server has no models at FOOTNOTE_UPSTREAM_URL, but at another address. Write that, and start again", "url", console.RedactURL(finding.BaseURL))
	case a.cfg.UpstreamModel == "":
		a.log.Warn("the model server answers, but assistants that name no model cannot be asked. Set FOOTNOTE_UPSTREAM_MODEL to one of its models", "found", finding.String())
	case len(finding.Models) > 0 && !finding.Lists(a.cfg.UpstreamModel):
		a.log.Warn("the model server does not list the model of FOOTNOTE_UPSTREAM_MODEL", "model", a.cfg.UpstreamModel, "found", finding.String())
	default:
		a.log.Info("the model server answers", "found", finding.String())
	}
}

// upstreamTimeouts are the bounds of calls to model servers.
func (c *Config) upstreamTimeouts() upstream.Timeouts {
	return upstream.Timeouts{
		FirstToken: time.Duration(c.UpstreamFirstTokenTimeout) * time.Second,
		Idle:       time.Duration(c.UpstreamIdleTimeout) * time.Second,
		Total:      time.Duration(c.UpstreamTotalTimeout) * time.Second,
	}
}
