package vectorstores

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/filters"
	"footnote/proxy/jsonbody"
	"footnote/proxy/search"
)

// Bounds of a search.
const (
	maxQuery       = 4096 // characters of a query
	maxQueries     = 8
	maxResults     = 50
	defaultResults = 10
)

// rankers are those of OpenAI, all of which are this server's own.
var rankers = []string{"auto", "none", "default-2024-08-21", "default-2024-11-15"}

// A resultsView is OpenAI's object vector_store.search_results.page. All results are on
// one page.
type resultsView struct {
	Object   string       `json:"object"`
	Queries  []string     `json:"search_query"`
	Data     []resultView `json:"data"`
	HasMore  bool         `json:"has_more"`
	NextPage *string      `json:"next_page"`
}

type resultView struct {
	FileID     assistants.DocumentID `json:"file_id"`
	Filename   string                `json:"filename"`
	Score      float64               `json:"score"`
	Attributes map[string]any        `json:"attributes"`
	Content    []textView            `json:"content"`
}

// search finds the passages of a vector store that fit one of several queries.
func (j *job) search() (any, error) {
	if err := j.deps.Front.Admit(j.c); err != nil {
		return nil, err
	}
	defer j.deps.Front.Leave()
	q, err := j.question()
	if err != nil {
		return nil, err
	}
	j.event.Query, j.event.Fields = strings.Join(q.Texts, "\n"), nil
	j.event.Collections = []assistants.CollectionID{q.Collection}
	pass, err := j.deps.Limits.Admit(j.ctx(), j.caller, nil, access.Ask{Kind: access.Search})
	if err != nil {
		return nil, err
	}
	defer pass.Release(0)
	hits, err := j.deps.Finder.InOne(j.ctx(), j.caller, q)
	if err != nil {
		return nil, err
	}
	j.event.Documents, j.event.Results = assistants.DocumentsOf(hits), len(hits)
	v := resultsView{Object: "vector_store.search_results.page", Queries: q.Texts, Data: make([]resultView, len(hits))}
	for i, h := range hits {
		v.Data[i] = resultView{
			FileID: h.Document.ID, Filename: h.Document.Name, Score: h.Score, Attributes: attributesOf(h.Document),
			Content: []textView{{"text", h.Chunk.Headed()}},
		}
	}
	return v, nil
}

// question reads what a search is for.
func (j *job) question() (search.Question, error) {
	q := search.Question{Collection: j.storeID(), Limit: defaultResults}
	var in struct {
		Query   json.RawMessage `json:"query" want:"a string, or a list of strings" required:"true"`
		Limit   *int            `json:"max_num_results" want:"a whole number"`
		Filters json.RawMessage `json:"filters" want:"an object"`
		Ranking json.RawMessage `json:"ranking_options" want:"an object"`
		Rewrite *bool           `json:"rewrite_query" want:"true or false"`
	}
	err := j.read(&in)
	if err != nil {
		return q, err
	}
	if q.Texts, err = readQueries(in.Query); err != nil {
		return q, err
	}
	if in.Limit != nil {
		if q.Limit = *in.Limit; q.Limit < 1 || q.Limit > maxResults {
			return q, apierr.Invalid("max_num_results", fmt.Sprintf("max_num_results must be a whole number from 1 to %d.", maxResults))
		}
	}
	if in.Rewrite != nil && *in.Rewrite {
		e := apierr.Unsupported("rewrite_query")
		e.Message = "rewrite_query is not supported: no model is asked for a search. Send false, or leave it out."
		return q, e
	}
	if q.Threshold, err = readRanking(in.Ranking); err != nil {
		return q, err
	}
	q.Any, err = filters.Read(in.Filters, "filters")
	return q, err
}

func readQueries(raw json.RawMessage) (texts []string, err error) {
	var one *string
	var several []*string
	switch {
	case json.Unmarshal(raw, &one) == nil && one != nil:
		several = []*string{one}
	case json.Unmarshal(raw, &several) != nil || slices.Contains(several, nil):
		return nil, apierr.InvalidType("query", "query must be a string, or a list of strings.")
	}
	if len(several) == 0 || len(several) > maxQueries {
		return nil, apierr.Invalid("query", fmt.Sprintf("query must be a string, or a list of 1 to %d strings.", maxQueries))
	}
	for _, text := range several {
		if strings.TrimSpace(*text) == "" {
			return nil, apierr.Invalid("query", "query must not be empty.")
		}
		if utf8.RuneCountInString(*text) > maxQuery {
			return nil, apierr.Invalid("query", fmt.Sprintf("query must have at most %d characters.", maxQuery))
		}
		texts = append(texts, strings.TrimSpace(*text))
	}
	return texts, nil
}

// readRanking returns the least score of a result.
func readRanking(raw json.RawMessage) (float64, error) {
	if !given(raw) {
		return 0, nil
	}
	var in struct {
		Ranker    *string  `json:"ranker" want:"a string"`
		Threshold *float64 `json:"score_threshold" want:"a number"`
	}
	if err := jsonbody.Decode(raw, &in); err != nil {
		return 0, jsonbody.Within("ranking_options", err)
	}
	if in.Ranker != nil && !slices.Contains(rankers, *in.Ranker) {
		return 0, apierr.Invalid("ranking_options.ranker", "ranking_options.ranker must be one of "+strings.Join(rankers, ", ")+".")
	}
	if in.Threshold == nil {
		return 0, nil
	}
	if *in.Threshold < 0 || *in.Threshold > 1 {
		return 0, apierr.Invalid("ranking_options.score_threshold", "ranking_options.score_threshold must be from 0 to 1.")
	}
	return *in.Threshold, nil
}
