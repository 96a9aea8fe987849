package db

import (
	"context"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// minuteRow is what instances tell each other of a key or an assistant.
type minuteRow struct {
	TenantID  assistants.TenantID `gorm:"primaryKey;size:64;not null"`
	SubjectID string              `gorm:"primaryKey;size:64;not null"`
	Uses      string              `gorm:"not null"`
	ToldAt    time.Time           `gorm:"precision:6;not null;index:limit_minutes_age_idx"`
}

// TableName implements GORM's Tabler.
func (minuteRow) TableName() string { return "limit_minutes" }

// ShareUses locks the texts that are stored of subjects and stores what change
// replaces them with, all or nothing. A text that was never stored is empty. now is
// the time of the database, from when all are locked. The subjects must be sorted, so
// that no two transactions wait for each other. change may be called again, after a
// conflict.
func (s *Store) ShareUses(ctx context.Context, subjects []assistants.LimitSubject, change func(texts []string, now time.Time) error) error {
	return s.write(ctx, "share uses", func(tx *gorm.DB) error {
		rows := make([]minuteRow, len(subjects))
		texts := make([]string, len(subjects))
		var now time.Time
		for i, subject := range subjects {
			var err error
			if rows[i], err = s.lockMinute(tx, subject); err != nil {
				return err
			}
			texts[i], now = rows[i].Uses, rows[i].ToldAt.UTC()
		}
		if err := change(texts, now); err != nil {
			return err
		}
		for i, row := range rows {
			err := tx.Model(&minuteRow{}).Where("tenant_id = ? AND subject_id = ?", row.TenantID, row.SubjectID).
				Updates(map[string]any{"uses": texts[i], "told_at": now}).Error
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// lockMinute locks the row of a subject until the transaction ends, and returns it. On a
// server, the time is that of the server once the row is locked, because the clocks of
// the instances may differ.
func (s *Store) lockMinute(tx *gorm.DB, subject assistants.LimitSubject) (minuteRow, error) {
	var row minuteRow
	d := s.backend.dialect
	if d.now == "" {
		return row, tx.Raw(d.lockMinute, subject.TenantID, subject.ID, s.stamp()).Find(&row).Error
	}
	if err := tx.Exec(d.lockMinute, subject.TenantID, subject.ID, s.stamp()).Error; err != nil {
		return row, err
	}
	return row, tx.Select("tenant_id, subject_id, uses, "+d.now+" AS told_at").
		Where("tenant_id = ? AND subject_id = ?", subject.TenantID, subject.ID).Take(&row).Error
}

// RemoveSharedUses removes the texts that were stored last before a time, of every
// tenant.
func (s *Store) RemoveSharedUses(ctx context.Context, before time.Time) error {
	return s.write(ctx, "remove old shared uses", func(tx *gorm.DB) error {
		return tx.Where("told_at < ?", stamp(before)).Delete(&minuteRow{}).Error
	})
}
