package main

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// A caller is a kind of key.
type caller struct {
	name      string
	secret    string
	wrong     bool // a key of ours that is none, or none any more
	anonymous bool
	tenant    assistants.TenantID
	scope     string
	bound     bool     // to assistants
	to        []string // their names; of those that are not bound, all of their tenant
}

func (c caller) has(scope string) bool { return c.scope == scope || c.scope == "admin" }

// shares reports whether something belongs to the caller's tenant.
func (c caller) shares(owner string) bool {
	return owner == "theirs" && c.tenant == otherTenant || (owner == "mine" || owner == "other") && c.tenant == assistants.DefaultTenant
}

func (c caller) sees(owner string) bool {
	return !c.anonymous && c.shares(owner) && (!c.bound || slices.Contains(c.to, owner))
}

// callers makes one key of each kind.
func (w *accessWorld) callers() []caller {
	now := time.Now()
	mine, other := w.things["mine"].assistant.ID, w.things["other"].assistant.ID
	wrong := func(name, secret string) caller { return caller{name: name, secret: secret, wrong: true} }
	stored := func(change func(*assistants.Key)) string { return w.secret(change) }
	good := stored(func(*assistants.Key) {})
	all := []caller{
		{name: "none", anonymous: true, tenant: assistants.DefaultTenant},
		{name: "another service's", secret: "sk-0123456789abcdef", anonymous: true, tenant: assistants.DefaultTenant},
		wrong("malformed", "fn-x"),
		wrong("unknown", "fn-"+strings.Repeat("a", 64)),
		wrong("a known prefix", good[:20]+strings.Repeat("a", len(good)-20)),
		wrong("revoked", stored(func(k *assistants.Key) { k.RevokedAt = &now })),
		wrong("expired", stored(func(k *assistants.Key) { past := now.Add(-time.Hour); k.ExpiresAt = &past })),
		wrong("expiring this instant", stored(func(k *assistants.Key) { k.ExpiresAt = &now })),
		{name: "configured admin", secret: testAdminKey, scope: "admin", tenant: assistants.DefaultTenant},
		{name: "almost the configured admin", secret: testAdminKey + "x", anonymous: true, tenant: assistants.DefaultTenant},
	}
	for _, scope := range []string{"chat", "search", "admin"} {
		for name, bound := range map[string][]string{"": nil, " bound to mine": {"mine"}, " bound to other": {"other"}, " bound to none": {}} {
			c := caller{name: scope + name, scope: scope, tenant: assistants.DefaultTenant, bound: bound != nil, to: bound}
			c.secret = stored(func(k *assistants.Key) {
				k.Scopes = []assistants.Scope{assistants.Scope(scope)}
				if bound != nil {
					k.Assistants = []assistants.AssistantID{}
				}
				for _, b := range bound {
					k.Assistants = append(k.Assistants, map[string]assistants.AssistantID{"mine": mine, "other": other}[b])
				}
			})
			all = append(all, c)
		}
		c := caller{name: scope + " of another tenant", scope: scope, tenant: otherTenant}
		c.secret = stored(func(k *assistants.Key) {
			k.TenantID, k.Scopes = otherTenant, []assistants.Scope{assistants.Scope(scope)}
		})
		all = append(all, c)
	}
	return all
}

// A cell is one request of the matrix.
type cell struct {
	route, method, path string
	rule                rule
	caller              caller
	owner               string
	ref                 string // how the request names what belongs to owner
	header              bool   // it names the assistant in a header
}

func (c cell) String() string {
	way := ""
	if c.header {
		way = " by header"
	}
	return fmt.Sprintf("%s with key %q for %s%s (%s)", c.route, c.caller.name, c.owner, way, c.ref)
}

var parameter = regexp.MustCompile(`[:*][a-z]+`)

