package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"footnote/assistants"

	"footnote/cmd/footnote/console"
)

// An ingestRun brings files into an assistant.
type ingestRun struct {
	p         *program
	c         *client
	assistant string // the name that the user gave; later the assistant's id
	create    bool
	prune     bool
	wait      string // waitText or waitFull
	bar       *progressbar.ProgressBar

	known      map[string]remoteDocument // what the assistant has, by source path
	kept       map[string]bool           // ids of documents whose bytes are among the files
	unreadable bool                      // a file or folder could not be read
	ready      int
	unchanged  int
	failed     int
	pruned     int
	embedding  int // documents that are ready and still being embedded
	replacing  int // documents whose previous version is searched until the new one is embedded
}

func (p *program) ingestCommand() *cobra.Command {
	run := ingestRun{p: p}
	cmd := &cobra.Command{
		Use: "ingest PATH…", Short: "Bring files and folders into an assistant", Args: cobra.MinimumNArgs(1),
		Long: `Uploads files, and the files in folders, and waits until each can be found. The content decides
what a file is. Hidden files, and links to folders inside PATH, are skipped. Run it again at any
time: a file that did not change is skipped, a file that changed replaces its document, a file that
was moved inside PATH keeps its document, and an interrupted run is continued. Exit status 1 if any
file failed.

A document is found by its words first. With an embedder the server then makes its vectors in the
background, so that it is found by its meaning, too. Until then a document that is replaced answers
with its previous version. --wait=full waits for the vectors.
Without --url they are made the next time the data directory is served.`,
		Example: "  footnote ingest --assistant handbook ./manuals report.pdf\n  footnote ingest --assistant contracts --create --prune ./contracts",
		RunE: func(cmd *cobra.Command, args []string) error {
			if run.wait != waitText && run.wait != waitFull {
				return fmt.Errorf("--wait is text or full, not %q", run.wait)
			}
			return p.withClient(cmd.Context(), func(ctx context.Context, c *client) error {
				run.c = c
				err := run.ingestAll(ctx, args)
				if ctx.Err() != nil {
					run.clearBar()
					run.printTotals()
					return errors.New("interrupted; what was uploaded is kept, and the same command continues from here")
				}
				return err
			})
		},
	}
	cmd.Flags().StringVarP(&run.assistant, "assistant", "a", "", "id or slug of the assistant")
	cmd.Flags().BoolVar(&run.create, "create", false, "make the assistant if there is none of that name, and switch its retrieval and citations on")
	cmd.Flags().BoolVar(&run.prune, "prune", false, "remove documents whose file under PATH is gone")
	cmd.Flags().StringVar(&run.wait, "wait", waitText, "wait until documents are found by their words (text), or by their meaning, too (full)")
	_ = cmd.MarkFlagRequired("assistant") // fails only for a flag that does not exist
	p.serverFlags(cmd)
	return cmd
}

// A remoteDocument is what ingest reads of a document.
type remoteDocument struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	SourcePath string    `json:"source_path"`
	Status     string    `json:"status"`
	Searchable string    `json:"searchable"`
	SHA256     string    `json:"sha256"`
	Chunks     int       `json:"chunks"`
	Pages      int       `json:"pages"`
	Error      *apiError `json:"error"`
	Progress   struct {
		Pages       int `json:"pages"`
		PagesTotal  int `json:"pages_total"`
		Chunks      int `json:"chunks"`
		ChunksTotal int `json:"chunks_total"`
	} `json:"progress"`
}

// What ingest waits for.
const (
	waitText = "text"
	waitFull = "full"
)

// isSearchable reports whether the document is searchable in the way that the user
// waits for.
func (d remoteDocument) isSearchable(wait string) bool {
	return d.Status == "ready" || d.Status == "embedding" && wait == waitText
}

// replacementPending reports whether the previous file of the document is searched
// until the vectors of the new one are made. The other fields then describe the
// previous file.
func (d remoteDocument) replacementPending() bool {
	return d.Status == "embedding" && d.Searchable == "full"
}

func (r *ingestRun) ingestAll(ctx context.Context, paths []string) error {
	if err := r.findAssistant(ctx); err != nil {
		return err
	}
	r.kept = map[string]bool{}
	found := collectFiles(paths)
	for _, link := range found.links {
		fmt.Fprintf(r.p.Out, "passed over %s: It is a link to a folder; name the folder itself to ingest it.\n", link)
	}
	for _, problem := range found.problems {
		r.unreadable = true
		r.reportFailure(problem.path, problem.message)
	}
	if console.IsTerminal(r.p.Err) {
		r.bar = progressbar.NewOptions(len(found.files), progressbar.OptionSetWriter(r.p.Err),
			progressbar.OptionSetDescription("ingesting"), progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))
	}
	if err := r.listKnown(ctx); err != nil {
		return err
	}
	if err := r.upload(ctx, &found); err != nil {
		return err
	}
	switch {
	case r.prune && r.unreadable:
		fmt.Fprintln(r.p.Err, "Nothing is pruned, because not every file could be read.")
	case r.prune:
		if err := r.removeGone(ctx, &found); err != nil {
			return err
		}
	}
	r.printTotals()
	if r.failed > 0 {
		return console.ErrReported
	}
	return nil
}

