package extract

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"
)

func TestHTMLIsReadAsAReaderSeesIt(t *testing.T) {
	for _, c := range []struct{ about, body, want string }{
		{"paragraphs", "<p>One\n  line.</p><p>Two.</p>", "One line.\n\nTwo."},
		{"inline", "a<b>b</b>c <i>d</i><span> e</span>", "abc d e"},
		{"line ends", "a<br>b<br/>c<div>d</div>e", "a\nb\nc\nd\ne"},
		{"entities", "&lt;x&gt; &amp; &eacute;&#8364;&nbsp;&shy;&#x1F600; &unknown;", "<x> & é€ 😀 &unknown;"},
		{"links", `See <a href="https://example.org/x">the portal</a>.`, "See the portal."},
		{"unread", "a<script>var x='<p>';</script><style>p{}</style><template>t</template><svg><text>s</text></svg><noscript>n</noscript><nav>menu</nav>b", "ab"},
		{"hidden", `a<div hidden>x<div>y</div></div><span style="Display : NONE">z</span>b<p style="visibility:hidden">q<p>c`, "ab\n\nc"},
		{"comments", "a<!-- <p>no</p> -->b<![CDATA[x]]>c", "abc"},
		{"lists", "<ul><li>one<li>two<ol><li>a</li><li>b</li></ol></ul>after", "- one\n- two\n  1. a\n  2. b\n\nafter"},
		{"item without list", "<li>x", "- x"},
		{"item of a paragraph", "<ul><li><p>one</p></li></ul>", "- one"},
		{"table", "<table><caption>T</caption><tr><th>A<th>B</tr><tr><td>1<td><p>2</p><p>3</p></tr></table>z", "T\nA | B\n1 | 2 3\n\nz"},
		{"empty cells", "<table><tr><td></td><td>b</td><td></td><td>d</td></tr></table>", "| b | | d"},
		{"table for layout", "<table><tr><td><h1>H</h1><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>", "H\n\na | b"},
		{"code", "<pre>\nfunc a() {\n\treturn\n}\n</pre>x", "func a() {\n\treturn\n}\n\nx"},
		{"broken nesting", "<b><p>a</b></i></div></table></ul></pre>b</p></h1>", "a\nb"},
		{"definition list", "<dl><dt>T<dd>D</dl>", "T\nD"},
		{"end inside a tag", "a<p class=", "a"},
		{"end inside a script", "a<script>x", "a"},
		{"textarea and button", "a<textarea>t</textarea><button>b</button><select><option>o</select>", "a"},
		{"raised numbers", "25<sup>1</sup> days, 10<sup>−6</sup> m<sup>2</sup>, the 1<sup>st</sup>, a<sup>[3]</sup><sup>4<p>b 5", "25¹ days, 10⁻⁶ m², the 1st, a[3]⁴\n\nb 5"},
		{"notes", `Leave<sup><a href="#fn1" role="doc-noteref">1</a></sup> counts.<section role="doc-endnotes"><hr><ol><li id="fn1"><p>Of 25 days.<a href="#r1" role="doc-backlink">↩</a></p>` +
			`<li>Or more. <a class="footnote-backref" href="#r2">back</a></ol></section>`, "Leave¹ counts.\n\n1. Of 25 days.\n\n2. Or more."},
		{"frames, bases, refreshes", `<meta http-equiv=refresh content="0;url=http://127.0.0.1:1/"><base href="http://127.0.0.1:1/">a<iframe src="/x">frame</iframe><link rel=import href=y>b<embed src=z>c`, "abc"},
		{"heading", "x<h2>A <em>b</em></h2>y", "x\n\nA b\n\ny"},
	} {
		doc := mustExtract(t, "a.html", []byte("<!doctype html><title>Title &amp; more</title><body>"+c.body))
		if doc.Text != c.want {
			t.Errorf("%s: %q, want %q", c.about, doc.Text, c.want)
		}
		if doc.Title != "Title & more" {
			t.Errorf("%s: title %q", c.about, doc.Title)
		}
	}
}

