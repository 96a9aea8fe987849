package extract

import (
	"slices"
	"strings"
	"testing"
)

func TestMarkdownKeepsItsSource(t *testing.T) {
	raw := "# Leave *policy*\r\n\r\nSee [the portal](https://example.org) and `code`.\r\n\r\n> # Not ours\r\n\r\n```\r\n# no heading\r\n```\r\n\r\nSetext\r\n------\r\n\r\nText.\r\n\r\n### Deep ###\r\n"
	doc := mustExtract(t, "a.md", []byte(raw))
	if want := strings.ReplaceAll(raw, "\r\n", "\n"); doc.Text != want {
		t.Errorf("text %q, want %q", doc.Text, want)
	}
	want := []Heading{
		{strings.Index(doc.Text, "# Leave"), 1, "Leave policy"},
		{strings.Index(doc.Text, "Setext"), 2, "Setext"},
		{strings.Index(doc.Text, "### Deep"), 3, "Deep"},
	}
	if !slices.Equal(doc.Headings, want) {
		t.Errorf("headings %v, want %v", doc.Headings, want)
	}
	if doc.Title != "Leave policy" || doc.ContentType != TypeMarkdown || doc.Encoding != "utf-8" {
		t.Errorf("title %q, type %q, encoding %q", doc.Title, doc.ContentType, doc.Encoding)
	}
}

func blockTexts(doc Document, kind BlockKind) []string {
	var out []string
	for _, b := range doc.Blocks {
		if b.Kind == kind {
			out = append(out, doc.Text[b.Start:b.End])
		}
	}
	return out
}

func TestMarkdownBlocksAreWholeLines(t *testing.T) {
	const (
		table = "| Country | Per day |\n|---------|--------:|\n| Norway  | **75**  |\n| `Japan` | 52      |\n"
		code  = "```go\nfunc main() {}\n\nvar a = 1\n```\n"
		list  = "- one\n  wrapped\n- two\n  1. nested\n  2. more\n"
	)
	doc := mustExtract(t, "a.md", []byte("Intro.\n\n"+table+"\nThen.\n\n"+code+"\n"+list+"\nEnd.\n"))
	for kind, want := range map[BlockKind]string{BlockTable: table, BlockCode: code, BlockList: list} {
		if got := blockTexts(doc, kind); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// headers are the header rows of a document's tables, "" for one without.
func headers(doc Document) []string {
	var out []string
	for _, b := range doc.Blocks {
		if b.Kind == BlockTable {
			out = append(out, strings.TrimRight(doc.Text[b.Start:max(b.Start, b.HeaderEnd)], "\n"))
		}
	}
	return out
}

func TestTablesOfMarkdownKnowTheirHeader(t *testing.T) {
	doc := mustExtract(t, "a.md", []byte("| A | B |\n|---|---|\n| 1 | 2 |\n\nText.\n\nC | D\n--|--\n\nX | Y\n--|--\nz | w"))
	if got, want := headers(doc), []string{"| A | B |\n|---|---|", "", "X | Y\n--|--"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNotesAndLinksOfMarkdownStay(t *testing.T) {
	raw := "Leave[^1] counts, see [the portal](https://example.org).\n\n[^1]: Of 25 days.\n"
	if doc := mustExtract(t, "a.md", []byte(raw)); doc.Text != raw || len(doc.Headings) != 0 {
		t.Errorf("%q, headings %v", doc.Text, doc.Headings)
	}
}

func TestMarkdownFrontMatterGivesTheTitle(t *testing.T) {
	doc := mustExtract(t, "a.md", []byte("---\ntitle: \"Travel rules\"\nauthor: A\ntags:\n  - x\n---\n\n# Heading\n\nText.\n"))
	if doc.Title != "Travel rules" || doc.Text != "# Heading\n\nText.\n" || doc.Headings[0].Start != 0 {
		t.Errorf("%+v", doc)
	}
	for _, raw := range []string{"---\n\nA rule, then prose.\n\n---\n\nMore.\n", "---\nkey: never closed\n", "---\n"} {
		if raw == "---\n" {
			continue
		}
		if doc := mustExtract(t, "a.md", []byte(raw)); doc.Text != raw {
			t.Errorf("%q became %q", raw, doc.Text)
		}
	}
}

func TestMarkdownNestedBeyondReasonIsReadAsText(t *testing.T) {
	for name, raw := range map[string]string{
		"quotes":   strings.Repeat(">", 100_000) + " deep\n# Heading\n",
		"bullets":  strings.Repeat("- ", 50_000) + "deep\n",
		"numbers":  strings.Repeat("1. ", 50_000) + "deep\n",
		"brackets": strings.Repeat("[", 50_000) + "deep\n",
		"stars":    strings.Repeat("*a ", 50_000) + "\n",
	} {
		if doc := mustExtract(t, "a.md", []byte(raw)); doc.Text != raw {
			t.Errorf("%s: the text changed", name)
		}
	}
	rule := strings.Repeat("-", 1000)
	if doc := mustExtract(t, "a.md", []byte("# A\n\n"+rule+"\n")); len(doc.Headings) != 1 {
		t.Error("a long rule was taken for nested lists")
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("# A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
	f.Add("---\ntitle: x\n---\nText\n===\n")
	f.Add("- a\n  ```\n  code\n")
	f.Add("> - > # x\n\n    code\n\n<div>\n\n[a]: b\n[^1]: note\n")
	f.Fuzz(func(t *testing.T, text string) {
		doc := readMarkdown([]byte(text))
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
		for _, h := range doc.Headings {
			if h.Start > 0 && doc.Text[h.Start-1] != '\n' {
				t.Fatalf("heading %q does not start a line", h.Title)
			}
		}
	})
}
