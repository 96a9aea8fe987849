package maintain

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"footnote/storage/archive"
)

// A placement moves unpacked files to their places in an installation. It moves
// files inside the data directory only: the parent may belong to another user, and
// the root of a volume cannot be renamed.
type placement struct {
	in    installation
	stage *stage // with the files in its folder "new"
	stamp string // names what is moved aside
}

// movesAside lists the moves that move the files of the present installation aside.
func (in installation) movesAside(stamp string) (moves []archive.Move, err error) {
	entries, err := os.ReadDir(in.dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !staysInPlace(e.Name()) {
			moves = append(moves, archive.Move{From: e.Name(), To: filepath.Join(stamp, e.Name())})
		}
	}
	if !in.outside {
		return moves, nil
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_, err := os.Lstat(in.database + suffix)
		switch {
		case err == nil:
			moves = append(moves, archive.Move{From: in.database + suffix, To: in.database + "." + stamp + suffix})
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return moves, nil
}

// staysInPlace reports whether an entry of the data directory is not part of the
// installation: locks, unfinished work, what was moved aside before, and folders that
// file systems have in their root.
func staysInPlace(name string) bool {
	return name == "lock" || name == "lost+found" || strings.HasPrefix(name, swapJournal) ||
		strings.HasPrefix(name, asidePrefix) || strings.HasPrefix(name, backupPrefix) || strings.HasPrefix(name, restorePrefix)
}

// place moves the old files aside and the new files to their places, all or nothing.
// It returns the paths of the old files.
func (p placement) place() (aside []string, err error) {
	moves, err := p.in.movesAside(p.stamp)
	if err != nil {
		return nil, err
	}
	folder := p.in.path(p.stamp)
	for _, m := range moves {
		switch {
		case m.From == p.in.database:
			aside = append(aside, m.To)
		case !filepath.IsAbs(m.From) && len(aside) == 0:
			aside = append(aside, folder)
			if err := os.Mkdir(folder, 0o700); err != nil {
				return nil, err
			}
		}
	}
	incoming, clean, err := p.movesIn()
	if err == nil {
		err = archive.Swap(p.in.path(swapJournal), append(moves, incoming...))
	}
	if err != nil && !errors.Is(err, archive.ErrUnfinished) {
		_ = os.Remove(folder) // empty: all that was in it was put back
		err = errors.Join(err, clean())
	}
	return aside, err
}

// movesIn lists the moves that move the new files to their places. clean removes
// files that it wrote outside the stage.
func (p placement) movesIn() (moves []archive.Move, clean func() error, err error) {
	clean = func() error { return nil }
	fresh := p.stage.path("new")
	from := filepath.Join(fresh, fileDatabase)
	if p.in.outside {
		// Restores that left such files were killed: this one has the lock.
		err := removeAll(filepath.Dir(p.in.database), filepath.Base(p.in.database)+restorePrefix, func(string) bool { return true })
		if err != nil {
			return nil, clean, err
		}
		temp := p.in.database + filepath.Base(p.stage.dir)
		clean = func() error { return os.RemoveAll(temp) }
		if err := errors.Join(copyFile(from, temp), os.Remove(from)); err != nil {
			return nil, clean, err
		}
		moves = append(moves, archive.Move{From: temp, To: p.in.database})
	} else {
		rel, err := filepath.Rel(p.in.dir, p.in.database)
		if err != nil {
			return nil, clean, err
		}
		to := filepath.Join(fresh, rel)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(from, to), syncFolder(filepath.Dir(to)), syncFolder(fresh)); err != nil {
			return nil, clean, err
		}
	}
	entries, err := os.ReadDir(fresh)
	for _, e := range entries {
		moves = append(moves, archive.Move{From: filepath.Join(filepath.Base(p.stage.dir), "new", e.Name()), To: e.Name()})
	}
	return moves, clean, err
}
