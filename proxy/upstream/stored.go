package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"footnote/assistants"
)

// Bounds of the fields of a stored upstream.
const (
	maxBaseURL     = 2048
	maxKey         = 4096
	maxHeaders     = 32
	maxHeaderValue = 4096
)

// maxClients bounds the number of clients that are kept. When it is exceeded, all
// are rebuilt.
const maxClients = 1024

// StoredConfig is common to the clients of all stored upstreams.
type StoredConfig struct {
	// PublicOnly keeps them from addresses that are not public.
	PublicOnly bool
	// Timeouts are the bounds of their calls, unless they have their own.
	Timeouts Timeouts
	// Healths keep their health; nil: their own.
	Healths *Healths
}

// Stored builds the clients of stored upstreams: one for each state of an upstream,
// so that a change applies to the next call and running calls continue.
type Stored struct {
	cfg       StoredConfig
	transport *http.Transport // of all clients
	base      context.Context // of all clients
	stop      context.CancelFunc

	mu      sync.Mutex
	clients map[assistants.UpstreamID]storedClient
}

type storedClient struct {
	http  *HTTP
	state time.Time // when the upstream was changed last
}

// NewStored returns a maker of clients, which must be closed.
func NewStored(cfg StoredConfig) *Stored {
	if cfg.Healths == nil {
		cfg.Healths = NewHealths(nil, nil)
	}
	s := &Stored{cfg: cfg, clients: make(map[assistants.UpstreamID]storedClient)}
	s.base, s.stop = context.WithCancel(context.Background())
	s.transport = NewTransport(0, 0)
	if cfg.PublicOnly {
		s.transport = NewPublicTransport(0, 0)
	}
	return s
}

// Close ends the clients' own requests. Running calls continue.
func (s *Stored) Close() {
	s.stop()
	s.transport.CloseIdleConnections()
}

// Forget drops the client of a deleted upstream. Running calls continue.
func (s *Stored) Forget(id assistants.UpstreamID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clients, id)
	s.cfg.Healths.forget(string(id))
}

// Client returns the client for an upstream as it is stored. Its error is an
// [*Error] with the remedy for an operator.
func (s *Stored) Client(u assistants.Upstream) (*HTTP, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.clients[u.ID]
	if ok && !known.state.Before(u.UpdatedAt) { // u may have been read before a change that other calls have already seen
		return known.http, nil
	}
	made, err := s.newClient(u)
	if err != nil {
		return nil, err
	}
	if !ok && len(s.clients) >= maxClients {
		for id := range s.clients {
			s.cfg.Healths.forget(string(id))
		}
		clear(s.clients)
	}
	made.health = s.cfg.Healths.Of(string(u.ID))
	made.health.reset() // the change may have mended it
	s.clients[u.ID] = storedClient{made, u.UpdatedAt}
	return made, nil
}

func (s *Stored) newClient(u assistants.Upstream) (*HTTP, error) {
	if !u.Readable() {
		return nil, &Error{
			Code: CodeUnavailable, Status: http.StatusServiceUnavailable, Permanent: true,
			Message: "The secrets of this upstream cannot be read with this server's FOOTNOTE_SECRET_KEY; its operator has to restore the former one, or to store the upstream's API key and headers again.",
		}
	}
	headers := make(map[string]string, len(u.Headers))
	for name, value := range u.Headers {
		headers[name] = value.Reveal()
	}
	within := s.cfg.Timeouts
	within.FirstToken = cmp.Or(u.Timeouts.FirstToken, within.FirstToken)
	within.Idle = cmp.Or(u.Timeouts.Idle, within.Idle)
	within.Total = cmp.Or(u.Timeouts.Total, within.Total)
	made, err := NewHTTP(HTTPConfig{
		BaseURL: u.BaseURL, APIKey: u.APIKey.Reveal(), Headers: headers, Timeouts: within, Transport: s.transport,
		base: s.base,
	})
	if err != nil {
		return nil, &Error{
			Code: CodeUnavailable, Status: http.StatusServiceUnavailable, Permanent: true, err: err,
			Message: "This upstream is stored with values that this version does not take; its operator has to store it again.",
		}
	}
	return made, nil
}

