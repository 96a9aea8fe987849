package chat

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"footnote/proxy/upstream"
)

// countedWrites notes how much comes with each write.
type countedWrites struct {
	*httptest.ResponseRecorder
	sizes []int
}

// Write notes and writes.
func (c *countedWrites) Write(p []byte) (int, error) {
	c.sizes = append(c.sizes, len(p))
	return c.ResponseRecorder.Write(p)
}

func TestLargeFramesLeaveNoMemoryBehind(t *testing.T) {
	frame := func(n int) []byte { return []byte("data: " + strings.Repeat("x", n-8) + "\n\n") }
	dataOf := func(frame []byte) []byte { return frame[len("data: ") : len(frame)-len("\n\n")] }
	small, half, large := frame(16), frame(maxPending/2+1), frame(4<<20)
	for name, c := range map[string]struct {
		play   func(*streamWriter)
		writes []int
	}{
		"a small one, then a large one":     {func(w *streamWriter) { w.frame(small); w.pass(large) }, []int{16, 4 << 20}},
		"a large one between small ones":    {func(w *streamWriter) { w.frame(small); w.pass(large); w.frame(small) }, []int{16, 4 << 20, 16}},
		"a large one that has to be copied": {func(w *streamWriter) { w.frame(small); w.frame(large) }, []int{16, 4 << 20}},
		"two that are too large together":   {func(w *streamWriter) { w.frame(half); w.pass(half) }, []int{len(half), len(half)}},
		"one that just fits":                {func(w *streamWriter) { w.frame(half) }, []int{len(half)}},
		"small ones":                        {func(w *streamWriter) { w.frame(small); w.pass(small) }, []int{32}},
		"the data of a small one":           {func(w *streamWriter) { w.pass(small); w.data(dataOf(small)) }, []int{32}},
		"the data of one that just fits":    {func(w *streamWriter) { w.data(dataOf(frame(maxPending))) }, []int{maxPending}},
		"the data of a large one":           {func(w *streamWriter) { w.frame(small); w.data(dataOf(large)) }, []int{16, 4 << 20}},
	} {
		t.Run(name, func(t *testing.T) {
			to := &countedWrites{ResponseRecorder: httptest.NewRecorder()}
			ctx, _ := gin.CreateTestContext(to)
			ctx.Request = httptest.NewRequest("POST", "/", nil)
			w := newStreamWriter(ctx, Timings{}.withDefaults(), upstream.Timeouts{}.WithDefaults(), context.CancelCauseFunc(func(error) {}), func() {})
			defer w.end()
			c.play(w)
			w.flushFrames()
			if !slices.Equal(to.sizes, c.writes) {
				t.Errorf("writes of %d bytes, want %d", to.sizes, c.writes)
			}
			if cap(w.pending) > keptPending || w.run != nil {
				t.Errorf("%d bytes are kept", cap(w.pending))
			}
			if w.release(); w.pending != nil || w.borrowed != nil {
				t.Error("the memory is not given back")
			}
		})
	}
}
