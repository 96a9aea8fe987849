package openapi

import (
	"encoding/json"
	"strconv"
	"strings"

	"footnote/proxy/openapi/postman"
)

// addExamples adds answers of a real run to the responses of operations.
func addExamples(paths *object) error {
	calls, err := postman.Calls()
	if err != nil {
		return err
	}
	recorded, err := postman.Recorded()
	if err != nil {
		return err
	}
	operations := map[string]*object{}
	for _, path := range paths.names {
		item := paths.object(path)
		for _, method := range item.names {
			if method != "parameters" {
				op := item.object(method)
				operations[op.text("operationId")] = op
			}
		}
	}
	for _, call := range calls {
		example, ok := recorded[call.Name]
		op := operations[call.Operation]
		if !ok || op == nil || !strings.HasPrefix(example.ContentType, "application/json") || example.Body == "" {
			continue
		}
		response := op.object("responses").object(strconv.Itoa(call.Status))
		if response.text("$ref") != "" {
			continue // shared by all operations
		}
		shown := newObject()
		shown.set("summary", call.Name)
		shown.set("value", json.RawMessage(example.Body))
		response.object("content").object("application/json").object("examples").set(name(call.Name), shown)
	}
	return nil
}

// name makes a component's name of a sentence.
func name(sentence string) string {
	return strings.Join(strings.FieldsFunc(sentence, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') }), "-")
}
