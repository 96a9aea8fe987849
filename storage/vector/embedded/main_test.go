package embedded

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(writerPath); path != "" {
		writeUntilKilled(path)
	}
	goleak.VerifyTestMain(m)
}
