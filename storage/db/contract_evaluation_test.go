package db_test

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/evaluation"
	"footnote/assistants/evaluation/runs"
)

func newGold(a assistants.Assistant, id string) runs.Gold {
	return runs.Gold{
		ID: assistants.NewGoldID(), Tenant: a.TenantID, Assistant: a.ID, CreatedAt: birth, UpdatedAt: birth,
		Question: evaluation.Question{
			ID: id, Document: "ü.pdf", Question: "Wie?\x00 😀", Pages: []int{3, 4}, Also: []evaluation.Expected{{Document: "b.pdf", Pages: []int{1}}}, Answer: "So.",
		},
	}
}

func newRun(a assistants.Assistant, total int) runs.Run {
	return runs.Run{
		ID: assistants.NewRunID(), Tenant: a.TenantID, Assistant: a.ID, Name: "Ω", Settings: map[string]any{"search_mode": "FullText"}, TopK: 10, Answers: true,
		Status: runs.Running, Total: total, CreatedAt: birth,
	}
}

func addRun(t *testing.T, s contract, a assistants.Assistant, total int) runs.Run {
	t.Helper()
	r := newRun(a, total)
	must(t, s.CreateRun(t.Context(), r))
	return r
}

// ranked returns an outcome whose page was found at a rank.
func ranked(id string, rank int) evaluation.Outcome {
	return evaluation.Outcome{ID: id, Question: "?", DocumentRank: rank, PageRank: &rank, Found: []string{"a, page 1"}}
}

