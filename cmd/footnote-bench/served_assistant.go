package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// A servedAssistant is the program with an assistant whose document answers the
// question of the conversations.
type servedAssistant struct {
	*server
	key string // for chats
}

// startWithAssistant starts the program, ingests the document and starts the program
// again, so that the cost of ingestion is not measured.
func startWithAssistant(ctx context.Context, program, upstream string) (*servedAssistant, error) {
	s, err := newServer(program,
		"FOOTNOTE_DEBUG_ADDR=127.0.0.1:36061", "FOOTNOTE_UPSTREAM_URL=http://"+upstream+"/v1", "FOOTNOTE_UPSTREAM_API_KEY=sk-of-the-benchmark", "FOOTNOTE_UPSTREAM_MODEL=gpt-4o-mini")
	if err != nil {
		return nil, err
	}
	f := &servedAssistant{server: s}
	if err = s.start(ctx); err == nil {
		err = errors.Join(f.setUp(ctx), s.halt())
	}
	if err == nil {
		err = s.start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return f, nil
}

// setUp makes the assistant with its document, and a key that may use it.
func (f *servedAssistant) setUp(ctx context.Context) error {
	var created struct{ ID, Key string }
	if err := f.send(ctx, http.MethodPost, "/v1.0/assistants", map[string]any{
		"name": "Bench", "slug": modelName, "settings": map[string]any{"enable_rag": true, "enable_citations": true},
	}, &created); err != nil {
		return err
	}
	file := filepath.Join(f.dir, "manual-1.pdf.md")
	if err := os.WriteFile(file, []byte(manual()), 0o600); err != nil {
		return err
	}
	if err := f.ingest(ctx, modelName, file); err != nil {
		return err
	}
	if _, err := f.waitForDocuments(ctx, modelName); err != nil {
		return err
	}
	err := f.send(ctx, http.MethodPost, "/v1.0/keys", map[string]any{"name": "bench", "scopes": []string{"chat"}, "assistants": []string{created.ID}}, &created)
	f.key = created.Key
	return err
}

// manual is a document of many passages, each with words of the question.
func manual() string {
	var text strings.Builder
	text.WriteString("# Manual\n")
	for i := range 120 {
		fmt.Fprintf(&text, "\n## Section %d\n\nModel %d has a pump and a sensor of its own. ", i+1, 1000+37*i)
		for j := range 5 {
			text.WriteString(sentences[(i*(j+1)+j)%len(sentences)])
			fmt.Fprintf(&text, " This is rule %d of chapter %d. ", 100*i+j, i)
		}
		text.WriteString("\n")
	}
	return text.String()
}

// startServe starts the program as a contender.
func startServe(ctx context.Context, s startOptions) (*running, error) {
	if _, err := os.Stat(s.footnote); err != nil {
		return nil, errNotInstalled
	}
	f, err := startWithAssistant(ctx, s.footnote, s.upstream)
	if err != nil {
		return nil, err
	}
	return &running{addr: f.addr, key: f.key, pid: f.cmd.Process.Pid, stop: f.stop}, nil
}
