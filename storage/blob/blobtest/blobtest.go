// Package blobtest is the contract of a store of document bytes as tests.
// Every implementation must pass [Run] unchanged. It imports assistants,
// nothing else of this module.
package blobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"footnote/assistants"
)

// Store is what every blob store can do.
type Store interface {
	Put(ctx context.Context, key string, r io.Reader) (size int64, sha256 string, err error)
	Open(ctx context.Context, key string) (io.ReadSeekCloser, int64, error)
	Delete(ctx context.Context, key string) error
}

// BadKeys are keys that no store may take: names of users are never keys.
var BadKeys = []string{
	"", "/", "a", "a/", "/a", "a//b", "a/b/c", "../a", "a/..", "a/.", "./a", "a/../b", `a\b`, `..\a/b`, `a/..\b`,
	"%2e%2e%2f/a", "a/%2e%2e", "a/b%2fc", "a/．．", "a／b", "a/\xc0\xae\xc0\xae", "a/b\x00", "a\x00/b", "a/CON.", "a/b.", "a/b ",
	" a/b", "a/\u202eb", "a/b\r\nc", "C:/a", `C:\a`, `\\host\share/a`, "a/b:c", "a/.tmp-b", "a/" + strings.Repeat("b", 65),
	strings.Repeat("a", 65) + "/b", "a/b*", "a/?", "~/a", "a/é",
}

const key = "default/01k9zzzzzzzzzzzzzzzzzzzzzz"

// Run runs the suite. open returns an empty store, which it closes when the
// test ends; it is called once for each test.
func Run(t *testing.T, open func(t *testing.T) Store) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

