package upstream

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// maxBody bounds an answer that is not a plain event stream, after decoding.
const maxBody = 64 << 20

// maxEncodings bounds how often a body may be encoded. One encoding is unusual,
// because none is requested; two happen behind a careless cache; more are an attack.
const maxEncodings = 2

// decodeBody removes the encodings named in the header, from the header as well, and
// bounds the result. It reads nothing: a body is decoded while it is read, so that a
// compressed stream still streams.
func decodeBody(h http.Header, body io.Reader) (io.Reader, error) {
	var encodings []string
	for _, field := range h.Values("Content-Encoding") {
		for name := range strings.SplitSeq(field, ",") {
			if name = strings.ToLower(strings.TrimSpace(name)); name != "" && name != "identity" {
				encodings = append(encodings, name)
			}
		}
	}
	if len(encodings) > maxEncodings {
		return nil, Invalid("The model server's answer is encoded too often.")
	}
	if len(encodings) == 0 && isEventStream(h) {
		return body, nil // the relay bounds its events and its duration
	}
	for i := len(encodings) - 1; i >= 0; i-- { // in reverse, because the last encoding was applied last
		open, ok := decoders[encodings[i]]
		if !ok {
			return nil, Invalid("The model server's answer has an encoding that was not asked for and is not known.")
		}
		// Each layer is bounded: a small outer text may hide a large inner one.
		body = &cappedReader{r: &lazyDecoder{src: body, open: open}, left: maxBody}
	}
	if len(encodings) > 0 {
		h.Del("Content-Encoding")
		h.Del("Content-Length")
		return body, nil
	}
	return &cappedReader{r: body, left: maxBody}, nil
}

func isEventStream(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "text/event-stream"
}

var decoders = map[string]func(io.Reader) (io.Reader, error){
	"gzip":    openGzip,
	"x-gzip":  openGzip,
	"deflate": openDeflate,
}

func openGzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }

// openDeflate reads zlib, which "deflate" means, or bare DEFLATE, which some
// servers send under that name.
func openDeflate(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	head, err := buffered.Peek(2)
	if err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	if head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(buffered)
	}
	return flate.NewReader(buffered), nil
}

// A lazyDecoder opens its decoder with the first read, because opening reads.
type lazyDecoder struct {
	src  io.Reader
	open func(io.Reader) (io.Reader, error)
	r    io.Reader
	err  error
}

// Read reads decoded bytes. A body that cannot be decoded gives an [*Error]; errors
// of the connection pass.
func (d *lazyDecoder) Read(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	var n int
	if d.r == nil {
		d.r, d.err = d.open(d.src)
	}
	if d.err == nil {
		n, d.err = d.r.Read(p)
	}
	if d.err != nil && !errors.Is(d.err, io.EOF) {
		d.err = undecodable(d.err)
	}
	return n, d.err
}

func undecodable(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, zlib.ErrHeader),
		errors.Is(err, zlib.ErrChecksum), errors.Is(err, zlib.ErrDictionary), errors.As(err, &corrupt):
		return &Error{
			Code: CodeInvalidResponse, Status: http.StatusBadGateway,
			Message: "The model server's answer could not be decoded.", err: fmt.Errorf("decode the body: %w", err),
		}
	default:
		return err
	}
}

// A cappedReader fails when it reads past its limit. Unlike io.LimitReader it
// distinguishes a body that is too long from one that has ended.
type cappedReader struct {
	r    io.Reader
	left int64
}

func (c *cappedReader) Read(p []byte) (int, error) {
	if c.left < 0 {
		return 0, Invalid("The model server's answer is too large.")
	}
	if int64(len(p)) > c.left+1 {
		p = p[:c.left+1]
	}
	n, err := c.r.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return n - 1, Invalid("The model server's answer is too large.")
	}
	return n, err
}
