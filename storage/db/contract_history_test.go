package db_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// newAnswer returns an answer of the n-th minute after birth, in one of three threads.
func newAnswer(a assistants.Assistant, n int) assistants.Answer {
	return assistants.Answer{
		ID: assistants.NewAnswerID(), TenantID: a.TenantID, Assistant: a.ID, Thread: assistants.ThreadID(fmt.Sprint("t", n%3)),
		CreatedAt: birth.Add(time.Duration(n) * time.Minute), RequestID: "req_1", Model: "m", Question: fmt.Sprint("Question ", n), Text: "Ünd [1] 😀",
		Outcome: assistants.AnswerComplete, Cited: []int{}, Verifications: []assistants.Verification{},
	}
}

func addAnswers(t *testing.T, s contract, a assistants.Assistant, n int, change func(i int, a *assistants.Answer)) (all []assistants.Answer) {
	t.Helper()
	for i := range n {
		answer := newAnswer(a, i)
		if change != nil {
			change(i, &answer)
		}
		all = append(all, answer)
	}
	must(t, s.SaveAnswers(t.Context(), all))
	return all
}

// foundAnswers lists all that a query selects, and checks their number.
func foundAnswers(t *testing.T, s contract, a assistants.Assistant, q assistants.AnswerQuery, descending bool) (ids []assistants.AnswerID) {
	t.Helper()
	for list := (assistants.List{Limit: 4, Descending: descending, Count: true}); ; {
		p, err := s.FindAnswers(t.Context(), a.TenantID, a.ID, q, list)
		must(t, err)
		for _, found := range p.Items {
			ids = append(ids, found.ID)
		}
		if list.Cursor = p.Next; p.Next == "" {
			if p.Total != len(ids) {
				t.Errorf("%+v selects %d, counted as %d", q, len(ids), p.Total)
			}
			return ids
		}
	}
}

// threadsOf lists the threads of an assistant as "id: title (answers)".
func threadsOf(t *testing.T, s contract, a assistants.Assistant, user string) (all []string) {
	t.Helper()
	for list := (assistants.List{Limit: 2, Descending: true}); ; {
		p, err := s.FindThreads(t.Context(), a.TenantID, a.ID, user, list)
		must(t, err)
		for _, th := range p.Items {
			all = append(all, fmt.Sprintf("%s: %s (%d)", th.ID, th.Title, th.Answers))
		}
		if list.Cursor = p.Next; p.Next == "" {
			return all
		}
	}
}

