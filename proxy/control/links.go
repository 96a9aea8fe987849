package control

import (
	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/links"
)

// linksRoute takes everything below links.Path, so that whatever was done to a
// link, it is refused as a link.
const linksRoute = "/links/*link"

const linkKey = "footnote.control.link"

// behindLink lets requests through whose URL is a link of ours: signature,
// then expiry, before the store is asked anything. The link alone decides what
// is opened: a key sent along is not looked at, be it good or revoked, as on
// the other routes that ask for none.
func (a *api) behindLink(handle func(*gin.Context) error) func(*gin.Context) error {
	return func(c *gin.Context) error {
		h := c.Writer.Header()
		h.Set("Referrer-Policy", "no-referrer") // whoever has the address has the document
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

// openLink sends the document of a link. A link dies with its document, with the
// assistant that gave it, and when that may no longer cite the document or no longer
// has public links; what is gone and what was never there answer alike.
func (a *api) openLink(c *gin.Context) error {
	link := linkOf(c)
	all := assistants.Sight{All: true}
	owner, err := a.Store.AssistantOfDocument(c.Request.Context(), link.Tenant, link.Document, all)
	if err != nil {
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
