package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"footnote/assistants/evaluation"
)

// checkAssistant returns an error if the assistant does not exist or the key may not use it.
func checkAssistant(ctx context.Context, c *client, a *evaluation.Assistant) error {
	err := c.call(ctx, http.MethodGet, a.Path(""), nil, nil)
	if ae, ok := errors.AsType[*apiError](err); ok && ae.Status == http.StatusNotFound {
		return fmt.Errorf("there is no assistant %q that this key may use", a.Name)
	}
	return err
}

// judgePrompt returns what the judge of the assistant's answers is told.
func judgePrompt(ctx context.Context, c *client, a *evaluation.Assistant) (string, error) {
	var settings struct {
		Prompt *string `json:"eval_judge_prompt"`
	}
	err := c.call(ctx, http.MethodGet, a.Path("/settings"), nil, &settings)
	return evaluation.JudgePrompt(settings.Prompt), err
}

// readableDocuments lists all documents that the assistant answers from: its own
// and those of the collections that it reads. complete is false if the key may
// not see the latter.
func readableDocuments(ctx context.Context, c *client, a *evaluation.Assistant) (docs []evaluation.Document, complete bool, err error) {
	var self struct {
		Settings struct{ Collections []string }
	}
	if err := c.call(ctx, http.MethodGet, a.Path(""), nil, &self); err != nil {
		return nil, false, err
	}
	owners, complete := []string{a.Name}, true
	if further := self.Settings.Collections; len(further) > 0 {
		err := each(ctx, c, "/v1.0/assistants", func(other struct {
			ID           string
			CollectionID string `json:"collection_id"`
		},
		) error {
			if slices.Contains(further, other.CollectionID) {
				owners = append(owners, other.ID)
			}
			return nil
		})
		if ae, ok := errors.AsType[*apiError](err); ok && ae.Status == http.StatusForbidden {
			complete = false
		} else if err != nil {
			return nil, false, err
		}
	}
	for _, owner := range owners {
		own, err := (&evaluation.Assistant{Send: c.call, Name: owner}).Documents(ctx)
		if err != nil {
			return nil, false, err
		}
		docs = append(docs, own...)
	}
	return docs, complete, nil
}
