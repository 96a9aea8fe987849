package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A fileList is what paths on a command line stand for.
type fileList struct {
	files    []string // absolute paths, in order
	folders  []string // the folders among the paths
	links    []string // links to folders, found in the folders; they are skipped
	problems []fileProblem
	fileSet  map[string]bool // the files as a set; nil until it is needed
}

// A fileProblem is a file or folder that cannot be read, and why.
type fileProblem struct{ path, message string }

const cannotRead = "It cannot be read; check its permissions."

// collectFiles lists the files under paths. Hidden ones count only when they
// are named themselves. Links to files are followed, and so is a path that is
// a link itself; links to folders inside one are not, because they may form a circle.
func collectFiles(paths []string) fileList {
	var list fileList
	for _, path := range paths {
		abs, err := filepath.Abs(path)
		if err == nil {
			var info os.FileInfo
			if info, err = os.Stat(abs); err == nil {
				list.add(abs, info)
				continue
			}
		}
		message := cannotRead
		if os.IsNotExist(err) {
			message = "There is no such file or folder."
		}
		list.problems = append(list.problems, fileProblem{path, message})
	}
	return list
}

func (l *fileList) add(abs string, info os.FileInfo) {
	if !info.IsDir() {
		l.files = append(l.files, abs)
		return
	}
	l.folders = append(l.folders, abs)
	// WalkDir does not follow a link, not even its root's.
	root, err := filepath.EvalSymlinks(abs)
	if err != nil {
		l.problems = append(l.problems, fileProblem{abs, cannotRead})
		return
	}
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error { // returns what we return: nil
		rel, relErr := filepath.Rel(root, p)
		if relErr != nil {
			rel = p
		}
		path := filepath.Join(abs, rel)
		switch {
		case err != nil:
			l.problems = append(l.problems, fileProblem{path, cannotRead})
			if d != nil && d.IsDir() {
				return filepath.SkipDir
			}
		case p != root && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return filepath.SkipDir
			}
		case d.Type()&fs.ModeSymlink != 0:
			l.addLink(path)
		case d.Type().IsRegular():
			l.files = append(l.files, path)
		}
		return nil
	})
}

// addLink adds the file that a link inside a folder leads to.
func (l *fileList) addLink(path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		l.problems = append(l.problems, fileProblem{path, "The link leads nowhere."})
	case info.IsDir():
		l.links = append(l.links, path)
	default:
		l.files = append(l.files, path)
	}
}

// gone reports whether a path lies in one of the folders and its file no longer
// exists. Files behind links to folders do not count, because those links were not
// followed. A hidden file may exist although it is not listed.
func (l *fileList) gone(path string) bool {
	return path != "" && !l.has(path) && underAny(path, l.folders) && !underAny(path, l.links) && isNoFile(path)
}

// isNoFile reports whether the path is certainly not that of a file. An error other
// than those of a missing file leaves that open.
func isNoFile(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) // a file is where its folder was
	}
	return info.IsDir()
}

// displaced reports whether the file at known has other bytes now. The server has the
// bytes of path as a document with the source path known. If known has other bytes
// now, that document belongs to path.
func (l *fileList) displaced(path, known string) bool {
	return known != path && l.has(known) && sumOf(known) != sumOf(path)
}

func (l *fileList) has(path string) bool {
	if l.fileSet == nil {
		l.fileSet = make(map[string]bool, len(l.files))
		for _, f := range l.files {
			l.fileSet[f] = true
		}
	}
	return l.fileSet[path]
}

func underAny(path string, folders []string) bool {
	for _, folder := range folders {
		if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