// printTotals prints the totals.
func (r *ingestRun) printTotals() {
	fmt.Fprintf(r.p.Out, "%d ready, %d unchanged, %d failed", r.ready, r.unchanged, r.failed)
	if r.prune {
		fmt.Fprintf(r.p.Out, ", %d removed", r.pruned)
	}
	fmt.Fprintln(r.p.Out)
	if r.embedding > 0 {
		fmt.Fprintf(r.p.Out, "Of these, %s found by words; vectors are made while the server runs.\n", pluralAre(r.embedding, "document"))
	}
	if r.replacing > 0 {
		fmt.Fprintf(r.p.Out, "Of these, %s replaced once vectors are made, while the server runs; until then the previous version is searched.\n", pluralAre(r.replacing, "document"))
	}
}

// listKnown lists the assistant's documents, so that unchanged files are not sent
// again.
func (r *ingestRun) listKnown(ctx context.Context) error {
	r.known = map[string]remoteDocument{}
	return each(ctx, r.c, "/v1.0/assistants/"+url.PathEscape(r.assistant)+"/documents", func(d remoteDocument) error {
		if d.SourcePath != "" && d.isSearchable(r.wait) && !d.replacementPending() {
			r.known[d.SourcePath] = remoteDocument{ID: d.ID, SHA256: d.SHA256, Status: d.Status}
		}
		return nil
	})
}

// maxPending is how many uploads may wait for the server's workers: enough to keep
// them busy, few enough that the progress bar is right.
const maxPending = 8

// upload sends the files in order and reports each when it is done. A file that
// has taken another's place is sent again after the rest.
func (r *ingestRun) upload(ctx context.Context, found *fileList) error {
	type pending struct {
		path  string
		doc   remoteDocument
		moved bool // the bytes are unchanged; only the path changed
	}
	var queue []pending
	finishOldest := func() error {
		head := queue[0]
		queue = queue[1:]
		doc, err := r.waitForDocument(ctx, head.path, head.doc)
		if err != nil {
			return err
		}
		if head.moved && doc.isSearchable(r.wait) {
			r.countUnchanged(doc)
		} else {
			r.report(head.path, doc)
		}
		return nil
	}
	files := slices.Clone(found.files)
	for i := 0; i < len(files); i++ {
		path := files[i]
		if known, ok := r.known[path]; ok && known.SHA256 == sumOf(path) {
			r.kept[known.ID] = true
			r.countUnchanged(known)
			continue
		}
		doc, unchanged, err := r.send(ctx, path)
		for busy(err) { // wait for files that were sent before
			if len(queue) > 0 {
				if err := finishOldest(); err != nil {
					return err
				}
			} else if err := pauseFor(ctx, busyPause); err != nil {
				return err
			}
			doc, unchanged, err = r.send(ctx, path)
		}
		if err == nil && unchanged && i < len(found.files) && found.displaced(path, doc.SourcePath) {
			delete(r.known, path) // the document that was listed under path may be another file's now
			files = append(files, path)
			continue
		}
		moved := false
		if err == nil && unchanged && !r.unreadable && found.gone(doc.SourcePath) {
			moved = true
			doc, err = r.updatePath(ctx, path, doc)
		}
		ae, refused := errors.AsType[*apiError](err)
		r.kept[doc.ID] = true
		switch {
		case refused && ae.Code == assistants.CodeSpaceMismatch: // every other file would be refused, too
			return err
		case refused && ae.Status < 500 && ae.Status != http.StatusUnauthorized && ae.Status != http.StatusForbidden:
			r.reportRefused(path, ae)
			continue
		case err != nil:
			return err
		case unchanged && doc.isSearchable(r.wait):
			r.countUnchanged(doc)
			continue
		}
		if queue = append(queue, pending{path, doc, moved}); len(queue) >= maxPending {
			if err := finishOldest(); err != nil {
				return err
			}
		}
	}
	for len(queue) > 0 {
		if err := finishOldest(); err != nil {
			return err
		}
	}
	return nil
}

// busyPause is the pause before a file is sent again to a server that was busy.
const busyPause = 5 * time.Second

// busy reports whether a server has too much to do to take a file.
func busy(err error) bool {
	ae, ok := errors.AsType[*apiError](err)
	return ok && (ae.Code == "overloaded" || ae.Code == "rate_limit_exceeded")
}

