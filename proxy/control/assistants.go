package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/strict"
)

// createAssistant creates an assistant, once per Idempotency-Key: see
// [api.once].
func (a *api) createAssistant(c *gin.Context) error {
	key, err := idempotencyKey(c)
	if err != nil {
		return err
	}
	body, err := readBody(c)
	if err != nil {
		return err
	}
	made, err := a.newAssistant(principalOf(c).Tenant, body)
	if err != nil {
		return err
	}
	noteFields(c, body)
	ask := request{
		key: key, route: "POST assistants", content: canonical(body),
		resources: []string{string(made.ID), string(made.CollectionID), made.Slug},
	}
	return a.once(c, ask, func(ctx context.Context, t attempt) (answer, error) {
		made.ID, made.CollectionID, made.Slug = assistants.AssistantID(t.resources[0]), assistants.CollectionID(t.resources[1]), t.resources[2]
		noteMade(c, t.resources[0])
		err := assistants.ErrConflict
		if !t.resumed {
			err = a.Store.CreateAssistant(ctx, made)
		}
		if errors.Is(err, assistants.ErrConflict) {
			// An earlier attempt may have created it, or may be doing so now.
			stored, readErr := a.Store.Assistant(ctx, made.TenantID, string(made.ID))
			switch {
			case readErr == nil:
				return answer{status: http.StatusCreated, body: a.viewWithWarnings(c, stored)}, nil
			case !errors.Is(readErr, assistants.ErrNotFound):
				return answer{}, readErr
			case t.resumed:
				err = a.Store.CreateAssistant(ctx, made)
			}
		}
		if err != nil {
			return answer{}, slugTaken(err, made.Slug)
		}
		return answer{status: http.StatusCreated, body: a.viewWithWarnings(c, made)}, nil
	})
}

// newAssistant reads and checks an assistant from a request's body.
func (a *api) newAssistant(tenant assistants.TenantID, body []byte) (assistants.Assistant, error) {
	now := a.Now()
	made := assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: tenant,
		CollectionID: assistants.NewCollectionID(), Settings: assistants.DefaultSettings(), CreatedAt: now, UpdatedAt: now,
	}
	var in struct {
		Name     string          `json:"name" want:"a string" required:"true"`
		Slug     *string         `json:"slug" want:"a string"`
		Settings json.RawMessage `json:"settings" want:"an object"`
	}
	if err := strict.Decode(body, &in); err != nil {
		return made, err
	}
	if err := assistants.CheckName("name", in.Name); err != nil {
		return made, err
	}
	made.Name = in.Name
	if in.Slug != nil {
		made.Slug = *in.Slug
		if err := assistants.CheckSlug(made.Slug); err != nil {
			return made, err
		}
	} else if made.Slug = assistants.Slugify(in.Name); made.Slug == "" {
		// A name without ASCII letters gives no slug, so the id makes one.
		made.Slug = "assistant-" + string(made.ID[len(made.ID)-8:])
	}
	if in.Settings == nil {
		return made, nil
	}
	var err error
	made.Settings, err = mergeSettings(made.Settings, in.Settings, "settings")
	return made, err
}

// slugTaken explains a conflict. Only the slug can be taken.
func slugTaken(err error, slug string) error {
	if errors.Is(err, assistants.ErrConflict) {
		return apierr.Conflict("slug", fmt.Sprintf("Another assistant has the slug %q.", slug))
	}
	return err
}

func (a *api) getAssistant(c *gin.Context) error {
	found, err := a.assistant(c)
	if err != nil {
		return err
	}
	answerTagged(c, tagOfAssistant(found), viewAssistant(found))
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
	reach, err := a.reachOf(c)
	if err != nil {
		return err
	}
	saved, err := a.Store.UpdateAssistant(c.Request.Context(), found.TenantID, string(found.ID), guardedChange(unlessStale(c, tagOfAssistant), func(stored *assistants.Assistant) error {
		if in.Name != nil {
			stored.Name = *in.Name
		}
		if in.Slug != nil {
			stored.Slug = *in.Slug
		}
		if in.Settings == nil {
			return nil
		}
		merged, err := mergeSettings(stored.Settings, in.Settings, "settings")
		if err == nil {
			err = reach.check(stored.Settings, merged, "settings")
		}
		stored.Settings = merged
		return err
	}))
	if err != nil {
		if in.Slug != nil {
			return slugTaken(err, *in.Slug)
		}
		return err
	}
	view := viewAssistant(saved)
	if in.Settings != nil {
		view = a.viewWithWarnings(c, saved)
	}
	answerTagged(c, tagOfAssistant(saved), view)
	return nil
}

func (a *api) deleteAssistant(c *gin.Context) error {
	found, err := a.assistant(c)
	if err != nil {
		return err
	}
	if err := a.Store.DeleteAssistantIf(c.Request.Context(), found.TenantID, string(found.ID), unlessStale(c, tagOfAssistant)); err != nil {
		return err
	}
	a.Wake()
	c.Status(http.StatusNoContent)
	return nil
}
