package control

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// listLabels lists the distinct labels of the tenant's documents, or, with the
// query parameter "assistant", of that assistant's.
func (a *api) listLabels(c *gin.Context) error {
	return listDistinct(a, c, a.Store.Labels, func(l assistants.LabelCount) string { return l.Label })
}

// listTags lists the distinct tags, as listLabels does.
func (a *api) listTags(c *gin.Context) error {
	// NUL is in neither and sorts before all other characters.
	return listDistinct(a, c, a.Store.Tags, func(t assistants.TagCount) string { return t.Key + "\x00" + t.Value })
}

// listDistinct answers with a page of a list that is ordered by key.
func listDistinct[T any](a *api, c *gin.Context, list func(context.Context, assistants.TenantID, []assistants.CollectionID) ([]T, error), key func(T) string) error {
	page, err := distinctPageOf(c)
	if err != nil {
		return err
	}
	collections, err := a.collectionsOf(c)
	if err != nil {
		return err
	}
	all, err := list(c.Request.Context(), principalOf(c).Tenant, collections)
	if err != nil {
		return err
	}
	for page.from && len(all) > 0 && key(all[0]) <= page.after {
		all = all[1:]
	}
	next := ""
	if len(all) > page.limit {
		all = all[:page.limit]
		next = base64.RawURLEncoding.EncodeToString([]byte(distinctCursor + key(all[len(all)-1])))
	}
	c.JSON(http.StatusOK, pageOf(all, next, func(item T) T { return item }))
	return nil
}

// collectionsOf returns the collection of the assistant in the query, or nil for
// all of the tenant's.
func (a *api) collectionsOf(c *gin.Context) ([]assistants.CollectionID, error) {
	ref, ok := c.GetQuery("assistant")
	if !ok {
		return nil, nil
	}
	if !assistants.NamesAssistant(ref) {
		return nil, assistants.ErrNotFound
	}
	p := principalOf(c)
	owner, err := a.Store.AssistantInSight(c.Request.Context(), p.Tenant, ref, p.Sight())
	return []assistants.CollectionID{owner.CollectionID}, err
}

// A distinctPage is the requested part of a list that is ordered by key.
type distinctPage struct {
	limit int
	from  bool   // begin after a key, not at the beginning
	after string // the key
}

// distinctCursor is the prefix of a decoded cursor. It distinguishes cursors of
// these lists from others.
const distinctCursor = "after:"

func distinctPageOf(c *gin.Context) (distinctPage, error) {
	list, err := listOf(c)
	if err != nil || list.Cursor == "" {
		return distinctPage{limit: list.Limit}, err
	}
	text, err := base64.RawURLEncoding.DecodeString(list.Cursor)
	after, ours := strings.CutPrefix(string(text), distinctCursor)
	if err != nil || !ours {
		return distinctPage{}, apierr.Invalid("cursor", "This is not a cursor of this list.")
	}
	return distinctPage{limit: list.Limit, from: true, after: after}, nil
}
