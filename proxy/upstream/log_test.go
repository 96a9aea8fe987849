package upstream

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestDiscreetLogLeavesQuotedBytesOut(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(DiscreetLog(slog.NewTextHandler(&b, nil))).With("a", 1).WithGroup("g")
	log.Info(`Unsolicited response received on idle HTTP channel starting with "canary"; err=<nil>`, "b", 2)
	log.Info("Lines starting with care", "b", 3)
	got := b.String()
	for _, want := range []string{`msg="Unsolicited response received on idle HTTP channel" a=1 g.b=2`, `msg="Lines starting with care" a=1 g.b=3`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "canary") {
		t.Error(got)
	}
}
