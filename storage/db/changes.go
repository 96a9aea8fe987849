package db

import (
	"context"

	"gorm.io/gorm"

	"footnote/assistants"
)

// A changeNote collects the documents that a transaction changes, so that they can be
// reported once it is committed.
type changeNote struct{ changes []assistants.DocumentChange }

// changeNoteKey finds a transaction's note in its context.
type changeNoteKey struct{}

// withChangeNote returns a context for one try of a transaction. The note is nil if
// changes are not reported.
func (s *Store) withChangeNote(ctx context.Context) (context.Context, *changeNote) {
	if s.changed == nil {
		return ctx, nil
	}
	note := &changeNote{}
	return context.WithValue(ctx, changeNoteKey{}, note), note
}

// noteChange notes a change of the running transaction. Every statement that changes a
// document needs it. Those that lock a document have it from [lockDocument].
func noteChange(tx *gorm.DB, c assistants.DocumentChange) {
	if note, ok := tx.Statement.Context.Value(changeNoteKey{}).(*changeNote); ok {
		note.changes = append(note.changes, c)
	}
}

// report reports the changes of a transaction that was committed, or may have been.
func (s *Store) report(note *changeNote) {
	if note != nil && len(note.changes) > 0 {
		s.changed(note.changes)
	}
}
