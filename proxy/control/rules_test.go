package control

import (
	"errors"
	"testing"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/jsonbody"
)

func TestARouteWithoutANeedIsClosed(t *testing.T) {
	everything := access.Principal{Key: assistants.Key{ID: "key_1", Scopes: assistants.Scopes}}
	if err := (route{}).need.check(everything); !errors.Is(err, assistants.ErrForbidden) {
		t.Errorf("check = %v, want ErrForbidden", err)
	}
	for _, r := range (&api{}).routes() {
		if (r.need.check(everything) != nil) != (r.need == signed) || r.handle == nil {
			t.Errorf("%s %s: whether an admin gets in: %v", r.method, r.path, r.need.check(everything))
		}
		if r.need == signed {
			continue // opened by a signature, not by a key
		}
		if err := r.need.check(access.Principal{Anonymous: true}); !errors.Is(err, assistants.ErrUnauthorized) {
			t.Errorf("%s %s without a key: %v", r.method, r.path, err)
		}
	}
}

func TestFormatsOfLinksWarnWhileLinksAreOff(t *testing.T) {
	for _, c := range []struct {
		format assistants.CitationFormat
		links  assistants.LinkMode
		want   int
	}{
		{assistants.FormatPerplexity, assistants.LinkNone, 1},
		{assistants.FormatOpenAI, assistants.LinkNone, 1},
		{assistants.FormatPerplexity, assistants.LinkAuthenticated, 0},
		{assistants.FormatNative, assistants.LinkNone, 0},
		{assistants.FormatMarkdown, assistants.LinkNone, 0},
		{assistants.FormatNone, assistants.LinkNone, 0},
	} {
		s := assistants.DefaultSettings()
		s.CitationFormat, s.CitationLinkMode = c.format, c.links
		if got := warnings(s); len(got) != c.want {
			t.Errorf("%s with links %s: %q", c.format, c.links, got)
		}
	}
}

func TestAWindowWithoutRoomForSourcesWarns(t *testing.T) {
	for _, c := range []struct {
		window, answer int // 0: unset
		rag, warns     bool
	}{
		{1024, 0, true, true},
		{1024, 0, false, false},
		{1200, 0, true, true},
		{2048, 0, true, false},
		{1024, 400, true, false},
		{4096, 4000, true, true},
		{0, 40_000, true, true},
		{0, 4000, true, false},
		{0, 0, true, false},
	} {
		s := assistants.DefaultSettings()
		s.EnableRAG = c.rag
		if c.window > 0 {
			s.ContextWindow = &c.window
		}
		if c.answer > 0 {
			s.MaxTokens = &c.answer
		}
		if got := warnings(s); len(got) > 0 != c.warns {
			t.Errorf("%+v: %q", c, got)
		}
	}
	model := "gpt-4o" // reads 128,000 tokens
	s := assistants.DefaultSettings()
	answer := 40_000
	s.EnableRAG, s.MaxTokens, s.Model = true, &answer, &model
	if got := warnings(s); len(got) > 0 {
		t.Errorf("a large model: %q", got)
	}
}

func FuzzCodePoints(f *testing.F) {
	f.Add("aé漢😀", 1, 3)
	f.Add("", 0, 0)
	f.Add("\xff\xfeabc", 2, 4)
	f.Fuzz(func(t *testing.T, s string, start, end int) {
		runes := []rune(s)
		if start < 0 || start > end || end > len(runes) {
			return
		}
		if got, want := []rune(codePoints(s, start, end)), runes[start:end]; string(got) != string(want) {
			t.Errorf("codePoints(%q, %d, %d) = %q, want %q", s, start, end, string(got), string(want))
		}
	})
}

func FuzzReadingMembersNeverLosesOne(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1}`, `{"a":{"b":[1,2]},"c":null}`, `{"a":1,"a":2}`, `{"a":1} x`, `[1]`, "\ufeff{}", `{"a":`, `{"\u0061":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		members, err := jsonbody.Members(body)
		if (members == nil) == (err == nil) {
			t.Errorf("%q: %v, %v", body, members, err)
		}
	})
}
