package control_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy/control"
	"footnote/proxy/links"
)

// base is the address that the links of a world start with.
const base = "https://docs.example"

// link asks an assistant for a link to a document, as a client gets one.
func (w *world) link(assistant, document string) string {
	w.t.Helper()
	w.found.Hits = []assistants.Hit{{Document: assistants.Document{ID: assistants.DocumentID(document), Name: "found"}}}
	var got struct {
		Data []struct {
			URL string `json:"download_url"`
		}
	}
	w.call("POST", "/assistants/"+assistant+"/retrieve", `{"query":"x"}`).into(200, &got)
	if len(got.Data) != 1 || !strings.HasPrefix(got.Data[0].URL, base+links.Path) {
		w.t.Fatalf("no link: %+v", got)
	}
	return got.Data[0].URL
}

// open requests exactly this link without a key.
func (w *world) open(method, link string, headers ...string) reply {
	w.t.Helper()
	got, err := w.try(method, link, headers...)
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

func (w *world) try(method, link string, headers ...string) (reply, error) {
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL, nil)
	if err != nil {
		return reply{}, err
	}
	req.URL.Opaque = strings.TrimPrefix(link, base) // byte for byte
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	resp, err := w.server.Client().Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return reply{w.t, resp.StatusCode, resp.Header, raw}, err
}

const public = `{"citation_link_mode":"Public","citation_link_ttl_seconds":3600}`

func TestAPublicLinkOpensTheDocumentWithoutAKey(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", public)
	const content = "<html><script>alert(1)</script>\n<p>text</p></html>"
	id := w.document(mine, "Ünïcode \"quoted\".html", content)
	link := w.link(mine, id)
	if !strings.HasSuffix(link, "/%C3%9Cn%C3%AFcode-quoted.html") {
		t.Error(link)
	}
	got := w.open("GET", link).want(200)
	if string(got.raw) != content {
		t.Errorf("bytes %q", got.raw)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'",
		"Accept-Ranges": "bytes", "Content-Length": fmt.Sprint(len(content)), "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex",
		"Cache-Control": "private, no-cache",
	} {
		if got.header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.header.Get(name), want)
		}
	}
	disposition, params, err := mime.ParseMediaType(got.header.Get("Content-Disposition"))
	if err != nil || disposition != "attachment" || params["filename"] != "Ünïcode \"quoted\".html" {
		t.Errorf("Content-Disposition %q: %v %v", got.header.Get("Content-Disposition"), params, err)
	}
	if head := w.open("HEAD", link).want(200); len(head.raw) != 0 || head.header.Get("Content-Length") != fmt.Sprint(len(content)) {
		t.Errorf("HEAD: %q %v", head.raw, head.header)
	}
	if again := w.open("GET", link, "If-None-Match", got.header.Get("Etag")); again.status != 304 {
		t.Errorf("with its ETag: %d", again.status)
	}
	w.open("POST", link).fails(405, "method_not_allowed", "")
}

func TestRangesOfPublicLinks(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", public)
	link := w.link(mine, w.document(mine, "a.txt", "0123456789"))
	etag := w.open("GET", link).header.Get("Etag")
	for value, want := range map[string]string{"bytes=2-4": "234", "bytes=7-": "789", "bytes=-3": "789"} {
		if got := w.open("GET", link, "Range", value); got.status != 206 || string(got.raw) != want {
			t.Errorf("%s: %d %q", value, got.status, got.raw)
		}
	}
	if got := w.open("GET", link, "Range", "bytes=2-4", "If-Range", etag); got.status != 206 {
		t.Errorf("of this version: %d", got.status)
	}
	if got := w.open("GET", link, "Range", "bytes=2-4", "If-Range", `"another"`); got.status != 200 || len(got.raw) != 10 {
		t.Errorf("of another version: %d %q", got.status, got.raw)
	}
	w.open("GET", link, "Range", "bytes=50-60").fails(416, "invalid_value", "")
}

