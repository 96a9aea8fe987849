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

// A Gallery draws pages of stored documents.
type Gallery struct {
	blobs  Blobs
	drawer Drawer
}

// NewGallery returns a Gallery.
func NewGallery(blobs Blobs, drawer Drawer) *Gallery { return &Gallery{blobs, drawer} }

// Draw draws a page of the PDF under a blob key, as PNG. Its error wraps
// assistants.ErrNotFound when there is no such blob or page and
// assistants.ErrUnavailable when the store cannot answer; it is an
// [*extract.Error] when the file is to blame, and the context's when that ended.
func (g *Gallery) Draw(ctx context.Context, key string, want pdf.Picture) ([]byte, error) {
	blob, size, err := g.blobs.Open(ctx, key)
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
	picture, err := g.drawer.Draw(ctx, file, want)
	if errors.Is(err, pdf.ErrNoPage) {
		return nil, fmt.Errorf("%w: %w", assistants.ErrNotFound, err)
	}
	return picture, err
}
