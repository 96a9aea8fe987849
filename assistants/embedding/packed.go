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
	"slices"
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

func (h head) checksum() uint32 { return h.Checksum }

func (h head) check() error {
	if h.Shape.check() != nil || h.VocabularyBytes < 1 || h.VocabularyBytes > maxVocabularyBytes {
		return errDamaged
	}
	return nil
}

func (h head) encode() ([]byte, error) { return encodeHead(packedMagic, h) }

// encodeHead returns the first page of a file, which describes the file as JSON.
func encodeHead(magic string, holds any) ([]byte, error) {
	text, err := json.Marshal(holds)
	if err != nil {
		return nil, err
	}
	if len(text) > headBytes-headPrefix {
		return nil, errors.New("the head of the packed file has no room for what it says")
	}
	page := make([]byte, headBytes)
	at := copy(page, magic)
	binary.LittleEndian.PutUint32(page[at:], uint32(len(text)))
	binary.LittleEndian.PutUint32(page[at+4:], crc32.Checksum(text, castagnoli))
	copy(page[headPrefix:], text)
	return page, nil
}

// readHead reads what encodeHead wrote.
func readHead(page []byte, magic string, holds any) error {
	at := len(magic)
	if len(page) < headBytes || string(page[:at]) != magic {
		return errDamaged
	}
	length := binary.LittleEndian.Uint32(page[at:])
	if length > headBytes-uint32(headPrefix) {
		return errDamaged
	}
	text := page[headPrefix:][:length]
	if crc32.Checksum(text, castagnoli) != binary.LittleEndian.Uint32(page[at+4:]) || json.Unmarshal(text, holds) != nil {
		return errDamaged
	}
	return nil
}

// writePacked writes a model from the beginning of f, and records its sources in
// the head.
func writePacked(f io.WriteSeeker, m *model, vocabulary string, sources map[string]string) error {
	sum, err := writeBehindHead(f, func(out *bufio.Writer) error {
		err := writeTensors(out, m.tensors)
		if err == nil {
			_, err = out.WriteString(vocabulary)
		}
		return err
	})
	if err != nil {
		return err
	}
	page, err := head{
		Model: ModelName, Shape: m.shape, VocabularyBytes: len(vocabulary), Checksum: sum, Sources: sources,
	}.encode()
	if err != nil {
		return err
	}
	return writeHead(f, page)
}

// writeBehindHead writes what follows the head, and returns its checksum.
func writeBehindHead(f io.WriteSeeker, write func(out *bufio.Writer) error) (uint32, error) {
	if _, err := f.Seek(headBytes, io.SeekStart); err != nil {
		return 0, err
	}
	sum := crc32.New(castagnoli)
	out := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<20)
	err := errors.Join(write(out), out.Flush())
	return sum.Sum32(), err
}

func writeHead(f io.WriteSeeker, page []byte) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := f.Write(page)
	return err
}

// writeTensors writes the weights that a model's tensors visits.
func writeTensors(out *bufio.Writer, tensors func(visit func(data *[]float32, length int))) error {
	var failed error
	tensors(func(data *[]float32, length int) {
		if len(*data) != length {
			failed = errors.Join(failed, errShape)
			return
		}
		failed = errors.Join(failed, writeNumbers(out, *data))
	})
	return failed
}

func writeNumbers[T float32 | int32 | uint32](out *bufio.Writer, numbers []T) error {
	for some := range slices.Chunk(numbers, 4096) {
		if err := binary.Write(out, binary.LittleEndian, some); err != nil {
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
func openPacked(path string) (*packedFile, error) {
	var h head
	data, release, err := mapPacked(path, packedMagic, &h)
	if err != nil {
		return nil, err
	}
	p, err := readPacked(h, data)
	if err != nil {
		return nil, errors.Join(err, release())
	}
	p.release = release
	return p, nil
}

// mapPacked reads the head of a file of weights and maps what is behind it.
func mapPacked(path, magic string, h interface {
	check() error
	size() int64
	checksum() uint32
}) (data []byte, release func() error, err error) {
	if cpu.IsBigEndian {
		return nil, nil, errors.New("the built-in embedder needs a processor whose numbers have the low byte first")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	page := make([]byte, headBytes)
	if _, err = io.ReadFull(f, page); err != nil {
		return nil, nil, errDamaged
	}
	if err = readHead(page, magic, h); err != nil {
		return nil, nil, err
	}
	if h.check() != nil || h.size() != info.Size() || info.Size() > math.MaxInt {
		return nil, nil, errDamaged
	}
	data, release, err = mapFile(f, int(info.Size()))
	if err != nil {
		return nil, nil, fmt.Errorf("map the file of weights: %w", err)
	}
	if data = data[headBytes:]; crc32.Checksum(data, castagnoli) != h.checksum() {
		return nil, nil, errors.Join(errDamaged, release())
	}
	return data, release, nil
}

// readPacked finds the weights and the vocabulary in the data behind the head.
func readPacked(h head, data []byte) (*packedFile, error) {
	m := &model{shape: h.Shape}
	m.tensors(func(into *[]float32, length int) { *into = take[float32](&data, length) })
	v, err := newVocabulary(string(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if v.size > h.Shape.Vocabulary {
		return nil, fmt.Errorf("%w: more word pieces than weights", errDamaged)
	}
	return &packedFile{head: h, model: m, vocabulary: v}, nil
}

// take returns the first count 32-bit numbers of data, in the same memory, and
// removes them from data.
func take[T float32 | int32 | uint32](data *[]byte, count int) []T {
	if count == 0 {
		return nil
	}
	list := unsafe.Slice((*T)(unsafe.Pointer(&(*data)[0])), count)
	*data = (*data)[4*count:]
	return list
}
