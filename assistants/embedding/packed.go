package embedding

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// The packed file: a head of headBytes, then every weight as the kernels read
// it, in the order of model.tensors, as 32-bit numbers with the low byte first,
// then the vocabulary. The head is packedMagic, the length of its JSON and that
// JSON's CRC-32C, each of 4 bytes with the low one first, the JSON, and zeros.
const (
	packedMagic = "FNMODEL1"
	headBytes   = 4096 // a page, so that the weights begin at one
	headPrefix  = len(packedMagic) + 8
)

// maxVocabularyBytes bounds the vocabulary, which is read into memory.
const maxVocabularyBytes = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged is why a packed file is not used.
var errDamaged = errors.New("the file of weights is damaged or of another version")

// A head says what a packed file holds.
type head struct {
	Model           string            `json:"model"`
	Shape           shape             `json:"shape"`
	VocabularyBytes int               `json:"vocabulary_bytes"`
	Checksum        uint32            `json:"crc32c"`  // of everything behind the head
	Sources         map[string]string `json:"sources"` // SHA-256 of the files it was made of
}

func (h head) size() int64 {
	return headBytes + 4*int64(h.Shape.numbers()) + int64(h.VocabularyBytes)
}

func (h head) encode() ([]byte, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	if len(text) > headBytes-headPrefix {
		return nil, errors.New("the head of the packed file has no room for what it says")
	}
	page := make([]byte, headBytes)
	at := copy(page, packedMagic)
	binary.LittleEndian.PutUint32(page[at:], uint32(len(text)))
	binary.LittleEndian.PutUint32(page[at+4:], crc32.Checksum(text, castagnoli))
	copy(page[headPrefix:], text)
	return page, nil
}

func decodeHead(page []byte) (head, error) {
	var h head
	at := len(packedMagic)
	if len(page) < headBytes || string(page[:at]) != packedMagic {
		return h, errDamaged
	}
	length := binary.LittleEndian.Uint32(page[at:])
	if length > headBytes-uint32(headPrefix) {
		return h, errDamaged
	}
	text := page[headPrefix:][:length]
	if crc32.Checksum(text, castagnoli) != binary.LittleEndian.Uint32(page[at+4:]) || json.Unmarshal(text, &h) != nil {
		return h, errDamaged
	}
	if h.Shape.check() != nil || h.VocabularyBytes < 1 || h.VocabularyBytes > maxVocabularyBytes {
		return h, errDamaged
	}
	return h, nil
}

// writePacked writes a model from the beginning of f; what it is made of goes
// into its head.
func writePacked(f io.WriteSeeker, m *model, vocabulary string, sources map[string]string) error {
	if _, err := f.Seek(headBytes, io.SeekStart); err != nil {
		return err
	}
	sum := crc32.New(castagnoli)
	out := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<20)
	var failed error
	m.tensors(func(data *[]float32, length int) {
		if len(*data) != length {
			failed = errors.Join(failed, errShape)
			return
		}
		failed = errors.Join(failed, writeNumbers(out, *data))
	})
	_, err := out.WriteString(vocabulary)
	if err = errors.Join(failed, err, out.Flush()); err != nil {
		return err
	}
	page, err := head{
		Model: ModelName, Shape: m.shape, VocabularyBytes: len(vocabulary), Checksum: sum.Sum32(), Sources: sources,
	}.encode()
	if err != nil {
		return err
	}
	if _, err = f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = f.Write(page)
	return err
}

func writeNumbers(out *bufio.Writer, numbers []float32) error {
	for _, v := range numbers {
		if _, err := out.Write(binary.LittleEndian.AppendUint32(out.AvailableBuffer(), math.Float32bits(v))); err != nil {
			return err
		}
	}
	return nil
}

// A packedFile is a file of weights, mapped.
type packedFile struct {
	head       head
	model      *model
	vocabulary *vocabulary
	release    func() error
}

// openPacked maps a file of weights and checks all of it. Errors wrap
// errDamaged, or are those of the file system.
func openPacked(path string) (_ *packedFile, err error) {
	if cpu.IsBigEndian {
		return nil, errors.New("the built-in embedder needs a processor whose numbers have the low byte first")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	page := make([]byte, headBytes)
	if _, err = io.ReadFull(f, page); err != nil {
		return nil, errDamaged
	}
	h, err := decodeHead(page)
	if err != nil {
		return nil, err
	}
	if h.size() != info.Size() || info.Size() > math.MaxInt {
		return nil, errDamaged
	}
	data, release, err := mapFile(f, int(info.Size()))
	if err != nil {
		return nil, fmt.Errorf("map the file of weights: %w", err)
	}
	p, err := readPacked(h, data[headBytes:])
	if err != nil {
		return nil, errors.Join(err, release())
	}
	p.release = release
	return p, nil
}

// readPacked finds the parts in what is behind the head. Weights that are no
// numbers would make vectors that are none.
func readPacked(h head, data []byte) (*packedFile, error) {
	if crc32.Checksum(data, castagnoli) != h.Checksum {
		return nil, errDamaged
	}
	m := &model{shape: h.Shape}
	m.tensors(func(into *[]float32, length int) {
		*into = unsafe.Slice((*float32)(unsafe.Pointer(&data[0])), length)
		data = data[4*length:]
	})
	v, err := newVocabulary(string(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if v.size > h.Shape.Vocabulary {
		return nil, fmt.Errorf("%w: more word pieces than weights", errDamaged)
	}
	return &packedFile{head: h, model: m, vocabulary: v}, nil
}
