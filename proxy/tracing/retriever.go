package tracing

import (
	"context"

	"footnote/assistants/retrieval"
)

// A Searcher finds the passages for a question.
type Searcher interface {
	// Retrieve returns hits in order of score. An error means that nothing was searched.
	Retrieve(ctx context.Context, q retrieval.Query) (retrieval.Result, error)
}

// A Retriever makes a span of each retrieval, whatever asks for it.
type Retriever struct{ Searcher }

// Retrieve is the searcher's, within a span.
func (r Retriever) Retrieve(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
	ctx, span := Start(ctx, "retrieval")
	defer span.End()
	result, err := r.Searcher.Retrieve(ctx, q)
	span.Text("footnote.retrieval.mode", string(result.Trace.Mode))
	span.Int("footnote.retrieval.top_k", q.TopK)
	span.Int("footnote.retrieval.hits", len(result.Hits))
	span.Bool("footnote.retrieval.cached", result.Trace.Cached)
	switch {
	case ctx.Err() != nil:
		span.Fail("canceled")
	case err != nil:
		span.Fail("retrieval_failed")
	}
	return result, err
}
