package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	// timePerPicture is how long the recognition of a page's text may take.
	timePerPicture = time.Minute
	// cpuPerPicture is the processor time for drawing a page.
	cpuPerPicture = 3 * time.Second
	// maxPictures is how many pages of a document may add timePerPicture.
	maxPictures = 1000
	// maxLanguages bounds how many languages are looked for at once: each takes time.
	maxLanguages = 8
	// maxRecognisedText is the longest text of a page, in bytes.
	maxRecognisedText = 1 << 20
)

// A Recogniser is the program tesseract, which finds text on pictures. It is
// run by the child, under the child's limits and without the network.
type Recogniser struct {
	Program   string   `json:"program"`
	Languages []string `json:"languages"` // as the program names them: "eng", "deu"
}

// FindRecogniser looks for the program and asks which languages it knows; nil:
// it is not installed, or knows none.
func FindRecogniser(ctx context.Context) *Recogniser {
	program, err := exec.LookPath("tesseract")
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "--list-langs").Output()
	if err != nil {
		return nil
	}
	r := &Recogniser{Program: program}
	for line := range strings.Lines(string(out)) {
		// Other lines are a headline and models that are not languages.
		name := strings.TrimSpace(line)
		if strings.ContainsAny(name, " /") || slices.Contains([]string{"", "osd", "equ", "snum"}, name) {
			continue
		}
		r.Languages = append(r.Languages, name)
	}
	if len(r.Languages) == 0 {
		return nil
	}
	// The program tries the languages in this order.
	slices.SortStableFunc(r.Languages, func(a, b string) int {
		return rank(a) - rank(b)
	})
	r.Languages = r.Languages[:min(len(r.Languages), maxLanguages)]
	return r
}

func rank(language string) int {
	if i := slices.Index([]string{"eng", "deu", "fra", "spa", "ita"}, language); i >= 0 {
		return i
	}
	return 9
}

// read finds the text on a picture. A picture that the program cannot read, or
// not in time, has none: it must not cost the document's other pages.
func (r *Recogniser) read(ctx context.Context, picture []byte) (string, error) {
	// The kernel kills the program when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ctx, cancel := context.WithTimeout(ctx, timePerPicture*3/4)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.Program, "stdin", "stdout", "--dpi", "300", "-l", strings.Join(r.Languages, "+"))
	cmd.Env = []string{"OMP_THREAD_LIMIT=1", "LC_ALL=C.UTF-8"}
	cmd.Stdin = bytes.NewReader(picture)
	cmd.WaitDelay = time.Second
	dieWithParent(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", fmt.Errorf("make the program's output: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("start %s: %w", r.Program, err)
	}
	text, readErr := io.ReadAll(io.LimitReader(out, maxRecognisedText))
	if len(text) == maxRecognisedText {
		cancel() // otherwise the program would wait until we read more
	}
	if err := errors.Join(readErr, cmd.Wait()); err != nil {
		return "", nil //nolint:nilerr // such a picture has no text
	}
	return string(text), nil
}
