package search

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/assistants/tokens"
	"footnote/citations"
	"footnote/proxy/apierr"
	"footnote/proxy/completion"
	"footnote/proxy/grounding"
	"footnote/proxy/upstream"
)

// What answers say that could not be made as they should be.
const (
	messageUnsynthesized = "Answer synthesis temporarily unavailable. Showing search results only."
	messageNoResults     = "No passage of the documents fits the query."
)

// A listener is told how an answer comes about.
type listener interface {
	status(text string)
	token(text string)
	citation(c Citation)
}

// silent is the listener of answers that are no streams.
type silent struct{}

func (silent) status(string)     {}
func (silent) token(string)      {}
func (silent) citation(Citation) {}

// errUnsynthesized says that the model gave no answer. The cause is in the log.
var errUnsynthesized = errors.New("the model gave no answer")

// search finds passages and answers from them. When the model fails, the error is nil and
// the answer has the results only, with a message.
func (j *job) search(ctx context.Context, to listener) (*Answer, error) {
	to.status("Searching the documents.")
	all, err := j.find(ctx, j.in.query, j.in.limit, nil)
	if err != nil {
		return nil, err
	}
	results, err := j.results(ctx, all.hits, true)
	if err != nil {
		return nil, err
	}
	a := &Answer{
		Query: j.in.query, Citations: []Citation{}, ConfidenceLevel: citations.LevelLow,
		Results: results, ResultCount: len(results), Warnings: orEmpty(all.warnings),
	}
	switch {
	case len(all.hits) == 0:
		a.Message = messageNoResults
		if j.event.Chat != nil {
			j.event.Chat.Citations = citations.StatusNoSources
		}
	case j.in.synthesize:
		to.status("Writing the answer.")
		if err = j.synthesize(ctx, a, all, to); errors.Is(err, errUnsynthesized) {
			a.Answer, a.AnswerClean, a.Citations, a.Message, err = "", "", []Citation{}, messageUnsynthesized, nil
		}
	}
	j.cited, j.certainty = len(a.Citations), a.Confidence
	return a, err
}

// synthesize makes the answer from the best hits.
func (j *job) synthesize(ctx context.Context, a *Answer, all found, to listener) error {
	start := time.Now()
	hits := all.hits[:min(len(all.hits), j.settings.SearchTopK)]
	options := grounding.Options(&j.settings)
	// The number of a citation is that of its markers, and each marker has one.
	options.Numbering, options.Renumber, options.Markers = citations.NumberChunks, false, citations.MarkersKeep
	// A stream has sent a citation before a later marker turns out to have no source. So that
	// both forms of the answer say the same, such a marker takes nothing from the others,
	// whatever orphan_policy is.
	options.Orphans, options.NoMarkers, options.Support = citations.OrphansDrop, citations.NoMarkerEmpty, false
	comparison := grounding.Compare(ctx, j.deps.Embedder, &j.settings, j.in.query, &options)
	defer comparison.End()
	set := citations.NewSet(grounding.Sources(hits), options)
	limit := time.Duration(j.settings.SearchTimeoutSeconds) * time.Second
	asking, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	reader := &answerReader{set: set, sources: set.Sources(), to: to, cited: map[int]bool{}, began: func() {
		j.event.Chat.FirstByte = max(time.Since(j.event.CreatedAt), 1)
	}}
	targets, err := j.models(asking)
	if err == nil {
		call := j.prompt(set, targets)
		call.Reword, call.Naming = retrieval.Rewording(all.synonyms), all.naming
		usage := j.event.Chat
		call.Counted = func(prompt, answer int64) { usage.Tokens = &assistants.Tokens{Prompt: prompt, Completion: answer} }
		err = completion.AskInTurn(asking, targets, call, func(piece string) { reader.read(piece) })
		j.tokens = tokensOf(usage.Tokens, call, reader.text.Len())
	}
	j.deps.Metrics.synthesized(time.Since(start), err)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		j.deps.Log.Warn("no answer could be made for a search", "request_id", j.event.RequestID, "query", j.in.query, "chunks", len(hits),
			"models", modelsOf(targets), "timeout", limit.String(), "error_type", errorType(err), "error", err)
		return errUnsynthesized
	}
	j.event.Chat.Citations = reader.end(a)
	if reader.fault != nil {
		j.deps.Log.Warn("the citations of a search could not be determined", "request_id", j.event.RequestID, "query", j.in.query, "chunks", len(hits), "error", reader.fault)
	} else if reader.orphans != nil {
		j.deps.Log.Warn("the answer to a search cites numbers that have no source", "request_id", j.event.RequestID, "query", j.in.query, "chunks", len(hits), "numbers", reader.orphans)
	} else if len(a.Citations) == 0 {
		j.deps.Log.Warn("the answer to a search cites nothing", "request_id", j.event.RequestID, "query", j.in.query, "chunks", len(hits))
	}
	j.deps.Metrics.answered(a, reader.fault)
	return nil
}

// tokensOf are the tokens of an answer: as the model server counts them, or else an
// estimate from the bytes of the prompt and the answer. No answer has none.
func tokensOf(counted *assistants.Tokens, call completion.Call, answer int) int {
	if counted != nil && counted.Prompt+counted.Completion > 0 {
		return int(counted.Prompt + counted.Completion)
	}
	if answer == 0 {
		return 0
	}
	size := answer
	for _, m := range call.Messages {
		size += len(m.Content)
	}
	return max(size/bytesPerToken, 1)
}

// bytesPerToken is how long a token is in most texts.
const bytesPerToken = 4

// errorType says for the log what kind of failure it was.
func errorType(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "timeout"
	}
	if e, ok := errors.AsType[*upstream.Error](err); ok {
		_, code := apierr.StatusAndCode(e)
		return code
	}
	return "unavailable"
}

