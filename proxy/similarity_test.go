package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"footnote/assistants"
	"footnote/assistants/retrieval"
)

// meaning is an embedder that takes texts about the same thing for equal.
type meaning struct {
	mu    sync.Mutex
	err   error
	calls int
}

func (m *meaning) vector(text string) []float32 {
	if strings.Contains(text, "holiday") || strings.Contains(text, "vacation") {
		return []float32{1, 0}
	}
	return []float32{0, 1}
}

func (m *meaning) EmbedQuery(_ context.Context, text string) (assistants.QueryVector, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	return assistants.QueryVector{Vector: m.vector(text), Trust: 1}, m.err
}

func (m *meaning) EmbedPassages(_ context.Context, texts []string) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	var vectors [][]float32
	for _, text := range texts {
		vectors = append(vectors, m.vector(text))
	}
	return vectors, m.err
}

func TestClaimsAndAnswersAreComparedByMeaningWhereSet(t *testing.T) {
	ask := func(support assistants.SupportCheck, similarity assistants.SimilarityMethod, e *meaning) string {
		t.Helper()
		up := &answering{say: func(map[string]any) (int, string) {
			return 200, "The crew relaxes on holiday for a month [1]. It rains [1]."
		}}
		set := ragSettings()
		set.SupportCheck, set.ConfidenceSimilarity = support, similarity
		f := newFixture(t, fixture{upstreamURL: up.serve(t), settings: set, embedder: e, retrieve: func(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
			hit := assistants.Hit{Chunk: assistants.Chunk{ID: "c", Text: "Employees get a month of vacation."}, Document: assistants.Document{ID: "doc_1", Name: "a.txt"}, Score: 0.5}
			return retrieval.Result{Hits: []assistants.Hit{hit}, Question: q.Text}, nil
		}})
		_, body := f.send(askSupport(t, `{"model":"support","messages":[{"role":"user","content":"How much vacation?"}]}`))
		return string(body)
	}
	score := func(body string) string {
		_, rest, _ := strings.Cut(body, `"support_score":`)
		number, _, _ := strings.Cut(rest, ",")
		return number
	}
	words := ask(assistants.SupportLexical, assistants.SimilarityProxy, &meaning{err: errors.New("not to be asked")})
	e := &meaning{}
	both := ask(assistants.SupportEmbedding, assistants.SimilarityEmbedding, e)
	if score(both) <= score(words) || !strings.Contains(words, `"method":"relevance_proxy"`) || !strings.Contains(both, `"similarity":1,"method":"embedding"`) {
		t.Errorf("by words %s\nby meaning %s", words, both)
	}
	if e.calls > 6 {
		t.Errorf("%d texts were embedded for two claims, a passage, a question and an answer", e.calls)
	}
	for _, err := range []error{assistants.ErrNoEmbedder, fmt.Errorf("down: %w", assistants.ErrUnavailable)} {
		failing := &meaning{err: err}
		if got := ask(assistants.SupportEmbedding, assistants.SimilarityEmbedding, failing); score(got) != score(words) || !strings.Contains(got, `"method":"relevance_proxy"`) || failing.calls > 2 {
			t.Errorf("%v: %d calls, %s", err, failing.calls, got)
		}
	}
}
