package runs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"footnote/assistants"
	"footnote/assistants/evaluation"
	"footnote/assistants/evaluation/runs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a store of one run.
type memory struct {
	mu       sync.Mutex
	outcomes map[int]evaluation.Outcome
	status   runs.Status
	down     int   // how many calls fail as if the database were away
	fails    error // of AddOutcome
}

func (m *memory) unavailable() bool {
	m.down--
	return m.down >= 0
}

// AddOutcome implements runs.Store.
func (m *memory) AddOutcome(_ context.Context, _ runs.Run, place int, o evaluation.Outcome) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.unavailable():
		return assistants.ErrDatabaseUnavailable
	case m.fails != nil:
		return m.fails
	case m.status != runs.Running:
		return assistants.ErrConflict
	}
	m.outcomes[place] = o
	return nil
}

// EndRun implements runs.Store.
func (m *memory) EndRun(_ context.Context, _ assistants.TenantID, _ assistants.RunID, s runs.Status, _ time.Time) (runs.Run, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.unavailable() {
		return runs.Run{}, assistants.ErrDatabaseUnavailable
	}
	if m.status != runs.Running {
		return runs.Run{}, assistants.ErrConflict
	}
	m.status = s
	return runs.Run{}, nil
}

func (m *memory) state() (runs.Status, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status, len(m.outcomes)
}

func newMemory() *memory {
	return &memory{outcomes: map[int]evaluation.Outcome{}, status: runs.Running}
}

// server answers by fn.
type server func(ctx context.Context) (evaluation.Retrieved, error)

// Retrieve implements evaluation.Server.
func (s server) Retrieve(ctx context.Context, _ []evaluation.Turn) (evaluation.Retrieved, error) {
	return s(ctx)
}

// Ask implements evaluation.Server.
func (s server) Ask(context.Context, evaluation.Question) (evaluation.Answered, error) {
	return evaluation.Answered{}, nil
}

func questions(n int) (all []evaluation.Question) {
	for i := range n {
		all = append(all, evaluation.Question{ID: fmt.Sprint(i), Document: "x", Question: "?"})
	}
	return all
}

func newRunner(s runs.Store) *runs.Runner {
	return runs.NewRunner(s, runs.Config{Log: slog.New(slog.DiscardHandler)})
}

var found = server(func(context.Context) (evaluation.Retrieved, error) { return evaluation.Retrieved{}, nil })

func TestARunStoresEveryOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		n := newRunner(m)
		if err := n.Start(runs.Run{ID: "run_a"}, questions(7), found); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if status, stored := m.state(); status != runs.Completed || stored != 7 || m.outcomes[6].ID != "6" {
			t.Errorf("%s, %d", status, stored)
		}
		n.Close()
		if err := n.Start(runs.Run{ID: "run_b"}, questions(1), found); !errors.Is(err, assistants.ErrUnavailable) {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestARunWaitsForTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.down = 30
		n := newRunner(m)
		if err := n.Start(runs.Run{ID: "run_a"}, questions(2), found); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Minute) // of the bubble's own clock
		synctest.Wait()
		if status, stored := m.state(); status != runs.Completed || stored != 2 {
			t.Errorf("%s, %d", status, stored)
		}
		n.Close()
	})
}

func TestClosingInterruptsARunWithWhatItMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		n := newRunner(m)
		asked := make(chan struct{}, 3)
		slow := server(func(ctx context.Context) (evaluation.Retrieved, error) {
			select {
			case asked <- struct{}{}: // three answers, and no more
				return evaluation.Retrieved{}, nil
			case <-ctx.Done():
				return evaluation.Retrieved{}, ctx.Err()
			}
		})
		if err := n.Start(runs.Run{ID: "run_a"}, questions(9), slow); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		n.Close()
		if status, stored := m.state(); status != runs.Interrupted || stored != 3 {
			t.Errorf("%s, %d", status, stored)
		}
	})
}

func TestAStoppedRunKeepsItsStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		n := newRunner(m)
		stuck := server(func(ctx context.Context) (evaluation.Retrieved, error) {
			<-ctx.Done()
			return evaluation.Retrieved{}, ctx.Err()
		})
		if err := n.Start(runs.Run{ID: "run_a"}, questions(3), stuck); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		m.mu.Lock()
		m.status = runs.Cancelled
		m.mu.Unlock()
		n.Stop("run_a")
		n.Stop("run_none")
		synctest.Wait()
		if status, stored := m.state(); status != runs.Cancelled || stored != 0 {
			t.Errorf("%s, %d", status, stored)
		}
		n.Close()
	})
}

func TestARunWhoseOutcomesCannotBeStoredIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.fails = errors.New("damaged")
		n := newRunner(m)
		if err := n.Start(runs.Run{ID: "run_a"}, questions(3), found); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if status, _ := m.state(); status != runs.Interrupted {
			t.Error(status)
		}
		n.Close()
	})
}

func TestAPanicFailsItsQuestionOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		n := newRunner(m)
		broken := server(func(context.Context) (evaluation.Retrieved, error) { panic("secret") })
		if err := n.Start(runs.Run{ID: "run_a"}, questions(2), broken); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if status, stored := m.state(); status != runs.Completed || stored != 2 || m.outcomes[0].Error != "the server failed; its log says why" {
			t.Errorf("%s, %+v", status, m.outcomes)
		}
		n.Close()
	})
}

func TestFewQuestionsOfAllRunsAreAskedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, most := 0, 0
		free := make(chan struct{})
		counting := server(func(context.Context) (evaluation.Retrieved, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			<-free
			mu.Lock()
			now--
			mu.Unlock()
			return evaluation.Retrieved{}, nil
		})
		stores := []*memory{newMemory(), newMemory(), newMemory(), newMemory()}
		n := newRunner(several(stores))
		for i := range stores {
			if err := n.Start(runs.Run{ID: assistants.RunID(fmt.Sprint(i))}, questions(3), counting); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if now != 4 {
			t.Errorf("%d questions at once", now)
		}
		close(free)
		synctest.Wait()
		for _, m := range stores {
			if status, stored := m.state(); status != runs.Completed || stored != 3 {
				t.Errorf("%s, %d", status, stored)
			}
		}
		if most != 4 {
			t.Errorf("%d questions at once", most)
		}
		n.Close()
	})
}

// several are the stores of runs whose ids are their places.
type several []*memory

func (s several) of(id assistants.RunID) *memory { return s[id[0]-'0'] }

// AddOutcome implements runs.Store.
func (s several) AddOutcome(ctx context.Context, r runs.Run, place int, o evaluation.Outcome) error {
	return s.of(r.ID).AddOutcome(ctx, r, place, o)
}

// EndRun implements runs.Store.
func (s several) EndRun(ctx context.Context, tenant assistants.TenantID, id assistants.RunID, status runs.Status, at time.Time) (runs.Run, error) {
	return s.of(id).EndRun(ctx, tenant, id, status, at)
}
