package office

import (
	"bytes"
	"context"
	"net/url"
	"path"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"footnote/assistants/ingestion/extract"
)

// maxChapter is the largest size of one file of a book, in bytes.
const maxChapter = 16 << 20

// readEPUB reads the files of a book in the order of its spine, each as HTML. A book
// has no fixed pages, so its passages are cited by chapter. A file without a
// heading gets its title in the table of contents.
func readEPUB(ctx context.Context, a *archive, opt extract.Options) (extract.Document, error) {
	b := &book{ctx: ctx, a: a}
	if err := b.open(); err != nil {
		return extract.Document{}, err
	}
	if len(b.spine) > opt.MaxPages {
		return extract.Document{}, tooManyPages(len(b.spine), opt.MaxPages)
	}
	names, err := b.contents()
	if err != nil {
		return extract.Document{}, err
	}
	if err := b.refuseEncrypted(); err != nil {
		return extract.Document{}, err
	}
	w := extract.Writer{Limit: opt.MaxText}
	reportProgress(opt, 0, len(b.spine))
	for i, part := range b.spine {
		if err := ctx.Err(); err != nil {
			return extract.Document{}, err
		}
		if part != b.nav && a.has(part) { // without a file, only its chapter is missing
			raw, err := a.readAll(part, maxChapter)
			if err != nil {
				return extract.Document{}, err
			}
			chapter := extract.ReadHTML(closedTags(raw))
			w.BreakLine(2)
			if name, ok := names[part]; ok && len(chapter.Headings) == 0 && chapter.Text != "" {
				w.NameSection(name.level, name.title)
			}
			w.Append(chapter)
			w.BreakLine(2)
		}
		if w.Full() {
			return extract.Document{}, extract.TooMuchText(opt.MaxText)
		}
		reportProgress(opt, i+1, len(b.spine))
	}
	doc := w.Finish()
	doc.Title = b.title
	return doc, nil
}

// emptyTag matches self-closed elements. HTML parsers ignore the slash and would
// take what follows for their content.
var emptyTag = regexp.MustCompile(`(?i)<(title|script|style|textarea|iframe|noscript|noembed|noframes|xmp|template|nav|select|button|object|canvas|audio|video|pre|table|ul|ol)(\s[^<>]*)?/>`)

func closedTags(raw []byte) []byte { return emptyTag.ReplaceAll(raw, []byte("<$1$2></$1>")) }

// A book is an open EPUB.
type book struct {
	ctx   context.Context
	a     *archive
	title string
	spine []string // files in the order of reading
	nav   string   // the table of contents, a page
	ncx   string   // the same in the form of EPUB 2
}

// open reads the package document.
func (b *book) open() error {
	pack := ""
	err := b.a.part(b.ctx, "META-INF/container.xml", func(x *xmlReader, _ element) error {
		return x.children(func(e element) error {
			if e.name == "rootfile" && pack == "" {
				pack = e.attr("full-path")
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	files, order, toc := map[string]string{}, []string(nil), ""
	err = b.a.part(b.ctx, pack, func(x *xmlReader, e element) error {
		switch e.name {
		case "spine":
			toc = e.attr("toc")
		case "metadata", "manifest":
		default:
			return nil
		}
		return x.children(func(e element) error {
			switch e.name {
			case "title":
				text, err := x.text()
				if b.title == "" {
					b.title = oneLine(text)
				}
				return err
			case "item":
				part := b.resolve(pack, e.attr("href"))
				files[e.attr("id")] = part
				for property := range strings.FieldsSeq(e.attr("properties")) {
					if property == "nav" {
						b.nav = part
					}
				}
			case "itemref":
				order = append(order, e.attr("idref"))
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, id := range order {
		if part := files[id]; part != "" && !seen[part] {
			seen[part] = true
			b.spine = append(b.spine, part)
		}
	}
	b.ncx = files[toc]
	return nil
}

// resolve returns the file that a link in another file points to, or "" if the link
// leaves the book.
func (b *book) resolve(from, link string) string {
	u, err := url.Parse(link)
	if err != nil || u.IsAbs() || u.Host != "" {
		return ""
	}
	if u.Path == "" {
		return from
	}
	return strings.TrimPrefix(path.Join("/", path.Dir(from), u.Path), "/")
}

// A chapterName is the title of a file in the table of contents.
type chapterName struct {
	title string
	level int
}

// contents reads the table of contents. The first entry of a file names it.
func (b *book) contents() (map[string]chapterName, error) {
	names := map[string]chapterName{}
	for _, part := range []string{b.nav, b.ncx} {
		if part == "" || !b.a.has(part) || len(names) > 0 {
			continue
		}
		raw, err := b.a.readAll(part, maxChapter)
		if err != nil {
			return nil, err
		}
		b.readContents(part, raw, names)
	}
	return names, nil
}

// readContents collects names from the links of an HTML page or the points of an
// NCX file. Both are parsed as HTML, because the XML reader refuses the NCX's DTD.
func (b *book) readContents(part string, raw []byte, names map[string]chapterName) {
	z := html.NewTokenizer(bytes.NewReader(closedTags(raw)))
	var (
		depth, skip int
		title, link string
		inTitle     bool
	)
	keep := func() {
		if target := b.resolve(part, link); target != "" && oneLine(title) != "" {
			if _, ok := names[target]; !ok {
				names[target] = chapterName{oneLine(title), max(1, min(depth, 6))}
			}
		}
		title, link, inTitle = "", "", false
	}
	for {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			return
		case html.TextToken:
			if inTitle && skip == 0 && len(title) < 1<<10 {
				title += html.UnescapeString(string(z.Text()))
			}
			continue
		case html.CommentToken, html.DoctypeToken:
			continue
		}
		t := z.Token()
		start := kind != html.EndTagToken
		switch {
		case t.DataAtom == atom.Nav && start:
			if kind := attribute(t, "epub:type"); kind != "" && kind != "toc" {
				skip++ // a list of pages or of landmarks
			}
		case t.DataAtom == atom.Nav:
			skip = max(0, skip-1)
		case t.DataAtom == atom.Ol || t.Data == "navpoint":
			if start {
				depth++
			} else {
				depth--
			}
		case t.DataAtom == atom.A && start && skip == 0:
			title, link, inTitle = "", attribute(t, "href"), true
		case t.DataAtom == atom.A && inTitle:
			keep()
		case t.Data == "navlabel" && start:
			title, inTitle = "", true
		case t.Data == "navlabel":
			inTitle = false
		case t.Data == "content" && start:
			link = attribute(t, "src")
			keep()
		}
	}
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// refuseEncrypted refuses books whose text is encrypted. Encrypted fonts are allowed:
// that is a common way to keep fonts from being copied.
func (b *book) refuseEncrypted() error {
	if !b.a.has("META-INF/encryption.xml") {
		return nil
	}
	encrypted := false
	err := b.a.part(b.ctx, "META-INF/encryption.xml", func(x *xmlReader, e element) error {
		if e.name != "EncryptedData" {
			return nil
		}
		return x.each("CipherData", func(element) error {
			return x.children(func(e element) error {
				target := b.resolve("x", e.attr("URI")) // from the root
				for _, part := range b.spine {
					encrypted = encrypted || part == target
				}
				return nil
			})
		})
	})
	if err == nil && encrypted {
		return &extract.Error{Code: extract.CodeEncrypted, Message: "The book is protected against copying. Upload a copy without that protection."}
	}
	return err
}
