package embedding

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// tinyNgrams is the shape of the tests' multilingual model; its blocks are of
// unequal length.
var tinyNgrams = ngramShape{Pieces: len(tinyPieces()), Blocks: 3, Width: 32, Branch: 16, Inner: 48}

// A tinyPiece is one of the tests' SentencePiece model.
type tinyPiece struct {
	text  string
	score float32
	kind  uint64
}

func tinyPieces() []tinyPiece {
	list := []tinyPiece{{"<unk>", 0, kindUnknown}, {"<s>", 0, kindControl}, {"</s>", 0, kindControl}, {"{x}", 0, kindUser}}
	for i, text := range []string{
		"▁", "▁the", "▁river", "river", "flow", "▁flow", "ed", "s", "▁north", "▁to", "▁sea", "sea", "stone", ".", ",", "é", "A",
		"東", "京", "東京", "ab", "bc", "un", "🙂", "▁un", "<", ">", "/",
	} {
		list = append(list, tinyPiece{text, -3 - float32(i%7)/4, kindNormal})
	}
	for r := 'a'; r <= 'r'; r++ {
		list = append(list, tinyPiece{string(r), -8 - float32(r%5)/8, kindNormal})
	}
	return list
}

// tinyReplaced is what texts lose before they are cut; longer ones come first.
var tinyReplaced = []string{"e\u0301", "é", "\u3000", " ", "\t", " ", "\n", " ", "\u200b", "", "Ａ", "A", "℀", "a b", "▁", " ", "\u00a0", " "}

// sentencePiece writes a model as its makers would publish it.
func sentencePiece(pieces []tinyPiece, table []byte) []byte {
	var file []byte
	message := func(field protowire.Number, content []byte) {
		file = protowire.AppendBytes(protowire.AppendTag(file, field, protowire.BytesType), content)
	}
	number := func(to []byte, field protowire.Number, value uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(to, field, protowire.VarintType), value)
	}
	for _, p := range pieces {
		m := protowire.AppendBytes(protowire.AppendTag(nil, fieldPieceText, protowire.BytesType), []byte(p.text))
		m = protowire.AppendFixed32(protowire.AppendTag(m, fieldPieceScore, protowire.Fixed32Type), math.Float32bits(p.score))
		if p.kind != kindNormal {
			m = number(m, fieldPieceKind, p.kind)
		}
		message(fieldPiece, m)
	}
	message(fieldTrainer, number(protowire.AppendFixed64(protowire.AppendTag(nil, 99, protowire.Fixed64Type), 1), fieldTrainerKind, trainerUnigram))
	message(fieldNormalizer, number(protowire.AppendBytes(protowire.AppendTag(nil, fieldNormalizerTable, protowire.BytesType), table), fieldDummyPrefix, 1))
	return file
}

// replacementTable writes pairs as a double array and what it leads to.
func replacementTable(pairs []string) []byte {
	var texts []byte
	units := make([]uint32, 1<<16)
	taken := map[uint32]bool{0: true}
	next := uint32(256) // as good as always free
	// place puts the keys, which share their first depth bytes, behind a unit.
	var place func(at uint32, keys map[string]uint32, depth int)
	place = func(at uint32, keys map[string]uint32, depth int) {
		base := next
		for taken[base] {
			base++
		}
		next = base + 256
		offset := at ^ base
		units[at] |= offset << unitOffset
		followed := map[byte]map[string]uint32{}
		for key, value := range keys {
			if len(key) == depth {
				units[at] |= unitEnds
				units[base] = value | 1<<31
				continue
			}
			if followed[key[depth]] == nil {
				followed[key[depth]] = map[string]uint32{}
			}
			followed[key[depth]][key] = value
		}
		for _, label := range slices.Sorted(maps.Keys(followed)) {
			child := base ^ uint32(label)
			units[child] |= uint32(label)
			place(child, followed[label], depth+1)
		}
	}
	keys := map[string]uint32{}
	for i := 0; i < len(pairs); i += 2 {
		keys[pairs[i]] = uint32(len(texts))
		texts = append(append(texts, pairs[i+1]...), 0)
	}
	place(0, keys, 0)
	units = units[:next]
	table := binary.LittleEndian.AppendUint32(nil, uint32(4*len(units)))
	for _, unit := range units {
		table = binary.LittleEndian.AppendUint32(table, unit)
	}
	return append(table, texts...)
}

// An array is one of a file of NumPy's: either of its contents is there.
type array struct {
	shape   []int
	numbers []float32
	bytes   []byte
	double  float64
}

