package control

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/ingestion/sandbox"
)

// defaults returns the table of settings: defaults, ranges, explanations.
func (a *api) defaults(c *gin.Context) error {
	c.JSON(http.StatusOK, pageOf(assistants.Fields(), "", func(f assistants.Field) assistants.Field { return f }))
	return nil
}

type statusView struct {
	Version       string                    `json:"version"`
	UptimeSeconds int64                     `json:"uptime_seconds"`
	Backends      Backends                  `json:"backends"`
	Documents     map[assistants.Status]int `json:"documents"`
	Jobs          int                       `json:"jobs"`
	Embedder      embedderView              `json:"embedder"`
	Upstreams     []breakerView             `json:"upstreams"`
	Sandbox       *sandbox.Isolation        `json:"sandbox,omitempty"`
	conditionView
}

// An embedderView describes the embedder. Without one, only full text is
// searched.
type embedderView struct {
	State      assistants.EmbedderState `json:"state"`
	Model      string                   `json:"model,omitempty"`
	Dimensions int                      `json:"dimensions,omitempty"`
	Reason     string                   `json:"reason,omitempty"`
}

func (a *api) embedder() embedderView {
	if a.Embedder == nil {
		return embedderView{State: assistants.EmbedderNone}
	}
	s := a.Embedder.Status()
	return embedderView{s.State, s.Space.Model, s.Space.Dimensions, s.Reason}
}

// status reports the state of the server. Documents are the tenant's, jobs are
// those of the whole installation.
func (a *api) status(c *gin.Context) error {
	counts, err := a.Store.CountDocuments(c.Request.Context(), principalOf(c).Tenant)
	if err != nil {
		return err
	}
	jobs, err := a.Store.CountJobs(c.Request.Context())
	if err != nil {
		return err
	}
	upstreams, err := a.breakers(c.Request.Context(), principalOf(c).Tenant)
	if err != nil {
		return err
	}
	v := statusView{
		Version: a.Version, UptimeSeconds: int64(a.Now().Sub(a.started).Seconds()), Backends: a.Backends,
		Documents: viewCounts(counts), Jobs: jobs, Upstreams: upstreams,
		Embedder: a.embedder(), conditionView: a.condition(c.Request.Context()),
	}
	if a.Sandbox != nil {
		in := a.Sandbox(c.Request.Context())
		v.Sandbox = &in
	}
	c.JSON(http.StatusOK, v)
	return nil
}

// viewCounts names every state, also those of no document.
func viewCounts(counts map[assistants.Status]int) map[assistants.Status]int {
	all := make(map[assistants.Status]int, len(assistants.Statuses))
	for _, s := range assistants.Statuses {
		all[s] = counts[s]
	}
	return all
}
