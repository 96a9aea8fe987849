package cli

import (
	"context"
	"errors"
	"fmt"
	"footnote/assistants"
	"net/http"
	"net/url"
)

// findAssistant finds the assistant, or makes it, and keeps its id: paths of the
// API have ids, not names.
func (r *ingestRun) findAssistant(ctx context.Context) error {
	var a struct {
		ID       string `json:"id"`
		Settings struct {
			EnableRAG bool `json:"enable_rag"`
		} `json:"settings"`
	}
	refs := []string{r.assistant}
	if slug := assistants.Slugify(r.assistant); slug != "" && slug != r.assistant {
		refs = append(refs, slug) // "My Manuals" is my-manuals
	}
	for _, ref := range refs {
		err := r.c.call(ctx, http.MethodGet, "/v1.0/assistants/"+url.PathEscape(ref), nil, &a)
		if ae, ok := errors.AsType[*apiError](err); ok && ae.Status == http.StatusNotFound {
			continue
		}
		if err == nil && !a.Settings.EnableRAG {
			err = r.ensureRetrieval(ctx, a.ID)
		}
		r.assistant = a.ID
		return err
	}
	if !r.create {
		return fmt.Errorf("there is no assistant %q; add --create to make it", r.assistant)
	}
	err := r.c.call(ctx, http.MethodPost, "/v1.0/assistants", map[string]any{
		"name": r.assistant, "settings": map[string]any{"enable_rag": true, "enable_citations": true},
	}, &a)
	r.assistant = a.ID
	return err
}

// ensureRetrieval is called for an assistant that does not answer from its documents.
// With --create it switches that on, and otherwise it prints a warning.
func (r *ingestRun) ensureRetrieval(ctx context.Context, id string) error {
	if !r.create {
		fmt.Fprintf(r.p.Err, "Warning: assistant %q does not answer from its documents, because its setting enable_rag is off. Add --create to switch it on.\n", r.assistant)
		return nil
	}
	settings := map[string]any{"enable_rag": true, "enable_citations": true}
	if err := r.c.call(ctx, http.MethodPatch, "/v1.0/assistants/"+url.PathEscape(id)+"/settings", settings, nil); err != nil {
		return err
	}
	fmt.Fprintf(r.p.Err, "Switched on enable_rag and enable_citations of assistant %q.\n", r.assistant)
	return nil
}
