package assistants

import (
	"fmt"
	"runtime/debug"
)

// CatchPanic makes a panic of the calling function its error, which has the stack: whoever
// logs the error logs the stack, too. It must be deferred. A goroutine that works for a
// request needs it, because the server recovers panics only in the request's own goroutine,
// and one in another goroutine ends the program.
func CatchPanic(err *error) {
	if reason := recover(); reason != nil {
		*err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
	}
}
