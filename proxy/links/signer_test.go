package links

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"footnote/assistants"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// a signer whose clock is the test's.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func newSigner(key byte) (*Signer, *clock) {
	c := &clock{noon}
	return NewSigner(bytes.Repeat([]byte{key}, 32), c.Now), c
}

func grant(name string) Grant {
	return Grant{Base: "https://docs.example", Assistant: "asst_a", TTL: time.Hour,
		Document: assistants.Document{ID: "doc_d", TenantID: assistants.DefaultTenant, Name: name}}
}

func makeLink(t testing.TB, s *Signer, g Grant) string {
	t.Helper()
	link, err := s.DownloadURL(context.Background(), g)
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// open verifies a link as the server sees it.
func open(t testing.TB, s *Signer, link string) (Link, error) {
	t.Helper()
	u, err := url.ParseRequestURI(strings.TrimPrefix(link, "https://docs.example"))
	if err != nil {
		t.Fatal(err)
	}
	return s.Verify(u)
}

func TestALinkOpensWhatItWasMadeFor(t *testing.T) {
	s, _ := newSigner(1)
	link := makeLink(t, s, grant("Q3 report.pdf"))
	if !strings.HasPrefix(link, "https://docs.example/v1.0/links/") || !strings.HasSuffix(link, "/default/doc_d/asst_a/1772629200/Q3-report.pdf") {
		t.Error(link)
	}
	got, err := open(t, s, link)
	if want := (Link{assistants.DefaultTenant, "doc_d", "asst_a", noon.Add(time.Hour)}); err != nil || !got.Expires.Equal(want.Expires) ||
		got.Document != want.Document || got.Assistant != want.Assistant || got.Tenant != want.Tenant {
		t.Errorf("%+v, %v", got, err)
	}
	odd := grant("x")
	odd.Document.TenantID = "a/b c%2f"
	if got, err := open(t, s, makeLink(t, s, odd)); err != nil || got.Tenant != "a/b c%2f" {
		t.Errorf("%+v, %v", got, err)
	}
	if link := makeLink(t, s, Grant{Assistant: "asst_a"}); link != "" {
		t.Error("a link to nowhere:", link)
	}
}

func TestALinkEndsByTheClock(t *testing.T) {
	s, c := newSigner(1)
	c.now = noon.Add(300 * time.Millisecond)
	g := grant("a.txt")
	g.TTL = time.Second
	link := makeLink(t, s, g)
	for after, want := range map[time.Duration]error{
		0: nil, time.Second: nil, 1699 * time.Millisecond: nil, 1700 * time.Millisecond: errExpired, 2 * time.Second: errExpired,
		time.Hour: errExpired, -5 * time.Minute: nil,
	} {
		c.now = noon.Add(300*time.Millisecond + after)
		if _, err := open(t, s, link); !errors.Is(err, want) && (err != nil || want != nil) {
			t.Errorf("%v later: %v, want %v", after, err, want)
		}
	}
	if !errors.Is(errExpired, assistants.ErrForbidden) || !strings.Contains(errExpired.Message, "expired") {
		t.Error(errExpired)
	}
}

// An instance whose clock was ahead by years must not have made a link for ever.
func TestALinkFromAClockThatIsFarAheadIsRefused(t *testing.T) {
	s, c := newSigner(1)
	g := grant("a.txt")
	g.TTL = assistants.MaxLinkTTLSeconds * time.Second
	link := makeLink(t, s, g)
	for back, want := range map[time.Duration]error{0: nil, 5 * time.Minute: nil, 5*time.Minute + time.Second: errInvalid, 10000 * time.Hour: errInvalid} {
		c.now = noon.Add(-back)
		if _, err := open(t, s, link); !errors.Is(err, want) && (err != nil || want != nil) {
			t.Errorf("signed %v ahead: %v, want %v", back, err, want)
		}
	}
}

func TestAnotherSecretOpensNothing(t *testing.T) {
	s, _ := newSigner(1)
	foreign, _ := newSigner(2)
	if _, err := open(t, s, makeLink(t, foreign, grant("a.txt"))); !errors.Is(err, errInvalid) {
		t.Error(err)
	}
	// What is signed but no link: this key signed it in another version.
	for _, text := range []string{"", "a", "default/doc_d/asst_a/soon/x", "default/doc_d/asst_a/1772625700", "%zz/doc_d/asst_a/1772625700/x"} {
		if _, err := s.Verify(&url.URL{Path: Path + s.sign(text) + "/" + text}); !errors.Is(err, errInvalid) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestEveryTamperedLinkIsRefused changes, removes and adds every single byte of
// links, and swaps their parts.
func TestEveryTamperedLinkIsRefused(t *testing.T) {
	s, _ := newSigner(1)
	other := grant("Müller & Söhne.pdf")
	other.Document.ID, other.Assistant, other.TTL = "doc_e", "asst_b", 2*time.Hour
	links := []string{makeLink(t, s, grant("a b.txt")), makeLink(t, s, other)}
	refused := func(link string) {
		t.Helper()
		u, err := url.ParseRequestURI(link)
		if err != nil {
			return // no server gets to see it
		}
		if got, err := s.Verify(u); !errors.Is(err, errInvalid) {
			t.Errorf("%s opens %+v, %v", link, got, err)
		}
	}
	for i, link := range links {
		link = strings.TrimPrefix(link, "https://docs.example")
		for at := len(Path); at <= len(link); at++ {
			for b := range 256 {
				with := string([]byte{byte(b)})
				refused(link[:at] + with + link[at:])
				if at < len(link) && link[at] != byte(b) {
					refused(link[:at] + with + link[at+1:])
				}
			}
			if at < len(link) {
				refused(link[:at] + link[at+1:])
				refused(link[:at])
				refused(link[:at] + fmt.Sprintf("%%%02X", link[at]) + link[at+1:])
				refused(link[:at] + link[at:at+1] + link[at:])
			}
		}
		swap := strings.Split(strings.TrimPrefix(links[1-i], "https://docs.example"+Path), "/")
		for n := range swap {
			parts := strings.Split(strings.TrimPrefix(link, Path), "/")
			parts[n] = swap[n]
			if strings.Join(parts, "/") != strings.TrimPrefix(link, Path) {
				refused(Path + strings.Join(parts, "/"))
			}
			parts = append(parts, parts[n])
			refused(Path + strings.Join(parts, "/"))
		}
		refused(link + "?")
		refused(link + "?expires=9999999999")
		refused(link + "/")
		refused(strings.ToLower(link))
		refused(strings.Replace(link, "/default/", "//default/", 1))
	}
}

func TestNamesAtTheEndOfALinkAreReadableAndHarmless(t *testing.T) {
	for name, want := range map[string]string{
		"report.pdf": "report.pdf", "Q3 Earnings (final) [2].pdf": "Q3-Earnings-final-2.pdf", "../../etc/passwd": "etc-passwd", "..": "document",
		"": "document", ".": "document", "...": "document", "-": "document", " ": "document", ".env": "env", "a..b": "a.b", "a . b": "a.b",
		`x"; filename="evil.exe`: "x-filename-evil.exe", "a\r\nSet-Cookie: b": "a-Set-Cookie-b", "Ünïcode.html": "%C3%9Cn%C3%AFcode.html",
		"日本語.pdf": "%E6%97%A5%E6%9C%AC%E8%AA%9E.pdf", "\u202efdp.exe": "fdp.exe", "\xff\xfe.txt": "txt", "a\xff.txt": "a.txt", "%2e%2e%2f": "2e-2e-2f",
		"snake_case.txt": "snake_case.txt", "5 €.csv": "5.csv", "a\x00b": "a-b",
	} {
		if got := fileName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if long := fileName(strings.Repeat("長い", 200) + ".pdf"); !strings.HasSuffix(long, ".pdf") || len(long) > 3*3*maxFileName {
		t.Error(long)
	}
}

// FuzzVerify lets the fuzzer look for another spelling of a link that is taken,
// and for paths that end the server.
func FuzzVerify(f *testing.F) {
	s, _ := newSigner(1)
	known := map[string]bool{}
	for _, name := range []string{"a.txt", "Ünï & co.pdf", ""} {
		link := strings.TrimPrefix(makeLink(f, s, grant(name)), "https://docs.example")
		known[link] = true
		f.Add(link)
		f.Add(link + "?x=1")
	}
	f.Add(Path + s.sign("") + "/")
	f.Add("/v1.0/links")
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || strings.HasPrefix(target, "http:") || strings.HasPrefix(target, "https:") {
			return
		}
		link, err := s.Verify(u)
		if err == nil && !known[target] {
			t.Errorf("%q opens %+v", target, link)
		}
		if err != nil && !errors.Is(err, assistants.ErrForbidden) {
			t.Errorf("%q: %v", target, err)
		}
	})
}

// FuzzFileName: whatever a document is called, its link is one segment of a
// path that every client leaves as it is.
func FuzzFileName(f *testing.F) {
	for _, name := range []string{"a.txt", "..", "a/b\\c", "\u202e", "e\u0301", "%2e%2e"} {
		f.Add(name)
	}
	s, _ := newSigner(1)
	f.Fuzz(func(t *testing.T, name string) {
		link := makeLink(t, s, grant(name))
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.JoinPath(".").String(); strings.TrimSuffix(got, "/") != link || strings.ContainsAny(link, " ()[]<>\"'`\\") {
			t.Errorf("%q: %s is cleaned to %s", name, link, got)
		}
		if _, err := open(t, s, link); err != nil {
			t.Errorf("%q: %s: %v", name, link, err)
		}
	})
}
