package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// requestRow is a request with an idempotency key. Status 0: it has not been
// answered.
type requestRow struct {
	TenantID    assistants.TenantID `gorm:"primaryKey;size:64;not null"`
	KeyHash     string              `gorm:"primaryKey;size:64;not null"`
	Fingerprint string              `gorm:"size:64;not null"`
	Resources   []string            `gorm:"serializer:json;not null"`
	Attempt     int                 `gorm:"not null"`
	Status      int                 `gorm:"not null"`
	Body        string              `gorm:"not null"`
	LeaseUntil  time.Time           `gorm:"precision:6;not null"`
	Revision    int64               `gorm:"not null"`
	CreatedAt   time.Time           `gorm:"precision:6;not null;autoCreateTime:false"`
	ExpiresAt   time.Time           `gorm:"precision:6;not null;index:idempotency_keys_expires_idx"`
}

// TableName implements GORM's Tabler.
func (requestRow) TableName() string { return "idempotency_keys" }

func (r requestRow) request() assistants.IdempotentRequest {
	return assistants.IdempotentRequest{
		TenantID: r.TenantID, Key: r.KeyHash, Fingerprint: r.Fingerprint, Resources: orEmpty(r.Resources), Attempt: r.Attempt,
		Status: r.Status, Body: []byte(r.Body), LeaseUntil: r.LeaseUntil.UTC(), Revision: r.Revision,
		CreatedAt: r.CreatedAt.UTC(), ExpiresAt: r.ExpiresAt.UTC(),
	}
}

// AnsweredRequest returns a request that has been answered and does not expire before now.
// ErrNotFound: there is none.
func (s *Store) AnsweredRequest(ctx context.Context, tenant assistants.TenantID, key string, now time.Time) (assistants.IdempotentRequest, error) {
	var row requestRow
	err := s.read(ctx).Where("tenant_id = ? AND key_hash = ? AND status <> 0 AND expires_at >= ?", tenant, key, stamp(now)).Take(&row).Error
	if err != nil {
		return assistants.IdempotentRequest{}, s.wrap(ctx, "answered request", err)
	}
	return row.request(), nil
}

// ReserveRequest begins an attempt at r, which holds the request until
// r.LeaseUntil, and returns reserved true. That is the first attempt, or a
// further one if the lease of the last one ended without an answer; a further
// one keeps the resources and creation time of the first. Otherwise it returns
// the stored request: one with another fingerprint, one that was answered, or
// one in progress. Requests that expired before now are ignored.
func (s *Store) ReserveRequest(ctx context.Context, r assistants.IdempotentRequest, now time.Time) (stored assistants.IdempotentRequest, reserved bool, err error) {
	if err := checkText("idempotency_key", append([]string{r.Key, r.Fingerprint}, r.Resources...)...); err != nil {
		return stored, false, err
	}
	now = stamp(now)
	fresh := requestRow{
		TenantID: r.TenantID, KeyHash: r.Key, Fingerprint: r.Fingerprint, Resources: orEmpty(r.Resources), Attempt: 1,
		LeaseUntil: stamp(r.LeaseUntil), CreatedAt: stamp(r.CreatedAt), ExpiresAt: stamp(r.ExpiresAt),
	}
	var row requestRow
	err = s.write(ctx, "reserve request", func(tx *gorm.DB) error {
		var err error
		for done := false; err == nil && !done; { // another attempt may change the row in between
			row, reserved, done, err = reserveOnce(tx, fresh, now)
		}
		return err
	})
	if err != nil {
		return assistants.IdempotentRequest{}, false, err
	}
	return row.request(), reserved, nil
}

