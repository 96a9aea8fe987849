package control

import (
	"errors"
	"slices"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
)

// assistant returns the assistant that the path names by id or slug, if the
// principal may see it; ErrNotFound otherwise.
func (a *api) assistant(c *gin.Context) (assistants.Assistant, error) {
	ref := c.Param("assistant")
	if !assistants.NamesAssistant(ref) {
		return assistants.Assistant{}, assistants.ErrNotFound
	}
	p := principalOf(c)
	found, err := a.Store.AssistantInSight(c.Request.Context(), p.Tenant, ref, p.Sight())
	if err == nil {
		e := eventOf(c)
		e.Assistant, e.Target = found.ID, string(found.ID)
	}
	return found, err
}

// document returns the document that the path names and the assistant it
// belongs to, if the principal may see that; ErrNotFound otherwise. The document
// of a shared collection belongs to no assistant, but to the tenant's admins.
func (a *api) document(c *gin.Context) (assistants.Document, assistants.Assistant, error) {
	none := assistants.Document{}
	id := c.Param("document")
	if !assistants.IsID("doc_", id) {
		return none, assistants.Assistant{}, assistants.ErrNotFound
	}
	p := principalOf(c)
	// Ask for the assistant first, so that one query refuses what does not
	// exist, what another tenant has and what the key may not see.
	owner, err := a.Store.AssistantOfDocument(c.Request.Context(), p.Tenant, assistants.DocumentID(id), p.Sight())
	if errors.Is(err, assistants.ErrNotFound) && p.MaySeeAll() && p.Require(assistants.ScopeAdmin) == nil {
		d, err := a.sharedDocument(c, assistants.DocumentID(id))
		return d, assistants.Assistant{}, err
	}
	if err != nil {
		return none, assistants.Assistant{}, err
	}
	eventOf(c).Assistant = owner.ID
	d, err := a.Store.Document(c.Request.Context(), p.Tenant, assistants.DocumentID(id))
	return d, owner, err
}

// sharedDocument returns a document of a collection that no assistant owns.
func (a *api) sharedDocument(c *gin.Context, id assistants.DocumentID) (assistants.Document, error) {
	tenant := principalOf(c).Tenant
	d, err := a.Store.Document(c.Request.Context(), tenant, id)
	if err != nil {
		return assistants.Document{}, err
	}
	found, err := a.Store.Collections(c.Request.Context(), tenant, []assistants.CollectionID{d.CollectionID})
	if err == nil && (len(found) == 0 || found[0].AssistantID != "") {
		err = assistants.ErrNotFound
	}
	if err != nil {
		return assistants.Document{}, err
	}
	return d, nil
}

// cited returns the document that the path names and the assistants through
// which the principal may read it: its owner, or else those whose current
// settings let them cite it. ErrNotFound without any.
func (a *api) cited(c *gin.Context) (assistants.Document, []assistants.Assistant, error) {
	d, owner, err := a.document(c)
	if id := c.Param("document"); !errors.Is(err, assistants.ErrNotFound) || !assistants.IsID("doc_", id) {
		return d, []assistants.Assistant{owner}, err
	}
	readers, err := a.readers(c)
	if err == nil && len(readers) == 0 {
		err = assistants.ErrNotFound
	}
	if err != nil {
		return d, nil, err
	}
	d, err = a.Store.Document(c.Request.Context(), principalOf(c).Tenant, assistants.DocumentID(c.Param("document")))
	readers = slices.DeleteFunc(readers, func(r assistants.Assistant) bool { return !reads(r, d) })
	if err == nil && len(readers) == 0 {
		err = assistants.ErrNotFound
	}
	return d, readers, err
}

// reads reports whether an assistant may cite a document: one of its own
// collection, or one of a further collection that its filters select.
func reads(a assistants.Assistant, d assistants.Document) bool {
	return d.CollectionID == a.CollectionID ||
		slices.Contains(a.Settings.Searches(a.CollectionID), d.CollectionID) && a.Settings.Filter().Selects(d.Labels, d.Tags)
}

// readers returns the visible assistants that read the collection of the
// document in the path without owning it.
func (a *api) readers(c *gin.Context) ([]assistants.Assistant, error) {
	p := principalOf(c)
	return a.Store.ReadersOfDocument(c.Request.Context(), p.Tenant, assistants.DocumentID(c.Param("document")), p.Sight())
}
