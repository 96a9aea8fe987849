package evaluation

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// Send sends a request to a Footnote server: body as JSON, nil for no body.
// header alternates names and values. It decodes an answer of status 2xx
// into result, unless that is nil, and returns an error for other answers.
type Send func(ctx context.Context, method, path string, body, result any, header ...string) error

// An Assistant is a [Server]: it puts questions to one assistant over HTTP, as
// any client does.
type Assistant struct {
	Send     Send
	Name     string         // id or slug
	TopK     int            // passages asked for each question
	Settings map[string]any // tried for retrieval instead of the assistant's own
	Judge    string         // the system message for judging answers; "": they are not judged
	Uncited  bool           // questions with an expected answer are asked with citations off as well
}

// Path returns the path of a control API resource of the assistant.
func (a *Assistant) Path(rest string) string {
	return "/v1.0/assistants/" + url.PathEscape(a.Name) + rest
}

// A wireSource is a source or passage as the server sends it.
type wireSource struct {
	Index        int    `json:"index"`
	DocumentName string `json:"document_name"`
	PageNumber   int    `json:"page_number"`
	PageEnd      int    `json:"page_end"`
	Text         string `json:"text"`    // of /retrieve
	Excerpt      string `json:"excerpt"` // of a chat answer
}

func (s wireSource) source() Source {
	text := s.Text
	if text == "" {
		text = s.Excerpt
	}
	return Source{Document: s.DocumentName, Page: s.PageNumber, PageEnd: s.PageEnd, Text: text}
}

// Retrieve implements [Server].
func (a *Assistant) Retrieve(ctx context.Context, messages []Turn) (Retrieved, error) {
	body := map[string]any{"messages": messages, "top_k": a.TopK}
	if a.Settings != nil {
		body["settings"] = a.Settings
	}
	var got struct {
		Data      []wireSource `json:"data"`
		Retrieval struct {
			SearchMode string             `json:"search_mode"`
			DurationMS float64            `json:"duration_ms"`
			StagesMS   map[string]float64 `json:"stages_ms"`
		} `json:"retrieval"`
	}
	if err := a.Send(ctx, http.MethodPost, a.Path("/retrieve"), body, &got); err != nil {
		return Retrieved{}, err
	}
	out := Retrieved{Mode: got.Retrieval.SearchMode, MS: got.Retrieval.DurationMS, StagesMS: got.Retrieval.StagesMS}
	for _, s := range got.Data {
		out.Sources = append(out.Sources, s.source())
	}
	return out, nil
}

// wireCitations holds those members of a citations object that the evaluation reads.
type wireCitations struct {
	Status         string       `json:"status"`
	Sources        []wireSource `json:"sources"`
	InvalidIndices []int        `json:"invalid_indices"`
	Coverage       *float64     `json:"coverage"`
	Markers        []struct {
		Indices []int  `json:"indices"`
		Support string `json:"support"`
		Quote   *struct {
			Index      int `json:"index"`
			PageNumber int `json:"page_number"`
		} `json:"quote"`
	} `json:"markers"`
}

// A chatAnswer holds those members of a chat completion that the evaluation reads.
type chatAnswer struct {
	Citations *wireCitations `json:"citations"`
	Choices   []struct {
		Message struct {
			Content string `json:"content"`
		} `json:"message"`
	} `json:"choices"`
}

func (c *chatAnswer) text() string {
	if len(c.Choices) == 0 {
		return ""
	}
	return c.Choices[0].Message.Content
}

// Ask implements [Server].
func (a *Assistant) Ask(ctx context.Context, q Question) (Answered, error) {
	body := map[string]any{"model": a.Name, "messages": q.Messages(), "retrieval_options": map[string]int{"top_k": a.TopK}}
	var got chatAnswer
	start := time.Now()
	err := a.Send(ctx, http.MethodPost, "/assistants/"+url.PathEscape(a.Name)+"/v1/chat/completions", body, &got,
		"X-Footnote-Citation-Format", "native", // whichever format the assistant is set to
		"X-Footnote-History", "off") // a test is no conversation
	if err == nil && got.Citations == nil {
		err = errors.New("the answer has no citations; turn enable_rag and enable_citations on, or use --retrieval-only")
	}
	if err != nil {
		return Answered{}, err
	}
	out := got.Citations.answered()
	out.MS = float64(time.Since(start).Microseconds()) / 1000
	if a.Judge != "" && q.Answer != "" {
		out.Judgement, err = a.judge(ctx, q, got.text())
	}
	if err == nil && a.Uncited && q.Answer != "" {
		out.Citing, err = a.askUncited(ctx, q, got.text(), out.Judgement)
	}
	return out, err
}

func (c *wireCitations) answered() Answered {
	out := Answered{Status: c.Status, Invalid: len(c.InvalidIndices), Coverage: c.Coverage}
	place := map[int]int{}
	for i, s := range c.Sources {
		place[s.Index] = i
		out.Sources = append(out.Sources, s.source())
	}
	for _, m := range c.Markers {
		for _, index := range m.Indices {
			at, ok := place[index]
			if !ok {
				continue // it is among the invalid ones
			}
			cite := Cite{Source: at, Support: m.Support}
			if m.Quote != nil && m.Quote.Index == index {
				cite.Page = m.Quote.PageNumber
			}
			out.Cited = append(out.Cited, cite)
		}
	}
	return out
}

// Documents lists the assistant's own documents.
func (a *Assistant) Documents(ctx context.Context) (docs []Document, err error) {
	err = each(ctx, a.Send, a.Path("/documents"), func(d struct {
		ID         string
		Name       string
		Pages      int
		Searchable string
	},
	) {
		docs = append(docs, Document{ID: d.ID, Name: d.Name, Pages: d.Pages, Found: d.Searchable != "none"})
	})
	return docs, err
}

// Baselines judges the baselines over the passages of the assistant's own documents.
func (a *Assistant) Baselines(ctx context.Context, questions []Question) ([]Run, error) {
	docs, err := a.Documents(ctx)
	if err != nil {
		return nil, err
	}
	var passages []Source
	for _, d := range docs {
		err := each(ctx, a.Send, "/v1.0/documents/"+url.PathEscape(d.ID)+"/chunks", func(s wireSource) {
			passage := s.source()
			passage.Document = d.Name
			passages = append(passages, passage)
		})
		if err != nil {
			return nil, err
		}
	}
	var runs []Run
	for _, b := range Baselines(passages) {
		runs = append(runs, Run{Name: b.Name, Created: time.Now().UTC(), Outcomes: b.Judge(questions)})
	}
	return runs, nil
}

// each calls fn for every item of a list, page by page.
func each[T any](ctx context.Context, send Send, path string, fn func(T)) error {
	cursor := ""
	for {
		var page struct {
			Data       []T     `json:"data"`
			NextCursor *string `json:"next_cursor"`
		}
		if err := send(ctx, http.MethodGet, path+"?limit=1000&cursor="+url.QueryEscape(cursor), nil, &page); err != nil {
			return err
		}
		for _, item := range page.Data {
			fn(item)
		}
		if page.NextCursor == nil {
			return nil
		}
		cursor = *page.NextCursor
	}
}
