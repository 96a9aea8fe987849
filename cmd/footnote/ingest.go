package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"footnote/assistants"
)

// An ingestRun brings files into an assistant.
type ingestRun struct {
	p         *program
	c         *client
	assistant string // as it was named; its id once it is known
	create    bool
	prune     bool
	bar       *progressbar.ProgressBar

	kept       map[string]bool // ids of documents whose bytes are among the files
	unreadable bool            // a file or folder could not be read
	ready      int
	unchanged  int
	failed     int
	pruned     int
}

func (p *program) ingestCommand() *cobra.Command {
	run := ingestRun{p: p}
	cmd := &cobra.Command{
		Use: "ingest PATH…", Short: "Bring files and folders into an assistant", Args: cobra.MinimumNArgs(1),
		Long: `Uploads files, and the files in folders, and waits until each can be found. Text, Markdown,
HTML and PDF are read; hidden files are passed over. Run it again at any time: a file that did
not change is left alone, a file that changed replaces its document, and an interrupted run
goes on where it was. Exit status 1 if any file failed.`,
		Example: "  footnote ingest --assistant handbook ./manuals report.pdf\n  footnote ingest --assistant contracts --create --prune ./contracts",
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withClient(cmd.Context(), func(ctx context.Context, c *client) error {
				run.c = c
				err := run.all(ctx, args)
				if ctx.Err() != nil {
					return errors.New("interrupted; what was uploaded is kept, and the same command goes on from here")
				}
				return err
			})
		},
	}
	cmd.Flags().StringVarP(&run.assistant, "assistant", "a", "", "id or slug of the assistant")
	cmd.Flags().BoolVar(&run.create, "create", false, "make the assistant, with retrieval and citations on, if there is none of that name")
	cmd.Flags().BoolVar(&run.prune, "prune", false, "remove documents whose file under PATH is gone")
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
	Chunks     int       `json:"chunks"`
	Pages      int       `json:"pages"`
	Error      *apiError `json:"error"`
}

func (r *ingestRun) all(ctx context.Context, paths []string) error {
	if err := r.findAssistant(ctx); err != nil {
		return err
	}
	r.kept = map[string]bool{}
	found := collectFiles(paths)
	for _, problem := range found.problems {
		r.unreadable = true
		r.failure(problem.path, problem.message)
	}
	if isTerminal(r.p.err) {
		r.bar = progressbar.NewOptions(len(found.files), progressbar.OptionSetWriter(r.p.err),
			progressbar.OptionSetDescription("ingesting"), progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))
	}
	if err := r.upload(ctx, found.files); err != nil {
		return err
	}
	switch {
	case r.prune && r.unreadable:
		fmt.Fprintln(r.p.err, "Nothing is pruned, because not every file could be read.")
	case r.prune:
		if err := r.removeGone(ctx, found); err != nil {
			return err
		}
	}
	fmt.Fprintf(r.p.out, "%d ready, %d unchanged, %d failed", r.ready, r.unchanged, r.failed)
	if r.prune {
		fmt.Fprintf(r.p.out, ", %d removed", r.pruned)
	}
	fmt.Fprintln(r.p.out)
	if r.failed > 0 {
		return errSilent
	}
	return nil
}

// findAssistant finds the assistant, or makes it, and goes on with its id: a
// name is not what it is addressed by.
func (r *ingestRun) findAssistant(ctx context.Context) error {
	var a struct {
		ID string `json:"id"`
	}
	refs := []string{r.assistant}
	if slug := assistants.Slugify(r.assistant); slug != "" && slug != r.assistant {
		refs = append(refs, slug) // "My Manuals" is my-manuals
	}
	for _, ref := range refs {
		err := r.c.call(ctx, http.MethodGet, "/v1.0/assistants/"+url.PathEscape(ref), nil, &a)
		if ae, ok := errors.AsType[*apiError](err); ok && ae.Status == http.StatusNotFound {
			continue
		}
		r.assistant = a.ID
		return err
	}
	if !r.create {
		return fmt.Errorf("there is no assistant %q; add --create to make it", r.assistant)
	}
	err := r.c.call(ctx, http.MethodPost, "/v1.0/assistants", map[string]any{
		"name": r.assistant, "settings": map[string]any{"enable_rag": true, "enable_citations": true},
	}, &a)
	r.assistant = a.ID
	return err
}

