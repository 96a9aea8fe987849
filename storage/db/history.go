package db

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"footnote/assistants"
)

// answerRow is a stored answer.
type answerRow struct {
	ID               assistants.AnswerID       `gorm:"primaryKey;size:64;not null;index:history_answers_created_idx,priority:4;index:history_answers_thread_idx,priority:5;index:history_answers_rating_idx,priority:5;index:history_answers_user_idx,priority:5;index:history_answers_completion_idx,priority:5"`
	TenantID         assistants.TenantID       `gorm:"size:64;not null;index:history_answers_created_idx,priority:1;index:history_answers_thread_idx,priority:1;index:history_answers_rating_idx,priority:1;index:history_answers_user_idx,priority:1;index:history_answers_completion_idx,priority:1"`
	AssistantID      assistants.AssistantID    `gorm:"size:64;not null;index:history_answers_created_idx,priority:2;index:history_answers_thread_idx,priority:2;index:history_answers_rating_idx,priority:2;index:history_answers_user_idx,priority:2;index:history_answers_completion_idx,priority:2"`
	ThreadID         assistants.ThreadID       `gorm:"size:64;not null;index:history_answers_thread_idx,priority:3"`
	CreatedAt        time.Time                 `gorm:"precision:6;not null;autoCreateTime:false;index:history_answers_created_idx,priority:3;index:history_answers_thread_idx,priority:4;index:history_answers_rating_idx,priority:4;index:history_answers_user_idx,priority:4;index:history_answers_completion_idx,priority:4"`
	KeyID            *assistants.KeyID         `gorm:"size:64"`
	UserName         *string                   `gorm:"size:255;index:history_answers_user_idx,priority:3"`
	RequestID        string                    `gorm:"size:255;not null"`
	CompletionID     *string                   `gorm:"size:255;index:history_answers_completion_idx,priority:3"`
	Model            string                    `gorm:"size:255;not null"`
	Question         string                    `gorm:"not null"`
	Answer           string                    `gorm:"not null"`
	Truncated        bool                      `gorm:"not null"`
	FinishReason     *string                   `gorm:"size:255"`
	Outcome          assistants.AnswerOutcome  `gorm:"size:32;not null"`
	Code             *string                   `gorm:"size:255"`
	CitationStatus   *string                   `gorm:"size:32"`
	Citations        *string                   // JSON, as it was sent
	Cited            []int                     `gorm:"serializer:json;not null"`
	PromptTokens     *int64                    // null: the model server did not tell
	CompletionTokens *int64                    // as PromptTokens
	FirstByteMicros  int64                     `gorm:"not null"`
	TookMicros       int64                     `gorm:"not null"`
	Rating           *assistants.Rating        `gorm:"size:32;index:history_answers_rating_idx,priority:3"`
	Comment          *string                   // of the feedback
	RatedBy          *assistants.KeyID         `gorm:"size:64"`
	RatedAt          *time.Time                `gorm:"precision:6"`
	Verifications    []assistants.Verification `gorm:"serializer:json;not null"`
}

// TableName implements GORM's Tabler.
func (answerRow) TableName() string { return "history_answers" }

func newAnswerRow(a assistants.Answer) answerRow {
	r := answerRow{
		ID: a.ID, TenantID: a.TenantID, AssistantID: a.Assistant, ThreadID: a.Thread, CreatedAt: stamp(a.CreatedAt),
		KeyID: orNull(a.Key), UserName: orNull(a.User), RequestID: a.RequestID, CompletionID: orNull(a.CompletionID), Model: a.Model,
		Question: a.Question, Answer: a.Text, Truncated: a.Truncated, FinishReason: orNull(a.Finish), Outcome: a.Outcome, Code: orNull(a.Code),
		CitationStatus: orNull(a.CitationStatus), Citations: orNull(string(a.Citations)), Cited: orEmpty(a.Cited),
		FirstByteMicros: a.FirstByte.Microseconds(), TookMicros: a.Took.Microseconds(), Verifications: orEmpty(a.Verifications),
	}
	if a.Tokens != nil {
		r.PromptTokens, r.CompletionTokens = &a.Tokens.Prompt, &a.Tokens.Completion
	}
	return r
}

