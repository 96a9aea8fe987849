package pdf

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// knownWords finds which words of running lines also occur elsewhere. It gets the
// words first, so that it need not keep all the text.
type knownWords struct {
	known   map[string]bool // the pieces to look for: whether each was found
	longest int             // of the pieces
}

func newKnownWords() *knownWords {
	return &knownWords{known: make(map[string]bool)}
}

// ask adds pieces to look for.
func (k *knownWords) ask(pieces []string) {
	for _, piece := range pieces {
		if _, ok := k.known[piece]; !ok {
			k.known[piece] = false
			k.longest = max(k.longest, len(piece))
		}
	}
}

func (r *marginRow) ask(k *knownWords) {
	for _, m := range r.parts {
		k.ask(m.pieces())
	}
}

// read looks for the pieces in a text. A piece is found as a single word, or at the
// beginning of the text, where numbers are skipped.
func (k *knownWords) read(text string) {
	start := ""
	for _, w := range plainWords(text) {
		k.find(w)
		if !isNumeral(w) && len(start) < k.longest {
			start += w
			k.find(start)
		}
	}
}

func (k *knownWords) find(piece string) {
	if found, asked := k.known[piece]; asked && !found {
		k.known[piece] = true
	}
}

// containsAll reports whether there are pieces and the document contains all of them.
func (k *knownWords) containsAll(pieces []string) bool {
	for _, piece := range pieces {
		if !k.known[piece] {
			return false
		}
	}
	return len(pieces) > 0
}

// readHeads reads the headings: lines in larger or bolder type than the body text.
func (k *knownWords) readHeads(pages []pageLayout, body float64, bold bool) {
	k.readLines(pages, func(l *textLine) bool { return l.size > 1.1*body || l.bold && !bold })
}

func (k *knownWords) readLines(pages []pageLayout, fits func(*textLine) bool) {
	if len(k.known) == 0 {
		return
	}
	for i := range pages {
		for _, b := range pages[i].blocks {
			var whole strings.Builder
			for j := range b.lines {
				if !fits(&b.lines[j]) {
					continue
				}
				text := b.lines[j].text()
				if j > 0 {
					k.read(text)
					whole.WriteByte(' ')
				}
				whole.WriteString(text)
			}
			k.read(whole.String())
		}
	}
}

// keepFirst keeps the first of equal running lines in the text if their words occur
// nowhere else. Page numbers are not kept.
func keepFirst(pages []pageLayout, found []*marginRow, titles []string) {
	known := newKnownWords()
	for _, r := range found {
		r.ask(known)
	}
	for _, t := range titles {
		known.read(t)
	}
	known.readLines(pages, func(l *textLine) bool { return !l.running })
	for _, r := range found {
		for _, m := range r.parts {
			if m.paged == pagingAlone || known.containsAll(m.pieces()) {
				continue
			}
			r.mark(false)
			for _, l := range r.lines {
				l.foot = r.foot
			}
			for _, piece := range m.pieces() {
				known.find(piece)
			}
		}
	}
}

// pieces are the words of a part, except the page's own number.
func (m marginPart) pieces() []string {
	pieces := piecesOf(m.text)
	if m.paged == pagingLabelled {
		own := strconv.Itoa(m.n)
		pieces = slices.DeleteFunc(pieces, func(s string) bool { return s == own })
	}
	return pieces
}

// piecesOf divides a text at numbers and at ellipses: "CHAPTER 3. GIVING LEA…" is
// "chapter", "3" and "givinglea". Accents are removed, because capitals are often
// written without them.
func piecesOf(text string) []string {
	var out []string
	for half := range strings.SplitSeq(strings.ReplaceAll(text, "...", "…"), "…") {
		piece := ""
		for _, w := range plainWords(half) {
			if isNumeral(w) {
				if piece != "" {
					out = append(out, piece)
				}
				out = append(out, w)
				piece = ""
				continue
			}
			piece += w
		}
		if piece != "" {
			out = append(out, piece)
		}
	}
	return out
}

// isPhrase reports whether a text has two adjacent words that are not numbers, unlike
// "Chapter 3".
func isPhrase(text string) bool {
	words := plainWords(text)
	for i := 1; i < len(words); i++ {
		if !isNumeral(words[i-1]) && !isNumeral(words[i]) {
			return true
		}
	}
	return false
}

func isNumeral(word string) bool { return strings.ContainsFunc(word, unicode.IsNumber) }

// plainWords returns the words of a text in lower case, without accents.
func plainWords(text string) []string {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(text))
	return strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}