var historyTests = map[string]func(*testing.T, contract){
	"an answer comes back as it was stored, and is stored once": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		full := newAnswer(a, 0)
		full.Key, full.User, full.CompletionID, full.Finish, full.Code = "key_a", "Ünal", "chatcmpl-1", "stop", "a_code"
		full.CitationStatus, full.Citations, full.Cited = "cited", json.RawMessage(`{"b": 1,  "a":[2]}`), []int{1, 3}
		full.Tokens, full.FirstByte, full.Took, full.Truncated = &assistants.Tokens{Prompt: 7, Completion: 8}, time.Millisecond, time.Second, true
		full.Verifications = []assistants.Verification{{Source: 1, Result: assistants.SourceConfirmed, Key: "key_a", At: birth}}
		bare := newAnswer(a, 1)
		for range 2 { // a writer that did not learn of its success tries again
			must(t, s.SaveAnswers(t.Context(), []assistants.Answer{full, bare}))
		}
		for _, want := range []assistants.Answer{full, bare} {
			if got, err := s.Answer(t.Context(), tenant, want.ID); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, want)
			}
		}
		if got := threadsOf(t, s, a, ""); !slices.Equal(got, []string{"t1: Question 1 (1)", "t0: Question 0 (1)"}) {
			t.Errorf("threads %q", got)
		}
		owner, err := s.AssistantOfAnswer(t.Context(), tenant, full.ID, assistants.Sight{All: true}, "key_a")
		if err != nil || owner.ID != a.ID {
			t.Errorf("its assistant is %s, %v", owner.ID, err)
		}
		wantKind(t, "in sight of no assistant", errorOf(s.AssistantOfAnswer(t.Context(), tenant, full.ID, assistants.Sight{}, "")), assistants.ErrNotFound)
		for _, id := range []assistants.AnswerID{full.ID, bare.ID} {
			wantKind(t, "of another key", errorOf(s.AssistantOfAnswer(t.Context(), tenant, id, assistants.Sight{All: true}, "key_b")), assistants.ErrNotFound)
		}
	},

	"answers are listed by what they are about, in both directions and in pages": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		addAnswers(t, s, b, 5, nil)
		all := addAnswers(t, s, a, 30, func(i int, a *assistants.Answer) {
			a.User, a.Key = []string{"", "Ünal"}[i%2], []assistants.KeyID{"", "key_a", "key_b"}[i%3]
			a.CompletionID = fmt.Sprint("c", i/2)
		})
		for i, rating := range map[int]assistants.Rating{3: assistants.RatingUp, 4: assistants.RatingDown, 9: assistants.RatingUp} {
			must(t, errorOf(s.UpdateAnswer(t.Context(), tenant, all[i].ID, func(a *assistants.Answer) error {
				a.Feedback = &assistants.Feedback{Rating: rating, At: birth}
				return nil
			})))
		}
		for name, c := range map[string]struct {
			query assistants.AnswerQuery
			wants func(i int) bool
		}{
			"all":           {assistants.AnswerQuery{}, func(int) bool { return true }},
			"a thread":      {assistants.AnswerQuery{Thread: "t1"}, func(i int) bool { return i%3 == 1 }},
			"a user":        {assistants.AnswerQuery{User: "Ünal"}, func(i int) bool { return i%2 == 1 }},
			"a key":         {assistants.AnswerQuery{Key: "key_b"}, func(i int) bool { return i%3 == 2 }},
			"a completion":  {assistants.AnswerQuery{Completion: "c2"}, func(i int) bool { return i == 4 || i == 5 }},
			"a rating":      {assistants.AnswerQuery{Ratings: []assistants.Rating{assistants.RatingUp}}, func(i int) bool { return i == 3 || i == 9 }},
			"any rating":    {assistants.AnswerQuery{Ratings: assistants.Ratings}, func(i int) bool { return i == 3 || i == 4 || i == 9 }},
			"a time":        {assistants.AnswerQuery{From: all[10].CreatedAt, To: all[20].CreatedAt}, func(i int) bool { return i >= 10 && i < 20 }},
			"several parts": {assistants.AnswerQuery{User: "Ünal", Thread: "t0", To: all[10].CreatedAt}, func(i int) bool { return i == 3 || i == 9 }},
		} {
			for _, descending := range []bool{false, true} {
				var want []assistants.AnswerID
				for i, answer := range all {
					if c.wants(i) {
						want = append(want, answer.ID)
					}
				}
				if descending {
					slices.Reverse(want)
				}
				if got := foundAnswers(t, s, a, c.query, descending); !slices.Equal(got, want) {
					t.Errorf("%s, descending %v: %d answers, want %d", name, descending, len(got), len(want))
				}
			}
		}
	},

	"a page of long answers ends early, and the next goes on": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		const long = 3 << 20 // three of them are more than a page
		all := addAnswers(t, s, a, 7, func(i int, a *assistants.Answer) {
			if i < 4 {
				a.Text = strings.Repeat("é", long/2)
			}
			if i == 6 {
				a.Text = strings.Repeat("x", 9<<20) // alone more than a page
			}
		})
		var pages []int
		var ids []assistants.AnswerID
		for list := (assistants.List{Limit: 1000}); ; {
			p, err := s.FindAnswers(t.Context(), tenant, a.ID, assistants.AnswerQuery{}, list)
			must(t, err)
			pages = append(pages, len(p.Items))
			for _, found := range p.Items {
				ids = append(ids, found.ID)
			}
			if list.Cursor = p.Next; p.Next == "" {
				break
			}
		}
		if !slices.Equal(pages, []int{2, 4, 1}) {
			t.Errorf("answers in pages: %v", pages)
		}
		for i, want := range all {
			if i >= len(ids) || ids[i] != want.ID {
				t.Fatalf("listed: %v", ids)
			}
		}
	},

	"a thread agrees with its answers, whichever are removed": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		all := addAnswers(t, s, a, 9, func(i int, a *assistants.Answer) {
			if i == 1 {
				a.Question, a.User = strings.Repeat("é", 300), "Ünal"
			}
		})
		long := "t1: " + strings.Repeat("é", 100) + " (3)"
		for _, step := range []struct {
			remove func() error
			want   []string
		}{
			{func() error { return nil }, []string{"t2: Question 2 (3)", long, "t0: Question 0 (3)"}},
			{func() error { return s.RemoveAnswer(t.Context(), tenant, all[0].ID) }, []string{"t2: Question 2 (3)", long, "t0: Question 3 (2)"}},
			{func() error { return s.RemoveAnswer(t.Context(), tenant, all[8].ID) }, []string{long, "t0: Question 3 (2)", "t2: Question 2 (2)"}},
			{func() error {
				n, err := s.RemoveAnswers(t.Context(), tenant, a.ID, assistants.AnswerQuery{Thread: "t0"})
				if n != 2 {
					t.Errorf("%d removed, want 2", n)
				}
				return err
			}, []string{long, "t2: Question 2 (2)"}},
		} {
			must(t, step.remove())
			if got := threadsOf(t, s, a, ""); !slices.Equal(got, step.want) {
				t.Errorf("threads %q, want %q", got, step.want)
			}
		}
		if got := threadsOf(t, s, a, "Ünal"); !slices.Equal(got, []string{long}) {
			t.Errorf("threads of a user: %q", got)
		}
		if got, err := s.Thread(t.Context(), tenant, a.ID, "t2"); err != nil || got.Answers != 2 || !got.CreatedAt.Equal(all[2].CreatedAt) || !got.UpdatedAt.Equal(all[5].CreatedAt) {
			t.Errorf("thread %+v, %v", got, err)
		}
		wantKind(t, "a thread without answers", errorOf(s.Thread(t.Context(), tenant, a.ID, "t0")), assistants.ErrNotFound)
		wantKind(t, "an answer that was removed", s.RemoveAnswer(t.Context(), tenant, all[0].ID), assistants.ErrNotFound)
	},

	"feedback and verifications change, and nothing else of an answer": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		want := addAnswers(t, s, a, 1, nil)[0]
		for _, f := range []*assistants.Feedback{{Rating: assistants.RatingDown, Comment: "Falsch 😀", Key: "key_a", At: birth}, {Rating: assistants.RatingUp, At: birth}, nil} {
			want.Feedback = f
			want.Verifications = []assistants.Verification{{Source: 2, Result: assistants.SourceRejected, At: birth}}
			saved, err := s.UpdateAnswer(t.Context(), tenant, want.ID, func(a *assistants.Answer) error {
				a.Feedback, a.Verifications, a.Text = f, want.Verifications, "another"
				return nil
			})
			if err != nil || !reflect.DeepEqual(saved.Feedback, f) {
				t.Errorf("saved %+v, %v", saved.Feedback, err)
			}
			if got, err := s.Answer(t.Context(), tenant, want.ID); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, want)
			}
		}
		refusal := errors.New("no")
		if _, err := s.UpdateAnswer(t.Context(), tenant, want.ID, func(*assistants.Answer) error { return refusal }); !errors.Is(err, refusal) {
			t.Errorf("refused: %v", err)
		}
	},

	"answers are kept as long as their assistant says": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, other, "b")
		must(t, errorOf(s.UpdateAssistant(t.Context(), other, "b", func(b *assistants.Assistant) error {
			b.Settings.HistoryRetentionDays = 1
			return nil
		})))
		addAnswers(t, s, a, 3, nil)
		kept := addAnswers(t, s, b, 3, nil)
		must(t, s.RemoveOldAnswers(t.Context(), birth.AddDate(0, 0, 1).Add(90*time.Second)))
		if got := foundAnswers(t, s, a, assistants.AnswerQuery{}, false); len(got) != 3 {
			t.Errorf("%d of 3 answers after a day of seven", len(got))
		}
		if got := foundAnswers(t, s, b, assistants.AnswerQuery{}, false); !slices.Equal(got, []assistants.AnswerID{kept[2].ID}) {
			t.Errorf("%v are left of those that are kept for a day", got)
		}
	},

	"an assistant takes its answers with it, and gets none afterwards": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		gone := addAnswers(t, s, a, 3, nil)
		must(t, s.DeleteAssistant(t.Context(), tenant, "a"))
		late, fine := newAnswer(a, 9), newAnswer(b, 9)
		must(t, s.SaveAnswers(t.Context(), []assistants.Answer{late, fine}))
		for _, id := range []assistants.AnswerID{gone[0].ID, late.ID} {
			wantKind(t, "an answer of a deleted assistant", errorOf(s.Answer(t.Context(), tenant, id)), assistants.ErrNotFound)
		}
		if got := threadsOf(t, s, a, ""); len(got) > 0 {
			t.Errorf("threads of a deleted assistant: %q", got)
		}
		must(t, errorOf(s.Answer(t.Context(), tenant, fine.ID)))
	},
}
