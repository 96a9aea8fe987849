package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

func (a *api) createAssistant(c *gin.Context) error {
	var in struct {
		Name     string          `json:"name" want:"a string" required:"true"`
		Slug     *string         `json:"slug" want:"a string"`
		Settings json.RawMessage `json:"settings" want:"an object"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	now := a.Now()
	made := assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: principalOf(c).Tenant, Name: in.Name,
		CollectionID: assistants.NewCollectionID(), Settings: assistants.DefaultSettings(), CreatedAt: now, UpdatedAt: now,
	}
	if err := assistants.CheckName("name", in.Name); err != nil {
		return err
	}
	if in.Slug != nil {
		made.Slug = *in.Slug
		if err := assistants.CheckSlug(made.Slug); err != nil {
			return err
		}
	} else if made.Slug = assistants.Slugify(in.Name); made.Slug == "" {
		// A name without ASCII letters has no slug of its own; the id makes one.
		made.Slug = "assistant-" + string(made.ID[len(made.ID)-8:])
	}
	if in.Settings != nil {
		var err error
		if made.Settings, err = mergeSettings(made.Settings, in.Settings, "settings"); err != nil {
			return err
		}
	}
	if err := a.Store.CreateAssistant(c.Request.Context(), made); err != nil {
		return slugTaken(err, made.Slug)
	}
	c.JSON(http.StatusCreated, viewSaved(made))
	return nil
}

// slugTaken explains a conflict: the slug is the only name that is unique.
func slugTaken(err error, slug string) error {
	if errors.Is(err, assistants.ErrConflict) {
		return apierr.Conflict("slug", fmt.Sprintf("Another assistant has the slug %q.", slug))
	}
	return err
}

func (a *api) listAssistants(c *gin.Context) error {
	list, err := listOf(c)
	if err != nil {
		return err
	}
	items, next, err := a.Store.Assistants(c.Request.Context(), principalOf(c).Tenant, list)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, pageOf(items, next, viewAssistant))
	return nil
}

func (a *api) getAssistant(c *gin.Context) error {
	found, err := a.assistant(c)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, viewAssistant(found))
	return nil
}

func (a *api) patchAssistant(c *gin.Context) error {
	found, err := a.assistant(c)
	if err != nil {
		return err
	}
	var in struct {
		Name     *string         `json:"name" want:"a string"`
		Slug     *string         `json:"slug" want:"a string"`
		Settings json.RawMessage `json:"settings" want:"an object"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if in.Name != nil {
		if err := assistants.CheckName("name", *in.Name); err != nil {
			return err
		}
	}
	if in.Slug != nil {
		if err := assistants.CheckSlug(*in.Slug); err != nil {
			return err
		}
	}
	saved, err := a.Store.UpdateAssistant(c.Request.Context(), found.TenantID, string(found.ID), func(stored *assistants.Assistant) error {
		if in.Name != nil {
			stored.Name = *in.Name
		}
		if in.Slug != nil {
			stored.Slug = *in.Slug
		}
		if in.Settings == nil {
			return nil
		}
		var err error
		stored.Settings, err = mergeSettings(stored.Settings, in.Settings, "settings")
		return err
	})
	if err != nil {
		if in.Slug != nil {
			return slugTaken(err, *in.Slug)
		}
		return err
	}
	if in.Settings != nil {
		c.JSON(http.StatusOK, viewSaved(saved))
	} else {
		c.JSON(http.StatusOK, viewAssistant(saved))
	}
	return nil
}

func (a *api) deleteAssistant(c *gin.Context) error {
	found, err := a.assistant(c)
	if err != nil {
		return err
	}
	if err := a.Store.DeleteAssistant(c.Request.Context(), found.TenantID, string(found.ID)); err != nil {
		return err
	}
	a.Wake()
	c.Status(http.StatusNoContent)
	return nil
}
