package control

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

func (a *api) documentChunks(c *gin.Context) error {
	d, _, err := a.cited(c)
	if err != nil {
		return err
	}
	list, err := listOf(c)
	if err != nil {
		return err
	}
	items, next, err := a.Store.LiveChunks(c.Request.Context(), d.TenantID, d.ID, list)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, pageOf(items, next, viewChunk))
	return nil
}

type textView struct {
	Text  string `json:"text"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Total int    `json:"total"`
}

// documentText returns a range of the extracted text, in code points. The range
// is clamped to the text, and the answer contains the actual range.
func (a *api) documentText(c *gin.Context) error {
	d, _, err := a.cited(c)
	if err != nil {
		return err
	}
	start, _, err := offset(c, "start")
	if err != nil {
		return err
	}
	end, toEnd, err := offset(c, "end")
	if err != nil {
		return err
	}
	if !toEnd && start > end {
		return apierr.Invalid("start", "start must not be greater than end.")
	}
	text, err := a.Store.LiveText(c.Request.Context(), d.TenantID, d.ID)
	if err != nil {
		return err
	}
	if toEnd {
		end = text.Runes
	}
	start, end = min(max(start, 0), text.Runes), min(max(end, 0), text.Runes)
	c.JSON(http.StatusOK, textView{Text: codePoints(text.Text, start, end), Start: start, End: end, Total: text.Runes})
	return nil
}

// offset reads a query parameter that is a whole number of any size. absent
// reports that it was not given.
func offset(c *gin.Context, name string) (n int, absent bool, err error) {
	text, ok := c.GetQuery(name)
	if !ok {
		return 0, true, nil
	}
	// Atoi saturates at the limits of int; the range is clamped afterwards anyway.
	n, err = strconv.Atoi(text)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, false, apierr.Invalid(name, name+" must be a whole number.")
	}
	return n, false, nil
}

// codePoints returns the code points [start, end) of s; 0 ≤ start ≤ end ≤ the
// number of code points in s.
func codePoints(s string, start, end int) string {
	from, to, n := len(s), len(s), 0
	for i := range s {
		if n == start {
			from = i
		}
		if n == end {
			to = i
			break
		}
		n++
	}
	return s[min(from, to):to]
}

type pageView struct {
	Page  int    `json:"page"`
	Pages int    `json:"pages"` // of the document, which not every reader may look up
	Text  string `json:"text"`
	Start int    `json:"char_start"`
	End   int    `json:"char_end"`
}

// documentPage returns the text of a page, or an image of it. A page that does
// not exist, and every page of a format without pages, is 404.
func (a *api) documentPage(c *gin.Context) error {
	d, _, err := a.cited(c)
	if err != nil {
		return err
	}
	format := c.Query("format")
	if format != "" && format != "text" && format != "png" {
		return apierr.Invalid("format", "format must be text or png.")
	}
	number, err := strconv.Atoi(c.Param("page"))
	if err != nil || number < 1 {
		return assistants.ErrNotFound
	}
	if format == "png" {
		return a.pagePicture(c, d, number)
	}
	text, err := a.Store.LiveText(c.Request.Context(), d.TenantID, d.ID)
	if err != nil {
		return err
	}
	for _, p := range text.Pages {
		if p.Number == number {
			c.JSON(http.StatusOK, pageView{Page: number, Pages: len(text.Pages), Text: codePoints(text.Text, p.Start, p.End), Start: p.Start, End: p.End})
			return nil
		}
	}
	return assistants.ErrNotFound
}
