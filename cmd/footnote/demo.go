package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path"
	"strconv"
	"time"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/cmd/footnote/demo"
)

// demoUpstream answers the demo's questions: the assistant is open to the public,
// so a model server would be paid for by the operator's key.
const demoUpstream = "builtin:extractive"

// Facts kept about the demo: the id of its assistant, and that all its
// documents are stored, so that the next start completes an interrupted one.
const (
	metaDemoAssistant = "demo_assistant"
	metaDemoLoaded    = "demo_loaded"
)

// loadDemo makes the sample assistant in an empty data directory, waits until
// its documents can be found, and prints how to ask it.
func (p *program) loadDemo(ctx context.Context, a *app, addr net.Addr) error {
	id, err := a.store.SetMetaOnce(ctx, metaDemoAssistant, string(assistants.NewAssistantID()))
	if err != nil {
		return err
	}
	loaded, err := a.store.Meta(ctx, metaDemoLoaded)
	if err != nil {
		return err
	}
	if loaded == "" {
		if others, err := a.hasOtherAssistants(ctx, id); err != nil || others {
			if others {
				fmt.Fprintln(p.Out, "The data directory has assistants already, so the demo is not loaded; choose another with --data-dir.")
			}
			return err
		}
		if err := a.makeDemo(ctx, assistants.AssistantID(id)); err != nil {
			return fmt.Errorf("load the demo: %w", err)
		}
	}
	assistant, err := a.store.Assistant(ctx, assistants.DefaultTenant, id)
	if errors.Is(err, assistants.ErrNotFound) {
		fmt.Fprintln(p.Out, "The sample assistant was deleted; use an empty --data-dir to have it again.")
		return nil
	}
	if err != nil {
		return err
	}
	documents, err := a.waitIngested(ctx, assistant.CollectionID)
	if err != nil {
		return err
	}
	for _, d := range documents {
		if d.Status == assistants.StatusFailed && d.Cause != nil {
			fmt.Fprintf(p.Out, "The sample document %s cannot be asked about: %s\n", d.Name, d.Cause.Message)
		}
	}
	fmt.Fprintf(p.Out, demoText, clientAddress(addr), assistant.Slug)
	return nil
}

// clientAddress is the address at which a client on this machine reaches the server.
// If the server listens on all addresses, that is the loopback address.
func clientAddress(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
}

// hasOtherAssistants reports whether there are other assistants than the one with id.
func (a *app) hasOtherAssistants(ctx context.Context, id string) (bool, error) {
	items, _, err := a.store.Assistants(ctx, assistants.DefaultTenant, assistants.List{Limit: 2})
	for _, item := range items {
		if string(item.ID) != id {
			return true, err
		}
	}
	return false, err
}

// makeDemo stores the assistant and its documents. It keeps what an interrupted start
// has stored.
func (a *app) makeDemo(ctx context.Context, id assistants.AssistantID) error {
	assistant, err := a.store.Assistant(ctx, assistants.DefaultTenant, string(id))
	if errors.Is(err, assistants.ErrNotFound) {
		assistant = demoAssistant(id)
		err = a.store.CreateAssistant(ctx, assistant)
	}
	if err != nil {
		return err
	}
	err = fs.WalkDir(demo.Documents, demo.Folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := demo.Documents.Open(name)
		if err != nil {
			return err
		}
		_, _, err = a.library.Add(ctx, ingestion.Upload{
			Tenant: assistant.TenantID, Collection: assistant.CollectionID, Name: path.Base(name), Content: f,
		})
		return errors.Join(err, f.Close())
	})
	if err != nil {
		return err
	}
	_, err = a.store.SetMetaOnce(ctx, metaDemoLoaded, time.Now().UTC().Format(time.RFC3339))
	return err
}

func demoAssistant(id assistants.AssistantID) assistants.Assistant {
	upstream := demoUpstream
	s := assistants.DefaultSettings()
	s.EnableRAG, s.EnableCitations, s.PublicAccess, s.Upstream = true, true, true, &upstream
	now := time.Now().UTC()
	return assistants.Assistant{
		ID: id, TenantID: assistants.DefaultTenant, Slug: demo.Slug, Name: demo.Name,
		CollectionID: assistants.NewCollectionID(), Settings: s, CreatedAt: now, UpdatedAt: now,
	}
}

// waitIngested waits until no document of the collection is being processed, and
// returns them.
func (a *app) waitIngested(ctx context.Context, collection assistants.CollectionID) ([]assistants.Document, error) {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		docs, _, err := a.store.Documents(ctx, assistants.DefaultTenant, collection, assistants.List{Limit: 1000})
		if err != nil {
			return nil, err
		}
		busy := false
		for _, d := range docs {
			busy = busy || d.Status != assistants.StatusReady && d.Status != assistants.StatusFailed
		}
		if !busy {
			return docs, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ticker.C:
		}
	}
}

const demoText = `
The sample assistant %[2]q is ready at http://%[1]s. Ask it (no key needed):

  curl -s http://%[1]s/v1/chat/completions -H 'Content-Type: application/json' \
    -d '{"model":"%[2]s","messages":[{"role":"user","content":"How many vacation days do I get per year?"}]}'

Add "stream":true for a stream. In Python (pip install openai):

  from openai import OpenAI
  client = OpenAI(base_url="http://%[1]s/v1", api_key="any")
  answer = client.chat.completions.create(model="%[2]s",
      messages=[{"role": "user", "content": "How many vacation days do I get per year?"}])
  print(answer.choices[0].message.content)
  for n in answer.citations["referenced_indices"]:
      source = answer.citations["sources"][n - 1]
      print(n, source["document_name"], source.get("page_number"))

Stop with Ctrl-C.
`
