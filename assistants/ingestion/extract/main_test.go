package extract

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// cacheDir keeps the compiled PDF reader for the tests of this package.
var cacheDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "extract-*")
	if err != nil {
		panic(err)
	}
	cacheDir = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}
