package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"footnote/assistants/ingestion/extract"
	"go.uber.org/goleak"
)

// misbehaviour is the environment variable by which a test makes its child misbehave.
const misbehaviour = "FOOTNOTE_TEST_CHILD"

func TestMain(m *testing.M) {
	if how := os.Getenv(misbehaviour); how != "" {
		misbehave(how)
	}
	if IsChild() {
		RunChild()
	}
	dir, err := os.MkdirTemp("", "sandbox-*")
	if err != nil {
		panic(err)
	}
	compiled = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// compiled keeps the compiled PDF reader for the tests of this package.
var compiled string

func misbehave(how string) {
	switch how {
	case "wait":
		_ = writeFrame(os.Stdout, frame{Progress: &progress{Total: 1}})
		waitForParent()
	case "spin":
		for { //nolint:staticcheck // that is the misbehaviour
		}
	case "burn":
		// A child that works, and so meets its limit on processor time.
		if err := restrict(request{Memory: 512 << 20, CPU: time.Second}); err != nil {
			panic(err)
		}
		for i := 0; ; i++ {
			sink = i
		}
	case "crash":
		panic("a parser's bug")
	case "exit":
		os.Exit(0)
	case "garbage":
		fmt.Print(strings.Repeat("this is no frame ", 1000))
		os.Exit(0)
	case "flood":
		for {
			if _, err := os.Stdout.Write(make([]byte, 1<<20)); err != nil {
				os.Exit(1)
			}
		}
	case "flood of progress":
		for i := 0; ; i++ {
			if err := writeFrame(os.Stdout, frame{Progress: &progress{Done: i, Total: 1}}); err != nil {
				os.Exit(1)
			}
		}
	case "long frame":
		_ = binary.Write(os.Stdout, binary.BigEndian, uint32(1<<31))
		waitForParent()
	case "empty frame":
		_ = writeFrame(os.Stdout, frame{})
		waitForParent()
	case "lie":
		_ = writeFrame(os.Stdout, frame{Document: &extract.Document{Text: "short", Pages: []extract.Page{{Number: 1, Start: 0, End: 999}}}})
		os.Exit(0)
	case "eat":
		if err := restrict(request{Memory: 256 << 20, CPU: time.Minute}); err != nil {
			panic(err)
		}
		var eaten [][]byte
		for {
			b := make([]byte, 16<<20)
			for i := range b {
				b[i] = 1
			}
			eaten = append(eaten, b)
			sink = len(eaten)
		}
	case "recurse":
		debug.SetMaxStack(64 << 20) // as a child does
		sink = recurse(1)
	case "connect":
		if err := restrict(request{Memory: 512 << 20, CPU: time.Minute}); err != nil {
			panic(err)
		}
		call("the filter and the namespace")
	case "connect without a filter":
		call("the namespace")
	case "environment":
		_ = writeFrame(os.Stdout, frame{Document: &extract.Document{Text: strings.Join(os.Environ(), "\n")}})
		os.Exit(0)
	}
	panic("no such misbehaviour: " + how)
}

var sink int

// call tries to reach the server that a test names in place of a document's text.
func call(what string) {
	address, _ := io.ReadAll(os.NewFile(documentFD, "document"))
	text := what + " kept it off"
	if conn, err := net.Dial("tcp", string(address)); err == nil {
		conn.Close()
		text = "connected"
	}
	_ = writeFrame(os.Stdout, frame{Document: &extract.Document{Text: text}})
	os.Exit(0)
}

// recurse does so until the stack ends, long before n does.
func recurse(n int) int {
	if n < 0 {
		return 0
	}
	return recurse(n+1) + n
}

// waitForParent waits until the parent closes the child's input, which it does
// only when it has given the child up.
func waitForParent() { _, _ = io.Copy(io.Discard, os.Stdin) }

// patient are limits for reading PDFs: the race detector makes compiling the
// reader some twenty times slower.
var patient = Limits{Wall: 5 * time.Minute, CPU: 5 * time.Minute}

// misbehaving is an Extractor whose children misbehave.
func misbehaving(how string, limits Limits) *Extractor {
	x := New(Config{Limits: limits})
	x.command = func(ctx context.Context) (*exec.Cmd, error) {
		cmd, err := self(ctx)
		if err == nil {
			cmd.Env = append(cmd.Env, misbehaviour+"="+how)
		}
		return cmd, err
	}
	return x
}

func document(t *testing.T, content string) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "document"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.WriteString(content); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestADocumentIsReadByAChild(t *testing.T) {
	x := New(Config{})
	// The file's offset stands at its end, which must not matter.
	doc, err := x.Extract(t.Context(), document(t, "# Title\n\nText & <more>.\n"), Hint{Name: "a.md"})
	if err != nil {
		t.Fatal(err)
	}
	if doc.Text != "# Title\n\nText & <more>.\n" || doc.ContentType != extract.TypeMarkdown || len(doc.Headings) != 1 {
		t.Errorf("%+v", doc)
	}
}

func TestAPDFIsReadWithProgress(t *testing.T) {
	f, err := os.Open("../extract/pdf/testdata/hyphens.pdf")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x := New(Config{CacheDir: t.TempDir(), Limits: patient})
	for range 2 { // the second time with compiled code
		var told []string
		doc, err := x.Extract(t.Context(), f, Hint{Name: "a.pdf", Progress: func(done, total int) {
			told = append(told, fmt.Sprint(done, "/", total))
		}})
		if err != nil {
			t.Fatal(err)
		}
		if len(doc.Pages) != 5 || strings.Join(told, " ") != "0/5 1/5 2/5 3/5 4/5 5/5" {
			t.Errorf("%d pages, told %s", len(doc.Pages), told)
		}
	}
}

func TestWhatTheReaderSaysOfADocumentComesThrough(t *testing.T) {
	x := New(Config{CacheDir: compiled, Limits: patient})
	for content, code := range map[string]string{
		" \n":               extract.CodeNoText,
		"MZ\x90\x00\x00":    extract.CodeUnreadable,
		"%PDF-1.7\nrubbish": extract.CodeUnreadable,
	} {
		_, err := x.Extract(t.Context(), document(t, content), Hint{Name: "a.txt"})
		var e *extract.Error
		if !errors.As(err, &e) || e.Code != code || e.Message == "" {
			t.Errorf("%q: %v, want %s", content, err, code)
		}
	}
}

func TestMisbehavingChildrenFailTheDocument(t *testing.T) {
	cases := []struct {
		how, code string
		limits    Limits
	}{
		{"wait", extract.CodeParserFailed, Limits{Wall: 2 * time.Second}},
		{"spin", extract.CodeTooComplex, Limits{Wall: 2 * time.Second}},
		{"crash", extract.CodeParserFailed, Limits{}},
		{"exit", extract.CodeParserFailed, Limits{}},
		{"garbage", extract.CodeParserFailed, Limits{}},
		{"flood", extract.CodeParserFailed, Limits{Output: 8 << 20}},
		{"flood of progress", extract.CodeParserFailed, Limits{Output: 1 << 20}},
		{"long frame", extract.CodeParserFailed, Limits{}},
		{"empty frame", extract.CodeParserFailed, Limits{}},
		{"lie", extract.CodeParserFailed, Limits{}},
		{"recurse", extract.CodeTooComplex, Limits{}},
	}
	if runtime.GOOS == "linux" {
		cases = append(cases, struct {
			how, code string
			limits    Limits
		}{"burn", extract.CodeTooComplex, Limits{}})
		if !raceDetector {
			cases = append(cases, struct {
				how, code string
				limits    Limits
			}{"eat", extract.CodeTooComplex, Limits{}})
		}
	}
	for _, c := range cases {
		t.Run(c.how, func(t *testing.T) {
			if c.how != "spin" { // it is judged by its share of the processor, and the other children want theirs
				t.Parallel()
			}
			x := misbehaving(c.how, c.limits)
			_, err := x.Extract(t.Context(), document(t, "text"), Hint{Name: "a.txt"})
			var e *extract.Error
			if !errors.As(err, &e) || e.Code != c.code {
				t.Fatalf("%v, want %s", err, c.code)
			}
			if n := len(x.slots); n != 0 {
				t.Errorf("%d slots are still taken", n)
			}
			if !strings.HasSuffix(e.Message, ".") {
				t.Errorf("%q is no sentence", e.Message)
			}
		})
	}
}

// A zero Config has the limits that the package comment promises.
func TestAChildIsBoundedUnlessToldOtherwise(t *testing.T) {
	got := New(Config{}).cfg.Limits
	if got.Wall != 30*time.Second || got.CPU != 30*time.Second || got.Memory != 512<<20 || got.Output <= 0 || got.Output > 256<<20 || got.MaxWall > 10*time.Minute {
		t.Errorf("%+v", got)
	}
}

func TestTheChildInheritsNoSecrets(t *testing.T) {
	t.Setenv("FOOTNOTE_ADMIN_KEY", "fn-secret")
	doc, err := misbehaving("environment", Limits{}).Extract(t.Context(), document(t, "text"), Hint{})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(doc.Text) {
		name, _, _ := strings.Cut(line, "=")
		switch name {
		case marker, misbehaviour, "GOMAXPROCS", "GOTRACEBACK":
		default:
			t.Errorf("the child was given %s", name)
		}
	}
}

func TestACancelledContextKillsTheChild(t *testing.T) {
	x := misbehaving("wait", Limits{})
	ctx, cancel := context.WithCancel(t.Context())
	var child *exec.Cmd
	command := x.command
	x.command = func(ctx context.Context) (cmd *exec.Cmd, err error) {
		child, err = command(ctx)
		return child, err
	}
	// The child is running once it reports progress.
	_, err := x.Extract(ctx, document(t, "text"), Hint{Progress: func(int, int) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if child.ProcessState == nil || child.ProcessState.Success() {
		t.Errorf("the child was left behind: %v", child.ProcessState)
	}
}

func TestChildrenAreCounted(t *testing.T) {
	const callers, parallel = 6, 2
	x := misbehaving("wait", Limits{})
	x.slots = make(chan struct{}, parallel)
	var (
		running atomic.Int32
		arrived = make(chan context.CancelFunc)
		all     sync.WaitGroup
	)
	for range callers {
		f := document(t, "text")
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := x.Extract(ctx, f, Hint{Progress: func(int, int) {
				if n := running.Add(1); n > parallel {
					t.Errorf("%d children at once", n)
				}
				arrived <- cancel
				running.Add(-1)
			}})
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	for range callers / parallel { // they come in pairs, for none leaves before two are there
		first, second := <-arrived, <-arrived
		first()
		second()
	}
	all.Wait()
}

func TestAWaitingCallerCanLeave(t *testing.T) {
	x := New(Config{Parallel: 1})
	x.slots <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Extract(ctx, document(t, "text"), Hint{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAMissingProgramIsNoFaultOfTheDocument(t *testing.T) {
	x := New(Config{})
	x.command = func(ctx context.Context) (*exec.Cmd, error) {
		return exec.CommandContext(ctx, filepath.Join(t.TempDir(), "missing")), nil
	}
	_, err := x.Extract(t.Context(), document(t, "text"), Hint{})
	var e *extract.Error
	if err == nil || errors.As(err, &e) {
		t.Errorf("error %v", err)
	}
}

func TestAChildDiesWithItsParent(t *testing.T) {
	cmd, err := self(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	unread, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer unread.Close()
	defer answers.Close()
	cmd.Stdout = answers
	// The answer is longer than a pipe holds, so the child cannot get done.
	cmd.ExtraFiles = []*os.File{document(t, strings.Repeat("words ", 100_000))}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	limits := Limits{}.withDefaults()
	if err := writeFrame(stdin, request{Name: "a.txt", Memory: limits.Memory, CPU: limits.CPU}); err != nil {
		t.Fatal(err)
	}
	if _, err := unread.Read(make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	stdin.Close() // as the kernel does when the parent dies
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitOrphan {
		t.Errorf("the child ended with %v", err)
	}
}

// The message of a child's runtime that is out of memory is recognised among what else
// may kill it.
func TestAChildWithoutMemoryIsRecognised(t *testing.T) {
	for words, want := range map[string]bool{
		"runtime: out of memory: cannot allocate 4194304-byte block (3 in use)\nfatal error: out of memory": true,
		"runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort":              true,
		"runtime: failed to create new OS thread (have 5 already; errno=11)\nfatal error: newosproc":        true,
		"runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow":               true,
		"panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV]":         false, "": false,
	} {
		w := &stderrHead{limit: 4 << 10}
		if _, err := w.Write([]byte(words)); err != nil || w.exhausted() != want {
			t.Errorf("%q: %t, %v", words, w.exhausted(), err)
		}
	}
}
