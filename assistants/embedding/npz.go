package embedding

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Types of numbers in a file of arrays, as NumPy writes them.
const (
	bytesType   = "|u1"
	floatsType  = "<f4"
	doublesType = "<f8"
)

// maxArrayHead limits the header of an array.
const maxArrayHead = 1 << 10

var errArrays = errors.New("not a file of this model's arrays")

// An arrayFile is a file in NumPy's npz format: a zip file of arrays. Its methods
// keep the first error in err and return nothing after it.
type arrayFile struct {
	archive *zip.Reader
	err     error
}

func parseArrays(file []byte) (*arrayFile, error) {
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errArrays, err)
	}
	return &arrayFile{archive: archive}, nil
}

// numbers reads an array of 32-bit numbers.
func (a *arrayFile) numbers(name string, shape ...int) []float32 {
	raw := a.read(name, floatsType, 4, shape)
	numbers := make([]float32, len(raw)/4)
	for i := range numbers {
		v := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			a.fail(name, "has a number that is none")
		}
		numbers[i] = v
	}
	return numbers
}

// bytes reads an array of bytes.
func (a *arrayFile) bytes(name string, shape ...int) []byte { return a.read(name, bytesType, 1, shape) }

// number reads a single number in double precision.
func (a *arrayFile) number(name string) float64 {
	raw := a.read(name, doublesType, 8, nil)
	if len(raw) == 0 {
		return math.NaN()
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(raw))
}

func (a *arrayFile) fail(name, why string) {
	if a.err == nil {
		a.err = fmt.Errorf("%w: %s %s", errArrays, name, why)
	}
}

// read returns the bytes of an array of a given type and shape, nothing after an
// error. NumPy writes the head of an array in one way only, so the head is
// compared and not parsed.
func (a *arrayFile) read(name, kind string, size int, shape []int) []byte {
	if a.err != nil {
		return nil
	}
	f, err := a.archive.Open(name + ".npy")
	if err != nil {
		a.fail(name, "is missing")
		return nil
	}
	defer f.Close()
	sizes := ""
	for i, n := range shape {
		if i > 0 {
			sizes += ", "
		}
		sizes += fmt.Sprint(n)
		size *= n
	}
	if len(shape) == 1 {
		sizes += ","
	}
	content, err := io.ReadAll(io.LimitReader(f, int64(size)+maxArrayHead))
	if err != nil {
		a.fail(name, "cannot be read")
		return nil
	}
	const start = "\x93NUMPY\x01\x00"
	head, raw := content[:max(0, len(content)-size)], content[max(0, len(content)-size):]
	description, ok := strings.CutPrefix(string(head), start)
	if !ok || len(description) < 2 || int(description[0])|int(description[1])<<8 != len(description)-2 {
		a.fail(name, "is not of the size that it should be")
		return nil
	}
	want := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, sizes)
	if strings.TrimRight(description[2:], " \n") != want {
		a.fail(name, "is not what it should be")
		return nil
	}
	return raw
}
