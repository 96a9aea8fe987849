package db

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// candidateBatch is how many due jobs a worker reads at once.
const candidateBatch = 16

// jobRow is a job. Priority is that of its kind; lower ones are claimed first.
// Within a priority, collections take turns by Turn: see [queueAll]. Within a
// collection, jobs are claimed by Place.
type jobRow struct {
	ID         assistants.JobID      `gorm:"primaryKey;size:64;not null;index:jobs_created_idx,priority:2;index:jobs_turn_idx,priority:3"`
	TenantID   assistants.TenantID   `gorm:"size:64;not null"`
	Kind       assistants.JobKind    `gorm:"size:32;not null;index:jobs_lane_idx,priority:2"`
	DocumentID assistants.DocumentID `gorm:"size:64;not null;index:jobs_document_idx"`
	Version    int                   `gorm:"not null"`
	BlobKeys   []string              `gorm:"serializer:json;not null"`
	Attempt    int                   `gorm:"not null"`
	NotBefore  time.Time             `gorm:"precision:6;not null"`
	LeaseUntil *time.Time            `gorm:"precision:6"`
	Revision   int64                 `gorm:"not null"`
	CreatedAt  time.Time             `gorm:"precision:6;not null;autoCreateTime:false;index:jobs_created_idx,priority:1"`
	// CollectionID is null in rows stored before the column existed.
	CollectionID *assistants.CollectionID `gorm:"size:64;index:jobs_lane_idx,priority:1;index:jobs_place_idx,priority:1"`
	Priority     int                      `gorm:"not null;default:0;index:jobs_turn_idx,priority:1;index:jobs_place_idx,priority:2;index:jobs_shortest_idx,priority:1"`
	Turn         int64                    `gorm:"not null;default:0;index:jobs_turn_idx,priority:2;index:jobs_lane_idx,priority:3"`
	// Place orders the jobs of a collection: the time at which the job was queued plus
	// the estimated duration of its work, in microseconds since 1970.
	Place int64 `gorm:"not null;default:0;index:jobs_place_idx,priority:3;index:jobs_shortest_idx,priority:2"`
}

// TableName implements GORM's Tabler.
func (jobRow) TableName() string { return "jobs" }

func (r jobRow) job() assistants.Job {
	j := assistants.Job{
		ID: r.ID, TenantID: r.TenantID, Kind: r.Kind, DocumentID: r.DocumentID, Version: r.Version, BlobKeys: orEmpty(r.BlobKeys),
		Attempt: r.Attempt, NotBefore: r.NotBefore.UTC(), Revision: r.Revision, CreatedAt: r.CreatedAt.UTC(),
		CollectionID: orZero(r.CollectionID),
	}
	if r.LeaseUntil != nil {
		j.LeaseUntil = r.LeaseUntil.UTC()
	}
	return j
}

// Priorities of kinds of jobs: making a document searchable by words never waits
// for another document's vectors.
var priorities = map[assistants.JobKind]int{assistants.JobIngest: 1, assistants.JobPurge: 1, assistants.JobEmbed: 2}

// prioritiesOf returns the lowest and the highest priority of kinds. 0 is the
// priority of rows stored before the column existed, none of which are
// embeddings. So a range that begins at the first priority begins at 0.
func prioritiesOf(kinds []assistants.JobKind) (first, last int) {
	first, last = priorities[kinds[0]], priorities[kinds[0]]
	for _, k := range kinds[1:] {
		first, last = min(first, priorities[k]), max(last, priorities[k])
	}
	if first == priorities[assistants.JobIngest] {
		first = 0
	}
	return first, last
}

// queue adds a job that is due immediately.
func queue(tx *gorm.DB, j assistants.Job, at time.Time) error {
	return queueAll(tx, []assistants.Job{j}, at)
}

