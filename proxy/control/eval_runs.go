package control

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/evaluation"
	"footnote/assistants/evaluation/runs"
	"footnote/proxy/apierr"
)

// defaultEvalTopK is how many passages a run asks for, as `footnote eval` does.
const defaultEvalTopK = 10

type runView struct {
	ID          assistants.RunID       `json:"id"`
	AssistantID assistants.AssistantID `json:"assistant_id"`
	Name        string                 `json:"name"`
	Status      runs.Status            `json:"status"`
	Progress    runProgress            `json:"progress"`
	TopK        int                    `json:"top_k"`
	Answers     bool                   `json:"answers"`
	Judge       bool                   `json:"judge"`
	Settings    map[string]any         `json:"settings"` // null: the assistant's own
	CreatedAt   time.Time              `json:"created_at"`
	EndedAt     *time.Time             `json:"ended_at"`
	Summary     *evaluation.Summary    `json:"summary"` // null: it runs
}

type runProgress struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

func viewRun(r runs.Run) runView {
	return runView{
		ID: r.ID, AssistantID: r.Assistant, Name: r.Name, Status: r.Status, Progress: runProgress{r.Done, r.Total}, TopK: r.TopK,
		Answers: r.Answers, Judge: r.Judge, Settings: r.Settings, CreatedAt: stamp(r.CreatedAt), EndedAt: stampOrNil(r.EndedAt), Summary: r.Summary,
	}
}

func tagOfRun(r runs.Run) string { return tagOf(viewRun(r)) }

// startRun begins to put the questions of an assistant to it, in the background.
func (a *api) startRun(c *gin.Context) error {
	owner, err := a.assistant(c)
	if err != nil {
		return err
	}
	run, settings, err := a.newRun(c, owner)
	if err != nil {
		return err
	}
	questions, err := a.questionsOf(c.Request.Context(), owner)
	if err != nil {
		return err
	}
	if len(questions) == 0 {
		return apierr.Invalid("", "The assistant has no gold questions. Add some first.")
	}
	run.Total = len(questions)
	noteMade(c, string(run.ID))
	if err := a.Store.CreateRun(c.Request.Context(), run); err != nil {
		return err
	}
	tested := owner
	tested.Settings = settings
	server := &evaluated{api: a, assistant: tested, caller: principalOf(c), run: run}
	if err := a.Runs.Start(run, questions, server); err != nil {
		return err // the next start of the server ends the run
	}
	c.JSON(http.StatusAccepted, viewRun(run))
	return nil
}

// newRun reads a run from a request, and the settings that retrieval uses.
func (a *api) newRun(c *gin.Context, owner assistants.Assistant) (runs.Run, assistants.Settings, error) {
	run := runs.Run{
		ID: assistants.NewRunID(), Tenant: owner.TenantID, Assistant: owner.ID, TopK: defaultEvalTopK, Status: runs.Running, CreatedAt: a.Now(),
	}
	s := owner.Settings
	var in struct {
		Name     *string         `json:"name" want:"a string"`
		TopK     *int            `json:"top_k" want:"a whole number"`
		Answers  bool            `json:"answers" want:"true or false"`
		Judge    bool            `json:"judge" want:"true or false"`
		Settings json.RawMessage `json:"settings" want:"an object"`
	}
	if err := readJSON(c, &in); err != nil {
		return run, s, err
	}
	if in.Name != nil {
		if err := assistants.CheckName("name", *in.Name); err != nil {
			return run, s, err
		}
		run.Name = *in.Name
	}
	if in.TopK != nil {
		if run.TopK = *in.TopK; run.TopK < 1 || run.TopK > maxTopK {
			return run, s, apierr.Invalid("top_k", fmt.Sprintf("top_k must be a whole number from 1 to %d.", maxTopK))
		}
	}
	run.Answers, run.Judge = in.Answers, in.Judge
	if run.Judge && !run.Answers {
		return run, s, apierr.Invalid("judge", "judge needs answers; set answers to true.")
	}
	if in.Settings == nil || string(in.Settings) == "null" {
		return run, s, nil
	}
	if run.Answers {
		return run, s, apierr.Invalid("settings", "settings are tried for retrieval alone; leave answers out, or change the assistant.")
	}
	tried, err := a.triedSettings(c, s, in.Settings)
	if err == nil {
		err = json.Unmarshal(in.Settings, &run.Settings)
	}
	return run, tried, err
}

// triedSettings returns settings with some of them replaced, as far as the
// principal may do that.
func (a *api) triedSettings(c *gin.Context, own assistants.Settings, patch json.RawMessage) (assistants.Settings, error) {
	merged, err := mergeSettings(own, patch, "settings")
	if err != nil {
		return own, err
	}
	reach, err := a.reachOf(c)
	if err != nil {
		return own, err
	}
	return merged, reach.check(own, merged, "settings")
}

// questionsOf returns all gold questions of an assistant.
func (a *api) questionsOf(ctx context.Context, owner assistants.Assistant) ([]evaluation.Question, error) {
	var questions []evaluation.Question
	for list := (assistants.List{Limit: maxLimit}); ; {
		found, err := a.Store.FindQuestions(ctx, owner.TenantID, owner.ID, list)
		if err != nil {
			return nil, err
		}
		for _, g := range found.Items {
			questions = append(questions, g.Question)
		}
		if list.Cursor = found.Next; found.Next == "" {
			return questions, nil
		}
	}
}

