package db

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"gorm.io/gorm/logger"
)

// A statementLog omits statements that were cancelled, which is not a failure.
// At level debug it logs every statement.
type statementLog struct {
	logger.Interface
	log *slog.Logger
}

// LogMode implements logger.Interface.
func (l statementLog) LogMode(level logger.LogLevel) logger.Interface {
	return statementLog{l.Interface.LogMode(level), l.log}
}

// ParamsFilter implements gorm.ParamsFilter. Parameters are never logged.
func (statementLog) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) {
	return sql, nil
}

// Trace implements logger.Interface.
func (l statementLog) Trace(ctx context.Context, begin time.Time, statement func() (string, int64), err error) {
	if l.log.Enabled(ctx, slog.LevelDebug) {
		sql, rows := statement()
		l.log.LogAttrs(ctx, slog.LevelDebug, "statement", slog.String("sql", sql), slog.Int64("rows", rows),
			slog.Float64("duration_ms", float64(time.Since(begin).Microseconds())/1000))
	}
	if !errors.Is(err, context.Canceled) {
		l.Interface.Trace(ctx, begin, statement, err)
	}
}
