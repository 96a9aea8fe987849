package embedding

import (
	"archive/zip"
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestFilesOfArraysThatAreNotAreRefused(t *testing.T) {
	p := tinyCutter(t)
	good := npz(t, tinyArrays())
	change := func(name string, to func(*array)) []byte {
		arrays := tinyArrays()
		a := arrays[name]
		to(&a)
		arrays[name] = a
		return npz(t, arrays)
	}
	without := tinyArrays()
	delete(without, "w2_5")
	raw := func(content []byte) []byte {
		var file bytes.Buffer
		z := zip.NewWriter(&file)
		f, err := z.Create("scale.npy")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	const scale = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
	twelve := make([]byte, 12)
	broken := slices.Clone(good)
	broken[200] ^= 0xff
	for name, file := range map[string][]byte{
		"nothing":                    nil,
		"no archive":                 []byte(strings.Repeat("x", 100)),
		"cut":                        good[:len(good)/2],
		"changed":                    broken,
		"an array that is missing":   npz(t, without),
		"another shape":              change("cnn_W", func(a *array) { a.shape = []int{a.shape[1], a.shape[0]} }),
		"another rank":               change("d0", func(a *array) { a.shape = []int{a.shape[0] * a.shape[1]} }),
		"another type":               change("scale", func(a *array) { a.bytes = make([]byte, 12) }),
		"bytes that are numbers":     change("q2", func(a *array) { a.numbers, a.bytes = make([]float32, len(a.bytes)), nil }),
		"too few numbers":            change("lo", func(a *array) { a.numbers = a.numbers[1:] }),
		"too many numbers":           change("lo", func(a *array) { a.numbers = append(a.numbers, 1) }),
		"what is no number":          change("w1_3", func(a *array) { a.numbers[7] = float32(math.NaN()) }),
		"infinite":                   change("w1_3", func(a *array) { a.numbers[7] = float32(math.Inf(-1)) }),
		"another epsilon":            change("eps", func(a *array) { a.double = 1e-5 }),
		"an epsilon that is none":    change("eps", func(a *array) { a.double = math.NaN() }),
		"columns first":              raw(npy(strings.Replace(scale, "False", "True", 1), twelve)),
		"the high byte first":        raw(npy(strings.Replace(scale, "<", ">", 1), twelve)),
		"another version":            raw(bytes.Replace(npy(scale, twelve), []byte("Y\x01"), []byte("Y\x02"), 1)),
		"a head of another length":   raw(bytes.Replace(npy(scale, twelve), []byte{1, 0, 118}, []byte{1, 0, 117}, 1)),
		"no head":                    raw(twelve),
		"an array of nothing at all": raw(nil),
	} {
		a, err := parseArrays(file)
		if err == nil {
			_, err = ngramModelOf(tinyNgrams, p, a)
		}
		if !errors.Is(err, errArrays) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestModelsOfOtherShapesAreRefused(t *testing.T) {
	for name, change := range map[string]func(*ngramShape){
		"more pieces than the vocabulary": func(s *ngramShape) { s.Pieces++ },
		"no pieces":                       func(s *ngramShape) { s.Pieces = 0 },
		"a width that is no panel":        func(s *ngramShape) { s.Width = 40 },
		"a branch that is none":           func(s *ngramShape) { s.Branch = 0 },
		"an endless step":                 func(s *ngramShape) { s.Inner = maxWidth + panelWidth },
		"no blocks":                       func(s *ngramShape) { s.Blocks = 0 },
	} {
		s := tinyNgrams
		change(&s)
		a, err := parseArrays(npz(t, tinyArrays()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ngramModelOf(s, tinyCutter(t), a); !errors.Is(err, errShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzFilesOfArraysAreReadOrRefused(f *testing.F) {
	f.Add(npz(f, map[string]array{"scale": {shape: []int{2}, numbers: []float32{1, 2}}, "eps": {double: 1}}))
	f.Fuzz(func(t *testing.T, file []byte) {
		a, err := parseArrays(file)
		if err != nil {
			return
		}
		if scale := a.numbers("scale", 2); a.err == nil && len(scale) != 2 {
			t.Errorf("%v", scale)
		}
		a.number("eps")
	})
}
