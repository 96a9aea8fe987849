package db_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

const (
	tenant = assistants.DefaultTenant
	other  = assistants.TenantID("other")
)

// birth is the creation time of everything the suite makes, unless a test says
// otherwise.
var birth = time.Date(2026, 3, 29, 1, 30, 0, 123456000, time.UTC)

func newAssistant(owner assistants.TenantID, slug string) assistants.Assistant {
	return assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: owner, Slug: slug, Name: "Assistant " + slug,
		CollectionID: assistants.NewCollectionID(), Settings: assistants.DefaultSettings(),
		CreatedAt: birth, UpdatedAt: birth,
	}
}

func addAssistant(t *testing.T, s contract, owner assistants.TenantID, slug string) assistants.Assistant {
	t.Helper()
	a := newAssistant(owner, slug)
	must(t, s.CreateAssistant(t.Context(), a))
	return a
}

func newVersion(owner assistants.TenantID, content string) assistants.Version {
	sum := sha256.Sum256([]byte(content))
	return assistants.Version{
		FileName: "as uploaded.txt",
		BlobKey:  fmt.Sprintf("%s/%s", owner, strings.TrimPrefix(string(assistants.NewDocumentID()), "doc_")),
		SHA256:   hex.EncodeToString(sum[:]), Bytes: int64(len(content)), ContentType: "text/plain", CreatedAt: birth,
	}
}

func newDocument(a assistants.Assistant, name, content string) assistants.Document {
	return assistants.Document{
		ID: assistants.NewDocumentID(), TenantID: a.TenantID, CollectionID: a.CollectionID, Name: name,
		Version: newVersion(a.TenantID, content), CreatedAt: birth, UpdatedAt: birth,
	}
}

func addDocument(t *testing.T, s contract, a assistants.Assistant, name, content string) assistants.Document {
	t.Helper()
	d, duplicate, err := s.CreateDocument(t.Context(), newDocument(a, name, content))
	must(t, err)
	if duplicate {
		t.Fatalf("%s is called a duplicate", name)
	}
	return d
}

// newText cuts a text into chunks of five code points, two to a page.
func newText(d assistants.Document, number int, content string) (assistants.Text, []assistants.Chunk) {
	runes := []rune(content)
	text := assistants.Text{Text: content, Runes: len(runes), Pages: []assistants.Page{}}
	var chunks []assistants.Chunk
	for start := 0; start < len(runes); start += 5 {
		end, i := min(start+5, len(runes)), len(chunks)
		page := i/2 + 1
		chunks = append(chunks, assistants.Chunk{
			ID: assistants.NewChunkID(d.ID, number, i), DocumentID: d.ID, Version: number, Index: i,
			Text: string(runes[start:end]), Tokens: end - start, Page: page, PageEnd: page,
			HeadingPath: []string{"Part", fmt.Sprint(page)}, CharStart: start, CharEnd: end,
		})
		if i%3 == 0 {
			chunks[i].PageStarts = []assistants.PageStart{{Page: page + 1, CharStart: start + 2}}
		}
		if i%3 == 1 {
			chunks[i].TableHeader, chunks[i].PageOpening = "Größe | Preis", "Preise\nAb 1. März"
		}
		if i%2 == 0 {
			text.Pages = append(text.Pages, assistants.Page{Number: page, Start: start, End: min(start+10, len(runes))})
		}
	}
	return text, chunks
}

// publish stores a version as ingestion would if it read content.
func publish(t *testing.T, s contract, d assistants.Document, number int, content string) []assistants.Chunk {
	t.Helper()
	text, chunks := newText(d, number, content)
	must(t, s.SaveVersion(t.Context(), assistants.VersionRef{Tenant: d.TenantID, Document: d.ID, Number: number}, "text/plain", text, chunks))
	must(t, s.Publish(t.Context(), assistants.VersionRef{Tenant: d.TenantID, Document: d.ID, Number: number}, birth.Add(time.Minute), assistants.StatusReady))
	return chunks
}

// jobs claims every job, at a time far in the future.
func jobs(t *testing.T, s contract) []assistants.Job {
	t.Helper()
	var all []assistants.Job
	for {
		j, ok, err := s.ClaimJob(t.Context(), time.Now().Add(time.Hour), time.Hour, assistants.JobFilter{})
		must(t, err)
		if !ok {
			return all
		}
		all = append(all, j)
	}
}

func jobsOf(all []assistants.Job, kind assistants.JobKind) []assistants.Job {
	var some []assistants.Job
	for _, j := range all {
		if j.Kind == kind {
			some = append(some, j)
		}
	}
	return some
}

// everything lists a collection's documents in pages of the given size.
func everything(ctx context.Context, s contract, a assistants.Assistant, limit int) ([]assistants.Document, error) {
	var all []assistants.Document
	list := assistants.List{Limit: limit}
	for {
		items, next, err := s.Documents(ctx, a.TenantID, a.CollectionID, list)
		if err != nil {
			return nil, err
		}
		if len(items) > limit {
			return nil, fmt.Errorf("%d items on a page of %d", len(items), limit)
		}
		all = append(all, items...)
		if next == "" {
			return all, nil
		}
		list.Cursor = next
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantKind(t *testing.T, what string, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%s: %v, want an error of the kind %q", what, err, kind)
	}
}
