package db

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"gorm.io/gorm"

	"footnote/assistants"
)

// TestManyThatAreSupersededGoWithFewStatements: those that go are not changed, and those
// that stay are changed together.
func TestManyThatAreSupersededGoWithFewStatements(t *testing.T) {
	const many = 1200
	var changes atomic.Int64
	s := OpenAsSQLServer(t, Options{}, func(statement string, parameters int) {
		if strings.HasPrefix(statement, "UPDATE") && strings.Contains(statement, `"supersedes"=`) {
			changes.Add(1)
		}
		if parameters > 2098 {
			t.Errorf("%d parameters", parameters)
		}
	})
	a, oldest, _ := fill(t, s, "t")
	if _, err := s.Document(t.Context(), "t", oldest.ID); err != nil {
		t.Fatal(err)
	}
	// Each supersedes the one before, and the last one has many successors.
	add := func(name string, supersedes assistants.DocumentID) assistants.DocumentID {
		d := oldest
		d.ID, d.Name, d.Supersedes, d.Status, d.Latest = assistants.NewDocumentID(), name, supersedes, assistants.StatusReady, 1
		row := newDocumentRow(d)
		row.LatestSHA256 = name
		version := newVersionRow("t", assistants.Version{DocumentID: d.ID, Number: 1, BlobKey: name, SHA256: name})
		if err := s.write(t.Context(), "add", func(tx *gorm.DB) error {
			if err := tx.Create(&row).Error; err != nil {
				return err
			}
			return tx.Create(&version).Error
		}); err != nil {
			t.Fatal(err)
		}
		return d.ID
	}
	middle := add("middle", oldest.ID)
	var successor assistants.DocumentID
	for i := range many {
		successor = add(fmt.Sprint("successor", i), middle)
	}
	last := successor
	for i := range many {
		last = add(fmt.Sprint("chain", i), last)
	}
	if err := s.DeleteDocument(t.Context(), "t", middle); err != nil || changes.Load() > many/inList+1 {
		t.Errorf("%d statements for %d successors: %v", changes.Load(), many, err)
	}
	if d, err := s.Document(t.Context(), "t", successor); err != nil || d.Supersedes != oldest.ID {
		t.Errorf("a successor supersedes %q: %v", d.Supersedes, err)
	}
	changes.Store(0)
	if err := s.DeleteAssistant(t.Context(), "t", string(a.ID)); err != nil || changes.Load() != 0 {
		t.Errorf("%d statements for documents that all go: %v", changes.Load(), err)
	}
}