func (r answerRow) answer() (assistants.Answer, error) {
	a := assistants.Answer{
		ID: r.ID, TenantID: r.TenantID, Assistant: r.AssistantID, Thread: r.ThreadID, CreatedAt: r.CreatedAt.UTC(),
		Key: orZero(r.KeyID), User: orZero(r.UserName), RequestID: r.RequestID, CompletionID: orZero(r.CompletionID), Model: r.Model,
		Question: r.Question, Text: r.Answer, Truncated: r.Truncated, Finish: orZero(r.FinishReason), Outcome: r.Outcome, Code: orZero(r.Code),
		CitationStatus: orZero(r.CitationStatus), Cited: orEmpty(r.Cited),
		FirstByte: time.Duration(r.FirstByteMicros) * time.Microsecond, Took: time.Duration(r.TookMicros) * time.Microsecond,
		Verifications: orEmpty(r.Verifications),
	}
	if r.Citations != nil {
		a.Citations = json.RawMessage(*r.Citations)
	}
	if r.PromptTokens != nil && r.CompletionTokens != nil {
		a.Tokens = &assistants.Tokens{Prompt: *r.PromptTokens, Completion: *r.CompletionTokens}
	}
	if r.Rating != nil && r.RatedAt != nil {
		a.Feedback = &assistants.Feedback{Rating: *r.Rating, Comment: orZero(r.Comment), Key: orZero(r.RatedBy), At: r.RatedAt.UTC()}
	}
	return a, nil
}

// threadRow is a conversation. It is computed from its answers; see refreshThreads.
type threadRow struct {
	AssistantID assistants.AssistantID `gorm:"primaryKey;size:64;not null;index:history_threads_updated_idx,priority:2"`
	ID          assistants.ThreadID    `gorm:"primaryKey;size:64;not null;index:history_threads_updated_idx,priority:4"`
	TenantID    assistants.TenantID    `gorm:"size:64;not null;index:history_threads_updated_idx,priority:1"`
	Title       string                 `gorm:"size:255;not null"`
	UserName    *string                `gorm:"size:255"`
	Answers     int                    `gorm:"not null"`
	CreatedAt   time.Time              `gorm:"precision:6;not null;autoCreateTime:false"`
	UpdatedAt   time.Time              `gorm:"precision:6;not null;autoUpdateTime:false;index:history_threads_updated_idx,priority:3"`
}

// TableName implements GORM's Tabler.
func (threadRow) TableName() string { return "history_threads" }

func (r threadRow) thread() (assistants.Thread, error) {
	return assistants.Thread{
		ID: r.ID, TenantID: r.TenantID, Assistant: r.AssistantID, Title: r.Title, User: orZero(r.UserName), Answers: r.Answers,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}, nil
}

// A threadKey names a conversation.
type threadKey struct {
	tenant    assistants.TenantID
	assistant assistants.AssistantID
	thread    assistants.ThreadID
}

// SaveAnswers stores answers of any tenants, and their threads. Those whose id is
// known, and those of assistants that are gone, are left out.
func (s *Store) SaveAnswers(ctx context.Context, answers []assistants.Answer) error {
	byAssistant := map[assistants.AssistantID][]assistants.Answer{}
	for _, a := range answers {
		byAssistant[a.Assistant] = append(byAssistant[a.Assistant], a)
	}
	return s.write(ctx, "answers", func(tx *gorm.DB) error {
		for _, id := range slices.Sorted(maps.Keys(byAssistant)) { // two transactions must not wait for each other
			err := saveAnswers(tx, byAssistant[id])
			if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
				return err
			}
		}
		return nil
	})
}

// saveAnswers stores answers of one assistant, whose lock also keeps its threads as
// they are. gorm.ErrRecordNotFound: it is gone.
func saveAnswers(tx *gorm.DB, answers []assistants.Answer) error {
	if _, err := lockAssistant(tx, answers[0].TenantID, string(answers[0].Assistant)); err != nil {
		return err
	}
	rows := make([]answerRow, len(answers))
	threads := map[threadKey]bool{}
	for i, a := range answers {
		rows[i] = newAnswerRow(a)
		threads[threadKey{a.TenantID, a.Assistant, a.Thread}] = true
	}
	if err := createAll(tx.Clauses(clause.OnConflict{DoNothing: true}), rows); err != nil {
		return err
	}
	return refreshThreads(tx, threads)
}

