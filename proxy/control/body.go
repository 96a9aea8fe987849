package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/jsonbody"
)

// maxJSONBody bounds JSON bodies. It leaves ample room for long prompts.
const maxJSONBody = 1 << 20

// optional is a member of a JSON object that may be absent or null.
type optional[T any] struct {
	Given bool // present, also if null
	Null  bool
	Value T
}

// UnmarshalJSON records that the member is present and decodes it unless it is
// null.
func (o *optional[T]) UnmarshalJSON(raw []byte) error {
	o.Given = true
	if o.Null = string(raw) == "null"; o.Null {
		return nil
	}
	return json.Unmarshal(raw, &o.Value)
}

// readJSON reads a JSON object into the struct that into points to; see
// [jsonbody.Decode].
func readJSON(c *gin.Context, into any) error {
	body, err := readBody(c)
	if err != nil {
		return err
	}
	if err = jsonbody.Decode(body, into); err == nil {
		noteFields(c, body)
	}
	return err
}

// readBody reads a whole JSON body.
func readBody(c *gin.Context) ([]byte, error) {
	media, params, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err != nil || media != "application/json" || params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8") {
		return nil, apierr.UnsupportedMedia("Send the request as application/json in UTF-8.")
	}
	if err := refuseEncoding(c); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(connection(c.Writer), c.Request.Body, maxJSONBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); err != nil && !tooLarge {
		return nil, apierr.InvalidJSON("The request body could not be read to its end.")
	}
	return body, err
}

func refuseEncoding(c *gin.Context) error {
	if e := c.GetHeader("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return apierr.UnsupportedMedia("Send the request body without a Content-Encoding.")
	}
	return nil
}

// connection returns the innermost ResponseWriter. http.MaxBytesReader closes
// the connection of an oversized request only if it gets net/http's own writer.
func connection(w http.ResponseWriter) http.ResponseWriter {
	for {
		u, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = u.Unwrap()
	}
}

// Bounds of lists.
const (
	defaultLimit = 100
	maxLimit     = 1000
	maxCursor    = 4096 // it may contain a name or a label
)

// listOf reads the query parameters of a list.
func listOf(c *gin.Context) (assistants.List, error) {
	list := assistants.List{Limit: defaultLimit}
	text, given, err := apierr.QueryOnce(c, "limit")
	if err == nil {
		list.Cursor, _, err = apierr.QueryOnce(c, "cursor")
	}
	if err != nil {
		return list, err
	}
	if given {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxLimit {
			return list, apierr.Invalid("limit", fmt.Sprintf("limit must be a whole number from 1 to %d.", maxLimit))
		}
		list.Limit = n
	}
	if len(list.Cursor) > maxCursor {
		return list, apierr.Invalid("cursor", "This is not a cursor of this list.")
	}
	return list, nil
}

// page is a page of a list.
type page[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor"`
	Total      *int    `json:"total,omitempty"` // of all pages, if the client asked for it
}

// answerPage answers with a page of a tenant's list, whose items view renders.
func answerPage[T, V any](c *gin.Context, tenant assistants.TenantID,
	items func(context.Context, assistants.TenantID, assistants.List) ([]T, string, error), view func(T) V) error {
	list, err := listOf(c)
	if err != nil {
		return err
	}
	found, next, err := items(c.Request.Context(), tenant, list)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, pageOf(found, next, view))
	return nil
}

// pageOf renders a page of a list.
func pageOf[S, T any](items []S, next string, view func(S) T) page[T] {
	p := page[T]{Data: make([]T, 0, len(items))}
	for _, item := range items {
		p.Data = append(p.Data, view(item))
	}
	if next != "" {
		p.NextCursor = &next
	}
	return p
}