var tests = map[string]func(*testing.T, Store){
	"bytes come back as they were put, with their size and hash": func(t *testing.T, s Store) {
		for i, size := range []int{0, 1, 4096, 128<<10 - 1, 128 << 10, 1 << 20} {
			content := bytes.Repeat([]byte{0, 'a', '\r', '\n', 0xff, byte(i)}, size/6+1)[:size]
			k := fmt.Sprintf("default/size%d", size)
			n, sum, err := s.Put(t.Context(), k, iotest.HalfReader(bytes.NewReader(content)))
			want := sha256.Sum256(content)
			if err != nil || n != int64(size) || sum != hex.EncodeToString(want[:]) {
				t.Fatalf("%d bytes: %d, %s, %v", size, n, sum, err)
			}
			if got := read(t, s, k); !bytes.Equal(got, content) {
				t.Errorf("%d bytes came back as %d others", size, len(got))
			}
		}
	},

	"a part can be read": func(t *testing.T, s Store) {
		put(t, s, key, "0123456789")
		f, size, err := s.Open(t.Context(), key)
		if err != nil || size != 10 {
			t.Fatal(size, err)
		}
		defer closeFile(t, f)
		if at, err := f.Seek(-4, io.SeekEnd); err != nil || at != 6 {
			t.Fatal(at, err)
		}
		part := make([]byte, 2)
		if _, err := io.ReadFull(f, part); err != nil || string(part) != "67" {
			t.Errorf("%q, %v", part, err)
		}
	},

	"putting again replaces, and a reader keeps what it opened": func(t *testing.T, s Store) {
		put(t, s, key, "first")
		f, _, err := s.Open(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		defer closeFile(t, f)
		put(t, s, key, "second")
		if old, err := io.ReadAll(f); err != nil || string(old) != "first" {
			t.Errorf("the open reader sees %q, %v", old, err)
		}
		if got := read(t, s, key); string(got) != "second" {
			t.Errorf("got %q", got)
		}
	},

	"what was deleted is gone, and deleting what is not there is no error": func(t *testing.T, s Store) {
		put(t, s, key, "x")
		put(t, s, "other/01k9zzzzzzzzzzzzzzzzzzzzzz", "y")
		for range 2 {
			if err := s.Delete(t.Context(), key); err != nil {
				t.Error(err)
			}
		}
		absent(t, s, key)
		absent(t, s, "nobody/nothing")
		if err := s.Delete(t.Context(), "nobody/nothing"); err != nil {
			t.Error(err)
		}
		if got := read(t, s, "other/01k9zzzzzzzzzzzzzzzzzzzzzz"); string(got) != "y" {
			t.Errorf("the same name of another tenant holds %q", got)
		}
	},

	"a source that fails leaves nothing, and its error comes back as it is": func(t *testing.T, s Store) {
		failure := errors.New("the client went away")
		for _, before := range []int{0, 1, 128 << 10, 300 << 10} {
			source := io.MultiReader(strings.NewReader(strings.Repeat("x", before)), iotest.ErrReader(failure))
			if _, _, err := s.Put(t.Context(), key, source); err != failure { //nolint:errorlint // identity is the promise
				t.Errorf("after %d bytes: %v", before, err)
			}
			absent(t, s, key)
		}
		put(t, s, key, "kept")
		if _, _, err := s.Put(t.Context(), key, iotest.TimeoutReader(strings.NewReader("new"))); err != iotest.ErrTimeout { //nolint:errorlint // as above
			t.Errorf("got %v", err)
		}
		_, _, err := s.Put(t.Context(), key, iotest.ErrReader(io.ErrUnexpectedEOF))
		if err != io.ErrUnexpectedEOF || string(read(t, s, key)) != "kept" { //nolint:errorlint // as above
			t.Errorf("a cut upload gives %v and leaves %q", err, read(t, s, key))
		}
	},

	"a context that ends in the middle leaves nothing": func(t *testing.T, s Store) {
		ctx, cancel := context.WithCancel(t.Context())
		source := io.MultiReader(strings.NewReader("begin"), readerFunc(func([]byte) (int, error) { cancel(); return 0, nil }), strings.NewReader("end"))
		if _, _, err := s.Put(ctx, key, source); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		absent(t, s, key)
		put(t, s, key, "x")
		_, _, openErr := s.Open(ctx, key)
		for _, err := range []error{openErr, s.Delete(ctx, key)} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}
		if string(read(t, s, key)) != "x" {
			t.Error("an ended context deleted")
		}
	},

	"keys that are paths are refused": func(t *testing.T, s Store) {
		for _, bad := range BadKeys {
			_, _, putErr := s.Put(t.Context(), bad, strings.NewReader("x"))
			_, _, openErr := s.Open(t.Context(), bad)
			for _, err := range []error{putErr, openErr, s.Delete(t.Context(), bad)} {
				if !errors.Is(err, assistants.ErrInvalid) {
					t.Errorf("key %q: %v", bad, err)
				}
			}
		}
	},

	"many at once do not disturb one another": func(t *testing.T, s Store) {
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				own, content := fmt.Sprintf("tenant%d/own%d", i%3, i), strings.Repeat(fmt.Sprint(i), 50_000)
				if _, _, err := s.Put(t.Context(), own, strings.NewReader(content)); err != nil {
					t.Error(err)
				}
				if _, _, err := s.Put(t.Context(), key, strings.NewReader(content)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for i := range 30 {
			if got := read(t, s, fmt.Sprintf("tenant%d/own%d", i%3, i)); string(got) != strings.Repeat(fmt.Sprint(i), 50_000) {
				t.Errorf("blob %d is damaged", i)
			}
		}
		got := string(read(t, s, key))
		for i := range 30 {
			if got == strings.Repeat(fmt.Sprint(i), 50_000) {
				return
			}
		}
		t.Error("the contended blob is none of those that were put")
	},
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) {
	n, err := f(p)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

func put(t *testing.T, s Store, k, content string) {
	t.Helper()
	if _, _, err := s.Put(t.Context(), k, strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, s Store, k string) []byte {
	t.Helper()
	f, size, err := s.Open(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	defer closeFile(t, f)
	content, err := io.ReadAll(f)
	if err != nil || int64(len(content)) != size {
		t.Fatalf("%d bytes of %d, %v", len(content), size, err)
	}
	return content
}

func absent(t *testing.T, s Store, k string) {
	t.Helper()
	f, _, err := s.Open(t.Context(), k)
	if err == nil {
		closeFile(t, f)
	}
	if !errors.Is(err, assistants.ErrNotFound) {
		t.Errorf("%s: %v, want not found", k, err)
	}
}

func closeFile(t *testing.T, f io.Closer) {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