// refreshThreads makes threads agree with their answers. One without answers is removed.
func refreshThreads(tx *gorm.DB, threads map[threadKey]bool) error {
	for k := range threads {
		of := func() *gorm.DB {
			return tx.Model(&answerRow{}).Where("tenant_id = ? AND assistant_id = ? AND thread_id = ?", k.tenant, k.assistant, k.thread)
		}
		var answers int64
		if err := of().Count(&answers).Error; err != nil {
			return err
		}
		if answers == 0 {
			err := tx.Where("tenant_id = ? AND assistant_id = ? AND id = ?", k.tenant, k.assistant, k.thread).Delete(&threadRow{}).Error
			if err != nil {
				return err
			}
			continue
		}
		var first, last answerRow
		if err := of().Select("question", "user_name", "created_at").Order("created_at").Order("id").Limit(1).Take(&first).Error; err != nil {
			return err
		}
		if err := of().Select("created_at").Order("created_at DESC").Order("id DESC").Limit(1).Take(&last).Error; err != nil {
			return err
		}
		row := threadRow{
			AssistantID: k.assistant, ID: k.thread, TenantID: k.tenant, Title: assistants.TitleOf(first.Question), UserName: first.UserName,
			Answers: int(answers), CreatedAt: first.CreatedAt, UpdatedAt: last.CreatedAt,
		}
		stored := clause.OnConflict{Columns: []clause.Column{{Name: "assistant_id"}, {Name: "id"}}, UpdateAll: true}
		if err := tx.Clauses(stored).Create(&row).Error; err != nil {
			return err
		}
	}
	return nil
}

// answersOf selects the stored answers of an assistant that a query selects.
func answersOf(tx *gorm.DB, tenant assistants.TenantID, assistant assistants.AssistantID, q assistants.AnswerQuery) *gorm.DB {
	tx = tx.Model(&answerRow{}).Where("tenant_id = ? AND assistant_id = ?", tenant, assistant)
	if q.Thread != "" {
		tx = tx.Where("thread_id = ?", q.Thread)
	}
	if q.User != "" {
		tx = tx.Where("user_name = ?", q.User)
	}
	if q.Key != "" {
		tx = tx.Where("key_id = ?", q.Key)
	}
	if q.Completion != "" {
		tx = tx.Where("completion_id = ?", q.Completion)
	}
	if len(q.Ratings) > 0 {
		tx = tx.Where("rating IN ?", q.Ratings)
	}
	if !q.From.IsZero() {
		tx = tx.Where("created_at >= ?", stamp(q.From))
	}
	if !q.To.IsZero() {
		tx = tx.Where("created_at < ?", stamp(q.To))
	}
	return tx
}

// answerSizes reads how many bytes the texts of answers have.
func answerSizes(rows *gorm.DB) (sizes []int64, err error) {
	err = rows.Clauses(clause.Select{Expression: textSizes{"question", "answer", "citations"}}).Find(&sizes).Error
	return sizes, err
}

// FindAnswers lists the stored answers of an assistant that a query selects, by creation.
// A page of long answers ends before the list's limit.
func (s *Store) FindAnswers(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, q assistants.AnswerQuery, l assistants.List) (assistants.Listing[assistants.Answer], error) {
	chosen := func() *gorm.DB { return answersOf(s.read(ctx), tenant, assistant, q) }
	l.Sort = assistants.SortCreated
	return findPage(ctx, s, selected[answerRow, assistants.Answer]{
		rows: chosen, count: chosen,
		order:   byCreation(l, func(r answerRow) position { return position{r.CreatedAt, string(r.ID)} }),
		convert: answerRow.answer, sizes: answerSizes, bound: []any{"answers", assistant, q},
	}, l)
}

// FindThreads lists the conversations of an assistant, of one user unless user is
// "", by their last answer.
func (s *Store) FindThreads(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, user string, l assistants.List) (assistants.Listing[assistants.Thread], error) {
	chosen := func() *gorm.DB {
		tx := s.read(ctx).Model(&threadRow{}).Where("tenant_id = ? AND assistant_id = ?", tenant, assistant)
		if user != "" {
			tx = tx.Where("user_name = ?", user)
		}
		return tx
	}
	l.Sort = assistants.SortCreated
	order := byCreation(l, func(r threadRow) position { return position{r.UpdatedAt, string(r.ID)} })
	order.column.Name = "updated_at"
	return findPage(ctx, s, selected[threadRow, assistants.Thread]{
		rows: chosen, count: chosen, order: order, convert: threadRow.thread, bound: []any{"threads", assistant, user},
	}, l)
}