// queueAll adds jobs of one kind and collection that are due immediately.
//
// Turns keep collections from waiting for each other: the first job of an idle
// collection gets the current turn, and each further job the turn after the one
// before it.
func queueAll(tx *gorm.DB, jobs []assistants.Job, at time.Time) error {
	if len(jobs) == 0 {
		return nil
	}
	first := jobs[0]
	priority := priorities[first.Kind]
	turn, err := currentTurn(tx, priority, at)
	if err != nil {
		return err
	}
	var last []turnRow
	err = tx.Model(&jobRow{}).Select("COALESCE(MAX(turn), 0) AS turn").
		Where("tenant_id = ? AND collection_id = ? AND kind = ?", first.TenantID, first.CollectionID, first.Kind).Find(&last).Error
	if err != nil {
		return err
	}
	turn = max(turn, last[0].Turn+1)
	rows := make([]jobRow, len(jobs))
	for i, j := range jobs {
		rows[i] = jobRow{
			ID: assistants.NewJobID(), TenantID: j.TenantID, Kind: j.Kind, DocumentID: j.DocumentID, Version: j.Version,
			BlobKeys: orEmpty(j.BlobKeys), NotBefore: at, CreatedAt: at,
			CollectionID: &j.CollectionID, Priority: priority, Turn: turn + int64(i), Place: at.Add(j.Work).UnixMicro(),
		}
	}
	return createAll(tx, rows)
}

// currentTurn returns the turn that is being claimed: the lowest that is due, or
// else the highest of all.
func currentTurn(tx *gorm.DB, priority int, now time.Time) (int64, error) {
	var rows []turnRow
	err := tx.Model(&jobRow{}).Select("COALESCE(MIN(turn), 0) AS turn").
		Where("priority = ? AND lease_until IS NULL AND not_before <= ?", priority, now).Find(&rows).Error
	if err == nil && rows[0].Turn == 0 {
		rows = nil
		err = tx.Model(&jobRow{}).Select("COALESCE(MAX(turn), 0) AS turn").Where("priority = ?", priority).Find(&rows).Error
	}
	if err != nil {
		return 0, err
	}
	return max(1, rows[0].Turn), nil
}

// turnRow is the result of a query of turns; 0: none.
type turnRow struct{ Turn int64 }

