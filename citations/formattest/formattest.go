// Package formattest reads the cases of citations/FORMAT.md: the library's own
// tests and those of the whole program take them from there, so that the
// specification and what is tested cannot drift apart. It imports the standard
// library only.
package formattest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A Case is a row of a table.
type Case struct {
	// Name is why the row is there, or its text.
	Name string
	// Text is an answer, or a part of one.
	Text string
	// Want is the second column as it stands.
	Want string
}

// Markers are the headings of the tables that say which numbers a text cites.
var Markers = []string{"What is a marker", "What is none"}

// Cases reads the tables under headings of the file at path. In the code span
// of the first column \n, \r, \t and some \u escapes stand for one character.
func Cases(t testing.TB, path string, headings ...string) []Case {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []Case
	for _, heading := range headings {
		_, section, ok := strings.Cut(string(raw), "\n## "+heading+"\n")
		if !ok {
			t.Fatalf("%s has no section %q", path, heading)
		}
		section, _, _ = strings.Cut(section, "\n## ")
		before := len(cases)
		for line := range strings.Lines(section) {
			if c, ok := row(line); ok {
				cases = append(cases, c)
			}
		}
		if len(cases) == before {
			t.Fatalf("section %q has no cases", heading)
		}
	}
	return cases
}

// row reads a line of a table; one whose first cell is no code is none.
func row(line string) (Case, bool) {
	cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
	if len(cells) < 3 || !strings.Contains(cells[1], "`") {
		return Case{}, false
	}
	for i := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), "\x00", "|")
	}
	c := Case{Text: Code(cells[1]), Want: cells[2]}
	c.Name = c.Text
	if why := cells[min(3, len(cells)-1)]; why != "" {
		c.Name = fmt.Sprintf("%s: %s", why, c.Text)
	}
	return c, true
}

// written are the characters that the table writes by name.
var written = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\u00a0`, "\u00a0", `\u202f`, "\u202f", `\u2011`, "\u2011", `\u3000`, "\u3000",
	`\u200b`, "\u200b", `\u200e`, "\u200e", `\u2060`, "\u2060", `\u2069`, "\u2069", `\ufeff`, "\ufeff", `\u202e`, "\u202e", `\u2066`, "\u2066")

// Code is the content of a code span, however many backticks hold it.
func Code(cell string) string {
	ticks := len(cell) - len(strings.TrimLeft(cell, "`"))
	text := cell[ticks : len(cell)-ticks]
	if strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") && strings.Contains(text, "`") {
		text = text[1 : len(text)-1]
	}
	return written.Replace(text)
}

// Numbers are the numbers in the second column of a table of markers.
func (c Case) Numbers(t testing.TB) []int {
	t.Helper()
	if c.Want == "-" {
		return nil
	}
	var list []int
	for field := range strings.FieldsSeq(c.Want) {
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		list = append(list, n)
	}
	return list
}
