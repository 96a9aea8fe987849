package embedding

import (
	"context"
	"fmt"

	"footnote/assistants"
)

// None is the embedder when none is configured. All its methods that can fail
// return assistants.ErrNoEmbedder.
type None struct {
	// Reason says why there is none and how to get one, in a sentence for operators.
	Reason string
}

func (n None) err() error { return fmt.Errorf("%s: %w", n.Reason, assistants.ErrNoEmbedder) }

// Space returns ErrNoEmbedder.
func (n None) Space(context.Context) (assistants.Space, error) { return assistants.Space{}, n.err() }

// EmbedQuery returns ErrNoEmbedder.
func (n None) EmbedQuery(context.Context, string) (assistants.QueryVector, error) {
	return assistants.QueryVector{}, n.err()
}

// EmbedPassages returns ErrNoEmbedder.
func (n None) EmbedPassages(context.Context, []string) ([][]float32, error) { return nil, n.err() }

// Status says that there is no embedder, and why.
func (n None) Status() assistants.EmbedderStatus {
	return assistants.EmbedderStatus{State: assistants.EmbedderNone, Reason: n.Reason}
}
