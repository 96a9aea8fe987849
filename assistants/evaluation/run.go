package evaluation

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A Server answers questions.
type Server interface {
	// Retrieve returns the passages that the last of the messages is answered from.
	Retrieve(ctx context.Context, messages []Turn) (Retrieved, error)
	// Ask asks for an answer, and for a judgement of it if the server has a judge.
	Ask(ctx context.Context, q Question) (Answered, error)
}

// A Run holds the outcomes of a gold set.
type Run struct {
	Name     string         `json:"name"`
	Created  time.Time      `json:"created"`
	Settings map[string]any `json:"settings,omitempty"` // those that differ from the assistant's
	Outcomes []Outcome      `json:"outcomes"`           // in the order of the questions
}

// Options control an evaluation.
type Options struct {
	Chat     bool // also ask for answers
	Parallel int  // questions at once, at least one
	// Progress, if set, is called after each question; calls do not overlap.
	Progress func(done, all int)
	// Each, if set, is called with each outcome and the place of its question.
	// Calls may overlap, so that a slow one keeps no other question waiting.
	Each func(place int, o Outcome)
}

// Evaluate puts questions to a server. When ctx ends, it returns the outcomes so
// far and ctx's error.
func Evaluate(ctx context.Context, s Server, questions []Question, opt Options) ([]Outcome, error) {
	var (
		all     = make([]*Outcome, len(questions))
		next    = make(chan int)
		working sync.WaitGroup
		mu      sync.Mutex
		done    int
	)
	for range max(1, opt.Parallel) {
		working.Go(func() {
			for i := range next {
				o := ask(ctx, s, questions[i], opt.Chat)
				if ctx.Err() != nil {
					continue
				}
				if opt.Each != nil {
					opt.Each(i, o)
				}
				mu.Lock()
				all[i] = &o
				if done++; opt.Progress != nil {
					opt.Progress(done, len(questions))
				}
				mu.Unlock()
			}
		})
	}
feed:
	for i := range questions {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	working.Wait()
	out := make([]Outcome, 0, len(all))
	for _, o := range all {
		if o != nil {
			out = append(out, *o)
		}
	}
	return out, ctx.Err()
}

func ask(ctx context.Context, s Server, q Question, chat bool) Outcome {
	found, err := s.Retrieve(ctx, q.Messages())
	if err != nil {
		o := Score(q, Retrieved{})
		o.Error = err.Error()
		return o
	}
	o := Score(q, found)
	if !chat {
		return o
	}
	answer, err := s.Ask(ctx, q)
	if err != nil {
		o.Error = err.Error()
		return o
	}
	o.Chat = ScoreAnswer(q, answer)
	return o
}

// Failed returns an error if questions failed. It says how many failed, and why
// the first one did.
func Failed(outcomes []Outcome) error {
	failed, first := 0, ""
	for _, o := range outcomes {
		if o.Error == "" {
			continue
		}
		if failed++; failed == 1 {
			first = fmt.Sprintf("%s: %s", o.ID, o.Error)
		}
	}
	if failed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d questions failed and count as not found; %s", failed, len(outcomes), first)
}

func (s Source) label() string {
	if s.Page == 0 {
		return s.Document
	}
	if s.PageEnd > s.Page {
		return fmt.Sprintf("%s, pages %d–%d", s.Document, s.Page, s.PageEnd)
	}
	return fmt.Sprintf("%s, page %d", s.Document, s.Page)
}
