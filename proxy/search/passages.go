package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"footnote/assistants"
	"footnote/assistants/lexical"
	"footnote/assistants/retrieval"
	"footnote/proxy/apierr"
)

// A List is the passages that a quick search, or one for similar passages, has found.
type List struct {
	Query       string   `json:"query"`
	Results     []Result `json:"results"`
	ResultCount int      `json:"result_count"`
	Warnings    []string `json:"warnings"`
}

// quick finds the best passages; no model is asked.
func (j *job) quick(ctx context.Context) (*List, error) {
	all, err := j.find(ctx, j.in.query, quickLimit, nil)
	if err != nil {
		return nil, err
	}
	results, err := j.results(ctx, all.hits, false)
	return &List{Query: j.in.query, Results: results, ResultCount: len(results), Warnings: orEmpty(all.warnings)}, err
}

// chunk returns the passage that a request names, if the key may see it; ErrNotFound.
func (j *job) chunk(ctx context.Context) (assistants.Hit, error) {
	if !assistants.IsID("chunk_", string(j.in.chunk)) {
		return assistants.Hit{}, apierr.NotFound()
	}
	var all []assistants.CollectionID
	for id := range j.sight.filters {
		all = append(all, id)
	}
	hits, err := j.deps.Store.Hits(ctx, j.caller.Tenant, all, []assistants.Match{{ChunkID: j.in.chunk}})
	if err != nil {
		return assistants.Hit{}, err
	}
	if len(hits) == 0 || !j.sight.selects(hits[0].Document) {
		return assistants.Hit{}, apierr.NotFound()
	}
	return hits[0], nil
}

// similar finds passages that are like one.
func (j *job) similar(ctx context.Context) (*List, error) {
	one, err := j.chunk(ctx)
	if err != nil {
		return nil, err
	}
	j.settings.MaxSourcesPerDocument = 0 // these are no sources of an answer
	query := "Similar to: " + one.Document.Name
	j.event.Query = query
	// A whole passage as the query shares only some of its words with any other. A threshold
	// that is made for questions would leave nothing where there is no embedder.
	all, err := j.find(ctx, one.Chunk.Text, min(j.in.limit+1, assistants.MaxMatches), func(q *retrieval.Query) { q.Threshold, q.Undivided = 0, true })
	if err != nil {
		return nil, err
	}
	hits := slices.DeleteFunc(all.hits, func(h assistants.Hit) bool { return h.Chunk.ID == one.Chunk.ID })
	hits = hits[:min(len(hits), j.in.limit)]
	j.note(hits)
	results, err := j.results(ctx, hits, true)
	return &List{Query: query, Results: results, ResultCount: len(results), Warnings: orEmpty(all.warnings)}, err
}

// An Explanation says why a passage fits a query.
type Explanation struct {
	Query        string `json:"query"`
	ChunkID      string `json:"chunk_id"`
	DocumentID   string `json:"document_id"`
	DocumentName string `json:"document_name"`
	Explanation  string `json:"explanation"`
	// Synonyms are what the search added to the query.
	Synonyms     []retrieval.Addition `json:"synonyms,omitempty"`
	MatchedWords []Word               `json:"matched_words"`
	Scores       Scores               `json:"scores"`
	Related      []Other              `json:"related_documents"`
}

// A Word is a word of the passage that the query or one of its synonyms has, too. Its place is in the passage, in
// characters.
type Word struct {
	Word      string `json:"word"`
	CharStart int    `json:"char_start"`
	CharEnd   int    `json:"char_end"`
}

// Scores of a passage, 0–1; null: it is not among the best passages of its collection, or
// there is no embedder.
type Scores struct {
	Text     *float64 `json:"text"`
	Vector   *float64 `json:"vector"`
	Combined *float64 `json:"combined"`
	Distance *float64 `json:"distance"` // 1 less the vector score
}

// Other is another document that fits the query.
type Other struct {
	DocumentID     string  `json:"document_id"`
	DocumentName   string  `json:"document_name"`
	RelevanceScore float64 `json:"relevance_score"`
}

// maxRelated bounds the related documents.
const maxRelated = 5

