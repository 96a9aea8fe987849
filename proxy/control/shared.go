package control

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
)

// createCollection creates a collection that no assistant owns.
func (a *api) createCollection(c *gin.Context) error {
	var in struct {
		Name string `json:"name" want:"a string" required:"true"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if err := assistants.CheckName("name", in.Name); err != nil {
		return err
	}
	made := assistants.Collection{ID: assistants.NewCollectionID(), TenantID: principalOf(c).Tenant, Name: in.Name, CreatedAt: a.Now()}
	noteMade(c, string(made.ID))
	if err := a.Store.CreateCollection(c.Request.Context(), made); err != nil {
		return err
	}
	view := a.viewCollection(made, assistants.CollectionUse{})
	c.Header("ETag", tagOf(view))
	c.JSON(http.StatusCreated, view)
	return nil
}

// tagOfCollection is the entity tag of a collection as GET shows it.
func (a *api) tagOfCollection(now assistants.CollectionState) string {
	return tagOf(a.viewCollection(now.Collection, now.Use))
}

// patchCollection renames a shared collection or replaces its synonyms.
func (a *api) patchCollection(c *gin.Context) error {
	found, err := a.collection(c)
	if err != nil {
		return err
	}
	var in struct {
		Name     *string   `json:"name" want:"a string"`
		Synonyms *[]string `json:"synonyms" want:"a list of strings"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	var change assistants.CollectionChange
	if in.Name != nil {
		if err := assistants.CheckName("name", *in.Name); err != nil {
			return err
		}
		change.Name = *in.Name
	}
	if in.Synonyms != nil {
		if err := assistants.CheckSynonyms("synonyms", *in.Synonyms); err != nil {
			return err
		}
		change.Synonyms = append([]string{}, *in.Synonyms...)
	}
	return a.changeCollection(c, found, change)
}

// changeCollection changes a shared collection.
func (a *api) changeCollection(c *gin.Context, found assistants.Collection, change assistants.CollectionChange) error {
	saved, err := a.Store.UpdateCollectionIf(c.Request.Context(), found.TenantID, found.ID, change, unlessStale(c, a.tagOfCollection))
	if err != nil {
		return err
	}
	return a.showCollection(c, http.StatusOK, saved)
}

// deleteCollection removes a shared collection, which no assistant may read, with
// its documents.
func (a *api) deleteCollection(c *gin.Context) error {
	found, err := a.collection(c)
	if err != nil {
		return err
	}
	err = a.Store.DeleteCollectionIf(c.Request.Context(), found.TenantID, found.ID, unlessStale(c, a.tagOfCollection))
	if err != nil {
		return err
	}
	a.Wake()
	c.Status(http.StatusNoContent)
	return nil
}

// listReaders lists the assistants that search a collection: its owner, and those
// that name it in their settings.
func (a *api) listReaders(c *gin.Context) error {
	found, err := a.collection(c)
	if err != nil {
		return err
	}
	list, err := queriedListOf(c)
	if err != nil {
		return err
	}
	name, err := partOfName(c)
	if err != nil {
		return err
	}
	readers, err := a.Store.FindAssistants(c.Request.Context(), found.TenantID, assistants.AssistantQuery{Name: name, Reads: found.ID}, list)
	if err != nil {
		return err
	}
	answerListing(c, list, readers, viewAssistant)
	return nil
}

func (a *api) listCollectionDocuments(c *gin.Context) error {
	found, err := a.collection(c)
	if err != nil {
		return err
	}
	return a.answerDocuments(c, found.TenantID, found.ID)
}

func (a *api) uploadToCollection(c *gin.Context) error {
	key, err := idempotencyKey(c)
	if err != nil {
		return err
	}
	found, err := a.collection(c)
	if err != nil {
		return err
	}
	return a.upload(c, key, destination{tenant: found.TenantID, collection: found.ID, name: string(found.ID)})
}
