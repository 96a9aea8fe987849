package upstream

import (
	"context"
	"log/slog"
	"strings"
)

// DiscreetLog keeps bytes of an upstream out of the log. net/http writes unsolicited
// bytes after an answer to the standard logger, and they may be a model's words or
// Footnote's key.
func DiscreetLog(h slog.Handler) slog.Handler { return discreetHandler{h} }

type discreetHandler struct{ slog.Handler }

// Handle passes a record on, without the bytes.
func (d discreetHandler) Handle(ctx context.Context, r slog.Record) error {
	if said, quoted, ok := strings.Cut(r.Message, " starting with "); ok && strings.HasPrefix(quoted, `"`) {
		short := slog.NewRecord(r.Time, r.Level, said, r.PC)
		r.Attrs(func(a slog.Attr) bool { short.AddAttrs(a); return true })
		r = short
	}
	return d.Handler.Handle(ctx, r)
}

// WithAttrs returns a handler with attributes.
func (d discreetHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return discreetHandler{d.Handler.WithAttrs(attrs)}
}

// WithGroup returns a handler with a group.
func (d discreetHandler) WithGroup(name string) slog.Handler {
	return discreetHandler{d.Handler.WithGroup(name)}
}
