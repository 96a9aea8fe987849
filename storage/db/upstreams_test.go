package db

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gorm.io/gorm"

	"footnote/assistants"
)

const (
	canaryKey    = "sk-canary-key-0123456789"
	canaryHeader = "canary-of-a-header-9876543210"
)

func canaryUpstream(tenant assistants.TenantID, name string) assistants.Upstream {
	return assistants.Upstream{
		ID: assistants.NewUpstreamID(), TenantID: tenant, Name: name, BaseURL: "https://far.example/v1",
		APIKey:  assistants.NewSecret(canaryKey),
		Headers: map[string]assistants.Secret{"X-Team": assistants.NewSecret(canaryHeader)},
	}
}

func wantReadable(t *testing.T, s *Store, ref string, readable bool) assistants.Upstream {
	t.Helper()
	u, err := s.Upstream(t.Context(), "t", ref)
	if err != nil {
		t.Fatal(err)
	}
	if u.Readable() != readable || readable && (u.APIKey.Reveal() != canaryKey || u.Headers["X-Team"].Reveal() != canaryHeader) {
		t.Errorf("%s is readable: %v, want %v", ref, u.Readable(), readable)
	}
	if !u.APIKey.Set() || !u.Headers["X-Team"].Set() {
		t.Errorf("%s has lost its secrets", ref)
	}
	return u
}

// Someone who steals the file, its log and its backups finds no secret.
func TestNoByteOfTheDatabaseShowsAStoredSecret(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, "sqlite:"+filepath.Join(dir, "footnote.db"), Options{})
	u := canaryUpstream("t", "far")
	if err := s.CreateUpstream(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	_, err := s.UpdateUpstream(t.Context(), "t", u.ID, func(u *assistants.Upstream) error {
		u.APIKey = assistants.NewSecret(canaryKey + "2")
		u.Headers["X-Team"] = assistants.NewSecret(canaryHeader + "2")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := false
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		seen = seen || bytes.Contains(content, []byte("https://far.example/v1"))
		for _, secret := range []string{canaryKey, canaryHeader} {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s holds %s", filepath.Base(path), secret)
			}
		}
		return err
	})
	if err != nil || !seen {
		t.Errorf("the address was seen: %v, %v", seen, err)
	}
}

func TestEqualSecretsAreStoredAsDifferentBytes(t *testing.T) {
	eachDatabase(t, equalSecretsTest)
}

func equalSecretsTest(t *testing.T, url string) {
	s := openTest(t, url, Options{})
	seen := map[string]bool{}
	for _, name := range []string{"a", "b", "c"} {
		if err := s.CreateUpstream(t.Context(), canaryUpstream("t", name)); err != nil {
			t.Fatal(err)
		}
		var row upstreamRow
		if err := s.gorm.Where("tenant_id = ? AND name = ?", "t", name).Take(&row).Error; err != nil {
			t.Fatal(err)
		}
		for _, sealed := range []string{row.APIKey, row.Headers["X-Team"]} {
			if seen[sealed] || !strings.HasPrefix(sealed, sealVersion) || strings.Contains(sealed, "canary") {
				t.Errorf("stored as %q", sealed)
			}
			seen[sealed] = true
		}
	}
}

