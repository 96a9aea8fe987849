package access

import (
	"crypto/sha256"
	"strings"
	"testing"

	"footnote/assistants"
)

func TestNewKeyHasAPublicPrefixAnd256SecretBits(t *testing.T) {
	secret, key := NewKey()
	if !strings.HasPrefix(secret, "fn-") {
		t.Errorf("key %q does not start with fn-", secret)
	}
	if !strings.HasPrefix(secret, key.Prefix) || len(key.Prefix) != len("fn-")+12 {
		t.Errorf("prefix %q is not fn- and the first 12 characters of %q", key.Prefix, secret)
	}
	if hidden := len(secret) - len(key.Prefix); hidden*5 < 256 {
		t.Errorf("%d base32 characters behind the prefix are fewer than 256 bits", hidden)
	}
	if key.Hash != sha256.Sum256([]byte(secret)) {
		t.Error("the stored digest is not that of the whole key")
	}
	if key.ID == "" || key.Scopes != nil || key.Name != "" {
		t.Errorf("key %+v: want an id and nothing that is the caller's to choose", key)
	}
	if prefix, ok := prefixOf(secret); !ok || prefix != key.Prefix {
		t.Errorf("prefixOf(%q) = %q, %v", secret, prefix, ok)
	}
}

func TestKeysDoNotRepeat(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		secret, key := NewKey()
		for _, s := range []string{secret, key.Prefix, string(key.ID)} {
			if seen[s] {
				t.Fatalf("%q was drawn twice", s)
			}
			seen[s] = true
		}
	}
}

func TestPrefixOfRefusesEveryOtherForm(t *testing.T) {
	secret, _ := NewKey()
	for _, s := range []string{
		"", "fn-", secret[:len(secret)-1], secret + "a", strings.ToUpper(secret), "sk-" + secret[3:],
		secret[:20] + "'" + secret[21:], secret[:20] + "\x00" + secret[21:], secret[:20] + "0" + secret[21:],
		secret[:20] + "é" + secret[22:],
	} {
		if prefix, ok := prefixOf(s); ok {
			t.Errorf("prefixOf(%q) = %q, true", s, prefix)
		}
	}
}

func TestPrincipalRequire(t *testing.T) {
	chat := Principal{Key: assistants.Key{ID: "key_1", Scopes: []assistants.Scope{assistants.ScopeChat}, Assistants: []assistants.AssistantID{"asst_1"}}}
	admin := Principal{Key: assistants.Key{ID: "key_2", Scopes: []assistants.Scope{assistants.ScopeAdmin}}}
	for _, c := range []struct {
		name  string
		p     Principal
		scope assistants.Scope
		want  error
	}{
		{"the zero principal may do nothing", Principal{}, assistants.ScopeChat, assistants.ErrUnauthorized},
		{"an anonymous one neither", Principal{Anonymous: true}, assistants.ScopeChat, assistants.ErrUnauthorized},
		{"a scope that the key has", chat, assistants.ScopeChat, nil},
		{"a scope that it lacks", chat, assistants.ScopeAdmin, assistants.ErrForbidden},
		{"admin includes the others", admin, assistants.ScopeSearch, nil},
	} {
		if err := c.p.Require(c.scope); !is(err, c.want) {
			t.Errorf("%s: Require = %v, want %v", c.name, err, c.want)
		}
	}
	if err := chat.RequireAny(assistants.ScopeAdmin, assistants.ScopeChat); err != nil {
		t.Errorf("RequireAny with one scope that fits = %v", err)
	}
}

func TestPrincipalSeesOnlyWhatItsKeyCovers(t *testing.T) {
	bound := Principal{Key: assistants.Key{ID: "key_1", Assistants: []assistants.AssistantID{"asst_1"}}}
	free := Principal{Key: assistants.Key{ID: "key_2"}}
	none := Principal{Key: assistants.Key{ID: "key_3", Assistants: []assistants.AssistantID{}}}
	for _, c := range []struct {
		name         string
		p            Principal
		one, two, is bool
	}{
		{"bound", bound, true, false, false},
		{"free", free, true, true, true},
		{"bound to nothing", none, false, false, false},
		{"anonymous", Principal{Anonymous: true}, false, false, false},
		{"zero", Principal{}, false, false, false},
	} {
		if c.p.MaySee("asst_1") != c.one || c.p.MaySee("asst_2") != c.two || c.p.MaySeeAll() != c.is {
			t.Errorf("%s: MaySee = %v, %v; MaySeeAll = %v", c.name, c.p.MaySee("asst_1"), c.p.MaySee("asst_2"), c.p.MaySeeAll())
		}
	}
}
