package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// upstreamRow is a stored upstream. APIKey and the values of Headers are sealed;
// "" means none.
type upstreamRow struct {
	ID           assistants.UpstreamID `gorm:"primaryKey;size:64;not null;index:upstreams_created_idx,priority:3"`
	TenantID     assistants.TenantID   `gorm:"size:64;not null;uniqueIndex:upstreams_name_key,priority:1;index:upstreams_created_idx,priority:1"`
	Name         string                `gorm:"size:255;not null;uniqueIndex:upstreams_name_key,priority:2"`
	BaseURL      string                `gorm:"column:base_url;not null"`
	APIKey       string                `gorm:"column:api_key;not null"`
	DefaultModel string                `gorm:"size:255;not null"`
	Headers      map[string]string     `gorm:"serializer:json;not null"`
	Revision     int64                 `gorm:"not null"`

	// In seconds; 0: the default.
	FirstTokenTimeout int64 `gorm:"not null;default:0"`
	IdleTimeout       int64 `gorm:"not null;default:0"`
	TotalTimeout      int64 `gorm:"not null;default:0"`

	CreatedAt time.Time `gorm:"precision:6;not null;autoCreateTime:false;index:upstreams_created_idx,priority:2"`
	UpdatedAt time.Time `gorm:"precision:6;not null;autoUpdateTime:false"`
}

// TableName implements GORM's Tabler.
func (upstreamRow) TableName() string { return "upstreams" }

// Columns of an upstream that hold secrets.
const (
	apiKeyColumn = "api_key"
	headerColumn = "headers."
)

