package ingestion

import (
	"os"
	"testing"

	"footnote/assistants/ingestion/sandbox"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if sandbox.IsChild() {
		sandbox.RunChild()
	}
	if dir := os.Getenv(doomedDir); dir != "" {
		liveUntilKilled(dir)
	}
	dir, err := os.MkdirTemp("", "ingestion-*")
	if err != nil {
		panic(err)
	}
	compiled = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// compiled keeps the compiled PDF reader for the tests of this package.
var compiled string
