package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"footnote/assistants"
	"footnote/assistants/evaluation"
	"footnote/assistants/evaluation/runs"
	"footnote/assistants/retrieval"
	"footnote/citations"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/grounding"
)

// Runs works on the runs of evaluations.
type Runs interface {
	// Start puts questions to a server in the background, and stores the outcomes
	// in a stored run. ErrUnavailable: the program stops.
	Start(r runs.Run, questions []evaluation.Question, server evaluation.Server) error
	// Stop stops the work on a run that has been cancelled.
	Stop(id assistants.RunID)
}

// An evaluated assistant is an [evaluation.Server] within this process. It
// retrieves as [api.retrieve] does, and asks as a client does.
type evaluated struct {
	api       *api
	assistant assistants.Assistant // with the settings that the run tries
	caller    access.Principal     // who started the run
	run       runs.Run
}

// Retrieve implements [evaluation.Server].
func (e *evaluated) Retrieve(ctx context.Context, messages []evaluation.Turn) (evaluation.Retrieved, error) {
	raw, err := json.Marshal(messages)
	if err != nil {
		return evaluation.Retrieved{}, err
	}
	question, before, err := questionOf(nil, raw)
	if err != nil {
		return evaluation.Retrieved{}, forClients(err)
	}
	q := retrieval.NewQuery(e.assistant.TenantID, e.assistant.CollectionID, e.assistant.Settings)
	q.Text, q.Before, q.TopK = question, before, e.run.TopK
	found, err := e.api.Retriever.Retrieve(ctx, q)
	if err != nil {
		if ctx.Err() != nil {
			return evaluation.Retrieved{}, ctx.Err()
		}
		e.api.Log.WarnContext(ctx, "retrieval failed in an evaluation", "run", e.run.ID, "error", err)
		return evaluation.Retrieved{}, forClients(apierr.RetrievalUnavailable())
	}
	hits, err := grounding.ApplyUnknownPolicy(found.Hits, e.assistant.Settings.UnknownDocumentPolicy)
	if err != nil {
		return evaluation.Retrieved{}, forClients(err)
	}
	trace := grounding.NewRetrieval(e.assistant.CollectionID, found)
	out := evaluation.Retrieved{Mode: string(trace.SearchMode), MS: trace.DurationMS, StagesMS: trace.StagesMS}
	for _, s := range citations.NewSet(grounding.Sources(hits), citations.Options{}).Sources() {
		source := evaluation.Source{Document: s.DocumentName, Text: s.Text}
		if s.PageNumber != nil {
			source.Page = *s.PageNumber
		}
		if s.PageEnd != nil {
			source.PageEnd = *s.PageEnd
		}
		out.Sources = append(out.Sources, source)
	}
	return out, nil
}

// Ask implements [evaluation.Server].
func (e *evaluated) Ask(ctx context.Context, q evaluation.Question) (evaluation.Answered, error) {
	client := evaluation.Assistant{Send: e.send, Name: string(e.assistant.ID), TopK: e.run.TopK}
	if e.run.Judge {
		client.Judge = evaluation.JudgePrompt(e.assistant.Settings.EvalJudgePrompt)
	}
	return client.Ask(ctx, q)
}

// send is an [evaluation.Send] that sends a chat request within this process, in
// the name of who started the run.
func (e *evaluated) send(ctx context.Context, method, path string, body, result any, header ...string) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	got := &answerBuffer{header: http.Header{}}
	e.api.Chat(got, req, e.caller)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if got.status/100 != 2 {
		return got.fault()
	}
	if err := json.Unmarshal(got.body.Bytes(), result); err != nil {
		return errors.New("the answer is not JSON")
	}
	return nil
}

// forClients returns an error that says of err what a client may know.
func forClients(err error) error {
	var body apierr.Body
	if json.Unmarshal(apierr.JSON(err), &body) != nil || body.Error.Message == "" {
		return errors.New("the question failed")
	}
	return fmt.Errorf("%s: %s", body.Error.Code, body.Error.Message)
}

// An answerBuffer keeps an answer in memory. It implements http.ResponseWriter.
type answerBuffer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (b *answerBuffer) Header() http.Header { return b.header }

// WriteHeader implements http.ResponseWriter.
func (b *answerBuffer) WriteHeader(status int) {
	if b.status == 0 {
		b.status = status
	}
}

// Write implements http.ResponseWriter.
func (b *answerBuffer) Write(p []byte) (int, error) {
	b.WriteHeader(http.StatusOK)
	return b.body.Write(p)
}

// fault is the error of an answer that is no success. A model server's error has
// a form of its own.
func (b *answerBuffer) fault() error {
	var got struct {
		Error struct{ Message, Code string }
	}
	if json.Unmarshal(b.body.Bytes(), &got) != nil || got.Error.Message == "" {
		return fmt.Errorf("the answer has the status %d", b.status)
	}
	const longest = 500
	message := []rune(strings.TrimSpace(got.Error.Message))
	return fmt.Errorf("%d %s: %s", b.status, got.Error.Code, string(message[:min(len(message), longest)]))
}
