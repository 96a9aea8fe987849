package assistants

import (
	"errors"
	"strings"
	"sync"
	"testing"
)

// broken panics.
func broken() error { panic("a bug") }

func TestAPanicOfAGoroutineIsItsErrorWithItsStack(t *testing.T) {
	var wg sync.WaitGroup
	guarded := func(do func() error) (err error) {
		defer CatchPanic(&err)
		return do()
	}
	var panicked error
	wg.Go(func() { panicked = guarded(broken) })
	wg.Wait()
	if panicked == nil || !strings.HasPrefix(panicked.Error(), "panic: a bug\n") || !strings.Contains(panicked.Error(), "broken(") {
		t.Errorf("the error of a panic is %v", panicked)
	}
	for _, want := range []error{nil, ErrNotFound} {
		if err := guarded(func() error { return want }); !errors.Is(err, want) {
			t.Errorf("%v became %v", want, err)
		}
	}
}
