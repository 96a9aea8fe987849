package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"footnote/assistants/evaluation"
)

// An evalServer puts questions to an assistant over HTTP, as any client does.
type evalServer struct {
	c         *client
	assistant string
	topK      int
	settings  map[string]any
}

// evalSource is what eval reads of a source.
type evalSource struct {
	Index        int    `json:"index"`
	DocumentName string `json:"document_name"`
	PageNumber   int    `json:"page_number"`
	PageEnd      int    `json:"page_end"`
	Text         string `json:"text"`    // of /retrieve
	Excerpt      string `json:"excerpt"` // of a chat answer
}

func (s evalSource) source() evaluation.Source {
	text := s.Text
	if text == "" {
		text = s.Excerpt
	}
	return evaluation.Source{Document: s.DocumentName, Page: s.PageNumber, PageEnd: s.PageEnd, Text: text}
}

// Retrieve implements [evaluation.Server].
func (s *evalServer) Retrieve(ctx context.Context, messages []evaluation.Turn) (evaluation.Retrieved, error) {
	body := map[string]any{"messages": messages, "top_k": s.topK}
	if s.settings != nil {
		body["settings"] = s.settings
	}
	var got struct {
		Data      []evalSource `json:"data"`
		Retrieval struct {
			SearchMode string             `json:"search_mode"`
			DurationMS float64            `json:"duration_ms"`
			StagesMS   map[string]float64 `json:"stages_ms"`
		} `json:"retrieval"`
	}
	if err := s.c.call(ctx, http.MethodPost, s.path("/retrieve"), body, &got); err != nil {
		return evaluation.Retrieved{}, err
	}
	out := evaluation.Retrieved{Mode: got.Retrieval.SearchMode, MS: got.Retrieval.DurationMS, StagesMS: got.Retrieval.StagesMS}
	for _, src := range got.Data {
		out.Sources = append(out.Sources, src.source())
	}
	return out, nil
}

// evalCitations is what eval reads of a citations object.
type evalCitations struct {
	Status         string       `json:"status"`
	Sources        []evalSource `json:"sources"`
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

// Ask implements [evaluation.Server].
func (s *evalServer) Ask(ctx context.Context, messages []evaluation.Turn) (evaluation.Answered, error) {
	body, err := json.Marshal(map[string]any{"model": s.assistant, "messages": messages, "retrieval_options": map[string]int{"top_k": s.topK}})
	if err != nil {
		return evaluation.Answered{}, err
	}
	start := time.Now()
	resp, err := s.c.do(ctx, http.MethodPost, "/assistants/"+url.PathEscape(s.assistant)+"/v1/chat/completions", "application/json", bytes.NewReader(body),
		"X-Footnote-Citation-Format", "native") // whatever the assistant's other clients get
	if err != nil {
		return evaluation.Answered{}, err
	}
	var got struct {
		Citations *evalCitations `json:"citations"`
	}
	err = errors.Join(decodeJSON(resp.Body, &got), resp.Body.Close())
	if err == nil && got.Citations == nil {
		err = errors.New("the answer has no citations; turn enable_rag and enable_citations on, or use --retrieval-only")
	}
	if err != nil {
		return evaluation.Answered{}, err
	}
	out := got.Citations.answered()
	out.MS = float64(time.Since(start).Microseconds()) / 1000
	return out, nil
}

func (c *evalCitations) answered() evaluation.Answered {
	out := evaluation.Answered{Status: c.Status, Invalid: len(c.InvalidIndices), Coverage: c.Coverage}
	place := map[int]int{}
	for i, src := range c.Sources {
		place[src.Index] = i
		out.Sources = append(out.Sources, src.source())
	}
	for _, m := range c.Markers {
		for _, index := range m.Indices {
			at, ok := place[index]
			if !ok {
				continue // it is among the invalid ones
			}
			cite := evaluation.Cite{Source: at, Support: m.Support}
			if m.Quote != nil && m.Quote.Index == index {
				cite.Page = m.Quote.PageNumber
			}
			out.Cited = append(out.Cited, cite)
		}
	}
	return out
}

// find reports whether the assistant is there, and the key may use it.
func (s *evalServer) find(ctx context.Context) error {
	err := s.c.call(ctx, http.MethodGet, s.path(""), nil, nil)
	if ae, ok := errors.AsType[*apiError](err); ok && ae.Status == http.StatusNotFound {
		return fmt.Errorf("there is no assistant %q that this key may use", s.assistant)
	}
	return err
}

type evalDocument struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Pages      int    `json:"pages"`
	Searchable string `json:"searchable"`
}

// documents lists the documents of an assistant, by id or slug.
func (s *evalServer) documents(ctx context.Context, assistant string) (docs []evalDocument, err error) {
	err = each(ctx, s.c, "/v1.0/assistants/"+url.PathEscape(assistant)+"/documents", func(d evalDocument) error {
		docs = append(docs, d)
		return nil
	})
	return docs, err
}

// readable lists everything that the assistant answers from. complete is false
// when the key may not see what it reads from others.
func (s *evalServer) readable(ctx context.Context) (docs []evaluation.Document, complete bool, err error) {
	var self struct {
		Settings struct{ Collections []string }
	}
	if err := s.c.call(ctx, http.MethodGet, s.path(""), nil, &self); err != nil {
		return nil, false, err
	}
	owners, complete := []string{s.assistant}, true
	if further := self.Settings.Collections; len(further) > 0 {
		err := each(ctx, s.c, "/v1.0/assistants", func(a struct {
			ID           string
			CollectionID string `json:"collection_id"`
		}) error {
			if slices.Contains(further, a.CollectionID) {
				owners = append(owners, a.ID)
			}
			return nil
		})
		if ae, ok := errors.AsType[*apiError](err); ok && ae.Status == http.StatusForbidden {
			complete = false
		} else if err != nil {
			return nil, false, err
		}
	}
	for _, owner := range owners {
		own, err := s.documents(ctx, owner)
		if err != nil {
			return nil, false, err
		}
		for _, d := range own {
			docs = append(docs, evaluation.Document{Name: d.Name, Pages: d.Pages, Found: d.Searchable != "none"})
		}
	}
	return docs, complete, nil
}

// passages reads every passage of the assistant's own documents.
func (s *evalServer) passages(ctx context.Context) (out []evaluation.Source, err error) {
	docs, err := s.documents(ctx, s.assistant)
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		err := each(ctx, s.c, "/v1.0/documents/"+url.PathEscape(d.ID)+"/chunks", func(ch evalSource) error {
			src := ch.source()
			src.Document = d.Name
			out = append(out, src)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *evalServer) path(rest string) string {
	return "/v1.0/assistants/" + url.PathEscape(s.assistant) + rest
}