// models finds the model that answers, and those that do if it fails.
func (j *job) models(ctx context.Context) ([]completion.Target, error) {
	name := ""
	if j.settings.Upstream != nil {
		name = *j.settings.Upstream
	}
	first, err := j.target(ctx, name, j.settings.Model)
	if err != nil {
		return nil, err
	}
	targets := []completion.Target{first}
	for _, f := range j.settings.UpstreamFallbacks {
		next, err := j.target(ctx, f.Upstream, f.Model)
		if err != nil {
			j.deps.Log.Warn("a fallback cannot be used", "request_id", j.event.RequestID, "error", err)
			continue
		}
		targets = append(targets, next)
	}
	return targets, nil
}

func modelsOf(targets []completion.Target) (names []string) {
	for _, t := range targets {
		names = append(names, t.Model)
	}
	return names
}

// target finds an upstream, and its own model unless there is another.
func (j *job) target(ctx context.Context, name string, other *string) (completion.Target, error) {
	client, model, err := j.deps.Upstreams.Named(ctx, j.caller.Tenant, name)
	if err != nil {
		return completion.Target{}, err
	}
	if other != nil {
		model = *other
	}
	if model == "" {
		return completion.Target{}, apierr.UpstreamModelMissing()
	}
	return completion.Target{Client: client, Model: model}, nil
}

// window is the size of a model's context in tokens: the smallest of all models that may
// get the prompt.
func (j *job) window(targets []completion.Target) int {
	if j.settings.ContextWindow != nil {
		return *j.settings.ContextWindow
	}
	smallest := 0
	for _, t := range targets {
		window, known := tokens.ContextWindow(t.Model)
		if !known {
			window = assistants.DefaultContextWindow
		}
		if smallest == 0 || window < smallest {
			smallest = window
		}
	}
	return smallest
}

// prompt asks for an answer from a set of sources, as many as the models' context holds.
func (j *job) prompt(set *citations.Set, targets []completion.Target) completion.Call {
	p := citations.PromptOptions{Secret: j.cfg.PromptSecret, Cite: true, Instruct: true, Template: j.settings.CitationPrompt}
	window := j.window(targets) - (j.settings.SearchMaxTokens + tokens.Count(j.in.query) + tokens.Count(j.settings.SystemPrompt))
	var turns []completion.Message
	for _, turn := range p.Turns() {
		turns = append(turns, completion.Message{Role: "user", Content: turn.Question}, completion.Message{Role: "assistant", Content: turn.Answer})
		window -= tokens.Count(turn.Question) + tokens.Count(turn.Answer)
	}
	set.Fit(p, max(window, 0), tokens.Count)
	system := strings.TrimSpace(j.settings.SystemPrompt + "\n\n" + set.Prompt(p))
	messages := append([]completion.Message{{Role: "system", Content: system}}, turns...)
	temperature := j.settings.SearchTemperature
	return completion.Call{
		Request: completion.Request{
			Stream: j.in.stream, MaxTokens: j.settings.SearchMaxTokens, Temperature: &temperature,
			Messages: append(messages, completion.Message{Role: "user", Content: j.in.query}),
		},
		Question: j.in.query, Passages: func() []upstream.Passage { return grounding.Passages(set, true) },
		Observe: j.deps.Metrics.upstream,
	}
}

// An answerReader finds the citations of an answer as it comes.
type answerReader struct {
	set     *citations.Set
	sources []citations.Source
	to      listener
	tracker *citations.Tracker // nil until the first piece
	text    strings.Builder
	cited   map[int]bool
	began   func() // is called at the first piece
	fault   error  // of the scanner
	orphans []int  // numbers in markers that have no source
}

func (r *answerReader) read(piece string) {
	if r.tracker == nil { // the prompt is made, so the sources have their numbers
		r.tracker = r.set.Tracker()
		r.began()
	}
	r.text.WriteString(piece)
	r.tracker.Write(0, piece)
	r.to.token(piece)
	r.announce()
}

// announce tells of the sources whose first marker is complete.
func (r *answerReader) announce() {
	for _, marker := range r.tracker.Completed(0) {
		for _, n := range marker.Indices {
			if !r.cited[n] {
				r.cited[n] = true
				r.to.citation(citationOf(&r.sources[n-1]))
			}
		}
	}
}

// end adds the answer with what it cites, and returns the status of its citations. When
// the markers could not be read, the answer has none.
func (r *answerReader) end(a *Answer) (status string) {
	r.tracker.Close(0)
	r.announce()
	verdict := r.tracker.Result()
	a.Answer = r.text.String()
	a.AnswerClean = citations.StripAnswer(a.Answer)
	a.Confidence, a.ConfidenceLevel = verdict.Confidence.Confidence, verdict.ConfidenceLevel
	for _, w := range verdict.Warnings {
		if w != citations.Disclaimer {
			a.Warnings = append(a.Warnings, w)
		}
	}
	if r.fault = r.tracker.Fault(); r.fault != nil {
		a.Answer, a.Message = a.AnswerClean, citations.Disclaimer
		return citations.StatusError
	}
	if len(verdict.InvalidIndices) > 0 {
		r.orphans = verdict.InvalidIndices
		a.Warnings = append(a.Warnings, "The answer cites "+numbered(r.orphans)+", but there is no such source.")
	}
	for _, n := range verdict.ReferencedIndices {
		a.Citations = append(a.Citations, citationOf(&verdict.Sources[n-1]))
	}
	return verdict.Status
}

// numbered lists numbers as markers: [3], [9].
func numbered(numbers []int) string {
	markers := make([]string, len(numbers))
	for i, n := range numbers {
		markers[i] = "[" + strconv.Itoa(n) + "]"
	}
	return strings.Join(markers, ", ")
}