// listRuns lists the runs of an assistant, the newest first.
func (a *api) listRuns(c *gin.Context) error {
	owner, err := a.assistant(c)
	if err != nil {
		return err
	}
	list, err := queriedListOf(c)
	if err != nil {
		return err
	}
	list.Descending = true
	found, err := a.Store.FindRuns(c.Request.Context(), owner.TenantID, owner.ID, list)
	if err != nil {
		return err
	}
	answerListing(c, list, found, viewRun)
	return nil
}

// runID returns the id in the path, if the principal may see its assistant.
func (a *api) runID(c *gin.Context) (assistants.RunID, error) {
	return a.visibleRun(c, c.Param("run"))
}

func (a *api) visibleRun(c *gin.Context, id string) (assistants.RunID, error) {
	if !assistants.IsID("run_", id) {
		return "", assistants.ErrNotFound
	}
	p := principalOf(c)
	owner, err := a.Store.AssistantOfRun(c.Request.Context(), p.Tenant, assistants.RunID(id), p.Sight())
	eventOf(c).Assistant = owner.ID
	return assistants.RunID(id), err
}

func (a *api) getRun(c *gin.Context) error {
	id, err := a.runID(c)
	if err != nil {
		return err
	}
	found, err := a.Store.Run(c.Request.Context(), principalOf(c).Tenant, id)
	if err != nil {
		return err
	}
	answerTagged(c, tagOfRun(found), viewRun(found))
	return nil
}

// deleteRun cancels a run that runs, and keeps what it has measured. It removes a
// run that has ended.
func (a *api) deleteRun(c *gin.Context) error {
	id, err := a.runID(c)
	if err != nil {
		return err
	}
	cancelled, err := a.Store.DeleteRunIf(c.Request.Context(), principalOf(c).Tenant, id, a.Now(), unlessStale(c, tagOfRun))
	if err != nil {
		return err
	}
	if cancelled {
		a.Runs.Stop(id)
	}
	c.Status(http.StatusNoContent)
	return nil
}

// listResults lists the outcomes of a run in the order of its questions.
func (a *api) listResults(c *gin.Context) error {
	id, err := a.runID(c)
	if err != nil {
		return err
	}
	return answerPage(c, principalOf(c).Tenant, func(ctx context.Context, tenant assistants.TenantID, list assistants.List) ([]evaluation.Outcome, string, error) {
		return a.Store.ListOutcomes(ctx, tenant, id, list)
	}, func(o evaluation.Outcome) evaluation.Outcome { return o })
}

// A comparisonView says how a run differs from another on the questions that
// both have.
type comparisonView struct {
	First     runView                      `json:"first"`  // the one in with
	Second    runView                      `json:"second"` // the one in the path
	Questions int                          `json:"questions"`
	Better    int                          `json:"better"`
	Worse     int                          `json:"worse"`
	Same      int                          `json:"same"`
	Figures   map[string]evaluation.Figure `json:"figures"`
	Tests     comparisonTests              `json:"tests"`
	Changes   []evaluation.Change          `json:"changes"`
}

// comparisonTests are the tests of whether a difference may be chance. They are
// about the questions whose pages are known.
type comparisonTests struct {
	Questions int                   `json:"questions"`
	Hit5      evaluation.Difference `json:"page_hit@5"`
	MRR       evaluation.Difference `json:"page_mrr"`
}

// compareRuns compares a run with another, question by question.
func (a *api) compareRuns(c *gin.Context) error {
	second, err := a.runID(c)
	if err != nil {
		return err
	}
	with, given, err := apierr.QueryOnce(c, "with")
	if err != nil {
		return err
	}
	if !given {
		return apierr.Missing("with")
	}
	if !assistants.IsID("run_", with) {
		return apierr.Invalid("with", "with must be the id of a run.")
	}
	first, err := a.visibleRun(c, with)
	if err != nil {
		return err
	}
	v, err := a.comparison(c.Request.Context(), principalOf(c).Tenant, first, second)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, v)
	return nil
}

func (a *api) comparison(ctx context.Context, tenant assistants.TenantID, first, second assistants.RunID) (comparisonView, error) {
	var v comparisonView
	var outcomes [2][]evaluation.Outcome
	for i, id := range []assistants.RunID{first, second} {
		run, err := a.Store.Run(ctx, tenant, id)
		if err != nil {
			return v, err
		}
		if outcomes[i], err = a.Store.Outcomes(ctx, tenant, id); err != nil {
			return v, err
		}
		*[]*runView{&v.First, &v.Second}[i] = viewRun(run)
	}
	before, after := evaluation.Paired(outcomes[0], outcomes[1])
	tests := evaluation.Compare(before, after)
	v.Tests = comparisonTests{Questions: tests.Questions, Hit5: tests.Hit5, MRR: tests.MRR}
	v.Figures = evaluation.Figures(evaluation.Summarise(before), evaluation.Summarise(after))
	v.Changes = evaluation.Changes(before, after)
	v.Questions = len(v.Changes)
	for _, change := range v.Changes {
		switch change.Verdict {
		case evaluation.Better:
			v.Better++
		case evaluation.Worse:
			v.Worse++
		case evaluation.Same:
			v.Same++
		}
	}
	return v, nil
}
