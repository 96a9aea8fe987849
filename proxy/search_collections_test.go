package proxy_test

import (
	"net/http"
	"testing"

	"footnote/assistants"
)

func TestTheCollectionsThatAKeyMaySearchAreListed(t *testing.T) {
	list := func(f *fixture, header ...string) (int, string) {
		req, err := http.NewRequest("GET", "/v1/search/collections", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, body := f.send(req)
		return resp.StatusCode, string(body)
	}
	second := assistants.Assistant{
		ID: "asst_second", TenantID: assistants.DefaultTenant, Slug: "second", Name: "Second", CollectionID: "coll_second",
		Settings: mergeSettings(t, []byte(`{"collections":["coll_test"]}`)),
	}
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1", settings: mergeSettings(t, nil), others: []assistants.Assistant{second}})
	reader := `{"id":"` + string(assistantID) + `","slug":"support","name":"Support"}`
	other := `{"id":"asst_second","slug":"second","name":"Second"}`
	all := `{"data":[{"id":"coll_test","name":"Name of coll_test","assistants":[` + reader + "," + other + `]},{"id":"coll_second","name":"Name of coll_second","assistants":[` + other + `]}]}`
	one := `{"data":[{"id":"coll_test","name":"Name of coll_test","assistants":[` + reader + `]}]}`
	bound := f.keys.add(func(k *assistants.Key) {
		k.Scopes, k.Assistants = []assistants.Scope{assistants.ScopeSearch}, []assistants.AssistantID{assistantID}
	})
	for key, want := range map[string]string{adminKey: all, bound: one} {
		if status, body := list(f, "Authorization", "Bearer "+key); status != 200 || body != want {
			t.Errorf("%d %s, want %s", status, body, want)
		}
	}
	if status, body := list(f, "Authorization", "Bearer "+f.keys.add(func(*assistants.Key) {})); status != 403 {
		t.Errorf("scope chat: %d %s", status, body)
	}
}
