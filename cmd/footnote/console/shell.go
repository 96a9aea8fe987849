package console

import (
	"regexp"
	"strings"
)

// plainWord is what a shell reads as it is.
var plainWord = regexp.MustCompile(`^[a-zA-Z0-9_./:@=,+-]+$`)

// ShellWord quotes text for a shell, if it needs that.
func ShellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
