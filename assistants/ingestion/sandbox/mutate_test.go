//go:build !race

package sandbox

import (
	"archive/zip"
	"bytes"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
)

// A mutator damages files, always the same way for the same number: bits,
// lengths and numbers anywhere, tags of XML, members of archives.
type mutator struct {
	*rand.Rand
	others [][]byte // whole files, to take pieces from
}

// maxMutated is the longest file a mutator makes.
const maxMutated = 4 << 20

// mutate damages a file in one way or a few, and names them.
func (m mutator) mutate(raw []byte) (mutated []byte, how string) {
	var names []string
	for range 1 + m.IntN(3) {
		var name string
		if raw, name = m.once(raw); name != "" {
			names = append(names, name)
		}
		if len(raw) > maxMutated {
			raw = raw[:maxMutated]
		}
	}
	return raw, strings.Join(names, ", ")
}

func (m mutator) once(raw []byte) (mutated []byte, how string) {
	if archive := m.members(raw); archive != nil && m.IntN(5) > 0 {
		return m.archive(archive)
	}
	if bytes.Count(raw, []byte("<")) > 20 && m.IntN(2) == 0 {
		return m.markup(raw)
	}
	return m.bytes(raw)
}

// bytes damages a file as if it were nothing but bytes.
func (m mutator) bytes(raw []byte) (mutated []byte, how string) {
	if len(raw) == 0 {
		return []byte{0}, "from nothing"
	}
	raw = bytes.Clone(raw)
	at := m.IntN(len(raw))
	to := min(len(raw), at+1+m.IntN(1+m.IntN(1+len(raw)/4)))
	switch m.IntN(8) {
	case 0:
		for range 1 + m.IntN(20) {
			raw[m.IntN(len(raw))] ^= 1 << m.IntN(8)
		}
		return raw, "bits"
	case 1:
		return raw[:at], "cut off"
	case 2:
		return append(raw[:at], raw[to:]...), "a piece taken out"
	case 3:
		piece := bytes.Repeat(raw[at:to], 1+m.IntN(20))
		return insert(raw, at, piece), "a piece repeated"
	case 4:
		other := m.others[m.IntN(len(m.others))]
		from := m.IntN(len(other))
		return insert(raw, at, other[from:min(len(other), from+1+m.IntN(4096))]), "a piece of another file"
	case 5:
		for range 1 + m.IntN(50) {
			raw[m.IntN(len(raw))] = oddBytes[m.IntN(len(oddBytes))]
		}
		return raw, "odd bytes"
	case 6:
		return m.numbers(raw)
	default:
		for i := at; i < to; i++ {
			raw[i] = byte(m.Uint32())
		}
		return raw, "noise"
	}
}

// oddBytes mean something in one format or another.
const oddBytes = "\x00\xff\x80<>{}[]()\"'\\/%&;,\n\r\t 0"

func insert(raw []byte, at int, piece []byte) []byte {
	out := append(bytes.Clone(raw[:at]), piece...)
	return append(out, raw[at:]...)
}

var digits = regexp.MustCompile(`[0-9]+`)

// numbers writes other numbers where there are some: lengths, counts, places.
func (m mutator) numbers(raw []byte) (mutated []byte, how string) {
	all := digits.FindAllIndex(raw, 10_000)
	if len(all) == 0 {
		return raw, ""
	}
	odd := []string{"0", "1", "-1", "65536", "2147483647", "-2147483648", "4294967296", "99999999999999999999", "1e999", "007"}
	for range 1 + m.IntN(4) {
		n := all[m.IntN(len(all))]
		if n[1] > len(raw) {
			continue
		}
		value := odd[m.IntN(len(odd))]
		raw = append(append(bytes.Clone(raw[:n[0]]), value...), raw[n[1]:]...)
	}
	return raw, "numbers"
}

var tag = regexp.MustCompile(`<[^<>]{1,200}>`)

// markup damages the tags of XML and HTML: it takes some out, repeats and
// nests them, and writes other values into them.
func (m mutator) markup(raw []byte) (mutated []byte, how string) {
	all := tag.FindAllIndex(raw, 20_000)
	if len(all) == 0 {
		return m.bytes(raw)
	}
	t := all[m.IntN(len(all))]
	text := raw[t[0]:t[1]]
	switch m.IntN(6) {
	case 0:
		return append(bytes.Clone(raw[:t[0]]), raw[t[1]:]...), "a tag taken out"
	case 1:
		return insert(raw, t[0], bytes.Repeat(text, 1+m.IntN(2000))), "a tag repeated"
	case 2:
		other := all[m.IntN(len(all))]
		return insert(raw, t[0], raw[other[0]:other[1]]), "a tag moved"
	case 3:
		odd := []string{"-1", "999999999", "", strings.Repeat("A", 10_000), "A1:XFD1048576", "../../etc/passwd", "http://127.0.0.1:1/", "&amp;&lt;&#x0;&#1114112;", "&undefined;"}
		value := regexp.MustCompile(`"[^"]*"`).ReplaceAll(text, []byte(`"`+odd[m.IntN(len(odd))]+`"`))
		return append(append(bytes.Clone(raw[:t[0]]), value...), raw[t[1]:]...), "attributes"
	case 4:
		doctype := `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>`
		return insert(insert(raw, t[1], []byte("&b;&c;")), all[0][m.IntN(2)], []byte(doctype)), "entities"
	default:
		name := bytes.Trim(bytes.Fields(text)[0], "</>")
		return insert(raw, t[0], bytes.Repeat([]byte("<"+string(name)+">"), 1+m.IntN(5000))), "nested"
	}
}

// A member is a file in an archive.
type member struct {
	name string
	data []byte
}

// members unpacks an archive; nil when it is none.
func (m mutator) members(raw []byte) []member {
	r, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil
	}
	var all []member
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			continue
		}
		data, err := io.ReadAll(io.LimitReader(in, maxMutated))
		in.Close() //nolint:errcheck // it was only read from
		if err == nil {
			all = append(all, member{f.Name, data})
		}
	}
	return all
}

// archive damages members and packs them again.
func (m mutator) archive(all []member) (mutated []byte, how string) {
	if len(all) == 0 {
		return nil, "an empty archive"
	}
	one := m.IntN(len(all))
	switch m.IntN(8) {
	case 0:
		all, how = append(all[:one:one], all[one+1:]...), "a member taken out"
	case 1:
		all, how = append(all, all[one]), "a member twice"
	case 2:
		names := []string{"../../etc/passwd", "/etc/passwd", "", "a/" + all[one].name, strings.ToUpper(all[one].name), strings.Repeat("x/", 2000)}
		all[one].name, how = names[m.IntN(len(names))], "a name"
	case 3:
		other := m.IntN(len(all))
		all[one].data, all[other].data, how = all[other].data, all[one].data, "members exchanged"
	case 4:
		all[one].data, how = bytes.Repeat(all[one].data, 1+maxMutated/(len(all[one].data)+1)), "a member repeated"
	default:
		var inner string
		if bytes.Count(all[one].data, []byte("<")) > 2 && m.IntN(3) > 0 {
			all[one].data, inner = m.markup(all[one].data)
		} else {
			all[one].data, inner = m.bytes(all[one].data)
		}
		how = all[one].name + ": " + inner
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range all {
		// Names that the writer refuses are left out.
		if out, err := w.CreateHeader(&zip.FileHeader{Name: f.name, Method: []uint16{zip.Deflate, zip.Store}[m.IntN(2)]}); err == nil {
			_, _ = out.Write(f.data)
		}
	}
	_ = w.Close()
	return b.Bytes(), how
}
