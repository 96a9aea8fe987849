package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"footnote/cmd/footnote/console"
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

// serverFlags adds --url and --key to a command, and the options of the data
// directory that is used without them.
func (p *program) serverFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.url, "url", "", "server to talk to (FOOTNOTE_URL); without one the data directory is used")
	cmd.Flags().StringVar(&p.key, "key", "", "API key for --url (FOOTNOTE_API_KEY)")
	p.DataFlags(cmd)
}

// serverURL is the address of the server to talk to, "" for the data directory.
func (p *program) serverURL() string {
	if p.url != "" {
		return p.url
	}
	return p.variable("FOOTNOTE_URL")
}

// variable returns an environment variable, "" when it is not set.
func (p *program) variable(name string) string {
	for _, e := range p.Environ {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}

// connect returns a client and the function that ends it.
func (p *program) connect(ctx context.Context) (_ *client, end func() error, err error) {
	base := p.serverURL()
	if base == "" {
		address, key, end, err := p.ServeHere(ctx)
		if err != nil {
			return nil, nil, err
		}
		// A transport of its own: the connections of the default one would outlive the server.
		return &client{address, key, &http.Client{Transport: &http.Transport{}}}, end, nil
	}
	if !console.IsAbsoluteURL(base) {
		return nil, nil, fmt.Errorf("--url %q is no URL; write it as http://host:8080", base)
	}
	key := p.key
	if key == "" {
		key = p.variable("FOOTNOTE_API_KEY")
	}
	// SDKs are given the address with /v1; accept that one, too.
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1")
	return &client{base, key, http.DefaultClient}, func() error { return nil }, nil
}

// withData is withClient for commands that need stored data. It does not create a
// data directory.
func (p *program) withData(ctx context.Context, work func(context.Context, *client) error) error {
	if p.serverURL() == "" {
		dir, err := p.DataDir()
		if err != nil {
			return err
		}
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("there is no data directory %s; name a server with --url, or another directory with --data-dir", dir)
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
// its body. Other answers are an *apiError. header alternates names and values.
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
			return nil, fmt.Errorf("the server at %s does not answer: %w", console.RedactURL(c.base), ue.Err)
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
	return nil, c.refusal(resp, raw)
}

// refusal is the error of an answer that is no success.
func (c *client) refusal(resp *http.Response, raw []byte) error {
	var answer struct{ Error apiError }
	if json.Unmarshal(raw, &answer) != nil || answer.Error.Message == "" {
		return fmt.Errorf("the server at %s answered %s", console.RedactURL(c.base), resp.Status)
	}
	answer.Error.Status = resp.StatusCode
	if resp.StatusCode == http.StatusUnauthorized {
		answer.Error.Message = "The server at " + console.RedactURL(c.base) + " " + c.refusedKey() + " to one of its keys."
	}
	return &answer.Error
}

// refusedKey says what is wrong after a 401, and how to mend it.
func (c *client) refusedKey() string {
	if c.key == "" {
		return "requires a key. Set --key or FOOTNOTE_API_KEY"
	}
	return "does not know this key, or it has expired. Set --key or FOOTNOTE_API_KEY"
}

// call sends in as JSON and decodes the answer into out. in and out may be nil.
// header alternates names and values.
func (c *client) call(ctx context.Context, method, path string, in, out any, header ...string) error {
	var body io.Reader
	contentType := ""
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body, contentType = bytes.NewReader(raw), "application/json"
	}
	resp, err := c.do(ctx, method, path, contentType, body, header...)
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
