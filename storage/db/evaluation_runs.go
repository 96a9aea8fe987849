package db

import (
	"context"
	"strconv"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"footnote/assistants"
	"footnote/assistants/evaluation"
	"footnote/assistants/evaluation/runs"
)

// runRow is a run of an evaluation.
type runRow struct {
	ID          assistants.RunID       `gorm:"primaryKey;size:64;not null;index:eval_runs_created_idx,priority:4"`
	TenantID    assistants.TenantID    `gorm:"size:64;not null;index:eval_runs_created_idx,priority:1"`
	AssistantID assistants.AssistantID `gorm:"size:64;not null;index:eval_runs_created_idx,priority:2"`
	Name        string                 `gorm:"size:255;not null"`
	Settings    map[string]any         `gorm:"serializer:json"`
	TopK        int                    `gorm:"not null"`
	Answers     bool                   `gorm:"not null"`
	Judge       bool                   `gorm:"not null;default:false"`
	Status      runs.Status            `gorm:"size:32;not null;index:eval_runs_status_idx"`
	Total       int                    `gorm:"not null"`
	Done        int                    `gorm:"not null"`
	CreatedAt   time.Time              `gorm:"precision:6;not null;autoCreateTime:false;index:eval_runs_created_idx,priority:3"`
	EndedAt     *time.Time             `gorm:"precision:6"`
	Summary     *evaluation.Summary    `gorm:"serializer:json"`
}

// TableName implements GORM's Tabler.
func (runRow) TableName() string { return "eval_runs" }

func (r runRow) run() (runs.Run, error) {
	return runs.Run{
		ID: r.ID, Tenant: r.TenantID, Assistant: r.AssistantID, Name: r.Name, Settings: r.Settings, TopK: r.TopK, Answers: r.Answers, Judge: r.Judge,
		Status: r.Status, Total: r.Total, Done: r.Done, CreatedAt: r.CreatedAt.UTC(), EndedAt: stampPointer(r.EndedAt), Summary: r.Summary,
	}, nil
}

// outcomeRow is the outcome of a question in a run.
type outcomeRow struct {
	RunID    assistants.RunID    `gorm:"primaryKey;size:64;not null"`
	Place    int                 `gorm:"primaryKey;autoIncrement:false;not null"`
	TenantID assistants.TenantID `gorm:"size:64;not null"`
	Body     evaluation.Outcome  `gorm:"serializer:json;not null"`
}

// TableName implements GORM's Tabler.
func (outcomeRow) TableName() string { return "eval_outcomes" }

// Refusals of changes to runs.
var (
	errRunActive = conflictError("", "The assistant has a run that has not ended. Wait for it, or cancel it.")
	errRunEnded  = conflictError("", "The run has ended.")
)

// CreateRun stores a run that runs. ErrNotFound: there is no such assistant.
// ErrConflict: another run of the assistant runs.
func (s *Store) CreateRun(ctx context.Context, r runs.Run) error {
	if err := checkText("name", r.Name); err != nil {
		return err
	}
	row := runRow{
		ID: r.ID, TenantID: r.Tenant, AssistantID: r.Assistant, Name: r.Name, Settings: r.Settings, TopK: r.TopK, Answers: r.Answers, Judge: r.Judge,
		Status: runs.Running, Total: r.Total, CreatedAt: stampOr(r.CreatedAt, s.stamp()),
	}
	return s.write(ctx, "create run", func(tx *gorm.DB) error {
		if _, err := lockAssistant(tx, r.Tenant, string(r.Assistant)); err != nil {
			return err
		}
		err := refuseIfAny(tx.Model(&runRow{}).Where("tenant_id = ? AND assistant_id = ? AND status = ?", r.Tenant, r.Assistant, runs.Running), errRunActive)
		if err != nil {
			return err
		}
		return tx.Create(&row).Error
	})
}

// Run returns a run.
func (s *Store) Run(ctx context.Context, tenant assistants.TenantID, id assistants.RunID) (runs.Run, error) {
	var row runRow
	if err := s.read(ctx).Where("tenant_id = ? AND id = ?", tenant, id).Take(&row).Error; err != nil {
		return runs.Run{}, s.wrap(ctx, "run", err)
	}
	return row.run()
}

