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
	goleak.VerifyTestMain(m)
}
