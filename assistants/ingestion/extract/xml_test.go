package extract

import (
	"slices"
	"strings"
	"testing"
)

func TestXMLIsReadAsTextOrAsData(t *testing.T) {
	for _, c := range []struct{ about, raw, want string }{
		{"records", `<catalog><book id="bk101"><author>Gambardella</author><title>XML Guide</title><price cur="EUR">44.95</price></book><book id="bk102"/></catalog>`,
			"book (id: bk101)\n  author: Gambardella\n  title: XML Guide\n  price (cur: EUR): 44.95\n\nbook (id: bk102)"},
		{"leaves", `<note><to>Tove</to><from>Jani</from><body>Don't &amp; forget</body></note>`, "to: Tove\nfrom: Jani\nbody: Don't & forget"},
		{"feed", `<rss version="2.0"><channel><title>News</title><item><title>One</title><description>Text &lt;b&gt;of&lt;/b&gt; one</description></item></channel></rss>`,
			"channel\n  title: News\n  item\n    title: One\n    description: Text <b>of</b> one"},
		{"words within text", `<doc><d>mixed <b>bold</b> and <i>more</i>.</d></doc>`, "d: mixed bold and more."},
		{"DocBook", `<article xmlns="http://docbook.org/ns/docbook"><title>Handbook</title><section><title>Leave</title><para>You get <emphasis>25</emphasis> days.</para>` +
			`<itemizedlist><listitem><para>one</para></listitem><listitem><para>two</para></listitem></itemizedlist></section></article>`,
			"Handbook\n\nLeave\n\nYou get 25 days.\n\n- one\n- two"},
		{"a table", `<article><table><title>Rates</title><tgroup cols="2"><thead><row><entry>A</entry><entry>B</entry></row></thead><tbody><row><entry>1</entry><entry>2</entry></row></tbody></tgroup></table></article>`,
			"Rates\nA | B\n1 | 2"},
		{"namespaces, comments, instructions", `<?xml version="1.0"?><?go?><!-- no --><a:x xmlns:a="urn:a"><a:y xml:lang="en" a:z="1">t</a:y></a:x>`, "y (z: 1): t"},
		{"CDATA", `<x><y><![CDATA[1 < 2 & "3"]]></y></x>`, `y: 1 < 2 & "3"`},
		{"unknown entities", `<x><y>a &nbsp; &unknown; b</y></x>`, "y: a &nbsp; &unknown; b"},
		{"a definition elsewhere", `<!DOCTYPE note SYSTEM "http://127.0.0.1:1/note.dtd"><note><to>Tove</to></note>`, "to: Tove"},
		{"end tags that do not fit", `<x><y>a</z></y></x></x>`, "y: a"},
		{"cut off", `<x><y>a</y><z>b`, "y: a\nz: b"},
		{"code", "<article><programlisting>a\n  b</programlisting></article>", "a\n  b"},
	} {
		doc := mustExtract(t, "a.xml", []byte(c.raw))
		if doc.Text != c.want || doc.ContentType != TypeXML {
			t.Errorf("%s: %q, want %q (%s)", c.about, doc.Text, c.want, doc.ContentType)
		}
	}
}

func TestTitlesOfXMLAreHeadings(t *testing.T) {
	doc := mustExtract(t, "a.xml", []byte(`<book><title>Handbook</title><chapter><title>Leave <b>rules</b></title><para>x</para><section><title>Sick</title></section></chapter>`+
		`<table><thead><row><entry>A</entry></row></thead><tbody><row><entry>1</entry></row></tbody></table></book>`))
	want := []Heading{{0, 1, "Handbook"}, {10, 2, "Leave rules"}, {strings.Index(doc.Text, "Sick"), 3, "Sick"}}
	if !slices.Equal(doc.Headings, want) || doc.Title != "Handbook" {
		t.Errorf("%v under %q, want %v", doc.Headings, doc.Title, want)
	}
	if got := headers(doc); !slices.Equal(got, []string{"A"}) {
		t.Errorf("headers %q", got)
	}
}

func TestXMLSaysItsEncoding(t *testing.T) {
	doc := mustExtract(t, "a.xml", []byte("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><x><y>Stra\xdfe</y></x>"))
	if doc.Text != "y: Straße" || doc.Encoding != "windows-1252" {
		t.Errorf("%q in %s", doc.Text, doc.Encoding)
	}
	doc = mustExtract(t, "a.xml", []byte("\xff\xfe"+strings.Join(strings.Split("<?xml version=\"1.0\" encoding=\"UTF-16\"?><x>ab</x>", ""), "\x00")+"\x00"))
	if doc.Text != "ab" || doc.Encoding != "utf-16le" {
		t.Errorf("%q in %s", doc.Text, doc.Encoding)
	}
}

func TestHostileXMLIsRefusedOrRead(t *testing.T) {
	for about, c := range map[string]struct{ raw, code string }{
		"entities":     {`<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>`, CodeUnreadable},
		"files":        {`<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>`, CodeUnreadable},
		"nesting":      {strings.Repeat("<a>", 257), CodeTooComplex},
		"deep nesting": {strings.Repeat("<a>", 1_000_000), CodeTooComplex},
		"no element":   {"<", CodeUnreadable},
		"a long text":  {"<x>" + strings.Repeat("x", 33<<20) + "</x>", CodeTooComplex},
	} {
		_, err := extracted(t, "a.xml", []byte(c.raw))
		t.Log(about)
		wantCode(t, err, c.code)
	}
	var attrs strings.Builder
	for i := range 1_000_000 {
		attrs.WriteString(" a")
		attrs.WriteString(strings.Repeat("b", i%7))
		attrs.WriteString("='v'")
	}
	for about, raw := range map[string]string{
		"a million attributes": "<x><y" + attrs.String() + ">text</y></x>",
		"a long attribute":     "<x><y a='" + strings.Repeat("v", 10<<20) + "'>text</y></x>",
		"a long name":          "<x><" + strings.Repeat("y", 1<<20) + ">text</" + strings.Repeat("y", 1<<20) + "></x>",
	} {
		doc := mustExtract(t, "a.xml", []byte(raw))
		if !strings.HasSuffix(doc.Text, ": text") || len(doc.Text) > 4000 {
			t.Errorf("%s: %d bytes", about, len(doc.Text))
		}
	}
}

func FuzzXML(f *testing.F) {
	f.Add(`<article><title>a</title><table><row><entry>b<p>c</p></entry></row></table><list><item>d</item></list><pre>e</pre></article>`)
	f.Add(`<a b="c"><d><e f="g"/></d>h</a>`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := readXML([]byte(text), Options{MaxText: 1 << 20})
		if err != nil {
			return
		}
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
