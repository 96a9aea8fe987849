package ingestion

import (
	"context"
	"errors"
	"fmt"
	"os"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract/pdf"
)

// A Drawer draws a page of a file; see sandbox.Extractor for its errors.
type Drawer interface {
	Draw(ctx context.Context, f *os.File, want pdf.Picture) ([]byte, error)
}

// A PageRenderer draws pages of stored documents.
type PageRenderer struct {
	blobs  Blobs
	drawer Drawer
}

// NewPageRenderer returns a PageRenderer.
func NewPageRenderer(blobs Blobs, drawer Drawer) *PageRenderer { return &PageRenderer{blobs, drawer} }

// Draw draws a page of the PDF under a blob key, as PNG. Its error wraps
// assistants.ErrNotFound when there is no such blob or page and
// assistants.ErrUnavailable when the store cannot answer; it is an
// [*extract.Error] when the file is to blame, and the context's when that ended.
func (r *PageRenderer) Draw(ctx context.Context, key string, want pdf.Picture) ([]byte, error) {
	blob, size, err := r.blobs.Open(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("open the file: %w", err)
	}
	defer blob.Close()
	file, err := onDisk(blob, size)
	if err != nil {
		return nil, err
	}
	if file != blob {
		defer file.Close()
	}
	picture, err := r.drawer.Draw(ctx, file, want)
	if errors.Is(err, pdf.ErrNoPage) {
		return nil, fmt.Errorf("%w: %w", assistants.ErrNotFound, err)
	}
	return picture, err
}
