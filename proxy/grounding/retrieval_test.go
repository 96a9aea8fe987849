package grounding

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/retrieval"
)

func TestTheRetrievalMemberWrittenByHandIsTheEncodedOneWithThePassages(t *testing.T) {
	type chunk struct {
		DocumentID string  `json:"document_id"`
		Score      float64 `json:"score"`
		Content    string  `json:"content"`
	}
	for _, found := range []retrieval.Result{
		{},
		{Trace: retrieval.Trace{Mode: assistants.SearchFullText, Repeated: 3, Duration: 4100 * time.Microsecond, Queries: []string{"a \"b\" <c>\n", "年假"},
			Synonyms: []retrieval.Addition{{Phrase: "capex", Added: []string{"capital \"expenditure\"", "年"}}, {Phrase: "PPE", Added: []string{"fixed assets"}}},
			Stages:   map[string]time.Duration{"text": 1200 * time.Microsecond, "fetch": 0, "embed": time.Hour, "a": 1}},
			Hits: []assistants.Hit{
				{Document: assistants.Document{ID: "doc_1"}, Chunk: assistants.Chunk{Text: "line\none \u2028"}, Score: 0.8731},
				{Document: assistants.Document{ID: "doc_2"}, Score: 1e-7},
			}},
	} {
		for _, expose := range []bool{false, true} {
			want := struct {
				Retrieval
				Chunks []chunk `json:"chunks,omitempty"`
			}{Retrieval: NewRetrieval("coll_1", found)}
			for _, h := range found.Hits {
				if expose {
					want.Chunks = append(want.Chunks, chunk{string(h.Document.ID), h.Score, h.Chunk.Text})
				}
			}
			reference, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			var shown []assistants.Hit
			if expose {
				shown = found.Hits
			}
			r := NewRetrieval("coll_1", found)
			raw := r.AppendJSON(nil, shown)
			var got, expected any
			if err := json.Unmarshal(raw, &got); err != nil {
				t.Fatalf("%v in %s", err, raw)
			}
			if err := json.Unmarshal(reference, &expected); err != nil || !reflect.DeepEqual(got, expected) {
				t.Errorf("\n got %s\nwant %s", raw, reference)
			}
		}
	}
}
