package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/strict"
	"footnote/proxy/upstream"
)

// maxHeaderName bounds the names of headers, in bytes, because error messages
// repeat them.
const maxHeaderName = 128

// masked replaces a secret in answers. If a client sends it back, the stored
// secret stays.
const masked = "••••"

type upstreamView struct {
	ID           assistants.UpstreamID `json:"id"`
	Name         string                `json:"name"`
	BaseURL      string                `json:"base_url"`
	HasKey       bool                  `json:"has_key"`
	DefaultModel *string               `json:"default_model"`
	Headers      map[string]string     `json:"headers"` // values are masked

	// In seconds; null: the server's default.
	FirstTokenTimeout *int64 `json:"first_token_timeout"`
	IdleTimeout       *int64 `json:"idle_timeout"`
	TotalTimeout      *int64 `json:"total_timeout"`

	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

func viewUpstream(u assistants.Upstream) upstreamView {
	v := upstreamView{
		ID: u.ID, Name: u.Name, BaseURL: u.BaseURL, HasKey: u.APIKey.Set(), Headers: make(map[string]string, len(u.Headers)),
		CreatedAt: stamp(u.CreatedAt), UpdatedAt: stamp(u.UpdatedAt),
		FirstTokenTimeout: viewSeconds(u.Timeouts.FirstToken), IdleTimeout: viewSeconds(u.Timeouts.Idle), TotalTimeout: viewSeconds(u.Timeouts.Total),
	}
	if u.DefaultModel != "" {
		v.DefaultModel = &u.DefaultModel
	}
	for name := range u.Headers {
		v.Headers[name] = masked
	}
	return v
}

func viewSeconds(d time.Duration) *int64 {
	if d == 0 {
		return nil
	}
	n := int64(d / time.Second)
	return &n
}

// upstreamInput is the body of a request about an upstream. Absent members do
// not change.
type upstreamInput struct {
	Name         *string                `json:"name" want:"a string"`
	BaseURL      *string                `json:"base_url" want:"a string"`
	APIKey       optional[string]       `json:"api_key" want:"a string, or null for none"`
	DefaultModel optional[string]       `json:"default_model" want:"a string, or null for none"`
	Headers      optional[headerValues] `json:"headers" want:"an object of strings, or null for none"`

	FirstTokenTimeout optional[int64] `json:"first_token_timeout" want:"a whole number of seconds, or null for the default"`
	IdleTimeout       optional[int64] `json:"idle_timeout" want:"a whole number of seconds, or null for the default"`
	TotalTimeout      optional[int64] `json:"total_timeout" want:"a whole number of seconds, or null for the default"`
}

// headerValues are the values of headers by name.
type headerValues map[string]string

// UnmarshalJSON refuses a duplicate name, because it is unclear which value was
// meant.
func (h *headerValues) UnmarshalJSON(raw []byte) error {
	if _, err := strict.Members(raw); err != nil {
		return err
	}
	return json.Unmarshal(raw, (*map[string]string)(h))
}

// apply writes the input into u and checks the result.
func (in upstreamInput) apply(u *assistants.Upstream, check func(assistants.Upstream) error) error {
	former := *u
	if in.Name != nil {
		u.Name = *in.Name
		if err := assistants.CheckUpstreamName(u.Name); err != nil {
			return err
		}
	}
	if in.BaseURL != nil {
		u.BaseURL = strings.TrimSpace(*in.BaseURL)
	}
	if in.DefaultModel.Given {
		u.DefaultModel = in.DefaultModel.Value // "" when null
		if err := assistants.CheckModelName("default_model", u.DefaultModel); err != nil {
			return err
		}
	}
	if in.APIKey.Null {
		u.APIKey = assistants.Secret{}
	} else if in.APIKey.Given {
		key, err := replaced(u.APIKey, in.APIKey.Value, "api_key")
		if err != nil {
			return err
		}
		u.APIKey = key
	}
	if in.Headers.Given {
		headers, err := replacedHeaders(u.Headers, in.Headers.Value)
		if err != nil {
			return err
		}
		u.Headers = headers
	}
	for _, t := range []struct {
		name  string
		input optional[int64]
		into  *time.Duration
	}{
		{"first_token_timeout", in.FirstTokenTimeout, &u.Timeouts.FirstToken},
		{"idle_timeout", in.IdleTimeout, &u.Timeouts.Idle},
		{"total_timeout", in.TotalTimeout, &u.Timeouts.Total},
	} {
		if err := applySeconds(t.name, t.input, t.into); err != nil {
			return err
		}
	}
	if err := check(*u); err != nil || origin(u.BaseURL) == origin(former.BaseURL) {
		return err
	}
	return in.bringsSecrets(former)
}

func applySeconds(name string, in optional[int64], into *time.Duration) error {
	const most = int64(assistants.MaxUpstreamTimeout / time.Second)
	if in.Given && !in.Null && (in.Value < 1 || in.Value > most) {
		return apierr.Invalid(name, fmt.Sprintf("%s must be between 1 and %d seconds, or null for the default.", name, most))
	}
	if in.Given {
		*into = time.Duration(in.Value) * time.Second // 0 when null
	}
	return nil
}

// bringsSecrets reports a secret that was not sent although the upstream moves
// to another host. A client that may change an upstream may not read its
// secrets, so it must not be able to send them to a host of its choice.
func (in upstreamInput) bringsSecrets(former assistants.Upstream) error {
	if former.APIKey.Set() && (!in.APIKey.Given || strings.HasPrefix(in.APIKey.Value, masked)) {
		return apierr.Invalid("api_key", "The upstream moves to another host: send its api_key again, or null for none.")
	}
	for name := range former.Headers {
		if !in.Headers.Given {
			return apierr.Invalid("headers", "The upstream moves to another host: send its headers again, or null for none.")
		}
		for sent, value := range in.Headers.Value {
			if http.CanonicalHeaderKey(sent) == name && strings.HasPrefix(value, masked) {
				return apierr.Invalid("headers", "The upstream moves to another host: send the values of its headers again.")
			}
		}
	}
	return nil
}

// origin returns scheme and host of a base URL, as written.
func origin(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// replacedHeaders returns the headers that replace the former ones.
func replacedHeaders(former map[string]assistants.Secret, given map[string]string) (map[string]assistants.Secret, error) {
	headers := make(map[string]assistants.Secret, len(given))
	for _, sent := range slices.Sorted(maps.Keys(given)) {
		name, param := http.CanonicalHeaderKey(sent), "headers."+sent
		if len(sent) > maxHeaderName {
			return nil, apierr.Invalid("headers", fmt.Sprintf("A header's name has at most %d characters.", maxHeaderName))
		}
		if _, twice := headers[name]; twice {
			return nil, apierr.Invalid(param, "This header appears twice.")
		}
		value, err := replaced(former[name], given[sent], param)
		if err != nil {
			return nil, err
		}
		headers[name] = value
	}
	return headers, nil
}

// replaced returns the secret for a value that was sent: a new one, or the
// stored one if the value is masked.
func replaced(former assistants.Secret, value, param string) (assistants.Secret, error) {
	switch {
	case value == "":
		return assistants.Secret{}, apierr.Invalid(param, param+" must not be empty; omit it, or send null for none.")
	case !strings.HasPrefix(value, masked):
		return assistants.NewSecret(value), nil
	case former.Set():
		return former, nil
	default:
		return assistants.Secret{}, apierr.Invalid(param, param+" is masked, but there is no stored value to keep.")
	}
}

func (a *api) createUpstream(c *gin.Context) error {
	var in upstreamInput
	if err := readJSON(c, &in); err != nil {
		return err
	}
	switch {
	case in.Name == nil:
		return apierr.Missing("name")
	case in.BaseURL == nil:
		return apierr.Missing("base_url")
	}
	now := a.Now()
	made := assistants.Upstream{ID: assistants.NewUpstreamID(), TenantID: principalOf(c).Tenant, CreatedAt: now, UpdatedAt: now}
	if err := in.apply(&made, a.Upstreams.Check); err != nil {
		return err
	}
	if err := a.checkAddress(c.Request.Context(), made); err != nil {
		return err
	}
	noteMade(c, string(made.ID))
	if err := a.Store.CreateUpstream(c.Request.Context(), made); err != nil {
		return err
	}
	c.JSON(http.StatusCreated, viewUpstream(made))
	return nil
}

// upstream returns the upstream that the path names by its id.
func (a *api) upstream(c *gin.Context) (assistants.Upstream, error) {
	id := c.Param("upstream")
	if !assistants.IsID("up_", id) {
		return assistants.Upstream{}, assistants.ErrNotFound
	}
	return a.Store.Upstream(c.Request.Context(), principalOf(c).Tenant, id)
}

func (a *api) listUpstreams(c *gin.Context) error {
	return answerPage(c, principalOf(c).Tenant, a.Store.Upstreams, viewUpstream)
}

func (a *api) getUpstream(c *gin.Context) error {
	found, err := a.upstream(c)
	if err != nil {
		return err
	}
	answerTagged(c, tagOfUpstream(found), viewUpstream(found))
	return nil
}

func (a *api) patchUpstream(c *gin.Context) error {
	found, err := a.upstream(c)
	if err != nil {
		return err
	}
	var in upstreamInput
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if in.BaseURL != nil {
		moved := found
		moved.Headers = maps.Clone(found.Headers)
		if err := in.apply(&moved, a.Upstreams.Check); err != nil {
			return err
		}
		if err := a.checkAddress(c.Request.Context(), moved); err != nil {
			return err
		}
	}
	saved, err := a.Store.UpdateUpstream(c.Request.Context(), found.TenantID, found.ID, guardedChange(unlessStale(c, tagOfUpstream), func(stored *assistants.Upstream) error {
		return in.apply(stored, a.Upstreams.Check)
	}))
	if err != nil {
		return err
	}
	answerTagged(c, tagOfUpstream(saved), viewUpstream(saved))
	return nil
}

func (a *api) deleteUpstream(c *gin.Context) error {
	found, err := a.upstream(c)
	if err != nil {
		return err
	}
	if err := a.Store.DeleteUpstreamIf(c.Request.Context(), found.TenantID, found.ID, unlessStale(c, tagOfUpstream)); err != nil {
		return err
	}
	a.Upstreams.Forget(found.ID)
	c.Status(http.StatusNoContent)
	return nil
}

type upstreamHealthView struct {
	Status    string `json:"status"` // "ok" or "failed"
	LatencyMS int64  `json:"latency_ms"`
	Code      string `json:"code,omitempty"`
	Message   string `json:"message"`
}

// upstreamHealth asks an upstream for its models, with its key, and reports the
// result. Of the upstream's own words it repeats only the names of models.
func (a *api) upstreamHealth(c *gin.Context) error {
	found, err := a.upstream(c)
	if err != nil {
		return err
	}
	start := time.Now()
	finding, err := a.Upstreams.Probe(c.Request.Context(), found)
	v := upstreamHealthView{Status: "ok", LatencyMS: time.Since(start).Milliseconds(), Message: "The model server answers: " + finding.String() + "."}
	if finding.BaseURL != "" {
		v.Status, v.Code, v.Message = "failed", upstream.CodeNotFound, moved(finding)
	}
	if err != nil {
		if ctx := c.Request.Context(); ctx.Err() != nil {
			return context.Cause(ctx)
		}
		failure, ok := errors.AsType[*upstream.Error](err)
		if !ok {
			return err
		}
		v.Status, v.Code, v.Message = "failed", failure.Code, failure.Message
		a.Log.WarnContext(c.Request.Context(), "the health check of an upstream failed", "upstream", found.ID, "error", err)
	}
	c.JSON(http.StatusOK, v)
	return nil
}

// checkAddress refuses a base URL at which the server has no models, if it lacks the
// /v1 at which the server has them. Most addresses lead to /v1 already and are not
// tried, a server that does not answer may be started later, and a gateway may have
// paths that serve chats without a list.
func (a *api) checkAddress(ctx context.Context, u assistants.Upstream) error {
	if !upstream.LacksVersion(u.BaseURL) {
		return nil
	}
	finding, err := a.Upstreams.Probe(ctx, u)
	if err != nil || !finding.Completes(u.BaseURL) {
		return nil //nolint:nilerr // GET health reports it
	}
	return apierr.Invalid("base_url", moved(finding))
}

func moved(finding upstream.Finding) string {
	return "The model server has no models at this base_url, but at " + finding.BaseURL + "; use that."
}

type modelView struct {
	ID      string `json:"id"`
	Created int64  `json:"created"` // Unix seconds, 0: unknown
	OwnedBy string `json:"owned_by"`
}

func viewModel(m upstream.Model) modelView {
	return modelView{ID: m.ID, Created: m.Created, OwnedBy: m.OwnedBy}
}

// upstreamModels lists the models of an upstream. If it fails, so does the
// request.
func (a *api) upstreamModels(c *gin.Context) error {
	found, err := a.upstream(c)
	if err != nil {
		return err
	}
	models, err := a.Upstreams.Models(c.Request.Context(), found)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, pageOf(models, "", viewModel))
	return nil
}
