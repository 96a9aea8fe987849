package db

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// keyRow is an API key. Assistants is NULL for a key that may see all
// assistants, which differs from an empty list.
type keyRow struct {
	ID               assistants.KeyID         `gorm:"primaryKey;size:64;not null;index:api_keys_created_idx,priority:3"`
	TenantID         assistants.TenantID      `gorm:"size:64;not null;index:api_keys_created_idx,priority:1"`
	Name             string                   `gorm:"size:255;not null"`
	Prefix           string                   `gorm:"size:64;not null;uniqueIndex:api_keys_prefix_key"`
	KeyHash          string                   `gorm:"size:64;not null"`
	Scopes           []assistants.Scope       `gorm:"serializer:json;not null"`
	Assistants       []assistants.AssistantID `gorm:"serializer:json"`
	DefaultAssistant *assistants.AssistantID  `gorm:"size:64"`
	CreatedAt        time.Time                `gorm:"precision:6;not null;autoCreateTime:false;index:api_keys_created_idx,priority:2"`
	ExpiresAt        *time.Time               `gorm:"precision:6"`
	RevokedAt        *time.Time               `gorm:"precision:6"`
	Limits           *assistants.Limits       `gorm:"serializer:json"` // null: the default ones
}

// TableName implements GORM's Tabler.
func (keyRow) TableName() string { return "api_keys" }

func (r keyRow) key() (assistants.Key, error) {
	k := assistants.Key{
		ID: r.ID, TenantID: r.TenantID, Name: r.Name, Prefix: r.Prefix, Scopes: orEmpty(r.Scopes), Assistants: r.Assistants,
		DefaultAssistant: orZero(r.DefaultAssistant),
		CreatedAt:        r.CreatedAt.UTC(), ExpiresAt: stampPointer(r.ExpiresAt), RevokedAt: stampPointer(r.RevokedAt),
	}
	if k.Limits = assistants.DefaultLimits(k.Scopes); r.Limits != nil {
		k.Limits = *r.Limits
	}
	if n, err := hex.Decode(k.Hash[:], []byte(r.KeyHash)); err != nil || n != len(k.Hash) {
		return k, fmt.Errorf("the hash of key %s is damaged", r.ID)
	}
	return k, nil
}

// CreateKey stores a key. ErrConflict: the prefix is taken.
func (s *Store) CreateKey(ctx context.Context, k assistants.Key) error {
	if err := checkText("name", k.Name); err != nil {
		return err
	}
	if err := checkText("prefix", k.Prefix); err != nil {
		return err
	}
	row := keyRow{
		ID: k.ID, TenantID: k.TenantID, Name: k.Name, Prefix: k.Prefix, KeyHash: hex.EncodeToString(k.Hash[:]),
		Scopes: orEmpty(k.Scopes), Assistants: k.Assistants, CreatedAt: stampOr(k.CreatedAt, s.stamp()),
		ExpiresAt: stampPointer(k.ExpiresAt), RevokedAt: stampPointer(k.RevokedAt), DefaultAssistant: orNull(k.DefaultAssistant), Limits: &k.Limits,
	}
	return s.write(ctx, "create key", func(tx *gorm.DB) error { return tx.Create(&row).Error })
}

// UpdateKey changes the name and the limits of a key in one transaction: change edits
// the stored value. An error of change is returned as it is, and nothing changes.
func (s *Store) UpdateKey(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID, change func(*assistants.Key) error) (assistants.Key, error) {
	var k assistants.Key
	var changeErr error
	err := s.write(ctx, "update key", func(tx *gorm.DB) error {
		locked := tx.Model(&keyRow{}).Where("tenant_id = ? AND id = ?", tenant, id).UpdateColumn("name", gorm.Expr("name"))
		if locked.Error != nil {
			return locked.Error
		}
		var row keyRow
		err := tx.Where("tenant_id = ? AND id = ?", tenant, id).Take(&row).Error
		if err != nil {
			return err
		}
		if k, err = row.key(); err != nil {
			return err
		}
		changed := k
		if changeErr = change(&changed); changeErr != nil {
			return changeErr
		}
		if changeErr = checkText("name", changed.Name); changeErr != nil {
			return changeErr
		}
		k.Name, k.Limits = changed.Name, changed.Limits // nothing else may change
		row.Name, row.Limits = k.Name, &k.Limits
		return tx.Model(&keyRow{}).Where("tenant_id = ? AND id = ?", tenant, id).Select("name", "limits").UpdateColumns(&row).Error
	})
	if changeErr != nil {
		return assistants.Key{}, changeErr
	}
	return k, err
}

// KeyByPrefix finds a key, including revoked and expired ones.
func (s *Store) KeyByPrefix(ctx context.Context, prefix string) (assistants.Key, error) {
	var row keyRow
	if err := s.read(ctx).Where("prefix = ?", prefix).Take(&row).Error; err != nil {
		return assistants.Key{}, s.wrap(ctx, "key by prefix", err)
	}
	k, err := row.key()
	return k, s.wrap(ctx, "key by prefix", err)
}

// Key returns a key, also one that is revoked or has expired.
func (s *Store) Key(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID) (assistants.Key, error) {
	var row keyRow
	if err := s.read(ctx).Where("tenant_id = ? AND id = ?", tenant, id).Take(&row).Error; err != nil {
		return assistants.Key{}, s.wrap(ctx, "key", err)
	}
	k, err := row.key()
	return k, s.wrap(ctx, "key", err)
}

// Keys lists a tenant's keys.
func (s *Store) Keys(ctx context.Context, tenant assistants.TenantID, list assistants.List) ([]assistants.Key, string, error) {
	return listRows(ctx, s, s.read(ctx).Where("tenant_id = ?", tenant), list,
		func(r keyRow) position { return position{r.CreatedAt, string(r.ID)} }, keyRow.key)
}

// RevokeKey revokes a key. Revoking it again is not an error and does not change
// the time.
func (s *Store) RevokeKey(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID, at time.Time) error {
	return s.RevokeKeyIf(ctx, tenant, id, at, nil)
}

// RevokeKeyIf is RevokeKey unless check, within the transaction, returns an error
// for the stored key, which is returned.
func (s *Store) RevokeKeyIf(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID, at time.Time, check func(assistants.Key) error) error {
	return s.write(ctx, "revoke key", func(tx *gorm.DB) error {
		revoked := tx.Model(&keyRow{}).Where("tenant_id = ? AND id = ? AND revoked_at IS NULL", tenant, id).
			UpdateColumn("revoked_at", stamp(at)) // locks the row
		if revoked.Error != nil {
			return revoked.Error
		}
		var row keyRow
		if err := tx.Where("tenant_id = ? AND id = ?", tenant, id).Take(&row).Error; err != nil {
			return err
		}
		return checked(check, func() (assistants.Key, error) {
			if revoked.RowsAffected > 0 {
				row.RevokedAt = nil // as it was before
			}
			return row.key()
		})
	})
}
