package history

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"footnote/assistants"
)

// A memory is a store in memory that may be down.
type memory struct {
	mu     sync.Mutex
	down   bool
	stored []assistants.Answer
	sweeps int
}

func (m *memory) SaveAnswers(_ context.Context, answers []assistants.Answer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down {
		return assistants.ErrUnavailable
	}
	if slices.ContainsFunc(answers, func(a assistants.Answer) bool { return a.ID == "bad" }) {
		return errors.New("too long for its column")
	}
	m.stored = append(m.stored, answers...)
	return nil
}

func (m *memory) RemoveOldAnswers(context.Context, time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweeps++
	return nil
}

func (m *memory) set(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

// lines counts what is logged.
type lines struct {
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) { return l.text.Write(p) }

func TestAnswersWaitWhileTheDatabaseIsDownAsFarAsMemoryAllows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, out := &memory{}, &lines{}
		m.set(true)
		l := New(m, slog.New(slog.NewTextHandler(out, nil)))
		const most = maxBytes / assistants.MaxKeptAnswer
		for range most + 5 {
			l.Record(assistants.Answer{Text: strings.Repeat("a", assistants.MaxKeptAnswer), Assistant: "asst_a"})
		}
		m.set(false)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		lost := strings.Count(out.text.String(), "answers were not kept in the history")
		if len(m.stored)+lost != most+5 || lost < 5 || lost > 8 {
			t.Errorf("%d answers are stored and %d are told to be lost, of %d", len(m.stored), lost, most+5)
		}
	})
}

func TestAnAnswerThatCannotBeStoredTakesNoOtherWithIt(t *testing.T) {
	m, out := &memory{}, &lines{}
	l := New(m, slog.New(slog.NewTextHandler(out, nil)))
	for _, id := range []assistants.AnswerID{"a", "bad", "b"} {
		l.Record(assistants.Answer{ID: id})
	}
	if err := l.Close(); err != nil || len(m.stored) != 2 || m.stored[0].ID != "a" || m.stored[1].ID != "b" {
		t.Errorf("stored %+v, %v", m.stored, err)
	}
	if !strings.Contains(out.text.String(), "answers were not kept in the history\" number=1") {
		t.Errorf("told: %s", &out.text)
	}
}

func TestOldAnswersAreRemovedAtTheStartAndEveryHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		l := New(m, slog.New(slog.DiscardHandler))
		<-time.After(150 * time.Minute)
		synctest.Wait()
		if err := l.Close(); err != nil || m.sweeps != 3 {
			t.Errorf("%d sweeps in two and a half hours, %v", m.sweeps, err)
		}
	})
}

func TestTextsAreCutAndMadeStorable(t *testing.T) {
	long := strings.Repeat("é", assistants.MaxKeptAnswer)
	got := assistants.Answer{Text: long, Question: "a\x00b\xff"}.Bounded()
	if !got.Truncated || len(got.Text) > assistants.MaxKeptAnswer || got.Question != "a\uFFFDb\uFFFD" {
		t.Errorf("truncated %v, %d bytes, %q", got.Truncated, len(got.Text), got.Question)
	}
	if whole := (assistants.Answer{Text: "é"}).Bounded(); whole.Truncated || whole.Text != "é" {
		t.Errorf("%+v", whole)
	}
}
