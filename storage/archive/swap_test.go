package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A house is a folder with an old file and an old folder, and new ones ready.
func house(t *testing.T) (journal string, moves []Move) {
	t.Helper()
	dir := t.TempDir()
	for _, folder := range []string{"documents", "aside", "ready", "ready/documents"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside.db")
	for name, content := range map[string]string{
		"footnote.db": "old", "documents/d": "old", "index.db": "old", "ready/footnote.db": "new", "ready/documents/d": "new",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(outside+".ready", []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "journal"), []Move{
		{"footnote.db", "aside/footnote.db"}, {"documents", "aside/documents"}, {"index.db", "aside/index.db"},
		{"ready/footnote.db", "footnote.db"}, {"ready/documents", "documents"}, {outside + ".ready", outside},
	}
}

// state tells what stands in the house: "old", "new", or what is in between.
func state(journal string, moves []Move) string {
	read := func(name string) string {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(journal), name)
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return "none"
		}
		return string(raw)
	}
	outside := moves[5].To
	_, err := os.Stat(journal)
	all := fmt.Sprint(read("footnote.db"), read("documents/d"), read("index.db"), read(outside), read("aside/footnote.db"),
		read("aside/documents/d"), read("aside/index.db"), read("ready/footnote.db"), read("ready/documents/d"), read(outside+".ready"), err == nil)
	switch all {
	case "oldoldoldnonenonenonenonenewnewnewfalse":
		return "old"
	case "newnewnonenewoldoldoldnonenonenonefalse":
		return "new"
	}
	return all
}

func TestASwapMovesEverything(t *testing.T) {
	journal, moves := house(t)
	if got := state(journal, moves); got != "old" {
		t.Fatal(got)
	}
	if err := Swap(journal, moves); err != nil {
		t.Fatal(err)
	}
	if got := state(journal, moves); got != "new" {
		t.Error(got)
	}
	if resumed, err := Resume(journal); resumed || err != nil {
		t.Error(resumed, err)
	}
}

// errKilled stands for the end of the process: nothing more is done.
var errKilled = errors.New("killed")

func TestASwapThatIsKilledAtAnyStepIsOldOrBecomesNew(t *testing.T) {
	for step := 0; ; step++ {
		journal, moves := house(t)
		s, left := newSwapper(journal), step
		alive := func(do func() error) error {
			if left--; left < 0 {
				panic(errKilled)
			}
			return do()
		}
		s.rename = func(from, to string) error { return alive(func() error { return os.Rename(from, to) }) }
		s.remove = func(name string) error { return alive(func() error { return os.Remove(name) }) }
		killed := func() (killed bool) {
			defer func() {
				if reason := recover(); reason != nil {
					killed = true
				}
			}()
			if err := s.swap(moves); err != nil {
				t.Fatal(err)
			}
			return false
		}()
		_, err := os.Stat(journal)
		begun := err == nil
		if killed != (step <= len(moves)+1) || begun != (step > 0 && killed) {
			t.Fatalf("step %d: killed %t, begun %t", step, killed, begun)
		}
		resumed, err := Resume(journal)
		if err != nil || resumed != begun {
			t.Fatalf("step %d: %t %v", step, resumed, err)
		}
		want := "new"
		if step == 0 {
			want = "old"
		}
		if got := state(journal, moves); got != want {
			t.Errorf("killed at step %d: %s", step, got)
		}
		if !killed {
			return
		}
	}
}

func TestAMoveThatFailsIsUndoneWithThoseBeforeIt(t *testing.T) {
	for step := range 7 {
		journal, moves := house(t)
		s, left := newSwapper(journal), step
		s.rename = func(from, to string) error {
			if left--; left == -1 {
				return fmt.Errorf("rename %s: device or resource busy", from)
			}
			return os.Rename(from, to)
		}
		if err := s.swap(moves); err == nil || errors.Is(err, ErrUnfinished) || !strings.Contains(err.Error(), "busy") {
			t.Errorf("step %d: %v", step, err)
		}
		if got := state(journal, moves); got != "old" {
			t.Errorf("step %d: %s", step, got)
		}
	}
}

func TestAMoveThatCannotEvenBeUndoneIsFinishedLater(t *testing.T) {
	journal, moves := house(t)
	s, left := newSwapper(journal), 3
	s.rename = func(from, to string) error {
		if left--; left < 0 {
			return errors.New("disk on fire")
		}
		return os.Rename(from, to)
	}
	if err := s.swap(moves); !errors.Is(err, ErrUnfinished) {
		t.Error(err)
	}
	if resumed, err := Resume(journal); !resumed || err != nil {
		t.Error(resumed, err)
	}
	if got := state(journal, moves); got != "new" {
		t.Error(got)
	}
}

func TestAFolderMayBeMountedElsewhereBeforeItsSwapIsResumed(t *testing.T) {
	journal, moves := house(t)
	raw, err := json.Marshal(moves)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journal, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(filepath.Dir(journal), elsewhere); err != nil {
		t.Fatal(err)
	}
	journal = filepath.Join(elsewhere, "journal")
	if resumed, err := Resume(journal); !resumed || err != nil {
		t.Error(resumed, err)
	}
	if got := state(journal, moves); got != "new" {
		t.Error(got)
	}
}

func TestAJournalThatCannotBeReadIsNoReasonToGoOn(t *testing.T) {
	journal, _ := house(t)
	if err := os.WriteFile(journal, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if resumed, err := Resume(journal); resumed || err == nil {
		t.Error(resumed, err)
	}
}

func TestAJournalThatWasNotWrittenToItsEndIsTakenAway(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "journal")
	if err := os.WriteFile(journal+".new", []byte(`[{"from":"a"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if resumed, err := Resume(journal); resumed || err != nil {
		t.Errorf("%t, %v", resumed, err)
	}
	if left, err := os.ReadDir(filepath.Dir(journal)); err != nil || len(left) != 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}
