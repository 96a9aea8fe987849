package ingestion

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"footnote/assistants"
)

const (
	// passagesAtOnce is how many passages one call embeds. The document's progress
	// is reported after each call.
	passagesAtOnce = 32
	// passagesPerTurn is how many passages of a document are embedded before a
	// document that should go first may do so.
	passagesPerTurn = 8 * passagesAtOnce
	// maxEmbedAttempts is how often a document is tried when the embedder's vectors
	// cannot be used. Attempts without an answer do not count.
	maxEmbedAttempts = 5
	// spaceTimeout bounds the wait for the embedder's space. A new document waits for
	// it to learn whether there is an embedder.
	spaceTimeout = 2 * time.Second
)

// Causes why a document has no vectors, or none yet.
var (
	causeEmbedderAway = assistants.Cause{Code: assistants.CodeEmbedderUnavailable,
		Message: "The embedder cannot answer now; it is asked again. Until then the document is found by its words."}
	causeEmbedderAwayReplacing = assistants.Cause{Code: assistants.CodeEmbedderUnavailable,
		Message: "The embedder cannot answer now; it is asked again. Until then the document's previous version is searched."}
	causeEmbeddingAgain = assistants.Cause{Code: assistants.CodeEmbeddingFailed,
		Message: "The embedder's answer could not be used; it is asked again. Until then the document is found by its words."}
	causeEmbeddingAgainReplacing = assistants.Cause{Code: assistants.CodeEmbeddingFailed,
		Message: "The embedder's answer could not be used; it is asked again. Until then the document's previous version is searched."}
	causeEmbeddingFailed = assistants.Cause{Code: assistants.CodeEmbeddingFailed,
		Message: "The embedder's answers could not be used, so the document is found by its words only. Reprocess it once the embedder is in order."}
	causeOtherSpace = assistants.Cause{Code: assistants.CodeSpaceMismatch,
		Message: "The collection was embedded with another model, so the document is found by its words only. Reprocess the collection."}
)

// An Embedder makes vectors of passages.
type Embedder interface {
	// Space returns the space of its vectors. ErrNoEmbedder: no embedder is
	// configured; ErrUnavailable: asking again may help.
	Space(ctx context.Context) (assistants.Space, error)
	// EmbedPassages returns a vector of length 1 for each text, in their order,
	// or none at all. Its errors are those of Space, and others when the answer
	// cannot be used.
	EmbedPassages(ctx context.Context, texts []string) ([][]float32, error)
}

// noEmbedder is the embedder of a [Worker] that was given none.
type noEmbedder struct{}

func (noEmbedder) Space(context.Context) (assistants.Space, error) {
	return assistants.Space{}, assistants.ErrNoEmbedder
}

func (noEmbedder) EmbedPassages(context.Context, []string) ([][]float32, error) {
	return nil, assistants.ErrNoEmbedder
}

// An embedderError comes from the embedder and not from a store.
type embedderError struct{ error }

func (e embedderError) Unwrap() error { return e.error }

// errTurn ends a job that goes on unless another document should go first.
var errTurn = errors.New("another document may go first")

// stateAfterIndexing returns the status of a document that is in the index
// without vectors.
func (w *Worker) stateAfterIndexing(ctx context.Context) assistants.Status {
	ctx, cancel := context.WithTimeout(ctx, spaceTimeout)
	defer cancel()
	if _, err := w.cfg.Embedder.Space(ctx); errors.Is(err, assistants.ErrNoEmbedder) {
		return assistants.StatusReady
	}
	return assistants.StatusEmbedding
}

// embed makes the vectors of the live version, or of one that becomes live once
// it has them. It returns an error only if the job should be tried again.
func (w *Worker) embed(ctx context.Context, job assistants.Job) error {
	d, err := w.store.Document(ctx, job.TenantID, job.DocumentID)
	switch {
	case isObsolete(err):
		return nil
	case err != nil:
		return fmt.Errorf("look up the document: %w", err)
	case d.ToEmbed() != job.Version:
		return w.giveUp(ctx, job) // replaced; the new version has its own job
	}
	e := embedding{Worker: w, job: job, document: d}
	err = e.run(ctx)
	var ofEmbedder embedderError
	switch {
	case err == nil:
		w.backOff.reset()
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errTurn):
		w.backOff.reset()
		return err
	case errors.Is(err, assistants.ErrNoEmbedder):
		return e.retryOrFail(ctx, e.end(ctx, nil))
	case errors.Is(err, assistants.ErrSpaceMismatch):
		return e.retryOrFail(ctx, e.end(ctx, &causeOtherSpace))
	case !errors.As(err, &ofEmbedder):
		return e.retryOrFail(ctx, err)
	case errors.Is(err, assistants.ErrUnavailable):
		w.backOff.failed(w.Now())
		return errors.Join(err, e.report(ctx, e.causeFor(&causeEmbedderAway, &causeEmbedderAwayReplacing)))
	case job.Attempt >= maxEmbedAttempts:
		w.cfg.Log.Error("document could not be embedded", "document", d.ID, "error", err)
		return e.retryOrFail(ctx, e.end(ctx, &causeEmbeddingFailed))
	}
	return errors.Join(err, e.report(ctx, e.causeFor(&causeEmbeddingAgain, &causeEmbeddingAgainReplacing)))
}

