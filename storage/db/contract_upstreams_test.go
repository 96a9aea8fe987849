package db_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
)

func newUpstream(owner assistants.TenantID, name string) assistants.Upstream {
	return assistants.Upstream{
		ID: assistants.NewUpstreamID(), TenantID: owner, Name: name, BaseURL: "https://" + strings.ToLower(string(owner)) + ".example/v1",
		APIKey: assistants.NewSecret("sk-" + name), DefaultModel: "model of " + name,
		Headers:   map[string]assistants.Secret{"X-Team": assistants.NewSecret("team " + name), "X-Other": assistants.NewSecret("other")},
		Timeouts:  assistants.UpstreamTimeouts{FirstToken: time.Hour, Idle: time.Second, Total: 24 * time.Hour},
		CreatedAt: birth, UpdatedAt: birth,
	}
}

func addUpstream(t *testing.T, s contract, owner assistants.TenantID, name string) assistants.Upstream {
	t.Helper()
	u := newUpstream(owner, name)
	must(t, s.CreateUpstream(t.Context(), u))
	return u
}

// naming lets an assistant name an upstream, nil for the default one.
func naming(t *testing.T, s contract, slug string, ref *string) error {
	t.Helper()
	return errorOf(s.UpdateAssistant(t.Context(), tenant, slug, func(a *assistants.Assistant) error {
		a.Settings.Upstream = ref
		return nil
	}))
}

func wantField(t *testing.T, what string, err, kind error, field, says string) {
	t.Helper()
	f, ok := errors.AsType[*assistants.FieldError](err)
	if !ok || !errors.Is(f, kind) || f.Field != field || !strings.Contains(f.Message, says) {
		t.Errorf("%s: %v, want one of the kind %q on %q that says %q", what, err, kind, field, says)
	}
}

