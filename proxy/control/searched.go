package control

import (
	"errors"
	"slices"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
)

// A reach is the collections that a key may let assistants read; all of its
// tenant's where every is set, which the store sees to.
type reach struct {
	every       bool
	collections []assistants.CollectionID
}

// reachOf is the reach of the request's key: a key that is bound to assistants
// must not read others' documents through its own.
func (a *api) reachOf(c *gin.Context) (reach, error) {
	p := principalOf(c)
	if p.MaySeeAll() {
		return reach{every: true}, nil
	}
	var r reach
	for _, id := range p.Key.Assistants {
		found, err := a.Store.Assistant(c.Request.Context(), p.Tenant, string(id))
		if errors.Is(err, assistants.ErrNotFound) {
			continue
		}
		if err != nil {
			return reach{}, err
		}
		r.collections = append(r.collections, found.CollectionID)
	}
	return r, nil
}

// check refuses collections that a change adds beyond the reach, as ones that are
// not there. under is the member the settings stood in, "" for a body of their own.
func (r reach) check(stored, changed assistants.Settings, under string) error {
	if r.every {
		return nil
	}
	for _, id := range changed.Collections {
		if slices.Contains(stored.Collections, id) || slices.Contains(r.collections, assistants.CollectionID(id)) {
			continue
		}
		field := "collections"
		if under != "" {
			field = under + "." + field
		}
		return assistants.UnknownCollection(field, id)
	}
	return nil
}
