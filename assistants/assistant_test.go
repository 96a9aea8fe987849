package assistants

import (
	"strings"
	"testing"
	"time"
)

func TestSlugify(t *testing.T) {
	for name, want := range map[string]string{
		"Handbook":                 "handbook",
		"  HR & Legal -- 2026 ":    "hr-legal-2026",
		"Größe":                    "gro-e",
		"Ünïcödé Namé":             "unicode-name",
		"日本語":                      "",
		strings.Repeat("abc ", 40): strings.Trim(strings.Repeat("abc-", 16), "-"),
	} {
		got := Slugify(name)
		if got != want {
			t.Errorf("Slugify(%q) = %q, want %q", name, got, want)
		}
		if got != "" && CheckSlug(got) != nil {
			t.Errorf("Slugify(%q) gives %q, which CheckSlug refuses", name, got)
		}
	}
}

func TestNamesAndSlugsAreChecked(t *testing.T) {
	for _, bad := range []string{"", "Upper", "with space", "a/b", strings.Repeat("a", 65), "ä"} {
		if CheckSlug(bad) == nil {
			t.Errorf("slug %q passes", bad)
		}
	}
	for _, bad := range []string{"", "  ", "a\nb", "a\x00", strings.Repeat("é", 256)} {
		if CheckName("name", bad) == nil {
			t.Errorf("name %q passes", bad)
		}
	}
	if err := CheckName("name", strings.Repeat("é", 255)); err != nil {
		t.Error(err)
	}
}

func TestIDsHavePrefixesAndChunkIDsAreRepeatable(t *testing.T) {
	d := NewDocumentID()
	if !strings.HasPrefix(string(d), "doc_") || d == NewDocumentID() {
		t.Error(d)
	}
	a := NewChunkID(d, 1, 2)
	if a != NewChunkID(d, 1, 2) || a == NewChunkID(d, 2, 1) || !strings.HasPrefix(string(a), "chunk_") {
		t.Error(a)
	}
}

func TestKeysLiveUntilRevokedOrExpired(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	k := Key{Scopes: []Scope{ScopeChat}}
	if !k.Alive(now) || !k.Has(ScopeChat) || k.Has(ScopeAdmin) || !k.MaySee("asst_x") {
		t.Error("a plain key")
	}
	k.ExpiresAt = &now
	if k.Alive(now) || !k.Alive(now.Add(-time.Second)) {
		t.Error("expiry")
	}
	k = Key{RevokedAt: &now, Scopes: []Scope{ScopeAdmin}, Assistants: []AssistantID{}}
	if k.Alive(now) || !k.Has(ScopeSearch) || k.MaySee("asst_x") {
		t.Error("a revoked admin key bound to nothing")
	}
}
