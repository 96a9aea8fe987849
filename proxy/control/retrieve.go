package control

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/citations"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/grounding"
	"footnote/proxy/wire"
)

// maxTopK is the most passages one retrieval returns, as for the setting retrieval_top_k.
const maxTopK = 50

// sourceView is a source with the whole passage, which chat answers leave out.
type sourceView struct {
	citations.Source
	Text string `json:"text"`
}

type retrieveView struct {
	Data      []sourceView        `json:"data"`
	Retrieval grounding.Retrieval `json:"retrieval"`
}

// retrieve returns the sources that a question would be answered from, with
// the assistant's settings, whether or not it has enable_rag on. No model is asked.
// "settings" in the request of an admin replace some of them this once.
func (a *api) retrieve(c *gin.Context) error {
	owner, err := a.assistant(c)
	if err != nil {
		return err
	}
	var in struct {
		Query    *string         `json:"query" want:"a string"`
		Messages json.RawMessage `json:"messages" want:"a list of messages"`
		TopK     *int            `json:"top_k" want:"a whole number"`
		Filter   json.RawMessage `json:"metadata_filter" want:"an object"`
		Settings json.RawMessage `json:"settings" want:"an object"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	var filter assistants.Filter
	if in.Filter != nil && string(in.Filter) != "null" {
		if filter, err = assistants.ParseFilter(in.Filter); err != nil {
			return err
		}
	}
	question, before, err := questionOf(in.Query, in.Messages)
	if err != nil {
		return err
	}
	s := owner.Settings
	if in.Settings != nil && string(in.Settings) != "null" {
		if principalOf(c).Require(assistants.ScopeAdmin) != nil { // they hold what a key may not find
			return &assistants.FieldError{Kind: assistants.ErrForbidden, Field: "settings", Message: "Only a key with the scope admin may try other settings."}
		}
		if s, err = mergeSettings(s, in.Settings, "settings"); err != nil {
			return err
		}
		reach, err := a.reachOf(c)
		if err != nil {
			return err
		}
		if err := reach.check(owner.Settings, s, "settings"); err != nil {
			return err
		}
	}
	e := eventOf(c)
	e.Query, e.Target, e.Fields = question, "", nil
	q := retrieval.NewQuery(owner.TenantID, owner.CollectionID, s)
	q.Text, q.Before, q.Filter = question, before, q.Filter.And(filter)
	if in.TopK != nil {
		if q.TopK = *in.TopK; q.TopK < 1 || q.TopK > maxTopK {
			return apierr.Invalid("top_k", fmt.Sprintf("top_k must be a whole number from 1 to %d.", maxTopK))
		}
	}
	pass, err := a.Limits.Admit(c.Request.Context(), principalOf(c), &owner, access.Ask{Kind: access.Search})
	if err != nil {
		return err
	}
	defer pass.Release(0)
	found, err := a.Retriever.Retrieve(c.Request.Context(), q)
	if err != nil {
		if gone := c.Request.Context().Err(); gone != nil {
			return gone
		}
		unavailable := apierr.RetrievalUnavailable()
		unavailable.Cause = err
		return unavailable
	}
	if found.Hits, err = grounding.ApplyUnknownPolicy(found.Hits, s.UnknownDocumentPolicy); err != nil {
		return err
	}
	set := citations.NewSet(grounding.Sources(found.Hits), citations.Options{})
	a.Links.Complete(c.Request, &owner, set)
	v := retrieveView{Data: []sourceView{}, Retrieval: grounding.NewRetrieval(owner.CollectionID, found)}
	v.Retrieval.Warnings = found.Trace.Warnings
	e.Collections, e.Documents, e.Results = q.Collections, assistants.DocumentsOf(found.Hits), len(found.Hits)
	for _, src := range set.Sources() {
		v.Data = append(v.Data, sourceView{Source: src, Text: src.Text})
	}
	c.JSON(http.StatusOK, v)
	return nil
}

// questionOf returns the text to search for and the turns before it. The text is the
// query, or the user's last message, which is read as in a chat request.
func questionOf(query *string, messages json.RawMessage) (question string, before []retrieval.Turn, err error) {
	given := messages != nil && !bytes.Equal(messages, []byte("null"))
	switch {
	case query != nil && given:
		return "", nil, apierr.Invalid("query", "Send either query or messages.")
	case query != nil:
		if strings.TrimSpace(*query) == "" {
			return "", nil, apierr.Invalid("query", "query must not be empty.")
		}
		return strings.TrimSpace(*query), nil, nil
	case !given:
		return "", nil, apierr.Missing("query")
	}
	request := append(append([]byte(`{"model":"retrieve","messages":`), messages...), '}')
	r, err := wire.ReadRequest(request)
	if err != nil {
		return "", nil, err
	}
	text := strings.TrimSpace(r.LastUserText())
	if text == "" {
		return "", nil, apierr.Invalid("messages", "messages must hold a message of the user with text.")
	}
	return text, grounding.Before(r), nil
}