func (s *Store) newUpstreamRow(u assistants.Upstream) (upstreamRow, error) {
	r := upstreamRow{
		ID: u.ID, TenantID: u.TenantID, Name: u.Name, BaseURL: u.BaseURL, DefaultModel: u.DefaultModel,
		Headers: make(map[string]string, len(u.Headers)), CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt,
		FirstTokenTimeout: int64(u.Timeouts.FirstToken / time.Second), IdleTimeout: int64(u.Timeouts.Idle / time.Second),
		TotalTimeout: int64(u.Timeouts.Total / time.Second),
	}
	var err error
	if r.APIKey, err = s.sealer.seal(u.APIKey, r.place(apiKeyColumn)); err != nil {
		return r, err
	}
	for name, value := range u.Headers {
		if r.Headers[name], err = s.sealer.seal(value, r.place(headerColumn+name)); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (r upstreamRow) place(column string) place { return place{r.TenantID, string(r.ID), column} }

func (s *Store) upstream(r upstreamRow) assistants.Upstream {
	u := assistants.Upstream{
		ID: r.ID, TenantID: r.TenantID, Name: r.Name, BaseURL: r.BaseURL, DefaultModel: r.DefaultModel,
		APIKey: s.sealer.open(r.APIKey, r.place(apiKeyColumn)), Headers: make(map[string]assistants.Secret, len(r.Headers)),
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
		Timeouts: assistants.UpstreamTimeouts{
			FirstToken: time.Duration(r.FirstTokenTimeout) * time.Second, Idle: time.Duration(r.IdleTimeout) * time.Second,
			Total: time.Duration(r.TotalTimeout) * time.Second,
		},
	}
	for name, sealed := range r.Headers {
		u.Headers[name] = s.sealer.open(sealed, r.place(headerColumn+name))
	}
	return u
}

func checkUpstream(u assistants.Upstream) error {
	for _, c := range [][2]string{{"name", u.Name}, {"base_url", u.BaseURL}, {"default_model", u.DefaultModel}, {"api_key", u.APIKey.Reveal()}} {
		if err := checkText(c[0], c[1]); err != nil {
			return err
		}
	}
	for name, value := range u.Headers {
		if err := checkText("headers", name, value.Reveal()); err != nil {
			return err
		}
	}
	return nil
}

// CreateUpstream stores an upstream. ErrConflict: the name is taken.
func (s *Store) CreateUpstream(ctx context.Context, u assistants.Upstream) error {
	if err := checkUpstream(u); err != nil {
		return err
	}
	now := s.stamp()
	u.CreatedAt, u.UpdatedAt = stampOr(u.CreatedAt, now), stampOr(u.UpdatedAt, now)
	row, err := s.newUpstreamRow(u)
	if err != nil {
		return s.wrap(ctx, "create upstream", err)
	}
	return s.write(ctx, "create upstream", func(tx *gorm.DB) error {
		if err := checkUpstreamNameFree(tx, u); err != nil {
			return err
		}
		return tx.Create(&row).Error
	})
}

// Upstream finds an upstream by id or name; a name never looks like an id.
func (s *Store) Upstream(ctx context.Context, tenant assistants.TenantID, ref string) (assistants.Upstream, error) {
	var row upstreamRow
	err := s.read(ctx).Where("tenant_id = ? AND (id = ? OR name = ?)", tenant, ref, ref).Take(&row).Error
	if err != nil {
		return assistants.Upstream{}, s.wrap(ctx, "upstream", err)
	}
	return s.upstream(row), nil
}

// Upstreams lists a tenant's upstreams.
func (s *Store) Upstreams(ctx context.Context, tenant assistants.TenantID, list assistants.List) ([]assistants.Upstream, string, error) {
	return listRows(ctx, s, s.read(ctx).Where("tenant_id = ?", tenant), list,
		func(r upstreamRow) position { return position{r.CreatedAt, string(r.ID)} },
		func(r upstreamRow) (assistants.Upstream, error) { return s.upstream(r), nil })
}

// UpdateUpstream changes an upstream in one transaction, as UpdateAssistant
// does. ErrConflict: the name is taken, or it changes while assistants use it.
func (s *Store) UpdateUpstream(ctx context.Context, tenant assistants.TenantID, id assistants.UpstreamID, change func(*assistants.Upstream) error) (assistants.Upstream, error) {
	var u assistants.Upstream
	var changeErr error
	err := s.write(ctx, "update upstream", func(tx *gorm.DB) error {
		row, err := lockUpstream(tx, "tenant_id = ? AND id = ?", tenant, id)
		if err != nil {
			return err
		}
		stored := s.upstream(row)
		u = s.upstream(row) // a copy with its own map
		if changeErr = change(&u); changeErr != nil {
			return changeErr
		}
		u.ID, u.TenantID, u.CreatedAt = stored.ID, stored.TenantID, stored.CreatedAt
		u.UpdatedAt = s.stamp()
		if !u.UpdatedAt.After(stored.UpdatedAt) {
			u.UpdatedAt = stored.UpdatedAt.Add(time.Microsecond) // clients made for the former state must differ
		}
		if changeErr = checkUpstream(u); changeErr != nil {
			return changeErr
		}
		if u.Name != stored.Name {
			if err := checkRename(tx, u, stored.Name); err != nil {
				return err
			}
		}
		return s.saveUpstream(tx, u)
	})
	if changeErr != nil {
		return assistants.Upstream{}, changeErr
	}
	if err != nil {
		return assistants.Upstream{}, err
	}
	return u, nil
}

func (s *Store) saveUpstream(tx *gorm.DB, u assistants.Upstream) error {
	row, err := s.newUpstreamRow(u)
	if err != nil {
		return err
	}
	return tx.Model(&upstreamRow{}).Where("tenant_id = ? AND id = ?", u.TenantID, u.ID).
		Select("name", "base_url", "api_key", "default_model", "headers", "updated_at",
			"first_token_timeout", "idle_timeout", "total_timeout").UpdateColumns(&row).Error
}

func checkRename(tx *gorm.DB, u assistants.Upstream, from string) error {
	if err := checkUpstreamNameFree(tx, u); err != nil {
		return err
	}
	n, err := countAssistantsUsing(tx, u.TenantID, from)
	if err != nil || n == 0 {
		return err
	}
	return conflictError("name", assistantsName(n)+" this upstream by its name in the setting upstream or upstream_fallbacks; put its id there first.")
}

// DeleteUpstream removes an upstream. ErrConflict: assistants use it.
func (s *Store) DeleteUpstream(ctx context.Context, tenant assistants.TenantID, id assistants.UpstreamID) error {
	return s.DeleteUpstreamIf(ctx, tenant, id, nil)
}

// DeleteUpstreamIf is DeleteUpstream unless check, within the transaction,
// returns an error for the stored upstream, which is returned.
func (s *Store) DeleteUpstreamIf(ctx context.Context, tenant assistants.TenantID, id assistants.UpstreamID, check func(assistants.Upstream) error) error {
	return s.write(ctx, "delete upstream", func(tx *gorm.DB) error {
		row, err := lockUpstream(tx, "tenant_id = ? AND id = ?", tenant, id)
		if err == nil {
			err = checked(check, func() (assistants.Upstream, error) { return s.upstream(row), nil })
		}
		if err != nil {
			return err
		}
		n, err := countAssistantsUsing(tx, tenant, string(row.ID), row.Name)
		if err != nil {
			return err
		}
		if n > 0 {
			return conflictError("", assistantsName(n)+" this upstream in the setting upstream or upstream_fallbacks; change that first.")
		}
		return tx.Where("tenant_id = ? AND id = ?", tenant, id).Delete(&upstreamRow{}).Error
	})
}

func assistantsName(n int64) string {
	if n == 1 {
		return "1 assistant names"
	}
	return fmt.Sprintf("%d assistants name", n)
}

// countAssistantsUsing counts the assistants whose upstream, or one of its
// fallbacks, is one of refs.
func countAssistantsUsing(tx *gorm.DB, tenant assistants.TenantID, refs ...string) (n int64, err error) {
	var rows []settingsRow
	err = tx.Select("upstream", "upstream_fallbacks").
		Where("tenant_id = ? AND (upstream IN ? OR upstream_fallbacks <> '[]')", tenant, refs).Find(&rows).Error
	for _, row := range rows {
		used := assistants.Settings(row.Columns).StoredUpstreams()
		if slices.ContainsFunc(refs, func(ref string) bool { return slices.Contains(used, ref) }) {
			n++
		}
	}
	return n, err
}

// lockUpstream locks an upstream for the rest of the transaction. Both naming it
// in an assistant and deleting it take the lock, so the later one sees what the
// other did.
func lockUpstream(tx *gorm.DB, where string, args ...any) (upstreamRow, error) {
	var row upstreamRow
	err := lockRow(tx, &row, where, args...)
	return row, err
}

// checkUpstreamsExist checks that the upstreams that an assistant adds to its
// settings exist. known are those that it names already.
func checkUpstreamsExist(tx *gorm.DB, a assistants.Assistant, known []string) error {
	for _, ref := range a.Settings.StoredUpstreams() {
		if slices.Contains(known, ref) {
			continue
		}
		_, err := lockUpstream(tx, "tenant_id = ? AND (id = ? OR name = ?)", a.TenantID, ref, ref)
		switch {
		case err == nil:
		case !errors.Is(err, gorm.ErrRecordNotFound):
			return err
		case a.Settings.Upstream != nil && *a.Settings.Upstream == ref:
			return assistants.UnknownUpstream("settings.upstream")
		default:
			return assistants.UnknownFallback("settings.upstream_fallbacks")
		}
	}
	return nil
}

func checkUpstreamNameFree(tx *gorm.DB, u assistants.Upstream) error {
	return refuseIfAny(tx.Model(&upstreamRow{}).Where("tenant_id = ? AND name = ? AND id <> ?", u.TenantID, u.Name, u.ID),
		conflictError("name", "Another upstream has this name."))
}

// UnreadableUpstreams counts the upstreams of every tenant with a secret that
// the store's key does not decrypt.
func (s *Store) UnreadableUpstreams(ctx context.Context) (int, error) {
	var rows []upstreamRow
	unreadable := 0
	err := s.read(ctx).FindInBatches(&rows, 500, func(*gorm.DB, int) error {
		for _, r := range rows {
			if !s.upstream(r).Readable() {
				unreadable++
			}
		}
		return nil
	}).Error
	return unreadable, s.wrap(ctx, "unreadable upstreams", err)
}
