package support

import (
	"strings"
	"unicode/utf8"
)

// cleanClaim blanks Markdown that is not text: bullets, numbers of items,
// destinations of links, tags, URLs, markers. The text keeps its length, so that
// positions remain valid. Emphasis, code marks and bars are not words anyway.
func cleanClaim(text string) string {
	if !hasMarkdown(text) {
		return text
	}
	b := []byte(text)
	lineStart := true
	for i := 0; i < len(b); {
		if lineStart {
			i = blankBullet(b, i)
			lineStart = false
			continue
		}
		switch b[i] {
		case '\n':
			lineStart = true
			i++
		case '[':
			i = blankMarker(b, i)
		case ']':
			i = blankDestination(b, i)
		case '<':
			i = blankTag(b, i)
		case 'h', 'w':
			i = blankURL(b, i)
		default:
			i++
		}
	}
	return string(b)
}

// hasMarkdown reports whether a text may have something that cleanClaim blanks.
func hasMarkdown(text string) bool {
	if strings.IndexByte(text, '[') >= 0 || strings.IndexByte(text, '<') >= 0 || strings.Contains(text, "](") || strings.Contains(text, "://") || strings.Contains(text, "www.") {
		return true
	}
	for at := 0; at < len(text); at = lineEnd(text, at) + 1 {
		for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '>') {
			at++
		}
		if at < len(text) && (isDigit(text[at]) || text[at] == '-' || text[at] == '*' || text[at] == '+') {
			return true
		}
	}
	return false
}

func blank(b []byte, from, to int) int {
	for i := from; i < to; i++ {
		b[i] = ' '
	}
	return to
}

// germanMonths follow a day that looks like the number of a list item: "15. März".
var germanMonths = map[string]bool{
	"januar": true, "jänner": true, "februar": true, "märz": true, "april": true, "mai": true, "juni": true, "juli": true,
	"august": true, "september": true, "oktober": true, "november": true, "dezember": true,
}

// blankBullet takes what begins an item of a list, at the start of a line.
func blankBullet(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '>') {
		i++
	}
	j := i
	for j < len(b) && j-i < 3 && isDigit(b[j]) {
		j++
	}
	switch {
	case j == i && j+1 < len(b) && strings.IndexByte("-*+", b[j]) >= 0 && b[j+1] == ' ':
		return blank(b, i, j+1)
	case j > i && j+2 < len(b) && (b[j] == '.' || b[j] == ')') && b[j+1] == ' ' && (b[j+2] == '*' || b[j+2] >= 'A' && b[j+2] <= 'Z') && !germanMonths[strings.ToLower(string(wordAt(b, j+2)))]:
		return blank(b, i, j+1)
	}
	return i
}

func wordAt(b []byte, i int) []byte {
	from := i
	for i < len(b) && i-from < 16 && (isLetter(b[i]) || b[i] >= utf8.RuneSelf) {
		i++
	}
	return b[from:i]
}

// blankMarker takes a marker that was left in: [1], [2, 3].
func blankMarker(b []byte, i int) int {
	const longest = 24
	digits := 0
	for j := i + 1; j < len(b) && j-i < longest; j++ {
		switch c := b[j]; {
		case isDigit(c):
			if digits++; digits > 3 {
				return i + 1
			}
		case c == ',' || c == ' ' || c == '-' || c == ';' || c == '^':
			digits = 0
		case c == ']' && j > i+1:
			return blank(b, i, j+1)
		default:
			return i + 1
		}
	}
	return i + 1
}

// blankDestination takes the (https://…) of a link.
func blankDestination(b []byte, i int) int {
	if i+1 >= len(b) || b[i+1] != '(' {
		return i + 1
	}
	for j := i + 2; j < len(b) && b[j] != ' ' && b[j] != '\n'; j++ {
		if b[j] == ')' {
			return blank(b, i, j+1)
		}
	}
	return i + 2
}

// blankTag takes an HTML tag or an <https://…>.
func blankTag(b []byte, i int) int {
	const longest = 200
	if i+1 >= len(b) || !isLetter(b[i+1]) && b[i+1] != '/' {
		return i + 1
	}
	for j := i + 2; j < len(b) && j-i < longest; j++ {
		switch b[j] {
		case '>':
			return blank(b, i, j+1)
		case '<', '\n':
			return i + 1
		}
	}
	return i + 1
}

// withoutURLs blanks the URLs of a passage, as cleanClaim does those of a claim.
func withoutURLs(text string) string {
	if !strings.Contains(text, "://") && !strings.Contains(text, "www.") {
		return text
	}
	b := []byte(text)
	for i := 0; i < len(b); {
		if b[i] == 'h' || b[i] == 'w' {
			i = blankURL(b, i)
		} else {
			i++
		}
	}
	return string(b)
}

func blankURL(b []byte, i int) int {
	rest := b[i:]
	if i > 0 && isLetter(b[i-1]) || !hasPrefix(rest, "http://") && !hasPrefix(rest, "https://") && !hasPrefix(rest, "www.") {
		return i + 1
	}
	j := i
	for j < len(b) && b[j] != ' ' && b[j] != '\n' && b[j] != ')' && b[j] != ']' && b[j] != '>' && b[j] != '|' {
		j++
	}
	return blank(b, i, j)
}

func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}
