package retrieval

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/lexical"
)

// This file completes follow-up questions without a model: "and in 2023?", "does it
// also hold for trainees?", "und für Azubis?". Such a question leans on earlier
// turns, so it is searched with their words too. A question that can be understood
// alone is searched without them, or passages of the old topic would come back. Short
// questions without any sign of either are searched both ways, and each way counts half.

// The share of a score that comes from the completed question.
const (
	leansWholly = 1.0
	leansHalf   = 0.5
)

// Bounds of what is taken from earlier turns.
const (
	maxTurnsBack = 3   // earlier questions that are used
	maxCarried   = 600 // bytes of each turn
	maxAnswered  = 300 // bytes of an answer
)

// A carried context is what earlier turns add to a question.
type carried struct {
	text  string
	terms []string // of context and question together
}

// leaningOn returns how far a question leans on the turns before it, 0–1, and what
// they add to it.
func leaningOn(question string, terms []string, before []Turn) (c carried, lean float64) {
	asked := questionsOf(before)
	if len(asked) == 0 {
		return c, 0
	}
	signs := signsOf(question, languageOf(question, asked))
	switch {
	case signs.change:
		return c, 0
	case len(terms) == 0, signs.opening, signs.pronoun && len(terms) <= 6:
		lean = leansWholly
	case signs.pronoun, len(terms) <= 2:
		lean = leansHalf
	default:
		return c, 0
	}
	var parts []string
	for back := 0; back < min(maxTurnsBack, len(asked)); back++ {
		turn := asked[len(asked)-1-back]
		parts = append(parts, clipTo(turn, maxCarried))
		own := lexical.QueryTerms(turn)
		s := signsOf(turn, languageOf(turn, asked))
		if len(own) > 2 && !s.opening && !s.pronoun || len(own) > 0 && back+1 < len(asked) && !leans(turn, own, asked) {
			break // it can be understood alone, so the turns before it are another topic
		}
	}
	slices.Reverse(parts)
	text := strings.Join(parts, "\n")
	if signs.pronoun {
		if names := namesIn(lastAnswer(before)); names != "" {
			text += "\n" + names
		}
	}
	c.text = withoutSuperseded(text, question)
	c.terms = lexical.QueryTerms(question + "\n" + c.text)
	if len(c.terms) == 0 {
		return c, 0
	}
	return c, lean
}

// leans reports whether an earlier question leaned on those before it.
func leans(turn string, terms []string, asked []string) bool {
	s := signsOf(turn, languageOf(turn, asked))
	return len(terms) == 0 || s.opening || s.pronoun || len(terms) <= 1
}

// questionsOf are the texts of the user's turns.
func questionsOf(turns []Turn) []string {
	var asked []string
	for _, t := range turns {
		if text := strings.TrimSpace(t.Text); t.Role == RoleUser && text != "" {
			asked = append(asked, text)
		}
	}
	return asked
}

func lastAnswer(turns []Turn) string {
	for _, t := range slices.Backward(turns) {
		if t.Role == RoleAssistant {
			return clipTo(t.Text, maxAnswered)
		}
	}
	return ""
}

// clipTo cuts a text to at most limit bytes, between words.
func clipTo(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	cut := strings.LastIndexFunc(text[:limit], unicode.IsSpace)
	if cut <= 0 {
		cut = limit
	}
	return strings.ToValidUTF8(text[:cut], "")
}

// namesIn returns the names of several words in a text, such as "Jane Smith", which
// a later pronoun may stand for. A single capitalised word is not taken for a name:
// it may begin a sentence, and in German it may be any noun.
func namesIn(text string) string {
	var names, name []string
	flush := func() {
		if len(name) > 1 && len(names) < 2 {
			names = append(names, strings.Join(name, " "))
		}
		name = nil
	}
	for _, field := range strings.Fields(text) {
		word := strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		first, _ := utf8.DecodeRuneInString(word)
		if !unicode.IsUpper(first) || smallWords[strings.ToLower(word)] {
			flush()
			continue
		}
		name = append(name, word)
		if !strings.HasSuffix(field, word) { // punctuation ends it
			flush()
		}
	}
	flush()
	return strings.Join(names, ", ")
}

