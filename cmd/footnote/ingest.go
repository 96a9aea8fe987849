package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
)

// An ingestRun brings files into an assistant.
type ingestRun struct {
	p         *program
	c         *client
	assistant string
	create    bool
	prune     bool
	bar       *progressbar.ProgressBar
	failed    int
	ready     int
	unchanged int
	pruned    int
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
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			c, end, err := p.connect(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, end()) }()
			run.c = c
			err = run.all(ctx, args)
			if ctx.Err() != nil {
				return errors.New("interrupted; what was uploaded is kept, and the same command goes on from here")
			}
			return err
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
	files, roots, err := collectFiles(paths)
	if err != nil {
		return err
	}
	if isTerminal(r.p.err) {
		r.bar = progressbar.NewOptions(len(files), progressbar.OptionSetWriter(r.p.err),
			progressbar.OptionSetDescription("ingesting"), progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))
	}
	if err := r.upload(ctx, files); err != nil {
		return err
	}
	if r.prune {
		if err := r.removeGone(ctx, files, roots); err != nil {
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

func (r *ingestRun) findAssistant(ctx context.Context) error {
	err := r.c.call(ctx, http.MethodGet, "/v1.0/assistants/"+url.PathEscape(r.assistant), nil, nil)
	var ae *apiError
	if !errors.As(err, &ae) || ae.Status != http.StatusNotFound {
		return err
	}
	if !r.create {
		return fmt.Errorf("there is no assistant %q; add --create to make it", r.assistant)
	}
	return r.c.call(ctx, http.MethodPost, "/v1.0/assistants", map[string]any{
		"name": r.assistant, "settings": map[string]any{"enable_rag": true, "enable_citations": true},
	}, nil)
}

// collectFiles lists the files under paths as absolute paths; hidden ones only
// when they are named themselves. Roots are the folders among the paths.
func collectFiles(paths []string) (files, roots []string, err error) {
	for _, path := range paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, nil, err
		}
		info, err := os.Stat(abs)
		if err != nil {
			return nil, nil, fmt.Errorf("%s cannot be read: %w", path, err)
		}
		if !info.IsDir() {
			files = append(files, abs)
			continue
		}
		roots = append(roots, abs)
		err = filepath.WalkDir(abs, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case p != abs && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return filepath.SkipDir
				}
			case d.Type().IsRegular():
				files = append(files, p)
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return files, roots, nil
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
		var ae *apiError
		switch {
		case errors.As(err, &ae) && ae.Status < 500 && ae.Status != http.StatusUnauthorized:
			r.failure(path, ae.Message)
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
		return doc, false, &apiError{Message: "The file cannot be read."}
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
		pages = fmt.Sprintf("%d pages, ", doc.Pages)
	}
	r.line("ready   %s (%s%d passages)", path, pages, doc.Chunks)
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

// removeGone deletes the documents whose file under one of the roots is gone.
func (r *ingestRun) removeGone(ctx context.Context, files, roots []string) error {
	there := make(map[string]bool, len(files))
	for _, f := range files {
		there[f] = true
	}
	var gone []remoteDocument
	err := each(ctx, r.c, "/v1.0/assistants/"+url.PathEscape(r.assistant)+"/documents", func(d remoteDocument) error {
		if d.SourcePath != "" && !there[d.SourcePath] && underAny(d.SourcePath, roots) {
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

func underAny(path string, roots []string) bool {
	for _, root := range roots {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