func TestHTMLHeadingsAndBlocksHaveTheirPlaces(t *testing.T) {
	doc := mustExtract(t, "a.html", []byte(`<html><body><h1>Leave</h1><p>Intro.</p><h2> Sick
		leave </h2><ul><li>a<li>b<ul><li>c</ul></ul><table><tr><td>x<td>y<tr><td>z<td>w</table><pre>code</pre><h3></h3><h2>Last`))
	want := []Heading{
		{0, 1, "Leave"}, {strings.Index(doc.Text, "Sick"), 2, "Sick leave"}, {strings.Index(doc.Text, "Last"), 2, "Last"},
	}
	if !slices.Equal(doc.Headings, want) {
		t.Errorf("headings %v, want %v in %q", doc.Headings, want, doc.Text)
	}
	for kind, want := range map[BlockKind]string{BlockList: "- a\n- b\n  - c", BlockTable: "x | y\nz | w", BlockCode: "code"} {
		if got := blockTexts(doc, kind); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

func TestTablesOfHTMLKnowTheirHeader(t *testing.T) {
	for _, c := range []struct{ about, table, want string }{
		{"titles", "<tr><th>A<th>B<tr><td>1<td>2", "A | B"},
		{"head", "<thead><tr><td>A<td>B</tr></thead><tbody><tr><td>1<td>2</tr></tbody>", "A | B"},
		{"two rows", "<thead><tr><th>A<th>B<tr><th>a<th>b<tbody><tr><th>1<td>2", "A | B\na | b"},
		{"a caption", "<caption>T</caption><tr><th>A<th>B<tr><td>1<td>2", "T\nA | B"},
		{"titles of rows", "<tr><th>A<td>1<tr><th>B<td>2", ""},
		{"titles at the end", "<tr><td>1<td>2<tr><th>A<th>B", ""},
		{"a head at the end", "<tr><td>1<td>2<thead><tr><th>A<th>B</thead>", ""},
		{"nothing but a head", "<thead><tr><th>A<th>B</thead>", "A | B"},
	} {
		doc := mustExtract(t, "a.html", []byte("<html><body><table>"+c.table+"</table>end"))
		if got := headers(doc); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: %q, want %q", c.about, got, c.want)
		}
	}
}

func TestHTMLSaysItsEncoding(t *testing.T) {
	page := `<html><head><meta charset="shift_jis"></head><body>` + japan
	doc := mustExtract(t, "a.html", encode(t, japanese.ShiftJIS, page))
	if doc.Text != japan || doc.Encoding != "shift_jis" {
		t.Errorf("%q in %s", doc.Text, doc.Encoding)
	}
	doc = mustExtract(t, "a.html", []byte(`<html><meta charset="iso-8859-2"><body>`+"\xb1\xe6\xea"))
	if doc.Text != "ąćę" {
		t.Errorf("%q in %s", doc.Text, doc.Encoding)
	}
}

func TestHTMLNestedBeyondReasonIsRead(t *testing.T) {
	for _, tag := range []string{"div", "b", "ul", "table", "pre", "h1", "li", "p", "td", "svg"} {
		raw := "<html><body>start " + strings.Repeat("<"+tag+">", 100_000) + " deep"
		doc := mustExtract(t, "a.html", []byte(raw))
		if !strings.Contains(doc.Text, "start") || tag != "svg" && !strings.Contains(doc.Text, "deep") {
			t.Errorf("%s: the text is lost", tag)
		}
	}
}

func FuzzHTML(f *testing.F) {
	f.Add("<table><tr><td>a<table><tr><td>b</table>c</table>")
	f.Add("<h1>a<h2>b</h1><pre>\n\n</pre><ul><li><pre>x</ul></pre>")
	f.Add("<p hidden>a<p>b<x-y hidden>c</x-y>d")
	f.Fuzz(func(t *testing.T, text string) {
		doc := ReadHTML([]byte(text))
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(doc.Text, "\n\n\n") {
			t.Fatalf("empty lines in %q", doc.Text)
		}
	})
}
