package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Move gives a file or folder another name on the same file system. Relative
// names count from the folder of the journal, so that it may be mounted elsewhere.
type Move struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// ErrUnfinished says that moves were begun, and neither finished nor undone:
// the journal stays, and so must everything it names, for [Resume].
var ErrUnfinished = errors.New("begun, but neither finished nor undone")

// A swapper makes the moves of a journal; tests make its steps fail.
type swapper struct {
	journal string
	rename  func(from, to string) error
	remove  func(name string) error
}

func newSwapper(journal string) *swapper {
	return &swapper{journal: journal, rename: os.Rename, remove: os.Remove}
}

// Swap makes all moves, in their order, or none. It writes them to the journal
// first. If the process then dies, [Resume] makes the rest; it must be called before
// the folder is used again. If a move fails, the moves before it are undone. If that
// fails, too, the error wraps [ErrUnfinished]. No target may exist, unless an earlier
// move takes it away. Only one process at a time may call Swap.
func Swap(journal string, moves []Move) error {
	return newSwapper(journal).swap(moves)
}

// Resume makes the rest of the moves of a Swap that was cut short, and reports
// whether there was one. If it was cut short before its first move, Resume removes
// its unfinished journal.
func Resume(journal string) (resumed bool, err error) {
	raw, err := os.ReadFile(journal)
	if errors.Is(err, fs.ErrNotExist) {
		return false, os.RemoveAll(unwritten(journal)) // left by a process that died before the first move
	}
	var moves []Move
	if err == nil {
		err = json.Unmarshal(raw, &moves)
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", journal, err)
	}
	s := newSwapper(journal)
	if _, err := s.forward(moves); err != nil {
		return false, err
	}
	return true, s.end()
}

func (s *swapper) swap(moves []Move) error {
	raw, err := json.Marshal(moves)
	if err != nil {
		return err
	}
	if err := s.begin(raw); err != nil {
		return err
	}
	if done, err := s.forward(moves); err != nil {
		if undo := s.undoMoves(moves[:done]); undo != nil {
			return fmt.Errorf("%w: %w: %w", ErrUnfinished, err, undo)
		}
		return err
	}
	_ = s.end() // all moves are made; if the journal remains, Resume only removes it
	return nil
}

// unwritten is the name of a journal that is not whole yet.
func unwritten(journal string) string { return journal + ".new" }

// begin makes the journal durable, whole or not at all.
func (s *swapper) begin(content []byte) error {
	temp := unwritten(s.journal)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = s.move(temp, s.journal)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(temp))
	}
	return nil
}

func (s *swapper) end() error {
	if err := s.remove(s.journal); err != nil {
		return err
	}
	return syncPath(filepath.Dir(s.journal))
}

// forward makes the moves that have not been made, and returns how many are made
// in all. A move whose target exists was made already, because Swap requires that
// the target does not exist before.
func (s *swapper) forward(moves []Move) (done int, err error) {
	for i, m := range moves {
		_, err := os.Lstat(s.path(m.To))
		if errors.Is(err, fs.ErrNotExist) {
			err = s.move(s.path(m.From), s.path(m.To))
		}
		if err != nil {
			return i, fmt.Errorf("put the files in their place: %w", err)
		}
	}
	return len(moves), nil
}

// undoMoves undoes moves and then ends the journal.
func (s *swapper) undoMoves(moves []Move) error {
	for i := len(moves) - 1; i >= 0; i-- {
		if err := s.move(s.path(moves[i].To), s.path(moves[i].From)); err != nil {
			return fmt.Errorf("put the files back: %w", err)
		}
	}
	return s.end()
}

// move renames durably. The order of moves must outlast a power cut, so the
// folders are synced after each.
func (s *swapper) move(from, to string) error {
	if err := s.rename(from, to); err != nil {
		return err
	}
	if filepath.Dir(from) != filepath.Dir(to) {
		if err := syncPath(filepath.Dir(from)); err != nil {
			return err
		}
	}
	return syncPath(filepath.Dir(to))
}

func (s *swapper) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(s.journal), name)
}

func syncPath(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
