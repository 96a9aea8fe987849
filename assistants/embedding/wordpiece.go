package embedding

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// longestWord is the largest number of characters of a word that is looked up.
// A longer word counts as unknown.
const longestWord = 100

// A vocabulary cuts texts into word pieces as BERT's uncased tokenizer does:
// it removes control characters and accents and lower-cases letters. Words end at
// white space; punctuation and CJK characters are words of their own. From its
// beginning, each word is cut into the longest pieces that fit; "##" marks a
// piece that continues a word.
type vocabulary struct {
	pieces              map[string]int32
	unknown, begin, end int32
	size                int // the number of pieces
	longest             int // bytes of the longest one
}

// newVocabulary reads one piece per line. A piece's id is the number of its line, from 0.
func newVocabulary(text string) (*vocabulary, error) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	v := &vocabulary{pieces: make(map[string]int32, len(lines)), size: len(lines)}
	for i, piece := range lines {
		piece = strings.TrimRight(piece, "\r")
		v.pieces[piece] = int32(i)
		v.longest = max(v.longest, len(piece))
	}
	for name, id := range map[string]*int32{"[UNK]": &v.unknown, "[CLS]": &v.begin, "[SEP]": &v.end} {
		found, ok := v.pieces[name]
		if !ok {
			return nil, fmt.Errorf("the vocabulary lacks %s: %w", name, errVocabulary)
		}
		*id = found
	}
	return v, nil
}

var errVocabulary = errors.New("no vocabulary of a BERT model")

// A tally counts how many words of a text the English model knows. Punctuation
// and numbers do not count as words: every vocabulary can spell them. Words of
// other scripts count as unknown, because the vocabulary has only their letters.
type tally struct {
	words int
	known float64 // each word's share: 1 when it is one piece, 1/n when n, 0 when unknown
}

// share is how much of a text the model knows, 0–1. It is 1 for a text without
// words.
func (t tally) share() float64 {
	if t.words == 0 {
		return 1
	}
	return t.known / float64(t.words)
}

// trust is how far the model's vector of a question can be trusted, 0–1. The model
// knows nine words of ten of an English question and two of three of a German one,
// which it compares hardly better than by chance. That is why the share is cubed.
func (t tally) trust() float64 {
	share := t.share()
	return share * share * share
}

// cut returns the pieces of a text, without those that begin and end it. It
// stops when it has limit pieces, however long the text is.
func (v *vocabulary) cut(text string, limit int) ([]int32, tally) {
	c := cutter{vocabulary: v, ids: make([]int32, 0, min(limit, 64+len(text)/4))}
	if isASCII(text) {
		for i := 0; i < len(text) && len(c.ids) < limit; i++ {
			c.character(rune(text[i]))
		}
	} else {
		// The iterator decomposes step by step, so that only what is read is decomposed.
		var parts norm.Iter
		parts.InitString(norm.NFD, text)
		for !parts.Done() && len(c.ids) < limit {
			for part := parts.Next(); len(part) > 0; {
				r, size := utf8.DecodeRune(part)
				part = part[size:]
				c.character(r)
			}
		}
	}
	c.endWord()
	if len(c.ids) > limit {
		c.ids = c.ids[:limit]
	}
	return c.ids, c.tally
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// A cutter cuts one text into pieces.
type cutter struct {
	*vocabulary
	ids     []int32
	tally   tally
	word    []byte // the part of the current word that was read
	letters int    // number of its characters
	spelled bool   // it has a letter
	foreign bool   // it has a letter that is not Latin
}

// character reads the next character of the text.
func (c *cutter) character(r rune) {
	switch {
	case r == ' ' || r == '\t' || r == '\n' || r == '\r':
		c.endWord()
	case isDropped(r):
	case r > unicode.MaxASCII && unicode.IsSpace(r):
		c.endWord()
	case isPunctuation(r):
		c.endWord()
		c.add(r)
		c.endWord()
	case isIdeograph(r):
		c.endWord()
		c.add(r)
		c.note(r)
		c.endWord()
	default:
		c.add(unicode.ToLower(r))
		c.note(r)
	}
}

// note records whether the word has letters, and letters of another script.
func (c *cutter) note(r rune) {
	if unicode.IsLetter(r) {
		c.spelled = true
		c.foreign = c.foreign || r > unicode.MaxASCII && !unicode.Is(unicode.Latin, r)
	}
}

// add appends to the word, unless the word is too long to be looked up.
func (c *cutter) add(r rune) {
	if c.letters++; c.letters <= longestWord {
		c.word = utf8.AppendRune(c.word, r)
	}
}

// endWord appends the pieces of the word that was read.
func (c *cutter) endWord() {
	if c.letters == 0 {
		return
	}
	before := len(c.ids)
	known := c.letters <= longestWord && c.match()
	if !known {
		c.ids = append(c.ids[:before], c.unknown)
	}
	if c.spelled {
		c.tally.words++
		if known && !c.foreign {
			c.tally.known += 1 / float64(len(c.ids)-before)
		}
	}
	c.word, c.letters, c.spelled, c.foreign = c.word[:0], 0, false, false
}

// match appends the longest pieces that make up the word; false when none do.
func (c *cutter) match() bool {
	var buffer [4*longestWord + 2]byte
	for start := 0; start < len(c.word); {
		prefix := 0
		if start > 0 {
			prefix = copy(buffer[:], "##")
		}
		end := min(len(c.word), start+c.longest)
		copy(buffer[prefix:], c.word[start:end])
		id, found := int32(0), false
		for ; end > start; end-- {
			if id, found = c.pieces[string(buffer[:prefix+end-start])]; found {
				break
			}
		}
		if !found {
			return false
		}
		c.ids = append(c.ids, id)
		start = end
	}
	return true
}

// isDropped reports whether the tokenizer ignores a character: control and format
// characters, unassigned ones, and accents.
func isDropped(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return r == utf8.RuneError || unicode.Is(unicode.Mn, r) ||
		!unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z)
}

// isPunctuation reports whether a character is punctuation in Unicode, or any
// symbol of ASCII.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
	}
	return unicode.IsPunct(r)
}

// isIdeograph reports whether a character is in one of the blocks whose characters
// BERT treats as words.
func isIdeograph(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2CEAF || r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}