// reserveOnce tries to reserve a request, or returns the stored one. done is
// false when another attempt interfered.
func reserveOnce(tx *gorm.DB, fresh requestRow, now time.Time) (row requestRow, reserved, done bool, err error) {
	sameKey := func() *gorm.DB { return tx.Where("tenant_id = ? AND key_hash = ?", fresh.TenantID, fresh.KeyHash) }
	if err := sameKey().Where("expires_at <= ?", now).Delete(&requestRow{}).Error; err != nil {
		return row, false, false, err
	}
	row = fresh
	inserted, err := insertNew(tx, sameKey(), &row)
	if err != nil || inserted {
		return row, true, true, err
	}
	row = requestRow{}
	err = sameKey().Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return row, false, false, nil
	case err != nil, row.Fingerprint != fresh.Fingerprint, row.Status != 0, row.LeaseUntil.After(now):
		return row, false, true, err
	}
	updated := sameKey().Model(&requestRow{}).Where("revision = ?", row.Revision).UpdateColumns(map[string]any{
		"lease_until": fresh.LeaseUntil, "attempt": row.Attempt + 1, "revision": row.Revision + 1,
	})
	row.LeaseUntil, row.Attempt, row.Revision = fresh.LeaseUntil, row.Attempt+1, row.Revision+1
	return row, true, updated.RowsAffected == 1, updated.Error
}

// RenewRequest moves the end of an attempt's lease. A time in the past lets
// another attempt begin. ErrConflict: another attempt has the request, or it is
// gone.
func (s *Store) RenewRequest(ctx context.Context, r assistants.IdempotentRequest, until time.Time) (assistants.IdempotentRequest, error) {
	until = stamp(until)
	err := s.updateRequest(ctx, "renew request", r, map[string]any{"lease_until": until, "revision": r.Revision + 1})
	if err != nil {
		return r, err
	}
	r.LeaseUntil, r.Revision = until, r.Revision+1
	return r, nil
}

// AnswerRequest stores the answer (Status, Body) of an attempt. ErrConflict as RenewRequest.
func (s *Store) AnswerRequest(ctx context.Context, r assistants.IdempotentRequest) error {
	if err := checkText("body", string(r.Body)); err != nil {
		return err
	}
	return s.updateRequest(ctx, "answer request", r, map[string]any{
		"status": r.Status, "body": string(r.Body), "revision": r.Revision + 1,
	})
}

func (s *Store) updateRequest(ctx context.Context, op string, r assistants.IdempotentRequest, columns map[string]any) error {
	return s.write(ctx, op, func(tx *gorm.DB) error {
		swapped := ownRequest(tx, r).Model(&requestRow{}).UpdateColumns(columns)
		return conflictIfNone(swapped)
	})
}

// ForgetRequest removes an attempt that changed nothing, so that its key can be
// used again. ErrConflict as RenewRequest.
func (s *Store) ForgetRequest(ctx context.Context, r assistants.IdempotentRequest) error {
	return s.write(ctx, "forget request", func(tx *gorm.DB) error {
		return conflictIfNone(ownRequest(tx, r).Delete(&requestRow{}))
	})
}

// ownRequest restricts a statement to a request that this attempt still holds.
func ownRequest(tx *gorm.DB, r assistants.IdempotentRequest) *gorm.DB {
	return tx.Where("tenant_id = ? AND key_hash = ? AND revision = ? AND status = 0", r.TenantID, r.Key, r.Revision)
}

func conflictIfNone(result *gorm.DB) error {
	if result.Error == nil && result.RowsAffected == 0 {
		return fmt.Errorf("the request is no longer ours: %w", assistants.ErrConflict)
	}
	return result.Error
}

// RemoveExpiredRequests removes the requests of every tenant that expired before
// now, and returns their number.
func (s *Store) RemoveExpiredRequests(ctx context.Context, now time.Time) (int, error) {
	var n int64
	err := s.write(ctx, "remove expired requests", func(tx *gorm.DB) error {
		deleted := tx.Where("expires_at <= ?", stamp(now)).Delete(&requestRow{})
		n = deleted.RowsAffected
		return deleted.Error
	})
	return int(n), err
}
