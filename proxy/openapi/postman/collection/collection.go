// Package collection makes the Postman collection (v2.1) of the API from its description
// and from the requests in package postman, so that the two cannot disagree. Only the
// tests in cmd/footnote/conformance import it: `make postman` has them write the
// collection, and they compare it.
package collection

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"footnote/proxy/openapi/postman"
)

// An operation is what the description says of one.
type operation struct {
	method, path, description string
}

// The collection in Postman's format, as far as it is used.
type (
	collection struct {
		Info      map[string]string `json:"info"`
		Auth      auth              `json:"auth"`
		Variables []pair            `json:"variable"`
		Items     []item            `json:"item"`
	}
	auth struct {
		Type   string `json:"type"`
		Bearer []pair `json:"bearer,omitempty"`
	}
	pair struct {
		Key   string `json:"key"`
		Value string `json:"value"`
		Type  string `json:"type,omitempty"`
	}
	item struct {
		Name        string   `json:"name"`
		Description string   `json:"description,omitempty"`
		Items       []item   `json:"item,omitempty"`
		Request     *sent    `json:"request,omitempty"`
		Responses   []answer `json:"response,omitempty"`
		Events      []event  `json:"event,omitempty"`
	}
	sent struct {
		Method      string `json:"method"`
		Description string `json:"description"`
		Auth        *auth  `json:"auth,omitempty"`
		Header      []pair `json:"header"`
		Body        *body  `json:"body,omitempty"`
		URL         string `json:"url"`
	}
	body struct {
		Mode    string         `json:"mode"`
		Raw     string         `json:"raw"`
		Options map[string]any `json:"options,omitempty"`
	}
	event struct {
		Listen string `json:"listen"`
		Script script `json:"script"`
	}
	script struct {
		Type string   `json:"type"`
		Exec []string `json:"exec"`
	}
	// An answer is a saved example of a response.
	answer struct {
		Name   string `json:"name"`
		Code   int    `json:"code"`
		Status string `json:"status"`
		Header []pair `json:"header"`
		Body   string `json:"body"`
	}
)

// Make returns the collection as JSON. description is the API in OpenAPI; examples are
// answers of a real run, by the name of the request.
func Make(description []byte, examples map[string]postman.Example) ([]byte, error) {
	operations, err := operationsOf(description)
	if err != nil {
		return nil, fmt.Errorf("%w", err)
	}
	folders, err := postman.Folders()
	if err != nil {
		return nil, err
	}
	made := collection{
		Info: map[string]string{
			"name": "Footnote", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
			"description": "Chat completions with citations. Set the variables base_url and api_key, then run the folder First steps.",
		},
		Auth:      bearer("api_key"),
		Variables: []pair{{Key: "base_url", Value: "http://127.0.0.1:8080"}, {Key: "api_key"}, {Key: "wrong_key", Value: "fn-wrong"}},
	}
	for _, f := range folders {
		into := item{Name: f.Name, Description: strings.TrimSpace(f.About)}
		for _, r := range f.Requests {
			op, ok := operations[r.Call]
			if !ok {
				return nil, fmt.Errorf("%s: there is no operation %q", r.Name, r.Call)
			}
			one, err := itemOf(&r, op)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.Name, err)
			}
			if e, ok := examples[r.Name]; ok {
				one.Responses = []answer{{
					Name: r.Name, Code: e.Code, Status: e.Status, Body: e.Body, Header: []pair{{Key: "Content-Type", Value: e.ContentType}},
				}}
			}
			into.Items = append(into.Items, one)
		}
		made.Items = append(made.Items, into)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(made)
	return out.Bytes(), err
}

// operationsOf returns the operations of a description by their ids.
func operationsOf(description []byte) (map[string]operation, error) {
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(description, &doc); err != nil {
		return nil, err
	}
	operations := map[string]operation{}
	for path, members := range doc.Paths {
		for method, raw := range members {
			var op struct{ OperationID, Summary, Description string }
			if method == "parameters" {
				continue
			}
			if err := json.Unmarshal(raw, &op); err != nil {
				return nil, err
			}
			operations[op.OperationID] = operation{strings.ToUpper(method), path, strings.TrimSpace(op.Summary + ".\n\n" + op.Description)}
		}
	}
	return operations, nil
}