// ClaimJob claims a job that is due at now and not leased, for the length of
// lease. ok is false when there is none. JobIngest and JobPurge go before
// JobEmbed. Collections take turns, unless want asks for the shortest job of all.
// Within a collection, and among the shortest, a small job may overtake larger ones
// that were queued shortly before it: see Place of jobRow.
//
// Candidates are read without a lock; the worker that first updates the revision
// of a job has claimed it.
func (s *Store) ClaimJob(ctx context.Context, now time.Time, lease time.Duration, want assistants.JobFilter) (assistants.Job, bool, error) {
	now = stamp(now)
	until := stamp(now.Add(lease))
	due := func() *gorm.DB {
		tx := s.read(ctx).Where("not_before <= ? AND (lease_until IS NULL OR lease_until <= ?)", now, now)
		if len(want.Kinds) > 0 {
			first, last := prioritiesOf(want.Kinds)
			tx = tx.Where("kind IN ? AND priority >= ? AND priority <= ?", want.Kinds, first, last)
		}
		return tx
	}
	for {
		tx := due()
		if len(want.Except) > 0 {
			tx = tx.Where("collection_id NOT IN ?", want.Except)
		}
		if tx = tx.Order("priority"); want.Shortest {
			tx = tx.Order("place")
		} else {
			tx = tx.Order("turn")
		}
		var rows []jobRow
		err := tx.Order("id").Limit(candidateBatch).Find(&rows).Error
		if err != nil {
			return assistants.Job{}, false, s.wrap(ctx, "claim job", err)
		}
		if len(rows) == 0 {
			return assistants.Job{}, false, nil
		}
		for _, turn := range rows {
			r := turn
			if !want.Shortest {
				if r, err = firstPlace(due(), turn); err != nil {
					return assistants.Job{}, false, s.wrap(ctx, "claim job", err)
				}
			}
			won, err := s.claim(ctx, r, turn, until)
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

// firstPlace returns the due job that comes first in the collection of turn, a job
// whose turn it is.
func firstPlace(due *gorm.DB, turn jobRow) (jobRow, error) {
	if turn.CollectionID == nil {
		return turn, nil
	}
	var rows []jobRow
	err := due.Where("collection_id = ? AND priority = ?", *turn.CollectionID, turn.Priority).
		Order("place").Order("id").Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 { // none: another worker was faster
		return turn, err
	}
	return rows[0], nil
}

// claim leases the job r unless another worker did. If r is not the job whose turn
// it is, the two exchange their turns.
func (s *Store) claim(ctx context.Context, r, turn jobRow, until time.Time) (won bool, err error) {
	err = s.write(ctx, "claim job", func(tx *gorm.DB) error {
		claimed := tx.Model(&jobRow{}).Where("id = ? AND revision = ?", r.ID, r.Revision).UpdateColumns(map[string]any{
			"lease_until": until, "attempt": r.Attempt + 1, "revision": r.Revision + 1,
		})
		won = claimed.RowsAffected == 1
		if claimed.Error != nil || !won || r.ID == turn.ID {
			return claimed.Error
		}
		return tx.Model(&jobRow{}).Where("id = ? AND revision = ?", turn.ID, turn.Revision).UpdateColumn("turn", r.Turn).Error
	})
	return won && err == nil, err
}

// RenewJob extends the lease of a claimed job. ErrConflict: the lease was lost
// or the job is gone, so the work must stop.
func (s *Store) RenewJob(ctx context.Context, j assistants.Job, until time.Time) (assistants.Job, error) {
	until = stamp(until)
	won, err := s.updateJob(ctx, "renew job", j.ID, j.Revision, map[string]any{"lease_until": until, "revision": j.Revision + 1})
	if err != nil {
		return j, err
	}
	if !won {
		return j, leaseLostError(j)
	}
	j.LeaseUntil, j.Revision = until, j.Revision+1
	return j, nil
}

// FinishJob removes a claimed job. ErrConflict as RenewJob.
func (s *Store) FinishJob(ctx context.Context, j assistants.Job) error {
	return s.write(ctx, "finish job", func(tx *gorm.DB) error {
		done := tx.Where("id = ? AND revision = ?", j.ID, j.Revision).Delete(&jobRow{})
		if done.Error == nil && done.RowsAffected == 0 {
			return leaseLostError(j)
		}
		return done.Error
	})
}

// RetryJob releases a claimed job, to be claimed again at notBefore. A job that is due
// at once keeps its turn, so that work that was begun goes on; one that has to wait gets
// the next turn. It stores the Attempt of j. ErrConflict as RenewJob.
func (s *Store) RetryJob(ctx context.Context, j assistants.Job, notBefore time.Time) error {
	return s.write(ctx, "retry job", func(tx *gorm.DB) error {
		columns := map[string]any{"lease_until": nil, "not_before": stamp(notBefore), "revision": j.Revision + 1, "attempt": j.Attempt}
		if now := s.stamp(); notBefore.After(now) {
			turn, err := currentTurn(tx, priorities[j.Kind], now)
			if err != nil {
				return err
			}
			columns["turn"] = turn + 1
		}
		released := tx.Model(&jobRow{}).Where("id = ? AND revision = ?", j.ID, j.Revision).UpdateColumns(columns)
		if released.Error == nil && released.RowsAffected == 0 {
			return leaseLostError(j)
		}
		return released.Error
	})
}

// CountJobs counts open jobs of some kinds, or all.
func (s *Store) CountJobs(ctx context.Context, kinds ...assistants.JobKind) (int, error) {
	tx := s.read(ctx).Model(&jobRow{})
	if len(kinds) > 0 {
		tx = tx.Where("kind IN ?", kinds)
	}
	var n int64
	err := tx.Count(&n).Error
	return int(n), s.wrap(ctx, "count jobs", err)
}

// updateJob changes a job unless it was changed since it was read at revision.
func (s *Store) updateJob(ctx context.Context, op string, id assistants.JobID, revision int64, columns map[string]any) (won bool, err error) {
	err = s.write(ctx, op, func(tx *gorm.DB) error {
		swapped := tx.Model(&jobRow{}).Where("id = ? AND revision = ?", id, revision).UpdateColumns(columns)
		won = swapped.RowsAffected == 1
		return swapped.Error
	})
	return won && err == nil, err
}

func leaseLostError(j assistants.Job) error {
	return fmt.Errorf("job %s is no longer ours: %w", j.ID, assistants.ErrConflict)
}
