// Package sandbox reads documents in a child process: the same binary, started
// again, which gets the open file, a limit on memory, processor time, elapsed
// time and output, an empty environment, and nothing else. A file that makes
// the reader hang, crash, leak or overflow costs one child and a sentence in
// the document's state, never the server.
//
// The rule: every answer of the child is checked before it is used. A program that
// uses this package calls, before anything else in main and in every TestMain whose
// tests extract,
//
//	if sandbox.IsChild() {
//		sandbox.RunChild()
//	}
//
// It imports extract, extract/office and extract/pdf only. The limits on memory and
// processor time need Linux; elsewhere the limits on elapsed time and output
// remain.
package sandbox

import (
	"runtime"
	"time"
)

// Limits bound one child. Zero values mean the defaults.
type Limits struct {
	// Memory is the most data the child may map, in bytes (default 512 MiB).
	// Address space is not limited: the Go runtime reserves far more than it uses.
	Memory int64
	// CPU is the processor time the child may use (default 30 s), CPUPerPage what
	// each page adds (default 100 ms). At most one page per 512 bytes of the file
	// counts, because a small file can name one page 20,000 times.
	CPU, CPUPerPage time.Duration
	// Wall is the time the child may take (default 30 s), WallPerPage what each
	// of these pages adds (default 250 ms), and MaxWall the most it can come to
	// (default 10 min). Time in which the child waits for a processor does not
	// count; at most MaxWall of it is left out.
	Wall, WallPerPage, MaxWall time.Duration
	// Output is the most the child may write, in bytes (default 160 MiB).
	Output int64
}

func (l Limits) withDefaults() Limits {
	if l.Memory == 0 {
		l.Memory = 512 << 20
	}
	if l.CPU == 0 {
		l.CPU = 30 * time.Second
	}
	if l.CPUPerPage == 0 {
		l.CPUPerPage = 100 * time.Millisecond
	}
	if l.Wall == 0 {
		l.Wall = 30 * time.Second
	}
	if l.WallPerPage == 0 {
		l.WallPerPage = 250 * time.Millisecond
	}
	if l.MaxWall == 0 {
		l.MaxWall = 10 * time.Minute
	}
	if l.Output == 0 {
		l.Output = 160 << 20
	}
	return l
}

// leastPage is the least number of bytes that a page takes in a file.
const leastPage = 512

// timeForPages returns how much the pages of a file of size bytes add to a time
// limit, if each page adds `each`.
func timeForPages(pages int, size int64, each time.Duration) time.Duration {
	return time.Duration(min(int64(pages), size/leastPage)) * each
}

// Config says how an [Extractor] runs its children. Zero values mean the defaults.
type Config struct {
	// CacheDir is where children keep the compiled PDF reader; "" costs each
	// PDF about a second. It must be a directory that only we write to.
	CacheDir string
	// Parallel is how many children may run at once (default: one more than there
	// are processors, at least 3).
	Parallel int
	Limits   Limits
	// Recogniser reads the pages of PDFs that hold no text; nil: they are not read.
	Recogniser *Recogniser
}

func (c Config) withDefaults() Config {
	if c.Parallel <= 0 {
		c.Parallel = max(3, runtime.GOMAXPROCS(0)+1)
	}
	c.Limits = c.Limits.withDefaults()
	return c
}
