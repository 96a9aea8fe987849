// Package tokens counts tokens and knows how many of them a model reads. The
// chunker and the prompt budget use it.
//
// Counts are those of OpenAI's o200k_base vocabulary, which is embedded; for the
// models of others they are estimates, good to some ten per cent. The package
// imports nothing else of this module.
package tokens

import (
	"fmt"
	"math"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// maxPiece is the size in bytes of the pieces in which text is counted. The
// encoder takes time in the square of a run of white space, and its memory grows
// with the text; a cut inside of a run costs at most a token or two.
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
		tokens, err := codec().Count(piece)
		if err != nil {
			// The splitter gave up on the piece; no token is shorter than a byte.
			tokens = len(piece)
		}
		n += tokens
	}
	return n
}

// cut is where the first piece of a text ends: before the last space between
// two words that fits, where the encoder would cut as well, else between two
// characters.
func cut(text string) int {
	if len(text) <= maxPiece {
		return len(text)
	}
	for i := maxPiece; i > maxPiece/2; i-- {
		if text[i] == ' ' && text[i-1] > ' ' && i+1 < len(text) && text[i+1] > ' ' {
			return i
		}
	}
	n := maxPiece
	for n > maxPiece-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}