// cells are all requests of a route.
func (w *accessWorld) cells(method, path string, callers []caller) (all []cell) {
	route := method + " " + path
	r, known := accessRules[route]
	if !known {
		w.t.Errorf("%s has no row in accessRules: say who may ask for it", route)
		return nil
	}
	for _, c := range callers {
		for _, owner := range []string{"mine", "other", "theirs", "absent"} {
			for _, ref := range w.refs(r.of, owner) {
				all = append(all, cell{route: route, method: method, path: path, rule: r, caller: c, owner: owner, ref: ref})
				if r.header != "" {
					all = append(all, cell{route: route, method: method, path: path, rule: r, caller: c, owner: owner, ref: ref, header: true})
				}
			}
			if r.of == nothing {
				break
			}
		}
	}
	return all
}

// refs are the ways in which what belongs to owner is named.
func (w *accessWorld) refs(of kind, owner string) []string {
	b := w.things[owner]
	switch of {
	case anAssistant:
		return []string{string(b.assistant.ID), b.assistant.Slug}
	case aDocument:
		return []string{string(b.document)}
	case aKey:
		return []string{string(b.key)}
	case anUpstream:
		return []string{string(b.upstream)}
	case aCollection:
		return []string{string(b.collection)}
	case aQuestion:
		return []string{string(b.question)}
	case aRun:
		return []string{string(b.run)}
	case anAnswer:
		return []string{string(b.answer)}
	case aFile:
		return []string{string(b.document)}
	case aBatch:
		return []string{b.batch}
	}
	return []string{""}
}

// spare makes something of its own for a request that uses it up.
func (w *accessWorld) spare(of kind, owner string) string {
	b := w.things[owner]
	w.count++
	switch of {
	case anAssistant:
		spare := w.makeAssistant(b.tenant, fmt.Sprint("spare-", w.count), "{}")
		w.makeQuestion(spare)
		w.makeAnswer(spare)
		return string(spare.ID)
	case aQuestion:
		return string(w.makeQuestion(b.assistant))
	case aRun:
		return string(w.makeRun(b.assistant))
	case anAnswer:
		return string(w.makeAnswer(b.assistant))
	case aDocument:
		return string(w.makeDocument(b))
	case anUpstream:
		return string(w.makeUpstream(b.tenant))
	case aCollection:
		shared := assistants.Collection{ID: assistants.NewCollectionID(), TenantID: b.tenant, Name: "spare"}
		if err := w.app.store.CreateCollection(w.t.Context(), shared); err != nil {
			w.t.Fatal(err)
		}
		return string(shared.ID)
	default:
		return string(w.makeKey(b.tenant))
	}
}

// run sends the request of a cell.
func (w *accessWorld) run(c cell) accessAnswer {
	w.t.Helper()
	ref := c.ref
	want := c.rule.want(c.caller, c.owner, w.public)
	if c.rule.spends && want == c.rule.ok {
		ref = w.spare(c.rule.of, c.owner)
		if c.caller.bound && c.rule.of == anAssistant {
			c.caller.secret = w.secret(func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{assistants.AssistantID(ref)} })
		}
	}
	path := parameter.ReplaceAllStringFunc(c.path, func(p string) string {
		switch p {
		case ":store":
			if c.rule.of != aCollection {
				return string(w.things[c.owner].collection)
			}
			return ref
		case ":assistant", ":document", ":key", ":upstream", ":collection", ":question", ":run", ":answer", ":file", ":batch", "*id":
			return ref
		case "*link":
			return unsigned(ref)
		case ":page", ":source":
			return "1"
		case ":thread":
			return aThread
		}
		w.t.Fatalf("%s: nobody knows what %s stands for", c.route, p)
		return ""
	}) + c.rule.query
	w.count++
	body := strings.NewReplacer("$ASSISTANT", ref, "$FILE", ref, "$N", fmt.Sprint(w.count),
		"$SETTINGS", fmt.Sprintf(`{"citation_link_mode":"Authenticated","public_access":%v}`, w.public)).Replace(c.rule.body)
	switch {
	case c.rule.form:
		return w.upload(c.method, path, c.caller.secret, c.rule.fields)
	case c.header:
		return w.json(c.method, path, c.caller.secret, strings.Replace(body, ref, "m", 1), c.rule.header, ref)
	}
	return w.json(c.method, path, c.caller.secret, body)
}