// withoutSuperseded removes the years from the earlier turns if the question names a
// year, and their other numbers if it names a number: "and in 2023?" asks for 2023
// in place of 2022.
func withoutSuperseded(text, question string) string {
	years, others := false, false
	for _, field := range wordsOf(question) {
		switch numberKind(field) {
		case aYear:
			years = true
		case anotherNumber:
			others = true
		}
	}
	if !years && !others {
		return text
	}
	var kept strings.Builder
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && !isSpace(text[j]) {
			j++
		}
		field := text[i:j]
		word := strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if kind := numberKind(word); kind == aYear && years || kind == anotherNumber && others {
			field = strings.Replace(field, word, "", 1)
		}
		kept.WriteString(field)
		for ; j < len(text) && isSpace(text[j]); j++ {
			kept.WriteByte(text[j])
		}
		i = j
	}
	return kept.String()
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

const (
	noNumber = iota
	aYear
	anotherNumber
)

func numberKind(word string) int {
	digits := 0
	for _, r := range word {
		if r >= '0' && r <= '9' {
			digits++
		} else if unicode.IsLetter(r) {
			return noNumber
		}
	}
	switch {
	case digits == 0:
		return noNumber
	case digits == 4 && len(word) == 4 && (word[0] == '1' && word[1] >= '8' || word[0] == '2' && word[1] <= '1'):
		return aYear
	default:
		return anotherNumber
	}
}

// wordsOf returns the words of a text in lower case, without punctuation except dots.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '.' || r == '\''
	})
}

// signs show whether a question is a follow-up.
type signs struct {
	change  bool // it says that it is about something else
	opening bool // "and …", "what about …"
	pronoun bool // a word for something named before
}

// signsOf looks for signs in a question of a language.
func signsOf(question string, lang language) signs {
	words := wordsOf(question)
	for i := range words {
		words[i] = strings.Trim(words[i], ".")
	}
	v := vocabulary[lang]
	var s signs
	for _, opening := range v.openings {
		if begins(words, opening) {
			s.opening = true
		}
	}
	for _, change := range v.changes {
		for i := range min(len(words), changeWithin) {
			s.change = s.change || begins(words[i:], change)
		}
	}
	for i, word := range words {
		if slices.ContainsFunc(v.endings, func(end string) bool { return strings.HasSuffix(word, end) && len(word) > len(end)+1 }) {
			s.pronoun = true
		}
		if !v.pronouns[word] {
			continue
		}
		if rule, ok := pronounRules[lang][word]; ok && !rule(words, i) {
			continue
		}
		if word == "sie" && formal(question, i) {
			continue // "Sie" addresses the reader
		}
		s.pronoun = true
	}
	return s
}

// changeWithin is how many words at the beginning of a question may say that the
// subject changes.
const changeWithin = 6

func begins(words, opening []string) bool {
	return len(words) >= len(opening) && slices.Equal(words[:len(opening)], opening)
}

// formal reports whether word i of a question is capitalised without being the
// first word. The German "Sie" then addresses the reader.
func formal(question string, i int) bool {
	if i == 0 {
		return false
	}
	n := 0
	for _, field := range strings.FieldsFunc(question, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.'
	}) {
		if n == i {
			r, _ := utf8.DecodeRuneInString(field)
			return unicode.IsUpper(r)
		}
		n++
	}
	return false
}

// languageOf returns the language of a question or, if its words do not show it, that of the
// questions before it.
func languageOf(question string, asked []string) language {
	if lang, ok := shownBy(question); ok {
		return lang
	}
	for _, turn := range slices.Backward(asked) {
		if lang, ok := shownBy(turn); ok {
			return lang
		}
	}
	return english
}

// shownBy returns the language that the words of a text show, if its follow-up questions are known.
func shownBy(text string) (lang language, ok bool) {
	code, isShown := lexical.QuestionLanguage(text)
	at := slices.Index(languageCodes[:], code)
	return language(at), isShown && at >= 0
}
