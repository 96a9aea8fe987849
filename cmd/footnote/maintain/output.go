package maintain

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"footnote/cmd/footnote/console"
)

// partialInfix is the part of an unfinished archive's file name between the archive's
// name and a random suffix.
const partialInfix = ".footnote-partial-"

// An output is where an archive goes: standard output, or a new file that is
// renamed to its path when it is complete.
type output struct {
	io.Writer
	path  string
	force bool
	file  outputFile // nil for standard output
}

// outputFile is what an output needs of its file; tests make its steps fail.
type outputFile interface {
	io.WriteCloser
	Sync() error
	Name() string
}

// createOutput makes the unfinished file of an archive, private and locked as
// long as it is open.
func createOutput(path string) (outputFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+partialInfix+"*")
	if err != nil {
		return nil, err
	}
	// A file system without locks is no problem: there, no process regards the file as abandoned.
	_, _ = lockFile(f)
	return f, nil
}

// openOutput begins an archive at path, or at standard output for "-".
func openOutput(path string, force bool, stdout io.Writer, create func(path string) (outputFile, error)) (*output, error) {
	if path == "-" {
		if console.IsTerminal(stdout) {
			return nil, errors.New("the archive would go to the terminal; name a file, or redirect the output")
		}
		return &output{Writer: stdout}, nil
	}
	o := &output{path: path, force: force}
	if err := o.checkNameFree(); err != nil {
		return nil, err
	}
	err := removeAll(filepath.Dir(path), filepath.Base(path)+partialInfix, func(file string) bool { return abandoned(file, file) })
	if err == nil {
		o.file, err = create(path)
	}
	if err != nil {
		return nil, fmt.Errorf("the archive cannot be made: %w", err)
	}
	o.Writer = o.file
	return o, nil
}

// checkNameFree returns an error if the archive's name is taken and may not be replaced.
func (o *output) checkNameFree() error {
	info, err := os.Lstat(o.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the archive cannot be made: %w", err)
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name the file that the archive shall be", o.path)
	case !o.force:
		return fmt.Errorf("%s is there already; choose another name, or add --force to replace it", o.path)
	}
	return nil
}

// commit makes the archive durable and gives it its name.
func (o *output) commit() error {
	if o.file == nil {
		return nil
	}
	if err := errors.Join(o.file.Sync(), o.file.Close()); err != nil {
		return err
	}
	if err := o.checkNameFree(); err != nil { // another process may have made it meanwhile
		return err
	}
	if err := os.Rename(o.file.Name(), o.path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(o.path))
}

// discard removes what was written of an archive that will not be whole.
func (o *output) discard() error {
	if o.file == nil {
		return nil
	}
	_ = o.file.Close() // it may be closed already
	if err := os.Remove(o.file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