func bearer(variable string) auth {
	return auth{Type: "bearer", Bearer: []pair{{Key: "token", Value: "{{" + variable + "}}", Type: "string"}}}
}

var parameter = regexp.MustCompile(`\{(\w+)\}`)

// addressOf fills in the parameters of an operation's path.
func addressOf(r *postman.Request, op operation) (string, error) {
	given := maps.Clone(r.Path)
	missing := ""
	path := parameter.ReplaceAllStringFunc(op.path, func(p string) string {
		name := strings.Trim(p, "{}")
		value, ok := given[name]
		if !ok {
			missing = name
		}
		delete(given, name)
		return value
	})
	if missing != "" || len(given) > 0 {
		return "", fmt.Errorf("the path %s lacks %q, or does not have all of %v", op.path, missing, r.Path)
	}
	address := "{{base_url}}" + path
	for i, name := range slices.Sorted(maps.Keys(r.Query)) {
		address += map[bool]string{true: "?", false: "&"}[i == 0] + name + "=" + r.Query[name]
	}
	return address, nil
}

// itemOf makes a request of the collection.
func itemOf(r *postman.Request, op operation) (item, error) {
	address, err := addressOf(r, op)
	if err != nil {
		return item{}, err
	}
	s := &sent{Method: op.method, Description: op.description, Header: []pair{}, URL: address}
	switch {
	case r.Key == nil:
	case *r.Key == "":
		s.Auth = &auth{Type: "noauth"}
	default:
		a := bearer(*r.Key)
		s.Auth = &a
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		s.Header = append(s.Header, pair{Key: name, Value: r.Headers[name]})
	}
	switch {
	case r.JSON != nil:
		raw, err := json.MarshalIndent(r.JSON, "", "  ")
		if err != nil {
			return item{}, err
		}
		s.Header = append(s.Header, pair{Key: "Content-Type", Value: "application/json"})
		s.Body = &body{Mode: "raw", Raw: string(raw), Options: map[string]any{"raw": map[string]string{"language": "json"}}}
	case r.Upload.Kind != 0:
		s.Header = append(s.Header, pair{Key: "Content-Type", Value: "multipart/form-data; boundary=" + boundary})
		s.Body = &body{Mode: "raw", Raw: form(&r.Upload, r.Fields)}
	}
	return item{Name: r.Name, Request: s, Events: []event{{Listen: "test", Script: script{Type: "text/javascript", Exec: scriptOf(r)}}}}, nil
}

// boundary separates the parts of a form. Forms are written out, because a collection
// cannot bring files along.
const boundary = "footnote-postman-form"

// form writes a form with fields, and with a file for each member of a mapping.
func form(files *yaml.Node, fields map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", boundary, name, fields[name])
	}
	for i := 0; i+1 < len(files.Content); i += 2 {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=%q\r\nContent-Type: text/markdown\r\n\r\n%s\r\n",
			boundary, files.Content[i].Value, files.Content[i+1].Value)
	}
	return b.String() + "--" + boundary + "--\r\n"
}

// scriptOf is the test script of a request.
func scriptOf(r *postman.Request) []string {
	code := strconv.Itoa(r.Status)
	lines := []string{`pm.test("the status is ` + code + `", () => pm.response.to.have.status(` + code + `));`}
	if len(r.Tests) == 0 && len(r.Save) == 0 && r.Until == "" {
		return lines
	}
	lines = append(lines, `const isJSON = (pm.response.headers.get("Content-Type") || "").startsWith("application/json");`,
		`const body = isJSON ? pm.response.json() : null;`)
	if r.Until != "" {
		lines = append(lines,
			`if (!(`+r.Until+`)) {`,
			`  setTimeout(() => {}, 200); // a script ends with its timers`,
			`  pm.execution.setNextRequest(pm.info.requestName);`,
			`}`)
	}
	if len(r.Tests) > 0 {
		begin := `pm.test("the answer is right", () => {`
		if r.Until != "" {
			begin = `else ` + begin
		}
		lines = append(lines, begin)
		for _, test := range r.Tests {
			lines = append(lines, "  "+test)
		}
		lines = append(lines, `});`)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Save)) {
		lines = append(lines, `pm.collectionVariables.set("`+name+`", `+r.Save[name]+`);`)
	}
	return lines
}
