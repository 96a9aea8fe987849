package control

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
)

// moveDocument moves a document, with what is attached to it, into another collection.
func (a *api) moveDocument(c *gin.Context) error {
	d, _, err := a.document(c)
	if err != nil {
		return err
	}
	var in struct {
		CollectionID string `json:"collection_id" want:"a string" required:"true"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	to, err := a.moveTarget(c, in.CollectionID)
	if err != nil {
		return err
	}
	e := eventOf(c)
	e.Collections = []assistants.CollectionID{d.CollectionID, to}
	moved, err := a.Store.MoveDocument(c.Request.Context(), d.TenantID, d.ID, to, unlessStale(c, tagOfDocument))
	if err != nil {
		return err
	}
	a.Wake()
	c.Header("ETag", tagOfDocument(moved))
	c.JSON(http.StatusOK, viewDocument(moved))
	return nil
}

// moveTarget returns the collection with an id, if the principal may put documents
// into it and they could be embedded there.
func (a *api) moveTarget(c *gin.Context, id string) (assistants.CollectionID, error) {
	const field = "collection_id"
	ctx, tenant := c.Request.Context(), principalOf(c).Tenant
	to := assistants.CollectionID(id)
	r, err := a.reachOf(c)
	if err != nil {
		return "", err
	}
	if !r.every && !slices.Contains(r.collections, to) {
		return "", assistants.UnknownCollection(field, id)
	}
	if !assistants.IsID("coll_", id) {
		return "", assistants.UnknownCollection(field, id)
	}
	found, err := a.Store.Collections(ctx, tenant, []assistants.CollectionID{to})
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", assistants.UnknownCollection(field, id)
	}
	return to, a.Library.Fits(ctx, tenant, to)
}
