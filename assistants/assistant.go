package assistants

import (
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// An Assistant is settings and documents behind a name. Its slug is unique
// within the tenant and names it as an OpenAI model. Its own collection holds
// the documents uploaded to it.
type Assistant struct {
	ID           AssistantID
	TenantID     TenantID
	Slug         string
	Name         string
	CollectionID CollectionID
	Settings     Settings
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// MaxSlug is the longest slug, in bytes.
const MaxSlug = 64

// MaxName is the longest name of an assistant, a document or a key, in code points.
const MaxName = 255

// Slugify derives a slug ([a-z0-9-]{1,64}) from a name. Letters lose their
// accents. The slug is empty when the name has no ASCII letter or digit.
func Slugify(name string) string {
	var b strings.Builder
	dash := false
	for _, r := range norm.NFKD.String(strings.ToLower(name)) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(r)
		default:
			dash = true
		}
		if b.Len() >= MaxSlug {
			break
		}
	}
	return strings.Trim(b.String()[:min(b.Len(), MaxSlug)], "-")
}

// CheckSlug reports how slug breaks the rule [a-z0-9-]{1,64}, as a [FieldError] on "slug".
func CheckSlug(slug string) error {
	ok := slug != "" && len(slug) <= MaxSlug
	for i := 0; i < len(slug) && ok; i++ {
		c := slug[i]
		ok = c == '-' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
	}
	if !ok {
		return &FieldError{Field: "slug", Message: "A slug has 1 to 64 characters out of a-z, 0-9 and '-'."}
	}
	return nil
}

// CheckName reports how a name breaks the rule for names, as a [FieldError] on field: the
// rule of [CheckText], and no characters that set the direction of the text around a name.
func CheckName(field, name string) error {
	if err := CheckText(field, name); err != nil {
		return err
	}
	if strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }) {
		return &FieldError{Field: field, Message: "A name must not contain characters that change the direction of text."}
	}
	return nil
}

// CheckText reports how a short text that is searched breaks its rule (1 to 255 code
// points, not only white space, no control characters), as a [FieldError] on field.
func CheckText(field, name string) error {
	if strings.TrimSpace(name) == "" {
		return &FieldError{Field: field, Message: "A name must not be empty."}
	}
	n := 0
	for _, r := range name {
		if n++; n > MaxName {
			return &FieldError{Field: field, Message: "A name has at most 255 characters."}
		}
		if unicode.IsControl(r) {
			return &FieldError{Field: field, Message: "A name must not contain control characters."}
		}
	}
	return nil
}

// NamesAssistant reports whether s has the form of an assistant's id or slug.
func NamesAssistant(s string) bool { return IsID("asst_", s) || CheckSlug(s) == nil }

// FoldName returns a name as searches and lists compare it: without the
// difference of upper and lower case in any script ("STRASSE" is "straße"), and
// with accents in one form. It works the same on every database, because the
// databases' own functions know different letters.
func FoldName(name string) string { return norm.NFC.String(cases.Fold().String(norm.NFC.String(name))) }
