package pdf

import (
	"testing"

	"footnote/assistants/ingestion/extract/extracttest"
)

func TestMain(m *testing.M) { extracttest.Main(m) }
