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
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"footnote/assistants"
)

// Options name the Qdrant server and the index on it.
type Options struct {
	Host   string
	Port   int
	TLS    bool
	APIKey string
	Prefix string // of the names of its collections
	// Installation is the id of the installation that the collections belong to.
	// Those of another are refused. "": nothing is checked.
	Installation string
	// Lost is called when a collection that was there is missing. It must not block.
	// Searches fail until [Index.Restored] is called. nil: searches find what is left.
	Lost func()
	// Log receives unexpected answers of the server; nil is the default logger.
	Log *slog.Logger
}

// defaultPrefix begins the names of Footnote's collections, so that others can use
// the same server.
const defaultPrefix = "footnote_"

// ParseURL reads qdrant://host:6334?tls=…&api_key=…&collection_prefix=…. The error
// is one sentence that says what to write, without secrets.
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

// An Index is the index on a Qdrant server (1.15 or later). It is safe for
// concurrent use, and several processes may share one.
//
// # How it keeps its promises
//
// The server cannot change several points at once. So each Apply writes its points
// under a new generation that no search looks for, and then one point, the
// document's head, that names the generation. Searches see the change when the head is
// written. Points of other generations are removed afterwards. A search uses the
// points of a document only if the head named their generation both before and after
// the search; otherwise it searches again.
//
// Words are in a sparse vector whose IDF the server computes over all its points. The
// server's scores only serve to find candidates. The scores of matches are computed
// here, over the collections searched, so they equal those of package embedded.
//
// Within a process, writes of one document wait for each other. Two processes that
// write the same document may leave it without points. The queue prevents that,
// unless a running process was taken for dead; then [Index.Versions] notices it.
type Index struct {
	opt    Options
	log    *slog.Logger
	client *qdrant.Client
	heads  headMemory

	calls    sync.WaitGroup // running calls
	stop     context.CancelFunc
	stopping context.Context // ends with Close

	writing   [stripes]chan struct{} // one slot for each stripe; a writer holds the slot of its document's stripe
	preparing chan struct{}          // one slot; held while collections are created

	mu     sync.Mutex
	spaces map[assistants.Space]bool // spaces whose collections exist
	ready  bool                      // the collections for heads and words exist
	known  bool                      // they existed before
	losses uint64                    // times that collections were found missing
	lost   bool                      // what was lost is not there again yet
	closed bool
}

// stripes is the number of documents that can be written at once.
const stripes = 64

// retries makes the connection repeat failed calls; every write has the same effect
// when repeated.
const retries = `{"methodConfig": [{"name": [{}], "retryPolicy": {
	"maxAttempts": 4, "initialBackoff": "0.05s", "maxBackoff": "1s", "backoffMultiplier": 3,
	"retryableStatusCodes": ["UNAVAILABLE", "ABORTED", "RESOURCE_EXHAUSTED"]}}]}`

// maxAnswer is the largest answer taken from the server.
const maxAnswer = 64 << 20

// Open returns the index on a server without waiting for it. While the server is
// down, calls fail as unavailable.
func Open(opt Options) (*Index, error) {
	x := &Index{opt: opt, log: opt.Log, spaces: map[assistants.Space]bool{}, preparing: make(chan struct{}, 1)}
	x.stopping, x.stop = context.WithCancel(context.Background())
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
		Host: dialHost(opt.Host), Port: opt.Port, APIKey: opt.APIKey, UseTLS: opt.TLS, PoolSize: 2, KeepAliveTime: 30, KeepAliveTimeout: 10,
		SkipCompatibilityCheck: true, // the check would wait for the server and print to standard output
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

// dialHost writes an IPv6 address as the client needs it, which appends the port.
func dialHost(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// Close ends the running calls and the connections. Later calls of other methods
// fail; a second Close returns nil.
func (x *Index) Close() error {
	x.mu.Lock()
	again := x.closed
	x.closed = true
	x.mu.Unlock()
	if again {
		return nil
	}
	x.stop()
	x.calls.Wait() // the client must not be used any more when it is closed
	if err := x.client.Close(); err != nil {
		return fmt.Errorf("index: close: %w", err)
	}
	return nil
}

// Ping reports whether the server answers.
func (x *Index) Ping(ctx context.Context) error {
	ctx, end, err := x.enter(ctx)
	if err != nil {
		return x.wrap(ctx, "ping", err)
	}
	defer end()
	_, err = x.client.HealthCheck(ctx)
	return x.wrap(ctx, "ping", err)
}

// callTimeout bounds a single call to the server.
const callTimeout = 30 * time.Second

// boundCall bounds each call that is part of a longer operation. A context without a
// deadline, such as that of an audit, is not bounded.
func boundCall(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if _, bounded := ctx.Deadline(); bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, callTimeout)
		defer cancel()
	}
	return call(ctx, method, req, reply, conn, opts...)
}

