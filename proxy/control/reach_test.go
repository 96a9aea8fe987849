package control_test

import (
	"fmt"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/assistants/retrieval"
)

// tagged uploads a document with labels and tags.
func (w *world) tagged(assistant, name, labels, tags string) {
	w.t.Helper()
	id := w.document(assistant, name, name)
	w.call("PATCH", "/documents/"+id, fmt.Sprintf(`{"labels":%s,"tags":%s}`, labels, tags)).want(200)
}

func TestDistinctLabelsAndTagsAreListed(t *testing.T) {
	w := newWorld(t)
	w.assistant("mine", "")
	w.assistant("other", "")
	w.tagged("mine", "a.txt", `["hr","draft"]`, `{"year":"2022"}`)
	w.tagged("mine", "b.txt", `["hr"]`, `{"year":"2023","team":"it"}`)
	w.tagged("other", "c.txt", `["legal"]`, `{"year":"2023"}`)
	for path, want := range map[string]string{
		"/labels":                `{"data":[{"label":"draft","documents":1},{"label":"hr","documents":2},{"label":"legal","documents":1}],"next_cursor":null}`,
		"/labels?assistant=mine": `{"data":[{"label":"draft","documents":1},{"label":"hr","documents":2}],"next_cursor":null}`,
		"/tags":                  `{"data":[{"key":"team","value":"it","documents":1},{"key":"year","value":"2022","documents":1},{"key":"year","value":"2023","documents":2}],"next_cursor":null}`,
		"/tags?assistant=other":  `{"data":[{"key":"year","value":"2023","documents":1}],"next_cursor":null}`,
	} {
		if got := strings.TrimSpace(string(w.call("GET", path, "").want(200).raw)); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	w.call("GET", "/labels?assistant=absent", "").fails(404, "not_found", "")
	w.call("GET", "/labels?cursor=%21", "").fails(400, "invalid_value", "cursor")
	var seen []string
	for path := "/tags?limit=1"; ; {
		page := w.call("GET", path, "").object(200)
		for _, item := range page["data"].([]any) {
			seen = append(seen, fmt.Sprint(item.(map[string]any)["value"]))
		}
		next, ok := page["next_cursor"].(string)
		if !ok {
			break
		}
		path = "/tags?limit=1&cursor=" + next
	}
	if got := strings.Join(seen, " "); got != "it 2022 2023" {
		t.Errorf("page by page: %s", got)
	}
}

func TestRetrieveTakesFilterConversationAndSettings(t *testing.T) {
	w := newWorld(t)
	w.assistant("mine", `{"retrieval_label_filter":{"required":["hr"]},"context_top_k":4,"enable_query_rewrite":true}`)
	w.call("POST", "/assistants/mine/retrieve", `{"messages":[{"role":"user","content":"How was 2022?"},{"role":"assistant","content":"Good."},{"role":"user","content":"and 2023?"},{"role":"assistant","content":"…"}],
		"metadata_filter":{"required_tags":[{"key":"year","condition":"Equals","value":"2023"}]}}`).want(200)
	if q := w.asked; q.Text != "and 2023?" || len(q.Before) != 2 || q.Before[0] != (retrieval.Turn{Role: "user", Text: "How was 2022?"}) ||
		len(q.Filter.Labels.Required) != 1 || len(q.Filter.Tags.Required) != 1 || q.Keep != 4 || q.Model != nil {
		t.Errorf("asked %+v", q)
	}
}

func TestRetrieveReportsStages(t *testing.T) {
	w := newWorld(t)
	w.assistant("mine", "")
	w.found.Trace.Warnings, w.found.Trace.Skipped, w.found.Trace.Cached = []string{"Careful."}, map[string]string{"rerank": "no model"}, true
	got := w.call("POST", "/assistants/mine/retrieve", `{"query":"x"}`).object(200)["retrieval"].(map[string]any)
	if fmt.Sprint(got["warnings"], got["skipped_stages"], got["cached"]) != "[Careful.] map[rerank:no model] true" {
		t.Errorf("%v", got)
	}
}

func TestAKeyBoundToAnAssistantReadsNoOthersCollections(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	w.assistant("other", "")
	w.assistant("free", "")
	other := w.call("GET", "/assistants/other", "").object(200)["collection_id"].(string)
	own := w.call("GET", "/assistants/mine", "").object(200)["collection_id"].(string)
	bound := w.storeKey(func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{assistants.AssistantID(mine)} })
	adds := func(id string) string { return `{"collections":["` + id + `"]}` }
	for _, c := range []struct{ method, path, body, param string }{
		{"PATCH", "/assistants/mine/settings", adds(other), "collections"},
		{"PUT", "/assistants/mine/settings", adds(other), "collections"},
		{"PATCH", "/assistants/mine", `{"settings":` + adds(other) + `}`, "settings.collections"},
		{"POST", "/assistants/mine/retrieve", `{"query":"x","settings":` + adds(other) + `}`, "settings.collections"},
		{"PATCH", "/assistants/mine/settings", adds("coll_absent"), "collections"},
	} {
		refused := w.as(bound, c.method, c.path, c.body)
		refused.fails(400, "invalid_value", c.param)
		if unknown := w.as(bound, c.method, c.path, strings.ReplaceAll(c.body, other, "coll_absent")); strings.ReplaceAll(string(refused.raw), other, "coll_absent") != string(unknown.raw) {
			t.Errorf("invisible and missing assistants differ: %s, %s", refused.raw, unknown.raw)
		}
	}
	w.as(bound, "PATCH", "/assistants/mine/settings", adds(own)).want(200)
	w.call("PATCH", "/assistants/free/settings", adds("coll_absent")).fails(400, "invalid_value", "collections")
	w.call("PATCH", "/assistants/mine/settings", adds(other)).want(200)
	w.as(bound, "PATCH", "/assistants/mine/settings", `{"text_weight":0.5}`).want(200)
	if got := fmt.Sprint(w.call("GET", "/assistants/mine/settings", "").object(200)["collections"]); got != "["+other+"]" {
		t.Errorf("collections %s", got)
	}
}
