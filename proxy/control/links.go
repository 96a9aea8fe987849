package control

import (
	"errors"
	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/links"
)

const linkKey = "footnote.control.link"

// behindLink calls handle for a URL that is a valid link: first the signature,
// then the expiry is checked, before the store is asked. The link alone decides
// what is opened; a key in the request is ignored, valid or not, as on other
// routes that need none.
func (a *api) behindLink(handle func(*gin.Context) error) func(*gin.Context) error {
	return func(c *gin.Context) error {
		h := c.Writer.Header()
		h.Set("Referrer-Policy", "no-referrer") // the URL is enough to get the document
		h.Set("X-Robots-Tag", "noindex")
		link, err := a.Signer.Verify(c.Request.URL)
		if err != nil {
			return err
		}
		c.Set(linkKey, link)
		return handle(c)
	}
}

func linkOf(c *gin.Context) links.Link {
	link, _ := c.MustGet(linkKey).(links.Link)
	return link
}

// openLink sends the document of a link. A link stops working when its document
// or the assistant that gave it is deleted, when the assistant may no longer
// cite the document, or when it no longer has public links. All of these answer
// like a link that never existed.
func (a *api) openLink(c *gin.Context) error {
	link := linkOf(c)
	all := assistants.Sight{All: true}
	owner, err := a.Store.AssistantOfDocument(c.Request.Context(), link.Tenant, link.Document, all)
	if err != nil && !errors.Is(err, assistants.ErrNotFound) { // a shared collection has no owner
		return err
	}
	giver := owner
	if owner.ID != link.Assistant {
		if giver, err = a.Store.AssistantInSight(c.Request.Context(), link.Tenant, string(link.Assistant), all); err != nil {
			return err
		}
	}
	if giver.ID != link.Assistant || giver.Settings.CitationLinkMode != assistants.LinkPublic {
		return assistants.ErrNotFound
	}
	d, err := a.Store.Document(c.Request.Context(), link.Tenant, link.Document)
	if err != nil {
		return err
	}
	if !reads(giver, d) {
		return assistants.ErrNotFound
	}
	return a.sendFile(c, d)
}
