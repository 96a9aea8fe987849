package access

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

func is(err, want error) bool {
	if want == nil {
		return err == nil
	}
	return errors.Is(err, want)
}

// keyStore stores keys.
type keyStore struct {
	keys map[string]assistants.Key
	err  error
	asks int
}

func (s *keyStore) KeyFor(_ context.Context, prefix string, _ func(assistants.Key) bool) (assistants.Key, error) {
	s.asks++
	if s.err != nil {
		return assistants.Key{}, s.err
	}
	k, ok := s.keys[prefix]
	if !ok {
		return assistants.Key{}, fmt.Errorf("key: %w", assistants.ErrNotFound)
	}
	return k, nil
}

func (s *keyStore) add(change func(*assistants.Key)) (secret string) {
	secret, k := NewKey()
	k.TenantID, k.Scopes = "tenant-a", []assistants.Scope{assistants.ScopeChat}
	change(&k)
	s.keys[k.Prefix] = k
	return secret
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

const configured = "a configured admin key"

func fixture(t testing.TB) (*Authenticator, *keyStore) {
	s := &keyStore{keys: map[string]assistants.Key{}}
	a, err := New(s, configured, func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	return a, s
}

func request(headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func TestAuthenticateFindsTheKey(t *testing.T) {
	a, s := fixture(t)
	good := s.add(func(k *assistants.Key) { k.Name = "good" })
	later := noon.Add(time.Second)
	s.add(func(*assistants.Key) {})
	unexpired := s.add(func(k *assistants.Key) { k.Name, k.ExpiresAt = "unexpired", &later })
	for name, c := range map[string]struct {
		r    *http.Request
		want string
	}{
		"bearer":                      {request("Authorization", "Bearer "+good), "good"},
		"the scheme in any case":      {request("Authorization", "bEARER  "+good+" "), "good"},
		"api-key":                     {request("api-key", good), "good"},
		"both, the same":              {request("api-key", good, "Authorization", "Bearer "+good), "good"},
		"not yet expired":             {request("api-key", unexpired), "unexpired"},
		"the configured admin key":    {request("Authorization", "Bearer "+configured), "FOOTNOTE_ADMIN_KEY"},
		"the same in the api-key one": {request("api-key", configured), "FOOTNOTE_ADMIN_KEY"},
	} {
		p, err := a.Authenticate(t.Context(), c.r)
		if err != nil || p.Anonymous || p.Key.Name != c.want {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	p, err := a.Authenticate(t.Context(), request("api-key", good))
	if err != nil || p.Tenant != "tenant-a" {
		t.Errorf("the principal's tenant is %q (%v), want the key's", p.Tenant, err)
	}
}

func TestConfiguredAdminKeyHasEveryScopeAndSeesAll(t *testing.T) {
	a, s := fixture(t)
	p, err := a.Authenticate(t.Context(), request("api-key", configured))
	if err != nil {
		t.Fatal(err)
	}
	for _, scope := range assistants.Scopes {
		if err := p.Require(scope); err != nil {
			t.Errorf("scope %s: %v", scope, err)
		}
	}
	if !p.MaySee("asst_any") || !p.MaySeeAll() || p.Tenant != assistants.DefaultTenant {
		t.Errorf("principal %+v does not see everything of the default tenant", p)
	}
	if s.asks != 0 {
		t.Error("the store was asked about the configured key")
	}
}

func TestNewRefusesWeakAdminKeys(t *testing.T) {
	for _, weak := range []string{"short", strings.Repeat("x", MinAdminKey-1), "   " + strings.Repeat("x", 20)} {
		_, err := New(&keyStore{}, weak, nil)
		if !errors.Is(err, assistants.ErrInvalid) {
			t.Errorf("New(%q) = %v, want ErrInvalid", weak, err)
		} else if strings.Contains(err.Error(), weak) {
			t.Errorf("the error repeats the key: %v", err)
		}
	}
}

func TestWithoutAConfiguredAdminKeyNothingMatchesIt(t *testing.T) {
	a, err := New(&keyStore{}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{"", "anything"} {
		if p, err := a.Authenticate(t.Context(), request("api-key", token)); err != nil || !p.Anonymous {
			t.Errorf("token %q: %+v, %v", token, p, err)
		}
	}
}

func TestWithoutAFootnoteKeyThePrincipalIsAnonymous(t *testing.T) {
	a, s := fixture(t)
	for name, r := range map[string]*http.Request{
		"nothing":                     request(),
		"a bearer of someone else":    request("Authorization", "Bearer sk-proj-0123456789"),
		"an api-key of someone else":  request("api-key", "0123456789abcdef"),
		"an empty bearer":             request("Authorization", "Bearer"),
		"an empty header":             request("Authorization", ""),
		"a header that we do not use": request("X-Api-Key", "fn-anything"),
		"a cookie":                    request("Cookie", "key=fn-anything"),
	} {
		p, err := a.Authenticate(t.Context(), r)
		if err != nil || !p.Anonymous || p.Key.ID != "" || p.Tenant != assistants.DefaultTenant {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	if s.asks != 0 {
		t.Errorf("the store was asked %d times", s.asks)
	}
}

func TestEveryWrongKeyGivesTheSameError(t *testing.T) {
	a, s := fixture(t)
	good := s.add(func(*assistants.Key) {})
	revoked := s.add(func(k *assistants.Key) { k.RevokedAt = &noon })
	expired := s.add(func(k *assistants.Key) { k.ExpiresAt = &noon })
	unknown, _ := NewKey()
	for name, r := range map[string]*http.Request{
		"unknown":              request("Authorization", "Bearer "+unknown),
		"known prefix":         request("Authorization", "Bearer "+good[:20]+unknown[20:]),
		"all but the last":     request("Authorization", "Bearer "+good[:len(good)-1]+other(good[len(good)-1])),
		"revoked":              request("Authorization", "Bearer "+revoked),
		"expired this instant": request("Authorization", "Bearer "+expired),
		"cut off":              request("Authorization", "Bearer "+good[:30]),
		"only the mark":        request("Authorization", "Bearer fn-"),
		"in capitals":          request("Authorization", "Bearer fn-"+strings.ToUpper(good[3:])),
		"another scheme":       request("Authorization", "Basic "+good),
		"no scheme":            request("Authorization", good),
		"a tab between":        request("Authorization", "Bearer\t"+good),
		"64 KiB":               request("Authorization", "Bearer fn-"+strings.Repeat("a", 64<<10)),
	} {
		p, err := a.Authenticate(t.Context(), r)
		if err != assistants.ErrUnauthorized || p.Key.ID != "" {
			t.Errorf("%s: %+v, %v; want ErrUnauthorized itself", name, p, err)
		}
	}
}

func other(c byte) string {
	if c == 'a' {
		return "b"
	}
	return "a"
}

func TestContradictoryCredentialsAreRefused(t *testing.T) {
	a, s := fixture(t)
	one, two := s.add(func(*assistants.Key) {}), s.add(func(*assistants.Key) {})
	for name, r := range map[string]*http.Request{
		"two keys":                  request("Authorization", "Bearer "+one, "api-key", two),
		"ours and another":          request("Authorization", "Bearer sk-other", "api-key", two),
		"an empty one and ours":     request("Authorization", "Bearer", "api-key", two),
		"two Authorization headers": request("Authorization", "Bearer "+one, "Authorization", "Bearer "+one),
		"two api-key headers":       request("api-key", one, "api-key", one),
	} {
		if _, err := a.Authenticate(t.Context(), r); !errors.Is(err, assistants.ErrAmbiguous) {
			t.Errorf("%s: %v, want ErrAmbiguous", name, err)
		}
	}
}

func TestKeysInTheQueryAreRefused(t *testing.T) {
	a, s := fixture(t)
	good := s.add(func(*assistants.Key) {})
	for _, name := range []string{"key", "api_key", "api-key", "API_KEY", "%6bey", "apikey", "access_token", "Access_Token", "api_token", "bearer", "authorization", "Authorization"} {
		r := httptest.NewRequest(http.MethodGet, "/?limit=3&"+name+"="+good, nil)
		r.Header.Set("Authorization", "Bearer "+good)
		_, err := a.Authenticate(t.Context(), r)
		if f, ok := errors.AsType[*assistants.FieldError](err); !ok || !errors.Is(err, assistants.ErrInvalid) || strings.Contains(f.Message, good) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/?limit=3&monkey=1", nil)
	r.Header.Set("api-key", good)
	if _, err := a.Authenticate(t.Context(), r); err != nil {
		t.Errorf("other parameters: %v", err)
	}
}

func TestAnUnavailableStoreIsNotAWrongKey(t *testing.T) {
	a, s := fixture(t)
	s.err = assistants.ErrUnavailable
	secret, _ := NewKey()
	_, err := a.Authenticate(t.Context(), request("api-key", secret))
	if !errors.Is(err, assistants.ErrUnavailable) || errors.Is(err, assistants.ErrUnauthorized) {
		t.Errorf("error %v, want ErrUnavailable", err)
	}
}

// FuzzAuthenticate sends arbitrary credentials: only the right key may identify
// a principal, and nothing may panic.
func FuzzAuthenticate(f *testing.F) {
	a, s := fixture(f)
	good := s.add(func(*assistants.Key) {})
	for _, seed := range []string{
		"", "Bearer", "Bearer fn-", "bearer fn-' OR 1=1 --", "Bearer \x00", "Basic Zm46Zm4=", "Bearer fn-\u202e", "Bearer " + good,
		"Bearer\tfn-x", "Bearer Bearer " + good, strings.Repeat("Bearer ", 5000), "Bearer " + good + "," + good,
	} {
		f.Add(seed, "")
		f.Add("", seed)
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, authorization, apiKey string) {
		r := request()
		if authorization != "" {
			r.Header["Authorization"] = []string{authorization}
		}
		if apiKey != "" {
			r.Header["Api-Key"] = []string{apiKey}
		}
		p, err := a.Authenticate(t.Context(), r)
		right := strings.Contains(authorization, good) || strings.Contains(apiKey, good) ||
			strings.Contains(authorization, configured) || strings.Contains(apiKey, configured)
		switch {
		case err == nil && !p.Anonymous && !right:
			t.Errorf("%q, %q name the key %s", authorization, apiKey, p.Key.ID)
		case err != nil && !errors.Is(err, assistants.ErrUnauthorized) && !errors.Is(err, assistants.ErrAmbiguous):
			t.Errorf("%q, %q: %v", authorization, apiKey, err)
		case err != nil && (p.Key.ID != "" || p.Tenant != ""):
			t.Errorf("an error with the principal %+v", p)
		}
	})
}
