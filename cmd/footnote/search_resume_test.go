package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"footnote/assistants/retrieval"
	"footnote/proxy"
	"footnote/proxy/access"
	"footnote/proxy/links"
	"footnote/proxy/search"
	"footnote/proxy/upstream"
	"footnote/proxy/upstream/upstreamtest"
	"footnote/storage/db"
	"footnote/storage/db/postgrestest"
)

// searchesNothing is the retriever of a server that only resumes searches.
type searchesNothing struct{}

func (searchesNothing) Retrieve(context.Context, retrieval.Query) (retrieval.Result, error) {
	return retrieval.Result{}, errors.New("this server only resumes")
}

// secondServer is another server, in this process, on the database of a running program.
// The program itself does not let a second one use its database while documents are on
// disk; what they share here is the database alone.
func secondServer(t *testing.T, database string, timings search.Timings) (url string) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	store, err := db.Open(t.Context(), database, db.Options{Logger: log, SecretKey: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	auth, err := access.New(db.NewCached(store), testAdminKey, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s, err := proxy.New(proxy.Config{MaxBodyBytes: 1 << 20, MaxInFlightBytes: 1 << 20, PromptSecret: make([]byte, 32), Searches: timings}, proxy.Deps{
		Directory: db.NewCached(store), Retriever: searchesNothing{}, Upstreams: upstream.NewDirectory(upstream.Entry{}, nil), Auth: auth, Log: log,
		Anonymous: access.NewLimiter(publicRate, time.Now), Metrics: proxy.NewMetrics(store), Ready: func(context.Context) error { return nil },
		Links: links.New(links.Options{Base: links.Base{}.For, Documents: store, Log: log}), Passages: store, Streams: store,
	})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := proxy.NewHTTPServer(s)
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()
	t.Cleanup(func() {
		closed := server.Close()
		s.Close()
		if err := errors.Join(closed, store.Close()); err != nil || !errors.Is(<-served, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return "http://" + ln.Addr().String()
}

// A streamClient reads the events of searches.
type streamClient struct {
	t   *testing.T
	key string
}

// An openStream is a connection on which events come.
type openStream struct {
	t     *testing.T
	body  io.ReadCloser
	lines *bufio.Reader
}

const resumedSearch = `{"query":"How much honey does a colony need?","stream":true}`

// ask asks a server for a stream, after an event unless last is "".
func (c streamClient) ask(url, last, body string) (*openStream, int) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), "POST", url+"/v1/search", strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	s := &openStream{c.t, resp.Body, bufio.NewReader(resp.Body)}
	if resp.StatusCode != http.StatusOK {
		s.close()
	}
	return s, resp.StatusCode
}

// status is the answer to a resumption that is refused.
func (c streamClient) status(url, last, body string) int {
	s, code := c.ask(url, last, body)
	s.close()
	return code
}

func (s *openStream) close() { _ = s.body.Close() } // the client leaves

// next returns the next event and its id; "" at the end.
func (s *openStream) next() (event, id string) {
	s.t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		switch {
		case errors.Is(err, io.EOF) && event == "":
			return "", ""
		case err != nil:
			s.t.Fatalf("after %q: %v", event, err)
		case line == "\n":
			return event, id
		case !strings.HasPrefix(line, ":"):
			event += line
		}
		if after, ok := strings.CutPrefix(line, "id: "); ok {
			id = strings.TrimSpace(after)
		}
	}
}

// until reads events up to one that contains a text, or to the end, and returns them and the last id.
func (s *openStream) until(text string) (events []string, last string) {
	s.t.Helper()
	for {
		event, id := s.next()
		if event == "" {
			return events, last
		}
		events, last = append(events, event), id
		if text != "" && strings.Contains(event, text) {
			return events, last
		}
	}
}

// startHoney starts the program on a database with a document about honey. Its model
// sends two tokens, and the rest when goOn is closed.
func startHoney(t *testing.T, dir, database string, goOn <-chan struct{}) (*process, streamClient) {
	t.Helper()
	token := func(text string) upstreamtest.Step {
		return upstreamtest.Event(`{"choices":[{"index":0,"delta":{"content":` + strconv.Quote(text) + `}}]}`)
	}
	script := upstreamtest.Stream().Then(token("It needs "), token("20 kg "), upstreamtest.Wait(goOn), token("of honey [1]"), token(". Bees "), token("eat it."),
		upstreamtest.Event(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`), upstreamtest.Event("[DONE]"), upstreamtest.EndStream())
	p := start(t, dir, nil, "FOOTNOTE_DATABASE_URL="+database, "FOOTNOTE_UPSTREAM_URL="+modelServer(t, script, script, script).URL(), "FOOTNOTE_UPSTREAM_MODEL=m", "FOOTNOTE_UPSTREAM_API_KEY=k")
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "bees"}, nil); code != 201 {
		t.Fatal(code)
	}
	if _, code := p.note("bees", "bees.txt", "A colony needs 20 kg of honey to come through the winter."); code >= 300 {
		t.Fatal(code)
	}
	p.documents("bees")
	return p, streamClient{t, p.searchKey()}
}

// searchKey makes a key that may search.
func (p *process) searchKey() string {
	p.t.Helper()
	var made struct{ Key string }
	if code := p.json("POST", "/v1.0/keys", map[string]any{"name": "reader", "scopes": []string{"search"}}, &made); code != 201 {
		p.t.Fatal(code)
	}
	return made.Key
}

// A client whose connection to one server breaks gets the rest of the events from another
// server on the same database, while the first one still makes them: each once, in order.
func TestASearchIsResumedAtAnotherServer(t *testing.T) {
	t.Parallel()
	database, goOn := postgrestest.URL(t), make(chan struct{})
	p, client := startHoney(t, t.TempDir(), database, goOn)
	second := secondServer(t, database, search.Timings{Resume: 2 * time.Second, Poll: 20 * time.Millisecond, Silence: time.Minute})

	first, code := client.ask(p.url, "", resumedSearch)
	if code != 200 {
		t.Fatal(code)
	}
	got, last := first.until("20 kg")
	first.close()
	other := streamClient{t, p.searchKey()}
	for name, refused := range map[string]int{
		"another key":     other.status(second, last, resumedSearch),
		"another request": client.status(second, last, strings.Replace(resumedSearch, "much", "little", 1)),
		"another stream":  client.status(second, "x"+last, resumedSearch),
	} {
		if refused != 404 {
			t.Errorf("%s: %d", name, refused)
		}
	}
	rest, code := client.ask(second, last, resumedSearch)
	if code != 200 {
		t.Fatalf("resumed: %d", code)
	}
	close(goOn)
	more, end := rest.until("")
	rest.close()
	got = append(got, more...)
	if !strings.HasPrefix(got[len(got)-1], "event: done\n") {
		t.Errorf("the last event is %q", got[len(got)-1])
	}
	id, _, _ := strings.Cut(end, "-")
	for n, event := range got {
		if !strings.Contains(event, "id: "+id+"-"+strconv.Itoa(n)+"\n") {
			t.Errorf("event %d is %q", n, event)
		}
	}
	whole, code := client.ask(p.url, id+"-0", resumedSearch) // the server that made it has all of it
	all, _ := whole.until("")
	whole.close()
	if code != 200 || strings.Join(all, "\n") != strings.Join(got[1:], "\n") {
		t.Errorf("%d, the stream was\n%q, and came as\n%q", code, all, got)
	}
	if refused := client.status(second, id+"-99", resumedSearch); refused != 404 {
		t.Errorf("behind the end: %d", refused)
	}

	whole, _ = client.ask(p.url, "", resumedSearch) // which the second server has not seen yet
	_, old := whole.until("")
	whole.close()
	number := func(query string) (n int) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), database)
		if err == nil {
			err = errors.Join(conn.QueryRow(t.Context(), query).Scan(&n), conn.Close(t.Context()))
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	eventually(t, "all streams are saved", func() bool { return number("SELECT count(*) FROM search_streams WHERE ended") == 2 })
	number("WITH old AS (UPDATE search_streams SET expires_at = now() - interval '1 second' RETURNING id) SELECT count(*) FROM old")
	if refused := client.status(second, old, resumedSearch); refused != 404 {
		t.Errorf("a stream that has expired: %d", refused)
	}
	eventually(t, "what has expired is removed", func() bool {
		return number("SELECT (SELECT count(*) FROM search_streams) + (SELECT count(*) FROM search_stream_events)") == 0
	})
}

// When the server that makes an answer dies, a stream that was resumed at another one ends
// with an error, which also meets a client that had more events than were shared.
func TestAResumedSearchWhoseServerDiesEndsWithAnError(t *testing.T) {
	t.Parallel()
	database := postgrestest.URL(t)
	p, client := startHoney(t, t.TempDir(), database, nil)
	second := secondServer(t, database, search.Timings{Poll: 20 * time.Millisecond, Silence: 4 * time.Second})
	first, code := client.ask(p.url, "", resumedSearch)
	if code != 200 {
		t.Fatal(code)
	}
	got, last := first.until("20 kg")
	rest, code := client.ask(second, last, resumedSearch)
	if code != 200 || len(got) != 4 {
		t.Fatalf("%d after %q", code, got)
	}
	p.kill()
	first.close()
	events, _ := rest.until("")
	rest.close()
	const lost = `"message":"The server that made this answer has stopped before its end. Search again."`
	if len(events) != 1 || !strings.HasPrefix(events[0], "event: error\n") || !strings.Contains(events[0], `"code":"SERVICE_ERROR"`) || !strings.Contains(events[0], lost) {
		t.Errorf("%q", events)
	}
}

// A server that stops in order says so to the clients that another server serves.
func TestAResumedSearchWhoseServerStopsEndsWithAnError(t *testing.T) {
	t.Parallel()
	database := postgrestest.URL(t)
	p, client := startHoney(t, t.TempDir(), database, nil)
	second := secondServer(t, database, search.Timings{Poll: 20 * time.Millisecond, Silence: time.Hour})
	first, _ := client.ask(p.url, "", resumedSearch)
	_, last := first.until("20 kg")
	first.close()
	rest, code := client.ask(second, last, resumedSearch)
	if code != 200 {
		t.Fatal(code)
	}
	p.stop(syscall.SIGINT)
	events, _ := rest.until("")
	rest.close()
	if len(events) != 1 || !strings.HasPrefix(events[0], "event: error\n") || !strings.Contains(events[0], "Search again.") {
		t.Errorf("%q", events)
	}
}

// A stream outlives its server: the process that comes after it sends the rest.
func TestASearchIsResumedAtTheNextProcess(t *testing.T) {
	t.Parallel()
	dir, database, goOn := t.TempDir(), postgrestest.URL(t), make(chan struct{})
	p, client := startHoney(t, dir, database, goOn)
	stream, code := client.ask(p.url, "", resumedSearch)
	if code != 200 {
		t.Fatal(code)
	}
	begun, broken := stream.until("20 kg")
	close(goOn)
	rest, _ := stream.until("")
	stream.close()
	second, code := client.ask(p.url, "", resumedSearch)
	if code != 200 {
		t.Fatal(code)
	}
	whole, last := second.until("")
	second.close()
	if !strings.HasPrefix(whole[len(whole)-1], "event: done\n") {
		t.Fatalf("%q", whole)
	}
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "both streams are saved", func() bool {
		var n int
		return conn.QueryRow(t.Context(), "SELECT count(*) FROM search_streams WHERE ended").Scan(&n) == nil && n == 2
	})
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.kill()
	p = start(t, dir, nil, "FOOTNOTE_DATABASE_URL="+database)
	for from, want := range map[string][]string{broken: rest, strings.TrimRight(last, "0123456789") + "0": whole[1:]} {
		again, code := client.ask(p.url, from, resumedSearch)
		got, _ := again.until("")
		again.close()
		if code != 200 || !slices.Equal(got, want) {
			t.Errorf("after %s: %d %q\nwant %q, begun with %q", from, code, got, want, begun)
		}
	}
}
