package conformance

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	upstreamKey = "sk-the-key-of-the-scripted-model-server"
	// asks is the question of most requests.
	asks = "How many vacation days do employees get per year?"
	// bodyLimit is what the program takes in one request.
	bodyLimit = "1MiB"
)

// A world is the program between its clients and a scripted model server, with
// three assistants: manual has documents, plain has nothing at all, and open is
// for strangers.
type world struct {
	*program
	upstream  *modelServer
	chatKey   string // may chat with the assistant, and nothing else
	searchKey string // may search, and not chat
	requests  map[string]map[string]any
	base      string // the base URL that clients are given
	file      string // that the scripts read the requests from
}

func startWorld(t *testing.T) *world {
	t.Helper()
	w := &world{upstream: startModelServer(t)}
	// No default model: a client that names the assistant instead of a model gets an error that says so.
	w.program = start(t, nil, "FOOTNOTE_UPSTREAM_URL="+w.upstream.baseURL(), "FOOTNOTE_UPSTREAM_API_KEY="+upstreamKey,
		"FOOTNOTE_MAX_BODY_BYTES="+bodyLimit)
	w.base = w.assistantURL("manual")
	manual := w.assistant("Manual", map[string]any{"enable_rag": true, "enable_citations": true, "citation_link_mode": "Authenticated"})
	plain := w.assistant("Plain", map[string]any{"system_prompt": ""})
	w.assistant("Open", map[string]any{"public_access": true})
	w.uploadManual("manual")
	poll(t, "the documents are ready", func() bool { return w.documentsReady("manual", 2) })
	w.chatKey = w.key(map[string]any{"name": "chat", "scopes": []string{"chat"}, "assistants": []string{manual, plain}})
	w.searchKey = w.key(map[string]any{"name": "search", "scopes": []string{"search"}})

	w.readRequests()
	return w
}

// uploadManual gives an assistant the documents that the questions are about.
func (w *world) uploadManual(assistant string) {
	w.t.Helper()
	w.upload(assistant, "vacation.md", "# Vacation\n\nEvery employee gets 27 vacation days per year. Unused vacation days expire in March.\n")
	w.upload(assistant, "offices.md", "# Offices\n\nThe offices in Leeds and Osaka have local holidays beside the vacation days of employees.\n")
}

// assistant makes an assistant and returns its id.
func (w *world) assistant(name string, settings map[string]any) string {
	w.t.Helper()
	var made struct{ ID string }
	if code := w.post("/v1.0/assistants", map[string]any{"name": name, "settings": settings}, &made); code != http.StatusCreated {
		w.t.Fatalf("make the assistant %s: %d", name, code)
	}
	return made.ID
}

// readRequests reads the requests, and copies them for the scripts, with a
// picture where a fetch of it would be seen.
func (w *world) readRequests() {
	w.t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "requests.json"))
	if err != nil {
		w.t.Fatal(err)
	}
	raw = bytes.ReplaceAll(raw, []byte(webURL), []byte(w.picture()))
	if err := json.Unmarshal(raw, &w.requests); err != nil {
		w.t.Fatal(err)
	}
	w.file = filepath.Join(w.t.TempDir(), "requests.json")
	if err := os.WriteFile(w.file, raw, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// picture is the address of a picture that only the model server could fetch.
func (w *world) picture() string { return w.upstream.URL + "/never-fetched.png" }

func (w *world) key(request any) string {
	w.t.Helper()
	var made struct{ Key string }
	if code := w.post("/v1.0/keys", request, &made); code != http.StatusCreated || made.Key == "" {
		w.t.Fatalf("make a key: %d", code)
	}
	return made.Key
}

// rootURL is the base URL that names no assistant.
func (w *world) rootURL() string { return w.url + "/v1" }

// assistantURL is the base URL of an assistant: a client's model stays its own,
// so that it can name a script.
func (w *world) assistantURL(slug string) string { return w.url + "/assistants/" + slug + "/v1" }

// at is the same world for clients that are given another base URL.
func (w *world) at(base string) *world {
	other := *w
	other.base = base
	return &other
}

// publicURL is the base URL of an assistant that strangers may ask, but not often.
func (w *world) publicURL() string { return w.assistantURL("open") }

// env is the environment of the scripts of node/ and python/.
func (w *world) env(client string) map[string]string {
	return map[string]string{
		"BASE_URL": w.base, "ROOT_URL": w.rootURL(), "PUBLIC_URL": w.publicURL(), "API_KEY": w.chatKey, "SEARCH_KEY": w.searchKey,
		"REQUESTS": w.file, "CLIENT": client, "REFUSED": strings.Join(names(refused), ","), "BROKEN": strings.Join(names(broken), ","),
	}
}

// truth is what plain HTTP says to a request of the file.
func (w *world) truth(scenario string) answer {
	w.t.Helper()
	request := map[string]any{}
	for name, value := range w.requests[scenario] {
		request[name] = value
	}
	request["model"] = scenario + "/plain HTTP/json"
	return w.ask("/assistants/manual/v1/chat/completions", request)
}
