package upstream

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// azureHosts are the domains of Azure's model servers, which expect the key in a
// header of their own.
var azureHosts = []string{"openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"}

// chatPath and embeddingsPath follow the base URL, as in every OpenAI SDK.
const (
	chatPath       = "chat/completions"
	embeddingsPath = "embeddings"
)

// An endpoint is a base URL, ready to be joined with the paths of the API.
type endpoint struct {
	base  *url.URL
	azure bool
}

// parseEndpoint checks a base URL. Its errors name what to change, without the URL,
// which may contain a secret.
func parseEndpoint(base string) (endpoint, error) {
	base = strings.TrimSpace(base)
	if base == "" {
		return endpoint{}, errors.New("the upstream's base URL is empty; give one like https://api.openai.com/v1")
	}
	u, err := url.Parse(base)
	if err != nil {
		return endpoint{}, errors.New("the upstream's base URL cannot be read; give one like https://api.openai.com/v1")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return endpoint{}, errors.New("the upstream's base URL must begin with http:// or https://")
	case u.Hostname() == "":
		return endpoint{}, errors.New("the upstream's base URL names no host")
	case u.Port() != "" && !isPort(u.Port()):
		return endpoint{}, errors.New("the upstream's base URL has a port that does not exist")
	case u.User != nil:
		return endpoint{}, errors.New("the upstream's base URL holds a user or password; use the API key, or a configured header Authorization")
	case u.Fragment != "":
		return endpoint{}, errors.New("the upstream's base URL has a fragment (#…); remove it")
	}
	if u.Path == "" {
		u.Path = "/" // without a slash the joined path would lack its first one
	}
	// People paste the full address of the call from a provider's example.
	for _, path := range []string{chatPath, embeddingsPath} {
		cut, ok := strings.CutSuffix(strings.TrimRight(u.EscapedPath(), "/"), "/"+path)
		if !ok {
			continue
		}
		if u, err = u.Parse(joinEscaped(cut, u.RawQuery)); err != nil {
			return endpoint{}, fmt.Errorf("the upstream's base URL cannot be read without /%s", path)
		}
	}
	return endpoint{base: u, azure: isAzure(u.Hostname())}, nil
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

func joinEscaped(path, query string) string {
	if path == "" {
		path = "/"
	}
	if query != "" {
		path += "?" + query
	}
	return path
}

// isAzure reports whether host is a model server of Azure. Domains are
// compared label by label: openai.azure.com.evil.example is not Azure.
func isAzure(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, domain := range azureHosts {
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return true
		}
	}
	return false
}

// join returns the address of a path of the API. The base's query (Azure's
// api-version) stays.
func (e endpoint) join(path string) *url.URL {
	return e.base.JoinPath(path)
}
