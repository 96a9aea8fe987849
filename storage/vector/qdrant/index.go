package qdrant

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"footnote/assistants"
)

// Options say which Qdrant server keeps the index, and under which names.
type Options struct {
	Host   string
	Port   int
	TLS    bool
	APIKey string
	Prefix string // of the names of its collections
	// Log receives what is odd about what the server answers; nil: the default logger.
	Log *slog.Logger
}

// defaultPrefix begins the names of our collections, so that a server may serve
// others, too.
const defaultPrefix = "footnote_"

// ParseURL reads qdrant://host:6334?tls=…&api_key=…&collection_prefix=….
// The error is one sentence that says what would be right, and has no secret.
func ParseURL(raw string) (Options, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "qdrant" || u.Hostname() == "" || u.Opaque != "" || strings.Trim(u.Path, "/") != "" {
		return Options{}, errors.New("write it as qdrant://host:6334?tls=true&api_key=…&collection_prefix=…")
	}
	opt := Options{Host: u.Hostname(), Port: 6334, Prefix: defaultPrefix}
	if u.User != nil {
		return opt, errors.New("give the key as api_key=…, not before the host")
	}
	if p := u.Port(); p != "" {
		if opt.Port, err = strconv.Atoi(p); err != nil || opt.Port < 1 || opt.Port > 65535 {
			return opt, errors.New("the port must be one from 1 to 65535; gRPC is at 6334")
		}
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return opt, errors.New("what follows the question mark must be name=value&name=value")
	}
	for name, values := range query {
		value := values[len(values)-1]
		switch name {
		case "tls":
			if opt.TLS, err = strconv.ParseBool(value); err != nil {
				return opt, errors.New("tls must be true or false")
			}
		case "api_key":
			opt.APIKey = value
		case "collection_prefix":
			if opt.Prefix = value; !plainName(value) {
				return opt, errors.New("collection_prefix must be 1 to 64 letters, digits, - and _")
			}
		default:
			return opt, fmt.Errorf("there is no parameter %q; there are tls, api_key and collection_prefix", name)
		}
	}
	return opt, nil
}

func plainName(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

// Qdrant is the index on a Qdrant server (1.15 or later). It is safe for
// concurrent use, and several processes may share one.
//
// # How it keeps its promises
//
// The server has no change of several points at once. So each Apply writes its
// points under a generation of its own, which nobody looks for, and then one
// point, the document's head, that names the generation: that is the moment of
// the change. Points of other generations are removed afterwards. A search
// takes what it found of a document only if the head named that generation both
// before and after it looked; otherwise it looks again.
//
// Words are in a sparse vector whose idf the server computes, over all it has;
// that finds candidates. Their scores are computed here, over the collections
// that were searched and nothing else, so that they are those of package embedded.
//
// Writes of one document wait for each other in a process. Two processes that
// write the same one, which the queue does not let happen but for a process that
// was taken for dead, may leave it without points; [Index.Versions] sees that.
type Index struct {
	opt    Options
	log    *slog.Logger
	client *qdrant.Client
	heads  headMemory
	closed atomic.Bool

	writing   [stripes]chan struct{} // a place each: who writes a document has that of its stripe
	preparing chan struct{}          // a place: who makes collections has it

	mu     sync.Mutex
	spaces map[assistants.Space]bool // whose collections are there
	ready  bool                      // the collections for heads and words are there
}

// stripes is how many documents may be written at once.
const stripes = 64

// retries lets the connection itself repeat what may succeed the next time;
// every write of ours gives the same when repeated.
const retries = `{"methodConfig": [{"name": [{}], "retryPolicy": {
	"maxAttempts": 4, "initialBackoff": "0.05s", "maxBackoff": "1s", "backoffMultiplier": 3,
	"retryableStatusCodes": ["UNAVAILABLE", "ABORTED", "RESOURCE_EXHAUSTED"]}}]}`

// maxAnswer is the largest answer taken from the server.
const maxAnswer = 64 << 20

// Open returns the index on a server. It does not wait for the server:
// one that is not there makes calls fail as unavailable, until it is.
func Open(opt Options) (*Index, error) {
	x := &Index{opt: opt, log: opt.Log, spaces: map[assistants.Space]bool{}, preparing: make(chan struct{}, 1)}
	for i := range x.writing {
		x.writing[i] = make(chan struct{}, 1)
	}
	if x.log == nil {
		x.log = slog.Default()
	}
	if x.opt.Prefix == "" {
		x.opt.Prefix = defaultPrefix
	}
	client, err := qdrant.NewClient(&qdrant.Config{
		Host: opt.Host, Port: opt.Port, APIKey: opt.APIKey, UseTLS: opt.TLS, PoolSize: 2, KeepAliveTime: 30, KeepAliveTimeout: 10,
		SkipCompatibilityCheck: true, // it would wait for the server, and print to standard output
		GrpcOptions: []grpc.DialOption{
			grpc.WithDefaultServiceConfig(retries),
			grpc.WithChainUnaryInterceptor(boundCall),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer), grpc.MaxCallSendMsgSize(maxAnswer)),
		},
	})
	if err != nil {
		return nil, fmt.Errorf("index: qdrant: %w", err)
	}
	x.client = client
	return x, nil
}