func pauseFor(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// sumOf is the SHA-256 of a file, "" when it cannot be read; sending the file then
// reports why.
func sumOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // only read from
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return ""
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// countUnchanged counts a file that the server already has.
func (r *ingestRun) countUnchanged(doc remoteDocument) {
	r.unchanged++
	r.countEmbedding(doc)
	r.advanceBar()
}

// countEmbedding counts a document that is still being embedded.
func (r *ingestRun) countEmbedding(doc remoteDocument) {
	switch {
	case doc.replacementPending():
		r.replacing++
	case doc.Status == "embedding":
		r.embedding++
	}
}

// send uploads one file as a stream. unchanged is true if the server already has a
// document with these bytes.
func (r *ingestRun) send(ctx context.Context, path string) (doc remoteDocument, unchanged bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		r.unreadable = true
		return doc, false, &apiError{Message: cannotRead}
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	pr, pw := io.Pipe()
	form := multipart.NewWriter(pw)
	go func() { pw.CloseWithError(writeForm(form, f, path)) }()
	resp, err := r.c.do(ctx, http.MethodPost, "/v1.0/assistants/"+url.PathEscape(r.assistant)+"/documents", form.FormDataContentType(), pr)
	if cerr := pr.Close(); err == nil && cerr != nil {
		err = cerr
	}
	if err != nil {
		return doc, false, err
	}
	err = errors.Join(decodeJSON(resp.Body, &doc), resp.Body.Close())
	return doc, resp.StatusCode == http.StatusOK, err
}

func writeForm(form *multipart.Writer, f io.Reader, path string) error {
	if err := form.WriteField("source_path", path); err != nil {
		return err
	}
	part, err := form.CreateFormFile("file", filepath.Base(path))
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, f); err != nil {
		return err
	}
	return form.Close()
}

// waitForDocument polls a document until it is searchable or has failed.
func (r *ingestRun) waitForDocument(ctx context.Context, path string, doc remoteDocument) (remoteDocument, error) {
	for delay := 20 * time.Millisecond; ; delay = min(2*delay, time.Second) {
		if doc.Status == "failed" || doc.isSearchable(r.wait) {
			return doc, nil
		}
		r.showProgress(path, doc)
		if err := pauseFor(ctx, delay); err != nil {
			return doc, err
		}
		doc = remoteDocument{ID: doc.ID} // decode into a new value, because answers omit empty members
		if err := r.c.call(ctx, http.MethodGet, "/v1.0/documents/"+doc.ID, nil, &doc); err != nil {
			return doc, err
		}
	}
}

func (r *ingestRun) report(path string, doc remoteDocument) {
	if doc.Status == "failed" {
		message := "It could not be read."
		if doc.Error != nil {
			message = doc.Error.Message
		}
		r.reportFailure(path, message)
		return
	}
	r.ready++
	r.countEmbedding(doc)
	if doc.replacementPending() {
		r.printResult("saved   %s", path)
		return
	}
	pages := ""
	if doc.Pages > 0 {
		pages = console.Plural(doc.Pages, "page") + ", "
	}
	note := ""
	if doc.Error != nil { // found by its words only, or not read as a whole
		note = ": " + doc.Error.Message
	}
	r.printResult("ready   %s (%s%s)%s", path, pages, console.Plural(doc.Chunks, "passage"), note)
}

// showProgress shows on the bar what the server does with a file.
func (r *ingestRun) showProgress(path string, doc remoteDocument) {
	if r.bar == nil {
		return
	}
	phase := doc.Status
	switch p := doc.Progress; {
	case doc.Status == "embedding" && doc.Error != nil && doc.Error.Code != assistants.CodePagesUnreadable:
		phase = "waiting for the embedder"
	case doc.Status == "embedding" && p.ChunksTotal > 0:
		phase = fmt.Sprintf("embedding %d/%d passages", p.Chunks, p.ChunksTotal)
	case doc.Status == "extracting" && p.PagesTotal > 0:
		phase = fmt.Sprintf("reading page %d/%d", p.Pages, p.PagesTotal)
	}
	r.bar.Describe(shortName(filepath.Base(path)) + ", " + phase)
}

// shortName shortens a name so that the bar fits on the line.
func shortName(name string) string {
	const most = 30
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return name
}

// pluralAre is a count with its noun and verb: "1 page is", "2 pages are".
func pluralAre(n int, noun string) string {
	if n == 1 {
		return console.Plural(n, noun) + " is"
	}
	return console.Plural(n, noun) + " are"
}

// reportRefused reports a file that the server did not accept.
func (r *ingestRun) reportRefused(path string, e *apiError) {
	message := e.Message
	if e.Status == http.StatusRequestEntityTooLarge {
		message = "The file is larger than the server accepts (FOOTNOTE_MAX_UPLOAD_BYTES)."
	}
	r.reportFailure(path, message)
}

func (r *ingestRun) reportFailure(path, message string) {
	r.failed++
	r.printResult("failed  %s: %s", path, message)
}

// printResult prints a file's result above the progress bar.
func (r *ingestRun) printResult(format string, args ...any) {
	r.clearBar()
	fmt.Fprintf(r.p.Out, format+"\n", args...)
	r.advanceBar()
}

func (r *ingestRun) clearBar() {
	if r.bar != nil {
		_ = r.bar.Clear() // only the display
	}
}

func (r *ingestRun) advanceBar() {
	if r.bar != nil {
		_ = r.bar.Add(1) // only the display
	}
}
