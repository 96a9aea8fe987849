package proxy

import "os"

// ballast counts as memory in use. The system gives it no pages, because nothing
// ever writes to it.
var ballast []byte //nolint:unused // the garbage collector reads its size

// RelaxGC lets the heap of this process grow by about 50 MiB before garbage is
// collected. With Go's rule, twice what is in use, a server with a small index
// would collect after every few hundred answers. A server with a large index
// hardly notices. GOGC and GOMEMLIMIT take precedence when they are set.
func RelaxGC() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		ballast = make([]byte, 48<<20)
	}
}