// tinyArrays are those of a random model.
func tinyArrays() map[string]array {
	s := tinyNgrams
	random := rand.New(rand.NewPCG(3, 9))
	arrays := map[string]array{"eps": {double: normEpsilon}}
	add := func(name string, middle, spread float64, shape ...int) {
		count := 1
		for _, n := range shape {
			count *= n
		}
		list := make([]float32, count)
		for i := range list {
			list[i] = float32(middle + spread*random.NormFloat64())
		}
		arrays[name] = array{shape: shape, numbers: list}
	}
	rows := upTo(s.Pieces, s.Blocks) / s.Blocks
	for block := range s.Blocks {
		list := make([]byte, rows*s.Width)
		for i := range list {
			list[i] = byte(random.IntN(64))
		}
		arrays[fmt.Sprintf("q%d", block+1)] = array{shape: []int{rows, s.Width}, bytes: list}
	}
	add("scale", 0.1, 0.02, s.Blocks)
	add("lo", -3, 0.3, s.Blocks)
	for _, n := range []int{2, 3, 5} {
		add(fmt.Sprintf("proj%d", n), 0, 0.2, s.Width, s.Branch)
		add(fmt.Sprintf("proj_b%d", n), 0, 0.1, s.Branch)
		add(fmt.Sprintf("ln_g%d", n), 1, 0.1, s.Branch)
		add(fmt.Sprintf("ln_b%d", n), 0, 0.1, s.Branch)
		for _, which := range []string{"1", "2"} {
			add(fmt.Sprintf("w%s_%d", which, n), 0, 0.2, n*s.Branch, s.Branch)
			add(fmt.Sprintf("b%s_%d", which, n), 0, 0.1, s.Branch)
		}
	}
	add("ln_g", 1, 0.1, s.joined())
	add("ln_b", 0, 0.1, s.joined())
	add("cnn_W", 0, 0.05, s.joined(), s.Width)
	add("cnn_b", 0, 0.02, s.Width)
	add("d0", 0, 0.15, s.Width, s.Inner)
	add("d1", 0, 0.1, s.Inner, s.Inner)
	add("p1", 0, 0.15, s.Width, s.Inner)
	add("d2", 0, 0.1, s.Inner, s.Width)
	add("p3", 0, 0.1, s.Inner, s.Width)
	add("d3", 0, 0.1, s.Width, s.Width)
	return arrays
}

// npz writes arrays as NumPy does.
func npz(t testing.TB, arrays map[string]array) []byte {
	t.Helper()
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		a := arrays[name]
		kind, raw := doublesType, binary.LittleEndian.AppendUint64(nil, math.Float64bits(a.double))
		switch {
		case a.bytes != nil:
			kind, raw = bytesType, a.bytes
		case a.numbers != nil:
			kind, raw = floatsType, nil
			for _, v := range a.numbers {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
			}
		}
		sizes := strings.ReplaceAll(strings.Trim(fmt.Sprint(a.shape), "[]"), " ", ", ")
		if len(a.shape) == 1 {
			sizes += ","
		}
		f, err := z.Create(name + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(npy(fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, sizes), raw)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// npy is one array with its head.
func npy(description string, raw []byte) []byte {
	description += strings.Repeat(" ", 63-(10+len(description))%64) + "\n"
	head := append([]byte("\x93NUMPY\x01\x00"), byte(len(description)), byte(len(description)>>8))
	return append(append(head, description...), raw...)
}

// tinyEdition writes the tests' multilingual model as a folder, and is how it
// is imported.
func tinyEdition(t testing.TB) (string, edition) {
	t.Helper()
	return editionOf(t, tinyArrays(), sentencePiece(tinyPieces(), replacementTable(tinyReplaced)))
}

func editionOf(t testing.TB, arrays map[string]array, pieces []byte) (string, edition) {
	t.Helper()
	e := multilingual
	dir, weights := t.TempDir(), npz(t, arrays)
	write(t, filepath.Join(dir, e.weights), weights)
	write(t, filepath.Join(dir, e.vocabulary), pieces)
	e.trusted = checksums{weights: sumOf(weights), vocabulary: sumOf(pieces)}
	e.pack = packNgrams(tinyNgrams)
	return dir, e
}

// tinyMultilingualFile is the packed file of the tests' multilingual model.
func tinyMultilingualFile(t testing.TB) string {
	t.Helper()
	folder, e := tinyEdition(t)
	path, err := importOneOf(folder, t.TempDir(), minilm, e)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func tinyMultilingual(t testing.TB) *Multilingual {
	t.Helper()
	return opened(t, OpenMultilingual, tinyMultilingualFile(t))
}

// tinyPair are both of the tests' models.
func tinyPair(t testing.TB) *Pair {
	t.Helper()
	return NewPair(tiny(t), tinyMultilingual(t))
}

var _ Maker = (*Pair)(nil)

// alone embeds a text with the one model, on one processor.
func (m *Multilingual) alone(t testing.TB, text string) []float32 {
	t.Helper()
	v, err := m.embed(t.Context(), text, newTurns(1), true)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