// wrap adds the failed operation and the kind of the error: the context's error if
// it has ended, else ErrUnavailable for failures of the server or the connection. The
// server's message stays in the error, for the log.
func (x *Index) wrap(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	if status.Code(grpcError(err)) == codes.NotFound {
		x.noteLoss() // the server came back with an empty disk, or a collection was deleted
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

// enter begins a call, which ends with end or Close.
func (x *Index) enter(ctx context.Context) (_ context.Context, end func(), err error) {
	if err := ctx.Err(); err != nil {
		return ctx, nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return ctx, nil, fmt.Errorf("%w: closed", assistants.ErrUnavailable)
	}
	x.calls.Add(1)
	ctx, cancel := context.WithCancel(ctx)
	detach := context.AfterFunc(x.stopping, cancel)
	return ctx, func() { detach(); cancel(); x.calls.Done() }, nil
}

// begin enters a call, creates missing collections, and bounds its time.
func (x *Index) begin(ctx context.Context) (_ context.Context, end func(), err error) {
	ctx, leave, err := x.enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, callTimeout)
	end = func() { cancel(); leave() }
	if err := x.prepare(bounded); err != nil {
		end()
		return nil, nil, err
	}
	return bounded, end, nil
}

// Losses returns how often collections were found missing.
func (x *Index) Losses() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.losses
}

// Restored lets searches use the index again, which was filled after so many losses.
// It reports false if there was another loss since.
func (x *Index) Restored(losses uint64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.losses == losses {
		x.lost = false
	}
	return !x.lost
}

// errLost is the error of searches until the index is filled again.
func (x *Index) errLost() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.lost {
		return fmt.Errorf("%w: collections were lost, and are being filled again", assistants.ErrUnavailable)
	}
	return nil
}

// Names of collections, vectors and payload fields.
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

// once runs do unless done returns true. Only one caller at a time runs do; the others
// wait until it returns or their ctx ends.
func (x *Index) once(ctx context.Context, done func() bool, do func() error) error {
	isDone := func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return done()
	}
	if isDone() {
		return nil
	}
	if err := acquireSlot(ctx, x.preparing); err != nil {
		return err
	}
	defer func() { <-x.preparing }()
	if isDone() {
		return nil
	}
	return do()
}

// acquireSlot waits for a slot.
func acquireSlot(ctx context.Context, slot chan struct{}) error {
	select {
	case slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// noteLoss makes the next call look for the collections again, and reports the loss
// if they were there before.
func (x *Index) noteLoss() {
	x.mu.Lock()
	x.ready = false
	clear(x.spaces)
	report := x.known && x.opt.Lost != nil
	if report {
		x.losses++
		x.lost = true
	}
	x.mu.Unlock()
	if report {
		x.opt.Lost()
	}
}

// prepare creates the collections for heads and words if they are missing.
func (x *Index) prepare(ctx context.Context) error {
	return x.once(ctx, func() bool { return x.ready }, func() error { return x.makeCollections(ctx) })
}

func (x *Index) makeCollections(ctx context.Context) error {
	exists, err := x.client.CollectionExists(ctx, x.headsCollection())
	if err == nil && exists {
		err = x.claim(ctx) // before anything is changed there
	}
	if err != nil {
		return err
	}
	err = x.createCollection(ctx, &qdrant.CreateCollection{CollectionName: x.headsCollection()},
		indexed{fieldCollection: keyword, fieldTenant: tenant, fieldGeneration: keyword})
	if err != nil {
		return err
	}
	if err := x.claim(ctx); err != nil {
		return err
	}
	err = x.createCollection(ctx, &qdrant.CreateCollection{
		CollectionName:      x.wordsCollection(),
		SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{vectorText: {Modifier: qdrant.Modifier_Idf.Enum()}}),
	}, indexed{fieldTenant: tenant, fieldCollection: keyword, fieldDocument: keyword, fieldGeneration: keyword, fieldLength: integer, fieldTerms: integer})
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ready, x.known = true, true
	return nil
}

// prepareSpace creates the collection of a space if it is missing.
func (x *Index) prepareSpace(ctx context.Context, s assistants.Space) error {
	return x.once(ctx, func() bool { return x.spaces[s] }, func() error { return x.makeSpace(ctx, s) })
}

func (x *Index) makeSpace(ctx context.Context, s assistants.Space) error {
	err := x.createCollection(ctx, &qdrant.CreateCollection{
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

// indexed are the searchable fields of a collection, with their kinds.
type indexed map[string]fieldKind

type fieldKind int

const (
	keyword fieldKind = iota
	tenant            // a keyword by which the server keeps points together
	integer
)

// createCollection creates a collection with the indexes of its fields, unless it
// exists; another process may just have created it.
func (x *Index) createCollection(ctx context.Context, c *qdrant.CreateCollection, fields indexed) error {
	exists, err := x.client.CollectionExists(ctx, c.CollectionName)
	if err != nil {
		return err
	}
	if !exists {
		if err := x.client.CreateCollection(ctx, c); err != nil && status.Code(grpcError(err)) != codes.AlreadyExists {
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

// grpcError returns the innermost error that has a gRPC status.
func grpcError(err error) error {
	for err != nil {
		if _, ok := err.(interface{ GRPCStatus() *status.Status }); ok { //nolint:errorlint // the chain is walked here
			return err
		}
		err = errors.Unwrap(err)
	}
	return nil
}

// collectionsOf returns the distinct ids as strings for a filter.
func collectionsOf(ids []assistants.CollectionID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