// inWork is how many uploads may wait for the server's workers: enough to keep
// them busy, few enough that the progress is true.
const inWork = 8

// upload sends the files in order and reports each when it is done.
func (r *ingestRun) upload(ctx context.Context, files []string) error {
	type pending struct {
		path string
		doc  remoteDocument
	}
	var queue []pending
	settle := func() error {
		head := queue[0]
		queue = queue[1:]
		doc, err := r.wait(ctx, head.doc)
		if err != nil {
			return err
		}
		r.report(head.path, doc)
		return nil
	}
	for _, path := range files {
		doc, unchanged, err := r.send(ctx, path)
		ae, refused := errors.AsType[*apiError](err)
		r.kept[doc.ID] = true
		switch {
		case refused && ae.Status < 500 && ae.Status != http.StatusUnauthorized && ae.Status != http.StatusForbidden:
			r.refused(path, ae)
			continue
		case err != nil:
			return err
		case unchanged && doc.Status == "ready":
			r.unchanged++
			r.step()
			continue
		}
		if queue = append(queue, pending{path, doc}); len(queue) >= inWork {
			if err := settle(); err != nil {
				return err
			}
		}
	}
	for len(queue) > 0 {
		if err := settle(); err != nil {
			return err
		}
	}
	return nil
}

// send uploads one file as a stream. unchanged: the server has these bytes.
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

// wait polls a document until it is ready or has failed.
func (r *ingestRun) wait(ctx context.Context, doc remoteDocument) (remoteDocument, error) {
	for delay := 20 * time.Millisecond; ; delay = min(2*delay, time.Second) {
		if doc.Status == "ready" || doc.Status == "failed" {
			return doc, nil
		}
		select {
		case <-ctx.Done():
			return doc, ctx.Err()
		case <-time.After(delay):
		}
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
		r.failure(path, message)
		return
	}
	r.ready++
	pages := ""
	if doc.Pages > 0 {
		pages = plural(doc.Pages, "page") + ", "
	}
	r.line("ready   %s (%s%s)", path, pages, plural(doc.Chunks, "passage"))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// refused reports a file that the server did not take.
func (r *ingestRun) refused(path string, e *apiError) {
	message := e.Message
	if e.Status == http.StatusRequestEntityTooLarge {
		message = "The file is larger than the server accepts (FOOTNOTE_MAX_UPLOAD_BYTES)."
	}
	r.failure(path, message)
}

func (r *ingestRun) failure(path, message string) {
	r.failed++
	r.line("failed  %s: %s", path, message)
}

// line prints a file's result above the progress bar.
func (r *ingestRun) line(format string, args ...any) {
	if r.bar != nil {
		_ = r.bar.Clear() // a picture only
	}
	fmt.Fprintf(r.p.out, format+"\n", args...)
	r.step()
}

func (r *ingestRun) step() {
	if r.bar != nil {
		_ = r.bar.Add(1) // a picture only
	}
}

// removeGone deletes the documents whose file under one of the folders is gone.
// A document that one of the files still has, under another name, stays.
func (r *ingestRun) removeGone(ctx context.Context, found fileList) error {
	there := make(map[string]bool, len(found.files))
	for _, f := range found.files {
		there[f] = true
	}
	var gone []remoteDocument
	err := each(ctx, r.c, "/v1.0/assistants/"+url.PathEscape(r.assistant)+"/documents", func(d remoteDocument) error {
		if d.SourcePath != "" && !there[d.SourcePath] && !r.kept[d.ID] && underAny(d.SourcePath, found.folders) {
			gone = append(gone, d)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, d := range gone {
		if err := r.c.call(ctx, http.MethodDelete, "/v1.0/documents/"+d.ID, nil, nil); err != nil {
			return err
		}
		r.pruned++
		fmt.Fprintf(r.p.out, "removed %s\n", d.SourcePath)
	}
	return nil
}
