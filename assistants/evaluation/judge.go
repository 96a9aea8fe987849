package evaluation

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// A Source is a passage that was found, in the order in which it was given.
type Source struct {
	Document string
	Page     int // of its first character; 0: unknown
	PageEnd  int
	Text     string
}

// A Retrieved is the result of a retrieval.
type Retrieved struct {
	Sources  []Source
	Mode     string             // the search mode that ran
	StagesMS map[string]float64 // by stage
	MS       float64            // the whole retrieval, as the server measured it
}

// An Answered holds the sources and citations of a chat answer.
type Answered struct {
	Status   string
	Sources  []Source
	Cited    []Cite // by marker, in order of the text
	Invalid  int    // how many cited numbers have no source
	Coverage *float64
	MS       float64 // from the request to the end of the answer, as the client measured it
	// Judgement compares the answer with the expected one; nil: nobody was asked.
	Judgement *Judgement
	// Citing compares the answer with one without citations; nil: that was not asked for.
	Citing *CitedAndNot
}

// A Cite is a source that a marker refers to.
type Cite struct {
	Source  int    // place in Sources
	Page    int    // of the quote that carries the claim; 0: there is none
	Support string // supported, weak, unsupported or ""
}

// judged is a gold question, prepared for comparisons.
type judged struct {
	Question
	answers []Expected // with the keys of the documents as names
	passage []string
	gram    int // length of the pieces of the passage
}

func judge(q Question) judged {
	passage := letters(q.Passage)
	gram := min(gramLength, len(passage)) // a short passage is one piece, to be found whole
	answers := q.Expected()
	for i := range answers {
		answers[i].Document = documentKey(answers[i].Document)
	}
	return judged{Question: q, answers: answers, passage: grams(passage, gram), gram: gram}
}

// documentKey returns the form of a document's name that is compared: without
// folders and extension, in lower case.
func documentKey(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	if ext := path.Ext(name); len(ext) > 1 && len(ext) <= 6 && !strings.ContainsAny(ext, " ") {
		name = strings.TrimSuffix(name, ext)
	}
	return strings.ToLower(name)
}

func (j judged) isDocument(s Source) bool {
	key := documentKey(s.Document)
	return slices.ContainsFunc(j.answers, func(e Expected) bool { return e.Document == key })
}

// knowsPages reports whether the question says which pages answer.
func (j judged) knowsPages() bool {
	return slices.ContainsFunc(j.answers, func(e Expected) bool { return len(e.Pages) > 0 })
}

// isPage reports whether a source touches a page that answers.
func (j judged) isPage(s Source) bool {
	key := documentKey(s.Document)
	return s.Page > 0 && slices.ContainsFunc(j.answers, func(e Expected) bool {
		return e.Document == key && slices.ContainsFunc(e.Pages, func(p int) bool {
			return p >= s.Page && p <= max(s.Page, s.PageEnd)
		})
	})
}

// passageShare is how much of the gold passage a source must contain to count. A
// passage may continue in the next chunk, and two programs never read every
// character of a page alike.
const passageShare = 0.6

func (j judged) isPassage(s Source) bool {
	if len(j.passage) == 0 || !j.isDocument(s) {
		return false
	}
	present := map[string]bool{}
	for _, g := range grams(letters(s.Text), j.gram) {
		present[g] = true
	}
	found := 0
	for _, g := range j.passage {
		if present[g] {
			found++
		}
	}
	return float64(found) >= passageShare*float64(len(j.passage))
}

// gramLength is the length of the pieces of a passage, in letters and digits.
const gramLength = 8

// letters returns the letters and digits of a text in lower case. Hyphens at line
// ends, white space and quotation marks then make no difference.
func letters(text string) []rune {
	var out []rune
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = append(out, unicode.ToLower(r))
		}
	}
	return out
}

// grams returns all substrings of a length.
func grams(letters []rune, length int) []string {
	if length == 0 || len(letters) < length {
		return nil
	}
	out := make([]string, 0, len(letters)-length+1)
	for i := 0; i+length <= len(letters); i++ {
		out = append(out, string(letters[i:i+length]))
	}
	return out
}

// rank returns the position of the first matching source, from 1; 0 if there is none.
func rank(sources []Source, is func(Source) bool) int { return slices.IndexFunc(sources, is) + 1 }
