package extract

import (
	"bytes"
	"net/mail"
	"strconv"
	"strings"

	"github.com/jhillyerd/enmime/v2"
	"golang.org/x/net/html"
)

const (
	// maxAttachments bounds the number of a mail's attachments, maxAttached their
	// bytes in total.
	maxAttachments = 100
	maxAttached    = 48 << 20
	// maxForwarded is how deep mails within mails are read.
	maxForwarded = 8
)

// readMail reads a mail: subject, sender, recipients and date, then its body, then
// the mails within it, each under its subject. Attachments are returned as files
// and are not part of the text.
func readMail(raw []byte, opt Options) (Document, error) {
	m := mailReader{w: Writer{Limit: opt.MaxText}, room: maxAttached}
	if err := m.mail(raw, 1); err != nil {
		return Document{}, err
	}
	doc := m.w.Finish()
	doc.Title, doc.Encoding = m.title, m.encoding
	doc.Attachments = m.files
	return doc, nil
}

// A mailReader is the state of reading a mail.
type mailReader struct {
	w        Writer
	title    string
	encoding string
	files    []Attachment
	room     int // for files, in bytes
}

// mailParser reads as much of a damaged mail as it can.
var mailParser = enmime.NewParser(enmime.MaxStoredPartErrors(10), enmime.SkipMalformedParts(true), enmime.DisableTextConversion(true))

func (m *mailReader) mail(raw []byte, level int) error {
	env, err := mailParser.ReadEnvelope(bytes.NewReader(raw))
	if err != nil {
		return &Error{Code: CodeUnreadable, Message: "The mail is damaged.", Err: err}
	}
	m.head(env, level)
	m.body(env)
	for _, parts := range [][]*enmime.Part{env.Attachments, env.Inlines, env.OtherParts} {
		for _, p := range parts {
			if p.ContentType == TypeMail && level < maxForwarded && len(p.Content) > 0 {
				// A mail that cannot be read is kept as a file.
				if err := m.mail(p.Content, level+1); err == nil {
					continue
				}
			}
			m.attach(p)
		}
	}
	if m.w.Full() {
		return TooMuchText(m.w.Limit)
	}
	return nil
}

// head writes the subject, sender, recipients and date of a mail.
func (m *mailReader) head(env *enmime.Envelope, level int) {
	subject := strings.Join(strings.Fields(Normalise(env.GetHeader("Subject"))), " ")
	if level == 1 {
		m.title = subject
		if env.Root != nil {
			m.encoding = strings.ToLower(env.Root.OrigCharset)
		}
	}
	if subject == "" {
		m.w.BreakLine(2)
	}
	m.w.StartHeading(level)
	m.w.Text(subject)
	m.w.EndHeading()
	for _, name := range []string{"From", "To", "Cc", "Date"} {
		value := m.header(env, name)
		if value == "" {
			continue
		}
		m.w.BreakLine(1)
		m.w.Text(name + ": " + value)
	}
	m.w.BreakLine(2)
}

// header returns the value of a header. It formats dates; addresses are not
// parsed, so damaged ones are kept.
func (m *mailReader) header(env *enmime.Envelope, name string) string {
	value := env.GetHeader(name)
	if name == "Date" {
		if date, err := mail.ParseDate(value); err == nil {
			return date.Format("2006-01-02 15:04 -0700")
		}
	}
	return Normalise(value)
}

// body writes the body of the mail: its HTML, which has tables and headings, or
// else its plain text.
func (m *mailReader) body(env *enmime.Envelope) {
	if strings.TrimSpace(env.HTML) != "" {
		before := m.w.Out.Len()
		p := page{z: html.NewTokenizer(strings.NewReader(env.HTML)), w: &m.w}
		for p.step() {
		}
		m.w.endOpen()
		if m.w.Out.Len() > before {
			return
		}
	}
	m.w.BreakLine(2)
	m.w.verbatim(env.Text)
	m.w.BreakLine(2)
}

// attach adds an attachment. It drops the content if the limit for all
// attachments is exceeded.
func (m *mailReader) attach(p *enmime.Part) {
	if len(p.Content) == 0 {
		return
	}
	if len(m.files) == maxAttachments {
		return
	}
	content := p.Content
	if len(content) > m.room {
		content = nil
	}
	m.room -= len(content)
	name := strings.Join(strings.Fields(Normalise(p.FileName)), " ")
	if name == "" {
		name = "attachment " + strconv.Itoa(len(m.files)+1)
	}
	m.files = append(m.files, Attachment{Name: name, Data: content})
}

// isMail recognises a mail by its headers: a sender, and a header that only mail
// programs write. A file named .eml does not need the latter.
func isMail(head []byte, isEML bool) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	seen := map[string]bool{}
	for line := range bytes.Lines(head) {
		if !bytes.HasSuffix(line, []byte("\n")) && seen["from"] {
			break // the head was cut within this line
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if line[0] == ' ' || line[0] == '\t' || bytes.HasPrefix(line, []byte("From ")) {
			continue
		}
		name, _, ok := bytes.Cut(line, []byte(":"))
		if !ok || bytes.ContainsAny(name, " \t") {
			return false
		}
		seen[strings.ToLower(string(name))] = true
	}
	sent := seen["message-id"] || seen["received"] || seen["mime-version"] || seen["return-path"] || seen["delivered-to"]
	return seen["from"] && (isEML || sent) && (seen["date"] || seen["to"] || seen["subject"])
}
