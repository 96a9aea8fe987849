package citations

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file makes retrieved text harmless in a prompt. Text that could pass for a
// citation number, for a line of the source block or for the markup that separates
// speakers is rewritten with round brackets or ‹. Invisible characters are removed.
// Markdown code keeps its brackets and tags, which are part of programs there. Every
// rule is local, and its output matches no rule. Hence neutralize is linear, and
// neutralize(neutralize(x)) == neutralize(x).

// neutralize returns the text of a passage in the form that a prompt may contain.
func neutralize(text string) string {
	if harmless(text) {
		return text
	}
	return rewrite(text)
}

// rewrite applies the rules.
func rewrite(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	var paragraph strings.Builder
	flush := func() {
		writeParagraph(&b, paragraph.String())
		paragraph.Reset()
	}
	fence := "" // the run of characters that opened the code block we are in
	for line := range strings.Lines(visible(text)) {
		line = withoutHeader(line)
		run, info := fenceRun(line)
		switch {
		case fence != "":
			writeSegment(&b, line, true)
			if strings.HasPrefix(run, fence) && strings.TrimSpace(info) == "" {
				fence = ""
			}
		case run != "" && (run[0] == '~' || !strings.Contains(info, "`")):
			flush()
			writeSegment(&b, line, true)
			fence = run
		case strings.TrimSpace(line) == "":
			flush()
			b.WriteString(line)
		default:
			paragraph.WriteString(withoutLabel(line))
		}
	}
	flush()
	if fence != "" { // text after the passage must not become its code
		if !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(fence)
	}
	// Lists, headings and other blocks end code that seems to continue here.
	return withoutMarkers(b.String(), true)
}

// fenceRun returns the three or more backticks or tildes at the start of a line, and
// the rest of the line.
func fenceRun(line string) (run, info string) {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 || rest == "" || (rest[0] != '`' && rest[0] != '~') {
		return "", ""
	}
	info = strings.TrimLeft(rest, rest[:1])
	run = rest[:len(rest)-len(info)]
	if len(run) < 3 {
		return "", ""
	}
	return run, info
}

// visible removes invisible characters (control, format, tag and bidi characters,
// zero-width spaces, variation selectors) and turns every kind of line break into
// \n.
func visible(text string) string {
	if strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= ' ' && r < 0x7f, r == '\n', r == '\t':
			return r
		case r == '\r', r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
			return '\n'
		case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
			return r // format characters that are printed: Arabic number signs
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			return -1
		}
		return r
	}, text)
}

// oneLine returns a name without line breaks, invisible characters and
// repeated spaces.
func oneLine(name string) string {
	if isOneLine(name) {
		return name
	}
	return strings.Join(strings.Fields(visible(name)), " ")
}

// isOneLine reports that oneLine would not change a name. A false result means that
// it may.
func isOneLine(name string) bool {
	space := true // a space may not come next
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == ' ' && space || c < ' ' || c == 0x7f {
			return false
		}
		space = c == ' '
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(name[i:])
			if r == 0xA0 || !ordinary(r) {
				return false
			}
			i += size - 1
		}
	}
	return !space || name == ""
}

// maxNameRunes bounds the length of a name in a title, and maxPromptName in a prompt.
const (
	maxNameRunes  = 300
	maxPromptName = 120
)

// escapedInName reports whether nameEscapes may concern a character.
func escapedInName(r rune) bool {
	switch r {
	case '"', '`', '<', '>', '[', ']':
		return true
	default:
		return r >= 0x2000
	}
}

// nameEscapes are the characters that a quoted name in a header cannot contain.
var nameEscapes = strings.NewReplacer(
	`"`, "'", "“", "'", "”", "'", "`", "'", "<", "‹", ">", "›",
	"[", "(", "]", ")", "【", "(", "】", ")", "［", "(", "］", ")",
)

// promptName returns the name of a document as a header quotes it.
func promptName(name string) string {
	name = shortened(shownName(name), maxPromptName)
	if strings.IndexFunc(name, escapedInName) >= 0 {
		name = nameEscapes.Replace(name)
	}
	return name
}

// shownName returns the name of a document as a title: one line of bounded length,
// without hidden or right-to-left control characters.
func shownName(name string) string {
	if name = oneLine(name); name == "" {
		return unknownDocument
	}
	return shortened(name, maxNameRunes)
}

// shortened cuts a name that has too many characters.
func shortened(name string, most int) string {
	if len(name) <= most || utf8.RuneCountInString(name) <= most {
		return name
	}
	return string([]rune(name)[:most-1]) + "…"
}

// withoutHeader rewrites a line that starts like a header of the block, even in
// code: [12] (Source: becomes (12) (Source:.
func withoutHeader(line string) string {
	rest := strings.TrimLeft(line, " \t")
	if !strings.HasPrefix(rest, "[") {
		return line
	}
	number, after, closed := strings.Cut(rest[1:], "]")
	after = strings.TrimLeft(after, " \t")
	if !closed || number == "" || strings.TrimFunc(number, isDigitOrSpace) != "" || !hasPrefixFold(after, "(source") {
		return line
	}
	return line[:len(line)-len(rest)] + "(" + number + ") " + after
}

