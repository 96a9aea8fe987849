package wire

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// corpus reads the files of a folder of testdata.
func corpus(t testing.TB, folder string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	all := map[string][]byte{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(filepath.Base(p), ".")
		all[name] = b
	}
	return all
}

// frames are the lines of a recorded stream.
func frames(recorded []byte) [][]byte {
	return bytes.Split(bytes.TrimSpace(recorded), []byte("\n"))
}

// decode is encoding/json's view of a value, numbers kept as they are written.
func decode(t testing.TB, b []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return v
}

// object is a decoded object.
type object = map[string]any

func equalJSON(t testing.TB, got, want []byte) bool {
	t.Helper()
	return reflect.DeepEqual(decode(t, got), decode(t, want))
}

// mustRead reads a request that must be valid.
func mustRead(t testing.TB, body string) *Request {
	t.Helper()
	r, err := ReadRequest([]byte(body))
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return r
}

// at is the part of a decoded value at that path of member names and element
// numbers, nil where there is none.
func at(v any, path ...any) any {
	for _, p := range path {
		switch step := p.(type) {
		case string:
			m, _ := v.(object)
			v = m[step]
		case int:
			l, _ := v.([]any)
			if step >= len(l) {
				return nil
			}
			v = l[step]
		}
	}
	return v
}
