package links

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/citations"
)

// here is a server with the documents it names; err is its answer instead.
type here struct {
	names []assistants.DocumentID
	err   error

	asked   int
	patient bool // it may take as long as it likes
	whole   int  // how often whole documents were asked for
}

func (h *here) DocumentsByID(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.Document, error) {
	h.whole++
	return h.find(ctx, tenant, ids)
}

func (h *here) find(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.Document, error) {
	h.asked++
	_, limited := ctx.Deadline()
	h.patient = !limited
	var found []assistants.Document
	for _, id := range ids {
		if slices.Contains(h.names, id) {
			found = append(found, assistants.Document{ID: id, TenantID: tenant, Name: "now " + string(id)})
		}
	}
	return found, h.err
}

func (h *here) ExistingDocuments(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.DocumentID, error) {
	found, err := h.find(ctx, tenant, ids)
	var there []assistants.DocumentID
	for _, d := range found {
		there = append(there, d.ID)
	}
	return there, err
}

// signing makes links that say what they were made for.
type signing func(Grant) (string, error)

func (s signing) DownloadURL(_ context.Context, g Grant) (string, error) { return s(g) }

func told(g Grant) (string, error) {
	if g.Base == "" {
		return "", nil
	}
	return g.Base + "/" + string(g.Document.TenantID) + "/" + string(g.Document.ID) + "/" + string(g.Assistant) + "/" + g.TTL.String() + "/" + strings.ReplaceAll(g.Document.Name, " ", "-"), nil
}

const known, unknown = "https://docs.example", ""

func newLinks(base string, docs *here, public signing) (*Links, *bytes.Buffer) {
	log := &bytes.Buffer{}
	return New(Options{
		Base:      func(*http.Request) (string, bool) { return base, base != unknown },
		Documents: docs, Public: public, Log: slog.New(slog.NewTextHandler(log, nil)),
	}), log
}

func assistantWith(mode assistants.LinkMode) *assistants.Assistant {
	a := &assistants.Assistant{ID: "asst_a", TenantID: "tenant-b", Settings: assistants.DefaultSettings()}
	a.Settings.CitationLinkMode, a.Settings.CitationLinkTTLSeconds = mode, 90
	return a
}

// answer is a set of passages of two documents, doc_1 twice.
func answer() *citations.Set {
	var sources []citations.Source
	for _, id := range []string{"doc_1", "doc_2", "doc_1"} {
		sources = append(sources, citations.Source{DocumentID: id, DocumentName: "found " + id, Text: "text"})
	}
	return citations.NewSet(sources, citations.Options{})
}

func request() *http.Request { return httptest.NewRequest("POST", "/v1/chat/completions", nil) }

// shown are the links of a set, "gone" for what is not available, and its warnings.
func shown(set *citations.Set) (urls, warnings []string) {
	for _, s := range set.Sources() {
		switch {
		case s.Available != nil && !*s.Available && s.DownloadURL == "":
			urls = append(urls, "gone")
		default:
			urls = append(urls, s.DownloadURL)
		}
	}
	return urls, set.Tracker().Result().Warnings
}

func TestTheModeDecidesWhichLinksSourcesGet(t *testing.T) {
	const one, two = known + "/tenant-b/doc_1/asst_a/1m30s/now-doc_1", known + "/tenant-b/doc_2/asst_a/1m30s/now-doc_2"
	for _, c := range []struct {
		mode  assistants.LinkMode
		base  string
		names []assistants.DocumentID
		want  []string
		warns bool
	}{
		{assistants.LinkNone, known, []assistants.DocumentID{"doc_1", "doc_2"}, []string{"", "", ""}, false},
		{assistants.LinkNone, unknown, []assistants.DocumentID{"doc_2"}, []string{"gone", "", "gone"}, false},
		{assistants.LinkAuthenticated, known, []assistants.DocumentID{"doc_2"}, []string{"gone", known + "/v1.0/documents/doc_2/download", "gone"}, false},
		{assistants.LinkAuthenticated, unknown, []assistants.DocumentID{"doc_1", "doc_2"}, []string{"", "", ""}, true},
		{assistants.LinkPublic, known, []assistants.DocumentID{"doc_1", "doc_2"}, []string{one, two, one}, false},
		{assistants.LinkPublic, known, nil, []string{"gone", "gone", "gone"}, false},
		{assistants.LinkPublic, unknown, []assistants.DocumentID{"doc_1", "doc_2"}, []string{"", "", ""}, true},
		{"Another", known, []assistants.DocumentID{"doc_1", "doc_2"}, []string{"", "", ""}, false},
	} {
		docs, set := &here{names: c.names}, answer()
		l, log := newLinks(c.base, docs, told)
		linked := l.Complete(request(), assistantWith(c.mode), set)
		urls, warnings := shown(set)
		if !slices.Equal(urls, c.want) || (len(warnings) > 0) != c.warns || linked != strings.Contains(strings.Join(urls, " "), known) {
			t.Errorf("%s at %q: %q, %v, warnings %q", c.mode, c.base, urls, linked, warnings)
		}
		if docs.asked != 1 || docs.patient || log.Len() > 0 {
			t.Errorf("%s: asked %d times, without limit %v, log %s", c.mode, docs.asked, docs.patient, log)
		}
	}
}

func TestAnAnswerWithoutSourcesAsksAndSaysNothing(t *testing.T) {
	docs, set := &here{}, citations.NewSet(nil, citations.Options{})
	l, _ := newLinks(unknown, docs, told)
	if l.Complete(request(), assistantWith(assistants.LinkPublic), set) || docs.asked != 0 {
		t.Error("asked", docs.asked)
	}
	if _, warnings := shown(set); len(warnings) > 0 {
		t.Error(warnings)
	}
}

