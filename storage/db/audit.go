package db

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"footnote/assistants"
)

// auditRow is an event of the audit log.
type auditRow struct {
	ID            assistants.AuditID      `gorm:"primaryKey;size:64;not null"`
	TenantID      assistants.TenantID     `gorm:"size:64;not null;index:audit_events_created_idx,priority:1;index:audit_events_action_idx,priority:1;index:audit_events_result_idx,priority:1,where:result <> 'ok';index:audit_events_key_idx,priority:1;index:audit_events_assistant_idx,priority:1"`
	CreatedAt     time.Time               `gorm:"precision:6;not null;autoCreateTime:false;index:audit_events_created_idx,priority:2;index:audit_events_action_idx,priority:3;index:audit_events_result_idx,priority:3;index:audit_events_key_idx,priority:3;index:audit_events_assistant_idx,priority:3"`
	Action        assistants.AuditAction  `gorm:"size:64;not null;index:audit_events_action_idx,priority:2"`
	Result        assistants.AuditResult  `gorm:"size:32;not null;index:audit_events_result_idx,priority:2"`
	Status        int                     `gorm:"not null"`
	Code          *string                 `gorm:"size:255"`
	KeyID         *assistants.KeyID       `gorm:"size:64;index:audit_events_key_idx,priority:2"`
	KeyName       *string                 `gorm:"size:255"`
	UserName      *string                 `gorm:"size:255"`
	Address       string                  `gorm:"size:255;not null"`
	RequestID     string                  `gorm:"size:255;not null"`
	AssistantID   *assistants.AssistantID `gorm:"size:64;index:audit_events_assistant_idx,priority:2"`
	TargetID      *string                 `gorm:"size:255"`
	Fields        string                  `gorm:"not null"` // JSON list
	Model         *string                 `gorm:"size:255"`
	Query         *string                 // of a chat or a search
	CollectionIDs string                  `gorm:"column:collection_ids;not null"` // JSON list
	DocumentIDs   string                  `gorm:"column:document_ids;not null"`   // JSON list
	Results       int                     `gorm:"not null"`
	TookMicros    int64                   `gorm:"not null"`
}

// TableName implements GORM's Tabler.
func (auditRow) TableName() string { return "audit_events" }

func newAuditRow(e assistants.AuditEvent) auditRow {
	return auditRow{
		ID: e.ID, TenantID: e.TenantID, CreatedAt: stamp(e.CreatedAt), Action: e.Action, Result: e.Result(), Status: e.Status, Code: orNull(e.Code),
		KeyID: orNull(e.Key), KeyName: orNull(e.KeyName), UserName: orNull(e.User), Address: e.Address, RequestID: e.RequestID,
		AssistantID: orNull(e.Assistant), TargetID: orNull(e.Target), Fields: listColumn(e.Fields), Model: orNull(e.Model), Query: orNull(e.Query),
		CollectionIDs: listColumn(e.Collections), DocumentIDs: listColumn(e.Documents), Results: e.Results, TookMicros: e.Took.Microseconds(),
	}
}

func (r auditRow) event() (assistants.AuditEvent, error) {
	e := assistants.AuditEvent{
		ID: r.ID, TenantID: r.TenantID, CreatedAt: r.CreatedAt.UTC(), Action: r.Action, Status: r.Status, Code: orZero(r.Code),
		Key: orZero(r.KeyID), KeyName: orZero(r.KeyName), User: orZero(r.UserName), Address: r.Address, RequestID: r.RequestID,
		Assistant: orZero(r.AssistantID), Target: orZero(r.TargetID), Model: orZero(r.Model), Query: orZero(r.Query),
		Results: r.Results, Took: time.Duration(r.TookMicros) * time.Microsecond,
	}
	return e, errors.Join(json.Unmarshal([]byte(r.Fields), &e.Fields), json.Unmarshal([]byte(r.CollectionIDs), &e.Collections), json.Unmarshal([]byte(r.DocumentIDs), &e.Documents))
}

// listColumn returns a list as its column has it, in JSON. Most lists are empty or have
// plain ids, so that GORM's serializer would cost more than all else of a row.
func listColumn[T ~string](list []T) string {
	if len(list) == 0 {
		return "[]"
	}
	raw, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings always have a JSON form
	}
	return string(raw)
}

// SaveAudit stores events of any tenants, and counts the usage of the chats among
// them. One whose id is known replaces the stored event.
func (s *Store) SaveAudit(ctx context.Context, events []assistants.AuditEvent) error {
	err := s.saveAudit(ctx, events, false)
	if errors.Is(err, assistants.ErrConflict) { // some of the chats are stored
		err = s.saveAudit(ctx, events, true)
	}
	return err
}

