package qdrant

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"footnote/assistants"
	"footnote/storage/vector/qdranttest"
	"footnote/storage/vector/vectortest"
)

func qdrantOn(t testing.TB, s *qdranttest.Server) *Index {
	t.Helper()
	x, err := Open(Options{Host: s.Host, Port: s.Port, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func TestQdrantKeepsTheContract(t *testing.T) {
	var mu sync.Mutex
	servers := map[string]*qdranttest.Server{} // what a directory is to other indexes
	vectortest.Run(t, func(t testing.TB, dir string) vectortest.Index {
		mu.Lock()
		defer mu.Unlock()
		if servers[dir] == nil {
			servers[dir] = qdranttest.New(t)
		}
		x, err := Open(Options{Host: servers[dir].Host, Port: servers[dir].Port, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return x
	})
}

func applied(t testing.TB, x *Index, collection, id string, texts ...string) {
	t.Helper()
	if err := x.Apply(context.Background(), vectortest.Doc(collection, id, "name.md"), 1, vectortest.Points(id, 1, texts...)); err != nil {
		t.Fatal(err)
	}
}

// Every way in which the server can fail is "unavailable", in time, and says
// nothing else to whoever asked.
func TestQdrantThatFailsIsUnavailable(t *testing.T) {
	s := qdranttest.New(t)
	x := qdrantOn(t, s)
	applied(t, x, "c1", "d1", "apples")
	for _, code := range []codes.Code{codes.Internal, codes.Unauthenticated, codes.PermissionDenied, codes.NotFound, codes.Unknown, codes.InvalidArgument, codes.Unimplemented} {
		s.Before(func(context.Context, string) error { return status.Error(code, "no") })
		_, search := x.Search(context.Background(), vectortest.Ask("apple", "c1"))
		_, versions := x.Versions(context.Background())
		for what, err := range map[string]error{
			"search": search, "versions": versions, "apply": x.Apply(context.Background(), vectortest.Doc("c1", "d2", ""), 1, nil), "remove": x.Remove(context.Background(), "d1"),
		} {
			if !errors.Is(err, assistants.ErrUnavailable) {
				t.Errorf("%s, %s: %v", code, what, err)
			}
		}
	}
	s.Before(nil)
	if got, err := x.Search(context.Background(), vectortest.Ask("apple", "c1")); err != nil || len(got.Matches) != 1 {
		t.Errorf("afterwards: %v, %v", got, err)
	}
}

// A port that nobody listens on, or at which something else answers, is a server
// that is away: the call ends long before its time.
func TestWhatIsNoQdrantIsUnavailable(t *testing.T) {
	for name, answer := range map[string]string{
		"nobody": "", "a line that is shut": "shut", "another protocol": "SSH-2.0-OpenSSH_9.2\r\n",
		"a web server":  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"result\":null}",
		"broken frames": "\x00\x00\x00\x04\x00\x00\x00\x00\x00\xff\xff\xff\xff\x01\x00\x00\x00\x00\x00",
	} {
		t.Run(name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var serving sync.WaitGroup
			if answer == "" {
				ln.Close() //nolint:errcheck // nobody listens
			} else {
				serving.Go(func() {
					for {
						conn, err := ln.Accept()
						if err != nil {
							return
						}
						if answer != "shut" {
							_, _ = conn.Write([]byte(answer)) // it may have left
							_, _ = conn.Read(make([]byte, 1))
						}
						conn.Close() //nolint:errcheck // as above
					}
				})
			}
			x, err := Open(Options{Host: "127.0.0.1", Port: ln.Addr().(*net.TCPAddr).Port, Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
			defer cancel()
			_, err = x.Search(ctx, vectortest.Ask("apple", "c1"))
			if !errors.Is(err, assistants.ErrUnavailable) || ctx.Err() != nil {
				t.Error(err)
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
			ln.Close() //nolint:errcheck // it may be closed already
			serving.Wait()
		})
	}
}

func TestQdrantIsAskedAgainWhenItIsBusy(t *testing.T) {
	s := qdranttest.New(t)
	x := qdrantOn(t, s)
	var mu sync.Mutex
	failed := map[string]int{}
	s.Before(func(_ context.Context, method string) error {
		mu.Lock()
		defer mu.Unlock()
		if failed[method]++; failed[method] <= 2 {
			return status.Error(codes.Unavailable, "busy")
		}
		return nil
	})
	applied(t, x, "c1", "d1", "apples")
	if got, err := x.Search(context.Background(), vectortest.Ask("apple", "c1")); err != nil || len(got.Matches) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestASlowQdrantIsGivenUpWithItsCaller(t *testing.T) {
	s := qdranttest.New(t)
	x := qdrantOn(t, s)
	applied(t, x, "c1", "d1", "apples")
	ctx, cancel := context.WithCancel(context.Background())
	s.Before(func(ctx context.Context, _ string) error {
		cancel()
		<-ctx.Done() // the caller's end reaches the server
		return ctx.Err()
	})
	if _, err := x.Search(ctx, vectortest.Ask("apple", "c1")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A large document takes as long as its parts: each call of the server has its
// time, and they do not share one.
func TestAWriteToQdrantHasTimeForEachOfItsCalls(t *testing.T) {
	ctx := context.Background()
	s := qdranttest.New(t)
	x := qdrantOn(t, s)
	err := x.writeDocument(ctx, "test", "d1", func(ctx context.Context) error {
		end, ok := ctx.Deadline()
		if left := time.Until(end); !ok || left < 2*callTimeout || left > strayAge {
			t.Errorf("a write has %s", left)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	calls := map[string]bool{}
	s.Before(func(ctx context.Context, method string) error {
		mu.Lock()
		defer mu.Unlock()
		calls[method] = true
		if end, ok := ctx.Deadline(); !ok || time.Until(end) > callTimeout {
			t.Errorf("%s has until %s, %v", method, end, ok)
		}
		return nil
	})
	space, vectors := assistants.Space{Model: "m", Dimensions: 2}, [][]float32{{1, 0}}
	for _, err := range []error{
		x.ApplyEmbedded(ctx, vectortest.Doc("c1", "d1", ""), 1, vectortest.Points("d1", 1, "apples"), space, vectors),
		x.Apply(ctx, vectortest.Doc("c1", "d1", ""), 2, vectortest.Points("d1", 2, "apples")),
		x.ApplyVectors(ctx, "d1", 2, space, vectors),
		x.Remove(ctx, "d1"),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if !calls["Upsert"] || !calls["SetPayload"] || !calls["Delete"] {
		t.Errorf("called: %v", calls)
	}
}

func TestQdrantWantsItsKey(t *testing.T) {
	s := qdranttest.New(t)
	s.RequireKey("secret-of-qdrant")
	if err := qdrantOn(t, s).Ping(context.Background()); !errors.Is(err, assistants.ErrUnavailable) || strings.Contains(fmt.Sprint(err), "secret") {
		t.Errorf("without a key: %v", err)
	}
	x, err := Open(Options{Host: s.Host, Port: s.Port, APIKey: "secret-of-qdrant"})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	applied(t, x, "c1", "d1", "apples")
}

// A server that answers with another tenant's passages, hostile or broken, does
// not get them through.
func TestForeignPointsOfQdrantAreDropped(t *testing.T) {
	s := qdranttest.New(t)
	x := qdrantOn(t, s)
	applied(t, x, "c1", "d1", "apples", "apples and pears")
	space := assistants.Space{Model: "m", Dimensions: 2}
	if err := x.ApplyVectors(context.Background(), "d1", 1, space, [][]float32{{1, 0}, {0, 1}}); err != nil {
		t.Fatal(err)
	}
	q := vectortest.Ask("apple", "c1")
	q.Vector, q.Space, q.TextWeight = []float32{1, 0}, space, 0.5
	for _, field := range []string{"tenant", "collection"} {
		s.Lie(func(p *qdrant.ScoredPoint) {
			if _, ok := p.Payload[field]; ok {
				p.Payload[field] = qdrant.NewValueString("another")
			}
		})
		if got, err := x.Search(context.Background(), q); err != nil || len(got.Matches) != 0 {
			t.Errorf("another %s: %v, %v", field, got, err)
		}
	}
	s.Lie(nil)
	if got, err := x.Search(context.Background(), q); err != nil || len(got.Matches) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

// What a crash or a lost disk leaves behind is found when the index says what
// it has: a document without all of its points is not there, points of nobody go.
func TestQdrantFindsWhatItHasLost(t *testing.T) {
	s := qdranttest.New(t)
	x := qdrantOn(t, s)
	space := assistants.Space{Model: "m", Dimensions: 2}
	for _, id := range []string{"d1", "d2", "d3"} {
		applied(t, x, "c1", id, "apples", "pears")
		if err := x.ApplyVectors(context.Background(), assistants.DocumentID(id), 1, space, [][]float32{{1, 0}, {0, 1}}); err != nil {
			t.Fatal(err)
		}
	}
	of := func(id string, place int64) func(map[string]*qdrant.Value) bool {
		return func(p map[string]*qdrant.Value) bool {
			return p["document"].GetStringValue() == id && p["place"].GetIntegerValue() == place
		}
	}
	s.Lose("footnote_words", of("d2", 1))
	s.Lose(x.spaceCollection(space), of("d3", 0))
	got, err := x.Versions(context.Background())
	if want := "map[d1:{1 [{m 2}]} d3:{1 []}]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v %v, want %s", err, got, want)
	}
	// d2 is applied again, and d1 loses its head: what it had is swept away once it is old.
	applied(t, x, "c1", "d2", "apples", "pears")
	s.Lose("footnote_documents", func(p map[string]*qdrant.Value) bool { return p["document"].GetStringValue() == "d1" })
	if got, err := x.Versions(context.Background()); err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	if got := s.Points("footnote_words"); got != 6 {
		t.Errorf("%d points: what is young is nobody's to remove, as another process may be at work on it", got)
	}
	if found, err := x.Search(context.Background(), vectortest.Ask("apple", "c1")); err != nil || len(found.Matches) != 2 {
		t.Errorf("%v, %v", found, err)
	}
}

// A write that dies at any of its calls leaves the old version or the new one,
// and the next write cleans up.
func TestAWriteToQdrantThatDiesLeavesAWholeVersion(t *testing.T) {
	ctx := context.Background()
	space := assistants.Space{Model: "m", Dimensions: 2}
	for stop := 1; stop < 12; stop++ {
		s := qdranttest.New(t)
		x := qdrantOn(t, s)
		applied(t, x, "c1", "d1", "apples", "apples")
		if err := x.ApplyVectors(ctx, "d1", 1, space, [][]float32{{1, 0}, {0, 1}}); err != nil {
			t.Fatal(err)
		}
		calls := 0
		var mu sync.Mutex
		s.Before(func(context.Context, string) error {
			mu.Lock()
			defer mu.Unlock()
			if calls++; calls >= stop {
				return status.Error(codes.Internal, "power cut")
			}
			return nil
		})
		first := x.Apply(ctx, vectortest.Doc("c1", "d1", ""), 2, vectortest.Points("d1", 2, "apples", "apples", "apples"))
		var second error
		if first == nil {
			second = x.ApplyVectors(ctx, "d1", 2, space, [][]float32{{1, 0}, {0, 1}, {1, 0}})
		}
		s.Before(nil)
		q := vectortest.Ask("apple", "c1")
		q.Vector, q.Space, q.TextWeight = []float32{1, 0}, space, 0.5
		got, err := qdrantOn(t, s).Search(ctx, q)
		if err != nil || len(got.Matches) != got.Matches[0].Version+1 {
			t.Errorf("stopped at call %d: %v, %+v", stop, err, got.Matches)
		}
		if (first == nil) && got.Matches[0].Version != 2 {
			t.Errorf("stopped at call %d: an acknowledged version is not there", stop)
		}
		if err := x.Apply(ctx, vectortest.Doc("c1", "d1", ""), 3, vectortest.Points("d1", 3, "apples")); err != nil {
			t.Fatal(err)
		}
		if n := s.Points("footnote_words") + s.Points(x.spaceCollection(space)); n != 1 {
			t.Errorf("stopped at call %d (%v, %v): %d points are left beside the one", stop, first, second, n)
		}
	}
}

func TestAVectorURLForQdrant(t *testing.T) {
	got, err := ParseURL("qdrant://index.example:7000?tls=true&api_key=k%2F1&collection_prefix=prod_")
	if want := (Options{Host: "index.example", Port: 7000, TLS: true, APIKey: "k/1", Prefix: "prod_"}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v", got, err)
	}
	for host, want := range map[string]string{"::1": "[::1]", "127.0.0.1": "127.0.0.1", "qdrant.example": "qdrant.example"} {
		if got := dialHost(host); got != want {
			t.Errorf("%s is dialled as %s", host, got)
		}
	}
	if got, err := ParseURL("qdrant://[::1]"); err != nil || got.Host != "::1" || got.Port != 6334 || got.Prefix != "footnote_" || got.TLS {
		t.Errorf("%+v %v", got, err)
	}
	for _, bad := range []string{
		"qdrant:", "qdrant://", "http://host", "qdrant://host/path", "qdrant://key@host", "qdrant://host:0", "qdrant://host:99999",
		"qdrant://host?tls=maybe", "qdrant://host?prefix=x", "qdrant://host?collection_prefix=a/b", "qdrant://host?collection_prefix=", "qdrant://host?a=%zz",
	} {
		if _, err := ParseURL(bad); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// Weights survive their way through a sparse vector for every frequency that a
// passage may have.
func TestStoredWeightsCanBeReadBack(t *testing.T) {
	for _, length := range []int{1, 10, 150, 400, 5000} {
		for halves := 1; halves <= 200; halves++ {
			if got := halvesOf(storedWeight(halves, length), length); got != uint32(halves) {
				t.Fatalf("%d half occurrences of %d are read as %d", halves, length, got)
			}
		}
	}
}

// What a version left half written has, many times what counts, keeps nothing out.
func TestPointsOfNobodyKeepNoCandidatesOut(t *testing.T) {
	ctx := context.Background()
	s := qdranttest.New(t)
	x := qdrantOn(t, s)
	space := assistants.Space{Model: "m", Dimensions: 2}
	for i := range 60 {
		id := fmt.Sprintf("d%d", i)
		applied(t, x, "c1", id, "apples and some more words that make it longer")
		if err := x.ApplyVectors(ctx, assistants.DocumentID(id), 1, space, [][]float32{{0.6, 0.8}}); err != nil {
			t.Fatal(err)
		}
	}
	var texts []string
	var vectors [][]float32
	for range 700 {
		texts, vectors = append(texts, "apples"), append(vectors, []float32{1, 0})
	}
	applied(t, x, "c1", "lost", texts...)
	if err := x.ApplyVectors(ctx, "lost", 1, space, vectors); err != nil {
		t.Fatal(err)
	}
	s.Lose("footnote_documents", func(p map[string]*qdrant.Value) bool { return p["document"].GetStringValue() == "lost" })
	words := vectortest.Ask("apple", "c1")
	meaning := assistants.Search{Tenant: words.Tenant, Collections: words.Collections, Limit: words.Limit, Vector: []float32{1, 0}, Space: space}
	for what, q := range map[string]assistants.Search{"words": words, "meaning": meaning} {
		if got, err := x.Search(ctx, q); err != nil || len(got.Matches) != assistants.MaxMatches {
			t.Errorf("%s: %d matches, %v", what, len(got.Matches), err)
		}
	}
}

// Whoever waits for another's call of a silent server waits no longer than for
// one of his own.
func TestASilentQdrantHoldsNobodyBeyondHisTime(t *testing.T) {
	s := qdranttest.New(t)
	x := qdrantOn(t, s)
	asked, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s.Before(func(context.Context, string) error {
		once.Do(func() { close(asked) })
		<-release
		return nil
	})
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := x.Apply(context.Background(), vectortest.Doc("c1", "d1", ""), 1, vectortest.Points("d1", 1, "apples")); err != nil {
			t.Error(err)
		}
	})
	<-asked
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		_, err := x.Search(ctx, vectortest.Ask("apple", "c1"))
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(release)
	wg.Wait()
}

func TestCloseWaitsForRunningCalls(t *testing.T) {
	s := qdranttest.New(t)
	x, err := Open(Options{Host: s.Host, Port: s.Port, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	applied(t, x, "c", "doc1", "words")
	var running sync.WaitGroup
	begun := make(chan struct{}, 100)
	for range 8 {
		running.Go(func() {
			for {
				_, err := x.Versions(context.Background())
				select {
				case begun <- struct{}{}:
				default:
				}
				if err != nil {
					if !errors.Is(err, assistants.ErrUnavailable) && !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	<-begun
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	running.Wait()
}

// A search asks the server in several goroutines. A panic of one is the error of the search.
func TestAPanicOfASearchIsItsError(t *testing.T) {
	byMeaning := assistants.Search{Tenant: "t", Collections: []assistants.CollectionID{"c1"}, Vector: []float32{1, 0}, Space: assistants.Space{Model: "m", Dimensions: 2}}
	for _, q := range []assistants.Search{vectortest.Ask("apple", "c1"), byMeaning} {
		r := newSearchRun(&Index{}, q) // without a client
		if _, err := r.run(t.Context()); err == nil || !strings.Contains(err.Error(), "panic: ") {
			t.Errorf("%q %v: %v", q.Terms, q.Vector, err)
		}
	}
}
