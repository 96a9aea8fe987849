package db

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"footnote/assistants"
)

// metaRow is a fact about the installation, stored under the default tenant.
type metaRow struct {
	TenantID assistants.TenantID `gorm:"primaryKey;size:64;not null"`
	Name     string              `gorm:"primaryKey;size:64;not null"`
	Content  string              `gorm:"not null"`
}

// TableName implements GORM's Tabler.
func (metaRow) TableName() string { return "meta" }

// Meta returns a value, "" if it is not set.
func (s *Store) Meta(ctx context.Context, key string) (string, error) {
	row, err := takeMeta(s.read(ctx), key)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return "", nil
	}
	return row.Content, s.wrap(ctx, "meta", err)
}

// SetMetaOnce stores value under key unless the key is set, and returns the
// stored value.
func (s *Store) SetMetaOnce(ctx context.Context, key, value string) (string, error) {
	if err := checkText("key", key, value); err != nil {
		return "", err
	}
	var row metaRow
	err := s.write(ctx, "set meta", func(tx *gorm.DB) error {
		fresh := metaRow{TenantID: assistants.DefaultTenant, Name: key, Content: value}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&fresh).Error; err != nil {
			return err
		}
		var err error
		row, err = takeMeta(tx, key)
		return err
	})
	return row.Content, err
}

func takeMeta(tx *gorm.DB, key string) (metaRow, error) {
	var row metaRow
	err := tx.Where("tenant_id = ? AND name = ?", assistants.DefaultTenant, key).Take(&row).Error
	return row, err
}

// metaProbe names the row that probes write.
const metaProbe = "write_probe"

// ProbeWrite checks that the database can be written to, by writing a row. Its
// errors wrap ErrUnavailable.
func (s *Store) ProbeWrite(ctx context.Context) error {
	return s.write(ctx, "probe", func(tx *gorm.DB) error {
		row := metaRow{TenantID: assistants.DefaultTenant, Name: metaProbe, Content: s.stamp().Format(time.RFC3339Nano)}
		return tx.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "name"}},
			DoUpdates: clause.AssignmentColumns([]string{"content"}),
		}).Create(&row).Error
	})
}