// FindRuns lists the runs of an assistant by creation.
func (s *Store) FindRuns(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, l assistants.List) (assistants.Listing[runs.Run], error) {
	chosen := func() *gorm.DB {
		return s.read(ctx).Model(&runRow{}).Where("tenant_id = ? AND assistant_id = ?", tenant, assistant)
	}
	l.Sort = assistants.SortCreated
	return findPage(ctx, s, selected[runRow, runs.Run]{
		rows: chosen, count: chosen,
		order:   byCreation(l, func(r runRow) position { return position{r.CreatedAt, string(r.ID)} }),
		convert: runRow.run, bound: []any{"runs", assistant},
	}, l)
}

// AssistantOfRun finds the assistant of a run, if it is visible.
func (s *Store) AssistantOfRun(ctx context.Context, tenant assistants.TenantID, id assistants.RunID, sight assistants.Sight) (assistants.Assistant, error) {
	a, err := takeAssistant(inSight(s.read(ctx), sight).Joins("JOIN eval_runs ON eval_runs.assistant_id = assistants.id").
		Where("assistants.tenant_id = ? AND eval_runs.tenant_id = ? AND eval_runs.id = ?", tenant, tenant, id))
	return a, s.wrap(ctx, "assistant of run", err)
}

// lockRunning changes a run that runs, which locks its row. ErrNotFound: it is
// gone. ErrConflict: it has ended.
func lockRunning(tx *gorm.DB, tenant assistants.TenantID, id assistants.RunID, changes map[string]any) error {
	changed := tx.Model(&runRow{}).Where("tenant_id = ? AND id = ? AND status = ?", tenant, id, runs.Running).UpdateColumns(changes)
	if changed.Error != nil || changed.RowsAffected > 0 {
		return changed.Error
	}
	if err := tx.Where("tenant_id = ? AND id = ?", tenant, id).Take(&runRow{}).Error; err != nil {
		return err
	}
	return errRunEnded
}

// AddOutcome stores the outcome of the question at a place, which may be stored
// again, and counts what is stored. ErrNotFound: the run is gone. ErrConflict:
// it has ended.
func (s *Store) AddOutcome(ctx context.Context, r runs.Run, place int, o evaluation.Outcome) error {
	row := outcomeRow{RunID: r.ID, Place: place, TenantID: r.Tenant, Body: o}
	return s.write(ctx, "add outcome", func(tx *gorm.DB) error {
		if err := lockRunning(tx, r.Tenant, r.ID, map[string]any{"done": gorm.Expr("done")}); err != nil {
			return err
		}
		stored := clause.OnConflict{Columns: []clause.Column{{Name: "run_id"}, {Name: "place"}}, UpdateAll: true}
		if err := tx.Clauses(stored).Create(&row).Error; err != nil {
			return err
		}
		var done int64
		if err := tx.Model(&outcomeRow{}).Where("tenant_id = ? AND run_id = ?", r.Tenant, r.ID).Count(&done).Error; err != nil {
			return err
		}
		return tx.Model(&runRow{}).Where("tenant_id = ? AND id = ?", r.Tenant, r.ID).UpdateColumn("done", done).Error
	})
}

// EndRun ends a run that runs and sums up its outcomes. Errors as AddOutcome.
func (s *Store) EndRun(ctx context.Context, tenant assistants.TenantID, id assistants.RunID, status runs.Status, at time.Time) (ended runs.Run, err error) {
	err = s.write(ctx, "end run", func(tx *gorm.DB) error {
		ended, err = endRun(tx, tenant, id, status, at)
		return err
	})
	return ended, err
}

func endRun(tx *gorm.DB, tenant assistants.TenantID, id assistants.RunID, status runs.Status, at time.Time) (runs.Run, error) {
	if err := lockRunning(tx, tenant, id, map[string]any{"status": status, "ended_at": stamp(at)}); err != nil {
		return runs.Run{}, err
	}
	outcomes, err := outcomesOf(tx, tenant, id)
	if err != nil {
		return runs.Run{}, err
	}
	summary := evaluation.Summarise(outcomes)
	err = tx.Model(&runRow{}).Where("tenant_id = ? AND id = ?", tenant, id).Select("summary").UpdateColumns(runRow{Summary: &summary}).Error
	if err != nil {
		return runs.Run{}, err
	}
	var row runRow
	if err := tx.Where("tenant_id = ? AND id = ?", tenant, id).Take(&row).Error; err != nil {
		return runs.Run{}, err
	}
	return row.run()
}

