package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
)

// pdfMemoryPages is the most memory PDFium may use, in pages of 64 KiB: 256 MiB.
const pdfMemoryPages = 4096

// readPDF reads a PDF with PDFium, which runs as WebAssembly: without files,
// without network, with memory of its own.
func readPDF(ctx context.Context, r *io.SectionReader, opt Options) (Document, error) {
	reader, closeReader, err := startPDFium(ctx, opt.CacheDir)
	if err != nil {
		return Document{}, err
	}
	defer closeReader()
	opened, err := reader.OpenDocument(&requests.OpenDocument{FileReader: r, FileReaderSize: r.Size()})
	if err != nil {
		return Document{}, pdfError(err)
	}
	file := pdfFile{pdf: reader, doc: opened.Document}
	pages, err := file.pages(ctx, opt)
	if err != nil {
		return Document{}, err
	}
	doc := joinPages(pages)
	doc.Headings = file.headings(doc)
	doc.Title = file.title()
	return doc, nil
}

// startPDFium makes an instance of its own for one document.
func startPDFium(ctx context.Context, cacheDir string) (pdfium.Pdfium, func(), error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(pdfMemoryPages)
	release := func() {}
	if cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
		if err != nil {
			return startPDFium(ctx, "") // slower, and that is all
		}
		config = config.WithCompilationCache(cache)
		// The context would only stop the closing of files.
		release = func() { _ = cache.Close(context.WithoutCancel(ctx)) }
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxIdle: 1, MaxTotal: 1,
		RuntimeConfig: config,
		FSConfig:      wazero.NewFSConfig(), // the default would mount the whole disk
		Stdout:        io.Discard,
		Stderr:        io.Discard,
	})
	if err != nil {
		release()
		if cacheDir != "" { // a full disk is no fault of the document
			return startPDFium(ctx, "")
		}
		return nil, nil, fmt.Errorf("start PDFium: %w", err)
	}
	instance, err := pool.GetInstance(time.Minute)
	if err != nil {
		_ = pool.Close()
		release()
		return nil, nil, fmt.Errorf("start PDFium: %w", err)
	}
	// Closing frees memory and nothing else; what it says does not matter.
	return instance, func() { _ = pool.Close(); release() }, nil
}

func pdfError(err error) error {
	switch {
	case errors.Is(err, pdferrors.ErrPassword), errors.Is(err, pdferrors.ErrSecurity):
		return &Error{Code: CodeEncrypted, Message: "The PDF is protected by a password. Remove the protection and upload it again.", Err: err}
	case errors.Is(err, pdferrors.ErrFormat), errors.Is(err, pdferrors.ErrFile), errors.Is(err, pdferrors.ErrPage), errors.Is(err, pdferrors.ErrUnknown):
		return &Error{Code: CodeUnreadable, Message: "The file is not a valid PDF, or it is damaged.", Err: err}
	}
	return &Error{Code: CodeParserFailed, Message: "The PDF could not be read: the reader failed on it.", Err: err}
}

// A pdfFile is an open PDF.
type pdfFile struct {
	pdf pdfium.Pdfium
	doc references.FPDF_DOCUMENT
}

// pages reads the text of every page, as PDFium gives it.
func (f pdfFile) pages(ctx context.Context, opt Options) ([]string, error) {
	count, err := f.pdf.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: f.doc})
	if err != nil {
		return nil, pdfError(err)
	}
	if count.PageCount > opt.MaxPages {
		return nil, &Error{Code: CodeTooComplex, Message: fmt.Sprintf("The PDF has %d pages; at most %d can be read.", count.PageCount, opt.MaxPages)}
	}
	report := func(done int) {
		if opt.Progress != nil {
			opt.Progress(done, count.PageCount)
		}
	}
	report(0)
	var (
		pages = make([]string, count.PageCount)
		total int
		bad   error
		read  int
	)
	for i := range pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, err := f.page(i, opt.MaxText-total)
		var refused *Error
		switch {
		case errors.As(err, &refused):
			return nil, err
		case err != nil:
			bad = err // one broken page does not cost the others
		default:
			pages[i] = text
			total += len(text)
			read++
		}
		report(i + 1)
	}
	if read == 0 && bad != nil {
		return nil, pdfError(bad)
	}
	return pages, nil
}

// page reads one page, which may give at most limit characters.
func (f pdfFile) page(index, limit int) (string, error) {
	page, err := f.pdf.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: f.doc, Index: index})
	if err != nil {
		return "", err
	}
	// Errors of closing would only say that nothing was open.
	defer func() { _, _ = f.pdf.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page.Page}) }()
	text, err := f.pdf.FPDFText_LoadPage(&requests.FPDFText_LoadPage{
		Page: requests.Page{ByReference: &page.Page},
	})
	if err != nil {
		return "", err
	}
	defer func() { _, _ = f.pdf.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage}) }()
	chars, err := f.pdf.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text.TextPage})
	if err != nil {
		return "", err
	}
	switch {
	case chars.Count == 0:
		return "", nil
	case chars.Count > limit:
		return "", tooMuchText(limit)
	}
	out, err := f.pdf.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: text.TextPage, Count: chars.Count})
	if err != nil {
		return "", err
	}
	return out.Text, nil
}

func (f pdfFile) title() string {
	meta, err := f.pdf.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: f.doc, Tag: "Title"})
	if err != nil {
		return "" // a document without a title
	}
	title := strings.Join(strings.Fields(normalise(strings.ToValidUTF8(meta.Value, ""))), " ")
	if title == "untitled" {
		return "" // what programs write who have not been told one
	}
	return title
}
