package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"footnote/proxy/tracing"
)

// flushLimit bounds how long the end of the program waits for its last spans.
const flushLimit = 3 * time.Second

// endpointVariables name the receiver of traces.
var endpointVariables = []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"}

// checkEndpoint refuses what the SDK would take for a URL without a host, such as
// collector:4318. The error does not repeat it, because it may hold a password.
func checkEndpoint(endpoint string) error {
	if endpoint = strings.TrimSpace(endpoint); endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("it is no URL such as http://collector:4318")
	}
	return nil
}

// tracesAreOn reports whether the environment names a receiver of traces, in the way of
// OpenTelemetry's specification.
func tracesAreOn(getenv func(string) string) bool {
	set := func(name string) string { return strings.TrimSpace(getenv(name)) }
	named := slices.ContainsFunc(endpointVariables, func(name string) bool { return set(name) != "" })
	return named &&
		!strings.EqualFold(set("OTEL_SDK_DISABLED"), "true") && !strings.EqualFold(set("OTEL_TRACES_EXPORTER"), "none")
}

// openTracing sets up traces if the environment wants them: nil, if not. The SDK reads
// its other variables itself: sampler, headers, batches, the name of the service.
func (a *app) openTracing(ctx context.Context) (*tracing.Tracer, error) {
	if !tracesAreOn(os.Getenv) {
		return nil, nil //nolint:nilnil // a nil Tracer makes no spans
	}
	for _, name := range endpointVariables {
		if err := checkEndpoint(os.Getenv(name)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"} {
		if protocol := os.Getenv(name); protocol != "" && protocol != "http/protobuf" {
			a.log.Warn("traces are sent as http/protobuf, which is the only protocol of this version; the receiver's port for it is usually 4318", "variable", name, "wanted", protocol)
		}
	}
	otel.SetLogger(logr.New(discreetSink{a.log}))
	otel.SetErrorHandler(&seldom{log: a.log, now: time.Now})
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "footnote"), attribute.String("service.version", version)),
		resource.WithFromEnv()) // last, so that the environment's name of the service wins
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	a.closers = append(a.closers, func() {
		ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			a.log.Warn("the last traces could not be sent", "error", err)
		}
	})
	return tracing.New(provider), nil
}

// A discreetSink logs what the SDK says of its variables, but not their values: those of
// OTEL_EXPORTER_OTLP_HEADERS are keys.
type discreetSink struct{ log *slog.Logger }

// Init implements logr.LogSink.
func (discreetSink) Init(logr.RuntimeInfo) {}

// Enabled implements logr.LogSink: errors come whatever it says.
func (discreetSink) Enabled(int) bool { return false }

// Info implements logr.LogSink.
func (discreetSink) Info(int, string, ...any) {}

// Error implements logr.LogSink.
func (s discreetSink) Error(err error, said string, _ ...any) {
	s.log.Warn("a variable of OpenTelemetry is wrong", "what", said, "error", err)
}

// WithValues implements logr.LogSink.
func (s discreetSink) WithValues(...any) logr.LogSink { return s }

// WithName implements logr.LogSink.
func (s discreetSink) WithName(string) logr.LogSink { return s }

// seldom logs the SDK's errors, at most one a minute: a receiver that is away is one
// piece of news, not one for each batch.
type seldom struct {
	log *slog.Logger
	now func() time.Time

	mu     sync.Mutex
	logged time.Time
}

// Handle implements otel.ErrorHandler.
func (s *seldom) Handle(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.now(); s.logged.IsZero() || now.Sub(s.logged) >= time.Minute {
		s.logged = now
		s.log.Warn("traces could not be sent", "error", err)
	}
}