func TestNamesInPublicLinksCannotBreakOut(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", public)
	id := w.document(mine, "a.txt", "text")
	for _, name := range []string{`x"; filename="evil.exe`, `x\`, "日本語.pdf", "%0d%0aSet-Cookie: a=b", "..", "/etc/passwd", "a'b*c.txt", "?signature=x#y", "  x"} {
		w.call("PATCH", "/documents/"+id, fmt.Sprintf(`{"name":%q}`, name)).want(200)
		link := w.link(mine, id)
		if u, err := url.Parse(link); err != nil || u.RawQuery != "" || u.Fragment != "" || u.JoinPath(".").String() != link {
			t.Errorf("%q: %s", name, link)
		}
		got := w.open("GET", link).want(200)
		_, params, err := mime.ParseMediaType(got.header.Get("Content-Disposition"))
		if err != nil || params["filename"] != name || len(params) != 1 || got.header.Get("Set-Cookie") != "" {
			t.Errorf("%q: %q %v %v", name, got.header.Get("Content-Disposition"), params, err)
		}
	}
}

// askedStore counts the lookups.
type askedStore struct {
	control.Store
	asked atomic.Int64
}

func (s *askedStore) AssistantOfDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, sight assistants.Sight) (assistants.Assistant, error) {
	s.asked.Add(1)
	return s.Store.AssistantOfDocument(ctx, tenant, id, sight)
}

func (s *askedStore) Document(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Document, error) {
	s.asked.Add(1)
	return s.Store.Document(ctx, tenant, id)
}

// TestTamperedLinksAreRefusedBeforeTheStoreIsAsked changes and truncates a link
// at every byte, and swaps its parts with those of another link. Package links
// tries every value of every byte.
func TestTamperedLinksAreRefusedBeforeTheStoreIsAsked(t *testing.T) {
	store := &askedStore{}
	w := newWorld(t, func(d *control.Deps) { store.Store, d.Store = d.Store, store })
	mine, theirs := w.assistant("mine", public), w.assistant("theirs", `{"citation_link_mode":"Public"}`)
	link, other := w.link(mine, w.document(mine, "a b.txt", "mine")), w.link(theirs, w.document(theirs, "ü.txt", "theirs"))
	store.asked.Store(0)
	refused := func(tampered string) {
		t.Helper()
		got, err := w.try("GET", tampered)
		_, written := url.ParseRequestURI(strings.TrimPrefix(tampered, base))
		switch {
		case err != nil: // the client refuses to send it
		case written != nil: // not HTTP: it does not reach a handler
			got.want(400)
		case strings.HasPrefix(tampered, base+links.Path):
			got.fails(403, "permission_denied", "")
			if got.header.Get("Cache-Control") != "no-store" || got.header.Get("Referrer-Policy") != "no-referrer" || got.header.Get("Content-Disposition") != "" {
				t.Errorf("%s: %v", tampered, got.header)
			}
		case got.status != 404 && got.status != 405 && got.status != 401 && got.status != 400:
			t.Errorf("%s: %d %s", tampered, got.status, got.raw)
		}
	}
	for at := len(base) + 1; at < len(link); at++ {
		for _, c := range []string{"0", "A", "z", "-", "/", "%", "?", ".", ";", "\xc3"} {
			if c != link[at:at+1] {
				refused(link[:at] + c + link[at+1:])
			}
		}
		refused(link[:at])
		refused(link[:at] + link[at+1:])
		refused(link[:at] + fmt.Sprintf("%%%02x", link[at]) + link[at+1:])
	}
	parts, swap := strings.Split(link, "/"), strings.Split(other, "/")
	for i := range parts {
		if parts[i] == swap[i] {
			continue
		}
		swapped := append([]string{}, parts...)
		swapped[i] = swap[i]
		refused(strings.Join(swapped, "/"))
		swapped = append(append(swapped[:i:i], parts[i], parts[i]), parts[i+1:]...)
		refused(strings.Join(swapped, "/"))
	}
	for _, more := range []string{"?", "?x=1", "?expires=9999999999", "/", "/x", "&", "%00", "?download=1&download=2"} {
		refused(link + more)
	}
	if n := store.asked.Load(); n != 0 {
		t.Errorf("the store was asked %d times for links that were not valid", n)
	}
	for want, link := range map[string]string{"mine": link, "theirs": other} {
		if got := w.open("GET", link).want(200); string(got.raw) != want {
			t.Errorf("%q, want %q", got.raw, want)
		}
	}
}

func TestAnExpiredLinkSaysSo(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", `{"citation_link_mode":"Public","citation_link_ttl_seconds":1}`)
	link := w.link(mine, w.document(mine, "a.txt", "text"))
	w.open("GET", link).want(200)
	w.now = w.now.Add(time.Second)
	got := w.open("GET", link)
	got.fails(403, "permission_denied", "")
	if !strings.Contains(string(got.raw), "has expired. Ask again") || got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %v", got.raw, got.header)
	}
	w.open("HEAD", link).want(403)
	w.open("GET", link, "If-None-Match", "*").want(403)
	// A changed expiry breaks the signature.
	later := strings.Replace(link, fmt.Sprint(noon.Unix()+1), fmt.Sprint(noon.Unix()+9999), 1)
	got = w.open("GET", later, "Authorization", "Bearer "+adminKey)
	got.fails(403, "permission_denied", "")
	if strings.Contains(string(got.raw), "expired") {
		t.Errorf("%s", got.raw)
	}
}

func TestALinkEndsWithItsDocumentAndAssistant(t *testing.T) {
	for name, revoke := range map[string]func(w *world, mine, id string){
		"document deleted":          func(w *world, _, id string) { w.call("DELETE", "/documents/"+id, "").want(204) },
		"assistant deleted":         func(w *world, mine, _ string) { w.call("DELETE", "/assistants/"+mine, "").want(204) },
		"links for keys only":       func(w *world, mine, _ string) { w.settings(mine, `{"citation_link_mode":"Authenticated"}`) },
		"links off":                 func(w *world, mine, _ string) { w.settings(mine, `{"citation_link_mode":"None"}`) },
		"settings back to defaults": func(w *world, mine, _ string) { w.call("PUT", "/assistants/"+mine+"/settings", `{}`).want(200) },
		"bytes gone":                func(w *world, _, id string) { w.loseBytes(id) },
		"deleted and uploaded again": func(w *world, mine, id string) {
			w.call("DELETE", "/documents/"+id, "").want(204)
			w.document(mine, "a.txt", "text")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			mine := w.assistant("mine", public)
			id := w.document(mine, "a.txt", "text")
			link := w.link(mine, id)
			w.open("GET", link).want(200)
			revoke(w, mine, id)
			got := w.open("GET", link)
			got.fails(404, "not_found", "")
			if got.header.Get("Content-Disposition") != "" || got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%v", got.header)
			}
			w.open("GET", link, "Authorization", "Bearer "+adminKey).fails(404, "not_found", "")
		})
	}
}

func (w *world) settings(assistant, patch string) {
	w.t.Helper()
	w.call("PATCH", "/assistants/"+assistant+"/settings", patch).want(200)
}

func (w *world) loseBytes(id string) {
	w.t.Helper()
	d, err := w.store.Document(w.t.Context(), assistants.DefaultTenant, assistants.DocumentID(id))
	if err == nil {
		err = w.blobs.Delete(w.t.Context(), d.Version.BlobKey)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// An assistant that reads another's collection gives its own links to the
// documents: they end when it stops reading them, and do not depend on the
// owner's links.
func TestALinkToASharedDocumentLivesWhileItIsShared(t *testing.T) {
	for name, c := range map[string]struct {
		revoke func(w *world, mine, reader, id string)
		mine   int // what a link of the owner's answers afterwards
		reader int
	}{
		"no longer shared":      {func(w *world, _, reader, _ string) { w.settings(reader, `{"collections":[]}`) }, 200, 404},
		"the reader's are off":  {func(w *world, _, reader, _ string) { w.settings(reader, `{"citation_link_mode":"None"}`) }, 200, 404},
		"the owner's are off":   {func(w *world, mine, _, _ string) { w.settings(mine, `{"citation_link_mode":"None"}`) }, 404, 200},
		"the reader is deleted": {func(w *world, _, reader, _ string) { w.call("DELETE", "/assistants/"+reader, "").want(204) }, 200, 404},
		"the document is":       {func(w *world, _, _, id string) { w.call("DELETE", "/documents/"+id, "").want(204) }, 404, 404},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			mine, reader, third := w.assistant("mine", public), w.assistant("reader", public), w.assistant("third", public)
			id := w.document(mine, "a.txt", "text")
			w.settings(reader, `{"collections":["`+w.collectionOf(mine)+`"]}`)
			own, shared := w.link(mine, id), w.link(reader, id)
			w.open("GET", own).want(200)
			w.open("GET", shared).want(200)
			w.open("GET", w.link(third, id)).fails(404, "not_found", "")
			c.revoke(w, mine, reader, id)
			w.open("GET", own).want(c.mine)
			w.open("GET", shared).want(c.reader)
		})
	}
}

func TestALinkIsForOneAssistantOnly(t *testing.T) {
	w := newWorld(t)
	mine, other := w.assistant("mine", public), w.assistant("other", public)
	id := w.document(mine, "a.txt", "text")
	for name, g := range map[string]links.Grant{
		"another assistant's":  {Assistant: assistants.AssistantID(other), Document: assistants.Document{ID: assistants.DocumentID(id), TenantID: assistants.DefaultTenant}},
		"no assistant's":       {Assistant: "asst_none", Document: assistants.Document{ID: assistants.DocumentID(id), TenantID: assistants.DefaultTenant}},
		"of another tenant":    {Assistant: assistants.AssistantID(mine), Document: assistants.Document{ID: assistants.DocumentID(id), TenantID: "tenant-b"}},
		"of no document":       {Assistant: assistants.AssistantID(mine), Document: assistants.Document{ID: "doc_none", TenantID: assistants.DefaultTenant}},
		"of what is no id":     {Assistant: assistants.AssistantID(mine), Document: assistants.Document{ID: "' OR 1=1--", TenantID: assistants.DefaultTenant}},
		"of an empty document": {Assistant: assistants.AssistantID(mine), Document: assistants.Document{TenantID: assistants.DefaultTenant}},
	} {
		g.Base, g.TTL = base, time.Hour
		link, err := w.signer.DownloadURL(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := w.try("GET", link); err != nil || got.status == 200 || got.status >= 500 {
			t.Errorf("%s: %d %s, %v", name, got.status, got.raw, err)
		}
	}
	foreign := links.NewSigner(bytes.Repeat([]byte("x"), 32), func() time.Time { return noon })
	link, err := foreign.DownloadURL(t.Context(), links.Grant{Base: base, TTL: time.Hour, Assistant: assistants.AssistantID(mine),
		Document: assistants.Document{ID: assistants.DocumentID(id), TenantID: assistants.DefaultTenant, Name: "a.txt"}})
	if err != nil {
		t.Fatal(err)
	}
	w.open("GET", link).fails(403, "permission_denied", "")
}

// A key in a request for a link changes nothing.
func TestKeysSentAlongWithALink(t *testing.T) {
	w := newWorld(t)
	mine, other := w.assistant("mine", public), w.assistant("other", public)
	link := w.link(mine, w.document(mine, "a.txt", "text"))
	past := noon.Add(-time.Hour)
	for name, key := range map[string]string{
		"the admin's": adminKey, "another assistant's": w.key(`{"name":"o","scopes":["chat"],"assistants":["` + other + `"]}`),
		"search": w.key(`{"name":"s","scopes":["search"]}`), "another service's": "sk-0123456789", "a JWT": "eyJhbGciOi.J9.x",
		"of another tenant": w.storeKey(func(k *assistants.Key) { k.TenantID = "tenant-b" }),
		"malformed":         "fn-x", "unknown": "fn-" + strings.Repeat("a", 64), "revoked": w.storeKey(func(k *assistants.Key) { k.RevokedAt = &past }),
	} {
		for _, headers := range [][]string{{"Authorization", "Bearer " + key}, {"Authorization", "Bearer " + key, "api-key", "another"}} {
			if got := w.open("GET", link, headers...); got.status != 200 || string(got.raw) != "text" {
				t.Errorf("%s: %d %s", name, got.status, got.raw)
			}
			w.open("GET", link+"x", headers...).fails(403, "permission_denied", "")
		}
	}
}

func TestALinkOpensTheVersionThatAnswers(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", public)
	id := w.document(mine, "a.txt", "first")
	w.publish(id, "first")
	link := w.link(mine, id)
	w.upload("PUT", "/documents/"+id+"/file", part{"file", "a.txt", "second"}).want(202)
	if got := w.open("GET", link).want(200); string(got.raw) != "first" {
		t.Errorf("%q while the first version answers", got.raw)
	}
	w.call("PATCH", "/documents/"+id, `{"name":"renamed.txt"}`).want(200)
	if got := w.open("GET", link).want(200); !strings.Contains(got.header.Get("Content-Disposition"), "renamed.txt") {
		t.Errorf("%v", got.header)
	}
}

func TestADeletedDocumentIsFoundWithoutALink(t *testing.T) { // S-25
	for _, mode := range []string{"None", "Authenticated", "Public"} {
		w := newWorld(t)
		mine := w.assistant("mine", `{"citation_link_mode":"`+mode+`"}`)
		report, _ := w.finds(mine)
		w.call("DELETE", "/documents/"+report, "").want(204)
		var got struct{ Data []map[string]any }
		w.call("POST", "/assistants/"+mine+"/retrieve", `{"query":"x"}`).into(200, &got)
		if got.Data[0]["available"] != false || got.Data[0]["download_url"] != nil {
			t.Errorf("%s: the deleted one %v", mode, got.Data[0])
		}
		if _, said := got.Data[1]["available"]; said || (got.Data[1]["download_url"] != nil) != (mode != "None") {
			t.Errorf("%s: the other one %v", mode, got.Data[1])
		}
	}
}

func TestLinksWithoutAnAddressAreWarnedOf(t *testing.T) {
	lost, known := newLostWorld(t), newWorld(t)
	for _, mode := range []string{"None", "Authenticated", "Public"} {
		body := `{"name":"a ` + mode + `","settings":{"citation_link_mode":"` + mode + `"}}`
		for w, want := range map[*world]bool{lost: mode != "None", known: false} {
			made := w.call("POST", "/assistants", body).object(201)
			if got := strings.Contains(fmt.Sprint(made["warnings"]), "FOOTNOTE_PUBLIC_URL"); got != want {
				t.Errorf("%s: %v", mode, made["warnings"])
			}
			saved := w.call("PATCH", "/assistants/"+made["id"].(string)+"/settings", `{"citation_link_mode":"`+mode+`"}`).object(200)
			if got := strings.Contains(fmt.Sprint(saved["warnings"]), "FOOTNOTE_PUBLIC_URL"); got != want {
				t.Errorf("%s: %v", mode, saved["warnings"])
			}
		}
	}
}

func TestMissingBytesAreLoggedWithoutTheLink(t *testing.T) {
	var log bytes.Buffer
	w := newWorld(t, func(d *control.Deps) { d.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	mine := w.assistant("mine", public)
	id := w.document(mine, "a.txt", "text")
	link := w.link(mine, id)
	w.loseBytes(id)
	w.open("GET", link).fails(404, "not_found", "")
	signature := strings.Split(strings.TrimPrefix(link, base+links.Path), "/")[0]
	if !strings.Contains(log.String(), id) || strings.Contains(log.String(), signature) {
		t.Error(log.String())
	}
}
