package evaluation

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestTheFirstLineOfAJudgeDecides(t *testing.T) {
	for text, want := range map[string]Judgement{
		"PASS\nIt says four weeks.":   {Pass, "It says four weeks."},
		"  **FAIL**\r\n\nWrong page.": {Fail, "Wrong page."},
		"pass":                        {Pass, ""},
		"Fail.":                       {Fail, ""},
		"PASS: same number.":          {Pass, "same number."},
		"FAIL - no":                   {Fail, "no"},
		"":                            {Unclear, ""},
		"PASSABLE\nx":                 {Unclear, "PASSABLE\nx"},
		"I think PASS":                {Unclear, "I think PASS"},
	} {
		if got := judgementOf(text); *got != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if got := judgementOf("FAIL\n" + strings.Repeat("é", maxReasons)); len(got.Reasons) > maxReasons+len("…") || !strings.HasSuffix(got.Reasons, "é…") {
		t.Errorf("%d bytes of reasons", len(got.Reasons))
	}
}

// judged is a server whose answer and judge are scripted.
func scripted(t *testing.T, asked *[]string, verdict string, fault error) Send {
	t.Helper()
	return func(_ context.Context, _, _ string, body, result any, _ ...string) error {
		raw, err := json.Marshal(body)
		if err != nil {
			t.Error(err)
		}
		*asked = append(*asked, string(raw))
		text := `Four weeks [1].`
		if strings.Contains(string(raw), `"enabled":false`) {
			if fault != nil {
				return fault
			}
			text = verdict
		}
		answer, err := json.Marshal(map[string]any{
			"choices":   []any{map[string]any{"message": map[string]any{"content": text}}},
			"citations": map[string]any{"status": "none"},
		})
		return errors.Join(err, json.Unmarshal(answer, result))
	}
}

func TestAnAnswerIsJudgedByTheExpectedOneWithoutDocuments(t *testing.T) {
	q := Question{ID: "q", Document: "d", Question: "How long is the notice period?", Answer: "Four weeks"}
	var asked []string
	a := &Assistant{Send: scripted(t, &asked, "FAIL\nNo.", nil), Name: "mine", Judge: "Judge well."}
	got, err := a.Ask(t.Context(), q)
	if err != nil || got.Judgement == nil || *got.Judgement != (Judgement{Fail, "No."}) {
		t.Fatalf("%+v, %v", got, err)
	}
	if !strings.HasSuffix(asked[1], `{"role":"user","content":"Judge the answer."}],"model":"mine","retrieval_options":{"enabled":false}}`) {
		t.Errorf("the last message, which is in the audit log, is not the constant one: %s", asked[1])
	}
	for _, want := range []string{"Judge well.", `Question: How long is the notice period?\n\nExpected answer: Four weeks\n\nAnswer: Four weeks [1].`} {
		if !strings.Contains(asked[1], want) {
			t.Errorf("the judge was asked %s", asked[1])
		}
	}
	s := Summarise([]Outcome{{Chat: ScoreAnswer(q, got)}, {Chat: ScoreAnswer(q, Answered{Judgement: &Judgement{Result: Pass}})}, {Chat: ScoreAnswer(q, Answered{Judgement: &Judgement{Result: Unclear}})}}).Chat
	if s.Judged != 2 || s.Passed != 0.5 || s.Unclear != 1 {
		t.Errorf("%+v", s)
	}
}

func TestNothingIsJudgedWithoutAJudgeOrAnExpectedAnswer(t *testing.T) {
	for name, c := range map[string]struct{ judge, answer string }{"no judge": {"", "Four weeks"}, "no expected answer": {"Judge well.", ""}} {
		var asked []string
		a := &Assistant{Send: scripted(t, &asked, "PASS", nil), Judge: c.judge}
		if got, err := a.Ask(t.Context(), Question{Question: "?", Answer: c.answer}); err != nil || got.Judgement != nil || len(asked) != 1 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestAJudgeThatFailsLeavesTheAnswerMeasured(t *testing.T) {
	var asked []string
	a := &Assistant{Send: scripted(t, &asked, "", errors.New("503 overloaded")), Judge: "Judge well."}
	got, err := a.Ask(t.Context(), Question{Question: "?", Answer: "!"})
	if err != nil || got.Status != "none" || *got.Judgement != (Judgement{Unclear, "503 overloaded"}) {
		t.Errorf("%+v, %v", got, err)
	}
}
