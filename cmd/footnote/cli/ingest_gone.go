package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"

	"footnote/assistants/ingestion"
)

// updatePath changes the source path of a document whose file was moved. It changes
// the name, too, unless the document was renamed on the server.
func (r *ingestRun) updatePath(ctx context.Context, path string, doc remoteDocument) (remoteDocument, error) {
	change := map[string]any{"source_path": path}
	if doc.Name == ingestion.CleanName(filepath.Base(doc.SourcePath)) {
		change["name"] = ingestion.CleanName(filepath.Base(path))
	}
	var changed remoteDocument
	if err := r.c.call(ctx, http.MethodPatch, "/v1.0/documents/"+url.PathEscape(doc.ID), change, &changed); err != nil {
		return doc, err
	}
	r.clearBar()
	fmt.Fprintf(r.p.Out, "moved   %s to %s\n", doc.SourcePath, path)
	return changed, nil
}

// removeGone deletes the documents whose file under one of the folders is gone.
// A document that one of the files still has, under another name, stays.
func (r *ingestRun) removeGone(ctx context.Context, found *fileList) error {
	var gone []remoteDocument
	err := each(ctx, r.c, "/v1.0/assistants/"+url.PathEscape(r.assistant)+"/documents", func(d remoteDocument) error {
		if found.gone(d.SourcePath) && !r.kept[d.ID] {
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
		fmt.Fprintf(r.p.Out, "removed %s\n", d.SourcePath)
	}
	return nil
}
