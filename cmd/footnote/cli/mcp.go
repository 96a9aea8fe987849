package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"footnote/cmd/footnote/console"
	"footnote/proxy/sse"
)

func (p *program) mcpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "mcp", Short: "Let an agent search and ask over standard input and output (Model Context Protocol)", Args: cobra.NoArgs,
		Long: `Speaks the Model Context Protocol over standard input and output, for agents that start
their servers as programs. Every message goes to the server's /mcp, so tools and documents
are those that the key may use. Messages about problems go to standard error.

Agents that speak HTTP need no program: their address is http://host:8080/mcp, with the
header Authorization: Bearer fn-…`,
		Example: `  footnote mcp --url http://127.0.0.1:8080 --key fn-…
  footnote mcp --data-dir ./footnote-data`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withData(cmd.Context(), func(ctx context.Context, c *client) error {
				b := &bridge{client: c, out: p.Out, err: p.Err, running: map[string]context.CancelFunc{}}
				return b.run(ctx, p.In)
			})
		},
	}
	p.serverFlags(cmd)
	return cmd
}

// Bounds of what an agent sends.
const (
	maxLine  = 4 << 20 // bytes of a message; the server takes fewer
	maxCalls = 64      // that are answered at once
)

// A bridge carries messages between an agent at standard input and output, one a line,
// and a server. It leaves them as they are.
type bridge struct {
	client *client

	mu      sync.Mutex // guards the following, and the writes
	out     io.Writer
	err     io.Writer                     // for people
	session string                        // that the server has given
	version string                        // of the protocol, as negotiated
	running map[string]context.CancelFunc // by the JSON of the call's id
}

// A call is what the bridge reads of an agent's message.
type call struct {
	ID     json.RawMessage `json:"id"` // nil: a notification, whose answer is only a status
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		URI       string          `json:"uri"`
		RequestID json.RawMessage `json:"requestId"`
		Meta      struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
}

// run carries messages until the agent closes the input and has its answers, or until
// ctx ends.
func (b *bridge) run(ctx context.Context, in io.Reader) error {
	// A wrong key or address ends the program at once: agents show why.
	ping := []byte(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
	if err := b.send(ctx, call{}, ping, func([]byte) error { return nil }); err != nil {
		return err
	}
	lines, ended := make(chan []byte), make(chan error, 1)
	go func() { // reading cannot be interrupted
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, maxLine)
		for scanner.Scan() {
			select {
			case lines <- bytes.Clone(scanner.Bytes()):
			case <-ctx.Done():
				return
			}
		}
		ended <- scanner.Err()
	}()
	var calls errgroup.Group
	calls.SetLimit(maxCalls)
	for {
		select {
		case line := <-lines:
			if len(bytes.TrimSpace(line)) > 0 {
				b.take(ctx, &calls, line)
			}
		case err := <-ended:
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("a message of the agent is longer than %d bytes", maxLine)
			}
			return errors.Join(err, calls.Wait())
		case <-ctx.Done():
			return calls.Wait()
		}
	}
}

// take passes one message on. Its answer comes while others are taken.
func (b *bridge) take(ctx context.Context, calls *errgroup.Group, line []byte) {
	var m call
	_ = json.Unmarshal(line, &m) // the server says what is wrong with it
	if m.Method == "notifications/cancelled" {
		b.mu.Lock()
		if stop := b.running[string(m.Params.RequestID)]; stop != nil {
			stop() // the server notices, on whichever instance the call runs
		}
		b.mu.Unlock()
	}
	ctx, cancel := context.WithCancel(ctx)
	if m.ID != nil {
		b.mu.Lock()
		b.running[string(m.ID)] = cancel
		b.mu.Unlock()
	}
	calls.Go(func() error {
		defer func() {
			b.mu.Lock()
			delete(b.running, string(m.ID))
			b.mu.Unlock()
			cancel()
		}()
		answered := false
		err := b.send(ctx, m, line, func(raw []byte) error {
			answered = answered || !isNotification(raw)
			return b.answer(m, raw)
		})
		if err == nil && m.ID != nil && !answered {
			err = errors.New("the answer broke off")
		}
		if err == nil || ctx.Err() != nil {
			return nil // who cancels a call expects no answer
		}
		b.mu.Lock()
		fmt.Fprintln(b.err, "footnote:", err)
		b.mu.Unlock()
		if m.ID == nil && m.Method != "" {
			return nil // a notification
		}
		return b.fail(m, err)
	})
}

