package control_test

import (
	"fmt"
	"testing"
)

// TestNamesCannotTurnTheTextAroundThem gives everything that has a name one with
// characters that change the direction of text, as "\u202Egnp.exe" does.
func TestNamesCannotTurnTheTextAroundThem(t *testing.T) {
	w := newWorld(t)
	w.assistant("mine", "")
	document := w.document("mine", "a.txt", "text")
	upstream := w.call("POST", "/upstreams", `{"name":"u","base_url":"http://127.0.0.1:9/v1"}`).object(201)["id"].(string)
	key := w.call("POST", "/keys", `{"name":"k","scopes":["chat"]}`).object(201)["id"].(string)
	for i, c := range []struct{ method, path, body, param string }{
		{"POST", "/assistants", `{"name":%q}`, "name"},
		{"PATCH", "/assistants/mine", `{"name":%q}`, "name"},
		{"POST", "/keys", `{"name":%q,"scopes":["chat"]}`, "name"},
		{"PATCH", "/keys/" + key, `{"name":%q}`, "name"},
		{"POST", "/upstreams", `{"name":%q,"base_url":"http://127.0.0.1:9/v1"}`, "name"},
		{"PATCH", "/upstreams/" + upstream, `{"name":%q}`, "name"},
		{"POST", "/collections", `{"name":%q}`, "name"},
		{"PATCH", "/documents/" + document, `{"name":%q}`, "name"},
		{"POST", "/assistants/mine/eval/questions", `{"gold_id":%q,"question":"q","document":"a.txt","pages":[1]}`, "gold_id"},
		{"POST", "/assistants/mine/documents/bulk", `{"action":"label","documents":["` + document + `"],"add":[%q]}`, "add[0]"},
	} {
		for _, name := range []string{"\u202egnp.exe", "a\u2066b", "a\u2069", "\u200fa"} {
			w.call(c.method, c.path, fmt.Sprintf(c.body, name)).fails(400, "invalid_value", c.param)
		}
		if made := w.call(c.method, c.path, fmt.Sprintf(c.body, fmt.Sprintf("שלום 👩\u200d🔬 %d", i))); made.status/100 != 2 {
			t.Errorf("%s %s: %d %s", c.method, c.path, made.status, made.raw)
		}
	}
	// Texts that are sought may have them: they were pasted.
	w.call("GET", "/assistants/mine/documents?q=%E2%80%8Fa", "").want(200)
	w.call("POST", "/assistants/mine/documents/bulk", `{"action":"label","documents":["`+document+`"],"remove":["\u202ea"]}`).want(200)
}
