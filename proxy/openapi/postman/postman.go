// Package postman holds the requests of the Postman collection, and the answers that a
// real run gave to them. The description of the API shows these as examples.
//
// Its subpackage collection makes the collection itself, which is not part of the program.
package postman

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"

	"go.yaml.in/yaml/v3"
)

//go:embed flows.yaml
var flows []byte

//go:embed examples.json
var recorded []byte

// A Folder is a folder of the collection.
type Folder struct {
	Name     string    `yaml:"folder"`
	About    string    `yaml:"about"`
	Requests []Request `yaml:"requests"`
}

// A Request is a request of the collection. flows.yaml explains the fields.
type Request struct {
	Name    string            `yaml:"name"`
	Call    string            `yaml:"call"`
	Path    map[string]string `yaml:"path"`
	Query   map[string]string `yaml:"query"`
	Headers map[string]string `yaml:"headers"`
	JSON    map[string]any    `yaml:"json"`
	Upload  yaml.Node         `yaml:"upload"`
	Fields  map[string]string `yaml:"fields"`
	Status  int               `yaml:"status"`
	Tests   []string          `yaml:"tests"`
	Save    map[string]string `yaml:"save"`
	Key     *string           `yaml:"key"`
	Until   string            `yaml:"until"`
}

// An Example is the answer of a real run to the request of this name.
type Example struct {
	Code        int    `json:"code"`
	Status      string `json:"status"`
	ContentType string `json:"content_type"`
	Body        string `json:"body"`
}

// Recorded returns the examples of examples.json.
func Recorded() (map[string]Example, error) {
	var examples map[string]Example
	err := json.Unmarshal(recorded, &examples)
	return examples, err
}

// Folders returns the requests of flows.yaml. Their names are unique, because examples are
// kept by name. No status is 0.
func Folders() ([]Folder, error) {
	var folders []Folder
	decoder := yaml.NewDecoder(bytes.NewReader(flows))
	decoder.KnownFields(true)
	if err := decoder.Decode(&folders); err != nil {
		return nil, fmt.Errorf("postman: flows.yaml: %w", err)
	}
	seen := map[string]bool{}
	for _, f := range folders {
		for i := range f.Requests {
			r := &f.Requests[i]
			if seen[r.Name] {
				return nil, fmt.Errorf("postman: flows.yaml: two requests are named %q", r.Name)
			}
			seen[r.Name] = true
			r.Status = cmp.Or(r.Status, http.StatusOK)
		}
	}
	return folders, nil
}
