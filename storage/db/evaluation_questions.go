package db

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
	"footnote/assistants/evaluation"
	"footnote/assistants/evaluation/runs"
)

// goldRow is a gold question.
type goldRow struct {
	ID          assistants.GoldID      `gorm:"primaryKey;size:64;not null;index:eval_questions_created_idx,priority:4"`
	TenantID    assistants.TenantID    `gorm:"size:64;not null;index:eval_questions_created_idx,priority:1"`
	AssistantID assistants.AssistantID `gorm:"size:64;not null;uniqueIndex:eval_questions_gold_key,priority:1;index:eval_questions_created_idx,priority:2"`
	GoldID      string                 `gorm:"size:255;not null;uniqueIndex:eval_questions_gold_key,priority:2"`
	Body        evaluation.Question    `gorm:"serializer:json;not null"`
	CreatedAt   time.Time              `gorm:"precision:6;not null;autoCreateTime:false;index:eval_questions_created_idx,priority:3"`
	UpdatedAt   time.Time              `gorm:"precision:6;not null;autoUpdateTime:false"`
}

// TableName implements GORM's Tabler.
func (goldRow) TableName() string { return "eval_questions" }

func newGoldRow(g runs.Gold) goldRow {
	return goldRow{
		ID: g.ID, TenantID: g.Tenant, AssistantID: g.Assistant, GoldID: g.Question.ID, Body: g.Question,
		CreatedAt: stamp(g.CreatedAt), UpdatedAt: stamp(g.UpdatedAt),
	}
}

func (r goldRow) gold() (runs.Gold, error) {
	return runs.Gold{
		ID: r.ID, Tenant: r.TenantID, Assistant: r.AssistantID, Question: r.Body,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}, nil
}

// errTooManyQuestions refuses questions beyond the bound.
var errTooManyQuestions = conflictError("", fmt.Sprintf("An assistant has at most %d gold questions.", runs.MaxQuestions))

// errGoldTaken refuses a second question with the same id of the client.
var errGoldTaken = conflictError("gold_id", "Another question of the assistant has this gold_id.")

// AddQuestions stores gold questions of one assistant: all of them, or none. One
// whose gold id is known replaces the stored question if replace is set, and
// keeps its id. It returns the questions as they are stored. ErrNotFound: there
// is no such assistant. ErrConflict: a gold id is taken, or there would be too
// many questions.
func (s *Store) AddQuestions(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, questions []runs.Gold, replace bool) (stored []runs.Gold, err error) {
	ids := make([]string, len(questions))
	for i, g := range questions {
		if ids[i] = g.Question.ID; g.Tenant != tenant || g.Assistant != assistant {
			return nil, s.wrap(ctx, "add questions", assistants.ErrNotFound)
		}
	}
	if err := checkText("gold_id", ids...); err != nil {
		return nil, err
	}
	err = s.write(ctx, "add questions", func(tx *gorm.DB) error {
		if _, err := lockAssistant(tx, tenant, string(assistant)); err != nil {
			return err
		}
		var present []goldRow
		if err := tx.Where("tenant_id = ? AND assistant_id = ?", tenant, assistant).Find(&present).Error; err != nil {
			return err
		}
		known := make(map[string]goldRow, len(present))
		for _, row := range present {
			known[row.GoldID] = row
		}
		var added []goldRow
		stored = make([]runs.Gold, len(questions))
		for i, g := range questions {
			row := newGoldRow(g)
			old, there := known[row.GoldID]
			switch {
			case !there:
				added = append(added, row)
			case !replace:
				return errGoldTaken
			default:
				row.ID, row.CreatedAt = old.ID, old.CreatedAt
				if err := updateGold(tx, row); err != nil {
					return err
				}
			}
			stored[i], _ = row.gold()
		}
		if len(present)+len(added) > runs.MaxQuestions {
			return errTooManyQuestions
		}
		if len(added) == 0 {
			return nil
		}
		return createAll(tx, added)
	})
	return stored, err
}

func updateGold(tx *gorm.DB, row goldRow) error {
	return tx.Model(&goldRow{}).Where("tenant_id = ? AND id = ?", row.TenantID, row.ID).
		Select("gold_id", "body", "updated_at").UpdateColumns(row).Error
}

// GoldQuestion returns a gold question.
func (s *Store) GoldQuestion(ctx context.Context, tenant assistants.TenantID, id assistants.GoldID) (runs.Gold, error) {
	var row goldRow
	if err := s.read(ctx).Where("tenant_id = ? AND id = ?", tenant, id).Take(&row).Error; err != nil {
		return runs.Gold{}, s.wrap(ctx, "gold question", err)
	}
	return row.gold()
}

