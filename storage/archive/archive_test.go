package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// pack makes an archive of files in the order of names.
func pack(t *testing.T, files map[string]string, names ...string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := NewWriter(&buf, noon)
	for _, name := range names {
		if _, err := w.Add(name, int64(len(files[name])), strings.NewReader(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(Manifest{Program: "test", Schema: 24, Documents: 1}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func unpack(t *testing.T, raw []byte, m Manifest) (dir string, err error) {
	t.Helper()
	dir = t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	return dir, Unpack(bytes.NewReader(raw), m, root)
}

var sample = map[string]string{"documents/default/b": strings.Repeat("bytes ", 100_000), "documents/default/a": "", "footnote.db": "rows"}

func TestWhatWasPackedComesOutAgain(t *testing.T) {
	raw := pack(t, sample, "documents/default/b", "documents/default/a", "footnote.db")
	if again := pack(t, sample, "documents/default/b", "documents/default/a", "footnote.db"); !bytes.Equal(raw, again) {
		t.Error("the same files give another archive")
	}
	m, err := Verify(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if m.Format != Format || m.Program != "test" || m.Schema != 24 || !m.CreatedAt.Equal(noon) || len(m.Entries) != 3 || m.Bytes() != 600_004 {
		t.Errorf("%+v", m)
	}
	dir, err := unpack(t, raw, m)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range sample {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != content {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "footnote.db")); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
}

func TestAnUnusedEntryIsVerifiedButNotUnpacked(t *testing.T) {
	var buf bytes.Buffer
	w := NewWriter(&buf, noon)
	for _, name := range []string{"documents/default/gone", "footnote.db"} {
		if _, err := w.Add(name, 3, strings.NewReader("abc")); err != nil {
			t.Fatal(err)
		}
	}
	w.MarkUnused("documents/default/gone")
	if err := w.Finish(Manifest{}); err != nil {
		t.Fatal(err)
	}
	m, err := Verify(bytes.NewReader(buf.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := unpack(t, buf.Bytes(), m)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || entries[0].Name() != "footnote.db" {
		t.Error(entries, err)
	}
}

func TestASourceThatFailsLeavesTheArchiveWhole(t *testing.T) {
	broken := errors.New("bad sector")
	var buf bytes.Buffer
	w := NewWriter(&buf, noon)
	sources := map[string]io.Reader{
		"short":  strings.NewReader("abc"),
		"broken": io.MultiReader(strings.NewReader("abcd"), iotest.ErrReader(broken)),
	}
	for _, name := range []string{"short", "broken"} {
		sum, err := w.Add(name, 10_000, sources[name])
		var read *ReadError
		if !errors.As(err, &read) || sum == "" || errors.Is(err, broken) != (name == "broken") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.Add("next", 3, strings.NewReader("abcdef")); err != nil {
		t.Error(err)
	}
	if err := w.Finish(Manifest{}); err != nil {
		t.Fatal(err)
	}
	if m, err := Verify(&buf); err != nil || len(m.Entries) != 3 || m.Entries[2].Bytes != 3 {
		t.Errorf("%+v %v", m, err)
	}
}

func TestAnOutputThatFailsIsAnErrorWhereverItFails(t *testing.T) {
	full := errors.New("no space left")
	size := len(pack(t, sample, "documents/default/b", "footnote.db"))
	for room := 0; room < size; room += 61 {
		w := NewWriter(&limited{left: room, err: full}, noon)
		_, err := w.Add("documents/default/b", 600_000, strings.NewReader(sample["documents/default/b"]))
		if err == nil {
			_, err = w.Add("footnote.db", 4, strings.NewReader("rows"))
		}
		if err == nil {
			err = w.Finish(Manifest{Program: "test", Schema: 24, Documents: 1})
		}
		var read *ReadError
		if !errors.Is(err, full) || errors.As(err, &read) {
			t.Fatalf("%d bytes of %d: %v", room, size, err)
		}
	}
}

type limited struct {
	left int
	err  error
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		n := l.left
		l.left = 0
		return n, l.err
	}
	l.left -= len(p)
	return len(p), nil
}

func TestACutOrChangedArchiveIsRefusedAtEveryByte(t *testing.T) {
	raw := pack(t, map[string]string{"documents/default/a": "some bytes", "footnote.db": "rows"}, "documents/default/a", "footnote.db")
	whole, err := Verify(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var refused *Error
	for n := range raw {
		if _, err := Verify(bytes.NewReader(raw[:n])); !errors.As(err, &refused) {
			t.Errorf("cut at %d: %v", n, err)
		}
		changed := bytes.Clone(raw)
		changed[n] ^= 0x10
		// Some bits mean nothing: the time in the head of gzip, and what fills up a byte.
		if m, err := Verify(bytes.NewReader(changed)); !errors.As(err, &refused) && !reflect.DeepEqual(m, whole) {
			t.Errorf("changed at %d: %v", n, err)
		}
	}
	if _, err := Verify(io.MultiReader(bytes.NewReader(raw[:50]), iotest.ErrReader(io.ErrClosedPipe))); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("an unreadable file: %v", err)
	}
}

// A part of a forged archive.
type part struct {
	tar.Header
	content string
}

func plainFile(name, content string) part {
	return part{tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content))}, content}
}

func manifestOf(parts ...part) part {
	m := Manifest{Format: Format}
	for _, p := range parts {
		sum := sha256.Sum256([]byte(p.content))
		m.Entries = append(m.Entries, Entry{Name: p.Name, Bytes: int64(len(p.content)), SHA256: hex.EncodeToString(sum[:])})
	}
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return plainFile(manifestName, string(raw))
}

func forge(t *testing.T, parts ...part) []byte {
	t.Helper()
	var buf bytes.Buffer
	gz := gzip.NewWriter(&buf)
	w := tar.NewWriter(gz)
	for _, p := range parts {
		if err := w.WriteHeader(&p.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, p.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), gz.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func zipped(t *testing.T, content string) []byte {
	t.Helper()
	var buf bytes.Buffer
	gz := gzip.NewWriter(&buf)
	if _, err := io.WriteString(gz, content); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestHostileArchivesAreRefused(t *testing.T) {
	good := plainFile("footnote.db", "rows")
	whole := func(parts ...part) []byte { return forge(t, append(parts, manifestOf(parts...))...) }
	special := func(kind byte, name, to string) part {
		return part{Header: tar.Header{Typeflag: kind, Name: name, Linkname: to}}
	}
	lies := manifestOf(good)
	lies.content = strings.Replace(lies.content, `"bytes":4`, `"bytes":5`, 1)
	newer := plainFile(manifestName, `{"format":99,"entries":"of another kind"}`)
	cases := map[string]struct {
		raw  []byte
		says string
	}{
		"nothing":             {nil, "not compressed with gzip"},
		"another file":        {[]byte("%PDF-1.7 and so on, of some length"), "not compressed with gzip"},
		"gzip of a text":      {zipped(t, "hello"), "cut short"},
		"an empty tar":        {forge(t), "no manifest"},
		"no manifest":         {forge(t, good), "no manifest"},
		"no JSON":             {forge(t, good, plainFile(manifestName, "rows")), "cannot be read"},
		"another JSON":        {forge(t, good, plainFile(manifestName, `{"a":1}`)), "cannot be read"},
		"a newer format":      {forge(t, good, newer), "newer version"},
		"a parent":            {whole(plainFile("../evil", "x")), "../evil"},
		"a parent within":     {whole(plainFile("documents/../../evil", "x")), "evil"},
		"absolute":            {whole(plainFile("/etc/passwd", "x")), "/etc/passwd"},
		"a drive":             {whole(plainFile(`C:\evil`, "x")), `evil`},
		"a backslash":         {whole(plainFile(`documents\evil`, "x")), `evil`},
		"a hidden file":       {whole(plainFile("documents/.tmp-x", "x")), ".tmp-x"},
		"an empty segment":    {whole(plainFile("documents//x", "x")), "//x"},
		"a long name":         {whole(plainFile(strings.Repeat("x", 256), "x")), "xxx"},
		"deep":                {whole(plainFile("a/b/c/d/e", "x")), "a/b/c/d/e"},
		"a line end":          {whole(plainFile("a\nb", "x")), `"a\nb"`},
		"a link":              {forge(t, special(tar.TypeSymlink, "documents", "/etc")), "plain files"},
		"a hard link":         {forge(t, good, special(tar.TypeLink, "index.db", "footnote.db")), "plain files"},
		"a device":            {forge(t, special(tar.TypeChar, "footnote.db", "")), "plain files"},
		"a pipe":              {forge(t, special(tar.TypeFifo, "footnote.db", "")), "plain files"},
		"a folder":            {forge(t, special(tar.TypeDir, "documents/", "")), "documents/"},
		"two of a name":       {forge(t, good, good, manifestOf(good)), "two entries"},
		"one too many":        {forge(t, good, plainFile("index.db", "x"), manifestOf(good)), `does not know "index.db"`},
		"one too few":         {forge(t, manifestOf(good)), "footnote.db"},
		"another order":       {forge(t, good, plainFile("index.db", "x"), manifestOf(plainFile("index.db", "x"), good)), "index.db"},
		"other content":       {forge(t, plainFile("footnote.db", "wors"), manifestOf(good)), "footnote.db"},
		"another size":        {forge(t, good, part{tar.Header{Typeflag: tar.TypeReg, Name: manifestName, Size: int64(len(lies.content))}, lies.content}), "footnote.db"},
		"behind the manifest": {forge(t, good, manifestOf(good), plainFile("index.db", "x")), "goes on"},
		"two manifests":       {forge(t, good, manifestOf(good), manifestOf(good)), "goes on"},
		"trailing garbage":    {append(whole(good), "garbage"...), "follows its end"},
		"a second archive":    {append(whole(good), whole(good)...), "follows its end"},
		"endless padding":     {zipped(t, unzipped(t, whole(good))+strings.Repeat("\x00", maxPadding+1)), "behind its end"},
		"text as padding":     {zipped(t, unzipped(t, whole(good))+"text"), "behind its end"},
		"a giant manifest":    {zipped(t, giant(t)), "too large"},
		"a sparse file":       {sparse(t), "plain files"},
	}
	for name, c := range cases {
		_, err := Verify(bytes.NewReader(c.raw))
		var refused *Error
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Verify(bytes.NewReader(zipped(t, unzipped(t, whole(good))+strings.Repeat("\x00", 10240)))); err != nil {
		t.Errorf("padding as tar programs write it: %v", err)
	}
}

func unzipped(t *testing.T, raw []byte) string {
	t.Helper()
	gz, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(gz)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// giant is the head of a manifest of a terabyte.
func giant(t *testing.T) string {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: manifestName, Size: 1 << 40}); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// sparse is an archive with a file of an exabyte of zeros, in a few bytes. Go
// writes no such archives, so its records are put together by hand.
func sparse(t *testing.T) []byte {
	t.Helper()
	var records strings.Builder
	for _, r := range [][2]string{{"GNU.sparse.major", "1"}, {"GNU.sparse.minor", "0"}, {"GNU.sparse.name", "footnote.db"}, {"GNU.sparse.realsize", "1152921504606846976"}} {
		line := fmt.Sprintf(" %s=%s\n", r[0], r[1])
		n := len(line) + 2
		fmt.Fprintf(&records, "%d%s", n, line)
	}
	var extended, buf bytes.Buffer
	w := tar.NewWriter(&extended)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "x", Size: int64(records.Len())}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, records.String()); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	head := extended.Bytes()
	head[156] = tar.TypeXHeader
	copy(head[148:156], "        ")
	sum := 0
	for _, c := range head[:512] {
		sum += int(c)
	}
	copy(head[148:156], fmt.Sprintf("%06o\x00 ", sum))
	buf.Write(head)
	w = tar.NewWriter(&buf)
	body := "0\n" + strings.Repeat("\x00", 510)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "footnote.db", Size: int64(len(body))}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	h, err := tar.NewReader(bytes.NewReader(buf.Bytes())).Next()
	if err != nil || h.Size != 1<<60 {
		t.Fatalf("the forged file is not sparse: %+v %v", h, err)
	}
	return zipped(t, buf.String())
}

func TestAnArchiveThatChangesBetweenItsReadingsIsNotUnpacked(t *testing.T) {
	raw := pack(t, sample, "documents/default/b", "footnote.db")
	m, err := Verify(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	other := map[string]string{"documents/default/b": strings.Repeat("BYTES ", 100_000), "footnote.db": "rows", "index.db": "more"}
	for name, changed := range map[string][]byte{
		"other bytes": pack(t, other, "documents/default/b", "footnote.db"),
		"other size":  pack(t, map[string]string{"footnote.db": "rows"}, "documents/default/b", "footnote.db"),
		"more":        pack(t, other, "documents/default/b", "footnote.db", "index.db"),
	} {
		if _, err := unpack(t, changed, m); err == nil || !strings.Contains(err.Error(), "changed while it was read") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNothingIsUnpackedOverWhatIsThere(t *testing.T) {
	raw := pack(t, sample, "footnote.db")
	m, err := Verify(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "footnote.db")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := Unpack(bytes.NewReader(raw), m, root); err == nil {
		t.Error("unpacked over a link")
	}
}

func TestAManifestKeepsItsDamages(t *testing.T) {
	want := []Damage{{"doc_1", "näme.pdf", "documents/default/x", "is missing"}}
	var buf bytes.Buffer
	if err := NewWriter(&buf, noon).Finish(Manifest{Damaged: want, SecretElsewhere: true}); err != nil {
		t.Fatal(err)
	}
	if m, err := Verify(&buf); err != nil || !reflect.DeepEqual(m.Damaged, want) || !m.SecretElsewhere {
		t.Errorf("%+v %v", m, err)
	}
}
