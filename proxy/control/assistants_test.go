package control_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
)

func TestAnAssistantFromItsMakingToItsEnd(t *testing.T) {
	w := newWorld(t)
	made := w.call("POST", "/assistants", `{"name":"Human Resources, 2026","settings":{"temperature":0,"enable_rag":true}}`).object(201)
	if got, want := slices.Sorted(maps.Keys(made)), []string{"collection_id", "created_at", "id", "name", "settings", "slug", "updated_at"}; !slices.Equal(got, want) {
		t.Errorf("members %v, want %v", got, want)
	}
	if made["slug"] != "human-resources-2026" || made["created_at"] != "2026-03-04T12:00:00Z" {
		t.Errorf("made %v", made)
	}
	settings := made["settings"].(map[string]any)
	if len(settings) != len(assistants.Fields()) || settings["temperature"] != 0.0 || settings["enable_rag"] != true || settings["retrieval_top_k"] != 10.0 {
		t.Errorf("settings %v", settings)
	}
	id := made["id"].(string)
	for _, ref := range []string{id, "human-resources-2026"} {
		if got := w.call("GET", "/assistants/"+ref, "").object(200); got["id"] != id {
			t.Errorf("GET by %s: %v", ref, got)
		}
	}
	changed := w.call("PATCH", "/assistants/"+id, `{"name":"HR","slug":"hr","settings":{"retrieval_top_k":3}}`).object(200)
	settings = changed["settings"].(map[string]any)
	if changed["name"] != "HR" || changed["slug"] != "hr" || settings["retrieval_top_k"] != 3.0 || settings["temperature"] != 0.0 {
		t.Errorf("changed %v", changed)
	}
	doc := w.document(id, "a.txt", "text")
	w.call("DELETE", "/assistants/hr", "").want(204)
	w.call("GET", "/assistants/"+id, "").fails(404, "not_found", "")
	w.call("GET", "/documents/"+doc, "").fails(404, "not_found", "")
	if w.woken == 0 {
		t.Error("the worker was not woken for the purge")
	}
}

func TestInvalidAssistantsAreRefused(t *testing.T) {
	w := newWorld(t)
	w.assistant("taken", "")
	id := w.assistant("mine", "")
	for _, c := range []struct {
		body, code, param string
		status            int
	}{
		{`{}`, "missing_required_parameter", "name", 400},
		{`{"name":5}`, "invalid_type", "name", 400},
		{`{"name":null}`, "invalid_type", "name", 400},
		{`{"name":"  "}`, "invalid_value", "name", 400},
		{`{"name":"a\u0000b"}`, "invalid_value", "name", 400},
		{`{"name":"` + strings.Repeat("é", 256) + `"}`, "invalid_value", "name", 400},
		{`{"name":"x","slug":"Not A Slug"}`, "invalid_value", "slug", 400},
		{`{"name":"x","slug":""}`, "invalid_value", "slug", 400},
		{`{"name":"x","slug":"taken"}`, "conflict", "slug", 409},
		{`{"name":"Taken"}`, "conflict", "slug", 409},
		{`{"name":"x","settings":[]}`, "invalid_value", "settings", 400},
		{`{"name":"x","settings":{"temperature":3}}`, "invalid_value", "settings.temperature", 400},
		{`{"name":"x","settings":{"enable_citations":true}}`, "invalid_value", "settings.enable_citations", 400},
		{`{"name":"x","settings":{"citation_link_ttl_seconds":604801}}`, "invalid_value", "settings.citation_link_ttl_seconds", 400},
		{`{"name":"x","settings":{"citation_prompt":"strikt"}}`, "invalid_value", "settings.citation_prompt", 400},
		{`{"name":"x","settings":{"logo_url":"https://logo.example/a.png"}}`, "not_available", "settings.logo_url", 400},
		{`{"name":"x","settings":{"nothing":1}}`, "invalid_value", "settings.nothing", 400},
		// Members that clients must not set.
		{`{"name":"x","id":"asst_mine"}`, "unsupported_parameter", "id", 400},
		{`{"name":"x","tenant_id":"b"}`, "unsupported_parameter", "tenant_id", 400},
		{`{"name":"x","created_at":"2020-01-01T00:00:00Z"}`, "unsupported_parameter", "created_at", 400},
		{`{"name":"x","Name":"y"}`, "unsupported_parameter", "Name", 400},
		{`{"name":"x","name":"y"}`, "duplicate_key", "name", 400},
		{`{"name":"x","settings":{"top_p":1,"top_p":0}}`, "duplicate_key", "settings.top_p", 400},
		{`{"name":"x"} {}`, "invalid_json", "", 400},
		{`{"name":"x"`, "invalid_json", "", 400},
		{"\ufeff" + `{"name":"x"}`, "invalid_json", "", 400},
		{`["name"]`, "invalid_json", "", 400},
		{strings.Repeat(`{"name":`, 20000), "invalid_json", "", 400},
		{`{"name":"` + strings.Repeat("x", 2<<20) + `"}`, "request_too_large", "", 413},
	} {
		w.call("POST", "/assistants", c.body).fails(c.status, c.code, c.param)
	}
	w.send("POST", "/assistants", adminKey, strings.NewReader(""), "Content-Type", "application/json").fails(400, "invalid_json", "")
	w.call("PATCH", "/assistants/"+id, `{"slug":"taken"}`).fails(409, "conflict", "slug")
	w.call("PATCH", "/assistants/"+id, `{"collection_id":"coll_x"}`).fails(400, "unsupported_parameter", "collection_id")
	w.call("PATCH", "/assistants/"+id, `{"settings":{"top_p":1,"top_p":0}}`).fails(400, "duplicate_key", "settings.top_p")
	w.call("PATCH", "/assistants/"+id, `{"name":"new","settings":{"top_p":2}}`).fails(400, "invalid_value", "settings.top_p")
	if got := w.call("GET", "/assistants/"+id, "").object(200); got["name"] != "mine" {
		t.Errorf("a refused change left its mark: %v", got)
	}
	if n := len(w.call("GET", "/assistants", "").object(200)["data"].([]any)); n != 2 {
		t.Errorf("%d assistants, want 2", n)
	}
}

