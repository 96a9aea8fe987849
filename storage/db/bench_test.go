package db

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/storage/db/postgrestest"
)

// onEach measures on every kind of database.
func onEach(b *testing.B, bench func(b *testing.B, url string)) {
	b.Helper()
	b.Run("sqlite", func(b *testing.B) { bench(b, "sqlite:"+filepath.Join(b.TempDir(), "footnote.db")) })
	b.Run("postgres", func(b *testing.B) { bench(b, postgrestest.URL(b)) })
}

// benchStore is a database with one assistant and a published document of n chunks.
func benchStore(b *testing.B, url string, n int) (*Store, assistants.Assistant, []assistants.Match) {
	b.Helper()
	s, err := Open(b.Context(), url, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	a := assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: "t", Slug: "a", Name: "A", CollectionID: assistants.NewCollectionID(),
		Settings: assistants.DefaultSettings(),
	}
	d := assistants.Document{
		ID: assistants.NewDocumentID(), TenantID: "t", CollectionID: a.CollectionID, Name: "d",
		Version: assistants.Version{BlobKey: "t/1", SHA256: "1"},
	}
	chunks, matches := make([]assistants.Chunk, n), make([]assistants.Match, n)
	for i := range chunks {
		chunks[i] = assistants.Chunk{ID: assistants.NewChunkID(d.ID, 1, i), Index: i, Text: strings.Repeat("word ", 200)}
		matches[i] = assistants.Match{ChunkID: chunks[i].ID}
	}
	if _, err = s.Migrate(b.Context()); err == nil {
		err = s.CreateAssistant(b.Context(), a)
	}
	if err == nil {
		_, _, err = s.CreateDocument(b.Context(), d)
	}
	if err == nil {
		err = s.SaveVersion(b.Context(), assistants.VersionRef{Tenant: "t", Document: d.ID, Number: 1}, "text/plain", assistants.Text{}, chunks)
	}
	if err == nil {
		err = s.Publish(b.Context(), assistants.VersionRef{Tenant: "t", Document: d.ID, Number: 1}, s.now(), assistants.StatusReady)
	}
	if err != nil {
		b.Fatal(err)
	}
	return s, a, matches
}

func BenchmarkAssistant(b *testing.B) { onEach(b, benchAssistant) }

func benchAssistant(b *testing.B, url string) {
	s, _, _ := benchStore(b, url, 1)
	for b.Loop() {
		if _, err := s.Assistant(b.Context(), "t", "a"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTenHits(b *testing.B) { onEach(b, benchTenHits) }

func benchTenHits(b *testing.B, url string) {
	s, a, matches := benchStore(b, url, 1000)
	for b.Loop() {
		hits, err := s.Hits(b.Context(), "t", []assistants.CollectionID{a.CollectionID}, matches[100:110])
		if err != nil || len(hits) != 10 {
			b.Fatal(len(hits), err)
		}
	}
}

func BenchmarkCreateDocument(b *testing.B) { onEach(b, benchCreateDocument) }

func benchCreateDocument(b *testing.B, url string) {
	s, a, _ := benchStore(b, url, 1)
	n := 1
	for b.Loop() {
		n++
		_, _, err := s.CreateDocument(b.Context(), assistants.Document{
			ID: assistants.NewDocumentID(), TenantID: "t", CollectionID: a.CollectionID, Name: "d",
			Version: assistants.Version{BlobKey: "t/1", SHA256: fmt.Sprint(n)},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSaveThousandChunks(b *testing.B) { onEach(b, benchSaveThousandChunks) }

func benchSaveThousandChunks(b *testing.B, url string) {
	s, a, _ := benchStore(b, url, 1000)
	docs, _, err := s.Documents(b.Context(), "t", a.CollectionID, assistants.List{})
	if err != nil {
		b.Fatal(err)
	}
	chunks, _, err := s.LiveChunks(b.Context(), "t", docs[0].ID, assistants.List{Limit: 1000})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := s.SaveVersion(b.Context(), assistants.VersionRef{Tenant: "t", Document: docs[0].ID, Number: 1}, "text/plain", assistants.Text{}, chunks); err != nil {
			b.Fatal(err)
		}
	}
}