var evaluationTests = map[string]func(*testing.T, contract){
	"gold questions come back as they were stored, in pages by creation": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		var all []runs.Gold
		for i := range 5 {
			g := newGold(a, fmt.Sprint("q", i))
			g.CreatedAt = birth.Add(time.Duration(i) * time.Second)
			all = append(all, g)
		}
		stored, err := s.AddQuestions(t.Context(), tenant, a.ID, all, false)
		if err != nil || !reflect.DeepEqual(stored, all) {
			t.Fatalf("stored %+v, %v", stored, err)
		}
		var got []runs.Gold
		for list := (assistants.List{Limit: 2, Count: true}); ; {
			p, err := s.FindQuestions(t.Context(), tenant, a.ID, list)
			must(t, err)
			if p.Total != 5 {
				t.Errorf("total %d", p.Total)
			}
			got = append(got, p.Items...)
			if list.Cursor = p.Next; p.Next == "" {
				break
			}
		}
		if !reflect.DeepEqual(got, all) {
			t.Errorf("got %+v\nwant %+v", got, all)
		}
	},

	"a known gold id is refused, or replaces the question that keeps its id": func(t *testing.T, s contract) {
		ctx, a := t.Context(), addAssistant(t, s, tenant, "a")
		first := newGold(a, "q")
		_, err := s.AddQuestions(ctx, tenant, a.ID, []runs.Gold{first}, false)
		must(t, err)
		again := newGold(a, "q")
		again.Question.Question, again.UpdatedAt = "Wann?", birth.Add(time.Hour)
		_, err = s.AddQuestions(ctx, tenant, a.ID, []runs.Gold{newGold(a, "new"), again}, false)
		wantKind(t, "the gold id again", err, assistants.ErrConflict)
		if p, err := s.FindQuestions(ctx, tenant, a.ID, assistants.List{}); err != nil || len(p.Items) != 1 {
			t.Errorf("a refused import stored %d questions, %v", len(p.Items)-1, err)
		}
		stored, err := s.AddQuestions(ctx, tenant, a.ID, []runs.Gold{again}, true)
		must(t, err)
		got, err := s.GoldQuestion(ctx, tenant, first.ID)
		if err != nil || got.Question.Question != "Wann?" || !got.UpdatedAt.Equal(again.UpdatedAt) || !got.CreatedAt.Equal(birth) || !reflect.DeepEqual(stored, []runs.Gold{got}) {
			t.Errorf("%+v, %v; answered %+v", got, err, stored)
		}
		other := newGold(addAssistant(t, s, tenant, "b"), "q")
		if _, err := s.AddQuestions(ctx, tenant, other.Assistant, []runs.Gold{other}, false); err != nil {
			t.Errorf("the gold id with another assistant: %v", err)
		}
	},

	"an assistant has a bounded number of gold questions": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		var all []runs.Gold
		for i := range runs.MaxQuestions + 1 {
			all = append(all, newGold(a, fmt.Sprint("q", i)))
		}
		_, err := s.AddQuestions(t.Context(), tenant, a.ID, all, false)
		wantKind(t, "too many", err, assistants.ErrConflict)
		_, err = s.AddQuestions(t.Context(), tenant, a.ID, all[1:], false)
		must(t, err)
		_, err = s.AddQuestions(t.Context(), tenant, a.ID, all[:1], true)
		wantKind(t, "one more", err, assistants.ErrConflict)
	},

	"a gold question is replaced and deleted, unless it is stale": func(t *testing.T, s contract) {
		ctx, a := t.Context(), addAssistant(t, s, tenant, "a")
		g, taken := newGold(a, "q"), newGold(a, "taken")
		_, err := s.AddQuestions(ctx, tenant, a.ID, []runs.Gold{g, taken}, false)
		must(t, err)
		stale := func(runs.Gold) error { return assistants.ErrStale }
		_, err = s.ReplaceQuestionIf(ctx, tenant, g.ID, evaluation.Question{Document: "x"}, birth, stale)
		wantKind(t, "a stale change", err, assistants.ErrStale)
		_, err = s.ReplaceQuestionIf(ctx, tenant, g.ID, evaluation.Question{ID: "taken", Document: "x"}, birth, nil)
		wantKind(t, "a taken gold id", err, assistants.ErrConflict)
		saved, err := s.ReplaceQuestionIf(ctx, tenant, g.ID, evaluation.Question{Document: "x", Question: "?"}, birth.Add(time.Hour), nil)
		must(t, err)
		if got, err := s.GoldQuestion(ctx, tenant, g.ID); err != nil || !reflect.DeepEqual(got, saved) || got.Question.ID != "q" || got.Question.Pages != nil {
			t.Errorf("%+v, %v, answered %+v", got, err, saved)
		}
		wantKind(t, "a stale delete", s.DeleteQuestionIf(ctx, tenant, g.ID, stale), assistants.ErrStale)
		must(t, s.DeleteQuestionIf(ctx, tenant, g.ID, nil))
		wantKind(t, "a second delete", s.DeleteQuestionIf(ctx, tenant, g.ID, nil), assistants.ErrNotFound)
	},

	"a run counts its outcomes, ends with their summary, and takes none afterwards": func(t *testing.T, s contract) {
		ctx, a := t.Context(), addAssistant(t, s, tenant, "a")
		r := addRun(t, s, a, 3)
		if got, err := s.Run(ctx, tenant, r.ID); err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("got %+v, %v\nwant %+v", got, err, r)
		}
		for i, place := range []int{2, 0, 2} { // the last one again, as after an unknown outcome
			must(t, s.AddOutcome(ctx, r, place, ranked(fmt.Sprint("q", place), i+1)))
		}
		if got, err := s.Run(ctx, tenant, r.ID); err != nil || got.Done != 2 || got.Summary != nil {
			t.Errorf("%+v, %v", got, err)
		}
		ended, err := s.EndRun(ctx, tenant, r.ID, runs.Completed, birth.Add(time.Minute))
		must(t, err)
		got, err := s.Run(ctx, tenant, r.ID)
		if err != nil || !reflect.DeepEqual(got, ended) || got.Status != runs.Completed || got.Summary == nil || got.Summary.Page.Questions != 2 || !got.EndedAt.Equal(birth.Add(time.Minute)) {
			t.Errorf("%+v, %v", got, err)
		}
		wantKind(t, "an outcome of an ended run", s.AddOutcome(ctx, r, 1, ranked("q1", 1)), assistants.ErrConflict)
		_, err = s.EndRun(ctx, tenant, r.ID, runs.Interrupted, birth)
		wantKind(t, "a second end", err, assistants.ErrConflict)
		all, err := s.Outcomes(ctx, tenant, r.ID)
		if err != nil || !reflect.DeepEqual(all, []evaluation.Outcome{ranked("q0", 2), ranked("q2", 3)}) {
			t.Errorf("%+v, %v", all, err)
		}
	},

	"outcomes are listed in pages by place": func(t *testing.T, s contract) {
		ctx, a := t.Context(), addAssistant(t, s, tenant, "a")
		r := addRun(t, s, a, 12)
		for i := range 12 {
			must(t, s.AddOutcome(ctx, r, 11-i, ranked(fmt.Sprint("q", 11-i), 1)))
		}
		var got []string
		cursor := ""
		for {
			items, next, err := s.ListOutcomes(ctx, tenant, r.ID, assistants.List{Limit: 5, Cursor: cursor})
			must(t, err)
			for _, o := range items {
				got = append(got, o.ID)
			}
			if cursor = next; next == "" {
				break
			}
		}
		if fmt.Sprint(got) != "[q0 q1 q2 q3 q4 q5 q6 q7 q8 q9 q10 q11]" {
			t.Error(got)
		}
		_, next, err := s.ListOutcomes(ctx, tenant, r.ID, assistants.List{Limit: 5})
		must(t, err)
		var field *assistants.FieldError
		if _, _, err := s.ListOutcomes(ctx, tenant, assistants.NewRunID(), assistants.List{Cursor: next}); !errors.As(err, &field) || field.Field != "cursor" {
			t.Errorf("the cursor of another run: %v", err)
		}
	},

	"an assistant has one run at a time": func(t *testing.T, s contract) {
		ctx, a, b := t.Context(), addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		var group sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			group.Go(func() { errs[i] = s.CreateRun(ctx, newRun(a, 1)) })
		}
		group.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
			} else {
				wantKind(t, "a second run", err, assistants.ErrConflict)
			}
		}
		if made != 1 {
			t.Errorf("%d runs at once", made)
		}
		addRun(t, s, b, 1)
		wantKind(t, "a run of no assistant", s.CreateRun(ctx, newRun(newAssistant(tenant, "c"), 1)), assistants.ErrNotFound)
	},

	"deleting cancels a run that runs, and removes one that has ended": func(t *testing.T, s contract) {
		ctx, a := t.Context(), addAssistant(t, s, tenant, "a")
		r := addRun(t, s, a, 2)
		must(t, s.AddOutcome(ctx, r, 0, ranked("q0", 1)))
		_, err := s.DeleteRunIf(ctx, tenant, r.ID, birth, func(runs.Run) error { return assistants.ErrStale })
		wantKind(t, "a stale delete", err, assistants.ErrStale)
		if cancelled, err := s.DeleteRunIf(ctx, tenant, r.ID, birth, nil); err != nil || !cancelled {
			t.Errorf("%v, %v", cancelled, err)
		}
		if got, err := s.Run(ctx, tenant, r.ID); err != nil || got.Status != runs.Cancelled || got.Done != 1 || got.Summary.Questions != 1 {
			t.Errorf("%+v, %v", got, err)
		}
		if cancelled, err := s.DeleteRunIf(ctx, tenant, r.ID, birth, nil); err != nil || cancelled {
			t.Errorf("%v, %v", cancelled, err)
		}
		_, err = s.Run(ctx, tenant, r.ID)
		wantKind(t, "a removed run", err, assistants.ErrNotFound)
		if left, err := s.Outcomes(ctx, tenant, r.ID); err != nil || len(left) > 0 {
			t.Errorf("its outcomes: %+v, %v", left, err)
		}
		wantKind(t, "an outcome of a removed run", s.AddOutcome(ctx, r, 1, ranked("q1", 1)), assistants.ErrNotFound)
	},

	"runs that were left running are interrupted with what they measured": func(t *testing.T, s contract) {
		ctx, a, theirs := t.Context(), addAssistant(t, s, tenant, "a"), addAssistant(t, s, other, "a")
		done := addRun(t, s, a, 1)
		_, err := s.EndRun(ctx, tenant, done.ID, runs.Completed, birth)
		must(t, err)
		left, far := addRun(t, s, a, 2), addRun(t, s, theirs, 2)
		must(t, s.AddOutcome(ctx, left, 0, ranked("q0", 1)))
		if n, err := s.InterruptRuns(ctx, birth.Add(time.Hour)); err != nil || n != 2 {
			t.Errorf("%d interrupted, %v", n, err)
		}
		for _, r := range []runs.Run{left, far} {
			if got, err := s.Run(ctx, r.Tenant, r.ID); err != nil || got.Status != runs.Interrupted || got.Summary == nil || got.Summary.Questions != got.Done {
				t.Errorf("%+v, %v", got, err)
			}
		}
		p, err := s.FindRuns(ctx, tenant, a.ID, assistants.List{Count: true})
		if err != nil || p.Total != 2 || p.Items[0].Status != runs.Completed || p.Items[1].Done != 1 {
			t.Errorf("%+v, %v", p, err)
		}
		addRun(t, s, a, 1)
	},

	"an assistant goes with its questions and runs, and no others": func(t *testing.T, s contract) {
		ctx, a, b := t.Context(), addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		ga, gb := newGold(a, "q"), newGold(b, "q")
		for _, g := range []runs.Gold{ga, gb} {
			_, err := s.AddQuestions(ctx, tenant, g.Assistant, []runs.Gold{g}, false)
			must(t, err)
		}
		ra, rb := addRun(t, s, a, 1), addRun(t, s, b, 1)
		for _, r := range []runs.Run{ra, rb} {
			must(t, s.AddOutcome(ctx, r, 0, ranked("q", 1)))
		}
		all := assistants.Sight{All: true}
		if got, err := s.AssistantOfRun(ctx, tenant, ra.ID, all); err != nil || got.ID != a.ID {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := s.AssistantOfQuestion(ctx, tenant, ga.ID, assistants.Sight{Some: []assistants.AssistantID{a.ID}}); err != nil || got.ID != a.ID {
			t.Errorf("%+v, %v", got, err)
		}
		_, err := s.AssistantOfQuestion(ctx, tenant, ga.ID, assistants.Sight{Some: []assistants.AssistantID{b.ID}})
		wantKind(t, "a question out of sight", err, assistants.ErrNotFound)
		must(t, s.DeleteAssistant(ctx, tenant, "a"))
		_, err = s.GoldQuestion(ctx, tenant, ga.ID)
		wantKind(t, "its question", err, assistants.ErrNotFound)
		_, err = s.Run(ctx, tenant, ra.ID)
		wantKind(t, "its run", err, assistants.ErrNotFound)
		if left, err := s.Outcomes(ctx, tenant, ra.ID); err != nil || len(left) > 0 {
			t.Errorf("its outcomes: %+v, %v", left, err)
		}
		if left, err := s.Outcomes(ctx, tenant, rb.ID); err != nil || len(left) != 1 {
			t.Errorf("the other's outcomes: %+v, %v", left, err)
		}
		if _, err := s.GoldQuestion(ctx, tenant, gb.ID); err != nil {
			t.Error(err)
		}
	},
}
