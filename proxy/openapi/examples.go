package openapi

import (
	"encoding/json"
	"strconv"
	"strings"

	"footnote/proxy/openapi/postman"
)

// addExamples adds answers of a real run to the responses of operations.
func addExamples(paths *object) error {
	folders, err := postman.Folders()
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
	for _, folder := range folders {
		for _, request := range folder.Requests {
			if example, ok := recorded[request.Name]; ok {
				addExample(operations[request.Call], &request, example)
			}
		}
	}
	return nil
}

// addExample adds an answer in JSON to an operation.
func addExample(op *object, request *postman.Request, example postman.Example) {
	if op == nil || !strings.HasPrefix(example.ContentType, "application/json") || example.Body == "" {
		return
	}
	response := op.object("responses").object(strconv.Itoa(request.Status))
	if response.text("$ref") != "" {
		return // shared by all operations
	}
	shown := newObject()
	shown.set("summary", request.Name)
	shown.set("value", json.RawMessage(example.Body))
	response.object("content").object("application/json").object("examples").set(name(request.Name), shown)
}

// name makes a component's name of a sentence.
func name(sentence string) string {
	return strings.Join(strings.FieldsFunc(sentence, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') }), "-")
}
