package control

import (
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
	return a.Store.AssistantInSight(c.Request.Context(), p.Tenant, ref, p.Sight())
}

// document returns the document that the path names and the assistant it
// belongs to, if the principal may see that; ErrNotFound otherwise.
func (a *api) document(c *gin.Context) (assistants.Document, assistants.Assistant, error) {
	none := assistants.Document{}
	id := c.Param("document")
	if !assistants.IsID("doc_", id) {
		return none, assistants.Assistant{}, assistants.ErrNotFound
	}
	p := principalOf(c)
	// The assistant comes first, so that one look into the database refuses what
	// is not there, what another tenant has and what the key may not see.
	owner, err := a.Store.AssistantOfDocument(c.Request.Context(), p.Tenant, assistants.DocumentID(id), p.Sight())
	if err != nil {
		return none, assistants.Assistant{}, err
	}
	d, err := a.Store.Document(c.Request.Context(), p.Tenant, assistants.DocumentID(id))
	return d, owner, err
}
