package control_test

import (
	"fmt"
	"strings"
	"testing"

	"footnote/proxy/control"
	"footnote/proxy/upstream"
)

// The status names the upstreams of the tenant, whether they answer, and nothing secret.
func TestStatusSaysWhichUpstreamsFail(t *testing.T) {
	healths := upstream.NewHealths(nil, nil)
	stored := upstream.NewStored(upstream.StoredConfig{Healths: healths})
	t.Cleanup(stored.Close)
	w := newWorld(t, func(d *control.Deps) { d.Upstreams = stored })
	healths.Of(upstream.DefaultID)
	bad, fresh := w.upstream("Bad", "http://127.0.0.1:9/v1"), w.upstream("Fresh", "http://127.0.0.1:9/v1")
	foreign := w.kept(fresh)
	foreign.ID, foreign.TenantID, foreign.Name = "up_foreign", "other", "Foreign"
	if err := w.store.CreateUpstream(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	client, err := stored.Client(w.kept(bad))
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		a := upstream.HealthOf(client).Begin()
		a.End(upstream.Failed, "503")
	}
	answer := w.call("GET", "/status", "")
	got := map[string]map[string]any{}
	for _, u := range answer.object(200)["upstreams"].([]any) {
		u := u.(map[string]any)
		got[u["name"].(string)] = u
	}
	if len(got) != 3 || strings.Contains(string(answer.raw), "127.0.0.1") || strings.Contains(string(answer.raw), canaryKey) {
		t.Errorf("%s", answer.raw)
	}
	if b := got["Bad"]; "/upstreams/"+fmt.Sprint(b["id"]) != bad || b["state"] != "open" || b["failures"] != 5.0 || b["cause"] != "503" || b["failed_at"] == nil || b["next_try_at"] == nil {
		t.Errorf("the one that fails: %v", b)
	}
	for _, name := range []string{"Fresh", "default"} {
		if u := got[name]; u["state"] != "closed" || u["failures"] != 0.0 || u["cause"] != nil || u["failed_at"] != nil || u["next_try_at"] != nil {
			t.Errorf("%s: %v", name, u)
		}
	}
	w.call("DELETE", bad, "").want(204)
	if _, known := stored.Health(strings.TrimPrefix(bad, "/upstreams/")); known {
		t.Error("a deleted upstream is still known")
	}
}