func isDigitOrSpace(r rune) bool { return unicode.IsDigit(r) || r == ' ' || r == '\t' }

// labels are words that, alone on a line with a colon or as a heading, announce
// sources or change the speaker.
var labels = map[string]bool{
	"sources": true, "source": true,
	"system": true, "user": true, "human": true, "assistant": true, "developer": true, "tool": true,
	"instruction": true, "instructions": true, "system prompt": true,
}

// withoutLabel rewrites a line such as "Sources:" or "### System" to "(Sources)"
// or "(System)".
func withoutLabel(line string) string {
	if !strings.ContainsAny(line, ":：#") {
		return line
	}
	word := strings.Trim(line, " \t\n:：#*_>-=")
	if !labels[strings.ToLower(word)] {
		return line
	}
	if strings.HasSuffix(line, "\n") {
		return "(" + word + ")\n"
	}
	return "(" + word + ")"
}

// writeParagraph writes lines that are not separated by a blank line or a code
// block. Only the rules for code apply to its code spans.
func writeParagraph(b *strings.Builder, text string) {
	start := 0
	for _, span := range codeSpans(text) {
		writeSegment(b, text[start:span[0]], false)
		writeSegment(b, text[span[0]:span[1]], true)
		start = span[1]
	}
	writeSegment(b, text[start:], false)
}

// codeSpans returns the half-open byte ranges of inline code. As in CommonMark,
// a run of backticks is closed by the next run of the same length.
func codeSpans(text string) [][2]int {
	var runs [][2]int
	for i := 0; i < len(text); i++ {
		if text[i] != '`' {
			continue
		}
		start := i
		for i < len(text) && text[i] == '`' {
			i++
		}
		runs = append(runs, [2]int{start, i})
	}
	// next holds, for every run, the number of the run that closes it.
	next := make([]int, len(runs))
	latest := make(map[int]int)
	for i := len(runs) - 1; i >= 0; i-- {
		length := runs[i][1] - runs[i][0]
		next[i] = latest[length] // 0 means none: no run is closed by the first
		latest[length] = i
	}
	var spans [][2]int
	for i := 0; i < len(runs); i++ {
		closer := next[i]
		if closer == 0 || escaped(text, runs[i][0]) {
			continue
		}
		spans = append(spans, [2]int{runs[i][0], runs[closer][1]})
		i = closer
	}
	return spans
}

