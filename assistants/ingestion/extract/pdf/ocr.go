package pdf

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"strings"
	"unicode"

	"footnote/assistants/ingestion/extract"
)

const (
	objectImage    = 3
	recognisedDPI  = 300 // the resolution that text recognition expects
	maxRecognised  = 1000
	recognisedEdge = 10_000 // the baseline below the last line of a recognised page
)

// recognise applies text recognition to pages that have pictures and no text. It returns
// the number of pages with recognised text.
func (f pdfFile) recognise(ctx context.Context, pages []pageLayout, opt extract.Options) (int, error) {
	if opt.Recognise == nil {
		return 0, nil
	}
	read, tried := 0, 0
	for i := range pages {
		if pages[i].holdsText() || tried == maxRecognised {
			continue
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		picture, err := f.scanned(i)
		if err != nil {
			pages[i].unread = err
		}
		if picture == nil {
			continue // the page is empty or broken
		}
		tried++
		text, err := opt.Recognise(ctx, i+1, picture)
		if err != nil {
			return 0, fmt.Errorf("recognise page %d: %w", i+1, err)
		}
		pages[i] = recognisedPage(text)
		if pages[i].holdsText() {
			read++
		}
	}
	return read, nil
}

func (l *pageLayout) holdsText() bool {
	found := false
	l.lines(func(_ *textBlock, line *textLine) {
		for _, g := range line.chars {
			if unicode.IsLetter(g.char) || unicode.IsNumber(g.char) {
				found = true
				return
			}
		}
	})
	return found
}

// scanned draws a page that contains a picture, as PNG. It returns nil for other pages.
func (f pdfFile) scanned(index int) ([]byte, error) {
	page, err := f.page(f.doc, index)
	if err != nil {
		return nil, err
	}
	defer page.close()
	if shows, err := page.showsPicture("FPDFPage_CountObjects", "FPDFPage_GetObject", page.handle, 4); err != nil || !shows {
		return nil, err
	}
	img, err := page.drawGrey(recognisedDPI)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img); err != nil {
		return nil, fmt.Errorf("encode the picture: %w", err)
	}
	return out.Bytes(), nil
}

// showsPicture reports whether a drawing contains a picture at any depth.
func (p *pdfPage) showsPicture(count, get string, of uint64, depth int) (bool, error) {
	n, err := p.integer(count, of)
	if err != nil || n > maxObjects {
		return false, err
	}
	for i := range n {
		object, err := p.call(get, of, uint64(i))
		if err != nil {
			return false, err
		}
		kind, err := p.integer("FPDFPageObj_GetType", object)
		switch {
		case err != nil:
			return false, err
		case kind == objectImage:
			return true, nil
		case kind == objectForm && depth > 0:
			if shows, err := p.showsPicture("FPDFFormObj_CountObjects", "FPDFFormObj_GetObject", object, depth-1); shows || err != nil {
				return shows, err
			}
		}
	}
	return false, nil
}

// recognisedPage makes a page of recognised lines, with blank lines between paragraphs.
// The places of the lines are not known. Lines of the upper half are placed from the top
// and those of the lower half from the bottom, so that running headers and footers are
// at the same height on all pages.
func recognisedPage(text string) pageLayout {
	var out pageLayout
	var block textBlock
	end := func() {
		if len(block.lines) > 0 {
			out.blocks = append(out.blocks, block)
		}
		block = textBlock{}
	}
	lines := strings.Split(strings.TrimSpace(extract.Normalise(strings.ToValidUTF8(text, ""))), "\n")
	for i, raw := range lines {
		fields := strings.Fields(raw)
		if len(fields) == 0 {
			end()
			continue
		}
		l := textLine{baseline: 12 * float64(i), size: 10}
		if 2*i >= len(lines) {
			l.baseline = recognisedEdge - 12*float64(len(lines)-i)
		}
		for _, r := range strings.Join(fields, " ") {
			l.chars = append(l.chars, glyph{r, -1})
		}
		l.endHyphen(false)
		if startsItem(l.chars) {
			end()
			block.item = true
		}
		block.lines = append(block.lines, l)
	}
	end()
	return out
}

// noTextInPDF says why a PDF of pictures has no text.
func noTextInPDF(opt extract.Options) error {
	e := &extract.Error{Code: extract.CodeNoText, Message: "The PDF holds no text, only pictures, and text recognition found none in them."}
	if opt.Recognise == nil {
		e.Message = "The PDF holds no text, only pictures. Have tesseract installed on the server (Debian: tesseract-ocr, and a package for each language such as tesseract-ocr-deu) " +
			"and process the document again, or upload it with its text recognised."
	}
	return e
}
