package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/pdf"
	"footnote/proxy/apierr"
)

// maxMarkedText is the longest page, in bytes, that is searched for a passage.
const maxMarkedText = 1 << 20

// pagePicture sends an image of a page of d. It marks the passage that the query
// parameter highlight gives in code points of the document's text.
func (a *api) pagePicture(c *gin.Context, d assistants.Document, number int) error {
	if a.Pictures == nil {
		return apierr.NotAvailable("format")
	}
	d, text, err := a.textWithVersion(c.Request.Context(), d)
	if err != nil {
		return err
	}
	if d.Version.ContentType != extract.TypePDF {
		return notDrawn()
	}
	want := pdf.Picture{Page: number}
	if want.DPI, err = size(c, "dpi", pdf.MinDPI, pdf.MaxDPI); err != nil {
		return err
	}
	if want.Width, err = size(c, "width", pdf.MinWidth, pdf.MaxWidth); err != nil {
		return err
	}
	start, end, err := highlighted(c, text.Runes)
	if err != nil {
		return err
	}
	if err := mark(&want, text, start, end); err != nil {
		return err
	}
	h := c.Writer.Header()
	tag := fmt.Sprintf(`"%s-%d-%d-%d-%d-%d"`, d.Version.SHA256, number, want.DPI, want.Width, start, end)
	h.Set("Cache-Control", "private, no-cache") // a copy may be cached, but the key is checked each time
	h.Set("Etag", tag)
	if c.GetHeader("If-None-Match") == tag {
		c.Status(http.StatusNotModified)
		return nil
	}
	picture, err := a.Pictures.Draw(c.Request.Context(), d.Version.BlobKey, want)
	var bad *extract.Error
	if errors.As(err, &bad) {
		err = apierr.New(http.StatusUnprocessableEntity, bad.Code, bad.Message)
	}
	if err != nil {
		h.Del("Etag")
		return err
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	c.Data(http.StatusOK, "image/png", picture)
	return nil
}

// textWithVersion reads the live version's text together with the document as it
// is at that version: a passage of one version must not be marked on a page of
// another.
func (a *api) textWithVersion(ctx context.Context, d assistants.Document) (assistants.Document, assistants.Text, error) {
	for {
		text, err := a.Store.LiveText(ctx, d.TenantID, d.ID)
		if err != nil {
			return d, text, err
		}
		now, err := a.Store.Document(ctx, d.TenantID, d.ID)
		if err != nil || now.Live == d.Live {
			return d, text, err
		}
		d = now // a newer version was published in between
	}
}

func notDrawn() error {
	e := apierr.NotAvailable("format")
	e.Message = "There are pictures of pages for PDF documents only; this one is of another format."
	return e
}

// mark adds the page's text, and the part of it that [start, end) covers, to the
// request.
func mark(want *pdf.Picture, text assistants.Text, start, end int) error {
	for _, p := range text.Pages {
		if p.Number != want.Page {
			continue
		}
		start, end = max(start, p.Start)-p.Start, min(end, p.End)-p.Start
		if start >= end {
			return nil // the passage is on another page
		}
		page := codePoints(text.Text, p.Start, p.End)
		if len(page) > maxMarkedText {
			return nil
		}
		want.Text = page
		want.Start = len(codePoints(page, 0, start))
		want.End = want.Start + len(codePoints(page, start, min(end, utf8.RuneCountInString(page))))
		return nil
	}
	return assistants.ErrNotFound
}

// size reads a query parameter between two bounds; 0: not given.
func size(c *gin.Context, name string, least, most int) (int, error) {
	given, ok := c.GetQuery(name)
	if !ok {
		return 0, nil
	}
	n, err := strconv.Atoi(given)
	if err != nil || n < least || n > most {
		return 0, apierr.Invalid(name, fmt.Sprintf("%s must be a whole number from %d to %d.", name, least, most))
	}
	return n, nil
}

// highlighted reads highlight=start-end, a range of a text of length code
// points.
func highlighted(c *gin.Context, length int) (start, end int, err error) {
	given, ok := c.GetQuery("highlight")
	if !ok {
		return 0, 0, nil
	}
	from, to, _ := strings.Cut(given, "-")
	start, errStart := strconv.Atoi(from)
	end, errEnd := strconv.Atoi(to)
	if errStart == nil && errEnd == nil && 0 <= start && start < end && end > length {
		return 0, 0, apierr.Invalid("highlight", fmt.Sprintf("highlight ends behind the document's text, which has %d characters.", length))
	}
	if errStart != nil || errEnd != nil || start < 0 || start >= end {
		return 0, 0, apierr.Invalid("highlight", "highlight must be start-end, two offsets into the document's text, the smaller one first, such as 120-180.")
	}
	return start, end, nil
}
