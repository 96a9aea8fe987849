package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A servedAssistant is the program with an assistant whose documents answer the
// questions of the conversations.
type servedAssistant struct {
	*server
	key string // for chats
}

// served says how the program is set up.
type served struct {
	postgres  bool // its database is PostgreSQL
	plain     bool // the assistant has no documents
	documents int  // 0: one long document
	profiles  bool
	database  string // URL; "": a file
}

// startWithAssistant starts the program, ingests the documents and starts the program
// again, so that the cost of ingestion is not measured.
func startWithAssistant(ctx context.Context, program, upstream string, how served) (*servedAssistant, error) {
	env := []string{"FOOTNOTE_UPSTREAM_URL=http://" + upstream + "/v1", "FOOTNOTE_UPSTREAM_API_KEY=sk-of-the-benchmark", "FOOTNOTE_UPSTREAM_MODEL=gpt-4o-mini"}
	if how.profiles {
		env = append(env, "FOOTNOTE_DEBUG_ADDR=127.0.0.1:0")
	}
	if how.database != "" {
		env = append(env, "FOOTNOTE_DATABASE_URL="+how.database)
	}
	s, err := newServer(program, env...)
	if err != nil {
		return nil, err
	}
	f := &servedAssistant{server: s}
	if err = s.start(ctx); err == nil {
		err = errors.Join(f.setUp(ctx, how), s.halt())
	}
	if err == nil {
		err = s.start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return f, nil
}

// setUp makes the assistant with its documents, and a key that may use it.
func (f *servedAssistant) setUp(ctx context.Context, how served) error {
	var created struct{ ID, Key string }
	if err := f.send(ctx, http.MethodPost, "/v1.0/assistants", map[string]any{
		"name": "Bench", "slug": modelName, "settings": map[string]any{"enable_rag": !how.plain, "enable_citations": !how.plain},
	}, &created); err != nil {
		return err
	}
	id := created.ID
	if !how.plain {
		if err := f.addDocuments(ctx, how.documents); err != nil {
			return err
		}
	}
	err := f.send(ctx, http.MethodPost, "/v1.0/keys", map[string]any{"name": "bench", "scopes": []string{"chat"}, "assistants": []string{id}}, &created)
	f.key = created.Key
	return err
}

// documentName begins the names of all documents.
const documentName = "manual-1.pdf"

// addDocuments ingests n documents, or one long one, and waits until all are found.
func (f *servedAssistant) addDocuments(ctx context.Context, n int) error {
	dir := filepath.Join(f.dir, "documents")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	texts := []string{manual()}
	if n > 0 {
		texts = make([]string, n)
		for i := range texts {
			texts[i] = document(i)
		}
	}
	for i, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.md", documentName, i)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := f.ingest(ctx, modelName, dir); err != nil {
		return err
	}
	return f.waitUntilReady(ctx)
}

// waitUntilReady waits until the server has nothing left to read.
func (f *servedAssistant) waitUntilReady(ctx context.Context) error {
	for {
		var list struct {
			Data []struct{ Name, Status string }
		}
		path := "/v1.0/assistants/" + url.PathEscape(modelName) + "/documents?limit=1&status="
		working := false
		for _, status := range []string{"pending", "extracting", "chunking", "indexing", "embedding"} {
			if err := f.send(ctx, http.MethodGet, path+status, nil, &list); err != nil {
				return err
			}
			working = working || len(list.Data) > 0
		}
		if err := f.send(ctx, http.MethodGet, path+"failed", nil, &list); err != nil {
			return err
		}
		if len(list.Data) > 0 {
			return fmt.Errorf("%s cannot be read", list.Data[0].Name)
		}
		if !working {
			return nil
		}
		if err := pause(ctx, waitPause); err != nil {
			return err
		}
	}
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

// startServe returns a function that starts the program as a contender.
func startServe(how served) func(context.Context, startOptions) (*running, error) {
	return func(ctx context.Context, s startOptions) (*running, error) {
		if _, err := os.Stat(s.footnote); err != nil || how.postgres && s.database == "" {
			return nil, errNotInstalled
		}
		how.documents, how.profiles = s.documents, s.profiles
		drop := func() error { return nil }
		if how.postgres {
			var err error
			if how.database, drop, err = newDatabase(ctx, s.database); err != nil {
				return nil, err
			}
		}
		f, err := startWithAssistant(ctx, s.footnote, s.upstream, how)
		if err != nil {
			return nil, errors.Join(err, drop())
		}
		r := &running{key: f.key, serve: f, stop: func() error { return errors.Join(f.stop(), drop()) }}
		r.addr, r.pid = f.addr, f.cmd.Process.Pid
		return r, nil
	}
}

// restart starts the program again with the documents that it has.
func (r *running) restart(ctx context.Context) error {
	if err := r.serve.halt(); err != nil {
		return err
	}
	if err := r.serve.start(ctx); err != nil {
		return err
	}
	r.addr, r.pid = r.serve.addr, r.serve.cmd.Process.Pid
	return nil
}

// newDatabase creates a database on a PostgreSQL server. drop removes it.
func newDatabase(ctx context.Context, admin string) (address string, drop func() error, err error) {
	at, err := url.Parse(admin)
	if err != nil {
		return "", nil, errors.New("the URL of PostgreSQL cannot be read")
	}
	name := "footnote_bench_" + strconv.Itoa(os.Getpid())
	execute := func(ctx context.Context, statement string) error {
		conn, err := pgx.Connect(ctx, admin)
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, statement)
		return errors.Join(err, conn.Close(ctx))
	}
	if err := execute(ctx, "CREATE DATABASE "+name); err != nil {
		return "", nil, err
	}
	at.Path = "/" + name
	return at.String(), func() error { return execute(context.WithoutCancel(ctx), "DROP DATABASE "+name+" WITH (FORCE)") }, nil
}

// saveProfile saves a profile of the program, which must serve profiles.
func (s *server) saveProfile(ctx context.Context, name, path string) error {
	raw, err := fetch(ctx, s.profilesURL()+name)
	if err != nil {
		return err
	}
	return os.WriteFile(path, raw, 0o600)
}

// mallocs is how many objects the program has allocated so far, as its metrics say.
func (s *server) mallocs(ctx context.Context) (uint64, error) {
	raw, err := fetch(ctx, "http://"+s.addr+"/metrics")
	if err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "go_memstats_mallocs_total "); ok {
			n, err := strconv.ParseFloat(value, 64)
			return uint64(n), err
		}
	}
	return 0, errors.New("the metrics do not say how much was allocated")
}

func fetch(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", address, resp.Status)
	}
	return raw, nil
}
