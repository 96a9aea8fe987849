package office

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"footnote/assistants/ingestion/extract"
)

// An archiveReader reads a document that is a zip archive.
type archiveReader func(ctx context.Context, a *archive, opt extract.Options) (extract.Document, error)

var archiveReaders = map[string]archiveReader{
	extract.TypeDOCX: readDOCX, extract.TypePPTX: readPPTX, extract.TypeXLSX: readXLSX,
	extract.TypeODT: readODT, extract.TypeODS: readODS, extract.TypeODP: readODP, extract.TypeEPUB: readEPUB,
}

func init() {
	for kind := range archiveReaders {
		extract.Register(kind, readArchive)
	}
	extract.Register(extract.TypeZIP, readArchive)
	extract.Register(extract.TypeOLE, readOLE)
}

// readArchive finds out what an archive is, whatever its head looked like, and
// reads it.
func readArchive(ctx context.Context, r *io.SectionReader, opt extract.Options) (extract.Document, error) {
	a, err := openArchive(r)
	if err != nil {
		return extract.Document{}, err
	}
	kind, err := a.kind(ctx)
	if err != nil {
		return extract.Document{}, err
	}
	read, ok := archiveReaders[kind]
	if !ok {
		return extract.Document{}, &extract.Error{Code: extract.CodeUnreadable, Message: "This kind of archive is not read. Unpack it and upload the documents in it one by one."}
	}
	doc, err := read(ctx, a, opt)
	doc.ContentType = kind
	return doc, err
}

// kind tells the content type of the document in the archive.
func (a *archive) kind(ctx context.Context) (string, error) {
	if a.has("mimetype") {
		raw, err := a.readAll("mimetype", 256)
		if err != nil {
			return "", err
		}
		t := strings.TrimSuffix(strings.TrimSpace(string(raw)), "-template")
		if _, ok := archiveReaders[t]; ok {
			return t, nil
		}
	}
	if a.has("META-INF/container.xml") {
		return extract.TypeEPUB, nil
	}
	if !a.has("_rels/.rels") {
		return extract.TypeZIP, nil
	}
	main, err := a.mainPart(ctx)
	if err != nil {
		return "", err
	}
	if strings.HasSuffix(main, ".bin") {
		return "", &extract.Error{Code: extract.CodeUnreadable, Message: "Binary Excel workbooks are not read. Save it as XLSX and upload that."}
	}
	x, err := a.xml(ctx, main)
	if err != nil {
		return "", err
	}
	defer x.close() //nolint:errcheck // only read from
	e, err := x.root()
	if err != nil {
		return "", err
	}
	switch e.name {
	case "document":
		return extract.TypeDOCX, nil
	case "presentation":
		return extract.TypePPTX, nil
	case "workbook":
		return extract.TypeXLSX, nil
	}
	return extract.TypeZIP, nil
}

// A relation is an edge from one part of an Office document to another.
type relation struct {
	kind   string // the last part of its type, such as "footnotes"
	target string // the other part; "" when it lies outside of the document
}

// relations are those of a part, by id; none for a part without.
func (a *archive) relations(ctx context.Context, part string) (map[string]relation, error) {
	dir, file := path.Split(part)
	name := dir + "_rels/" + file + ".rels"
	found := map[string]relation{}
	if !a.has(name) {
		return found, nil
	}
	err := a.part(ctx, name, func(_ *xmlReader, e element) error {
		if e.name != "Relationship" || len(found) >= maxEntries {
			return nil
		}
		r := relation{kind: path.Base(e.attr("Type"))}
		if e.attr("TargetMode") != "External" {
			r.target = e.attr("Target")
			if !strings.HasPrefix(r.target, "/") {
				r.target = "/" + dir + r.target
			}
			r.target = strings.TrimPrefix(path.Clean(r.target), "/")
		}
		found[e.attr("Id")] = r
		return nil
	})
	return found, err
}

