package db

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"footnote/assistants"
)

// usageRow is the usage of an hour. Empty ids stand for none, because null would not
// be unique.
type usageRow struct {
	TenantID         assistants.TenantID    `gorm:"primaryKey;size:64;not null"`
	Hour             time.Time              `gorm:"column:begins_at;primaryKey;precision:6;not null;index:usage_hours_age_idx"`
	AssistantID      assistants.AssistantID `gorm:"primaryKey;size:64;not null"`
	KeyID            assistants.KeyID       `gorm:"primaryKey;size:64;not null"`
	Requests         int64                  `gorm:"not null"`
	Refused          int64                  `gorm:"not null"`
	Failed           int64                  `gorm:"not null"`
	Interrupted      int64                  `gorm:"not null"`
	Counted          int64                  `gorm:"not null"`
	PromptTokens     int64                  `gorm:"not null"`
	CompletionTokens int64                  `gorm:"not null"`
	FirstBytes       int64                  `gorm:"not null"`
	FirstByteMicros  int64                  `gorm:"not null"`
	FirstByteMost    int64                  `gorm:"not null"`
	Cited            int64                  `gorm:"not null"`
	Uncited          int64                  `gorm:"not null"`
	NoSources        int64                  `gorm:"not null"`
	Unavailable      int64                  `gorm:"not null"`
}

// TableName implements GORM's Tabler.
func (usageRow) TableName() string { return "usage_hours" }

func newUsageRows(list []assistants.Usage) []usageRow {
	rows := make([]usageRow, len(list))
	for i, u := range list {
		rows[i] = usageRow{
			TenantID: u.TenantID, Hour: stamp(u.Hour), AssistantID: u.Assistant, KeyID: u.Key,
			Requests: u.Requests, Refused: u.Refused, Failed: u.Failed, Interrupted: u.Interrupted,
			Counted: u.Counted, PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens,
			FirstBytes: u.FirstBytes, FirstByteMicros: u.FirstByteSum.Microseconds(), FirstByteMost: u.FirstByteMax.Microseconds(),
			Cited: u.Cited, Uncited: u.Uncited, NoSources: u.NoSources, Unavailable: u.Unavailable,
		}
	}
	return rows
}

func (r usageRow) usage() assistants.Usage {
	return assistants.Usage{
		TenantID: r.TenantID, Hour: r.Hour.UTC(), Assistant: r.AssistantID, Key: r.KeyID,
		UsageCounts: assistants.UsageCounts{
			Requests: r.Requests, Refused: r.Refused, Failed: r.Failed, Interrupted: r.Interrupted,
			Counted: r.Counted, PromptTokens: r.PromptTokens, CompletionTokens: r.CompletionTokens,
			FirstBytes:   r.FirstBytes,
			FirstByteSum: time.Duration(r.FirstByteMicros) * time.Microsecond, FirstByteMax: time.Duration(r.FirstByteMost) * time.Microsecond,
			Cited: r.Cited, Uncited: r.Uncited, NoSources: r.NoSources, Unavailable: r.Unavailable,
		},
	}
}

// addUsage adds to the figures of an hour that are stored already.
var addUsage = clause.OnConflict{
	Columns: []clause.Column{{Name: "tenant_id"}, {Name: "begins_at"}, {Name: "assistant_id"}, {Name: "key_id"}},
	DoUpdates: append(clause.Assignments(additions("usage_hours", "requests", "refused", "failed", "interrupted", "counted",
		"prompt_tokens", "completion_tokens", "first_bytes", "first_byte_micros", "cited", "uncited", "no_sources", "unavailable")),
		clause.Assignment{Column: clause.Column{Name: "first_byte_most"}, Value: larger{clause.Column{Table: "usage_hours", Name: "first_byte_most"}}}),
}

// Usage returns the figures that a query selects, by hour, added up over what the
// query does not keep apart.
func (s *Store) Usage(ctx context.Context, tenant assistants.TenantID, q assistants.UsageQuery) ([]assistants.Usage, error) {
	tx := s.read(ctx).Model(&usageRow{}).Where("tenant_id = ?", tenant)
	if !q.From.IsZero() {
		tx = tx.Where("begins_at >= ?", stamp(q.From.Truncate(time.Hour)))
	}
	if !q.To.IsZero() {
		tx = tx.Where("begins_at < ?", stamp(q.To))
	}
	if q.Assistant != "" {
		tx = tx.Where("assistant_id = ?", q.Assistant)
	}
	if q.Key != "" {
		tx = tx.Where("key_id = ?", q.Key)
	}
	const sums = "SUM(requests) AS requests, SUM(refused) AS refused, SUM(failed) AS failed, SUM(interrupted) AS interrupted, SUM(counted) AS counted, " +
		"SUM(prompt_tokens) AS prompt_tokens, SUM(completion_tokens) AS completion_tokens, SUM(first_bytes) AS first_bytes, " +
		"SUM(first_byte_micros) AS first_byte_micros, MAX(first_byte_most) AS first_byte_most, " +
		"SUM(cited) AS cited, SUM(uncited) AS uncited, SUM(no_sources) AS no_sources, SUM(unavailable) AS unavailable"
	switch {
	case q.ByAssistant && q.ByKey:
		tx = tx.Select("begins_at, assistant_id, key_id, " + sums).Group("begins_at, assistant_id, key_id").Order("begins_at, assistant_id, key_id")
	case q.ByAssistant:
		tx = tx.Select("begins_at, assistant_id, " + sums).Group("begins_at, assistant_id").Order("begins_at, assistant_id")
	case q.ByKey:
		tx = tx.Select("begins_at, key_id, " + sums).Group("begins_at, key_id").Order("begins_at, key_id")
	default:
		tx = tx.Select("begins_at, " + sums).Group("begins_at").Order("begins_at")
	}
	var rows []usageRow
	if err := tx.Limit(assistants.MaxUsage + 1).Find(&rows).Error; err != nil {
		return nil, s.wrap(ctx, "usage", err)
	}
	list := make([]assistants.Usage, len(rows))
	for i, r := range rows {
		list[i] = r.usage()
		list[i].TenantID = tenant
	}
	return list, nil
}

// RemoveUsage removes the usage of the hours before a time, of every tenant.
func (s *Store) RemoveUsage(ctx context.Context, before time.Time) error {
	return s.write(ctx, "remove old usage", func(tx *gorm.DB) error {
		return tx.Where("begins_at < ?", stamp(before)).Delete(&usageRow{}).Error
	})
}
