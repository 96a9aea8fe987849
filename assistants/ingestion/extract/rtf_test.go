package extract

import (
	"slices"
	"strings"
	"testing"
)

const rtfHead = `{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fcharset204 Times;}{\f2\fnil\fcharset128 Mincho;}}` +
	`{\colortbl;\red0\green0\blue0;}{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 Title one;}{\s2\sbasedon0 heading 2;}{\*\cs10 Default;}}` +
	`{\info{\title Travel {rules}}{\author Anna}}{\*\generator Riched20;}` + "\r\n"

func TestRTFIsReadAsAReaderSeesIt(t *testing.T) {
	for _, c := range []struct{ about, body, want string }{
		{"paragraphs", `One\par Two\line three\par`, "One\n\nTwo\nthree"},
		{"styles", `{\b bold} and {\i\f0\fs24 italic\b0}.`, "bold and italic."},
		{"characters of the code page", `Stra\'dfe \'80 5 \'93x\'94`, "Straße € 5 “x”"},
		{"characters of a font", `{\f1 \'cf\'f0\'e8\'e2\'e5\'f2}, {\f2 \'93\'fa\'96\'7b}`, "Привет, 日本"},
		{"Unicode", `\u8364?5 \uc2\u228\'e4\'e4x\uc1  {\uc0\u246} \u-10179?\u-8704?`, "€5 äx ö 😀"},
		{"signs", `a\~b\_c\-d \emdash \endash\bullet \lquote x\rquote \ldblquote y\rdblquote \{\\\}`, "a b\u2011cd —–•‘x’“y”{\\}"},
		{"a footnote", `Leave{\super\chftn}{\footnote\pard\plain {\super\chftn} Of 25 days.\par} counts.`, "Leave [Of 25 days.] counts."},
		{"a table", `\trowd\trhdr\cellx1\cellx2\pard\intbl Country\cell Rate\cell\row\trowd\pard\intbl {\b Nor\par way}\cell 75\cell\row\trowd\pard\intbl\cell 5\cell\row\pard End`,
			"Country | Rate\nNor way | 75\n| 5\n\nEnd"},
		{"what is not read", `a{\v hidden}{\pict\wmetafile8 0100}{\*\unknown x{\title y}}{\header h}{\footerf f}{\*\bkmkstart b}{\object{\*\objdata 00}{\result r}}b`, "ab"},
		{"a link", `{\field{\*\fldinst HYPERLINK "http://example.org"}{\fldrslt the portal}}`, "the portal"},
		{"bytes", "a\\bin5 {}\\{}b", "ab"},
		{"line ends are nothing", "on\r\ne", "one"},
		{"an item", `{\pntext\f0 1.\tab}First\par`, "1. First"},
	} {
		doc := mustExtract(t, "a.rtf", []byte(rtfHead+c.body+"}"))
		if doc.Text != c.want {
			t.Errorf("%s: %q, want %q", c.about, doc.Text, c.want)
		}
		if doc.Title != "Travel rules" || doc.ContentType != TypeRTF || len(doc.Pages) != 0 {
			t.Errorf("%s: %q, %s, %d pages", c.about, doc.Title, doc.ContentType, len(doc.Pages))
		}
	}
}

func TestRTFHeadingsAndTablesHaveTheirPlaces(t *testing.T) {
	doc := mustExtract(t, "a.rtf", []byte(rtfHead+`\pard\s1 Leave\par\pard\s0 Text.\par\pard\s2 Sick {\i leave}\par\pard\outlinelevel2 Third\par\pard `+
		`\trowd\trhdr\pard\intbl A\cell B\cell\row\trowd\pard\intbl 1\cell 2\cell\row\pard\par }`))
	want := []Heading{{0, 1, "Leave"}, {strings.Index(doc.Text, "Sick"), 2, "Sick leave"}, {strings.Index(doc.Text, "Third"), 3, "Third"}}
	if !slices.Equal(doc.Headings, want) {
		t.Errorf("%v, want %v", doc.Headings, want)
	}
	if got := headers(doc); !slices.Equal(got, []string{"A | B"}) {
		t.Errorf("headers %q in %q", got, doc.Text)
	}
}

func TestDamagedRTFIsReadAsFarAsItGoes(t *testing.T) {
	for about, raw := range map[string]string{
		"cut in a word":        `{\rtf1 Text\pa`,
		"cut in a character":   `{\rtf1 Text\'d`,
		"cut after a slash":    `{\rtf1 Text\`,
		"no characters":        `{\rtf1 Text\'zz`,
		"ends at once":         `{\rtf1 Text}} more`,
		"bytes beyond the end": `{\rtf1 Text\bin99999999999 x`,
		"numbers too large":    `{\rtf1\f99999999999999999\uc-5 Text\u99999999999999`,
		"groups never closed":  `{\rtf1 Text` + strings.Repeat("{", 900),
	} {
		if doc := mustExtract(t, "a.rtf", []byte(raw)); !strings.HasPrefix(doc.Text, "Text") {
			t.Errorf("%s: %q", about, doc.Text)
		}
	}
	_, err := extracted(t, "a.rtf", []byte(`{\rtf1 Text`+strings.Repeat("{", 1_000_000)))
	wantCode(t, err, CodeTooComplex)
}

func FuzzRTF(f *testing.F) {
	f.Add(rtfHead + `\trowd\intbl a\cell{\footnote b\par}\row\pard\s1 c\par\u8364?}`)
	f.Add(`{\rtf1{\footnote{\footnote a}b}\intbl\cell\cell\row c}`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := readRTF([]byte(text), Options{MaxText: 1 << 20})
		if err != nil {
			return
		}
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
