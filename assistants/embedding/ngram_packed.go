package embedding

import (
	"bufio"
	"errors"
	"io"
	"slices"
)

// The packed file of the multilingual model: a head like the English model's, then
// the 32-bit numbers in the order of ngramModel.tensors, the tables that texts
// are cut with, and the rows of the pieces, which stay bytes.
const ngramMagic = "FNMULTI1"

// An ngramHead says what a packed file of the multilingual model holds.
type ngramHead struct {
	Model    string            `json:"model"`
	Shape    ngramShape        `json:"shape"`
	Checksum uint32            `json:"crc32c"`  // of everything behind the head
	Sources  map[string]string `json:"sources"` // SHA-256 of the files it was made of
}

func (h ngramHead) check() error     { return h.Shape.check() }
func (h ngramHead) checksum() uint32 { return h.Checksum }

func (h ngramHead) size() int64 {
	s := h.Shape
	numbers := int64(s.numbers()) + int64(s.Units) + int64(s.Nodes) + 1 + int64(s.Nodes)
	return headBytes + 4*numbers + int64(s.Nodes) + int64(s.Replacements) + int64(s.Pieces)*int64(s.Width)
}

// writeNgrams writes a model from the beginning of f.
func writeNgrams(f io.WriteSeeker, m *ngramModel, sources map[string]string) error {
	sum, err := writeBehindHead(f, func(out *bufio.Writer) error {
		p := &m.pieces
		err := errors.Join(writeTensors(out, m.tensors), writeNumbers(out, p.units), writeNumbers(out, p.first), writeNumbers(out, p.ends))
		for _, part := range [][]byte{p.labels, p.replacements, m.table} {
			if err == nil {
				_, err = out.Write(part)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	page, err := encodeHead(ngramMagic, ngramHead{MultilingualName, m.ngramShape, sum, sources})
	if err != nil {
		return err
	}
	return writeHead(f, page)
}

// An ngramFile is a file of the multilingual model's weights, mapped.
type ngramFile struct {
	head    ngramHead
	model   *ngramModel
	release func() error
}

// openNgrams maps a file of weights and checks all of it, as openPacked does.
func openNgrams(path string) (*ngramFile, error) {
	f := &ngramFile{}
	data, release, err := mapPacked(path, ngramMagic, &f.head)
	if err != nil {
		return nil, err
	}
	f.release = release
	f.model = &ngramModel{ngramShape: f.head.Shape}
	m, p := f.model, &f.model.pieces
	m.tensors(func(into *[]float32, length int) { *into = take[float32](&data, length) })
	p.units, p.first, p.ends = take[uint32](&data, m.Units), take[uint32](&data, m.Nodes+1), take[int32](&data, m.Nodes)
	for _, part := range []struct {
		into   *[]byte
		length int
	}{{&p.labels, m.Nodes}, {&p.replacements, m.Replacements}, {&m.table, m.Pieces * m.Width}} {
		*part.into, data = slices.Clip(data[:part.length]), data[part.length:]
	}
	if err := p.check(); err != nil {
		return nil, errors.Join(err, release())
	}
	return f, nil
}