// isNotification reports whether a message of the server is not the answer itself.
func isNotification(raw []byte) bool {
	var message struct {
		Method string `json:"method"`
	}
	return json.Unmarshal(raw, &message) == nil && message.Method != ""
}

// fail answers a call with what went wrong on the way.
func (b *bridge) fail(m call, err error) error {
	id := m.ID
	if id == nil {
		id = json.RawMessage("null") // it could not be read
	}
	raw, encodeErr := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": -32603, "message": err.Error()},
	})
	if encodeErr != nil {
		return encodeErr
	}
	return b.write(raw)
}

// answer writes a message of the server. From an answer to initialize it learns the
// version of the protocol.
func (b *bridge) answer(m call, raw []byte) error {
	if m.Method == "initialize" {
		var started struct {
			Result struct {
				Version string `json:"protocolVersion"`
			} `json:"result"`
		}
		if err := json.Unmarshal(raw, &started); err != nil {
			return err
		}
		b.mu.Lock()
		b.version = started.Result.Version
		b.mu.Unlock()
	}
	return b.write(raw)
}

// write writes a message as one line.
func (b *bridge) write(raw []byte) error {
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		return fmt.Errorf("the server's answer cannot be read: %w", err)
	}
	line.WriteByte('\n')
	b.mu.Lock()
	defer b.mu.Unlock()
	_, err := b.out.Write(line.Bytes())
	return err
}

// send sends a message to the server and passes each message of its answer to use.
func (b *bridge) send(ctx context.Context, m call, line []byte, use func([]byte) error) error {
	req, err := b.request(ctx, m, line)
	if err != nil {
		return err
	}
	resp, err := b.client.http.Do(req)
	if err != nil {
		return fmt.Errorf("the server at %s does not answer: %w", console.RedactURL(b.client.base), err)
	}
	defer resp.Body.Close() // it was read
	if session := resp.Header.Get("Mcp-Session-Id"); session != "" {
		b.mu.Lock()
		b.session = session
		b.mu.Unlock()
	}
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		return useEvents(resp.Body, use)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxLine))
	if err != nil {
		return err
	}
	var message struct {
		Version string `json:"jsonrpc"`
	}
	switch {
	case len(raw) == 0 && resp.StatusCode/100 == 2:
		return nil // a notification was taken
	case json.Unmarshal(raw, &message) == nil && message.Version != "":
		return use(raw) // with any status: newer versions of the protocol have several
	case resp.StatusCode == http.StatusNotFound:
		return fmt.Errorf("the server at %s has no /mcp; its version is older than this program's", console.RedactURL(b.client.base))
	}
	return b.client.refusal(resp, raw)
}

// request makes the request for a message. Its headers repeat parts of the message, as
// the protocol demands.
func (b *bridge) request(ctx context.Context, m call, line []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.client.base+"/mcp", bytes.NewReader(line))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if b.client.key != "" {
		req.Header.Set("Authorization", "Bearer "+b.client.key)
	}
	b.mu.Lock()
	session, version := b.session, b.version
	b.mu.Unlock()
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	if own := m.Params.Meta.Version; own != "" { // such messages need no session
		version = own
		req.Header.Set("Mcp-Method", m.Method)
		switch m.Method {
		case "tools/call":
			req.Header.Set("Mcp-Name", m.Params.Name)
		case "resources/read":
			req.Header.Set("Mcp-Name", m.Params.URI)
		}
	}
	if version != "" {
		req.Header.Set("Mcp-Protocol-Version", version)
	}
	return req, nil
}

// useEvents passes the data of each event to use.
func useEvents(r io.Reader, use func([]byte) error) error {
	events := sse.NewReader(r, 64<<20) // an answer may hold a whole document
	for {
		ev, err := events.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the answer broke off: %w", err)
		}
		if len(ev.Data) > 0 {
			if err := use(ev.Data); err != nil {
				return err
			}
		}
	}
}
