package assistants

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/lexical"
)

// A Profile says what a document is, so that a question can choose among documents that
// look alike. Reading a document makes it; people can change it.
type Profile struct {
	Title    string   `json:"title,omitempty"`
	Years    []int    `json:"years,omitempty"`    // that it is about
	Periods  []string `json:"periods,omitempty"`  // such as "Q3 2024"
	Kind     string   `json:"kind,omitempty"`     // such as "contract"
	Language string   `json:"language,omitempty"` // code of ISO 639-1
	Subjects []string `json:"subjects,omitempty"` // companies, people and products that it is about
	// Abbreviations are those that it defines, as lines of synonyms: "FCF, free cash flow".
	Abbreviations []string `json:"abbreviations,omitempty"`
	// Unread is how many of the document's pages could not be read. It is stored with the
	// profile, because both are what reading a version has shown. See [Document.Notice].
	Unread int `json:"unread,omitempty"`
}

// Bounds of a profile. Lengths are in code points.
const (
	MaxProfileTitle         = 120 // as names in prompts
	MaxProfileKind          = 40
	MaxProfileYears         = 8
	MaxProfilePeriods       = 8
	MaxProfilePeriod        = 40
	MaxProfileSubjects      = 8
	MaxProfileSubject       = 80
	MaxProfileAbbreviations = 40
	FirstProfileYear        = 1900 // questions are not read for earlier ones
	LastProfileYear         = 2099
)

// ProfileEdits are the fields of a profile that people have set. They stay when the
// document is read again. nil fields are as they were read.
type ProfileEdits struct {
	Title         *string   `json:"title,omitempty"`
	Years         *[]int    `json:"years,omitempty"`
	Periods       *[]string `json:"periods,omitempty"`
	Kind          *string   `json:"kind,omitempty"`
	Language      *string   `json:"language,omitempty"`
	Subjects      *[]string `json:"subjects,omitempty"`
	Abbreviations *[]string `json:"abbreviations,omitempty"`
}

// Fields lists the names of the fields that are set.
func (e ProfileEdits) Fields() []string {
	fields := []string{}
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"title", e.Title != nil}, {"years", e.Years != nil}, {"periods", e.Periods != nil},
		{"kind", e.Kind != nil}, {"language", e.Language != nil}, {"subjects", e.Subjects != nil}, {"abbreviations", e.Abbreviations != nil},
	} {
		if f.set {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// Apply returns a profile with the fields that are set.
func (e ProfileEdits) Apply(p Profile) Profile {
	return Profile{
		Title: *cmp.Or(e.Title, &p.Title), Years: *cmp.Or(e.Years, &p.Years), Periods: *cmp.Or(e.Periods, &p.Periods),
		Kind: *cmp.Or(e.Kind, &p.Kind), Language: *cmp.Or(e.Language, &p.Language), Subjects: *cmp.Or(e.Subjects, &p.Subjects), Abbreviations: *cmp.Or(e.Abbreviations, &p.Abbreviations),
		Unread: p.Unread,
	}
}

var languageCode = regexp.MustCompile(`^[a-z]{2,3}$`)

// Check checks the fields that are set. Its error is a [FieldError].
func (e ProfileEdits) Check() error {
	invalid := func(field, format string, args ...any) error {
		return &FieldError{Field: "profile." + field, Message: fmt.Sprintf(format, args...)}
	}
	if t := e.Title; t != nil && *t != "" && !isLine(*t, MaxProfileTitle) {
		return invalid("title", "title is one line of at most %d visible characters.", MaxProfileTitle)
	}
	if k := e.Kind; k != nil && *k != "" && !isLine(*k, MaxProfileKind) {
		return invalid("kind", "kind is one line of at most %d visible characters.", MaxProfileKind)
	}
	if l := e.Language; l != nil && *l != "" && !languageCode.MatchString(*l) {
		return invalid("language", "language is a code such as \"en\".")
	}
	if e.Years != nil {
		if len(*e.Years) > MaxProfileYears {
			return invalid("years", "A profile has at most %d years.", MaxProfileYears)
		}
		for _, y := range *e.Years {
			if y < FirstProfileYear || y > LastProfileYear {
				return invalid("years", "years are numbers from %d to %d.", FirstProfileYear, LastProfileYear)
			}
		}
	}
	for _, list := range []struct {
		name         string
		lines        *[]string
		most, length int
	}{{"periods", e.Periods, MaxProfilePeriods, MaxProfilePeriod}, {"subjects", e.Subjects, MaxProfileSubjects, MaxProfileSubject}} {
		if list.lines == nil {
			continue
		}
		if len(*list.lines) > list.most {
			return invalid(list.name, "A profile has at most %d %s.", list.most, list.name)
		}
		for _, line := range *list.lines {
			if !isLine(line, list.length) {
				return invalid(list.name, "%s are lines of 1 to %d visible characters.", list.name, list.length)
			}
		}
	}
	if e.Abbreviations == nil {
		return nil
	}
	if len(*e.Abbreviations) > MaxProfileAbbreviations {
		return invalid("abbreviations", "A profile has at most %d abbreviations.", MaxProfileAbbreviations)
	}
	for i, line := range *e.Abbreviations {
		if _, err := ParseAbbreviation(line); err != nil {
			return invalid("abbreviations", "abbreviations: line %d %s.", i+1, err)
		}
		if !isLine(line, MaxSynonymLine) || strings.ContainsRune(line, ';') {
			return invalid("abbreviations", "abbreviations are lines of at most %d visible characters without semicolons.", MaxSynonymLine)
		}
	}
	return nil
}

// Tidied returns the edits without spaces around texts, without repetitions, and with a
// kind as questions ask for it.
func (e ProfileEdits) Tidied() ProfileEdits {
	for _, text := range []**string{&e.Title, &e.Kind, &e.Language} {
		if *text != nil {
			trimmed := strings.TrimSpace(**text)
			*text = &trimmed
		}
	}
	if e.Kind != nil {
		kind := askedKind(*e.Kind)
		e.Kind = &kind
	}
	for _, lines := range []**[]string{&e.Periods, &e.Subjects, &e.Abbreviations} {
		if *lines != nil {
			once := onceEach(**lines, func(line string) (kept, key string) { kept = strings.TrimSpace(line); return kept, FoldName(kept) })
			*lines = &once
		}
	}
	if e.Years != nil {
		once := onceEach(*e.Years, func(year int) (kept, key int) { return year, year })
		e.Years = &once
	}
	return e
}

// askedKind returns the kind that a text names ("Vertrag" is "contract"), or else the text
// in lower case.
func askedKind(text string) string {
	if kinds := lexical.Kinds(text); len(kinds) > 0 {
		return kinds[0]
	}
	return strings.ToLower(text)
}

// onceEach returns what tidy makes of the items, those with the same key once.
func onceEach[T, K comparable](items []T, tidy func(T) (kept T, key K)) []T {
	once, seen := make([]T, 0, len(items)), map[K]bool{}
	for _, item := range items {
		kept, key := tidy(item)
		if !seen[key] {
			once = append(once, kept)
		}
		seen[key] = true
	}
	return once
}

// isLine reports whether a text is one line that is not blank or too long.
func isLine(text string, most int) bool {
	return utf8.ValidString(text) && strings.TrimSpace(text) != "" && utf8.RuneCountInString(text) <= most && !strings.ContainsFunc(text, unicode.IsControl) && !strings.ContainsFunc(text, Hidden)
}

// Hidden reports whether a character of a profile would not be seen, or would change
// the text around it: it is invisible, changes the direction of text or ends a line.
func Hidden(r rune) bool { return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) }
