package control_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestAKeyIsShownOnce(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	made := w.call("POST", "/keys", `{"name":"k","scopes":["search","chat","chat"],"assistants":["mine","`+mine+`"],"default_assistant":"mine","expires_at":"2027-01-01T00:00:00+01:00"}`)
	got := made.object(201)
	secret := got["key"].(string)
	if want := []string{"assistants", "created_at", "default_assistant", "expires_at", "id", "key", "limits", "name", "prefix", "revoked_at", "scopes"}; !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
		t.Errorf("members of %v, want %v", got, want)
	}
	if made.header.Get("Cache-Control") != "no-store" {
		t.Error("the secret may be cached")
	}
	scopes, bound := got["scopes"].([]any), got["assistants"].([]any)
	if len(scopes) != 2 || len(bound) != 1 || bound[0] != mine || got["default_assistant"] != mine || got["expires_at"] != "2026-12-31T23:00:00Z" ||
		!strings.HasPrefix(secret, got["prefix"].(string)) {
		t.Errorf("key %v", got)
	}
	list := w.call("GET", "/keys", "").want(200)
	if strings.Contains(string(list.raw), secret) || strings.Contains(string(list.raw), `"key":`) {
		t.Errorf("the list shows a secret: %s", list.raw)
	}
	entry := list.object(200)["data"].([]any)[0].(map[string]any)
	if entry["id"] != got["id"] || entry["revoked_at"] != nil || entry["name"] != "k" {
		t.Errorf("entry %v", entry)
	}
	w.call("DELETE", "/keys/"+got["id"].(string), "").want(204)
	entry = w.call("GET", "/keys", "").object(200)["data"].([]any)[0].(map[string]any)
	if entry["revoked_at"] != "2026-03-04T12:00:00Z" {
		t.Errorf("revoked entry %v", entry)
	}
	w.call("DELETE", "/keys/key_nowhere", "").fails(404, "not_found", "")
}

func TestInvalidKeysAreRefused(t *testing.T) {
	w := newWorld(t)
	mine, other := w.assistant("mine", ""), w.assistant("other", "")
	for body, want := range map[string][2]string{
		`{"scopes":["chat"]}`:                                            {"missing_required_parameter", "name"},
		`{"name":"k"}`:                                                   {"missing_required_parameter", "scopes"},
		`{"name":"","scopes":["chat"]}`:                                  {"invalid_value", "name"},
		`{"name":"k","scopes":[]}`:                                       {"invalid_value", "scopes"},
		`{"name":"k","scopes":"chat"}`:                                   {"invalid_type", "scopes"},
		`{"name":"k","scopes":["root"]}`:                                 {"invalid_value", "scopes"},
		`{"name":"k","scopes":null}`:                                     {"invalid_type", "scopes"},
		`{"name":"k","scopes":["chat"],"assistants":[]}`:                 {"invalid_value", "assistants"},
		`{"name":"k","scopes":["chat"],"assistants":["mine","nowhere"]}`: {"invalid_value", "assistants[1]"},
		`{"name":"k","scopes":["chat"],"assistants":["' OR 1=1"]}`:       {"invalid_value", "assistants[0]"},
		`{"name":"k","scopes":["chat"],"assistants":{"a":1}}`:            {"invalid_type", "assistants"},
		`{"name":"k","scopes":["admin"],"assistants":["mine"]}`:          {"invalid_value", "assistants"},
		`{"name":"k","scopes":["chat"],"default_assistant":"nowhere"}`:   {"invalid_value", "default_assistant"},
		`{"name":"k","scopes":["chat"],"assistants":["` + mine + `"],"default_assistant":"` + other + `"}`: {"invalid_value", "default_assistant"},
		`{"name":"k","scopes":["chat"],"expires_at":"2026-03-04T12:00:00Z"}`:                               {"invalid_value", "expires_at"},
		`{"name":"k","scopes":["chat"],"expires_at":"tomorrow"}`:                                           {"invalid_value", "expires_at"},
		`{"name":"k","scopes":["chat"],"expires_at":1}`:                                                    {"invalid_type", "expires_at"},
		`{"name":"k","scopes":["chat"],"key":"fn-mine"}`:                                                   {"unsupported_parameter", "key"},
		`{"name":"k","scopes":["chat"],"is_admin":true}`:                                                   {"unsupported_parameter", "is_admin"},
	} {
		w.call("POST", "/keys", body).fails(400, want[0], want[1])
	}
	if list := w.call("GET", "/keys", "").object(200)["data"].([]any); len(list) != 0 {
		t.Errorf("%d keys were made", len(list))
	}
	w.call("POST", "/keys", `{"name":"k","scopes":["admin"],"assistants":null,"default_assistant":null,"expires_at":null}`).want(201)
}
