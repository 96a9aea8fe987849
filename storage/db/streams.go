package db

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"footnote/assistants"
)

// streamRow is a stream of a search.
type streamRow struct {
	ID          string              `gorm:"primaryKey;size:64;not null"`
	TenantID    assistants.TenantID `gorm:"size:64;not null"`
	KeyID       assistants.KeyID    `gorm:"size:64;not null"`
	Fingerprint string              `gorm:"size:64;not null"`
	First       int                 `gorm:"column:first_event;not null"`
	Next        int                 `gorm:"column:next_event;not null"`
	Beat        int64               `gorm:"not null"`
	Ended       bool                `gorm:"not null"`
	ExpiresAt   time.Time           `gorm:"precision:6;not null;index:search_streams_expires_idx"`
}

// TableName implements GORM's Tabler.
func (streamRow) TableName() string { return "search_streams" }

// streamEventRow is an event of a stream.
type streamEventRow struct {
	StreamID string              `gorm:"primaryKey;size:64;not null"`
	Number   int                 `gorm:"primaryKey;autoIncrement:false;not null"`
	TenantID assistants.TenantID `gorm:"size:64;not null"`
	Event    string              `gorm:"not null"`
}

// TableName implements GORM's Tabler.
func (streamEventRow) TableName() string { return "search_stream_events" }

// moveStream brings a stored stream up to date. Its id is random, so that no other stream has it.
var moveStream = clause.OnConflict{
	Columns:   []clause.Column{{Name: "id"}},
	DoUpdates: clause.AssignmentColumns([]string{"first_event", "next_event", "beat", "ended", "expires_at"}),
}

// SaveStreams stores what is new of streams, all or nothing. Events that are stored
// already stay as they are; those before the first one that is kept are removed.
func (s *Store) SaveStreams(ctx context.Context, streams []assistants.StoredStream) error {
	return s.write(ctx, "save streams", func(tx *gorm.DB) error {
		for _, st := range streams {
			row := streamRow{
				ID: st.ID, TenantID: st.TenantID, KeyID: st.Key, Fingerprint: st.Fingerprint, First: st.First, Next: st.Next,
				Beat: st.Beat, Ended: st.Ended, ExpiresAt: stamp(st.ExpiresAt),
			}
			if err := tx.Clauses(moveStream).Create(&row).Error; err != nil {
				return err
			}
			if err := saveEvents(tx, st); err != nil {
				return err
			}
		}
		return nil
	})
}

func saveEvents(tx *gorm.DB, st assistants.StoredStream) error {
	rows := make([]streamEventRow, len(st.Events))
	for i, e := range st.Events {
		rows[i] = streamEventRow{StreamID: st.ID, Number: e.Number, TenantID: st.TenantID, Event: e.Text}
	}
	if len(rows) > 0 {
		if err := createAll(tx.Clauses(clause.OnConflict{DoNothing: true}), rows); err != nil {
			return err
		}
	}
	if st.First == 0 {
		return nil
	}
	return tx.Where("tenant_id = ? AND stream_id = ? AND number < ?", st.TenantID, st.ID, st.First).Delete(&streamEventRow{}).Error
}

// StreamSince returns a stream of a key that does not expire before now, with its
// events from a number on.
func (s *Store) StreamSince(ctx context.Context, tenant assistants.TenantID, key assistants.KeyID, id string, from int, now time.Time) (assistants.StoredStream, error) {
	var row streamRow
	// The events are read after the stream: one that has ended then has all of them.
	err := s.read(ctx).Where("tenant_id = ? AND id = ? AND key_id = ? AND expires_at > ?", tenant, id, key, stamp(now)).Take(&row).Error
	if err != nil {
		return assistants.StoredStream{}, s.wrap(ctx, "stream", err)
	}
	var rows []streamEventRow
	err = s.read(ctx).Where("tenant_id = ? AND stream_id = ? AND number >= ?", tenant, id, from).Order("number").Find(&rows).Error
	if err != nil {
		return assistants.StoredStream{}, s.wrap(ctx, "events of a stream", err)
	}
	st := assistants.StoredStream{
		ID: row.ID, TenantID: row.TenantID, Key: row.KeyID, Fingerprint: row.Fingerprint, First: row.First, Next: row.Next,
		Beat: row.Beat, Ended: row.Ended, ExpiresAt: row.ExpiresAt.UTC(),
	}
	for _, r := range rows {
		st.Events = append(st.Events, assistants.StreamEvent{Number: r.Number, Text: r.Event})
	}
	return st, nil
}

// RemoveExpiredStreams removes the streams of every tenant that expired before now.
func (s *Store) RemoveExpiredStreams(ctx context.Context, now time.Time) error {
	return s.write(ctx, "remove expired streams", func(tx *gorm.DB) error {
		expired := tx.Model(&streamRow{}).Select("id").Where("expires_at <= ?", stamp(now))
		if err := tx.Where("stream_id IN (?)", expired).Delete(&streamEventRow{}).Error; err != nil {
			return err
		}
		return tx.Where("expires_at <= ?", stamp(now)).Delete(&streamRow{}).Error
	})
}
