package control_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// listed is a page of a list as clients read it.
type listed struct {
	Data []struct{ ID, Name, Slug, Prefix string }
	Next *string `json:"next_cursor"`
	// Total is absent unless it was asked for.
	Total *int
}

func (l listed) names() string {
	var names []string
	for _, item := range l.Data {
		names = append(names, item.Name)
	}
	return strings.Join(names, " ")
}

func TestDocumentsAreFilteredSortedAndCounted(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	for _, d := range []struct{ name, content, marks string }{
		{"Übersicht.txt", "a longer text", `{"labels":["hr","2026"],"tags":{"year":"2026","link":"a:b"}}`},
		{"beta.txt", "short", `{"labels":["hr"],"tags":{"year":"2025"}}`},
		{"Alpha.txt", "a text", `{}`},
	} {
		w.call("PATCH", "/documents/"+w.document(mine, d.name, d.content), d.marks).want(200)
	}
	w.publish(w.document(mine, "Zoë.txt", "the last one"), "the last one")
	path := "/assistants/mine/documents?"
	for query, want := range map[string]string{
		"sort=name":                      "Alpha.txt beta.txt Zoë.txt Übersicht.txt",
		"sort=-name":                     "Übersicht.txt Zoë.txt beta.txt Alpha.txt",
		"sort=bytes":                     "beta.txt Alpha.txt Zoë.txt Übersicht.txt",
		"sort=-bytes&limit=2":            "Übersicht.txt Zoë.txt",
		"q=%C3%BCBER":                    "Übersicht.txt",
		"q=ZO%C3%8B":                     "Zoë.txt",
		"q=&sort=name":                   "Alpha.txt beta.txt Zoë.txt Übersicht.txt",
		"q=nowhere":                      "",
		"label=hr&sort=name":             "beta.txt Übersicht.txt",
		"label=hr&label=2026":            "Übersicht.txt",
		"label=HR":                       "",
		"tag=year:2025":                  "beta.txt",
		"tag=link:a:b":                   "Übersicht.txt",
		"tag=year:2025&label=2026":       "",
		"status=ready":                   "Zoë.txt",
		"status=ready&status=failed&q=z": "Zoë.txt",
		"status=pending&q=ALPHA":         "Alpha.txt",
		"unknown=1&q=alpha":              "Alpha.txt",
	} {
		var got listed
		w.call("GET", path+query+"&count=true", "").into(200, &got)
		if got.names() != want || got.Total == nil || !strings.Contains(query, "limit") && *got.Total != len(got.Data) {
			t.Errorf("%s: %q, total %v, want %q", query, got.names(), got.Total, want)
		}
		if strings.Contains(query, "limit") && *got.Total != 4 {
			t.Errorf("%s: a total of %d", query, *got.Total)
		}
	}
	var plain listed
	if w.call("GET", path+"count=false", "").into(200, &plain); plain.Total != nil {
		t.Error("an unwanted total")
	}
	for query, param := range map[string]string{
		"sort=size": "sort", "sort=": "sort", "count=": "count", "sort=--name": "sort", "status=done": "status", "status=": "status", "label=": "label", "label=%00": "label",
		"q=%FF": "q", "label=%FF": "label", "tag=%FF:x": "tag", "tag=x:%FF": "tag",
		"tag=year": "tag", "tag=:x": "tag", "count=1": "count", "q=%00": "q", "q=" + strings.Repeat("x", 256): "q", "limit=0": "limit",
		strings.Repeat("label=x&", 101): "label",
	} {
		w.call("GET", path+query, "").fails(400, "invalid_value", param)
	}
	for _, name := range []string{"q", "sort", "count"} {
		w.call("GET", path+name+"=name&"+name+"=name", "").fails(400, "duplicate_key", name)
	}
}

func TestACursorHoldsForItsOrderAndFilter(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	long := strings.Repeat("長", 255) // the cursor contains the name
	for _, name := range []string{"b", "c", "d", long} {
		w.call("PATCH", "/documents/"+w.document(mine, "x.txt", name), `{"name":"`+name+`"}`).want(200)
	}
	path := "/assistants/mine/documents?limit=1&sort="
	var first, second listed
	w.call("GET", path+"-name", "").into(200, &first)
	if first.names() != long || first.Next == nil {
		t.Fatalf("the first page has %q", first.names())
	}
	w.call("PATCH", "/documents/"+w.document(mine, "x.txt", "y"), `{"name":"cc"}`).want(200)
	next := "&cursor=" + url.QueryEscape(*first.Next)
	if w.call("GET", path+"-name"+next, "").into(200, &second); second.names() != "d" || second.Next == nil {
		t.Errorf("the second page has %q", second.names())
	}
	next = "&cursor=" + url.QueryEscape(*second.Next)
	if w.call("GET", path+"-name"+next, "").into(200, &second); second.names() != "cc" {
		t.Errorf("a document that came meanwhile is not there, but %q", second.names())
	}
	for _, other := range []string{"name" + next, "created_at" + next, "-name" + next + "&q=c", "-name" + next + "&label=x", "-name" + next + "&status=ready"} {
		w.call("GET", path+other, "").fails(400, "invalid_value", "cursor")
	}
	w.assistant("other", "")
	w.call("GET", "/assistants/other/documents?sort=-name"+next, "").fails(400, "invalid_value", "cursor")
	w.call("GET", "/keys?limit=1"+next, "").fails(400, "invalid_value", "cursor")
}

func TestKeysAreListedByStateAndAssistantsByName(t *testing.T) {
	w := newWorld(t)
	past, future := noon.Add(-time.Hour), noon.Add(time.Hour)
	for name, change := range map[string]func(*assistants.Key){
		"plain": func(*assistants.Key) {}, "lasting": func(k *assistants.Key) { k.ExpiresAt = &future },
		"expired": func(k *assistants.Key) { k.ExpiresAt = &past }, "revoked": func(k *assistants.Key) { k.RevokedAt, k.ExpiresAt = &past, &past },
	} {
		w.storeKey(func(k *assistants.Key) { change(k); k.Name = name })
	}
	for state, want := range map[string]string{"active": "lasting plain", "expired": "expired", "revoked": "revoked", "": "expired lasting plain revoked"} {
		var got listed
		query := "/keys?count=true&state=" + state
		w.call("GET", strings.TrimSuffix(query, "&state="), "").into(200, &got)
		names := strings.Fields(got.names())
		if slices.Sort(names); strings.Join(names, " ") != want || *got.Total != len(names) {
			t.Errorf("%s: %q, total %d", state, names, *got.Total)
		}
	}
	w.call("GET", "/keys?state=", "").fails(400, "invalid_value", "state")
	w.call("GET", "/keys?state=old", "").fails(400, "invalid_value", "state")
	w.call("GET", "/keys?state=active&state=active", "").fails(400, "duplicate_key", "state")

	for _, name := range []string{"Büro", "Handbook"} {
		w.call("POST", "/assistants", `{"name":"`+name+`"}`).want(201)
	}
	for q, want := range map[string]string{"B%C3%9CRO": "Büro", "hand": "Handbook", "x": ""} {
		var got listed
		if w.call("GET", "/assistants?count=true&q="+q, "").into(200, &got); got.names() != want || *got.Total != len(got.Data) {
			t.Errorf("%s: %q", q, got.names())
		}
	}
	w.call("GET", "/assistants?q=a&q=b", "").fails(400, "duplicate_key", "q")
}
