package evaluation

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"time"
)

// What citing costs: the same question is asked with citations off as well, and both answers
// are compared with the expected one. A small model that must cite may answer worse.

// A CitedAndNot says of two answers to one question whether they are the expected one.
type CitedAndNot struct {
	Cited   string  `json:"cited"`      // pass, fail or unclear
	Uncited string  `json:"uncited"`    // the same, of the answer without citations
	MS      float64 `json:"uncited_ms"` // from the request to the end of the answer without citations
}

// A CitingSummary has the shares (0–1) of right answers among the questions of which both
// answers were judged.
type CitingSummary struct {
	Questions int     `json:"questions"`
	Cited     float64 `json:"cited"`
	Uncited   float64 `json:"uncited"`
	Unclear   int     `json:"unclear"` // questions of which an answer was not judged
	Latency   Latency `json:"uncited_latency_ms"`
}

// askUncited asks the question with citations off, and judges both answers.
func (a *Assistant) askUncited(ctx context.Context, q Question, cited string, judgement *Judgement) (*CitedAndNot, error) {
	body := map[string]any{
		"model": a.Name, "messages": q.Messages(), "retrieval_options": map[string]int{"top_k": a.TopK},
		"debug_options": map[string]any{"settings": map[string]any{"enable_citations": false}},
	}
	var got chatAnswer
	start := time.Now()
	if err := a.Send(ctx, http.MethodPost, "/assistants/"+url.PathEscape(a.Name)+"/v1/chat/completions", body, &got, "X-Footnote-History", "off"); err != nil {
		return nil, err
	}
	out := &CitedAndNot{MS: float64(time.Since(start).Microseconds()) / 1000, Cited: rightByWords(q.Answer, cited), Uncited: rightByWords(q.Answer, got.text())}
	if judgement != nil && out.Cited != Pass {
		out.Cited = judgement.Result
	}
	if a.Judge != "" && out.Uncited != Pass {
		second, err := a.judge(ctx, q, got.text())
		if err != nil {
			return nil, err
		}
		out.Uncited = second.Result
	}
	return out, nil
}

// maxByWords is how many words an expected answer has whose absence is a fault. A longer
// one can be said in too many ways.
const maxByWords = 5

var markers = regexp.MustCompile(`\[\d+\]`)

// rightByWords judges by rule: an answer is right if the words of the expected one stand in
// it, one after the other. If they do not, a short one is missing, and a long one unclear.
func rightByWords(expected, answer string) string {
	want, got := words(expected), words(markers.ReplaceAllString(answer, ""))
	if len(want) == 0 {
		return Unclear
	}
	for i := 0; i+len(want) <= len(got); i++ {
		if slices.Equal(got[i:i+len(want)], want) {
			return Pass
		}
	}
	if len(want) <= maxByWords {
		return Fail
	}
	return Unclear
}

func summariseCiting(outcomes []Outcome) *CitingSummary {
	var s CitingSummary
	var took []float64
	for _, o := range outcomes {
		if o.Chat == nil || o.Chat.Citing == nil {
			continue
		}
		c := o.Chat.Citing
		took = append(took, c.MS)
		if c.Cited == Unclear || c.Uncited == Unclear {
			s.Unclear++
			continue
		}
		s.Questions++
		if c.Cited == Pass {
			s.Cited++
		}
		if c.Uncited == Pass {
			s.Uncited++
		}
	}
	if len(took) == 0 {
		return nil
	}
	s.Cited, s.Uncited = share(s.Cited, s.Questions), share(s.Uncited, s.Questions)
	s.Latency = latency(took)
	return &s
}
