package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"footnote/assistants/ingestion/extract"
	_ "footnote/assistants/ingestion/extract/office" // registers its formats
	"footnote/assistants/ingestion/extract/pdf"
)

// marker is the environment variable that makes a process a child.
const marker = "FOOTNOTE_SANDBOX_CHILD"

// Exit codes of the child besides 0 (the answer was written) and 2 (the
// Go runtime gave up).
const (
	exitProtocol = 64 // the request could not be read or the answer not written
	exitOrphan   = 65 // the parent is gone
	exitCPU      = 66 // the processor time is used up
)

// requestLimit is the longest request, in bytes: a picture's names the text of its page.
const requestLimit = 16 << 20

// documentFD is the file descriptor under which the child finds the file.
const documentFD = 3

// IsChild reports whether this process was started by an [Extractor].
func IsChild() bool { return os.Getenv(marker) == "1" }

// RunChild reads the document it was given, answers and exits; it never returns.
func RunChild() {
	os.Exit(serve(os.Stdin, os.Stdout, os.NewFile(documentFD, "document")))
}

func serve(in io.Reader, out io.Writer, document *os.File) int {
	var req request
	if err := readFrame(in, requestLimit, &req); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		return exitProtocol
	}
	// The parent keeps our input open while it lives, so when the input ends, the
	// parent has ended.
	go func() {
		_, _ = io.Copy(io.Discard, in)
		os.Exit(exitOrphan)
	}()
	debug.SetMaxStack(64 << 20)
	// The runtime maps some 120 MiB more than it counts: whole arenas, tables of them, compiled code.
	// It has to collect garbage before it meets the limit on mapped memory.
	debug.SetMemoryLimit(req.Memory - req.Memory/4)
	if err := restrict(req); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		return exitProtocol
	}
	if err := writeFrame(out, do(document, req, out)); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		return exitProtocol
	}
	return 0
}

// do carries out the request, and turns a panic of a parser into a failure.
func do(document *os.File, req request, out io.Writer) (last frame) {
	defer func() {
		if p := recover(); p != nil {
			last = failed(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	if req.Probe {
		i := isolation()
		return frame{Isolation: &i}
	}
	info, err := document.Stat()
	if err != nil {
		return failed(fmt.Errorf("look at the document: %w", err))
	}
	if req.Picture != nil {
		picture, err := pdf.Draw(context.Background(), document, info.Size(), *req.Picture, req.CacheDir)
		if err != nil {
			return failed(err)
		}
		return frame{Picture: picture}
	}
	var (
		now progress
		cpu = req.CPU
	)
	opt := extract.Options{Name: req.Name, CacheDir: req.CacheDir, Progress: func(done, total int) {
		if done == 0 {
			cpu += timeForPages(total, info.Size(), req.CPUPerPage)
			allowCPU(cpu)
		}
		now = progress{Done: done, Total: total}
		// If this fails, the parent has gone; the goroutine that reads stdin ends the child.
		_ = writeFrame(out, frame{Progress: &now})
	}}
	if r := req.Recogniser; r != nil {
		opt.Recognise = func(ctx context.Context, page int, picture []byte) (string, error) {
			cpu += cpuPerPicture // to draw it; the program has a limit of its own
			allowCPU(cpu)
			now.Recognising = page
			_ = writeFrame(out, frame{Progress: &now})
			return r.read(ctx, picture)
		}
	}
	doc, err := extract.Extract(context.Background(), document, info.Size(), opt)
	if err != nil {
		return failed(err)
	}
	return frame{Document: &doc}
}

// codeNoPage stands for pdf.ErrNoPage between child and parent.
const codeNoPage = "no_page"

func failed(err error) frame {
	var known *extract.Error
	switch {
	case errors.Is(err, pdf.ErrNoPage):
		return frame{Failure: &failure{Code: codeNoPage}}
	case errors.As(err, &known):
		f := &failure{Code: known.Code, Message: known.Message}
		if known.Err != nil {
			f.Detail = known.Err.Error()
		}
		return frame{Failure: f}
	}
	return frame{Failure: &failure{Code: extract.CodeParserFailed, Message: parserFailed, Detail: err.Error()}}
}