// InterruptRuns ends the runs of all tenants that a process which is gone left
// running, with what was measured, and returns their number. The caller must
// have the database to itself.
func (s *Store) InterruptRuns(ctx context.Context, at time.Time) (int, error) {
	var left []runRow
	err := s.read(ctx).Select("tenant_id", "id").Where("status = ?", runs.Running).Find(&left).Error
	if err != nil {
		return 0, s.wrap(ctx, "interrupt runs", err)
	}
	for i, row := range left {
		if _, err := s.EndRun(ctx, row.TenantID, row.ID, runs.Interrupted, at); err != nil {
			return i, err
		}
	}
	return len(left), nil
}

// DeleteRunIf removes a run that has ended with its outcomes; one that runs is
// cancelled instead, which cancelled reports. It does neither if check, within the
// transaction, returns an error for the stored run, which is returned.
func (s *Store) DeleteRunIf(ctx context.Context, tenant assistants.TenantID, id assistants.RunID, at time.Time, check func(runs.Run) error) (cancelled bool, err error) {
	err = s.write(ctx, "delete run", func(tx *gorm.DB) error {
		var row runRow
		locked := tx.Model(&runRow{}).Where("tenant_id = ? AND id = ?", tenant, id).UpdateColumn("done", gorm.Expr("done"))
		if locked.Error != nil {
			return locked.Error
		}
		if err := tx.Where("tenant_id = ? AND id = ?", tenant, id).Take(&row).Error; err != nil {
			return err
		}
		if err := checked(check, row.run); err != nil {
			return err
		}
		if cancelled = row.Status == runs.Running; cancelled {
			_, err := endRun(tx, tenant, id, runs.Cancelled, at)
			return err
		}
		return deleteRuns(tx, tenant, []assistants.RunID{id})
	})
	return cancelled && err == nil, err
}

// deleteRuns removes runs, and then their outcomes, which nobody can add to any more.
func deleteRuns(tx *gorm.DB, tenant assistants.TenantID, ids []assistants.RunID) error {
	if err := inTenant(tx, tenant).Where("id IN ?", ids).Delete(&runRow{}).Error; err != nil {
		return err
	}
	return tx.Where("tenant_id = ? AND run_id IN ?", tenant, ids).Delete(&outcomeRow{}).Error
}

func outcomesOf(tx *gorm.DB, tenant assistants.TenantID, id assistants.RunID) ([]evaluation.Outcome, error) {
	var rows []outcomeRow
	err := tx.Where("tenant_id = ? AND run_id = ?", tenant, id).Order("place").Find(&rows).Error
	outcomes := make([]evaluation.Outcome, len(rows))
	for i, r := range rows {
		outcomes[i] = r.Body
	}
	return outcomes, err
}

// Outcomes returns all outcomes of a run in the order of its questions.
func (s *Store) Outcomes(ctx context.Context, tenant assistants.TenantID, id assistants.RunID) ([]evaluation.Outcome, error) {
	outcomes, err := outcomesOf(s.read(ctx), tenant, id)
	return outcomes, s.wrap(ctx, "outcomes", err)
}

// ListOutcomes lists the outcomes of a run in the order of its questions.
func (s *Store) ListOutcomes(ctx context.Context, tenant assistants.TenantID, id assistants.RunID, l assistants.List) (items []evaluation.Outcome, next string, err error) {
	tx := s.read(ctx).Where("tenant_id = ? AND run_id = ?", tenant, id)
	if l.Cursor != "" {
		first, of, err := decodeCursor(l.Cursor)
		if err != nil {
			return nil, "", err
		}
		place, err := strconv.Atoi(first)
		if err != nil || of != string(id) {
			return nil, "", badCursor()
		}
		tx = tx.Where("place > ?", place)
	}
	var rows []outcomeRow
	if err := tx.Order("place").Limit(pageSize(l) + 1).Find(&rows).Error; err != nil {
		return nil, "", s.wrap(ctx, "list outcomes", err)
	}
	rows, next = page(rows, l, func(r outcomeRow) string { return encodeCursor(strconv.Itoa(r.Place), string(id)) })
	for _, r := range rows {
		items = append(items, r.Body)
	}
	return items, next, nil
}
