package office

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
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
	switch {
	case ok:
	case slices.Contains(extensions, strings.ToLower(path.Ext(opt.Name))):
		return extract.Document{}, damaged(errMissing)
	default:
		return extract.Document{}, &extract.Error{Code: extract.CodeUnreadable, Message: "This kind of archive is not read. Unpack it and upload the documents in it one by one."}
	}
	doc, err := read(ctx, a, opt)
	doc.ContentType = kind
	return doc, err
}

// extensions are those of documents that are zip archives.
var extensions = []string{".docx", ".pptx", ".xlsx", ".odt", ".ods", ".odp", ".epub"}

// kind returns the content type of the document in the archive.
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

// readOLE reads nothing. Its error says how to convert the document.
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