// explain compares a query and a passage by words and by meaning.
func (j *job) explain(ctx context.Context) (*Explanation, error) {
	one, err := j.chunk(ctx)
	if err != nil {
		return nil, err
	}
	j.settings.MaxSourcesPerDocument = 0 // the passage may be any of its document
	e := &Explanation{
		Query: j.in.query, ChunkID: string(one.Chunk.ID), DocumentID: string(one.Document.ID), DocumentName: one.Document.Name,
		MatchedWords: []Word{}, Related: []Other{},
	}
	related, err := j.find(ctx, j.in.query, assistants.MaxMatches, nil)
	if err != nil {
		return nil, err
	}
	for _, h := range related.hits {
		same := func(o Other) bool { return o.DocumentID == string(h.Document.ID) }
		if len(e.Related) < maxRelated && h.Document.ID != one.Document.ID && !slices.ContainsFunc(e.Related, same) {
			e.Related = append(e.Related, Other{DocumentID: string(h.Document.ID), DocumentName: h.Document.Name, RelevanceScore: rounded(h.Score)})
		}
	}
	e.Synonyms = related.synonyms
	j.sight.order = []assistants.CollectionID{one.Document.CollectionID}
	for mode, score := range map[assistants.SearchMode]**float64{
		assistants.SearchFullText: &e.Scores.Text, assistants.SearchVector: &e.Scores.Vector, assistants.SearchHybrid: &e.Scores.Combined,
	} {
		if *score, err = j.scoreOf(ctx, one, mode); err != nil {
			return nil, err
		}
	}
	if v := e.Scores.Vector; v != nil {
		distance := rounded(1 - *v)
		e.Scores.Distance = &distance
	}
	j.note([]assistants.Hit{one})
	e.match(one.Chunk.Text, strings.Join(append(slices.Clone(one.Chunk.HeadingPath), one.Chunk.TableHeader, one.Chunk.PageOpening), "\n"))
	return e, nil
}

// scoreOf returns the score of a passage in one mode; nil if it has none.
func (j *job) scoreOf(ctx context.Context, one assistants.Hit, mode assistants.SearchMode) (*float64, error) {
	q := retrieval.NewQuery(j.caller.Tenant, one.Document.CollectionID, j.settings)
	q.Collections, q.Filter = []assistants.CollectionID{one.Document.CollectionID}, assistants.Filter{}
	q.Text, q.Mode, q.TopK, q.Keep, q.Threshold, q.Neighbors, q.Strict = j.in.query, mode, assistants.MaxMatches, 0, 0, 0, false
	q.Undivided = true // it is the score for what was asked
	result, err := j.deps.Retriever.Retrieve(ctx, q)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if errors.Is(err, assistants.ErrNoEmbedder) {
		return nil, nil //nolint:nilnil // null is the answer
	}
	if err != nil {
		unavailable := apierr.RetrievalUnavailable()
		unavailable.Cause = err
		return nil, unavailable
	}
	if mode == assistants.SearchVector && result.Trace.Mode != mode {
		return nil, nil //nolint:nilnil // null is the answer
	}
	for _, h := range result.Hits {
		if h.Chunk.ID == one.Chunk.ID {
			score := rounded(h.Score)
			return &score, nil
		}
	}
	return nil, nil //nolint:nilnil // null is the answer
}

// hasAny reports whether a text has one of some terms.
func hasAny(text string, lists ...[]string) (has bool) {
	lexical.EachTerm(text, func(t lexical.Term) {
		has = has || slices.ContainsFunc(lists, func(terms []string) bool { return slices.Contains(terms, t.Text) })
	})
	return has
}

// match finds the words of the query and its synonyms in the passage, and says what was
// found. above is what is searched with the passage.
func (e *Explanation) match(text, above string) {
	asked := lexical.QueryTerms(e.Query)
	var added []string
	for _, s := range e.Synonyms {
		added = append(added, lexical.QueryTerms(strings.Join(s.Added, "\n"))...)
	}
	met := map[string]bool{}
	lexical.EachTerm(text, func(t lexical.Term) {
		switch {
		case slices.Contains(asked, t.Text):
			met[strings.Clone(t.Text)] = true
		case !slices.Contains(added, t.Text):
			return
		}
		from := utf8.RuneCountInString(text[:t.Start])
		w := Word{Word: text[t.Start:t.End], CharStart: from, CharEnd: from + utf8.RuneCountInString(text[t.Start:t.End])}
		if !slices.Contains(e.MatchedWords, w) {
			e.MatchedWords = append(e.MatchedWords, w)
		}
	})
	slices.SortFunc(e.MatchedWords, func(a, b Word) int { return cmp.Compare(a.CharStart, b.CharStart) })
	e.Explanation = fmt.Sprintf("Relevant because the passage has %d of the %d words of the query.", len(met), len(asked))
	switch {
	case len(met) == 0 && len(e.MatchedWords) > 0:
		e.Explanation = "Relevant because the passage has words that mean the same as those of the query."
	case len(met) == 0 && hasAny(above, asked, added):
		e.Explanation = "Relevant because of what stands above the passage: its headings, its table's header or the top of its page."
	case len(met) == 0:
		e.Explanation = "The passage has none of the words of the query."
		if v := e.Scores.Vector; v != nil && *v > 0 {
			e.Explanation = "Relevant because of its meaning; the passage has none of the words of the query."
		}
	}
}

// rounded keeps four decimals, as the scores of sources.
func rounded(x float64) float64 { return math.Round(x*10000) / 10000 }
