package embedded

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"

	"footnote/assistants"
	"footnote/storage/vector"
)

// errDamaged reports a row that differs from what was written.
var errDamaged = errors.New("damaged row")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksumOf includes the columns of the row, so that a blob under another
// document's name counts as damaged, like one with a flipped bit.
func checksumOf(d vector.Document, blob []byte) uint32 {
	sum := crc32.New(castagnoli)
	key := binary.AppendUvarint(nil, uint64(d.Version))
	for _, s := range []string{string(d.ID), string(d.Tenant), string(d.Collection)} {
		key = appendString(key, s)
	}
	sum.Write(key) //nolint:errcheck // a hash never fails
	sum.Write(blob)
	return sum.Sum32()
}

// encodeDocument writes chunks and terms as a blob. Terms omit the prefix that they
// share with the one before, and chunk numbers are stored as differences.
func encodeDocument(d vector.Document) []byte {
	b := binary.AppendUvarint(nil, uint64(len(d.Chunks)))
	for _, c := range d.Chunks {
		b = binary.AppendUvarint(b, uint64(c.Index))
		b = binary.AppendUvarint(b, uint64(c.Length))
		b = appendString(b, string(c.ID))
	}
	b = binary.AppendUvarint(b, uint64(len(d.Terms)))
	previous := ""
	for _, t := range d.Terms {
		shared := sharedPrefix(previous, t.Term)
		b = binary.AppendUvarint(b, uint64(shared))
		b = appendString(b, t.Term[shared:])
		previous = t.Term
		b = binary.AppendUvarint(b, uint64(len(t.In)))
		next := uint32(0)
		for _, o := range t.In {
			b = binary.AppendUvarint(b, uint64(o.Chunk+1-next))
			b = binary.AppendUvarint(b, uint64(o.Halves))
			next = o.Chunk + 1
		}
	}
	return b
}

// decodeDocument reads a blob of encodeDocument into d, whose other fields come from
// the row.
func decodeDocument(d *vector.Document, blob []byte) error {
	r := reader{left: blob}
	d.Chunks = make([]vector.Chunk, r.count(3))
	var texts []byte // of all ids, so that they share one string
	ends := make([]int, len(d.Chunks))
	for i := range d.Chunks {
		d.Chunks[i] = vector.Chunk{Index: r.number(), Length: r.number()}
		texts = append(texts, r.bytes(r.number())...)
		ends[i] = len(texts)
	}
	ids, from := string(texts), 0
	for i, end := range ends {
		d.Chunks[i].ID = assistants.ChunkID(ids[from:end])
		from = end
	}
	if !decodeTerms(d, &r) || r.failed || len(r.left) > 0 {
		return errDamaged
	}
	return nil
}

func decodeTerms(d *vector.Document, r *reader) bool {
	n := r.count(5)
	d.Terms = make([]vector.TermEntry, n)
	occurrences := make([]vector.Occurrence, 0, len(r.left)/3)
	texts := make([]byte, 0, 2*len(r.left)) // of all terms, so that they share one string
	ends := make([]int, n)
	from := 0
	for i := range d.Terms {
		shared := r.number()
		if shared > len(texts)-from {
			return false
		}
		previous := texts[from:]
		from = len(texts)
		texts = append(append(texts, previous[:shared]...), r.bytes(r.number())...)
		ends[i] = len(texts)
		first, next := len(occurrences), 0
		for range r.count(2) {
			next += r.number()
			if next < 1 || next > len(d.Chunks) || len(occurrences) > first && occurrences[len(occurrences)-1].Chunk+1 >= uint32(next) {
				return false
			}
			occurrences = append(occurrences, vector.Occurrence{Chunk: uint32(next - 1), Halves: uint32(r.number())})
		}
		d.Terms[i].In = occurrences[first:len(occurrences):len(occurrences)]
	}
	all, from := string(texts), 0
	for i, end := range ends {
		d.Terms[i].Term = all[from:end]
		from = end
	}
	return true
}

// vectors are the vectors of one version of a document in a space, one for each
// chunk.
type vectors struct {
	space   assistants.Space
	version int
	values  [][]float32
}

// checksum includes the columns of the row, like checksumOf.
func (v vectors) checksum(id assistants.DocumentID, blob []byte) uint32 {
	key := binary.AppendUvarint(nil, uint64(v.version))
	key = binary.AppendUvarint(key, uint64(v.space.Dimensions))
	key = appendString(key, string(id))
	key = appendString(key, v.space.Model)
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, blob)
}

func (v vectors) encode() []byte {
	b := make([]byte, 0, 4*len(v.values)*v.space.Dimensions)
	for _, vector := range v.values {
		for _, x := range vector {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	return b
}

// decode reads a blob of encode into v, whose other fields come from the row.
func (v *vectors) decode(blob []byte) error {
	size := 4 * v.space.Dimensions
	if v.space.Dimensions < 1 || v.space.Dimensions > vector.MaxDimensions || len(blob)%size != 0 {
		return errDamaged
	}
	v.values = make([][]float32, len(blob)/size)
	all := make([]float32, len(blob)/4)
	for i := range all {
		all[i] = math.Float32frombits(binary.LittleEndian.Uint32(blob[4*i:]))
	}
	for i := range v.values {
		v.values[i] = all[i*v.space.Dimensions : (i+1)*v.space.Dimensions]
	}
	return nil
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func sharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// A reader reads numbers and strings from a blob; after a failure it returns zeros.
type reader struct {
	left   []byte
	failed bool
}

// maxNumber bounds every number in a blob, so that sums of two stay in range.
const maxNumber = 1 << 31

func (r *reader) number() int {
	v, n := binary.Uvarint(r.left)
	if n <= 0 || v >= maxNumber {
		r.failed, r.left = true, nil
		return 0
	}
	r.left = r.left[n:]
	return int(v)
}

// count reads the number of items that follow, each of at least size bytes, so that
// a damaged number cannot allocate more than the blob could hold.
func (r *reader) count(size int) int {
	n := r.number()
	if n*size > len(r.left) {
		r.failed, r.left = true, nil
		return 0
	}
	return n
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.left) {
		r.failed, r.left = true, nil
		return nil
	}
	b := r.left[:n]
	r.left = r.left[n:]
	return b
}
