package proxy

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/chat"
	"footnote/proxy/upstream"
)

// A model as OpenAI's API lists it.
type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
	Title   string `json:"title,omitempty"` // an assistant's, for people
}

func assistantModel(a assistants.Assistant) model {
	m := model{ID: a.Slug, Object: "model", Created: a.CreatedAt.Unix(), OwnedBy: "footnote"}
	if a.Settings.Title != nil {
		m.Title = *a.Settings.Title
	}
	return m
}

// handleModels lists what the caller may chat with: the assistants it may see
// and, when requests pass through, the default upstream's models.
func (s *Server) handleModels(c *gin.Context) error {
	if err := s.mayChat(c); err != nil {
		return err
	}
	ctx, p := c.Request.Context(), principalOf(c)
	if ref := c.Param("assistant"); ref != "" {
		a, err := s.visibleModel(ctx, p, ref)
		if err != nil {
			return err
		}
		c.JSON(http.StatusOK, gin.H{"object": "list", "data": []model{assistantModel(*a)}})
		return nil
	}
	models, sight := []model{}, chat.Sight(p)
	list := assistants.List{Limit: 1000}
	for {
		items, next, err := s.deps.Directory.Assistants(ctx, p.Tenant, list)
		if err != nil {
			return err
		}
		for _, a := range items {
			if sight.Sees(&a) {
				models = append(models, assistantModel(a))
			}
		}
		if next == "" {
			break
		}
		list.Cursor = next
	}
	if p.Anonymous && len(models) == 0 {
		return assistants.ErrUnauthorized
	}
	c.JSON(http.StatusOK, gin.H{"object": "list", "data": append(models, s.upstreamModels(ctx, c)...)})
	return nil
}

// upstreamModels lists the default upstream's models. A failure there does not
// hide the assistants.
func (s *Server) upstreamModels(ctx context.Context, c *gin.Context) []model {
	p := principalOf(c)
	if !s.cfg.Passthrough || p.Anonymous || p.Key.Assistants != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	client, _, err := s.deps.Upstreams.Named(ctx, p.Tenant, "")
	var found []upstream.Model
	if err == nil {
		found, err = client.Models(ctx)
	}
	if err != nil {
		s.deps.Log.Warn("the upstream's models are not listed", "request_id", requestIDOf(c), "error", err)
		return nil
	}
	models := make([]model, 0, len(found))
	for _, m := range found {
		models = append(models, model{ID: m.ID, Object: "model", Created: m.Created, OwnedBy: m.OwnedBy})
	}
	return models
}

// handleModel describes one model.
func (s *Server) handleModel(c *gin.Context) error {
	if err := s.mayChat(c); err != nil {
		return err
	}
	ctx, p := c.Request.Context(), principalOf(c)
	id := strings.TrimPrefix(c.Param("id"), "/")
	if c.Request.URL.RawPath != "" { // ids of models have slashes, which some clients escape
		id, _ = url.PathUnescape(id) // the router parsed the path, so it is valid
	}
	if id == "" {
		return apierr.NotFound()
	}
	if ref := c.Param("assistant"); ref != "" { // its path has one model
		a, err := s.visibleModel(ctx, p, ref)
		if err == nil && id != a.Slug && id != string(a.ID) {
			err = apierr.ModelNotFound(id)
		}
		if err == nil {
			c.JSON(http.StatusOK, assistantModel(*a))
		}
		return err
	}
	a, err := s.visibleModel(ctx, p, id)
	if err == nil {
		c.JSON(http.StatusOK, assistantModel(*a))
		return nil
	}
	if p.Anonymous {
		return err
	}
	for _, m := range s.upstreamModels(ctx, c) {
		if m.ID == id {
			c.JSON(http.StatusOK, m)
			return nil
		}
	}
	return apierr.ModelNotFound(id)
}

// visibleModel finds an assistant as a model. One that the caller may not see gets
// the same answer as one that does not exist.
func (s *Server) visibleModel(ctx context.Context, p access.Principal, ref string) (*assistants.Assistant, error) {
	a, err := chat.Visible(ctx, s.deps.Directory, p, ref)
	switch {
	case errors.Is(err, assistants.ErrNotFound) && p.Anonymous:
		return nil, assistants.ErrUnauthorized
	case errors.Is(err, assistants.ErrNotFound):
		return nil, apierr.ModelNotFound(ref)
	default:
		return a, err
	}
}

func (s *Server) mayChat(c *gin.Context) error {
	if p := principalOf(c); !p.Anonymous {
		return p.Require(assistants.ScopeChat)
	}
	return nil
}
