package embedding

import (
	"context"
	"fmt"

	"footnote/assistants"
)

// None is the embedder where none is set up. It answers everything with
// assistants.ErrNoEmbedder.
type None struct {
	// Reason says why, and what would help, in a sentence for operators.
	Reason string
}

func (n None) err() error { return fmt.Errorf("%s: %w", n.Reason, assistants.ErrNoEmbedder) }

// Space answers ErrNoEmbedder.
func (n None) Space(context.Context) (assistants.Space, error) { return assistants.Space{}, n.err() }

// EmbedQuery answers ErrNoEmbedder.
func (n None) EmbedQuery(context.Context, string) (assistants.QueryVector, error) {
	return assistants.QueryVector{}, n.err()
}

// EmbedPassages answers ErrNoEmbedder.
func (n None) EmbedPassages(context.Context, []string) ([][]float32, error) { return nil, n.err() }

// Status says that there is no embedder, and why.
func (n None) Status() assistants.EmbedderStatus {
	return assistants.EmbedderStatus{State: assistants.EmbedderNone, Reason: n.Reason}
}
