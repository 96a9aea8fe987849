package access

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"footnote/storage/db/postgrestest"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(instanceEnv); url != "" {
		os.Exit(runInstance(url))
	}
	goleak.VerifyTestMain(postgrestest.Main{M: m})
}