// giveUp ends the work on a superseded version. If the index already has that
// version, the live one is restored.
func (w *Worker) giveUp(ctx context.Context, job assistants.Job) error {
	if !w.unpublished.has(job.DocumentID) {
		return nil
	}
	return w.abandon(ctx, job)
}

// retryOrFail returns a store's error so that the job is tried again. A version that
// has not become live after maxAttempts fails.
func (e *embedding) retryOrFail(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case isObsolete(err):
		return e.giveUp(ctx, e.job)
	case !e.replaces() || errors.Is(err, assistants.ErrUnavailable) || e.job.Attempt < maxAttempts:
		return err
	}
	return e.endAfterLastAttempt(ctx, e.job, err)
}

// endAfterLastAttempt ends a job that has used up its attempts. A version that is not
// live fails; a live one stays searchable by its words.
func (w *Worker) endAfterLastAttempt(ctx context.Context, job assistants.Job, reason error) error {
	d, err := w.store.Document(ctx, job.TenantID, job.DocumentID)
	switch {
	case isObsolete(err):
		return nil
	case err != nil:
		return fmt.Errorf("look up the document: %w", err)
	case d.ToEmbed() != job.Version:
		return w.giveUp(ctx, job)
	case d.Live == job.Version:
		w.cfg.Log.Error("document could not be embedded", "document", d.ID, "error", reason)
		e := embedding{Worker: w, job: job, document: d}
		return e.end(ctx, &causeEmbeddingFailed)
	}
	w.cfg.Log.Error("document failed", "document", d.ID, "error", reason)
	return w.fail(ctx, job, d.Progress, causeOfStore(reason))
}

// An embedding makes the vectors of one version and writes them to the index.
type embedding struct {
	*Worker
	job      assistants.Job
	document assistants.Document
	space    assistants.Space
	partialEmbedding
	reported time.Time // when progress was last reported
}

// replaces reports whether another version is live until this one has its vectors.
func (e *embedding) replaces() bool { return e.document.Live != e.job.Version }

// causeFor returns the cause for a version that is live, or for one that is to
// replace the live one.
func (e *embedding) causeFor(live, replacing *assistants.Cause) *assistants.Cause {
	if e.replaces() {
		return replacing
	}
	return live
}

func (e *embedding) run(ctx context.Context) error {
	var err error
	if e.space, err = e.cfg.Embedder.Space(ctx); err != nil {
		return embedderError{fmt.Errorf("ask for the embedder's space: %w", err)}
	}
	c, err := e.store.ClaimSpace(ctx, e.job.TenantID, e.document.CollectionID, e.space)
	if err != nil {
		return fmt.Errorf("claim the collection's space: %w", err)
	}
	if !e.replaces() && !c.Lacks(e.document.Version) {
		return e.end(ctx, nil) // an earlier attempt added the vectors, but its process died before it finished the job
	}
	chunks, err := e.versionChunks(ctx, e.job.Ref())
	if err != nil {
		return err
	}
	if e.partialEmbedding = e.partial.take(e.job.DocumentID); e.partialEmbedding.space != e.space || !sameTexts(e.chunks, chunks) {
		e.partialEmbedding = partialEmbedding{space: e.space, chunks: chunks}
	}
	if err := e.makeVectors(ctx); err != nil {
		return err
	}
	if err := e.apply(ctx); err != nil {
		return err
	}
	return e.calibrate(ctx, c, len(chunks))
}

// makeVectors embeds the passages that have no vector yet. It returns errTurn
// when another document may go first.
func (e *embedding) makeVectors(ctx context.Context) error {
	began := len(e.vectors)
	for len(e.vectors) < len(e.chunks) {
		if len(e.vectors)-began >= passagesPerTurn && e.partial.keep(e.job.DocumentID, e.partialEmbedding) {
			return errTurn
		}
		some := e.chunks[len(e.vectors):min(len(e.vectors)+passagesAtOnce, len(e.chunks))]
		texts := make([]string, len(some))
		for i, c := range some {
			texts[i] = passageText(c)
		}
		vectors, err := e.cfg.Embedder.EmbedPassages(ctx, texts)
		if err != nil {
			return embedderError{fmt.Errorf("embed: %w", err)}
		}
		if len(vectors) != len(texts) {
			return embedderError{fmt.Errorf("embed: %d vectors of %d passages", len(vectors), len(texts))}
		}
		e.vectors = append(e.vectors, vectors...)
		if err := e.reportProgress(ctx); err != nil {
			return err
		}
	}
	return nil
}

