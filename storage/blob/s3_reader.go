package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"footnote/assistants"
)

// Open is [Disk.Open]. The file streams from S3 until ctx ends. Reading it from
// begin to end compares its SHA-256; a transfer that breaks is resumed.
func (s *S3) Open(ctx context.Context, key string) (File, int64, error) {
	if err := CheckKey(key); err != nil {
		return nil, 0, err
	}
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: s.bucket(), Key: s.object(key)})
	if err != nil {
		return nil, 0, wrapS3(ctx, "open blob", err)
	}
	f := &s3File{ctx: ctx, store: s, key: key, body: out.Body, etag: out.ETag, size: aws.ToInt64(out.ContentLength), want: out.Metadata[metaSum], hash: sha256.New()}
	return f, f.size, nil
}

// An s3File is an object that is read from where it was opened or moved to.
type s3File struct {
	ctx   context.Context
	store *S3
	key   string
	etag  *string // other bytes under the same key are another file
	size  int64

	body   io.ReadCloser // nil: closed, until the next Read
	at     int64         // of the body
	offset int64         // of the next Read

	want   string    // SHA-256 of the whole file; "": not known
	hash   hash.Hash // of what was read
	hashed int64     // how many bytes from the begin on were read without a gap
	closed bool
}

// Seek implements [io.Seeker]. It sends nothing.
func (f *s3File) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.offset
	case io.SeekEnd:
		offset += f.size
	default:
		return 0, errors.New("blob: seek: there is no such whence")
	}
	if offset < 0 {
		return 0, errors.New("blob: seek: before the begin")
	}
	f.offset = offset
	return offset, nil
}

// Read implements [io.Reader].
func (f *s3File) Read(p []byte) (int, error) {
	if f.closed {
		return 0, errors.New("blob: read: the file is closed")
	}
	if f.offset >= f.size {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	for attempt := 1; ; attempt++ {
		n, err := f.readOnce(p[:min(int64(len(p)), f.size-f.offset)])
		if n > 0 {
			f.note(p[:n])
			return n, f.damaged()
		}
		if err == nil {
			continue // as io.Reader may
		}
		f.drop()
		wrapped := wrapS3(f.ctx, "read", err)
		if f.ctx.Err() != nil || attempt >= s3Attempts || errors.Is(wrapped, assistants.ErrNotFound) || isAnswer(err) {
			return 0, wrapped
		}
	}
}

// isAnswer reports whether the server has refused, which the SDK has tried again.
func isAnswer(err error) bool {
	_, status := codeOf(err)
	return status != 0
}

// readOnce reads what is there, from a new body if the last one is elsewhere.
func (f *s3File) readOnce(p []byte) (int, error) {
	if f.body == nil || f.at != f.offset {
		f.drop()
		out, err := f.store.client.GetObject(f.ctx, &s3.GetObjectInput{
			Bucket: f.store.bucket(), Key: f.store.object(f.key), IfMatch: f.etag, Range: aws.String(fmt.Sprintf("bytes=%d-", f.offset)),
		})
		if err != nil {
			return 0, err
		}
		f.body, f.at = out.Body, f.offset
	}
	n, err := f.body.Read(p)
	f.at += int64(n)
	if n == 0 && err == io.EOF { //nolint:errorlint // a reader's end is io.EOF itself
		err = io.ErrUnexpectedEOF // there is more, see Read
	}
	return n, err
}

// note remembers what was read, for the sum.
func (f *s3File) note(p []byte) {
	if f.hashed == f.offset {
		f.hash.Write(p)
		f.hashed += int64(len(p))
	}
	f.offset += int64(len(p))
}

// damaged returns an error if the whole file was read and is not what was stored.
func (f *s3File) damaged() error {
	if f.want == "" || f.hashed < f.size || f.offset < f.size || hex.EncodeToString(f.hash.Sum(nil)) == f.want {
		return nil
	}
	return fmt.Errorf("blob: read: %w: other bytes came than were stored", assistants.ErrUnavailable)
}

// drop closes the body. Its error says only that bytes were left, which is known.
func (f *s3File) drop() {
	if f.body != nil {
		_ = f.body.Close()
		f.body = nil
	}
}

// Close implements [io.Closer].
func (f *s3File) Close() error {
	f.closed = true
	f.drop()
	return nil
}
