package access

import (
	"testing"

	"go.uber.org/goleak"

	"footnote/storage/db/postgrestest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(postgrestest.Main{M: m}) }
