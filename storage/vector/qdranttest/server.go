package qdranttest

import (
	"context"
	"maps"
	"net"
	"path"
	"slices"
	"sync"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// A Server is a running server. It ends with the test.
type Server struct {
	qdrant.UnimplementedPointsServer
	qdrant.UnimplementedQdrantServer

	Host string
	Port int

	mu          sync.Mutex
	collections map[string]*collection
	apiKey      string
	before      func(ctx context.Context, method string) error
	calls       map[string]int
	lie         func(*qdrant.ScoredPoint)
}

// maxRequest is the largest request that the real server accepts by default.
const maxRequest = 32 << 20

// New starts a server.
func New(t testing.TB) *Server {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Host: "127.0.0.1", Port: ln.Addr().(*net.TCPAddr).Port, collections: map[string]*collection{}, calls: map[string]int{}}
	g := grpc.NewServer(grpc.MaxRecvMsgSize(maxRequest), grpc.UnaryInterceptor(s.intercept))
	qdrant.RegisterCollectionsServer(g, collectionsService{server: s})
	qdrant.RegisterPointsServer(g, s)
	qdrant.RegisterQdrantServer(g, s)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = g.Serve(ln) // ends with Stop
	}()
	t.Cleanup(func() {
		g.Stop()
		<-ended
	})
	return s
}

// RequireKey makes the server refuse calls without the key.
func (s *Server) RequireKey(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.apiKey = key
}

// Before calls fn before every call, with the method's name such as "Upsert". If fn
// returns an error, the call fails with it. nil removes fn.
func (s *Server) Before(fn func(ctx context.Context, method string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = fn
}

// Lie lets fn change the points that queries answer with.
func (s *Server) Lie(fn func(*qdrant.ScoredPoint)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lie = fn
}

// Calls counts the calls of a method so far.
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// Points counts the points of a collection.
func (s *Server) Points(collection string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.collections[collection]; c != nil {
		return len(c.points)
	}
	return 0
}

// Collections returns the names of all collections.
func (s *Server) Collections() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.collections))
}

// Lose removes the points of a collection for which the function which returns true,
// as a faulty disk might.
func (s *Server) Lose(collection string, which func(payload map[string]*qdrant.Value) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.collections[collection]; c != nil {
		maps.DeleteFunc(c.points, func(_ string, p *point) bool { return which(p.payload) })
		c.clearCaches()
	}
}

// Drop deletes a collection.
func (s *Server) Drop(collection string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.collections, collection)
}

// Wipe removes everything, as if the server had restarted with an empty disk.
func (s *Server) Wipe() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.collections)
}

func (s *Server) intercept(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	method := path.Base(info.FullMethod)
	s.mu.Lock()
	before, key := s.before, s.apiKey
	s.calls[method]++
	s.mu.Unlock()
	if key != "" {
		md, _ := metadata.FromIncomingContext(ctx)
		if got := md.Get("api-key"); len(got) != 1 || got[0] != key {
			return nil, status.Error(codes.Unauthenticated, "Must provide an API key or an Authorization bearer token")
		}
	}
	if before != nil {
		if err := before(ctx, method); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return handler(ctx, req)
}

// HealthCheck implements the service.
func (s *Server) HealthCheck(context.Context, *qdrant.HealthCheckRequest) (*qdrant.HealthCheckReply, error) {
	return &qdrant.HealthCheckReply{Title: "qdrant - vector search engine", Version: "1.15.0"}, nil
}

func invalid(format string, args ...any) error {
	return status.Errorf(codes.InvalidArgument, "Wrong input: "+format, args...)
}