// saveAudit is SaveAudit. A chat is sent again only by a caller who did not learn that
// it was stored, so that it is known only if the caller says again. ErrConflict: a chat
// is stored already although the caller does not say so.
func (s *Store) saveAudit(ctx context.Context, events []assistants.AuditEvent, again bool) error {
	var fresh, known []auditRow
	for _, e := range events {
		if row := newAuditRow(e); e.Chat != nil && !again {
			fresh = append(fresh, row)
		} else {
			known = append(known, row)
		}
	}
	return s.write(ctx, "audit", func(tx *gorm.DB) (err error) {
		counted := events
		if again {
			if counted, err = unstored(tx, events); err != nil {
				return err
			}
		}
		if err := createAll(tx.Clauses(clause.Insert{Modifier: s.backend.dialect.orRollback}), fresh); err != nil {
			return err
		}
		if err := createAll(tx.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, UpdateAll: true}), known); err != nil {
			return err
		}
		return createAll(tx.Clauses(addUsage), newUsageRows(assistants.UsageOf(counted)))
	})
}

// unstored returns the events that are not stored yet.
func unstored(tx *gorm.DB, events []assistants.AuditEvent) ([]assistants.AuditEvent, error) {
	stored := map[assistants.AuditID]bool{}
	for some := range slices.Chunk(events, insertBatch) {
		ids := make([]assistants.AuditID, len(some))
		for i, e := range some {
			ids[i] = e.ID
		}
		var found []assistants.AuditID
		if err := tx.Model(&auditRow{}).Where("id IN ?", ids).Pluck("id", &found).Error; err != nil {
			return nil, err
		}
		for _, id := range found {
			stored[id] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(events), func(e assistants.AuditEvent) bool { return stored[e.ID] }), nil
}

// FindAudit lists the events of a tenant that a query selects, by creation.
func (s *Store) FindAudit(ctx context.Context, tenant assistants.TenantID, q assistants.AuditQuery, l assistants.List) (assistants.Listing[assistants.AuditEvent], error) {
	chosen := func() *gorm.DB {
		tx := s.read(ctx).Model(&auditRow{}).Where("tenant_id = ?", tenant)
		if len(q.Actions) > 0 {
			tx = tx.Where("action IN ?", q.Actions)
		}
		if q.Result != "" {
			tx = tx.Where("result = ?", q.Result)
		}
		if q.Result != "" && q.Result != assistants.AuditOK {
			tx = tx.Where("result <> 'ok'") // so that the index is known to have all of them
		}
		if q.Key != "" {
			tx = tx.Where("key_id = ?", q.Key)
		}
		if q.Assistant != "" {
			tx = tx.Where("assistant_id = ?", q.Assistant)
		}
		if !q.From.IsZero() {
			tx = tx.Where("created_at >= ?", stamp(q.From))
		}
		if !q.To.IsZero() {
			tx = tx.Where("created_at < ?", stamp(q.To))
		}
		return tx
	}
	l.Sort, l.Count = assistants.SortCreated, false
	return findPage(ctx, s, selected[auditRow, assistants.AuditEvent]{
		rows: chosen, count: chosen,
		order:   byCreation(l, func(r auditRow) position { return position{r.CreatedAt, string(r.ID)} }),
		convert: auditRow.event, bound: []any{"audit", q},
	}, l)
}

// RemoveAudit removes at most limit of the events from before a time, of every
// tenant, and returns their number. It reads what is old, tenant by tenant as the index has
// it, before it writes: mostly nothing is.
func (s *Store) RemoveAudit(ctx context.Context, before time.Time, limit int) (n int, err error) {
	before = stamp(before)
	next := s.read(ctx)
	for n < limit {
		var oldest []auditRow
		if err := next.Select("tenant_id", "created_at").Order("tenant_id, created_at").Limit(1).Find(&oldest).Error; err != nil || len(oldest) == 0 {
			return n, s.wrap(ctx, "old audit events", err)
		}
		tenant := oldest[0].TenantID
		if oldest[0].CreatedAt.Before(before) {
			removed, err := s.removeAudit(ctx, tenant, before, limit-n)
			if n += removed; err != nil {
				return n, err
			}
		}
		next = s.read(ctx).Where("tenant_id > ?", tenant)
	}
	return n, nil
}

// removeAudit is RemoveAudit for one tenant.
func (s *Store) removeAudit(ctx context.Context, tenant assistants.TenantID, before time.Time, limit int) (n int, err error) {
	err = s.write(ctx, "remove old audit events", func(tx *gorm.DB) error {
		var ids []assistants.AuditID
		err := tx.Model(&auditRow{}).Where("tenant_id = ? AND created_at < ?", tenant, before).Order("created_at").Limit(limit).Pluck("id", &ids).Error
		if err != nil || len(ids) == 0 {
			return err
		}
		deleted := tx.Where("id IN ?", ids).Delete(&auditRow{})
		n = int(deleted.RowsAffected)
		return deleted.Error
	})
	return n, err
}