func TestANameWithoutASCIILettersGetsASlug(t *testing.T) {
	w := newWorld(t)
	slug := w.call("POST", "/assistants", `{"name":"人事部"}`).object(201)["slug"].(string)
	if assistants.CheckSlug(slug) != nil {
		t.Errorf("slug %q", slug)
	}
	w.call("GET", "/assistants/"+slug, "").want(200)
}

func TestOnlyJSONIsReadAsJSON(t *testing.T) {
	w := newWorld(t)
	for _, c := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16", "multipart/form-data; boundary=x"} {
		w.send("POST", "/assistants", adminKey, strings.NewReader(`{"name":"x"}`), "Content-Type", c).fails(415, "unsupported_media_type", "")
	}
	w.send("POST", "/assistants", adminKey, strings.NewReader(`{"name":"x"}`), "Content-Type", "application/json", "Content-Encoding", "gzip").fails(415, "unsupported_media_type", "")
	w.send("POST", "/assistants", adminKey, strings.NewReader(`{"name":"x"}`), "Content-Type", "Application/JSON; charset=UTF-8").want(201)
}

func TestListsArePaged(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.assistant(fmt.Sprintf("a%d", i), "")
	}
	type list struct {
		Data []struct{ Slug string }
		Next *string `json:"next_cursor"`
	}
	var slugs []string
	path := "/assistants?limit=2"
	for range 5 {
		var l list
		w.call("GET", path, "").into(200, &l)
		for _, a := range l.Data {
			slugs = append(slugs, a.Slug)
		}
		if l.Next == nil {
			break
		}
		path = "/assistants?limit=2&cursor=" + *l.Next
	}
	if slices.Sort(slugs); !slices.Equal(slugs, []string{"a0", "a1", "a2", "a3", "a4"}) {
		t.Errorf("the pages hold %v", slugs)
	}
	for _, limit := range []string{"0", "-1", "1001", "x", "", "1e2", "99999999999999999999"} {
		w.call("GET", "/assistants?limit="+limit, "").fails(400, "invalid_value", "limit")
	}
	w.call("GET", "/assistants?limit=1000", "").want(200)
	for _, cursor := range []string{"nonsense", "%00", strings.Repeat("x", 600)} {
		w.call("GET", "/assistants?cursor="+cursor, "").fails(400, "invalid_value", "cursor")
	}
	if got := string(newWorld(t).call("GET", "/assistants", "").want(200).raw); got != `{"data":[],"next_cursor":null}` {
		t.Errorf("an empty list is %s", got)
	}
}

