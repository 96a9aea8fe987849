package conformance

import (
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// scripted are the clients that scripts drive, with what installs them.
var scripted = map[string]func(*testing.T) []string{
	"openai-node":     openaiNode,
	"openai-python":   func(t *testing.T) []string { return pythonPackages(t, "openai-3") },
	"openai-python 2": func(t *testing.T) []string { return pythonPackages(t, "openai-2") },
}

// A view says what a way to ask shows of an answer, beyond its text.
type view struct {
	// loses says that citations cannot be read where the answer is.
	losesCitations, losesAnnotations bool
	streams                          bool
	// helper: the final object is put together by the client, and kept says
	// whether the citations are in it.
	helper, kept bool
	// parses: for structured output; the object is a value of the language.
	parses bool
	// forgets says that the client cannot send members that it does not know.
	forgets bool
}

// suites runs the scenarios of a suite and returns what each showed.
type suites func(suite string) map[string]shown

// A client is an SDK with the ways to ask that it offers.
type client struct {
	views map[string]view
	// errors says how it names what it throws.
	errors errorNames
	// once: it does not try again.
	once bool
	// prepare installs it and returns what runs a suite, on any goroutine.
	prepare func(t *testing.T, w *world) suites
}

var pythonViews = map[string]view{
	"create": {}, "stream": {streams: true}, "helper": {streams: true, helper: true},
	"async_create": {}, "async_stream": {streams: true}, "async_helper": {streams: true, helper: true},
	"parse": {parses: true}, "parse_helper": {parses: true, streams: true, helper: true},
}

var clients = map[string]client{
	"openai-node": {
		views: map[string]view{
			"create": {}, "stream": {streams: true}, "helper": {streams: true, helper: true, kept: true}, "parse": {parses: true},
		},
		errors: scriptedErrors("APIError"), prepare: byScript("openai-node"),
	},
	"openai-python": {views: pythonViews, errors: scriptedErrors("APIStatusError"), prepare: byScript("openai-python")},
	"openai-python 2": {
		views: pythonViews, errors: scriptedErrors("APIStatusError"), prepare: byScript("openai-python 2"),
	},
	"openai-go": {
		views: map[string]view{
			"create": {}, "stream": {streams: true}, "accumulator": {streams: true, helper: true, losesAnnotations: true},
		},
		errors: errorNames{refused: func(int) string { return "Error" }, broken: "StreamError"}, prepare: openaiGo,
	},
	"go-openai": {
		views: map[string]view{
			"create": {losesCitations: true, losesAnnotations: true, forgets: true},
			"stream": {losesCitations: true, losesAnnotations: true, forgets: true, streams: true},
			"raw":    {streams: true, forgets: true},
		},
		errors: errorNames{refused: func(int) string { return "APIError" }, broken: "APIError"}, once: true, prepare: goOpenAI,
	},
}

func byScript(name string) func(*testing.T, *world) suites {
	return func(t *testing.T, w *world) suites {
		command, env := scripted[name](t), w.env(name)
		return func(suite string) map[string]shown { return run[shown](t, command, suite, env) }
	}
}

// errorNames says which classes a client throws: for a status, and in mid-stream.
type errorNames struct {
	refused func(status int) string
	broken  string
}

// scriptedErrors are the classes that the SDKs for Node.js and Python share; other is
// that of a status without one of its own.
func scriptedErrors(other string) errorNames {
	classes := map[int]string{
		http.StatusBadRequest: "BadRequestError", http.StatusUnauthorized: "AuthenticationError",
		http.StatusForbidden: "PermissionDeniedError", http.StatusNotFound: "NotFoundError",
		http.StatusUnprocessableEntity: "UnprocessableEntityError", http.StatusTooManyRequests: "RateLimitError",
	}
	return errorNames{broken: "APIError", refused: func(status int) string {
		switch {
		case status >= http.StatusInternalServerError:
			return "InternalServerError"
		case classes[status] != "":
			return classes[status]
		default:
			return other
		}
	}}
}

// together runs scenarios at once, as most of them wait.
func together(scenarios map[string]func() shown) map[string]shown {
	var (
		mu      sync.Mutex
		running sync.WaitGroup
		results = map[string]shown{}
	)
	for name, scenario := range scenarios {
		running.Go(func() {
			result := scenario()
			mu.Lock()
			defer mu.Unlock()
			results[name] = result
		})
	}
	running.Wait()
	return results
}

// strangersPatience is more than a stranger may ask in a row.
const strangersPatience = 100

// untilRefused asks until it is refused.
func untilRefused(ask func() shown) (s shown) {
	for range strangersPatience {
		if s = ask(); s.Error != nil {
			break
		}
	}
	return s
}

func names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