// Close ends the connections. Later calls of other methods fail; closing twice
// is no error.
func (x *Index) Close() error {
	if x.closed.Swap(true) {
		return nil
	}
	if err := x.client.Close(); err != nil {
		return fmt.Errorf("index: close: %w", err)
	}
	return nil
}

// Ping reports whether the server answers.
func (x *Index) Ping(ctx context.Context) error {
	_, err := x.client.HealthCheck(ctx)
	return x.wrap(ctx, "ping", err)
}

// callTime bounds one call of the server that is given no less.
const callTime = 30 * time.Second

// boundCall gives a call its time where many of them make up a longer one. Who
// has no bound at all, as who counts all that the server has, waits for it.
func boundCall(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if _, bounded := ctx.Deadline(); bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, callTime)
		defer cancel()
	}
	return call(ctx, method, req, reply, conn, opts...)
}

// wrap says what failed, with the error's kind: that of ctx when it ended,
// ErrUnavailable for whatever the server or the way to it did. What it says
// stays in the error, for the log.
func (x *Index) wrap(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	if status.Code(unwrapped(err)) == codes.NotFound {
		x.forget() // the server came back with an empty disk
	}
	if ctx.Err() != nil {
		return fmt.Errorf("index: %s: %w", what, ctx.Err())
	}
	for _, kind := range []error{assistants.ErrInvalid, assistants.ErrConflict, assistants.ErrUnavailable} {
		if errors.Is(err, kind) {
			return fmt.Errorf("index: %s: %w", what, err)
		}
	}
	return fmt.Errorf("index: %s: %w: qdrant at %s: %w", what, assistants.ErrUnavailable, net.JoinHostPort(x.opt.Host, strconv.Itoa(x.opt.Port)), err)
}

// begin makes sure that the index is open and that its collections are there,
// and bounds the time of the call.
func (x *Index) begin(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if x.closed.Load() {
		return nil, nil, fmt.Errorf("%w: closed", assistants.ErrUnavailable)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	if err := x.prepare(ctx); err != nil {
		cancel()
		return nil, nil, err
	}
	return ctx, cancel, nil
}

// Names of collections, of vectors and of what points carry.
const (
	headsName = "documents"
	wordsName = "words"

	vectorText  = "text"
	vectorDense = "dense"

	fieldTenant     = "tenant"
	fieldCollection = "collection"
	fieldDocument   = "document"
	fieldVersion    = "version"
	fieldGeneration = "generation" // of a document's points
	fieldVectors    = "vectors"    // generation of its vectors
	fieldPoints     = "points"
	fieldChunk      = "chunk"
	fieldIndex      = "index"
	fieldPlace      = "place"
	fieldLength     = "length"
	fieldTerms      = "terms"
)

func (x *Index) headsCollection() string { return x.opt.Prefix + headsName }
func (x *Index) wordsCollection() string { return x.opt.Prefix + wordsName }

// once has do called unless done says that it was; others wait for it no longer
// than their ctx lasts.
func (x *Index) once(ctx context.Context, done func() bool, do func() error) error {
	isDone := func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return done()
	}
	if isDone() {
		return nil
	}
	if err := occupy(ctx, x.preparing); err != nil {
		return err
	}
	defer func() { <-x.preparing }()
	if isDone() {
		return nil
	}
	return do()
}

