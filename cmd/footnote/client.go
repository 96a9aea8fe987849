package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"footnote/proxy"
	"footnote/proxy/access"
)

// A client speaks to a server's API: a remote one, or one that lives in this
// process on the data directory.
type client struct {
	base string
	key  string
	http *http.Client
}

// An apiError is the error object of an answer.
type apiError struct {
	Status  int
	Message string `json:"message"`
	Param   string `json:"param"`
	Code    string `json:"code"`
}

func (e *apiError) Error() string { return e.Message }

// serverFlags adds --url and --key to a command.
func (p *program) serverFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.url, "url", "", "server to talk to (FOOTNOTE_URL); without one the data directory is used")
	cmd.Flags().StringVar(&p.key, "key", "", "API key for --url (FOOTNOTE_API_KEY)")
	p.configFlag(cmd)
	cmd.Flags().AddFlag(p.flags.Lookup("data-dir"))
}

// connect returns a client and what ends it. Without --url it opens the data
// directory and runs the server inside this process, so that commands do the
// same work on the same paths either way.
func (p *program) connect(ctx context.Context) (_ *client, end func() error, err error) {
	base, key := p.url, p.key
	if base == "" {
		base = p.variable("FOOTNOTE_URL")
	}
	if key == "" {
		key = p.variable("FOOTNOTE_API_KEY")
	}
	if base != "" {
		if !absoluteURL(base) {
			return nil, nil, fmt.Errorf("--url %q is no URL; write it as http://host:8080", base)
		}
		// The address that SDKs are given is meant as well.
		base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1")
		return &client{base, key, http.DefaultClient}, func() error { return nil }, nil
	}
	cfg, err := p.config()
	if err != nil {
		return nil, nil, err
	}
	cfg.LogLevel = "error" // the command itself tells what matters
	return p.connectLocally(ctx, cfg)
}

func (p *program) connectLocally(ctx context.Context, cfg Config) (_ *client, end func() error, err error) {
	secret, _ := access.NewKey() // known to this process only, and gone with it
	log := p.logger(cfg)
	a, err := openApp(ctx, cfg, log, secret)
	if err != nil {
		return nil, nil, err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, errors.Join(err, a.close())
	}
	server := proxy.NewHTTPServer(a.server)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 2)
	go func() { done <- server.Serve(ln) }()
	go func() { done <- a.run(ctx) }()
	end = func() error {
		cancel()
		errs := []error{server.Close()}
		for range 2 {
			if err := <-done; err != nil && !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, context.Canceled) {
				errs = append(errs, err)
			}
		}
		return errors.Join(append(errs, a.close())...)
	}
	return &client{"http://" + ln.Addr().String(), secret, &http.Client{Transport: &http.Transport{}}}, end, nil
}

// withData is withClient for commands that need what is stored already: they
// make no data directory.
func (p *program) withData(ctx context.Context, work func(context.Context, *client) error) error {
	if p.url == "" && p.variable("FOOTNOTE_URL") == "" {
		cfg, err := p.config()
		if err != nil {
			return err
		}
		if _, err := os.Stat(cfg.DataDir); errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("there is no data directory %s; name a server with --url, or another directory with --data-dir", cfg.DataDir)
		}
	}
	return p.withClient(ctx, work)
}

// withClient runs a command's work on a connected client until it is done or
// the user interrupts it.
func (p *program) withClient(ctx context.Context, work func(context.Context, *client) error) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, end, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	return work(ctx, c)
}

// do sends a request and returns an answer of status 2xx; the caller closes
// its body. Other answers are an *apiError. header holds names and values in turns.
func (c *client) do(ctx context.Context, method, path, contentType string, body io.Reader, header ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.http.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) && ctx.Err() == nil {
			return nil, fmt.Errorf("the server at %s does not answer: %w", shownURL(c.base), ue.Err)
		}
		return nil, err
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	var answer struct{ Error apiError }
	if json.Unmarshal(raw, &answer) != nil || answer.Error.Message == "" {
		return nil, fmt.Errorf("the server at %s answered %s", shownURL(c.base), resp.Status)
	}
	answer.Error.Status = resp.StatusCode
	return nil, &answer.Error
}

// call sends in as JSON, nil for no body, and decodes the answer into out, nil for none.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	contentType := ""
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body, contentType = bytes.NewReader(raw), "application/json"
	}
	resp, err := c.do(ctx, method, path, contentType, body)
	if err != nil {
		return err
	}
	if out != nil {
		err = decodeJSON(resp.Body, out)
	}
	return errors.Join(err, resp.Body.Close())
}

func decodeJSON(r io.Reader, out any) error { return json.NewDecoder(r).Decode(out) }

// each calls fn for every item of a list, page by page.
func each[T any](ctx context.Context, c *client, path string, fn func(T) error) error {
	cursor := ""
	for {
		var page struct {
			Data       []T     `json:"data"`
			NextCursor *string `json:"next_cursor"`
		}
		if err := c.call(ctx, http.MethodGet, path+"?limit=1000&cursor="+url.QueryEscape(cursor), nil, &page); err != nil {
			return err
		}
		for _, item := range page.Data {
			if err := fn(item); err != nil {
				return err
			}
		}
		if page.NextCursor == nil {
			return nil
		}
		cursor = *page.NextCursor
	}
}