// TestEveryRouteAgainstEveryKindOfKey walks the router of the real server
// A caller without permission learns that on every route; what a
// key may not see looks and takes the same as what does not exist; nothing
// that is refused changes a row.
func TestEveryRouteAgainstEveryKindOfKey(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]string{
		"private": `{"citation_link_mode":"Authenticated"}`,
		"public":  `{"citation_link_mode":"Authenticated","public_access":true}`,
	} {
		t.Run(name, func(t *testing.T) {
			onEveryDatabase(t, settings, func(t *testing.T, w *accessWorld) { w.matrix() })
		})
	}
}

func (w *accessWorld) matrix() {
	t, callers := w.t, w.callers()
	routes := map[string]bool{}
	var refused, allowed []cell
	for _, r := range w.app.server.Routes() {
		routes[r.Method+" "+r.Path] = true
		for _, c := range w.cells(r.Method, r.Path, callers) {
			if c.rule.want(c.caller, c.owner, w.public) >= 400 {
				refused = append(refused, c)
			} else {
				allowed = append(allowed, c)
			}
		}
	}
	for _, route := range slices.Sorted(maps.Keys(accessRules)) {
		if !routes[route] {
			t.Errorf("%s is no route any more", route)
		}
	}
	if !nightly {
		refused, allowed = w.sample(refused), w.sample(allowed)
	}
	before := rowsOf(t, w.database)
	w.refusals(refused)
	if changed := before.changed(rowsOf(t, w.database)); len(changed) > 0 {
		t.Errorf("refused requests changed %v", changed)
	}
	for _, c := range allowed {
		if got := w.run(c); got.status != c.rule.ok {
			t.Errorf("%s: %v, want %d", c, got, c.rule.ok)
		}
	}
	t.Logf("%d routes, %d requests refused, %d allowed", len(routes), len(refused), len(allowed))
}

// sample returns the cells of each seventh caller of a route. All cells of a caller stay together, as
// what it may not see is compared with what does not exist. Each database with each setting takes
// callers of its own, so four of seven are asked; the others are asked at night.
func (w *accessWorld) sample(cells []cell) (picked []cell) {
	type group struct{ route, caller string }
	first, groups := 0, map[group]int{}
	if w.public {
		first++
	}
	if strings.HasPrefix(w.database, "sqlite:") {
		first += 2
	}
	for _, c := range cells {
		g := group{c.route, c.caller.name}
		if _, known := groups[g]; !known {
			groups[g] = len(groups)
		}
		if groups[g]%7 == first {
			picked = append(picked, c)
		}
	}
	return picked
}

// refusals runs what must be refused, and compares the answers that must look the same.
func (w *accessWorld) refusals(cells []cell) {
	t := w.t
	type group struct {
		route, caller      string
		header, slug, sees bool
	}
	first := map[group]accessAnswer{}
	for _, c := range cells {
		// The server remembers the key and each assistant by each of its names,
		// which must stay secret as well.
		for _, name := range []string{"mine", "other"} {
			for _, ref := range w.refs(anAssistant, name) {
				w.json("GET", "/v1/models/"+ref, testAdminKey, "")
			}
		}
		w.json("GET", "/v1/models/"+w.things["mine"].assistant.Slug, c.caller.secret, "")
		got := w.run(c)
		if c.ref != "" { // the refusal repeats the name that was asked for, nothing else
			got.body = strings.ReplaceAll(got.body, c.ref, "…")
			got.header.Del("Content-Length")
		}
		if want := c.rule.want(c.caller, c.owner, w.public); got.status != want {
			t.Errorf("%s: %v, want %d", c, got, want)
			continue
		}
		if got.status == http.StatusConflict {
			continue // the caller sees what is refused, so nothing has to look the same
		}
		g := group{route: c.route, caller: c.caller.name, header: c.header, slug: c.ref == w.things[c.owner].assistant.Slug, sees: c.caller.sees(c.owner)}
		if c.caller.wrong && c.caller.name != "malformed" { // a form that no key has is not looked up
			g = group{route: c.route, caller: "any wrong key"}
		}
		if known, ok := first[g]; !ok {
			first[g] = got
		} else if !got.equal(known) {
			t.Errorf("%s: %v\n\tis told from %v", c, got, known)
		}
	}
}