// escaped reports whether an odd number of backslashes stands before position i.
func escaped(text string, i int) bool {
	before := strings.TrimRight(text[:i], `\`)
	return (i-len(before))%2 == 1
}

// writeSegment writes a piece of text that is entirely code, or entirely not code.
func writeSegment(b *strings.Builder, text string, code bool) {
	start := 0
	for i := 0; i < len(text); {
		replacement, size := "", 0
		switch text[i] {
		case '<':
			replacement, size = markup(text[i:], code)
		case '[', '\\', "【"[0], "［"[0]:
			replacement, size = bracket(text[i:], code)
		}
		if size == 0 {
			i++
			continue
		}
		b.WriteString(text[start:i])
		b.WriteString(replacement)
		i += size
		start = i
	}
	b.WriteString(text[start:])
}

// Models read turnTags as the end or start of a turn, or of a passage, wherever they
// are, and blockTags only outside code.
var (
	turnTags = map[string]bool{
		"start_of_turn": true, "end_of_turn": true, "passage": true, "think": true,
		"tool_call": true, "tool_calls": true, "tool_response": true, "function_call": true, "function_calls": true,
	}
	blockTags = map[string]bool{
		"passages": true, "source": true, "sources": true, "document": true, "documents": true, "context": true,
		"system": true, "user": true, "assistant": true, "developer": true, "tool": true, "instructions": true,
		"s": true, "bos": true, "eos": true,
	}
)

// markup returns the replacement for the "<" at the start of text and the number of
// bytes it replaces, zero if the "<" is harmless.
func markup(text string, code bool) (replacement string, size int) {
	rest := text[1:]
	for _, bar := range []string{"|", "｜"} { // <|im_start|>, <｜User｜>
		if after, found := strings.CutPrefix(rest, bar); found {
			if r, _ := utf8.DecodeRuneInString(after); unicode.IsLetter(r) || r == '/' || r == '_' {
				return "‹", 1
			}
			return "", 0
		}
	}
	if hasPrefixFold(rest, "<sys>") || hasPrefixFold(rest, "</sys>") {
		return "‹‹", 2
	}
	name := strings.TrimLeft(strings.TrimPrefix(rest, "/"), " ")
	end := 0
	for end < len(name) && (name[end] == '_' || isLetter(name[end])) {
		end++
	}
	if end > len("function_calls") || end < len(name) && name[end] >= '0' && name[end] <= '9' {
		return "", 0
	}
	if word := strings.ToLower(name[:end]); turnTags[word] || !code && blockTags[word] {
		return "‹", 1
	}
	return "", 0
}

// hasPrefixFold is strings.HasPrefix that ignores the case of ASCII prefixes.
func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// bracket returns the replacement for the opening bracket or backslash at the start
// of text and the number of bytes it replaces, zero if it begins neither a citation
// number nor an [INST] mark.
func bracket(text string, code bool) (replacement string, size int) {
	for _, mark := range turnMarks {
		if hasPrefixFold(text, mark) {
			return "(" + text[1:len(mark)-1] + ")", len(mark)
		}
	}
	if code {
		return "", 0
	}
	start := 0
	if text[0] == '\\' {
		start = 1
	}
	if strings.HasPrefix(text[start:], "[[") {
		if inner, n := numbers(text[start+1:]); n > 0 && strings.HasPrefix(text[start+1+n:], "]") {
			return inner, start + n + 2
		}
	}
	if inner, n := numbers(text[start:]); n > 0 {
		return inner, start + n
	}
	return "", 0
}

// turnMarks are turnTags in square brackets.
var turnMarks = []string{
	"[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]",
	"[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]",
}

// numberWords may stand before a number in brackets: [Source 1], [ID:1].
var numberWords = map[string]bool{
	"": true, "doc": true, "document": true, "source": true, "sources": true, "src": true, "id": true, "ref": true,
	"reference": true, "cite": true, "citation": true, "passage": true, "chunk": true, "note": true, "no": true, "nr": true,
}

const (
	openers    = "[【［"
	closers    = "]】］"
	separators = ",;&，；、-–—‐‑‒−~"
)

// numbers reads [1], [1, 2], [doc1], [^1], 【4:0†source】 and similar at the start of
// text. It returns the same in round brackets, and its length in bytes. Numbers of
// more than three digits never cite and stay ([2024] EWCA Civ 12).
func numbers(text string) (replacement string, size int) {
	r, i := utf8.DecodeRuneInString(text)
	if !strings.ContainsRune(openers, r) {
		return "", 0
	}
	i += leading(text[i:], unicode.IsSpace)
	if strings.HasPrefix(text[i:], "^") {
		i++
	}
	start := i
	for {
		n := number(text[i:])
		if n == 0 {
			return "", 0
		}
		i += n
		n = leading(text[i:], isSeparator)
		if strings.TrimFunc(text[i:i+n], unicode.IsSpace) == "" {
			break // the end of the list, or two numbers without a separator
		}
		i += n
	}
	end := i
	i += leading(text[i:], unicode.IsSpace)
	if strings.HasPrefix(text[i:], "†") {
		return toolCitation(text, start, i)
	}
	i += leading(text[i:], func(r rune) bool { return r == '\\' })
	r, n := utf8.DecodeRuneInString(text[i:])
	if !strings.ContainsRune(closers, r) {
		return "", 0
	}
	return "(" + text[start:end] + ")", i + n
}

// toolCitation ends a marker of the form 【1†name】 whose number starts at start. If
// the name contains brackets, only the opening bracket of the marker is replaced.
// That is enough: the rest no longer reads as a marker.
func toolCitation(text string, start, dagger int) (replacement string, size int) {
	name := leading(text[dagger:], func(r rune) bool { return !strings.ContainsRune(openers+closers+"()<\\\n`", r) })
	end := dagger + name
	r, n := utf8.DecodeRuneInString(text[end:])
	if n == 0 || !strings.ContainsRune(closers, r) {
		return "(", start
	}
	return "(" + text[start:end] + ")", end + n
}

// number returns the length of a number of up to three digits with the word before
// it, or 0.
func number(text string) int {
	word := leading(text, unicode.IsLetter)
	if !numberWords[strings.ToLower(text[:word])] {
		return 0
	}
	i := word + leading(text[word:], func(r rune) bool { return word > 0 && strings.ContainsRune(" \t:.#", r) })
	digits := leading(text[i:], unicode.IsDigit)
	if count := utf8.RuneCountInString(text[i : i+digits]); count == 0 || count > 3 {
		return 0
	}
	i += digits
	if after, found := strings.CutPrefix(text[i:], ":"); found { // 【4:0†source】, but not [10:30]
		if n := leading(after, unicode.IsDigit); n > 0 && strings.HasPrefix(after[n:], "†") {
			i += 1 + n
		}
	}
	return i
}

// leading returns the length in bytes of the longest prefix made of such runes.
func leading(text string, such func(rune) bool) int {
	return len(text) - len(strings.TrimLeftFunc(text, such))
}

func isSeparator(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(separators, r) }