// Thread returns a conversation of an assistant.
func (s *Store) Thread(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, id assistants.ThreadID) (assistants.Thread, error) {
	var row threadRow
	if err := s.read(ctx).Where("tenant_id = ? AND assistant_id = ? AND id = ?", tenant, assistant, id).Take(&row).Error; err != nil {
		return assistants.Thread{}, s.wrap(ctx, "thread", err)
	}
	return row.thread()
}

// Answer returns a stored answer.
func (s *Store) Answer(ctx context.Context, tenant assistants.TenantID, id assistants.AnswerID) (assistants.Answer, error) {
	var row answerRow
	if err := s.read(ctx).Where("tenant_id = ? AND id = ?", tenant, id).Take(&row).Error; err != nil {
		return assistants.Answer{}, s.wrap(ctx, "answer", err)
	}
	return row.answer()
}

// AssistantOfAnswer finds the assistant of a stored answer, if it is visible and, unless
// of is "", the answer to a question with that key.
func (s *Store) AssistantOfAnswer(ctx context.Context, tenant assistants.TenantID, id assistants.AnswerID, sight assistants.Sight, of assistants.KeyID) (assistants.Assistant, error) {
	tx := inSight(s.read(ctx), sight).Joins("JOIN history_answers ON history_answers.assistant_id = assistants.id").
		Where("assistants.tenant_id = ? AND history_answers.tenant_id = ? AND history_answers.id = ?", tenant, tenant, id)
	if of != "" {
		tx = tx.Where("history_answers.key_id = ?", of)
	}
	a, err := takeAssistant(tx)
	return a, s.wrap(ctx, "assistant of answer", err)
}

// UpdateAnswer changes feedback and verifications of a stored answer, which change
// does in a transaction. It returns the error of change as it is.
func (s *Store) UpdateAnswer(ctx context.Context, tenant assistants.TenantID, id assistants.AnswerID, change func(*assistants.Answer) error) (saved assistants.Answer, err error) {
	err = s.write(ctx, "update answer", func(tx *gorm.DB) error {
		this := func() *gorm.DB { return tx.Model(&answerRow{}).Where("tenant_id = ? AND id = ?", tenant, id) }
		if err := this().UpdateColumn("truncated", gorm.Expr("truncated")).Error; err != nil { // to lock it
			return err
		}
		var row answerRow
		if err := this().Take(&row).Error; err != nil {
			return err
		}
		if saved, err = row.answer(); err != nil {
			return err
		}
		if err := change(&saved); err != nil {
			return err
		}
		changed := answerRow{Verifications: orEmpty(saved.Verifications)}
		if f := saved.Feedback; f != nil {
			if err := checkText("comment", f.Comment); err != nil {
				return err
			}
			at := stamp(f.At)
			changed.Rating, changed.Comment, changed.RatedBy, changed.RatedAt = &f.Rating, orNull(f.Comment), orNull(f.Key), &at
		}
		return this().Select("rating", "comment", "rated_by", "rated_at", "verifications").UpdateColumns(changed).Error
	})
	return saved, err
}

// removeAtOnce is how many answers are removed in one transaction.
const removeAtOnce = 500

// RemoveAnswers removes the stored answers of an assistant that a query selects, with
// feedback and verifications, and returns their number.
func (s *Store) RemoveAnswers(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, q assistants.AnswerQuery) (removed int, err error) {
	removed, err = s.removeChosen(ctx, tenant, assistant, q)
	return removed, errors.Join(err, s.emptyLog(ctx))
}

// removeChosen is RemoveAnswers, which may leave their text in the database's log.
func (s *Store) removeChosen(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, q assistants.AnswerQuery) (removed int, err error) {
	for {
		n := 0
		err := s.write(ctx, "remove answers", func(tx *gorm.DB) (err error) {
			if _, err := lockAssistant(tx, tenant, string(assistant)); err != nil {
				return err
			}
			n, err = removeAnswers(tx, tenant, answersOf(tx, tenant, assistant, q).Limit(removeAtOnce))
			return err
		})
		if n > 0 {
			s.inLog.Store(true)
		}
		if removed += n; err != nil || n < removeAtOnce {
			return removed, err
		}
	}
}

