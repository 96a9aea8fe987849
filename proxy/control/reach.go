package control

import (
	"errors"
	"slices"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
)

// A reach is the set of collections that a key may let assistants read. every
// means all of the tenant, which the store checks.
type reach struct {
	every       bool
	collections []assistants.CollectionID
}

// reachOf returns the reach of the request's key. A key that is bound to
// assistants must not read other assistants' documents through its own.
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

// check refuses collections outside the reach that a change adds, as if they did
// not exist. under is the member that holds the settings, "" if they are the
// whole body.
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
