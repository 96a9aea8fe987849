package main

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryRouteIsDescribed compares the description with the routes of the real server.
func TestEveryRouteIsDescribed(t *testing.T) {
	t.Parallel()
	w := newAccessWorld(t, "sqlite:", `{}`)
	got := w.json("GET", "/v1.0/openapi.json", "", "")
	var doc struct {
		Info  struct{ Version string }
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(got.body), &doc); err != nil || got.status != 200 {
		t.Fatal(got, err)
	}
	if doc.Info.Version != version {
		t.Errorf("version %q, want %q", doc.Info.Version, version)
	}
	params := regexp.MustCompile(`[:*]\w+|\{\w+\}`) // by any name
	described := map[string]bool{}
	for path, item := range doc.Paths {
		for method := range item {
			if method != "parameters" {
				described[strings.ToUpper(method)+" "+params.ReplaceAllString(path, "{}")] = true
			}
		}
	}
	for _, r := range w.app.server.Routes() {
		route := r.Method + " " + params.ReplaceAllString(r.Path, "{}")
		if !described[route] {
			t.Errorf("%s is not described in proxy/openapi/spec", route)
		}
		delete(described, route)
	}
	for _, route := range slices.Sorted(maps.Keys(described)) {
		t.Errorf("%s is described, but there is no such route", route)
	}
}

// TestTheDocsPageIsForEveryone opens the page as a browser without a key does.
func TestTheDocsPageIsForEveryone(t *testing.T) {
	t.Parallel()
	w := newAccessWorld(t, "sqlite:", `{}`)
	got := w.json("GET", "/v1.0/docs", "", "")
	if got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || !strings.Contains(got.body, "Ask an assistant") {
		t.Error(got.status, got.header)
	}
	if csp := got.header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; style-src 'unsafe-inline'") {
		t.Errorf("policy %q", csp)
	}
}
