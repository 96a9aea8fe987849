package db

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// publishOne stores a document with one passage that answers, and returns its match.
func publishOne(t *testing.T, s *Cached, a assistants.Assistant, n int, text string) assistants.Match {
	t.Helper()
	d := assistants.Document{
		ID: assistants.NewDocumentID(), TenantID: a.TenantID, CollectionID: a.CollectionID, Name: fmt.Sprintf("%d.txt", n), Status: assistants.StatusPending, Latest: 1,
		Version: assistants.Version{Number: 1, FileName: "a.txt", BlobKey: fmt.Sprint("blob", n), SHA256: fmt.Sprintf("%064d", n), ContentType: "text/plain"},
	}
	d, _, err := s.CreateDocument(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	ref := assistants.VersionRef{Tenant: a.TenantID, Document: d.ID, Number: 1}
	id := assistants.NewChunkID(d.ID, 1, 0)
	err = s.SaveVersion(t.Context(), ref, "text/plain", assistants.Text{Text: text, Runes: len(text)}, []assistants.Chunk{{ID: id, DocumentID: d.ID, Version: 1, Text: text, CharEnd: len(text)}})
	if err = errors.Join(err, s.Publish(t.Context(), ref, time.Now(), assistants.StatusReady)); err != nil {
		t.Fatal(err)
	}
	return assistants.Match{ChunkID: id, DocumentID: d.ID, Version: 1, Score: 1}
}

func hitsOf(t *testing.T, s *Cached, a assistants.Assistant, matches ...assistants.Match) []assistants.Hit {
	t.Helper()
	hits, err := s.Hits(t.Context(), a.TenantID, []assistants.CollectionID{a.CollectionID}, matches)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

func TestPassagesThatWereFoundAreNotReadAgain(t *testing.T) {
	s, a, _ := cachedWithAssistant(t)
	m := publishOne(t, s, a, 1, "The office opens at eight.")
	queries := 0
	if err := s.gorm.Callback().Query().After("gorm:query").Register("count", func(*gorm.DB) { queries++ }); err != nil {
		t.Fatal(err)
	}
	first := hitsOf(t, s, a, m)
	before := queries
	again := hitsOf(t, s, a, m)
	existing, err := s.ExistingDocuments(t.Context(), a.TenantID, []assistants.DocumentID{m.DocumentID})
	if err != nil || len(existing) != 1 || queries != before || len(again) != 1 || again[0].Memo == nil || again[0].Memo != first[0].Memo {
		t.Errorf("%d queries more, %v, %+v, %v", queries-before, existing, again, err)
	}
	if hits, err := s.Hits(t.Context(), "other", []assistants.CollectionID{a.CollectionID}, []assistants.Match{m}); err != nil || len(hits) != 0 {
		t.Errorf("another tenant gets %v, %v", hits, err)
	}
	if hits, err := s.Hits(t.Context(), a.TenantID, []assistants.CollectionID{"coll_other"}, []assistants.Match{m}); err != nil || len(hits) != 0 {
		t.Errorf("another collection has %v, %v", hits, err)
	}
	if _, err := s.UpdateDocument(t.Context(), a.TenantID, m.DocumentID, func(d *assistants.Document) error { d.Name = "new.txt"; return nil }); err != nil {
		t.Fatal(err)
	}
	if hits := hitsOf(t, s, a, m); len(hits) != 1 || hits[0].Document.Name != "new.txt" || hits[0].Memo == first[0].Memo {
		t.Errorf("after a new name: %+v", hits)
	}
	if err := s.DeleteDocument(t.Context(), a.TenantID, m.DocumentID); err != nil {
		t.Fatal(err)
	}
	existing, err = s.ExistingDocuments(t.Context(), a.TenantID, []assistants.DocumentID{m.DocumentID})
	if hits := hitsOf(t, s, a, m); err != nil || len(hits)+len(existing) != 0 {
		t.Errorf("after the deletion: %+v, %v, %v", hits, existing, err)
	}
}

// After a start many ask for the same passages at once: while one reads, the others
// wait, and are answered by one query.
func TestThoseWhoMissTheSamePassagesReadThemTogether(t *testing.T) {
	s, a, _ := cachedWithAssistant(t)
	const askers = 20
	var matches []assistants.Match
	for n := range 4 {
		matches = append(matches, publishOne(t, s, a, n, fmt.Sprintf("Office %d opens at eight.", n)))
	}
	var reads atomic.Int64
	begun, release := make(chan struct{}), make(chan struct{})
	hold := sync.OnceFunc(func() { close(begun); <-release })
	err := s.gorm.Callback().Query().Before("gorm:query").Register("hold", func(tx *gorm.DB) {
		if tx.Statement.Table == "chunks" {
			reads.Add(1)
			hold()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var asking sync.WaitGroup
	ask := func() {
		if hits := hitsOf(t, s, a, matches...); len(hits) != len(matches) || hits[3].Chunk.Text != "Office 3 opens at eight." {
			t.Errorf("%+v", hits)
		}
	}
	asking.Go(ask)
	<-begun
	for range askers {
		asking.Go(ask)
	}
	for waiting := 0; waiting < askers*len(matches) && t.Context().Err() == nil; {
		s.reading.mu.Lock()
		if turn := s.reading.turns[a.TenantID]; turn == nil {
			t.Error("the first query has ended")
			waiting = askers * len(matches)
		} else if turn.next != nil {
			waiting = len(turn.next.items)
		}
		s.reading.mu.Unlock()
		runtime.Gosched()
	}
	close(release)
	asking.Wait()
	if n := reads.Load(); n != 2 {
		t.Errorf("%d queries for the passages of %d callers", n, askers+1)
	}
}

func TestThePassagesInMemoryAreBounded(t *testing.T) {
	s, a, _ := cachedWithAssistant(t)
	const limit = 20_000
	s.LimitPassages(limit)
	var matches []assistants.Match
	for n := range 20 {
		matches = append(matches, publishOne(t, s, a, n, strings.Repeat("word ", 300)))
	}
	hits := hitsOf(t, s, a, matches...)
	if len(hits) != len(matches) {
		t.Fatalf("%d hits", len(hits))
	}
	full := s.PassageStats()
	if full.Bytes > limit || full.Passages < 3 || full.Passages > 15 {
		t.Errorf("%+v", full)
	}
	last := hitsOf(t, s, a, matches[19])[0]
	assistants.Recall(last.Memo, "half", func() (int, int) { return 1, limit / 2 })
	if grown := s.PassageStats(); grown.Bytes > limit || grown.Passages >= full.Passages {
		t.Errorf("after one has grown: %+v", grown)
	}
	last.Memo.Grown(2 * limit) // more than there is room for
	if empty := s.PassageStats(); empty.Bytes != 0 || empty.Passages != 0 {
		t.Errorf("after one has grown too much: %+v", empty)
	}
	last.Memo.Grown(1) // it is not counted any more
	s.LimitPassages(0)
	if hits := hitsOf(t, s, a, matches[0]); len(hits) != 1 || hits[0].Memo != nil || s.PassageStats().Passages != 0 {
		t.Errorf("without memory: %+v, %+v", hits, s.PassageStats())
	}
}

func TestPassagesThatAnotherProcessChangesAreReadAgain(t *testing.T) {
	eachServer(t, changedPassagesTest)
}

func changedPassagesTest(t *testing.T, url string) {
	t.Helper()
	one, other := NewCached(openTest(t, url, Options{})), NewCached(openTest(t, url, Options{}))
	a, _ := chatters(t, one)
	kept, deleted := publishOne(t, one, a, 1, "The office opens at eight."), publishOne(t, one, a, 2, "The shop opens at nine.")
	first := hitsOf(t, other, a, kept, deleted)
	if again := hitsOf(t, other, a, kept, deleted); len(again) != 2 || again[0].Memo == nil || again[0].Memo != first[0].Memo {
		t.Fatalf("%+v", again)
	}
	_, err := one.UpdateDocument(t.Context(), a.TenantID, kept.DocumentID, func(d *assistants.Document) error { d.Name = "new.txt"; return nil })
	if err = errors.Join(err, one.DeleteDocument(t.Context(), a.TenantID, deleted.DocumentID)); err != nil {
		t.Fatal(err)
	}
	if hits := hitsOf(t, other, a, kept, deleted); len(hits) != 1 || hits[0].Document.Name != "new.txt" {
		t.Errorf("%+v", hits)
	}
}