var upstreamTests = map[string]func(*testing.T, contract){
	"an upstream comes back as it was stored, by id and by name": func(t *testing.T, s contract) {
		bare := newUpstream(tenant, "bare")
		bare.APIKey, bare.DefaultModel, bare.Headers = assistants.Secret{}, "", map[string]assistants.Secret{}
		bare.Timeouts = assistants.UpstreamTimeouts{}
		odd := newUpstream(tenant, "Ünïcödé 👍")
		odd.APIKey = assistants.NewSecret(strings.Repeat("k", 4000))
		odd.Headers = map[string]assistants.Secret{"X-Empty": {}, "X-Quote": assistants.NewSecret(`"quoted", 'so'; \ {}`)}
		for _, u := range []assistants.Upstream{bare, odd, newUpstream(tenant, "far")} {
			must(t, s.CreateUpstream(t.Context(), u))
			for _, ref := range []string{string(u.ID), u.Name} {
				got, err := s.Upstream(t.Context(), tenant, ref)
				if err != nil || !reflect.DeepEqual(got, u) || got.APIKey.Reveal() != u.APIKey.Reveal() || !got.Readable() {
					t.Errorf("%q: got %+v, %v\nwant %+v", ref, got, err, u)
				}
			}
		}
		for _, ref := range []string{"", "Far", "far ", "fa", "%", "up_none", strings.ToUpper(string(bare.ID))} {
			wantKind(t, fmt.Sprintf("ref %q", ref), errorOf(s.Upstream(t.Context(), tenant, ref)), assistants.ErrNotFound)
		}
	},

	"names of upstreams are unique within the tenant": func(t *testing.T, s contract) {
		far, near := addUpstream(t, s, tenant, "far"), addUpstream(t, s, tenant, "near")
		addUpstream(t, s, tenant, "Far")
		addUpstream(t, s, other, "far")
		wantField(t, "a taken name", s.CreateUpstream(t.Context(), newUpstream(tenant, "far")), assistants.ErrConflict, "name", "")
		rename := func(u *assistants.Upstream) error { u.Name, u.DefaultModel = "far", "changed"; return nil }
		wantField(t, "a name taken later", errorOf(s.UpdateUpstream(t.Context(), tenant, near.ID, rename)), assistants.ErrConflict, "name", "")
		must(t, errorOf(s.UpdateUpstream(t.Context(), tenant, far.ID, rename))) // its own name
		if got, err := s.Upstream(t.Context(), tenant, "near"); err != nil || !reflect.DeepEqual(got, near) {
			t.Errorf("after the refusal %+v, %v", got, err)
		}
	},

	"an upstream is changed as a whole or not at all": func(t *testing.T, s contract) {
		u := addUpstream(t, s, tenant, "far")
		changed, err := s.UpdateUpstream(t.Context(), tenant, u.ID, func(v *assistants.Upstream) error {
			if !reflect.DeepEqual(*v, u) {
				t.Errorf("shown %+v, want %+v", *v, u)
			}
			v.ID, v.TenantID, v.CreatedAt = "up_forged", other, birth.Add(time.Hour)
			v.Name, v.BaseURL, v.DefaultModel = "nearer", "http://nearer.example", ""
			v.APIKey = assistants.Secret{}
			delete(v.Headers, "X-Other")
			v.Headers["X-New"] = assistants.NewSecret("new")
			return nil
		})
		must(t, err)
		want := u
		want.Name, want.BaseURL, want.DefaultModel, want.APIKey, want.UpdatedAt = "nearer", "http://nearer.example", "", assistants.Secret{}, changed.UpdatedAt
		want.Headers = map[string]assistants.Secret{"X-Team": u.Headers["X-Team"], "X-New": assistants.NewSecret("new")}
		stored, err := s.Upstream(t.Context(), tenant, "nearer")
		if err != nil || !reflect.DeepEqual(stored, want) || !reflect.DeepEqual(changed, want) {
			t.Errorf("stored %+v, %v\nreturned %+v\nwant %+v", stored, err, changed, want)
		}
		no := errors.New("no")
		_, err = s.UpdateUpstream(t.Context(), tenant, u.ID, func(v *assistants.Upstream) error {
			v.Name, v.Headers["X-Team"] = "gone", assistants.NewSecret("gone")
			return no
		})
		if !errors.Is(err, no) {
			t.Errorf("the refusal became %v", err)
		}
		if got, err := s.Upstream(t.Context(), tenant, string(u.ID)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("after the refusal %+v, %v", got, err)
		}
		wantKind(t, "an upstream by its name", errorOf(s.UpdateUpstream(t.Context(), tenant, "nearer", func(*assistants.Upstream) error { return nil })), assistants.ErrNotFound)
	},

	"every change moves the time of an upstream on": func(t *testing.T, s contract) {
		u := newUpstream(tenant, "far")
		u.UpdatedAt = time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
		must(t, s.CreateUpstream(t.Context(), u))
		last := u.UpdatedAt
		for range 3 {
			got, err := s.UpdateUpstream(t.Context(), tenant, u.ID, func(*assistants.Upstream) error { return nil })
			if err != nil || !got.UpdatedAt.After(last) {
				t.Fatalf("%s after %s, %v", got.UpdatedAt, last, err)
			}
			last = got.UpdatedAt
		}
	},

	"upstreams are listed in pages, the tenant's only": func(t *testing.T, s contract) {
		var want []assistants.Upstream
		for i := range 5 {
			want = append(want, addUpstream(t, s, tenant, fmt.Sprint("far ", i)))
		}
		addUpstream(t, s, other, "theirs")
		first, next, err := s.Upstreams(t.Context(), tenant, assistants.List{Limit: 4})
		must(t, err)
		rest, end, err := s.Upstreams(t.Context(), tenant, assistants.List{Limit: 4, Cursor: next})
		if err != nil || end != "" || !reflect.DeepEqual(append(first, rest...), want) {
			t.Errorf("got %+v and %+v, %v", first, rest, err)
		}
		_, _, err = s.Upstreams(t.Context(), tenant, assistants.List{Cursor: "x"})
		wantField(t, "a foreign cursor", err, assistants.ErrInvalid, "cursor", "")
	},

	"assistants name only existing upstreams": func(t *testing.T, s contract) {
		u := addUpstream(t, s, tenant, "far")
		theirs := addUpstream(t, s, other, "theirs")
		addAssistant(t, s, tenant, "a")
		id, builtin := string(u.ID), assistants.BuiltinExtractive
		for _, ref := range []*string{&id, &u.Name, &builtin, nil} {
			if err := naming(t, s, "a", ref); err != nil {
				t.Errorf("%v: %v", ref, err)
			}
		}
		made := newAssistant(tenant, "b")
		for _, ref := range []string{"nowhere", "up_nowhere", theirs.Name, string(theirs.ID), "FAR", ""} {
			wantField(t, fmt.Sprintf("naming %q", ref), naming(t, s, "a", &ref), assistants.ErrInvalid, "settings.upstream", "no such upstream")
			made.Settings.Upstream = &ref
			wantField(t, fmt.Sprintf("made with %q", ref), s.CreateAssistant(t.Context(), made), assistants.ErrInvalid, "settings.upstream", "no such upstream")
		}
		made.Settings.Upstream = &u.Name
		must(t, s.CreateAssistant(t.Context(), made))
	},

	"an upstream that is a fallback exists and stays": func(t *testing.T, s contract) {
		u := addUpstream(t, s, tenant, `50% "far"`)
		addAssistant(t, s, tenant, "a")
		falling := func(refs ...string) error {
			return errorOf(s.UpdateAssistant(t.Context(), tenant, "a", func(a *assistants.Assistant) error {
				a.Settings.UpstreamFallbacks = nil
				for _, ref := range refs {
					a.Settings.UpstreamFallbacks = append(a.Settings.UpstreamFallbacks, assistants.Fallback{Upstream: ref})
				}
				return nil
			}))
		}
		wantField(t, "an unknown fallback", falling(u.Name, "nowhere"), assistants.ErrInvalid, "settings.upstream_fallbacks", "no such upstream")
		for _, ref := range []string{u.Name, string(u.ID)} {
			must(t, falling(assistants.BuiltinExtractive, ref))
			if err := s.DeleteUpstream(t.Context(), tenant, u.ID); !errors.Is(err, assistants.ErrConflict) {
				t.Errorf("deleted as %q: %v", ref, err)
			}
		}
		must(t, falling())
		must(t, s.DeleteUpstream(t.Context(), tenant, u.ID))
	},

	"an upstream that assistants name stays, with its name": func(t *testing.T, s contract) {
		u := addUpstream(t, s, tenant, "far")
		theirs := addUpstream(t, s, other, "far")
		id, name := string(u.ID), u.Name
		for slug, ref := range map[string]*string{"by-id": &id, "by-name": &name, "not": nil} {
			addAssistant(t, s, tenant, slug)
			must(t, naming(t, s, slug, ref))
		}
		rename := func(v *assistants.Upstream) error { v.Name = "moved"; return nil }
		wantField(t, "delete", s.DeleteUpstream(t.Context(), tenant, u.ID), assistants.ErrConflict, "", "2 assistants name")
		wantField(t, "rename", errorOf(s.UpdateUpstream(t.Context(), tenant, u.ID, rename)), assistants.ErrConflict, "name", "1 assistant names")
		must(t, errorOf(s.UpdateUpstream(t.Context(), tenant, u.ID, func(v *assistants.Upstream) error { v.BaseURL = "http://x.example"; return nil })))
		must(t, s.DeleteUpstream(t.Context(), other, theirs.ID)) // another tenant's assistants do not matter
		must(t, naming(t, s, "by-name", nil))
		must(t, errorOf(s.UpdateUpstream(t.Context(), tenant, u.ID, rename)))
		wantField(t, "delete", s.DeleteUpstream(t.Context(), tenant, u.ID), assistants.ErrConflict, "", "1 assistant names")
		must(t, s.DeleteAssistant(t.Context(), tenant, "by-id"))
		must(t, s.DeleteUpstream(t.Context(), tenant, u.ID))
		wantKind(t, "deleted twice", s.DeleteUpstream(t.Context(), tenant, u.ID), assistants.ErrNotFound)
		wantKind(t, "deleted", errorOf(s.Upstream(t.Context(), tenant, "moved")), assistants.ErrNotFound)
	},

	"no assistant is left naming an upstream that was deleted meanwhile": func(t *testing.T, s contract) {
		for i := range 10 {
			slug := fmt.Sprint("a", i)
			addAssistant(t, s, tenant, slug)
			u := addUpstream(t, s, tenant, fmt.Sprint("far ", i))
			var named, deleted error
			var both sync.WaitGroup
			both.Go(func() { named = naming(t, s, slug, &u.Name) })
			both.Go(func() { deleted = s.DeleteUpstream(t.Context(), tenant, u.ID) })
			both.Wait()
			if (named == nil) == (deleted == nil) {
				t.Errorf("named: %v, deleted: %v", named, deleted)
			}
		}
	},

	"NUL and broken UTF-8 are refused in upstreams": func(t *testing.T, s contract) {
		for _, bad := range []string{"a\x00b", "a\xffb"} {
			for field, change := range map[string]func(*assistants.Upstream){
				"name":          func(u *assistants.Upstream) { u.Name = bad },
				"base_url":      func(u *assistants.Upstream) { u.BaseURL = bad },
				"default_model": func(u *assistants.Upstream) { u.DefaultModel = bad },
				"api_key":       func(u *assistants.Upstream) { u.APIKey = assistants.NewSecret(bad) },
				"headers":       func(u *assistants.Upstream) { u.Headers["X"] = assistants.NewSecret(bad) },
			} {
				u := newUpstream(tenant, "far")
				change(&u)
				wantField(t, fmt.Sprintf("%s %q", field, bad), s.CreateUpstream(t.Context(), u), assistants.ErrInvalid, field, "")
			}
		}
	},
}
