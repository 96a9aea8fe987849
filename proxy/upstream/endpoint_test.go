package upstream

import (
	"net/url"
	"strings"
	"testing"
)

func TestBaseURLsAreJoinedWithThePath(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.openai.com/v1":                "https://api.openai.com/v1/chat/completions",
		"https://api.openai.com/v1/":               "https://api.openai.com/v1/chat/completions",
		" http://127.0.0.1:11434/v1\n":             "http://127.0.0.1:11434/v1/chat/completions",
		"http://host":                              "http://host/chat/completions",
		"http://host/":                             "http://host/chat/completions",
		"http://[::1]:8000/v1":                     "http://[::1]:8000/v1/chat/completions",
		"https://gw.test/v1/acc%2Fount/openai":     "https://gw.test/v1/acc%2Fount/openai/chat/completions",
		"https://gw.test/v1?team=a%20b&x=":         "https://gw.test/v1/chat/completions?team=a%20b&x=",
		"https://gw.test/v1/chat/completions":      "https://gw.test/v1/chat/completions",
		"https://gw.test/v1/chat/completions/?k=v": "https://gw.test/v1/chat/completions?k=v",
		"https://gw.test/chat/completions":         "https://gw.test/chat/completions",
		"https://x.openai.azure.com/openai/deployments/gpt-4o?api-version=2024-10-21": "https://x.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21",
		"https://x.openai.azure.com/openai/v1/":                                       "https://x.openai.azure.com/openai/v1/chat/completions",
	} {
		e, err := parseEndpoint(base)
		if err != nil {
			t.Errorf("%s: %v", base, err)
			continue
		}
		got := e.join(chatPath)
		if got.String() != want {
			t.Errorf("%s:\n got %s\nwant %s", base, got, want)
		}
		if line := got.Scheme + "://" + got.Host + got.RequestURI(); line != want {
			t.Errorf("%s: the request line asks for %s", base, line)
		}
	}
}

func TestBadBaseURLsAreRefusedWithoutBeingRepeated(t *testing.T) {
	for _, base := range []string{
		"", "   ", "api.openai.com/canary", "ftp://canary/v1", "http://", "http:///canary", "https://user:canary@host/v1",
		"http://host/canary#part", "http://host:canary/v1", "http://ho st/canary", "http://host/%zz-canary", "builtin:canary",
	} {
		_, err := parseEndpoint(base)
		if err == nil {
			t.Errorf("%q is accepted", base)
		} else if strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: the error repeats it: %v", base, err)
		}
	}
}

func TestAzureIsToldByItsDomain(t *testing.T) {
	for host, want := range map[string]bool{
		"x.openai.azure.com": true, "X.OpenAI.Azure.com.": true, "x.services.ai.azure.com": true,
		"openai.azure.com.evil.test": false, "evilopenai.azure.com": false, "api.openai.com": false, "": false,
	} {
		if isAzure(host) != want {
			t.Errorf("isAzure(%q) = %v", host, !want)
		}
	}
}

func FuzzJoinKeepsHostAndQuery(f *testing.F) {
	for _, s := range []string{"https://api.openai.com/v1", "http://h//a/../b/?q=1&r#", "http://h/a%2F%2e%2e/", "https://h/chat/completions/?", "http://h/%E3%81%82/.."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, base string) {
		e, err := parseEndpoint(base)
		if err != nil {
			return
		}
		joined := e.join(chatPath)
		again, err := url.Parse(joined.String())
		if err != nil {
			t.Fatalf("%q gives %q, which is no URL: %v", base, joined, err)
		}
		if again.Host != e.base.Host || again.RawQuery != e.base.RawQuery || again.User != nil || again.Scheme != e.base.Scheme {
			t.Errorf("%q gives %q", base, joined)
		}
		if !strings.HasPrefix(joined.RequestURI(), "/") {
			t.Errorf("%q gives the request line %q", base, joined.RequestURI())
		}
		if !strings.HasSuffix(again.EscapedPath(), "/"+chatPath) {
			t.Errorf("%q gives the path %q", base, again.EscapedPath())
		}
	})
}
