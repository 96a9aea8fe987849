package extract

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"
)

// mailOf is a mail with lines as they are sent.
func mailOf(lines ...string) []byte { return []byte(strings.Join(lines, "\r\n")) }

func TestAMailIsItsHeadAndWhatItSays(t *testing.T) {
	doc := mustExtract(t, "a.eml", mailOf(
		"Received: from a by b", "From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>", "To: Anna <anna@example.org>,", " Ben <ben@example.org>", "Cc: c@example.org",
		"Subject: =?iso-8859-1?Q?Gr=FC=DFe?=", "Date: Mon, 2 Mar 2026 10:00:00 +0100", "Content-Type: text/plain; charset=iso-8859-1", "Content-Transfer-Encoding: quoted-printable", "",
		"Sch=F6ne Gr=FC=", "=DFe.", "", "> quoted", "> words"))
	want := "Grüße\n\nFrom: Jürgen <j@example.org>\nTo: Anna <anna@example.org>, Ben <ben@example.org>\nCc: c@example.org\nDate: 2026-03-02 10:00 +0100\n\nSchöne Grüße.\n\n> quoted\n> words"
	if strings.ReplaceAll(doc.Text, `"Jürgen"`, "Jürgen") != want || doc.Title != "Grüße" || doc.ContentType != TypeMail {
		t.Errorf("%q under %q, want %q", doc.Text, doc.Title, want)
	}
	if !slices.Equal(doc.Headings, []Heading{{0, 1, "Grüße"}}) {
		t.Errorf("headings %v", doc.Headings)
	}
}

func TestThePageOfAMailIsReadInPlaceOfItsPlainText(t *testing.T) {
	head := []string{"From: a@example.org", "Message-ID: <1@x>", "Subject: Rates", "MIME-Version: 1.0", "Content-Type: multipart/alternative; boundary=b", "", "--b", "Content-Type: text/plain", "", "plain words", "--b", "Content-Type: text/html; charset=utf-8", ""}
	doc := mustExtract(t, "", mailOf(append(slices.Clone(head), "<style>p{}</style><p>See <a href='http://x'>the portal</a>.</p><table><tr><th>A<th>B<tr><td>1<td>2</table>", "--b--")...))
	if want := "Rates\n\nFrom: a@example.org\n\nSee the portal.\n\nA | B\n1 | 2"; doc.Text != want {
		t.Errorf("%q, want %q", doc.Text, want)
	}
	if got := headers(doc); !slices.Equal(got, []string{"A | B"}) {
		t.Errorf("headers %q", got)
	}
	doc = mustExtract(t, "", mailOf(append(slices.Clone(head), "<img src=x>", "--b--")...))
	if !strings.HasSuffix(doc.Text, "plain words") {
		t.Errorf("a page without words: %q", doc.Text)
	}
}

func TestAttachmentsComeBesideTheText(t *testing.T) {
	doc := mustExtract(t, "a.eml", mailOf(
		"From: a@example.org", "Message-ID: <1@x>", "Subject: Files", "MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=b", "",
		"--b", "Content-Type: text/plain", "", "See the files.",
		"--b", "Content-Type: text/csv; name=rates.csv", "Content-Disposition: attachment; filename=\"=?utf-8?q?S=C3=A4tze.csv?=\"", "Content-Transfer-Encoding: base64", "", "YSxiCjEsMgo=",
		"--b", "Content-Type: image/png; name=logo.png", "Content-Disposition: inline; filename=../logo.png", "Content-ID: <l>", "Content-Transfer-Encoding: base64", "", "iVBORw0KGgo=",
		"--b", "Content-Type: message/rfc822", "", "From: c@example.org", "Subject: Inner", "Message-ID: <2@x>", "Content-Type: multipart/mixed; boundary=c", "",
		"--c", "Content-Type: text/plain", "", "Inner words.", "--c", "Content-Type: text/plain; name=deep.txt", "Content-Disposition: attachment; filename=deep.txt", "", "Deep.", "--c--",
		"--b--"))
	want := "Files\n\nFrom: a@example.org\n\nSee the files.\n\nInner\n\nFrom: c@example.org\n\nInner words."
	if doc.Text != want {
		t.Errorf("%q, want %q", doc.Text, want)
	}
	if !slices.Equal(doc.Headings, []Heading{{0, 1, "Files"}, {strings.Index(want, "Inner"), 2, "Inner"}}) {
		t.Errorf("headings %v", doc.Headings)
	}
	got := map[string]string{}
	for _, a := range doc.Attachments {
		got[a.Name] = string(a.Data)
	}
	if len(doc.Attachments) != 3 || got["Sätze.csv"] != "a,b\n1,2\n" || got["deep.txt"] != "Deep." || !strings.HasPrefix(got["../logo.png"], "\x89PNG") {
		t.Errorf("%q", got)
	}
}

func TestMailsInOlderEncodings(t *testing.T) {
	body := encode(t, japanese.ISO2022JP, japan)
	doc := mustExtract(t, "a.eml", append(mailOf("From: a@example.org", "Message-ID: <1@x>", "Subject: J", "Content-Type: text/plain; charset=iso-2022-jp", "", ""), body...))
	if !strings.HasSuffix(doc.Text, japan) {
		t.Errorf("%q", doc.Text)
	}
}

func TestMailsWithinMailsEnd(t *testing.T) {
	raw := "Subject: last\r\n\r\nwords"
	for range 20 {
		raw = "From: a@example.org\r\nMessage-ID: <1@x>\r\nSubject: next\r\nContent-Type: message/rfc822\r\n\r\n" + raw
	}
	for range 200 {
		raw = "From: a@example.org\r\nMessage-ID: <1@x>\r\nSubject: next\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n" + raw
	}
	doc := mustExtract(t, "a.eml", []byte(raw))
	if !strings.HasPrefix(doc.Text, "next") {
		t.Errorf("%q", doc.Text)
	}
}

func TestAttachmentsAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("From: a@example.org\r\nMessage-ID: <1@x>\r\nSubject: many\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n")
	for range maxAttachments + 50 {
		b.WriteString("--b\r\nContent-Type: text/plain; name=a.txt\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\n" + strings.Repeat("x", 1000) + "\r\n")
	}
	m := mailReader{room: 50_000}
	if err := m.mail([]byte(b.String()+"--b--"), 1); err != nil {
		t.Fatal(err)
	}
	total, left := 0, 0
	for _, a := range m.files {
		total += len(a.Data)
		if a.Data == nil {
			left++
		}
	}
	if len(m.files) != maxAttachments || total > 50_000 || left == 0 {
		t.Errorf("%d attachments of %d bytes, %d left out", len(m.files), total, left)
	}
}

func FuzzMail(f *testing.F) {
	f.Add("From: a\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<table><tr><th>a\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\ny\r\n--b--")
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := readMail([]byte(text), Options{MaxText: 1 << 20})
		if err != nil {
			return
		}
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
