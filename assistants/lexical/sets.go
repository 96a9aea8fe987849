package lexical

import (
	"maps"
	"strings"
	"unicode/utf8"
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

func union(sets ...map[string]bool) map[string]bool {
	m := map[string]bool{}
	for _, s := range sets {
		maps.Copy(m, s)
	}
	return m
}

func byFirst(phrases string) map[rune][]string {
	m := map[rune][]string{}
	for _, p := range strings.Fields(phrases) {
		r, _ := utf8.DecodeRuneInString(p)
		m[r] = append(m[r], p)
	}
	return m
}
