package db

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"
)

// migrateEnv makes the test program migrate the database it names.
const migrateEnv = "FOOTNOTE_TEST_DB_MIGRATE"

func migrate(ctx context.Context, url string) ([]string, error) {
	s, err := Open(ctx, url, Options{})
	if err != nil {
		return nil, err
	}
	applied, err := s.Migrate(ctx)
	return applied, errors.Join(err, s.Close())
}

// migrateInChild is the main function of that process.
func migrateInChild(url string) int {
	if _, err := migrate(context.Background(), url); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestTwentyStartsAtTheSameTimeMigrateOnce(t *testing.T) {
	rounds, starts := 2, 20
	if nightly {
		rounds = 20
	}
	for range rounds {
		eachDatabase(t, func(t *testing.T, url string) {
			var mu sync.Mutex
			var applied []string
			var wg sync.WaitGroup
			begin := make(chan struct{})
			for range starts {
				wg.Go(func() {
					<-begin
					names, err := migrate(t.Context(), url)
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					applied = append(applied, names...)
					mu.Unlock()
				})
			}
			close(begin)
			wg.Wait()
			if want := migrationNames(t, "sqlite"); !slices.Equal(applied, want) {
				t.Errorf("applied %v, want each of %v once", applied, want)
			}
		})
	}
}

// Killed migrations leave nothing incomplete and do not block others.
func TestStartsThatAreKilledDoNotStopTheOthers(t *testing.T) {
	rounds, doomed, surviving := 1, 6, 4
	if nightly {
		rounds = 4
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range rounds {
		eachDatabase(t, func(t *testing.T, url string) {
			var killed []*exec.Cmd
			for range doomed {
				cmd := exec.CommandContext(t.Context(), os.Args[0])
				cmd.Env = append(os.Environ(), migrateEnv+"="+url)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				killed = append(killed, cmd)
			}
			var wg sync.WaitGroup
			for _, cmd := range killed {
				pause := time.After(time.Duration(random.Int64N(int64(400 * time.Millisecond)))) // any moment of its life
				wg.Go(func() {
					<-pause
					_ = cmd.Process.Kill() // it may have finished
					_ = cmd.Wait()         // killed or not, it is gone
				})
			}
			for range surviving {
				wg.Go(func() {
					if _, err := migrate(t.Context(), url); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			s := openUnmigrated(t, url, Options{})
			states, err := s.MigrationStatus(t.Context())
			if err != nil || slices.ContainsFunc(states, func(m Migration) bool { return m.AppliedAt.IsZero() }) {
				t.Errorf("%+v, %v", states, err)
			}
			modelled(t, s)
		})
	}
}
