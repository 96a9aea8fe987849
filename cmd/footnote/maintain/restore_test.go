package maintain

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// interrupted is a data directory in which a restore was killed after so many
// of its moves.
func interrupted(t *testing.T, fresh string, moves int) (data string, all int) {
	t.Helper()
	data = filled(t, "other.txt").DataDir
	in := installation{dir: data, database: filepath.Join(data, fileDatabase)}
	s, err := makeStage(data, restorePrefix)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.lock.Close(), os.Mkdir(filepath.Join(data, "replaced-then"), 0o700), os.CopyFS(s.path("new"), os.DirFS(fresh)), os.Remove(s.path("new/lock"))); err != nil {
		t.Fatal(err)
	}
	present, err := in.movesAside("replaced-then")
	if err != nil {
		t.Fatal(err)
	}
	arriving, _, err := placement{in: in, stage: s, stamp: "replaced-then"}.movesIn()
	if err != nil {
		t.Fatal(err)
	}
	list := slices.Concat(present, arriving)
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, swapJournal), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, m := range list[:min(moves, len(list))] {
		if err := os.Rename(filepath.Join(data, m.From), filepath.Join(data, m.To)); err != nil {
			t.Fatal(err)
		}
	}
	return data, len(list)
}

func TestTheNextLockFinishesARestoreThatWasKilled(t *testing.T) {
	file := archived(t, filled(t, "ants.txt", "bees.txt"))
	fresh := inFiles(filepath.Join(t.TempDir(), "data"))
	if err := quiet(nil, nil).restore(t.Context(), fresh, file, false); err != nil {
		t.Fatal(err)
	}
	_, all := interrupted(t, fresh.DataDir, 0)
	for moves := range all + 1 {
		dir, _ := interrupted(t, fresh.DataDir, moves)
		data := inFiles(dir)
		if err := quiet(nil, nil).backup(t.Context(), data, filepath.Join(t.TempDir(), "a.gz"), false); err == nil ||
			!strings.Contains(err.Error(), "was interrupted") && !strings.Contains(err.Error(), "there is no database") {
			t.Errorf("a backup of it, %d moves: %v", moves, err)
		}
		if got := names(t, data); got != "ants.txt bees.txt" {
			t.Errorf("%d of %d moves: %s", moves, all, got)
		}
		if got := filesOf(t, dir); slices.Contains(got, swapJournal) || strings.Contains(fmt.Sprint(got), restorePrefix) {
			t.Errorf("left behind: %v", got)
		}
		if got := names(t, inFiles(filepath.Join(dir, "replaced-then"))); got != "other.txt" {
			t.Errorf("aside after %d of %d moves: %s", moves, all, got)
		}
	}
}

func TestABackupUnderWayIsNotTakenForAbandoned(t *testing.T) {
	dir := t.TempDir()
	s, err := makeStage(dir, backupPrefix)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * lockGrace)
	if err := os.Chtimes(s.dir, old, old); err != nil {
		t.Fatal(err)
	}
	out, err := createOutput(filepath.Join(dir, "a.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(out.Name(), old, old); err != nil {
		t.Fatal(err)
	}
	other, err := openOutput(filepath.Join(dir, "a.gz"), false, io.Discard, createOutput)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tidyData(dir), other.discard()); err != nil {
		t.Fatal(err)
	}
	if got := filesOf(t, dir); len(got) != 2 {
		t.Errorf("left: %v", got)
	}
	if err := errors.Join(s.lock.Close(), out.Close(), tidyData(dir)); err != nil {
		t.Fatal(err)
	}
	other, err = openOutput(filepath.Join(dir, "a.gz"), false, io.Discard, createOutput)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.discard(); err != nil {
		t.Fatal(err)
	}
	if got := filesOf(t, dir); len(got) != 0 {
		t.Errorf("not cleaned: %v", got)
	}
}