// RemoveAnswer removes a stored answer with feedback and verifications.
func (s *Store) RemoveAnswer(ctx context.Context, tenant assistants.TenantID, id assistants.AnswerID) error {
	err := s.write(ctx, "remove answer", func(tx *gorm.DB) error {
		this := func() *gorm.DB { return tx.Model(&answerRow{}).Where("tenant_id = ? AND id = ?", tenant, id) }
		var row answerRow
		if err := this().Select("assistant_id").Take(&row).Error; err != nil {
			return err
		}
		if _, err := lockAssistant(tx, tenant, string(row.AssistantID)); err != nil {
			return err
		}
		n, err := removeAnswers(tx, tenant, this())
		if err == nil && n == 0 {
			err = gorm.ErrRecordNotFound
		}
		return err
	})
	if err != nil {
		return err
	}
	s.inLog.Store(true)
	return s.emptyLog(ctx)
}

// emptyLog empties the database's log if it may have text that was removed, also if
// the client has left. If others use it, the next removal or sweep tries again.
func (s *Store) emptyLog(ctx context.Context) error {
	if s.backend.emptyLog == nil || !s.inLog.Load() {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	end, err := s.turn(ctx)
	if err != nil {
		return nil //nolint:nilerr // others write, and the removal succeeded
	}
	defer end()
	s.inLog.Store(false) // a removal after this sets it again
	busy, err := s.backend.emptyLog(ctx)
	if busy || err != nil {
		s.inLog.Store(true)
	}
	return s.wrap(ctx, "empty the log", err)
}

// removeAnswers removes the answers that chosen selects, of one assistant, which is
// locked. It returns their number.
func removeAnswers(tx *gorm.DB, tenant assistants.TenantID, chosen *gorm.DB) (int, error) {
	var rows []answerRow
	if err := chosen.Select("id", "assistant_id", "thread_id").Order("created_at").Order("id").Find(&rows).Error; err != nil {
		return 0, err
	}
	ids, threads := make([]assistants.AnswerID, len(rows)), map[threadKey]bool{}
	for i, r := range rows {
		ids[i] = r.ID
		threads[threadKey{tenant, r.AssistantID, r.ThreadID}] = true
	}
	for some := range slices.Chunk(ids, insertBatch) {
		if err := inTenant(tx, tenant).Where("id IN ?", some).Delete(&answerRow{}).Error; err != nil {
			return 0, err
		}
	}
	return len(ids), refreshThreads(tx, threads)
}

// RemoveOldAnswers removes the answers of all tenants that are older than their
// assistant keeps them. It also removes from the database's log what removals left there.
func (s *Store) RemoveOldAnswers(ctx context.Context, now time.Time) error {
	return errors.Join(s.removeOldAnswers(ctx, now), s.emptyLog(ctx))
}

func (s *Store) removeOldAnswers(ctx context.Context, now time.Time) error {
	var known []threadRow
	if err := s.read(ctx).Model(&threadRow{}).Distinct("tenant_id", "assistant_id").Find(&known).Error; err != nil {
		return s.wrap(ctx, "remove old answers", err)
	}
	for _, k := range known {
		a, err := s.Assistant(ctx, k.TenantID, string(k.AssistantID))
		if err == nil {
			_, err = s.removeChosen(ctx, k.TenantID, k.AssistantID, assistants.AnswerQuery{To: now.AddDate(0, 0, -a.Settings.HistoryRetentionDays)})
		}
		if err != nil && !errors.Is(err, assistants.ErrNotFound) { // it was deleted meanwhile, with its answers
			return err
		}
	}
	return nil
}

// deleteHistory removes all stored answers of an assistant.
func deleteHistory(tx *gorm.DB, tenant assistants.TenantID, assistant assistants.AssistantID) error {
	for _, row := range []any{&answerRow{}, &threadRow{}} {
		if err := tx.Where("tenant_id = ? AND assistant_id = ?", tenant, assistant).Delete(row).Error; err != nil {
			return err
		}
	}
	return nil
}
