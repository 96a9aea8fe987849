package access

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"footnote/assistants"
	"footnote/storage/db"
	"footnote/storage/db/postgrestest"
)

// openInstance returns Limits and the store of one instance. It works in the
// background, as in a server.
func openInstance(t *testing.T, url string) *Limits {
	t.Helper()
	store, err := db.Open(t.Context(), url, db.Options{SecretKey: bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := NewLimits(LimitsConfig{Months: store, Shared: store})
	t.Cleanup(func() {
		if err := errors.Join(l.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return l
}

// TestThreeInstancesOnOnePostgresShareLimits asks three instances at once for three
// times what is allowed. It takes much less than a minute, so that all of it counts.
func TestThreeInstancesOnOnePostgresShareLimits(t *testing.T) {
	url := postgrestest.URL(t)
	shareLimits(t, []*Limits{openInstance(t, url), openInstance(t, url), openInstance(t, url)})
}

// TestAFileCanShareLimitsToo keeps the store's promise where no server is at hand.
func TestAFileCanShareLimitsToo(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "footnote.db")
	one := openInstance(t, url)
	two := NewLimits(LimitsConfig{Months: one.cfg.Months, Shared: one.cfg.Shared})
	t.Cleanup(func() {
		if err := two.Close(); err != nil {
			t.Error(err)
		}
	})
	shareLimits(t, []*Limits{one, two})
}

func shareLimits(t *testing.T, list []*Limits) {
	t.Helper()
	ask := Ask{Kind: Chat, Tokens: func() int { return 1 }}
	a := &assistants.Assistant{ID: "asst_a", TenantID: "default"}
	a.Settings.RequestsPerMinute = n(100_000)
	var all sync.WaitGroup
	for name, limit := range map[string]int{"few": 5, "some": 30, "many": 400} {
		p := with(name, assistants.Limits{RequestsPerMinute: n(limit), TokensPerMinute: n(100_000), ConcurrentStreams: n(1000)})
		all.Go(func() {
			var admitted atomic.Int64
			var clients sync.WaitGroup
			for _, l := range list {
				for range 4 {
					clients.Go(func() {
						for range limit {
							pass, err := l.Admit(context.Background(), p, a, ask)
							if err == nil {
								admitted.Add(1)
							} else if _, ok := errors.AsType[*assistants.LimitError](err); !ok {
								t.Error(err)
							}
							pass.Release(1)
						}
					})
				}
			}
			clients.Wait()
			got := int(admitted.Load())
			t.Logf("%d instances admitted %d, the limit is %d", len(list), got, limit)
			if got < limit || 10*got > 11*limit {
				t.Errorf("%d instances admitted %d, the limit is %d", len(list), got, limit)
			}
		})
	}
	all.Wait()
	for i, l := range list {
		l.mu.Lock()
		begun, failed := l.fleet.begun, l.fleet.failed
		l.mu.Unlock()
		if failed != nil || begun == 0 {
			t.Errorf("instance %d could not share in %d exchanges", i, begun)
		}
		t.Logf("instance %d: %d exchanges", i, begun)
	}
}

// instanceEnv makes the test program an instance on the database that it names.
const instanceEnv = "FOOTNOTE_TEST_LIMITS_DATABASE"

// limitsOfProcesses are the limits of the keys that processes use.
var limitsOfProcesses = map[string]int{"few": 7, "some": 30, "many": 600}

// runInstance waits for its input to end, makes requests at once with every key, more
// than it may, and prints how many of each were admitted.
func runInstance(url string) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	store, err := db.Open(context.Background(), url, db.Options{SecretKey: bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		return fail(err)
	}
	l := NewLimits(LimitsConfig{Months: store, Shared: store})
	if _, err := fmt.Println("ready"); err != nil {
		return fail(err)
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return fail(err)
	}
	var clients sync.WaitGroup
	var mu sync.Mutex
	admitted := map[string]int{}
	for name, limit := range limitsOfProcesses {
		for range 3 {
			clients.Go(func() {
				for range limit {
					pass, err := l.Admit(context.Background(), with(name, assistants.Limits{SearchesPerMinute: &limit}), nil, Ask{Kind: Search})
					pass.Release(0)
					mu.Lock()
					if err == nil {
						admitted[name]++
					} else if _, ok := errors.AsType[*assistants.LimitError](err); !ok {
						admitted[err.Error()]++
					}
					mu.Unlock()
				}
			})
		}
	}
	clients.Wait()
	if err := errors.Join(json.NewEncoder(os.Stdout).Encode(admitted), l.Close(), store.Close()); err != nil {
		return fail(err)
	}
	return 0
}

// TestTwoProcessesOnOnePostgresShareLimits starts this test program twice. Both begin at
// the same moment.
func TestTwoProcessesOnOnePostgresShareLimits(t *testing.T) {
	url := postgrestest.URL(t)
	openInstance(t, url) // so that the schema is there
	type process struct {
		cmd *exec.Cmd
		in  io.WriteCloser
		out *bufio.Reader
	}
	var list []process
	for range 2 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env, cmd.Stderr = append(os.Environ(), instanceEnv+"="+url), os.Stderr
		in, inErr := cmd.StdinPipe()
		out, outErr := cmd.StdoutPipe()
		if err := errors.Join(inErr, outErr); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		list = append(list, process{cmd, in, bufio.NewReader(out)})
	}
	for _, p := range list {
		if line, err := p.out.ReadString('\n'); err != nil || line != "ready\n" {
			t.Fatalf("%q, %v", line, err)
		}
	}
	for _, p := range list {
		if err := p.in.Close(); err != nil {
			t.Fatal(err)
		}
	}
	sum := map[string]int{}
	for _, p := range list {
		var admitted map[string]int
		if err := errors.Join(json.NewDecoder(p.out).Decode(&admitted), p.cmd.Wait()); err != nil {
			t.Fatal(err)
		}
		t.Logf("a process admitted %v", admitted)
		for name, n := range admitted {
			sum[name] += n
		}
	}
	for name, got := range sum {
		if limit := limitsOfProcesses[name]; got < limit || 10*got > 11*limit || limit < 10 && got != limit {
			t.Errorf("%s: two processes admitted %d, the limit is %d", name, got, limit)
		}
	}
	if len(sum) != len(limitsOfProcesses) {
		t.Errorf("%v", sum)
	}
}
