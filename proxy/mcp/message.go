package mcp

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"footnote/proxy/apierr"
)

const (
	methodInitialize = "initialize"
	methodCancelled  = "notifications/cancelled"
	// sessionless is the first version of the protocol that has no sessions.
	sessionless = "2026-07-28"
)

// methods are those that are served. Clients notify of what they like; what needs
// nothing done is only taken.
var methods = []string{
	methodInitialize, "server/discover", "ping", "tools/list", "tools/call",
	"resources/list", "resources/templates/list", "resources/read",
	"notifications/initialized", methodCancelled, "notifications/progress", "notifications/roots/list_changed",
}

// A message is a JSON-RPC request of a client.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // a string or an integer; absent in a notification
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"` // an object
}

// known reports whether the method is served.
func (m *message) known() bool { return slices.Contains(methods, m.Method) }

// notifies reports whether the method is one that has no answer, and so no id.
func (m *message) notifies() bool { return strings.HasPrefix(m.Method, "notifications/") }

// readMessage reads the one message of a body. It is stricter than the SDK, which
// takes batches and would work on all of their calls at once.
func readMessage(body []byte) (*message, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members == nil {
		return nil, apierr.InvalidJSON("The body must be one JSON-RPC message, a JSON object. Send the messages of a batch one by one.")
	}
	m := &message{}
	for name, raw := range members {
		var err error
		switch name {
		case "jsonrpc":
			if json.Unmarshal(raw, &m.Version) != nil || m.Version != "2.0" {
				err = apierr.Invalid(name, `jsonrpc must be "2.0".`)
			}
		case "id":
			if m.ID = raw; !isID(raw) {
				err = apierr.InvalidType(name, "id must be a string or a whole number.")
			}
		case "method":
			if json.Unmarshal(raw, &m.Method) != nil || m.Method == "" {
				err = apierr.InvalidType(name, "method must be a string.")
			}
		case "params":
			if m.Params = raw; !bytes.HasPrefix(raw, []byte("{")) && string(raw) != "null" {
				err = apierr.InvalidType(name, "params must be an object.")
			}
		default:
			err = apierr.Unsupported(name)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case m.Version == "":
		return nil, apierr.Missing("jsonrpc")
	case m.Method == "":
		return nil, apierr.Missing("method")
	case m.ID == nil && !m.notifies():
		return nil, apierr.Missing("id")
	case m.ID != nil && m.notifies():
		return nil, apierr.Invalid("id", "A notification has no id.")
	case m.Params == nil || string(m.Params) == "null":
		m.Params = json.RawMessage("{}")
	}
	return m, nil
}

// safeInteger bounds the integers that JSON carries exactly everywhere.
const safeInteger = 1<<53 - 1

// isID reports whether raw is a string or a safe integer.
func isID(raw json.RawMessage) bool {
	var text string
	var number float64
	switch {
	case string(raw) == "null":
		return false
	case json.Unmarshal(raw, &text) == nil:
		return true
	}
	return json.Unmarshal(raw, &number) == nil && number == math.Trunc(number) && math.Abs(number) <= safeInteger
}

// writeUnknown answers a message whose method is not served. Newer clients expect a
// 404. Older ones would take a 404 for the end of their session.
func writeUnknown(w http.ResponseWriter, r *http.Request, m *message) error {
	if m.notifies() {
		w.WriteHeader(http.StatusAccepted)
		return nil
	}
	status := http.StatusOK
	if r.Header.Get(versionHeader) >= sessionless {
		status = http.StatusNotFound
	}
	body, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{m.Version, m.ID, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "This server does not have this method."}})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, err = w.Write(body)
	return err
}
