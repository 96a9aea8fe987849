package sandbox

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"footnote/assistants/ingestion/extract"
)

// The time that a child waits for a processor does not count, but not for ever.
func TestTheTimeWithoutAProcessorIsGivenBack(t *testing.T) {
	cases := map[string]struct {
		share int // of its time that the child waits, in %
		want  time.Duration
	}{
		"never":    {0, time.Minute},
		"half":     {50, 2 * time.Minute},
		"nearly":   {80, 5 * time.Minute},
		"for ever": {100, 11 * time.Minute},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := New(Config{Limits: Limits{Wall: time.Minute, MaxWall: 10 * time.Minute}})
				began := time.Now()
				x.waited = func(int) time.Duration { return time.Since(began) * time.Duration(c.share) / 100 }
				ended := make(chan time.Duration, 1)
				wall := x.newWall(1, func() { ended <- time.Since(began) })
				defer wall.stop()
				got := <-ended
				if off := c.want - got; off < 0 || off > c.want/20 {
					t.Errorf("it ended after %v, want about %v", got, c.want)
				}
			})
		})
	}
}

// A small file can name one page many times, and its time must not grow with that.
func TestAFileThatNamesOnePageManyTimesIsTooComplex(t *testing.T) {
	if raceDetector {
		t.Skip("the reader takes ten times as long")
	}
	x := New(Config{CacheDir: compiled, Limits: Limits{CPU: time.Second, CPUPerPage: 10 * time.Millisecond, Wall: time.Minute}})
	_, err := x.Extract(t.Context(), document(t, fullPages(20_000)), Hint{Name: "a.pdf"})
	if e, _ := errors.AsType[*extract.Error](err); e == nil || e.Code != extract.CodeTooComplex {
		t.Errorf("%v, want %s", err, extract.CodeTooComplex)
	}
}
