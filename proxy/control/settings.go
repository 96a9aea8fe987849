package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/tokens"
	"footnote/proxy/apierr"
	"footnote/proxy/grounding"
	"footnote/proxy/jsonbody"
)

// mergeSettings applies a JSON object of settings to s. Errors name the setting
// by its path; under is the member that holds the object, "" if it is the whole
// body.
func mergeSettings(s assistants.Settings, patch []byte, under string) (assistants.Settings, error) {
	if under != "" { // changeSettings has checked a whole body
		_, err := jsonbody.Members(patch)
		if twice := jsonbody.TwiceIn(under, err); twice != nil {
			return s, twice
		}
	}
	merged, err := s.Merge(patch)
	if f, ok := errors.AsType[*assistants.FieldError](err); ok && under != "" {
		at := *f
		at.Field = under
		if f.Field != "" {
			at.Field += "." + f.Field
		}
		err = &at
	}
	return merged, err
}

// settingsView is the settings, with warnings in answers to changes.
type settingsView struct {
	assistants.Settings
	Warnings []string `json:"warnings,omitempty"`
}

// warnings lists settings that are valid but have no effect together.
func warnings(s assistants.Settings) []string {
	format := string(s.CitationFormat)
	var list []string
	warn := func(applies bool, sentence string) {
		if applies {
			list = append(list, sentence)
		}
	}
	links, object := false, false
	switch s.CitationFormat {
	case assistants.FormatOpenAI, assistants.FormatPerplexity:
		links = true
	case assistants.FormatNative, assistants.FormatMarkdown:
		object = true
	}
	warn(links && s.CitationLinkMode == assistants.LinkNone,
		"citation_format "+format+" consists of links, so it is empty while citation_link_mode is None.")
	warn(s.CitationFormat == assistants.FormatAzure && s.CitationRenumber,
		"citation_renumber has no effect with citation_format azure, whose list of sources is sent before the text.")
	annotated := s.CitationFormat == assistants.FormatNative || s.CitationFormat == assistants.FormatOpenAI
	warn(s.EnableCitations && annotated && s.CitationLinkMode != assistants.LinkNone && !s.CitationRenumber,
		"Chat clients that take [n] for the n-th link, such as Open WebUI, show the right document only with citation_renumber, or with citation_format markdown.")
	warn(s.OrphanPolicy == assistants.OrphanDisclaim && !object,
		"orphan_policy disclaim has no effect: it is reported in the citations object, which citation_format "+format+" leaves out.")
	warn(s.NoMarkerPolicy == assistants.NoMarkerAllSources && (s.CitationFormat == assistants.FormatNone || s.CitationFormat == assistants.FormatPerplexity || s.CitationFormat == assistants.FormatAzure),
		"no_marker_policy all_sources has no effect with citation_format "+format+", which does not show which sources are cited.")
	if s.EnableRAG {
		list = append(list, roomWarning(s)...)
	}
	return list
}

// minSourceRoom is the number of tokens without which a context window has hardly room for
// the instructions, a question and one passage.
const minSourceRoom = 512

// roomWarning warns of a context window in which the answer leaves no room for sources.
func roomWarning(s assistants.Settings) []string {
	window, answer := assistants.DefaultContextWindow, assistants.DefaultAnswerTokens
	if s.Model != nil {
		if known, ok := tokens.ContextWindow(*s.Model); ok {
			window = known
		}
	}
	size, reserve := "assumed as long as context_window is not set", "kept free for the answer as long as max_tokens is not set"
	if s.ContextWindow != nil {
		window, size = *s.ContextWindow, "context_window"
	}
	if s.MaxTokens != nil {
		answer, reserve = *s.MaxTokens, "max_tokens"
	}
	if window-answer >= minSourceRoom {
		return nil
	}
	return []string{fmt.Sprintf("The context of %d tokens (%s) has no room for sources beside an answer of %d tokens (%s), so answers are made without them.", window, size, answer, reserve)}
}

// warningsFor lists warnings for the client that stored an assistant's settings.
func (a *api) warningsFor(r *http.Request, saved assistants.Assistant) []string {
	s := saved.Settings
	list := append(a.Links.Warnings(r, s), warnings(s)...)
	if s.SearchMode == assistants.SearchVector && (a.Embedder == nil || a.Embedder.Status().State == assistants.EmbedderNone) {
		list = append(list, "search_mode Vector finds nothing as long as no embedder is set up. "+grounding.EmbedderRemedy)
	}
	if !s.EnableRAG && a.hasDocuments(r.Context(), saved) {
		list = append(list, "The documents of this assistant are not searched, because enable_rag is off.")
	}
	return list
}

// hasDocuments reports whether an assistant has documents of its own.
func (a *api) hasDocuments(ctx context.Context, of assistants.Assistant) bool {
	some, _, err := a.Store.Documents(ctx, of.TenantID, of.CollectionID, assistants.List{Limit: 1})
	if err != nil {
		a.Log.WarnContext(ctx, "cannot see whether an assistant has documents", "assistant", of.ID, "error", err)
	}
	return len(some) > 0
}

func (a *api) getSettings(c *gin.Context) error {
	found, err := a.assistant(c)
	if err != nil {
		return err
	}
	answerTagged(c, tagOfSettings(found), found.Settings)
	return nil
}

// putSettings replaces all settings. Settings that the body omits are reset.
func (a *api) putSettings(c *gin.Context) error {
	return a.changeSettings(c, func(assistants.Settings) assistants.Settings { return assistants.DefaultSettings() })
}

// patchSettings changes the settings in the body.
func (a *api) patchSettings(c *gin.Context) error {
	return a.changeSettings(c, func(stored assistants.Settings) assistants.Settings { return stored })
}

// changeSettings merges the body into base(stored settings), inside the store's
// transaction.
func (a *api) changeSettings(c *gin.Context, base func(assistants.Settings) assistants.Settings) error {
	found, err := a.assistant(c)
	if err != nil {
		return err
	}
	body, err := readBody(c)
	if err != nil {
		return err
	}
	if _, err := jsonbody.Members(body); err != nil { // refuses duplicate members, which Merge does not see
		return err
	}
	noteFields(c, body)
	reach, err := a.reachOf(c)
	if err != nil {
		return err
	}
	saved, err := a.Store.UpdateAssistant(c.Request.Context(), found.TenantID, string(found.ID), guardedChange(unlessStale(c, tagOfSettings), func(stored *assistants.Assistant) error {
		merged, err := mergeSettings(base(stored.Settings), body, "")
		if err == nil {
			err = reach.check(stored.Settings, merged, "")
		}
		stored.Settings = merged
		return err
	}))
	if f, ok := errors.AsType[*assistants.FieldError](err); ok { // the store names settings by their path in an assistant
		return &assistants.FieldError{Field: strings.TrimPrefix(f.Field, "settings."), Message: f.Message, Kind: f.Kind}
	}
	if errors.Is(err, assistants.ErrConflict) {
		return apierr.Conflict("", "The assistant was changed at the same time; try again.")
	}
	if err != nil {
		return err
	}
	answerTagged(c, tagOfSettings(saved), settingsView{Settings: saved.Settings, Warnings: a.warningsFor(c.Request, saved)})
	return nil
}