// apply writes the vectors to the index and records them in the store. The lock
// keeps other versions out between the two. The passages are compared again, so
// that every vector belongs to the text it was made from.
func (e *embedding) apply(ctx context.Context) error {
	defer e.documents.lock(e.job.DocumentID)()
	d, chunks, err := e.reread(ctx)
	if err != nil {
		return err
	}
	if !sameTexts(chunks, e.chunks) {
		return fmt.Errorf("the document was read anew: %w", assistants.ErrConflict)
	}
	if d.Live == e.job.Version {
		err = e.addVectors(ctx, d)
	} else {
		err = e.replaceLive(ctx, e.job.Ref(), assistants.StatusEmbedding, func(ctx context.Context, d assistants.Document) error {
			return e.index.ApplyEmbedded(ctx, d, e.job.Version, points(chunks), e.space, e.vectors)
		})
	}
	if errors.Is(err, assistants.ErrInvalid) {
		return embedderError{fmt.Errorf("index the vectors: %w", err)}
	}
	if err != nil {
		return fmt.Errorf("index the vectors: %w", err)
	}
	err = e.store.Embedded(ctx, e.job.Ref(), e.space, e.Now().UTC())
	if errors.Is(err, assistants.ErrSpaceMismatch) { // the space changed during the work; that change queued a job
		return fmt.Errorf("the collection changes to another space: %w", assistants.ErrConflict)
	}
	if err != nil {
		return fmt.Errorf("record the vectors: %w", err)
	}
	return nil
}

// reread reads the document and the version's passages under the document's lock.
// It returns ErrConflict when another version should be embedded.
func (e *embedding) reread(ctx context.Context) (assistants.Document, []assistants.Chunk, error) {
	d, err := e.store.Document(ctx, e.job.TenantID, e.job.DocumentID)
	if err != nil {
		return d, nil, fmt.Errorf("look up the document: %w", err)
	}
	if d.ToEmbed() != e.job.Version {
		return d, nil, fmt.Errorf("another version is to be embedded: %w", assistants.ErrConflict)
	}
	chunks, err := e.versionChunks(ctx, e.job.Ref())
	return d, chunks, err
}

// addVectors adds vectors to a live version.
func (e *embedding) addVectors(ctx context.Context, d assistants.Document) error {
	err := e.index.ApplyVectors(ctx, d.ID, d.Live, e.space, e.vectors)
	if !errors.Is(err, assistants.ErrConflict) {
		return err
	}
	if err := e.applyLive(ctx, d, e.chunks); err != nil { // the index lacks this version
		return err
	}
	return e.index.ApplyVectors(ctx, d.ID, d.Live, e.space, e.vectors)
}

// reportProgress reports how many passages have been embedded, at most once
// every progressEvery.
func (e *embedding) reportProgress(ctx context.Context) error {
	now := e.Now()
	if now.Sub(e.reported) < progressEvery {
		return nil
	}
	e.reported = now
	return e.report(ctx, nil)
}

// report stores the progress of the embedding and the cause of a delay, if the
// document is waiting for its vectors. Other errors of the store are ignored,
// because only a superseded version must stop the work.
func (e *embedding) report(ctx context.Context, cause *assistants.Cause) error {
	if !e.awaited() {
		return nil
	}
	p := e.document.Progress
	p.Chunks = len(e.vectors)
	if err := e.store.SetStatus(ctx, e.job.Ref(), assistants.StatusEmbedding, p, cause); isObsolete(err) {
		return err
	}
	return nil
}

// awaited reports whether the document becomes ready when this embedding ends.
func (e *embedding) awaited() bool {
	return e.document.Status == assistants.StatusEmbedding && e.document.Latest == e.job.Version
}

// end makes the document ready without further vectors. cause says why it lacks
// vectors; nil: it has them, or no embedder is configured.
func (e *embedding) end(ctx context.Context, cause *assistants.Cause) error {
	if e.replaces() {
		if err := e.publishWithoutVectors(ctx); isObsolete(err) {
			return e.giveUp(ctx, e.job)
		} else if err != nil {
			return err
		}
	}
	d := e.document
	if !e.awaited() && (cause == nil || d.Status != assistants.StatusReady || d.Latest != e.job.Version) {
		return nil
	}
	err := e.store.SetStatus(ctx, e.job.Ref(), assistants.StatusReady, d.Progress, cause)
	if err != nil && !isObsolete(err) {
		return fmt.Errorf("record the end of the embedding: %w", err)
	}
	return nil
}

// publishWithoutVectors makes a version live that is found by its words only.
func (e *embedding) publishWithoutVectors(ctx context.Context) error {
	defer e.documents.lock(e.job.DocumentID)()
	d, chunks, err := e.reread(ctx)
	if err != nil || d.Live == e.job.Version {
		return err
	}
	return e.replaceLive(ctx, e.job.Ref(), assistants.StatusReady, func(ctx context.Context, d assistants.Document) error {
		return e.index.Apply(ctx, d, e.job.Version, points(chunks))
	})
}

func sameTexts(a, b []assistants.Chunk) bool {
	return slices.EqualFunc(a, b, func(a, b assistants.Chunk) bool { return a.ID == b.ID && passageText(a) == passageText(b) })
}
