// Package openapitest compares answers with the description of the API.
package openapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"footnote/proxy/openapi"
)

// Transport is a transport that reports every answer which the description does not
// have: its route, its status, its content type, a member that is missing, of another
// type, or unknown. It passes on the answers of addresses that are no route, because
// tests ask those on purpose.
func Transport(t testing.TB, next http.RoundTripper) http.RoundTripper {
	t.Helper()
	d, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return transport{t, d, next}
}

type transport struct {
	t    testing.TB
	spec *spec
	next http.RoundTripper
}

func (r transport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if err := r.spec.check(req, resp); err != nil {
		r.t.Errorf("%s %s: status %d: %v", req.Method, req.URL.Path, resp.StatusCode, err)
	}
	return resp, nil
}

type spec struct {
	doc      any
	routes   []route
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
}

type route struct {
	template string
	item     map[string]any
}

// load reads the description once for all tests of a process.
var load = sync.OnceValues(func() (*spec, error) {
	d, err := openapi.New("test")
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.JSON))
	if err != nil {
		return nil, err
	}
	s := &spec{doc: doc, compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	closeSchemas(doc)
	s.compiler.AssertFormat()
	if err := s.compiler.AddResource("openapi.json", doc); err != nil {
		return nil, err
	}
	paths, ok := at(doc, "paths").(map[string]any)
	if !ok {
		return nil, fmt.Errorf("openapitest: there are no paths")
	}
	for template, item := range paths {
		members, _ := item.(map[string]any)
		s.routes = append(s.routes, route{template, members})
	}
	return s, nil
})

// fits reports whether a path is one of a template, and how many of its parts the
// template names. The last parameter of /models/ and /links/ takes the rest of a path.
func fits(template, path string) (named int, ok bool) {
	want, have := strings.Split(template, "/"), strings.Split(path, "/")
	takesRest := strings.Contains(template, "/models/") || strings.Contains(template, "/links/")
	if len(have) < len(want) || len(have) > len(want) && !takesRest {
		return 0, false
	}
	for i, part := range want {
		switch {
		case strings.HasPrefix(part, "{") && have[i] != "":
		case part == have[i]:
			named++
		default:
			return 0, false
		}
	}
	return named, true
}

// closeSchemas refuses members that a schema of an object does not list, unless it says
// that there may be more. Clients must accept them, but the program must not send them.
func closeSchemas(value any) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			closeSchemas(item)
		}
	case map[string]any:
		_, listed := v["properties"]
		if _, said := v["additionalProperties"]; listed && !said {
			v["additionalProperties"] = false
		}
		for _, item := range v {
			closeSchemas(item)
		}
	}
}

// at follows names from a value; nil where there is none.
func at(value any, names ...string) any {
	for _, name := range names {
		members, _ := value.(map[string]any)
		value = members[name]
	}
	return value
}

// check compares an answer with the description of its route.
func (s *spec) check(req *http.Request, resp *http.Response) error {
	var best route
	most := -1
	for _, r := range s.routes {
		if named, ok := fits(r.template, req.URL.EscapedPath()); ok && named > most {
			best, most = r, named
		}
	}
	op, ok := best.item[strings.ToLower(req.Method)].(map[string]any)
	if !ok {
		return nil // an unknown address or method
	}
	return s.answer(best.template, strings.ToLower(req.Method), op, resp)
}

func (s *spec) answer(template, method string, op map[string]any, resp *http.Response) error {
	status := strconv.Itoa(resp.StatusCode)
	answer := at(op, "responses", status)
	pointer := "/paths/" + escape(template) + "/" + method + "/responses/" + status
	if answer == nil {
		status = status[:1] + "XX"
		answer = at(op, "responses", status)
		pointer = "/paths/" + escape(template) + "/" + method + "/responses/" + status
	}
	if answer == nil {
		return fmt.Errorf("the description does not have this status")
	}
	if to, ok := at(answer, "$ref").(string); ok {
		pointer = strings.TrimPrefix(to, "#")
		answer = at(s.doc, strings.Split(strings.TrimPrefix(pointer, "/"), "/")...)
	}
	content, _ := at(answer, "content").(map[string]any)
	if method == "head" || resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusNotModified {
		return nil
	}
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		if len(content) == 0 {
			return nil
		}
		return err
	}
	switch _, known := content[media]; {
	case known && media == "application/json":
		return s.body(pointer+"/content/"+escape(media)+"/schema", resp)
	case known:
		return nil
	}
	return fmt.Errorf("the description does not have the content type %s", media)
}

// body compares a JSON body with a schema, and puts it back.
func (s *spec) body(pointer string, resp *http.Response) error {
	raw, err := io.ReadAll(resp.Body)
	resp.Body = &body{bytes.NewReader(raw), resp.Body, err}
	if err != nil || !json.Valid(raw) {
		return nil //nolint:nilerr // the test that asked for it sees it
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	schema, known := s.schemas[pointer]
	if !known {
		if schema, err = s.compiler.Compile("openapi.json#" + pointer); err != nil {
			return err
		}
		s.schemas[pointer] = schema
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%w\n%.2000s", err, raw)
	}
	return nil
}

// A body is what was read of a body, then the error that ended it.
type body struct {
	*bytes.Reader
	io.Closer
	err error
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF && b.err != nil { //nolint:errorlint // bytes.Reader returns it as it is
		err = b.err
	}
	return n, err
}

// escape writes a name into a JSON pointer within a URL.
func escape(name string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}
