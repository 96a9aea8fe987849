package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"footnote/assistants/ingestion/extract"
)

func init() { extract.Register(extract.TypePDF, readPDF) }

// readPDF reads a PDF with PDFium.
func readPDF(ctx context.Context, r *io.SectionReader, opt extract.Options) (extract.Document, error) {
	reader, err := startPDFium(ctx, opt.CacheDir)
	if err != nil {
		return extract.Document{}, err
	}
	defer reader.close()
	handle, err := reader.open(r)
	if err != nil {
		return extract.Document{}, err
	}
	file := pdfFile{pdfium: reader, doc: handle}
	pages, err := file.pages(ctx, opt)
	if err != nil {
		return extract.Document{}, err
	}
	if len(pages) == 0 {
		return extract.Document{}, &extract.Error{Code: extract.CodeNoText, Message: "The PDF has no pages."}
	}
	recognised, err := file.recognise(ctx, pages, opt)
	if err != nil {
		return extract.Document{}, err
	}
	title, outline := file.title(), dropAlike(file.outline())
	titles := []string{title}
	for _, m := range outline {
		titles = append(titles, m.title)
	}
	markRunning(pages, titles)
	w := pdfWriter{Writer: extract.Writer{Limit: opt.MaxText}, words: countWords(pages)}
	outline, inText := checkOutline(outline, pages)
	marked := markedPages(outline, len(pages))
	w.headings = typeHeadings(pages)
	bookmarked := len(marked) >= max(2, len(pages)/20) && (inText || len(w.headings) == 0)
	if bookmarked {
		keepSparse(w.headings, pages, marked)
	}
	w.write(pages)
	if w.Full() {
		return extract.Document{}, extract.TooMuchText(opt.MaxText)
	}
	doc := w.Finish()
	joinTables(&doc, w.tables)
	unread, bad := unreadPages(pages)
	switch blank := extract.IsBlank(doc.Text); {
	case blank && bad != nil:
		return extract.Document{}, errDamagedPDF(bad)
	case blank:
		return extract.Document{}, noTextInPDF(opt)
	}
	doc.Title, doc.OCR, doc.Unread = title, recognised > 0, unread
	if bookmarked {
		doc.Headings = belowBookmarks(outlineHeadings(doc, outline, w.lines), doc.Headings)
	}
	return doc, nil
}

// A pdfFile is an open PDF.
type pdfFile struct {
	*pdfium
	doc uint64
}

// count is the number of pages.
func (f pdfFile) count(opt extract.Options) (int, error) {
	count, err := f.integer("FPDF_GetPageCount", f.doc)
	switch {
	case err != nil:
		return 0, errFailedPDF(err)
	case count > opt.MaxPages:
		return 0, &extract.Error{Code: extract.CodeTooComplex, Message: fmt.Sprintf("The PDF has %d pages; at most %d can be read.", count, opt.MaxPages)}
	}
	return max(count, 0), nil
}

// pages reads every page and puts it into reading order.
func (f pdfFile) pages(ctx context.Context, opt extract.Options) ([]pageLayout, error) {
	count, err := f.count(opt)
	if err != nil {
		return nil, err
	}
	report := func(done int) {
		if opt.Progress != nil {
			opt.Progress(done, count)
		}
	}
	report(0)
	var (
		pages = make([]pageLayout, count)
		room  = opt.MaxText
	)
	for i := range pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		layout, chars, err := f.layoutOf(i, room)
		var refused *extract.Error
		switch {
		case errors.As(err, &refused):
			return nil, err
		case err != nil:
			pages[i].unread = err // the other pages can be read
		default:
			pages[i] = layout
			room -= chars
		}
		report(i + 1)
	}
	return pages, nil
}

// unreadPages counts the pages that could not be read, and returns why for one of them.
func unreadPages(pages []pageLayout) (n int, reason error) {
	for i := range pages {
		if pages[i].unread != nil {
			n, reason = n+1, pages[i].unread
		}
	}
	return n, reason
}

// layoutOf reads one page, which may hold at most limit characters.
func (f pdfFile) layoutOf(index, limit int) (pageLayout, int, error) {
	page, err := f.page(f.doc, index)
	if err != nil {
		return pageLayout{}, 0, err
	}
	defer page.close()
	if page.chars > limit {
		return pageLayout{}, 0, extract.TooMuchText(limit)
	}
	layout, err := page.layout()
	return layout, page.chars, err
}

func (f pdfFile) title() string {
	if err := f.writeString("Title"); err != nil {
		return ""
	}
	// The second half of the scratch memory has the tag, the first half gets its value.
	n, err := f.integer("FPDF_GetMetaText", f.doc, uint64(f.scratch)+scratchSize/2, uint64(f.scratch), scratchSize/2)
	if err != nil || n <= 2 || n > scratchSize/2 {
		return "" // a document without a title
	}
	title := cleanTitle(f.utf16Text(n))
	if title == "untitled" {
		return "" // the default title of some programs
	}
	return title
}

// writeString puts a string that ends with a zero into the second half of the scratch memory.
func (f pdfFile) writeString(s string) error {
	if !f.module.Memory().Write(f.scratch+scratchSize/2, append([]byte(s), 0)) {
		return errors.New("no memory")
	}
	return nil
}

// longestTitle is the most bytes of a title.
const longestTitle = 1000

func cleanTitle(s string) string {
	s = strings.Join(strings.Fields(extract.Normalise(strings.ToValidUTF8(s, ""))), " ")
	for len(s) > longestTitle { // no title, whatever it is
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}