func TestSettingsPatchChangesAndPutReplaces(t *testing.T) {
	w := newWorld(t)
	path := "/assistants/" + w.assistant("mine", `{"temperature":0.7,"retrieval_top_k":20}`) + "/settings"
	got := w.call("PATCH", path, `{"temperature":0,"allow_model_override":false}`).object(200)
	if got["temperature"] != 0.0 || got["allow_model_override"] != false || got["retrieval_top_k"] != 20.0 {
		t.Errorf("patched %v", got)
	}
	if got = w.call("PATCH", path, `{"temperature":null}`).object(200); got["temperature"] != nil || got["retrieval_top_k"] != 20.0 {
		t.Errorf("reset %v", got)
	}
	if got = w.call("PUT", path, `{"top_p":0.5}`).object(200); got["top_p"] != 0.5 || got["retrieval_top_k"] != 10.0 || got["allow_model_override"] != true {
		t.Errorf("replaced %v", got)
	}
	if got = w.call("PATCH", path, `{"citation_prompt":"Cite.\n{sources}\n"}`).object(200); got["citation_prompt"] != "Cite.\n{sources}\n" {
		t.Errorf("the prompt became %v", got["citation_prompt"])
	}
	// What GET answers is what PUT takes.
	before := w.call("GET", path, "").want(200).raw
	if after := w.call("PUT", path, string(before)).want(200).raw; string(after) != string(before) {
		t.Errorf("before %s\nafter  %s", before, after)
	}
	for body, want := range map[string][2]string{
		`{"temprature":1}`:       {"invalid_value", "temprature"},
		`{"top_p":"1"}`:          {"invalid_value", "top_p"},
		`{"retrieval_top_k":51}`: {"invalid_value", "retrieval_top_k"},
		`{"citation_prompt":"Cite {sources}{sources}"}`:    {"invalid_value", "citation_prompt"},
		`{"logo_url":"https://logo.example/a.png"}`:        {"not_available", "logo_url"},
		`{"top_p":1,"top_p":0}`:                            {"duplicate_key", "top_p"},
		`{"enable_rag":true,"tenant_id":"x"}`:              {"invalid_value", "tenant_id"},
		`null`:                                             {"invalid_json", ""},
		`{"enable_rag":false,"enable_citations":true}`:     {"invalid_value", "enable_citations"},
		`{"citation_link_mode":"authenticated","top_p":1}`: {"invalid_value", "citation_link_mode"},
	} {
		w.call("PATCH", path, body).fails(400, want[0], want[1])
		w.call("PUT", path, body).fails(400, want[0], want[1])
	}
	if after := w.call("GET", path, "").want(200).raw; string(after) != string(before) {
		t.Errorf("refused changes left their mark: %s", after)
	}
}

func TestDefaultsListEveryField(t *testing.T) {
	w := newWorld(t)
	var got struct {
		Data []struct {
			Name, Help string
			Default    json.RawMessage
			Min, Max   *float64
			Allowed    []string
		}
	}
	w.call("GET", "/defaults", "").into(200, &got)
	if len(got.Data) != len(assistants.Fields()) {
		t.Fatalf("%d fields", len(got.Data))
	}
	for _, f := range got.Data {
		if f.Name == "" || f.Help == "" || f.Default == nil {
			t.Errorf("field %+v", f)
		}
		if f.Name == "retrieval_top_k" && (string(f.Default) != "10" || *f.Min != 1 || *f.Max != 50) {
			t.Errorf("retrieval_top_k: %s %v %v", f.Default, *f.Min, *f.Max)
		}
	}
}

func TestStatusCounts(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	w.document(mine, "a.txt", "one")
	w.publish(w.document(mine, "b.txt", "two"), "two")
	got := w.call("GET", "/status", "").object(200)
	docs := got["documents"].(map[string]any)
	if got["version"] != "1.2.3" || docs["pending"] != 1.0 || docs["ready"] != 1.0 || docs["failed"] != 0.0 || len(docs) != len(assistants.Statuses) ||
		got["jobs"] != 2.0 && got["jobs"] != 1.0 {
		t.Errorf("status %v", got)
	}
	if b := got["backends"].(map[string]any); b["database"] != "sqlite" || b["blobs"] != "file" || b["index"] != "embedded" {
		t.Errorf("backends %v", b)
	}
	if e := got["embedder"].(map[string]any); e["state"] != "none" {
		t.Errorf("embedder %v", e)
	}
	if u := got["upstreams"].([]any); len(u) != 0 {
		t.Errorf("upstreams %v", u)
	}
}