// FindQuestions lists the gold questions of an assistant by creation.
func (s *Store) FindQuestions(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, l assistants.List) (assistants.Listing[runs.Gold], error) {
	chosen := func() *gorm.DB {
		return s.read(ctx).Model(&goldRow{}).Where("tenant_id = ? AND assistant_id = ?", tenant, assistant)
	}
	l.Sort, l.Descending = assistants.SortCreated, false
	return findPage(ctx, s, selected[goldRow, runs.Gold]{
		rows: chosen, count: chosen,
		order:   byCreation(l, func(r goldRow) position { return position{r.CreatedAt, string(r.ID)} }),
		convert: goldRow.gold, bound: []any{"questions", assistant},
	}, l)
}

// lockGold locks a gold question and its assistant, whose lock also guards
// against others that take its gold id, and applies check to it.
func lockGold(tx *gorm.DB, tenant assistants.TenantID, id assistants.GoldID, check func(runs.Gold) error) (goldRow, error) {
	var row goldRow
	if err := tx.Where("tenant_id = ? AND id = ?", tenant, id).Take(&row).Error; err != nil {
		return row, err
	}
	if _, err := lockAssistant(tx, tenant, string(row.AssistantID)); err != nil {
		return row, err
	}
	row = goldRow{}
	if err := tx.Where("tenant_id = ? AND id = ?", tenant, id).Take(&row).Error; err != nil {
		return row, err
	}
	return row, checked(check, row.gold)
}

// ReplaceQuestionIf replaces what a gold question asks and expects, unless
// check, within the transaction, returns an error for the stored question, which
// is returned. Without an id, q keeps the stored one. ErrConflict: the gold id is taken.
func (s *Store) ReplaceQuestionIf(ctx context.Context, tenant assistants.TenantID, id assistants.GoldID, q evaluation.Question, at time.Time, check func(runs.Gold) error) (saved runs.Gold, err error) {
	if err := checkText("gold_id", q.ID); err != nil {
		return runs.Gold{}, err
	}
	err = s.write(ctx, "replace question", func(tx *gorm.DB) error {
		row, err := lockGold(tx, tenant, id, check)
		if err != nil {
			return err
		}
		body := q
		if body.ID == "" {
			body.ID = row.GoldID
		}
		err = refuseIfAny(tx.Model(&goldRow{}).Where("tenant_id = ? AND assistant_id = ? AND gold_id = ? AND id <> ?", tenant, row.AssistantID, body.ID, id), errGoldTaken)
		if err != nil {
			return err
		}
		row.GoldID, row.Body, row.UpdatedAt = body.ID, body, stamp(at)
		saved, _ = row.gold()
		return updateGold(tx, row)
	})
	return saved, err
}

// DeleteQuestionIf removes a gold question, unless check returns an error as in
// ReplaceQuestionIf. Runs keep its outcomes.
func (s *Store) DeleteQuestionIf(ctx context.Context, tenant assistants.TenantID, id assistants.GoldID, check func(runs.Gold) error) error {
	return s.write(ctx, "delete question", func(tx *gorm.DB) error {
		if _, err := lockGold(tx, tenant, id, check); err != nil {
			return err
		}
		return tx.Where("tenant_id = ? AND id = ?", tenant, id).Delete(&goldRow{}).Error
	})
}

// AssistantOfQuestion finds the assistant of a gold question, if it is visible.
func (s *Store) AssistantOfQuestion(ctx context.Context, tenant assistants.TenantID, id assistants.GoldID, sight assistants.Sight) (assistants.Assistant, error) {
	a, err := takeAssistant(inSight(s.read(ctx), sight).Joins("JOIN eval_questions ON eval_questions.assistant_id = assistants.id").
		Where("assistants.tenant_id = ? AND eval_questions.tenant_id = ? AND eval_questions.id = ?", tenant, tenant, id))
	return a, s.wrap(ctx, "assistant of question", err)
}

// deleteEvaluation removes the gold questions and the runs of an assistant,
// whose row is locked, so that none is added meanwhile.
func deleteEvaluation(tx *gorm.DB, tenant assistants.TenantID, assistant assistants.AssistantID) error {
	var ids []assistants.RunID
	err := tx.Model(&runRow{}).Where("tenant_id = ? AND assistant_id = ?", tenant, assistant).Pluck("id", &ids).Error
	if err != nil {
		return err
	}
	for some := range slices.Chunk(ids, insertBatch) {
		if err := deleteRuns(tx, tenant, some); err != nil {
			return err
		}
	}
	return tx.Where("tenant_id = ? AND assistant_id = ?", tenant, assistant).Delete(&goldRow{}).Error
}
