package search

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/access"
)

// A Searchable is a collection that a key may search, and the assistants that read it.
type Searchable struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Assistants []Reader `json:"assistants"`
}

// A Reader is an assistant that reads a collection.
type Reader struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// Collections answers GET /v1/search/collections: what a search without `collections`
// looks through. Nothing is searched, so no limit and no audit event counts it.
func (h *Handler) Collections(c *gin.Context, caller access.Principal) error {
	if err := h.deps.Front.Admit(c); err != nil {
		return err
	}
	defer h.deps.Front.Leave()
	if err := caller.Require(assistants.ScopeSearch); err != nil {
		return err
	}
	j := &job{Handler: h, caller: caller, sight: sight{filters: map[assistants.CollectionID][]assistants.Filter{}}}
	readers := map[assistants.CollectionID][]Reader{}
	err := j.eachAssistant(c.Request.Context(), func(a assistants.Assistant) {
		j.sight.add(a)
		for _, id := range a.Settings.Searches(a.CollectionID) {
			readers[id] = append(readers[id], Reader{ID: string(a.ID), Slug: a.Slug, Name: a.Name})
		}
	})
	if err != nil {
		return err
	}
	list := []Searchable{}
	if len(j.sight.order) > 0 {
		known, err := h.deps.Store.Collections(c.Request.Context(), caller.Tenant, j.sight.order)
		if err != nil {
			return err
		}
		names := map[assistants.CollectionID]string{}
		for _, k := range known {
			names[k.ID] = k.Name
		}
		for _, id := range j.sight.order {
			if name, exists := names[id]; exists { // one that was deleted since is still in settings
				list = append(list, Searchable{ID: string(id), Name: name, Assistants: readers[id]})
			}
		}
	}
	c.JSON(http.StatusOK, gin.H{"data": list})
	return nil
}
