package forms

import (
	"bytes"
	"errors"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/gin-gonic/gin"
	"golang.org/x/sys/unix"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// onFullDisk makes files on a device without space. They get another name,
// because a used file is removed.
func onFullDisk(t *testing.T) func(string, string) (*os.File, error) {
	return func(dir, _ string) (*os.File, error) {
		fd, err := unix.Open("/dev/full", unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		return os.NewFile(uintptr(fd), filepath.Join(dir, "upload-full")), nil
	}
}

func formOf(t *testing.T, r Reader) (*Form, error) {
	t.Helper()
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	for _, name := range []string{"a.txt", "b.txt"} {
		part, err := m.CreateFormFile("file", name)
		if err == nil {
			_, err = part.Write([]byte("the content of " + name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", &body)
	c.Request.Header.Set("Content-Type", m.FormDataContentType())
	return r.Read(c, func(name string, _ []byte) error { return apierr.Unsupported(name) })
}

func TestASpoolThatFailsAtAnyStepIsUnavailableAndLeavesNothing(t *testing.T) {
	for name, broken := range map[string]func(string, string) (*os.File, error){
		"no space": onFullDisk(t),
		"no descriptors": func(string, string) (*os.File, error) {
			return nil, &os.PathError{Op: "open", Path: "upload", Err: unix.EMFILE}
		},
		"no writing": func(dir, pattern string) (*os.File, error) {
			f, err := os.CreateTemp(dir, pattern)
			if err != nil {
				return nil, err
			}
			read, err := os.Open(f.Name())
			return read, errors.Join(err, f.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			for healthy := range 2 { // the first file fails, or the second
				dir, made := t.TempDir(), 0
				r := Reader{Dir: dir, MaxBytes: 1 << 20, CreateTemp: func(dir, pattern string) (*os.File, error) {
					if made++; made <= healthy {
						return os.CreateTemp(dir, pattern)
					}
					return broken(dir, pattern)
				}}
				f, err := formOf(t, r)
				if f != nil || !errors.Is(err, assistants.ErrUnavailable) {
					t.Errorf("%v, %v", f, err)
				}
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Errorf("left over: %v, %v", left, err)
				}
			}
		})
	}
}

// The spool is read again for the fingerprint and for the store.
func TestASpoolThatCannotBeReadBackIsUnavailable(t *testing.T) {
	r := Reader{Dir: t.TempDir(), MaxBytes: 1 << 20}
	f, err := formOf(t, r)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Files[0].SHA256(); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("the fingerprint: %v", err)
	}
	if _, err := f.Files[0].Read(make([]byte, 1)); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("the content: %v", err)
	}
}