// Health reports the health of an upstream by its id. false: it was not asked since the
// start.
func (s *Stored) Health(id string) (Report, bool) { return s.cfg.Healths.Report(id) }

// Models lists the models of an upstream, from a short memory, with the errors of
// Client and of [Client.Models].
func (s *Stored) Models(ctx context.Context, u assistants.Upstream) ([]Model, error) {
	client, err := s.Client(u)
	if err != nil {
		return nil, err
	}
	return client.Models(ctx)
}

// Probe asks an upstream for its models now, with the errors of Models. It need not
// be stored.
func (s *Stored) Probe(ctx context.Context, u assistants.Upstream) (Finding, error) {
	client, err := s.newClient(u)
	if err != nil {
		return Finding{}, err
	}
	return client.Probe(ctx)
}

// Check reports which rule an upstream breaks, as an [assistants.FieldError] without
// secrets. Its kind wraps [ErrURLNotAllowed] if the base URL must be public and is
// not.
func (s *Stored) Check(u assistants.Upstream) error {
	e, err := parseEndpoint(u.BaseURL)
	switch {
	case err != nil:
		return &assistants.FieldError{Field: "base_url", Message: sentence(err)}
	case secretInQuery(e.base.Query()):
		return &assistants.FieldError{Field: "base_url", Message: "base_url is shown to whoever may list upstreams, and its query seems to hold a key; send that as api_key, or in headers."}
	case len(u.BaseURL) > maxBaseURL:
		return &assistants.FieldError{Field: "base_url", Message: fmt.Sprintf("base_url has at most %d characters.", maxBaseURL)}
	}
	if s.cfg.PublicOnly && notPublicHost(e.base.Hostname()) {
		return &assistants.FieldError{Field: "base_url", Kind: ErrURLNotAllowed,
			Message: "base_url leads to an address that is not public, and this server connects to public ones only (FOOTNOTE_ALLOW_PRIVATE_UPSTREAMS)."}
	}
	if key := u.APIKey.Reveal(); key != "" {
		if err := checkKey(key); err != nil {
			return &assistants.FieldError{Field: "api_key", Message: sentence(err)}
		}
		if len(key) > maxKey || !isASCII(key) {
			return &assistants.FieldError{Field: "api_key", Message: fmt.Sprintf("An API key has at most %d characters, all of ASCII.", maxKey)}
		}
	}
	return checkHeaders(u.Headers)
}

// secretInQuery reports a parameter whose name says that it is a secret.
func secretInQuery(query url.Values) bool {
	for name := range query {
		switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name)) {
		case "key", "apikey", "token", "accesstoken", "authtoken", "auth", "secret", "password", "sig", "signature", "code", "subscriptionkey":
			return true
		}
	}
	return false
}

func checkHeaders(headers map[string]assistants.Secret) error {
	if len(headers) > maxHeaders {
		return &assistants.FieldError{Field: "headers", Message: fmt.Sprintf("An upstream has at most %d headers.", maxHeaders)}
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value := headers[name].Reveal()
		message := ""
		if err := checkHeader(name, value); err != nil {
			message = sentence(err)
		} else if len(value) > maxHeaderValue {
			message = fmt.Sprintf("A header's value has at most %d characters.", maxHeaderValue)
		}
		if message != "" {
			return &assistants.FieldError{Field: "headers." + name, Message: message}
		}
	}
	return nil
}

// ErrURLNotAllowed is the kind of an error about a URL of a private address
// where only public ones are allowed.
var ErrURLNotAllowed = errors.New("url not allowed")

// sentence turns the text of an error into a sentence.
func sentence(err error) string {
	first, size := utf8.DecodeRuneInString(err.Error())
	return string(unicode.ToUpper(first)) + err.Error()[size:] + "."
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
