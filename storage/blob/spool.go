package blob

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"os"
)

// partSize is the size of the parts of a large object. An object of at most this
// size is sent in one request.
const partSize = 16 << 20

// maxParts is the most parts that an object on S3 can have.
const maxParts = 10_000

// spoolMemory is the size up to which an upload waits in memory.
const spoolMemory = 256 << 10

// A spool is an upload that was read whole, with its hashes, so that it can be sent
// again as often as necessary. A large one waits in a file: the memory that an
// upload takes does not depend on its size.
type spool struct {
	content io.ReaderAt
	size    int64
	sum     []byte   // SHA-256 of all of it
	parts   [][]byte // SHA-256 of each part
	file    *os.File // nil: it is in memory
}

// fillSpool reads r to its end. The error is one of r, or of the file.
func fillSpool(dir string, r io.Reader) (s *spool, err error) {
	h := &partHash{whole: sha256.New(), part: sha256.New()}
	head, err := io.ReadAll(io.TeeReader(io.LimitReader(r, spoolMemory), h))
	if err != nil {
		return nil, err
	}
	s = &spool{content: bytes.NewReader(head)}
	if len(head) == spoolMemory {
		if s.file, err = os.CreateTemp(dir, "s3-*"); err != nil {
			return nil, err
		}
		s.content = s.file
		if _, err = s.file.Write(head); err == nil {
			_, err = io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(s.file, h)}, r, make([]byte, copyBuffer))
		}
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	s.size, s.sum, s.parts = h.size, h.whole.Sum(nil), h.end()
	return s, nil
}

// section is the n-th part.
func (s *spool) section(n int) *io.SectionReader {
	at := int64(n) * partSize
	return io.NewSectionReader(s.content, at, min(partSize, s.size-at))
}

// close removes the file.
func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}

// A partHash hashes what is written to it, as a whole and in parts.
type partHash struct {
	whole, part hash.Hash
	size        int64
	sums        [][]byte
}

func (h *partHash) Write(p []byte) (int, error) {
	n := len(p)
	h.whole.Write(p)
	for len(p) > 0 {
		room := partSize - h.size%partSize
		piece := p[:min(int64(len(p)), room)]
		h.part.Write(piece)
		h.size += int64(len(piece))
		if h.size%partSize == 0 {
			h.cut()
		}
		p = p[len(piece):]
	}
	return n, nil
}

func (h *partHash) cut() {
	h.sums = append(h.sums, h.part.Sum(nil))
	h.part.Reset()
}

// end returns the sums of all parts.
func (h *partHash) end() [][]byte {
	if h.size%partSize != 0 || h.size == 0 {
		h.cut()
	}
	return h.sums
}
