package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
)

// A Picture asks for a picture of a page of a PDF.
type Picture struct {
	Page int `json:"page"` // from 1
	// DPI is the resolution, 0: 100. Width, if not 0, is the picture's width in
	// points of the screen instead.
	DPI   int `json:"dpi,omitempty"`
	Width int `json:"width,omitempty"`
	// Text is the page's text as it was extracted; its bytes [Start, End) are marked.
	Text  string `json:"text,omitempty"`
	Start int    `json:"start,omitempty"`
	End   int    `json:"end,omitempty"`
}

// Bounds of pictures.
const (
	MinDPI           = 36
	MaxDPI           = 200
	MinWidth         = 100
	MaxWidth         = 2000
	defaultDPI       = 100
	maxPixels        = 9_000_000 // whatever the page's size: A4 at 300 dpi
	drawnLayers      = 6         // pictures of a page that PDFium often has at a time, where shapes are half transparent
	pointsPerInch    = 72
	renderAnnotation = 0x01 // also notes and filled forms
	renderRGB        = 0x10
)

// ErrNoPage says that a PDF does not have a page.
var ErrNoPage = errors.New("pdf: no such page")

// Draw draws a page as PNG. Its error is an [*extract.Error], [ErrNoPage] or the context's.
func Draw(ctx context.Context, r io.ReaderAt, size int64, want Picture, cacheDir string) ([]byte, error) {
	reader, err := startPDFium(ctx, cacheDir)
	if err != nil {
		return nil, err
	}
	defer reader.close()
	doc, err := reader.open(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, err
	}
	count, err := reader.integer("FPDF_GetPageCount", doc)
	if err != nil {
		return nil, errFailedPDF(err)
	}
	if want.Page < 1 || want.Page > count {
		return nil, ErrNoPage
	}
	page, err := reader.page(doc, want.Page-1)
	if err != nil {
		return nil, errDamagedPDF(err)
	}
	defer page.close()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	img, err := page.draw(want)
	if err != nil {
		return nil, errFailedPDF(err)
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img); err != nil {
		return nil, errFailedPDF(fmt.Errorf("encode the picture: %w", err))
	}
	return out.Bytes(), nil
}

// drawGrey draws the page in grey, which is what text recognition needs.
func (p *pdfPage) drawGrey(dpi int) (*image.Gray, error) {
	width, height, err := p.pixels(Picture{DPI: dpi})
	if err != nil {
		return nil, err
	}
	img := image.NewGray(image.Rect(0, 0, width, height))
	return img, p.render(width, height, func(y int, rgb []byte) {
		line := img.Pix[y*img.Stride:][:width]
		for x := range line {
			c := rgb[4*x:][:3]
			line[x] = uint8((299*int(c[0]) + 587*int(c[1]) + 114*int(c[2]) + 500) / 1000)
		}
	})
}

// drawColour draws the page in colour.
func (p *pdfPage) drawColour(width, height int) (*image.RGBA, error) {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	return img, p.render(width, height, func(y int, rgb []byte) {
		line := img.Pix[y*img.Stride:][:4*width]
		copy(line, rgb)
		for x := 3; x < len(line); x += 4 {
			line[x] = 0xFF
		}
	})
}

// draw draws the page with its passage marked.
func (p *pdfPage) draw(want Picture) (*image.RGBA, error) {
	want.DPI = min(want.DPI, MaxDPI)
	width, height, err := p.pixels(want)
	if err != nil {
		return nil, err
	}
	img, err := p.drawColour(width, height)
	if err != nil || want.Start >= want.End {
		return img, err
	}
	layout, err := p.layout()
	if err != nil {
		return nil, err
	}
	marked := make([]bool, width*height)
	for _, run := range runsOf(layout.locate(want.Text, want.Start, want.End)) {
		marks, err := p.rectangles(run, width, height)
		if err != nil {
			return nil, err
		}
		for _, m := range marks {
			highlight(img, m, marked)
		}
	}
	return img, nil
}

// pixels is the size of the picture.
func (p *pdfPage) pixels(want Picture) (width, height int, err error) {
	var size [2]float64
	for i, name := range []string{"FPDF_GetPageWidthF", "FPDF_GetPageHeightF"} {
		v, err := p.call(name, p.handle)
		if err != nil {
			return 0, 0, err
		}
		size[i] = float64(math.Float32frombits(uint32(v)))
		if !(size[i] >= 1 && size[i] < 1e6) { // or not a number
			return 0, 0, errors.New("the page has no size")
		}
	}
	dpi := want.DPI
	if dpi == 0 {
		dpi = defaultDPI
	}
	scale := float64(min(max(dpi, MinDPI), recognisedDPI)) / pointsPerInch
	if want.Width > 0 {
		scale = float64(min(max(want.Width, MinWidth), MaxWidth)) / size[0]
	}
	if pixels := size[0] * size[1] * scale * scale; pixels > maxPixels {
		scale *= math.Sqrt(maxPixels / pixels)
	}
	return max(int(size[0]*scale+0.5), 1), max(int(size[1]*scale+0.5), 1), nil
}

