package maintain

import (
	"context"

	"github.com/schollz/progressbar/v3"

	"footnote/assistants"
	"footnote/cmd/footnote/console"
)

// A bar shows progress on a terminal, and nothing elsewhere.
type bar struct{ shown *progressbar.ProgressBar }

// countBar counts things.
func (p *Program) countBar(what string, total int) *bar {
	if !console.IsTerminal(p.Err) {
		return &bar{}
	}
	return &bar{progressbar.NewOptions(total, progressbar.OptionSetWriter(p.Err), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))}
}

// bytesBar counts bytes.
func (p *Program) bytesBar(what string, total int64) *bar {
	if !console.IsTerminal(p.Err) {
		return &bar{}
	}
	return &bar{byteBar(p.Err, what, total)}
}

func (b *bar) add(n int) {
	if b.shown != nil {
		_ = b.shown.Add(n) // only the display
	}
}

// end removes the bar, so that other lines can be printed.
func (b *bar) end() {
	if b.shown != nil {
		_ = b.shown.Clear() // only the display
	}
}

// countDocuments counts the documents of all tenants.
func countDocuments(ctx context.Context, store interface {
	CountDocuments(ctx context.Context, tenant assistants.TenantID) (map[assistants.Status]int, error)
}) (total int, err error) {
	byStatus, err := store.CountDocuments(ctx, "")
	for _, n := range byStatus {
		total += n
	}
	return total, err
}
