package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Finding is what a model server says of itself.
type Finding struct {
	Models []Model
	// BaseURL is the base URL at which the server lists its models, if that is not
	// the one that is configured; else "".
	BaseURL string
}

// servers are the owners that servers of known kinds give to their models.
var servers = map[string]string{
	"library": "Ollama", "vllm": "vLLM", "llamacpp": "llama.cpp", "organization_owner": "LM Studio", "sglang": "SGLang",
	"openai": "OpenAI", "system": "OpenAI", "openai-internal": "OpenAI", "mistralai": "Mistral",
}

// namedModels is how many models a finding names.
const namedModels = 5

// String says what was found: "Ollama, 2 models: llama3.2, qwen3".
func (f Finding) String() string {
	text := "no models"
	if n := len(f.Models); n == 1 {
		text = "1 model: "
	} else if n > 1 {
		text = strconv.Itoa(n) + " models: "
	}
	var names []string
	for _, m := range f.Models[:min(len(f.Models), namedModels)] {
		names = append(names, printable(m.ID))
	}
	text += strings.Join(names, ", ")
	if more := len(f.Models) - namedModels; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if len(f.Models) > 0 {
		if name := servers[f.Models[0].OwnedBy]; name != "" {
			text = name + ", " + text
		}
	}
	return text
}

// Lists reports whether the server lists a model. Ollama lists "name:latest" for a
// model that it also answers as "name".
func (f Finding) Lists(model string) bool {
	return slices.ContainsFunc(f.Models, func(m Model) bool { return m.ID == model || m.ID == model+":latest" })
}

// printable makes a server's text fit for a line of a log.
func printable(s string) string {
	clean := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	const most = 80
	if runes := []rune(clean); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return clean
}

// Probe asks the server for its models now. If there are none at the base URL, it
// looks where servers have them whose base URL was given without its end or with
// another: at /v1.
func (h *HTTP) Probe(ctx context.Context) (Finding, error) {
	ctx, cancel := context.WithTimeout(ctx, h.timeouts.Models)
	defer cancel()
	models, err := h.fetchModels(ctx, h.modelsURL)
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != CodeReported && e.Code != CodeInvalidResponse {
		return Finding{Models: models}, err
	}
	root := *h.modelsURL
	root.Path, root.RawPath = "/v1", ""
	for _, other := range []*url.URL{h.modelsURL.JoinPath("..", "v1"), &root} {
		if found, otherErr := h.fetchModels(ctx, other.JoinPath("models")); otherErr == nil {
			return Finding{found, strings.TrimRight(other.String(), "/")}, nil
		}
	}
	return Finding{}, err
}

// Completes reports whether the finding's base URL is what a given one must have
// meant: the same with /v1 at its end, or in place of /api, Ollama's own API. At other
// paths of the host may be another service, which must not get prompts unasked.
func (f Finding) Completes(given string) bool {
	e, err := parseEndpoint(given)
	if err != nil || f.BaseURL == "" {
		return false
	}
	meant := e.base.JoinPath("v1")
	return f.BaseURL == meant.String() || meant.Path == "/api/v1" && f.BaseURL == meant.JoinPath("..", "..", "v1").String()
}

var version = regexp.MustCompile(`/v\d+[a-z0-9]*(?:/|$)`)

// LacksVersion reports whether a base URL has no part such as /v1, which most
// servers need. It is false for a URL that cannot be parsed.
func LacksVersion(base string) bool {
	e, err := parseEndpoint(base)
	return err == nil && !version.MatchString(e.base.Path)
}
