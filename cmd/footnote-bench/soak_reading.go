package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A reading is what a server holds at a moment.
type reading struct {
	goroutines  int
	descriptors int
	heap        int64 // bytes of live and not yet collected objects
	resident    int64
}

func (r reading) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, heap %.1f MiB, resident %.1f MiB", r.goroutines, r.descriptors, mebibytes(r.heap), mebibytes(r.resident))
}

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }

// read takes a reading.
func (s *server) read(ctx context.Context) (r reading, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+"/metrics", nil)
	if err != nil {
		return r, err
	}
	req.Close = true // the server would count a connection that stays open
	http.DefaultClient.CloseIdleConnections()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return r, err
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return r, err
	}
	goroutines, err := metric(string(text), "go_goroutines")
	if err != nil {
		return r, err
	}
	heap, err := metric(string(text), "go_memstats_heap_alloc_bytes")
	if err != nil {
		return r, err
	}
	r.goroutines, r.heap = int(goroutines), int64(heap)
	pid := s.cmd.Process.Pid
	if r.descriptors, err = descriptorsOf(pid); err != nil {
		return r, err
	}
	r.resident, err = rssOf(pid)
	return r, err
}

// metric is the value of a metric without labels.
func metric(text, name string) (float64, error) {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("/metrics has no %s", name)
}

// How much more than at the baseline a server may hold when all is over. The
// heap is compared as it is between two collections, and memory goes back to
// the system in its own time.
const (
	moreGoroutines  = 10
	moreDescriptors = 5
	moreHeap        = 16 << 20
	moreResident    = 64 << 20
)

// beyond says what a reading has too much of, "" for nothing.
func (r reading) beyond(base reading) string {
	var too []string
	if r.goroutines > base.goroutines+moreGoroutines {
		too = append(too, "goroutines")
	}
	if r.descriptors > base.descriptors+moreDescriptors {
		too = append(too, "descriptors")
	}
	if r.heap > base.heap+moreHeap {
		too = append(too, "heap")
	}
	if r.resident > base.resident+moreResident {
		too = append(too, "resident memory")
	}
	return strings.Join(too, ", ")
}

// steady waits until two readings in a row have the same counts.
func (s *server) steady(ctx context.Context) (reading, error) {
	last, err := s.read(ctx)
	for err == nil {
		if err = pause(ctx, 2*time.Second); err != nil {
			break
		}
		var r reading
		if r, err = s.read(ctx); r.goroutines == last.goroutines && r.descriptors == last.descriptors {
			return r, err
		}
		last = r
	}
	return last, err
}

// back waits until the server is back at the baseline, for so long at most,
// and says what it still has too much of.
func (s *server) back(ctx context.Context, base reading, patience time.Duration) (r reading, too string, err error) {
	for end := time.Now().Add(patience); ; {
		if r, err = s.read(ctx); err != nil {
			return r, "", err
		}
		too = r.beyond(base)
		if too == "" || time.Now().After(end) {
			return r, too, nil
		}
		if err = pause(ctx, time.Second); err != nil {
			return r, too, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
