package apierr

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
)

// NoRoute answers a path that no route serves. Most such requests come from a
// client with a wrong base URL, so the message names the right path.
func NoRoute(c *gin.Context) {
	Write(c, New(http.StatusNotFound, CodeNotFound, "There is no such path."+remedy(c.Request.URL.Path)))
}

// endpoints are what OpenAI clients append to their base URL.
var endpoints = []string{"/chat/completions", "/responses", "/embeddings", "/models"}

// unsupported are paths of OpenAI's API that this server lacks, and their remedy.
var unsupported = map[string]string{
	"/completions": " Completions of a bare prompt are not supported; let the client use chat completions, POST /v1/chat/completions.",
}

// remedy says what a client should ask for instead of a path; "" if that is not clear.
func remedy(path string) string {
	if strings.Trim(path, "/") == "" {
		return " Set the base URL of an OpenAI client to this server's address followed by /v1."
	}
	base, assistant := "/v1", ""
	if rest, ok := strings.CutPrefix(path, "/assistants/"); ok {
		if name, _, found := strings.Cut(rest, "/"); found && assistants.NamesAssistant(name) {
			assistant = "/assistants/" + name
			base = assistant + "/v1"
		}
	}
	rest := strings.TrimRight(strings.TrimPrefix(path, assistant), "/")
	for _, endpoint := range endpoints {
		switch before, found := strings.CutSuffix(rest, endpoint); {
		case !found:
		case strings.Count(before, "/v1") > 1:
			return " It has /v1 twice: use " + base + endpoint + ", so the client's base URL must end in " + base + "."
		case !strings.Contains(before, "/v1"):
			return " It lacks /v1: use " + base + endpoint + ", so the client's base URL must end in " + base + "."
		default:
			return " Use " + base + endpoint + ", so the client's base URL must end in " + base + "."
		}
	}
	for end, instead := range unsupported {
		if strings.HasSuffix(rest, end) {
			return instead
		}
	}
	return ""
}
