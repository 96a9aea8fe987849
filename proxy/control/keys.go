package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
)

// createKey creates a key. Only this answer contains its secret.
func (a *api) createKey(c *gin.Context) error {
	var in struct {
		Name             string             `json:"name" want:"a string" required:"true"`
		Scopes           []assistants.Scope `json:"scopes" want:"a list of strings" required:"true"`
		Assistants       optional[[]string] `json:"assistants" want:"a list of assistant ids, or null for all"`
		DefaultAssistant optional[string]   `json:"default_assistant" want:"an assistant id or null"`
		ExpiresAt        optional[string]   `json:"expires_at" want:"a time in RFC 3339 or null"`
		Limits           json.RawMessage    `json:"limits" want:"an object"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if err := assistants.CheckName("name", in.Name); err != nil {
		return err
	}
	k := assistants.Key{TenantID: principalOf(c).Tenant, Name: in.Name, CreatedAt: a.Now()}
	var err error
	if k.Scopes, err = checkScopes(in.Scopes); err != nil {
		return err
	}
	if k.Limits, err = mergeLimits(assistants.DefaultLimits(k.Scopes), in.Limits); err != nil {
		return err
	}
	if in.ExpiresAt.Given && !in.ExpiresAt.Null {
		t, err := time.Parse(time.RFC3339, in.ExpiresAt.Value)
		if err != nil || !t.After(a.Now()) {
			return apierr.Invalid("expires_at", "expires_at must be a time in RFC 3339 that lies in the future.")
		}
		k.ExpiresAt = &t
	}
	if in.Assistants.Given && !in.Assistants.Null {
		if err := a.bindKey(c, &k, in.Assistants.Value); err != nil {
			return err
		}
	}
	if ref := in.DefaultAssistant; ref.Given && !ref.Null {
		if k.DefaultAssistant, err = a.assistantID(c, "default_assistant", ref.Value); err != nil {
			return err
		}
		if !k.MaySee(k.DefaultAssistant) {
			return apierr.Invalid("default_assistant", "default_assistant must be one of assistants.")
		}
	}
	secret, err := a.storeKey(c, &k)
	noteMade(c, string(k.ID))
	if err != nil {
		return err
	}
	v := viewKey(k)
	v.Key = secret
	c.Header("Cache-Control", "no-store")
	c.JSON(http.StatusCreated, v)
	return nil
}

func checkScopes(scopes []assistants.Scope) ([]assistants.Scope, error) {
	if len(scopes) == 0 {
		return nil, apierr.Invalid("scopes", "A key needs at least one scope.")
	}
	for _, s := range scopes {
		if !slices.Contains(assistants.Scopes, s) {
			return nil, apierr.Invalid("scopes", "Each scope must be chat, search or admin.")
		}
	}
	kept := slices.Clone(scopes)
	slices.Sort(kept)
	return slices.Compact(kept), nil
}

// bindKey restricts the key to assistants.
func (a *api) bindKey(c *gin.Context, k *assistants.Key, refs []string) error {
	if k.Has(assistants.ScopeAdmin) {
		// It could create a key that is not bound.
		return apierr.Invalid("assistants", "A key with scope admin cannot be bound to assistants.")
	}
	if len(refs) == 0 || len(refs) > maxLimit {
		return apierr.Invalid("assistants", fmt.Sprintf("assistants must name 1 to %d assistants; null means all.", maxLimit))
	}
	k.Assistants = []assistants.AssistantID{}
	for i, ref := range refs {
		id, err := a.assistantID(c, fmt.Sprintf("assistants[%d]", i), ref)
		if err != nil {
			return err
		}
		if !slices.Contains(k.Assistants, id) {
			k.Assistants = append(k.Assistants, id)
		}
	}
	return nil
}

// assistantID returns the id of an assistant that the body names in param, by id
// or slug.
func (a *api) assistantID(c *gin.Context, param, ref string) (assistants.AssistantID, error) {
	err := assistants.ErrNotFound
	var found assistants.Assistant
	if assistants.NamesAssistant(ref) {
		found, err = a.Store.Assistant(c.Request.Context(), principalOf(c).Tenant, ref)
	}
	if errors.Is(err, assistants.ErrNotFound) {
		return "", apierr.Invalid(param, "There is no such assistant.")
	}
	return found.ID, err
}

// storeKey stores a key. It draws another one when the public prefix is taken,
// which is rare.
func (a *api) storeKey(c *gin.Context, k *assistants.Key) (secret string, err error) {
	for range 3 {
		var drawn assistants.Key
		secret, drawn = access.NewKey()
		k.ID, k.Prefix, k.Hash = drawn.ID, drawn.Prefix, drawn.Hash
		if err = a.Store.CreateKey(c.Request.Context(), *k); !errors.Is(err, assistants.ErrConflict) {
			break
		}
	}
	return secret, err
}

// key returns the key that the path names; ErrNotFound.
func (a *api) key(c *gin.Context) (assistants.Key, error) {
	id := c.Param("key")
	if !assistants.IsID("key_", id) {
		return assistants.Key{}, assistants.ErrNotFound
	}
	return a.Store.Key(c.Request.Context(), principalOf(c).Tenant, assistants.KeyID(id))
}

func (a *api) getKey(c *gin.Context) error {
	found, err := a.key(c)
	if err != nil {
		return err
	}
	answerTagged(c, tagOfKey(found), viewKey(found))
	return nil
}

// revokeKey ends a key at once.
func (a *api) revokeKey(c *gin.Context) error {
	id := c.Param("key")
	if !assistants.IsID("key_", id) {
		return assistants.ErrNotFound
	}
	err := a.Store.RevokeKeyIf(c.Request.Context(), principalOf(c).Tenant, assistants.KeyID(id), a.Now(), unlessStale(c, tagOfKey))
	if err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}
