package conformance

import (
	"strings"
	"testing"
)

// readmeRows are the rows of the README's table of SDKs, with the client and the
// way of asking that each describes. "…" repeats the client above.
var readmeRows = []struct{ first, client, way string }{
	{"openai-node 6.49", "openai-node", "stream"},
	{"… `.stream()`", "openai-node", "helper"},
	{"openai-python 3.54, 2.54", "openai-python", "stream"},
	{"… `.stream()`", "openai-python", "helper"},
	{"openai-go 3.95", "openai-go", "stream"},
	{"… accumulator", "openai-go", "accumulator"},
	{"go-openai 1.43", "go-openai", "stream"},
}

// TestTheReadmeSaysWhatEachClientShows compares the README's table with what the
// other tests hold the clients to.
func TestTheReadmeSaysWhatEachClientShows(t *testing.T) {
	rows := readmeTable(t, 4)
	if len(rows) != len(readmeRows)+1 { // and its head
		t.Fatalf("%d rows, want %d", len(rows)-1, len(readmeRows))
	}
	for i, want := range readmeRows {
		row, k := rows[i+1], clients[want.client]
		v := k.views[want.way]
		if row[0] != want.first {
			t.Errorf("row %d is about %q, want %q", i+1, row[0], want.first)
			continue
		}
		if again := strings.Contains(row[1], "the same"); again != strings.HasPrefix(row[0], "…") {
			t.Errorf("%s %s: errors before the answer are those of the row above: %v", want.client, want.way, again)
		}
		if strings.Contains(row[1], "1 attempt") != k.once {
			t.Errorf("%s: one attempt? %q", want.client, row[1])
		}
		if !strings.Contains(row[2], k.errors.broken) && row[2] != "the same" {
			t.Errorf("%s %s: an error in mid-stream is a %s, not %q", want.client, want.way, k.errors.broken, row[2])
		}
		lost := strings.Contains(row[3], "lost") || strings.Contains(row[3], "dropped")
		if lost != (v.losesCitations || v.helper && !v.kept) {
			t.Errorf("%s %s: citations are lost somewhere: %v, not %q", want.client, want.way, !lost, row[3])
		}
	}
}
