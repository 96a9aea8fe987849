// Package tokens counts tokens and knows how many of them a model reads. The
// chunker and the prompt budget use it.
//
// Counts are those of OpenAI's o200k_base vocabulary, which is embedded; for the
// models of others they are estimates, good to some ten per cent. The package
// imports nothing else of this module.
package tokens

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// maxPiece is the size in bytes of the pieces in which text is counted. The
// encoder's time and memory grow faster than a piece of one repeated character;
// a cut costs at most a token or two.
const maxPiece = 4 << 10

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
func Count(text string) int {
	n := 0
	for len(text) > 0 {
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

// cut is where the first piece of a text ends: before the last space that fits,
// so that the words of ordinary text stay whole, else between two characters.
func cut(text string) int {
	if len(text) <= maxPiece {
		return len(text)
	}
	if i := strings.LastIndexByte(text[maxPiece/2:maxPiece], ' '); i >= 0 {
		return maxPiece/2 + i
	}
	n := maxPiece
	for n > maxPiece-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}
