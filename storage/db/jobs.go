package db

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// candidates is how many due jobs a worker looks at before it asks again.
const candidates = 16

type jobRow struct {
	ID         assistants.JobID      `gorm:"primaryKey;size:64;not null;index:jobs_created_idx,priority:2"`
	TenantID   assistants.TenantID   `gorm:"size:64;not null"`
	Kind       assistants.JobKind    `gorm:"size:32;not null"`
	DocumentID assistants.DocumentID `gorm:"size:64;not null;index:jobs_document_idx"`
	Version    int                   `gorm:"not null"`
	BlobKeys   []string              `gorm:"serializer:json;not null"`
	Attempt    int                   `gorm:"not null"`
	NotBefore  time.Time             `gorm:"precision:6;not null"`
	LeaseUntil *time.Time            `gorm:"precision:6"`
	Revision   int64                 `gorm:"not null"`
	CreatedAt  time.Time             `gorm:"precision:6;not null;autoCreateTime:false;index:jobs_created_idx,priority:1"`
}

// TableName implements GORM's Tabler.
func (jobRow) TableName() string { return "jobs" }

func (r jobRow) job() assistants.Job {
	j := assistants.Job{
		ID: r.ID, TenantID: r.TenantID, Kind: r.Kind, DocumentID: r.DocumentID, Version: r.Version, BlobKeys: orEmpty(r.BlobKeys),
		Attempt: r.Attempt, NotBefore: r.NotBefore.UTC(), Revision: r.Revision, CreatedAt: r.CreatedAt.UTC(),
	}
	if r.LeaseUntil != nil {
		j.LeaseUntil = r.LeaseUntil.UTC()
	}
	return j
}

// queue adds a job that is due at once.
func queue(tx *gorm.DB, j assistants.Job, at time.Time) error {
	return tx.Create(&jobRow{
		ID: assistants.NewJobID(), TenantID: j.TenantID, Kind: j.Kind, DocumentID: j.DocumentID, Version: j.Version,
		BlobKeys: orEmpty(j.BlobKeys), NotBefore: at, CreatedAt: at,
	}).Error
}

// ClaimJob implements [assistants.JobStore]. Candidates are read without a
// lock; whoever raises the revision of one first has it, on any database.
func (s *Store) ClaimJob(ctx context.Context, now time.Time, lease time.Duration) (assistants.Job, bool, error) {
	now = stamp(now)
	until := stamp(now.Add(lease))
	for {
		var rows []jobRow
		err := s.read(ctx).Where("not_before <= ? AND (lease_until IS NULL OR lease_until <= ?)", now, now).
			Order("created_at").Order("id").Limit(candidates).Find(&rows).Error
		if err != nil {
			return assistants.Job{}, false, s.wrap(ctx, "claim job", err)
		}
		if len(rows) == 0 {
			return assistants.Job{}, false, nil
		}
		for _, r := range rows {
			won, err := s.swapJob(ctx, "claim job", r.ID, r.Revision, map[string]any{
				"lease_until": until, "attempt": r.Attempt + 1, "revision": r.Revision + 1,
			})
			if err != nil {
				return assistants.Job{}, false, err
			}
			if won {
				r.LeaseUntil, r.Attempt, r.Revision = &until, r.Attempt+1, r.Revision+1
				return r.job(), true, nil
			}
		}
	}
}

// RenewJob implements [assistants.JobStore].
func (s *Store) RenewJob(ctx context.Context, j assistants.Job, until time.Time) (assistants.Job, error) {
	until = stamp(until)
	won, err := s.swapJob(ctx, "renew job", j.ID, j.Revision, map[string]any{"lease_until": until, "revision": j.Revision + 1})
	if err != nil {
		return j, err
	}
	if !won {
		return j, lost(j)
	}
	j.LeaseUntil, j.Revision = until, j.Revision+1
	return j, nil
}

// FinishJob implements [assistants.JobStore].
func (s *Store) FinishJob(ctx context.Context, j assistants.Job) error {
	return s.write(ctx, "finish job", func(tx *gorm.DB) error {
		done := tx.Where("id = ? AND revision = ?", j.ID, j.Revision).Delete(&jobRow{})
		if done.Error == nil && done.RowsAffected == 0 {
			return lost(j)
		}
		return done.Error
	})
}

// RetryJob implements [assistants.JobStore].
func (s *Store) RetryJob(ctx context.Context, j assistants.Job, notBefore time.Time) error {
	won, err := s.swapJob(ctx, "retry job", j.ID, j.Revision, map[string]any{
		"lease_until": nil, "not_before": stamp(notBefore), "revision": j.Revision + 1,
	})
	if err == nil && !won {
		err = lost(j)
	}
	return err
}

// CountJobs implements [assistants.JobStore].
func (s *Store) CountJobs(ctx context.Context) (int, error) {
	var n int64
	err := s.read(ctx).Model(&jobRow{}).Count(&n).Error
	return int(n), s.wrap(ctx, "count jobs", err)
}

// swapJob changes a job if nobody else did since it was read at revision.
func (s *Store) swapJob(ctx context.Context, op string, id assistants.JobID, revision int64, columns map[string]any) (won bool, err error) {
	err = s.write(ctx, op, func(tx *gorm.DB) error {
		swapped := tx.Model(&jobRow{}).Where("id = ? AND revision = ?", id, revision).UpdateColumns(columns)
		won = swapped.RowsAffected == 1
		return swapped.Error
	})
	return won && err == nil, err
}

func lost(j assistants.Job) error {
	return fmt.Errorf("job %s is no longer ours: %w", j.ID, assistants.ErrConflict)
}
