package control

import (
	"context"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// A conditionView says whether the server can do its work, and what of it is degraded.
type conditionView struct {
	Ready    bool           `json:"ready"`
	Degraded []degradedView `json:"degraded"`
}

// A degradedView is a part of the server that does not work, or not fully.
type degradedView struct {
	Part    string `json:"part"` // "server" or "embedder"
	Code    string `json:"code"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
}

// remedies say what an operator can do about the errors of Deps.Ready.
var remedies = map[string]string{
	apierr.CodeStarting:            "Wait until the server is ready.",
	apierr.CodeDatabaseUnavailable: "See whether the database runs, can be reached, and has room on its disk.",
	apierr.CodeStorageUnavailable:  "See whether the disk of the data directory is full, or may not be written to.",
}

// otherRemedy is for errors that have none of their own.
const otherRemedy = "See the server's log."

func (a *api) condition(ctx context.Context) conditionView {
	v := conditionView{Ready: true, Degraded: []degradedView{}}
	if err := a.Ready(ctx); err != nil {
		reason := apierr.ObjectOf(err)
		remedy, ok := remedies[reason.Code]
		if !ok {
			remedy = otherRemedy
		}
		v.Ready = false
		v.Degraded = append(v.Degraded, degradedView{"server", reason.Code, reason.Message, remedy})
	}
	const noVectors = "No vectors can be made, so documents are searched by their words only."
	switch e := a.embedder(); e.State {
	case assistants.EmbedderNone:
		remedy := e.Reason
		if remedy == "" {
			remedy = apierr.ObjectOf(assistants.ErrNoEmbedder).Message
		}
		v.Degraded = append(v.Degraded, degradedView{"embedder", apierr.CodeEmbedderUnavailable, noVectors, remedy})
	case assistants.EmbedderFailing:
		v.Degraded = append(v.Degraded, degradedView{"embedder", apierr.CodeEmbedderUnavailable, noVectors + " " + e.Reason,
			"See whether the server in FOOTNOTE_EMBEDDING_URL runs and accepts its key. Documents that wait are tried again."})
	}
	return v
}
