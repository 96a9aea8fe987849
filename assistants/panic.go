package assistants

import (
	"fmt"
	"runtime/debug"
)

// CatchPanic turns a panic of the calling function into its error. It must be deferred. The
// error holds the stack, so a log of the error shows it. Goroutines that work for a request
// need it: the server recovers panics only in the request's own goroutine, and a panic in
// another one ends the program.
func CatchPanic(err *error) {
	if reason := recover(); reason != nil {
		*err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
	}
}
