package db

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"footnote/assistants"
)

// monthRow is what a key or an assistant used within a month.
type monthRow struct {
	TenantID  assistants.TenantID `gorm:"primaryKey;size:64;not null"`
	SubjectID string              `gorm:"primaryKey;size:64;not null"`
	Month     time.Time           `gorm:"column:begins_at;primaryKey;precision:6;not null;index:limit_months_age_idx"`
	Requests  int64               `gorm:"not null"`
	Tokens    int64               `gorm:"not null"`
}

// TableName implements GORM's Tabler.
func (monthRow) TableName() string { return "limit_months" }

// addMonth adds to what is stored of a month already.
var addMonth = clause.OnConflict{
	Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "subject_id"}, {Name: "begins_at"}},
	DoUpdates: clause.Assignments(additions("limit_months", "requests", "tokens")),
}

// MonthCount returns what a key or an assistant used within the month that begins
// then; zero if nothing is stored.
func (s *Store) MonthCount(ctx context.Context, tenant assistants.TenantID, subject string, month time.Time) (assistants.MonthCount, error) {
	row := monthRow{TenantID: tenant, SubjectID: subject, Month: stamp(month)}
	err := s.read(ctx).Where("tenant_id = ? AND subject_id = ? AND begins_at = ?", tenant, subject, stamp(month)).Take(&row).Error
	if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
		return assistants.MonthCount{}, s.wrap(ctx, "month count", err)
	}
	return assistants.MonthCount{TenantID: tenant, Subject: subject, Month: stamp(month), Requests: row.Requests, Tokens: row.Tokens}, nil
}

// AddMonthCounts adds to what is stored of months, all or nothing.
func (s *Store) AddMonthCounts(ctx context.Context, counts []assistants.MonthCount) error {
	return s.write(ctx, "add month counts", func(tx *gorm.DB) error {
		for _, c := range counts { // one by one, because one may come twice
			row := monthRow{TenantID: c.TenantID, SubjectID: c.Subject, Month: stamp(c.Month), Requests: c.Requests, Tokens: c.Tokens}
			if err := tx.Clauses(addMonth).Create(&row).Error; err != nil {
				return err
			}
		}
		return nil
	})
}

// RemoveMonthCounts removes the months that began before a time, of every tenant.
func (s *Store) RemoveMonthCounts(ctx context.Context, before time.Time) error {
	return s.write(ctx, "remove old month counts", func(tx *gorm.DB) error {
		return tx.Where("begins_at < ?", stamp(before)).Delete(&monthRow{}).Error
	})
}
