package pdf

import (
	"strings"
	"testing"
)

// A mark in larger type than its text, and a list that is narrower than the text around it, do not
// cut the second lines of items from the first.
func TestItemsKeepTheirLines(t *testing.T) {
	const around = "This text is above and below a list, and it is a good deal wider than the lines of the list are."
	for name, test := range map[string]struct {
		mark    string
		size    float64
		x       float64 // where the second and third line begin
		want    string
		divided bool
		end     string // of the first line
	}{
		"a mark":                {"•", 10, 85, "• ", false, ""},
		"a larger mark":         {"•", 12, 85, "• ", false, ""},
		"a number":              {"1.", 10, 85, "1. ", false, ""},
		"a mark close to it":    {"•", 10, 70, "• ", false, ""},
		"a line further left":   {"•", 10, 50, "• ", true, ""},
		"a paragraph's indent":  {"•", 10, 92, "• ", true, ""},
		"another sentence":      {"•", 10, 85, "• ", true, "."},
		"a line without a mark": {"", 10, 100, "", true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			s.line(50, 80, around)
			y := 100.0
			text := 85.0
			if test.x < text && !test.divided {
				text = test.x
			}
			s.set(60, y, test.mark, test.size, false)
			s.line(text, y, "they gained an understanding of control"+test.end)
			s.line(test.x, y+12, "which is relevant to the audit of the")
			s.line(test.x, y+24, "group in the year.")
			s.line(50, y+44, around)
			item := "they gained an understanding of control" + test.end + " which is relevant to the audit of the group in the year."
			got := strings.Contains(read(t, &s).Text, test.want+item)
			if got == test.divided {
				t.Errorf("the item's lines are together: %v in\n%s", got, read(t, &s).Text)
			}
		})
	}
}

// A short line in an item, such as a command, is a line of its own above a longer one.
func TestAShortLineOfAnItemEndsThere(t *testing.T) {
	var s sheet
	s.line(60, 100, "• seek fir")
	s.column(70, 112, "This looks for it in all of the places and shows", "where they are.")
	s.column(50, 144, "The text around the list is a good deal wider than", "the lines of the list are.")
	if got := read(t, &s).Text; !strings.HasPrefix(got, "• seek fir\n\nThis looks for it in all of the places and shows where they are.\n\nThe text") {
		t.Errorf("text\n%s", got)
	}
}