// An answer is not worse for a database that is away just then: its links are
// asked about again when they are followed.
// Every chat pays for what is asked here.
func TestWholeDocumentsAreReadForSignedLinksOnly(t *testing.T) {
	for mode, whole := range map[assistants.LinkMode]int{assistants.LinkNone: 0, assistants.LinkAuthenticated: 0, assistants.LinkPublic: 1} {
		docs, set := &here{names: []assistants.DocumentID{"doc_1"}}, answer()
		l, _ := newLinks(known, docs, told)
		l.Complete(request(), assistantWith(mode), set)
		if urls, _ := shown(set); docs.asked != 1 || docs.whole != whole || urls[0] == "gone" || urls[1] != "gone" {
			t.Errorf("%s: asked %d times, for whole documents %d times, %q", mode, docs.asked, docs.whole, urls)
		}
	}
}

func TestWithoutTheDatabaseSourcesKeepTheirLinks(t *testing.T) {
	docs, set := &here{err: assistants.ErrUnavailable}, answer()
	l, log := newLinks(known, docs, told)
	linked := l.Complete(request(), assistantWith(assistants.LinkPublic), set)
	const one, two = known + "/tenant-b/doc_1/asst_a/1m30s/found-doc_1", known + "/tenant-b/doc_2/asst_a/1m30s/found-doc_2"
	if urls, _ := shown(set); !linked || !slices.Equal(urls, []string{one, two, one}) {
		t.Errorf("%q", urls)
	}
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "asst_a") || strings.Contains(log.String(), known) {
		t.Error(log)
	}
	// A client that left is no news.
	log.Reset()
	ctx, leave := context.WithCancel(context.Background())
	leave()
	l.Complete(request().WithContext(ctx), assistantWith(assistants.LinkPublic), answer())
	if log.Len() > 0 {
		t.Error(log)
	}
}

// However links are signed, they only lead to a web server, and
// what could not be made is left out, and logged without its address.
func TestLinksThatNobodyMayFollowAreLeftOut(t *testing.T) {
	for _, address := range []string{
		"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "https://user:secret@docs.example/x", "https://user@docs.example/x",
		"https://docs.example/\r\nx", "https://docs.example/\x00", "//docs.example/x", "/x", "https:", "https:///x", "ftp://docs.example/x", "JaVaScRiPt://docs.example/%0aalert(1)",
	} {
		set := answer()
		l, log := newLinks(known, &here{names: []assistants.DocumentID{"doc_1", "doc_2"}}, func(Grant) (string, error) { return address, nil })
		linked := l.Complete(request(), assistantWith(assistants.LinkPublic), set)
		if urls, _ := shown(set); linked || !slices.Equal(urls, []string{"", "", ""}) {
			t.Errorf("%q: %q", address, urls)
		}
		if !strings.Contains(log.String(), "level=ERROR") || strings.Contains(log.String(), "docs.example") {
			t.Errorf("%q: %s", address, log)
		}
	}
	set := answer()
	l, log := newLinks(known, &here{names: []assistants.DocumentID{"doc_1", "doc_2"}}, func(g Grant) (string, error) {
		if g.Document.ID == "doc_1" {
			return known + "/signed", errors.New("no credentials")
		}
		return told(g)
	})
	if urls, _ := shown(set); !l.Complete(request(), assistantWith(assistants.LinkPublic), set) || len(urls) != 3 {
		t.Errorf("%q", urls)
	}
	if urls, _ := shown(set); urls[0] != "" || !strings.HasPrefix(urls[1], known) || urls[2] != "" || !strings.Contains(log.String(), "no credentials") {
		t.Errorf("%q %s", urls, log)
	}
}

func TestSettingsWithoutEffectAreWarnedOf(t *testing.T) {
	for _, c := range []struct {
		mode assistants.LinkMode
		base string
		want int
	}{
		{assistants.LinkNone, unknown, 0}, {assistants.LinkNone, known, 0}, {assistants.LinkAuthenticated, known, 0}, {assistants.LinkPublic, known, 0},
		{assistants.LinkAuthenticated, unknown, 1}, {assistants.LinkPublic, unknown, 1},
	} {
		l, _ := newLinks(c.base, &here{}, told)
		got := l.Warnings(request(), assistantWith(c.mode).Settings)
		if len(got) != c.want || c.want > 0 && (!strings.Contains(got[0], string(c.mode)) || !strings.Contains(got[0], "FOOTNOTE_PUBLIC_URL")) {
			t.Errorf("%s at %q: %q", c.mode, c.base, got)
		}
	}
}

// The longest link lives as long as the settings allow, whatever they say.
func TestTheLifeOfALinkIsTheAssistants(t *testing.T) {
	a := assistantWith(assistants.LinkPublic)
	for seconds, want := range map[int]time.Duration{1: time.Second, assistants.MaxLinkTTLSeconds: 7 * 24 * time.Hour} {
		a.Settings.CitationLinkTTLSeconds = seconds
		var lives []time.Duration
		l, _ := newLinks(known, &here{names: []assistants.DocumentID{"doc_1", "doc_2"}}, func(g Grant) (string, error) {
			lives = append(lives, g.TTL)
			return told(g)
		})
		l.Complete(request(), a, answer())
		if !slices.Equal(lives, []time.Duration{want, want}) {
			t.Errorf("%d seconds: %v", seconds, lives)
		}
	}
}
