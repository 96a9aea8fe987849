package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// fillBatch is how many rows one transaction fills in.
const fillBatch = 500

// fillNames fills in what lists are searched by, in rows that were stored
// before there were such columns, or by an older program that still runs.
// SQL has no function for it that knows all letters.
func (s *Store) fillNames(ctx context.Context, pool *sql.DB) error {
	tx := s.gorm.Session(&gorm.Session{NewDB: true, Context: ctx, Logger: logger.Discard})
	tx.Statement.ConnPool = pool
	for _, model := range []any{&assistantRow{}, &documentRow{}} {
		for last, n := "", fillBatch; n == fillBatch; {
			err := tx.Transaction(func(tx *gorm.DB) (err error) {
				last, n, err = fillSome(tx, model, last)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// fillSome fills in one batch of rows after an id, and returns the last one and
// their number.
func fillSome(tx *gorm.DB, model any, after string) (last string, n int, err error) {
	var rows []struct{ ID, Name, Labels, Tags string }
	_, marked := model.(*documentRow) // assistants have neither labels nor tags
	columns := []string{"id", "name"}
	if marked {
		columns = append(columns, "labels", "tags")
	}
	err = tx.Model(model).Select(columns).Where("name_key = '' AND id > ?", after).Order("id").Limit(fillBatch).Find(&rows).Error
	if err != nil {
		return after, 0, err
	}
	for _, r := range rows {
		fill := map[string]any{"name_key": nameKey(r.Name)}
		if marked {
			if fill["marks"], err = marksOfJSON(r.Labels, r.Tags); err != nil {
				return after, 0, fmt.Errorf("%s: %w", r.ID, err)
			}
		}
		if err := tx.Model(model).Where("id = ?", r.ID).UpdateColumns(fill).Error; err != nil {
			return after, 0, err
		}
		after = r.ID
	}
	return after, len(rows), nil
}

// marksOfJSON is marksOf for the columns labels and tags.
func marksOfJSON(labels, tags string) (string, error) {
	var list []string
	var pairs map[string]string
	err := errors.Join(json.Unmarshal([]byte(labels), &list), json.Unmarshal([]byte(tags), &pairs))
	return marksOf(list, pairs), err
}