// render lets PDFium draw the page on white. line gets each line of the picture, in PDFium's
// memory: red, green, blue and an unused byte per pixel.
func (p *pdfPage) render(width, height int, line func(y int, rgb []byte)) error {
	w, h := uint64(width), uint64(height)
	p.makeRoom(drawnLayers * 4 * width * height)
	bitmap, err := p.call("FPDFBitmap_Create", w, h, 0)
	if err != nil {
		return err
	}
	if bitmap == 0 {
		return errors.New("no memory for the picture")
	}
	defer func() { _, _ = p.call("FPDFBitmap_Destroy", bitmap) }()
	if _, err := p.call("FPDFBitmap_FillRect", bitmap, 0, 0, w, h, 0xFFFFFFFF); err != nil {
		return err
	}
	if _, err := p.call("FPDF_RenderPageBitmap", bitmap, p.handle, 0, 0, w, h, 0, renderAnnotation|renderRGB); err != nil {
		return err
	}
	buffer, err := p.call("FPDFBitmap_GetBuffer", bitmap)
	if err != nil {
		return err
	}
	stride, err := p.integer("FPDFBitmap_GetStride", bitmap)
	if err != nil {
		return err
	}
	raw, ok := p.module.Memory().Read(uint32(buffer), uint32(stride*height))
	if !ok || stride < 4*width {
		return errors.New("the picture is not in memory")
	}
	for y := range height {
		line(y, raw[y*stride:][:4*width])
	}
	return nil
}

// A run is a sequence of consecutive characters of the page.
type run struct{ from, count int }

func runsOf(indexes []int32) []run {
	var out []run
	for _, i := range indexes {
		if n := len(out); n > 0 && out[n-1].from+out[n-1].count == int(i) {
			out[n-1].count++
			continue
		}
		out = append(out, run{int(i), 1})
	}
	return out
}

// rectangles returns the places of characters on a picture of the page.
func (p *pdfPage) rectangles(r run, width, height int) ([]image.Rectangle, error) {
	n, err := p.integer("FPDFText_CountRects", p.text, uint64(r.from), uint64(r.count))
	if err != nil {
		return nil, err
	}
	var out []image.Rectangle
	for i := range n {
		ok, err := p.integer("FPDFText_GetRect", p.text, uint64(i), p.scratchAddress(0), p.scratchAddress(1), p.scratchAddress(2), p.scratchAddress(3))
		if err != nil {
			return nil, err
		}
		if ok == 0 {
			continue
		}
		left, top, right, bottom := p.double(0), p.double(1), p.double(2), p.double(3)
		a, err := p.onPicture(left, top, width, height)
		if err != nil {
			return nil, err
		}
		b, err := p.onPicture(right, bottom, width, height)
		if err != nil {
			return nil, err
		}
		m := image.Rectangle{Min: a, Max: b}.Canon()
		m.Min, m.Max = m.Min.Sub(image.Pt(1, 1)), m.Max.Add(image.Pt(1, 1))
		out = append(out, m)
	}
	return out, nil
}

// onPicture converts a place on the page into one on the picture. PDFium takes into
// account how the page is cropped and turned.
func (p *pdfPage) onPicture(x, y float64, width, height int) (image.Point, error) {
	_, err := p.call("FPDF_PageToDevice", p.handle, 0, 0, uint64(width), uint64(height), 0,
		math.Float64bits(x), math.Float64bits(y), p.scratchAddress(8), p.scratchAddress(9))
	if err != nil {
		return image.Point{}, err
	}
	at := func(n int) int {
		v, _ := p.module.Memory().ReadUint32Le(uint32(p.scratchAddress(n)))
		return int(int32(v))
	}
	return image.Pt(at(8), at(9)), nil
}

// highlight colours a rectangle as a marker pen does: black stays black. It colours
// each pixel once.
func highlight(img *image.RGBA, r image.Rectangle, marked []bool) {
	r = r.Intersect(img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if at := y*img.Rect.Dx() + x; !marked[at] {
				marked[at] = true
				c := img.Pix[img.PixOffset(x, y):]
				c[1] = uint8(int(c[1]) * 0xF0 / 0xFF)
				c[2] = uint8(int(c[2]) * 0x66 / 0xFF)
			}
		}
	}
}