// occupy waits for a place.
func occupy(ctx context.Context, place chan struct{}) error {
	select {
	case place <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// forget has the collections looked for again.
func (x *Index) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ready = false
	clear(x.spaces)
}

// prepare makes the collections for heads and words unless they are there.
func (x *Index) prepare(ctx context.Context) error {
	return x.once(ctx, func() bool { return x.ready }, func() error { return x.makeCollections(ctx) })
}

func (x *Index) makeCollections(ctx context.Context) error {
	err := x.make(ctx, &qdrant.CreateCollection{CollectionName: x.headsCollection()},
		indexed{fieldCollection: keyword, fieldTenant: tenant, fieldGeneration: keyword})
	if err != nil {
		return err
	}
	err = x.make(ctx, &qdrant.CreateCollection{
		CollectionName:      x.wordsCollection(),
		SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{vectorText: {Modifier: qdrant.Modifier_Idf.Enum()}}),
	}, indexed{fieldTenant: tenant, fieldCollection: keyword, fieldDocument: keyword, fieldGeneration: keyword, fieldLength: integer, fieldTerms: integer})
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ready = true
	return nil
}

// prepareSpace makes the collection of a space unless it is there.
func (x *Index) prepareSpace(ctx context.Context, s assistants.Space) error {
	return x.once(ctx, func() bool { return x.spaces[s] }, func() error { return x.makeSpace(ctx, s) })
}

func (x *Index) makeSpace(ctx context.Context, s assistants.Space) error {
	err := x.make(ctx, &qdrant.CreateCollection{
		CollectionName: x.spaceCollection(s),
		VectorsConfig: qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{
			vectorDense: {Size: uint64(s.Dimensions), Distance: qdrant.Distance_Dot}, // vectors have length 1
		}),
	}, indexed{fieldTenant: tenant, fieldCollection: keyword, fieldDocument: keyword, fieldGeneration: keyword, fieldVectors: keyword})
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.spaces[s] = true
	return nil
}

// indexed are the fields of a collection that are searched by, with their kinds.
type indexed map[string]fieldKind

type fieldKind int

const (
	keyword fieldKind = iota
	tenant            // a keyword by which the server keeps points together
	integer
)

// make creates a collection with the indexes of its fields. What is there
// already, perhaps since another process made it just now, is left.
func (x *Index) make(ctx context.Context, c *qdrant.CreateCollection, fields indexed) error {
	there, err := x.client.CollectionExists(ctx, c.CollectionName)
	if err != nil {
		return err
	}
	if !there {
		if err := x.client.CreateCollection(ctx, c); err != nil && status.Code(unwrapped(err)) != codes.AlreadyExists {
			return err
		}
	}
	for name, kind := range fields {
		field := &qdrant.CreateFieldIndexCollection{CollectionName: c.CollectionName, Wait: qdrant.PtrOf(true), FieldName: name}
		switch kind {
		case integer:
			field.FieldType = qdrant.FieldType_FieldTypeInteger.Enum()
			field.FieldIndexParams = qdrant.NewPayloadIndexParamsInt(&qdrant.IntegerIndexParams{Lookup: qdrant.PtrOf(true), Range: qdrant.PtrOf(false)})
		case tenant:
			field.FieldType = qdrant.FieldType_FieldTypeKeyword.Enum()
			field.FieldIndexParams = qdrant.NewPayloadIndexParamsKeyword(&qdrant.KeywordIndexParams{IsTenant: qdrant.PtrOf(true)})
		default:
			field.FieldType = qdrant.FieldType_FieldTypeKeyword.Enum()
		}
		if _, err := x.client.CreateFieldIndex(ctx, field); err != nil {
			return err
		}
	}
	return nil
}

// unwrapped is the innermost error that has a gRPC status.
func unwrapped(err error) error {
	for err != nil {
		if _, ok := err.(interface{ GRPCStatus() *status.Status }); ok { //nolint:errorlint // the chain is walked here
			return err
		}
		err = errors.Unwrap(err)
	}
	return nil
}

// collectionsOf are the distinct ids as what a filter matches.
func collectionsOf(ids []assistants.CollectionID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
