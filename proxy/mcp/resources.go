package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// documentURI is how the URI of every document begins.
const documentURI = "footnote://documents/"

const plainText = "text/plain"

var templates = []*sdk.ResourceTemplate{
	{Name: "document", Title: "Text of a document", MIMEType: plainText, URITemplate: documentURI + "{id}",
		Description: "The text that was read from a document. id is the document_id of a source."},
	{Name: "page", Title: "Text of a page", MIMEType: plainText, URITemplate: documentURI + "{id}/pages/{n}",
		Description: "The text of one page of a document that has pages. n counts from 1."},
}

// Bounds of one answer.
const (
	pageSize    = 100
	maxLookups  = 50      // collections that are looked at
	maxDocument = 500_000 // code points of a document's text
)

// A readable collection is one whose documents a key may read.
type readable struct {
	id      assistants.CollectionID
	owned   bool                   // by an assistant in sight: all of its documents
	readers []assistants.Assistant // in sight: the documents that their filters select
}

// A position is where a page of resources begins.
type position struct {
	Collection assistants.CollectionID `json:"c"`
	Cursor     string                  `json:"n,omitempty"` // within the collection
}

// listResources lists the documents that the key may read, by the rules of
// GET /v1.0/documents/{id}/text.
func (h *Handler) listResources(ctx context.Context, c *call, params *sdk.ListResourcesParams) (*sdk.ListResourcesResult, error) {
	collections, err := h.readable(ctx, c)
	if err != nil {
		return nil, h.resourceError(ctx, "", err)
	}
	at, next := 0, ""
	if params.Cursor != "" {
		p, err := readPosition(params.Cursor)
		if at = slices.IndexFunc(collections, func(r readable) bool { return r.id == p.Collection }); err != nil || at < 0 {
			return nil, invalidCursor()
		}
		next = p.Cursor
	}
	result := &sdk.ListResourcesResult{Cacheable: perKey, Resources: []*sdk.Resource{}}
	for range maxLookups {
		if at == len(collections) || len(result.Resources) >= pageSize {
			break
		}
		r := collections[at]
		docs, cursor, err := h.deps.Documents.Documents(ctx, c.caller.Tenant, r.id, assistants.List{Limit: pageSize - len(result.Resources), Cursor: next})
		if errors.Is(err, assistants.ErrInvalid) {
			return nil, invalidCursor()
		}
		if err != nil {
			return nil, h.resourceError(ctx, "", err)
		}
		for _, d := range docs {
			if d.Live > 0 && (r.owned || slices.ContainsFunc(r.readers, func(a assistants.Assistant) bool { return a.Settings.Filter().Selects(d.Labels, d.Tags) })) {
				result.Resources = append(result.Resources, resourceOf(d))
			}
		}
		if next = cursor; next == "" {
			at++
		}
	}
	if at < len(collections) {
		result.NextCursor, err = position{collections[at].id, next}.String()
	}
	return result, err
}

// readable lists the collections that the key's assistants read, each once.
func (h *Handler) readable(ctx context.Context, c *call) ([]readable, error) {
	var list []readable
	index := map[assistants.CollectionID]int{}
	err := h.eachInSight(ctx, c.caller.Tenant, c.caller.Sight(), func(a assistants.Assistant) bool {
		for _, id := range a.Settings.Searches(a.CollectionID) {
			i, ok := index[id]
			if !ok {
				i = len(list)
				index[id], list = i, append(list, readable{id: id})
			}
			list[i].owned = list[i].owned || id == a.CollectionID
			list[i].readers = append(list[i].readers, a)
		}
		return true
	})
	return list, err
}

func resourceOf(d assistants.Document) *sdk.Resource {
	name := d.Name
	if strings.TrimSpace(name) == "" {
		name = "Unknown Document"
	}
	about := d.Version.ContentType
	if d.Version.Pages > 0 {
		about += fmt.Sprintf(", %d pages", d.Version.Pages)
	}
	return &sdk.Resource{URI: documentURI + string(d.ID), Name: name, Description: about, MIMEType: plainText}
}

// String returns the position as a cursor.
func (p position) String() (string, error) {
	raw, err := json.Marshal(p)
	return base64.RawURLEncoding.EncodeToString(raw), err
}

func readPosition(cursor string) (p position, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(raw, &p)
	}
	return p, err
}

func invalidCursor() error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "The cursor is not one of this list. Begin again without one."}
}

// readResource returns the text of a document or of a page.
func (h *Handler) readResource(ctx context.Context, c *call, params *sdk.ReadResourceParams) (*sdk.ReadResourceResult, error) {
	path, ok := pathOf(params.URI)
	if !ok {
		return nil, h.resourceError(ctx, params.URI, assistants.ErrNotFound)
	}
	var got struct {
		Text  string `json:"text"`
		End   int    `json:"end"`
		Total int    `json:"total"`
	}
	if err := h.ask(ctx, c, http.MethodGet, path, nil, &got); err != nil {
		return nil, h.resourceError(ctx, params.URI, err)
	}
	if got.End < got.Total {
		got.Text += fmt.Sprintf("\n\n(The text ends here after %d of %d characters. Read its pages, or search it.)", got.End, got.Total)
	}
	return &sdk.ReadResourceResult{Cacheable: perKey, Contents: []*sdk.ResourceContents{{URI: params.URI, MIMEType: plainText, Text: got.Text}}}, nil
}

// pathOf returns the path of the API for the URI of a resource.
func pathOf(uri string) (path string, ok bool) {
	rest, ok := strings.CutPrefix(uri, documentURI)
	id, page, paged := strings.Cut(rest, "/pages/")
	if !ok || !assistants.IsID("doc_", id) {
		return "", false
	}
	path = "/v1.0/documents/" + id
	if !paged {
		return path + "/text?end=" + strconv.Itoa(maxDocument), true
	}
	n, err := strconv.Atoi(page)
	return path + "/pages/" + strconv.Itoa(n), err == nil && n > 0
}

// resourceError returns err in the form of the protocol. What does not exist and what
// the key may not see have the same.
func (h *Handler) resourceError(ctx context.Context, uri string, err error) error {
	status, _ := apierr.StatusAndCode(err)
	e := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: h.failed(ctx, err).Error()}
	if status == http.StatusNotFound {
		e.Code, e.Message = jsonrpc.CodeInvalidParams, "There is no such resource, or you do not have access to it."
		data, err := json.Marshal(map[string]string{"uri": uri})
		if err != nil {
			return err
		}
		e.Data = data
	}
	return e
}
