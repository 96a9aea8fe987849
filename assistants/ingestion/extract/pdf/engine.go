package pdf

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"time"
	"unicode/utf16"

	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"footnote/assistants/ingestion/extract"
)

// pdfMemoryPages is the most memory PDFium may use, in pages of 64 KiB: 256 MiB.
const pdfMemoryPages = 4096

// scratchSize is the size of the buffer in PDFium's memory that its functions write
// results to.
const scratchSize = 64 << 10

// A pdfium is an instance of PDFium for one document. It runs as WebAssembly, with its
// own memory and without files or network. Its functions are called directly, because a
// page takes thousands of calls and go-pdfium's wrappers allocate about ten times in each.
type pdfium struct {
	ctx     context.Context
	module  api.Module
	binding fileAccess
	scratch uint32
	known   map[string]api.Function
	stack   [12]uint64
	room    int // how much makeRoom has added, in bytes
	release func()
}

// fileAccess is the part of go-pdfium that lets PDFium read a file of ours.
type fileAccess interface {
	CreateFileAccessReader(size int64, r io.ReadSeeker) (access *uint64, index *uint32, err error)
}

// startPDFium makes an instance of its own for one document. Its error is an [*extract.Error].
func startPDFium(ctx context.Context, cacheDir string) (*pdfium, error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(pdfMemoryPages)
	release := func() {}
	if cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
		if err != nil {
			return startPDFium(ctx, "") // only slower
		}
		config = config.WithCompilationCache(cache)
		// The context would only stop the closing of files.
		release = func() { _ = cache.Close(context.WithoutCancel(ctx)) }
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxIdle: 1, MaxTotal: 1,
		RuntimeConfig: config,
		FSConfig:      wazero.NewFSConfig(), // the default would mount the whole disk
		Stdout:        io.Discard,
		Stderr:        io.Discard,
	})
	if err != nil {
		release()
		if cacheDir != "" { // the disk may be full
			return startPDFium(ctx, "")
		}
		return nil, errFailedPDF(fmt.Errorf("start PDFium: %w", err))
	}
	// Closing only frees memory, so its errors do not matter.
	p := &pdfium{ctx: context.WithoutCancel(ctx), known: make(map[string]api.Function), release: func() { _ = pool.Close(); release() }}
	instance, err := pool.GetInstance(time.Minute)
	if err == nil {
		err = p.bind(instance.GetImplementation())
	}
	if err != nil {
		p.release()
		return nil, errFailedPDF(fmt.Errorf("start PDFium: %w", err))
	}
	return p, nil
}

// bind gets the module from go-pdfium's implementation, whose type is not exported.
func (p *pdfium) bind(implementation any) error {
	binding, ok := implementation.(fileAccess)
	if !ok {
		return errors.New("the binding reads no files")
	}
	p.binding = binding
	field := reflect.Indirect(reflect.ValueOf(implementation)).FieldByName("Module")
	if !field.IsValid() {
		return errors.New("the binding has no module")
	}
	if p.module, ok = field.Interface().(api.Module); !ok {
		return errors.New("the binding's module is of another kind")
	}
	at, err := p.call("malloc", scratchSize)
	if err != nil || at == 0 {
		return errors.Join(errors.New("no memory"), err)
	}
	p.scratch = uint32(at)
	return nil
}

func (p *pdfium) close() { p.release() }

// call calls a function of PDFium that returns at most one value.
func (p *pdfium) call(name string, args ...uint64) (uint64, error) {
	f := p.known[name]
	if f == nil {
		if f = p.module.ExportedFunction(name); f == nil {
			return 0, fmt.Errorf("PDFium lacks %s", name)
		}
		p.known[name] = f
	}
	p.stack[0] = 0
	copy(p.stack[:], args)
	if err := f.CallWithStack(p.ctx, p.stack[:max(len(args), 1)]); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return p.stack[0], nil
}

// makeRoom lets PDFium's memory grow at once by so many bytes, less what it has added before, if
// they may be added. Where PDFium lets it grow bit by bit, it is copied each time, and the address
// space of all copies counts against the limit of the process. The process is the reader's own: from
// then on, all of it collects garbage more often.
func (p *pdfium) makeRoom(bytes int) {
	const page = 64 << 10
	if bytes <= p.room {
		return
	}
	if _, ok := p.module.Memory().Grow(uint32((bytes - p.room + page - 1) / page)); ok {
		p.room = bytes
		// The runtime would wait for as much garbage as there is memory in use.
		debug.SetGCPercent(10)
	}
}

// integer calls a function that returns an int.
func (p *pdfium) integer(name string, args ...uint64) (int, error) {
	v, err := p.call(name, args...)
	return int(int32(uint32(v))), err
}

// scratchAddress returns the address of the n-th value of 8 bytes in the scratch memory.
func (p *pdfium) scratchAddress(n int) uint64 { return uint64(p.scratch) + uint64(n)*8 }

func (p *pdfium) double(n int) float64 {
	v, _ := p.module.Memory().ReadFloat64Le(p.scratch + uint32(n)*8)
	return v
}

func (p *pdfium) float(n int) float64 {
	v, _ := p.module.Memory().ReadFloat32Le(p.scratch + uint32(n)*4)
	return float64(v)
}

// utf16Text reads n bytes of UTF-16 that end with a zero.
func (p *pdfium) utf16Text(n int) string {
	raw, ok := p.module.Memory().Read(p.scratch, uint32(min(n, scratchSize)))
	if !ok {
		return ""
	}
	units := make([]uint16, 0, len(raw)/2)
	for ; len(raw) >= 2; raw = raw[2:] {
		if u := binary.LittleEndian.Uint16(raw); u != 0 {
			units = append(units, u)
		}
	}
	return string(utf16.Decode(units))
}

// PDFium's error codes.
const (
	pdfErrFile     = 2
	pdfErrFormat   = 3
	pdfErrPassword = 4
	pdfErrSecurity = 5
)

// open opens a document and returns its handle. Its error is an [*extract.Error].
func (p *pdfium) open(r *io.SectionReader) (uint64, error) {
	if r.Size() == 0 {
		return 0, errDamagedPDF(errors.New("an empty file"))
	}
	access, _, err := p.binding.CreateFileAccessReader(r.Size(), r)
	if err != nil {
		return 0, errFailedPDF(fmt.Errorf("give PDFium the file: %w", err))
	}
	doc, err := p.call("FPDF_LoadCustomDocument", *access, 0)
	if err != nil {
		return 0, errFailedPDF(err)
	}
	if doc != 0 {
		return doc, nil
	}
	code, err := p.integer("FPDF_GetLastError")
	err = errors.Join(fmt.Errorf("PDFium's error %d", code), err)
	switch code {
	case pdfErrPassword, pdfErrSecurity:
		return 0, &extract.Error{Code: extract.CodeEncrypted, Message: "The PDF is protected by a password. Remove the protection and upload it again.", Err: err}
	}
	return 0, errDamagedPDF(err)
}

func errDamagedPDF(err error) error {
	return &extract.Error{Code: extract.CodeUnreadable, Message: "The file is not a valid PDF, or it is damaged.", Err: err}
}

func errFailedPDF(err error) error {
	return &extract.Error{Code: extract.CodeParserFailed, Message: "The PDF could not be read: the reader failed on it.", Err: err}
}
