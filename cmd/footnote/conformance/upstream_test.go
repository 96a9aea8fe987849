package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A modelServer plays a script to its clients: the one that the model's
// name begins with. The rest of the name says who asks, so that many clients
// can ask at once and each finds its own requests again.
type modelServer struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string][]asked
	// fetched counts requests for anything but completions and the list of models.
	fetched int
	// silent counts the streams that wait until speak is closed.
	silent int
	speak  chan struct{}
	freed  map[string]chan struct{}
}

// asked is a request as it arrived at the model server.
type asked struct {
	header http.Header
	body   []byte
	// fields are the members of the body.
	fields map[string]any
}

func startModelServer(t *testing.T) *modelServer {
	t.Helper()
	m := &modelServer{asked: map[string][]asked{}, freed: map[string]chan struct{}{}, speak: make(chan struct{})}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(m.Close)
	return m
}

// baseURL is what the program is given.
func (m *modelServer) baseURL() string { return m.URL + "/v1" }

func (m *modelServer) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" { // the program asks for them at its start
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"scripted"}]}`)
		return
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
		m.mu.Lock()
		m.fetched++
		m.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	a := asked{header: r.Header, body: body}
	if err := json.Unmarshal(body, &a.fields); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	name, _ := a.fields["model"].(string)
	m.mu.Lock()
	m.asked[name] = append(m.asked[name], a)
	m.mu.Unlock()
	play, _, _ := strings.Cut(name, "/")
	c := &call{server: m, ResponseWriter: w, request: r, asked: a, name: name}
	switch {
	case scripts[play] != nil:
		scripts[play](c)
	case refused[play].play != nil:
		refused[play].play(c)
	case broken[play].stream != nil:
		broken[play].play(c)
	default:
		c.json(http.StatusBadRequest, `{"error":{"message":"no such script"}}`)
	}
}

// requests returns what was asked under a model's name, in order.
func (m *modelServer) requests(name string) []asked {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]asked(nil), m.asked[name]...)
}

// left is closed when the client that asked under the name has left in mid-stream.
func (m *modelServer) left(name string) chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.freed[name] == nil {
		m.freed[name] = make(chan struct{})
	}
	return m.freed[name]
}

// silence waits in mid-stream until the test has it go on.
func (c *call) silence() {
	c.server.mu.Lock()
	c.server.silent++
	c.server.mu.Unlock()
	select {
	case <-c.server.speak:
	case <-c.request.Context().Done():
	}
}

// A call is one request that a script answers.
type call struct {
	http.ResponseWriter
	server  *modelServer
	request *http.Request
	asked   asked
	name    string
}

func (c *call) streaming() bool { return c.asked.fields["stream"] == true }

// usage reports whether the client wants a usage chunk.
func (c *call) usage() bool {
	options, _ := c.asked.fields["stream_options"].(map[string]any)
	return options["include_usage"] == true
}

func (c *call) json(status int, body string, headers ...string) {
	c.Header().Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		c.Header().Set(name, value)
	}
	c.WriteHeader(status)
	c.send(body)
}

// send writes at once. Who asked may have left.
func (c *call) send(s string) {
	_, _ = io.WriteString(c, s)
	_ = http.NewResponseController(c.ResponseWriter).Flush()
}

// event sends one event with its data.
func (c *call) event(data string) {
	c.Header().Set("Content-Type", "text/event-stream")
	c.send("data: " + data + "\n\n")
}

// chunk sends a chunk of a completion with the given choices.
func (c *call) chunk(choices string) { c.event(envelope("chat.completion.chunk", choices, "")) }

// reset breaks the connection off.
func (c *call) reset() {
	conn, _, err := http.NewResponseController(c.ResponseWriter).Hijack()
	if err != nil {
		panic(err)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // makes Close a reset
	}
	_ = conn.Close()
}

const usage = `,"usage":{"prompt_tokens":30,"completion_tokens":12,"total_tokens":42,"prompt_tokens_details":{"cached_tokens":8}}`

// envelope is what surrounds the choices of every answer, with a member that no SDK knows.
func envelope(object, choices, more string) string {
	return fmt.Sprintf(`{"id":"chatcmpl-7","object":%q,"created":1792000000,"model":"gpt-4o-2024-08-06","choices":[%s],`+
		`"service_tier":"default","system_fingerprint":"fp_7","x_vendor":{"cost":0.10}%s}`, object, choices, more)
}