func TestASecretIsReadOnlyWhereItWasStored(t *testing.T) {
	s := openTest(t, "sqlite::memory:", Options{})
	mine, other, theirs := canaryUpstream("t", "mine"), canaryUpstream("t", "other"), canaryUpstream("u", "theirs")
	for _, u := range []assistants.Upstream{mine, other, theirs} {
		if err := s.CreateUpstream(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		what  string
		moved string
	}{
		{"from another row", "UPDATE upstreams SET api_key = (SELECT api_key FROM upstreams WHERE name = 'other') WHERE name = 'mine'"},
		{"from another tenant", "UPDATE upstreams SET api_key = (SELECT api_key FROM upstreams WHERE name = 'theirs') WHERE name = 'mine'"},
		{"from another column", "UPDATE upstreams SET api_key = json_extract(headers, '$.X-Team') WHERE name = 'mine'"},
		{"to another header", `UPDATE upstreams SET headers = replace(headers, 'X-Team', 'X-Echo') WHERE name = 'mine'`},
		{"cut", "UPDATE upstreams SET api_key = substr(api_key, 1, 30) WHERE name = 'mine'"},
		{"emptied", "UPDATE upstreams SET api_key = 'v1:' WHERE name = 'mine'"},
		{"in the clear", "UPDATE upstreams SET api_key = 'sk-plain' WHERE name = 'mine'"},
		{"of a later format", "UPDATE upstreams SET api_key = 'v2:' || substr(api_key, 4) WHERE name = 'mine'"},
		{"to another tenant", "UPDATE upstreams SET tenant_id = 'v' WHERE name = 'mine'"},
	} {
		t.Run(c.what, func(t *testing.T) {
			undo := errors.New("undo")
			err := s.gorm.Transaction(func(tx *gorm.DB) error {
				if err := tx.Exec(c.moved).Error; err != nil {
					return err
				}
				var row upstreamRow
				if err := tx.Where("name = ?", "mine").Take(&row).Error; err != nil {
					return err
				}
				if u := s.upstream(row); u.Readable() {
					t.Errorf("it is read: %q, %q", u.APIKey.Reveal(), u.Headers)
				}
				return undo
			})
			if !errors.Is(err, undo) {
				t.Fatal(err)
			}
		})
	}
	wantReadable(t, s, "mine", true)
}

func TestWithAnotherKeySecretsWaitForTheirOwnOrForOthers(t *testing.T) {
	eachDatabase(t, changedKeyTest)
}

func changedKeyTest(t *testing.T, url string) {
	with := func(key byte) *Store {
		return openTest(t, url, Options{SecretKey: bytes.Repeat([]byte{key}, 32)})
	}
	count := func(s *Store, want int) {
		t.Helper()
		if n, err := s.UnreadableUpstreams(t.Context()); err != nil || n != want {
			t.Errorf("%d unreadable, %v, want %d", n, err, want)
		}
	}
	first := with(1)
	for _, name := range []string{"a", "b"} {
		if err := first.CreateUpstream(t.Context(), canaryUpstream("t", name)); err != nil {
			t.Fatal(err)
		}
	}
	bare := canaryUpstream("u", "bare")
	bare.APIKey, bare.Headers = assistants.Secret{}, nil
	if err := first.CreateUpstream(t.Context(), bare); err != nil {
		t.Fatal(err)
	}
	count(first, 0)

	second := with(2)
	count(second, 2)
	a := wantReadable(t, second, "a", false)
	if a.APIKey.Reveal() != "" {
		t.Error("a sealed secret reveals something")
	}
	b := wantReadable(t, second, "b", false)
	store := func(id assistants.UpstreamID, change func(*assistants.Upstream)) {
		t.Helper()
		if _, err := second.UpdateUpstream(t.Context(), "t", id, func(u *assistants.Upstream) error { change(u); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	store(a.ID, func(u *assistants.Upstream) { u.Name = "renamed" })
	wantReadable(t, first, "renamed", true) // what could not be read was kept
	store(b.ID, func(u *assistants.Upstream) { u.APIKey = assistants.NewSecret(canaryKey) })
	wantReadable(t, second, "b", false) // the header is sealed still
	store(b.ID, func(u *assistants.Upstream) { u.Headers["X-Team"] = assistants.NewSecret(canaryHeader) })
	wantReadable(t, second, "b", true)
	count(second, 1)
	wantReadable(t, first, "b", false)
}

func TestAStoreWithoutAKeyKeepsNoSecretInTheClear(t *testing.T) {
	s, err := Open(t.Context(), "sqlite::memory:", Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.CreateUpstream(t.Context(), canaryUpstream("t", "a")); !errors.Is(err, errNoSealKey) {
		t.Errorf("stored: %v", err)
	}
	for _, key := range [][]byte{{}, make([]byte, 16), make([]byte, 33)} {
		if _, err := Open(t.Context(), "sqlite::memory:", Options{SecretKey: key}); err == nil {
			t.Errorf("a key of %d bytes is taken", len(key))
		}
	}
}
