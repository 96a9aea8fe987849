// Package tokens counts tokens and knows how many of them a model reads. The
// chunker and the prompt budget use it.
//
// Counts are those of OpenAI's o200k_base vocabulary, which is embedded; for the
// models of others they are estimates, good to some ten per cent. The package
// imports nothing else of this module.
package tokens

import (
	"fmt"
	"hash/maphash"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// maxPiece is the largest size in bytes of the pieces in which text is counted.
// The encoder takes time in the square of a run of white space, and its memory
// grows with the text; a cut inside of a run costs at most a token or two.
const maxPiece = 1 << 10

// The vocabulary takes milliseconds and megabytes, which a command that never
// counts need not pay.
var codec = sync.OnceValue(func() tokenizer.Codec {
	c, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		panic(fmt.Sprintf("tokens: the embedded vocabulary cannot be read: %v", err)) // a broken build
	}
	return c
})

// Count returns the number of tokens of a text. Its time is linear in the text.
func Count(text string) int { return CountUpTo(text, math.MaxInt) }

// CountUpTo is Count that stops when there are more than most: the work is
// bounded by what the caller has room for, whatever the text.
func CountUpTo(text string, most int) int {
	n := 0
	for len(text) > 0 && n <= most {
		piece := text[:cut(text)]
		text = text[len(piece):]
		n += countPiece(piece)
	}
	return n
}

// cut is where the first piece of a text ends: before the first space between
// two words, where the encoder always cuts as well, or, in what has none for too
// long, between two characters.
func cut(text string) int {
	within := text[:min(len(text), maxPiece)]
	for i := 1; i < len(within)-1; i++ {
		space := strings.IndexByte(within[i:], ' ')
		if space < 0 {
			break
		}
		i += space
		if within[i-1] > ' ' && startsWord(text[i+1:]) {
			return i
		}
	}
	n := len(within)
	for n < len(text) && n > maxPiece-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// startsWord reports whether a text begins with anything but white space.
func startsWord(text string) bool {
	if text == "" {
		return false
	}
	if text[0] < utf8.RuneSelf {
		return text[0] > ' '
	}
	r, _ := utf8.DecodeRuneInString(text)
	return !unicode.IsSpace(r)
}

// A known is a piece whose tokens were counted.
type known struct {
	piece  string
	tokens int
}

// recent keeps the counts of words, one per place: the words of a text come again
// and again, and the encoder takes a microsecond for each.
var (
	recent [1 << 13]atomic.Pointer[known]
	seed   = maphash.MakeSeed()
)

// maxKept is the size in bytes of the longest piece that is kept.
const maxKept = 32

func countPiece(piece string) int {
	if len(piece) > maxKept {
		return encode(piece)
	}
	place := &recent[maphash.String(seed, piece)%uint64(len(recent))]
	if k := place.Load(); k != nil && k.piece == piece {
		return k.tokens
	}
	n := encode(piece)
	place.Store(&known{strings.Clone(piece), n})
	return n
}

// encode counts without looking at what is known.
func encode(piece string) int {
	n, err := codec().Count(piece)
	if err != nil {
		return len(piece) // the splitter gave up on it; no token is shorter than a byte
	}
	return n
}