// related is the part that a part has one relation of a kind to, if it is there.
func (a *archive) related(relations map[string]relation, kind string) string {
	best := ""
	for _, r := range relations {
		// Several of a kind are an error; the order of a map must not show.
		if r.kind == kind && r.target != "" && a.has(r.target) && (best == "" || r.target < best) {
			best = r.target
		}
	}
	return best
}

// sortedIDs are the ids of relations in an order of their own.
func sortedIDs(relations map[string]relation) []string {
	return slices.Sorted(maps.Keys(relations))
}

func (a *archive) mainPart(ctx context.Context) (string, error) {
	root, err := a.relations(ctx, "")
	if err != nil {
		return "", err
	}
	main := a.related(root, "officeDocument")
	if main == "" {
		return "", damaged(errMissing)
	}
	return main, nil
}

// officeTitle is the title in the document's properties. One that a program
// made up is none.
func (a *archive) officeTitle(ctx context.Context) string {
	title := ""
	if !a.has("docProps/core.xml") {
		return ""
	}
	// Properties that cannot be read cost the title and nothing else.
	_ = a.part(ctx, "docProps/core.xml", func(x *xmlReader, e element) error {
		if e.name != "title" {
			return nil
		}
		text, err := x.text()
		title = oneLine(text)
		return err
	})
	if title == "PowerPoint Presentation" || title == "PowerPoint-Präsentation" || strings.HasPrefix(title, "Microsoft Word - ") {
		return ""
	}
	return title
}

func tooManyPages(pages, limit int) error {
	return &extract.Error{Code: extract.CodeTooComplex, Message: fmt.Sprintf("The document has %d pages; at most %d can be read.", pages, limit)}
}

// oneLine is a text as one line without what nobody sees.
func oneLine(text string) string {
	return strings.Join(strings.Fields(extract.Normalise(strings.ToValidUTF8(text, ""))), " ")
}

// readOLE reads no document: it says what is to be done with it.
func readOLE(_ context.Context, r *io.SectionReader, _ extract.Options) (extract.Document, error) {
	names := []struct {
		stream string
		err    error
	}{
		{"EncryptedPackage", passwordProtected()},
		{"WordDocument", saveAs("an old Word document", "DOCX")},
		{"Workbook", saveAs("an old Excel workbook", "XLSX")},
		{"Book", saveAs("an old Excel workbook", "XLSX")},
		{"PowerPoint Document", saveAs("an old PowerPoint presentation", "PPTX")},
	}
	streams, err := oleStreams(r)
	if err != nil {
		return extract.Document{}, err
	}
	for _, n := range names {
		if streams[n.stream] {
			return extract.Document{}, n.err
		}
	}
	return extract.Document{}, &extract.Error{Code: extract.CodeUnreadable, Message: "This kind of file (" + extract.TypeOLE + ") has no text that can be read."}
}

func saveAs(what, as string) error {
	return &extract.Error{Code: extract.CodeUnreadable, Message: "This is " + what + ", which is not read. Save it as " + as + " and upload that."}
}

// oleStreams finds the names in the directory of a compound file. Its entries
// are 128 bytes long and begin at multiples of that, wherever the directory is:
// they can be found without following chains of sectors that may have no end.
func oleStreams(r io.Reader) (map[string]bool, error) {
	found := map[string]bool{}
	block := make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(r, block)
		for at := 0; at+128 <= n; at += 128 {
			e := block[at : at+128]
			length := int(binary.LittleEndian.Uint16(e[64:]))
			kind := e[66]
			if kind != 2 || length < 4 || length > 64 || length%2 != 0 || !bytes.Equal(e[length-2:length], []byte{0, 0}) {
				continue
			}
			name := make([]uint16, length/2-1)
			for i := range name {
				name[i] = binary.LittleEndian.Uint16(e[2*i:])
			}
			if s := string(utf16.Decode(name)); len(found) < maxEntries {
				found[s] = true
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return found, nil
		case err != nil:
			return nil, err
		}
	}
}
