package db

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"footnote/assistants"
)

// An ordering is what a list is ordered by: a column, and id where rows have the
// same value.
type ordering[R any] struct {
	column     clause.Column
	descending bool
	// keyOf returns a row's value and its id, as cursors contain them, and value
	// the value of a cursor.
	keyOf func(R) (value, id string)
	value func(string) (any, error)
}

// byCreation is the ordering of a list without another one.
func byCreation[R any](l assistants.List, key func(R) position) ordering[R] {
	return ordering[R]{
		column:     clause.Column{Table: clause.CurrentTable, Name: "created_at"},
		descending: l.Descending,
		keyOf: func(r R) (string, string) {
			p := key(r)
			return strconv.FormatInt(p.at.UnixMicro(), 10), p.id
		},
		value: func(text string) (any, error) {
			n, err := strconv.ParseInt(text, 10, 64)
			return time.UnixMicro(n).UTC(), err
		},
	}
}

// A selected list is a query's rows, all of them, in an ordering.
type selected[R, T any] struct {
	rows func() *gorm.DB // a new statement for the rows
	// count is the same for counting, which needs no joins.
	count   func() *gorm.DB
	order   ordering[R]
	convert func(R) (T, error)
	// sizes reads the size of each row in bytes. nil: rows are small. See pageBytes.
	sizes func(rows *gorm.DB) ([]int64, error)
	// bound is what a cursor belongs to: the name of the list, and its query.
	bound []any
}

// findPage reads a page of a selected list, and counts all of it if l asks for that.
func findPage[R, T any](ctx context.Context, s *Store, q selected[R, T], l assistants.List) (assistants.Listing[T], error) {
	var none, p assistants.Listing[T]
	raw, err := json.Marshal(append(q.bound, l.Sort, l.Descending))
	if err != nil {
		return none, err
	}
	sum := sha256.Sum256(raw)
	bound := hex.EncodeToString(sum[:8])
	tx, err := q.from(l, bound)
	if err != nil {
		return none, s.wrap(ctx, "list", err)
	}
	if q.sizes != nil {
		sizes, err := q.sizes(tx)
		if err != nil {
			return none, s.wrap(ctx, "list", err)
		}
		l.Limit = fitting(sizes, pageSize(l))
		if tx, err = q.from(l, bound); err != nil {
			return none, s.wrap(ctx, "list", err)
		}
	}
	var rows []R
	if err := tx.Find(&rows).Error; err != nil {
		return none, s.wrap(ctx, "list", err)
	}
	rows, p.Next = page(rows, l, func(r R) string {
		value, id := q.order.keyOf(r)
		return base64.RawURLEncoding.EncodeToString([]byte(bound + " " + value + " " + id))
	})
	p.Items = make([]T, len(rows))
	for i, r := range rows {
		if p.Items[i], err = q.convert(r); err != nil {
			return none, s.wrap(ctx, "list", err)
		}
	}
	if l.Count {
		var total int64
		if err := q.count().Count(&total).Error; err != nil {
			return none, s.wrap(ctx, "list", err)
		}
		p.Total = int(total)
	}
	return p, nil
}

// from is a statement for the rows that a page begins with.
func (q selected[R, T]) from(l assistants.List, bound string) (*gorm.DB, error) {
	tx, err := q.order.after(q.rows(), l, bound)
	if err != nil || l.After == "" {
		return tx, err
	}
	return q.order.afterItem(tx, q.rows(), l.After)
}

// pageBytes bounds the memory for a page of large rows: it ends early, and the next
// page goes on.
const pageBytes = 8 << 20

// fitting returns how many rows of these sizes a page has, at least one.
func fitting(sizes []int64, limit int) int {
	var sum int64
	for i, size := range sizes {
		if sum += size; i > 0 && sum > pageBytes {
			return min(i, limit)
		}
	}
	return limit
}

// after restricts a statement to the rows after the list's cursor, in order, with
// one more than the page holds.
func (o ordering[R]) after(tx *gorm.DB, l assistants.List, bound string) (*gorm.DB, error) {
	id := clause.Column{Table: clause.CurrentTable, Name: "id"}
	tx = tx.Order(clause.OrderByColumn{Column: o.column, Desc: o.descending}).
		Order(clause.OrderByColumn{Column: id, Desc: o.descending}).Limit(pageSize(l) + 1)
	if l.Cursor == "" {
		return tx, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(l.Cursor)
	if err != nil {
		return nil, badCursor()
	}
	of, rest, _ := strings.Cut(string(raw), " ")
	end := strings.LastIndexByte(rest, ' ') // the value may have spaces
	if of != bound || end < 0 {
		return nil, otherCursor()
	}
	value, err := o.value(rest[:end])
	last := rest[end+1:]
	if err != nil || !looksLikeID(last) || checkText("cursor", rest) != nil {
		return nil, badCursor()
	}
	return o.behind(tx, value, last), nil
}

// behind restricts a statement to the rows after one with this value and id.
func (o ordering[R]) behind(tx *gorm.DB, value any, last string) *gorm.DB {
	id := clause.Column{Table: clause.CurrentTable, Name: "id"}
	if o.descending {
		return tx.Where("? <= ? AND (? < ? OR ? < ?)", o.column, value, o.column, value, id, last)
	}
	return tx.Where("? >= ? AND (? > ? OR ? > ?)", o.column, value, o.column, value, id, last)
}

// afterItem restricts a statement to the rows after one of the list, which all selects.
// A FieldError: the list has no such item.
func (o ordering[R]) afterItem(tx, all *gorm.DB, item string) (*gorm.DB, error) {
	var rows []R
	err := all.Where("? = ?", clause.Column{Table: clause.CurrentTable, Name: "id"}, item).Limit(1).Find(&rows).Error
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, &assistants.FieldError{Field: "after", Message: "after must be the id of an item of this list."}
	}
	text, last := o.keyOf(rows[0])
	value, err := o.value(text)
	if err != nil {
		return nil, err
	}
	return o.behind(tx, value, last), nil
}

func otherCursor() error {
	return &assistants.FieldError{Field: "cursor", Message: "This cursor belongs to another list, or to this list with another order or filter; begin without one."}
}

// FindAssistants lists the assistants of a tenant that a query selects, by
// creation.
func (s *Store) FindAssistants(ctx context.Context, tenant assistants.TenantID, q assistants.AssistantQuery, l assistants.List) (assistants.Listing[assistants.Assistant], error) {
	chosen := func(tx *gorm.DB) *gorm.DB {
		tx = tx.Where("assistants.tenant_id = ?", tenant)
		if q.Reads != "" {
			tx = readersOf(tx, tenant, q.Reads)
		}
		if q.Name == "" {
			return tx
		}
		return tx.Where(contains{clause.Column{Table: "assistants", Name: "name_key"}, assistants.FoldName(q.Name)})
	}
	l.Sort = assistants.SortCreated
	return findPage(ctx, s, selected[assistantView, assistants.Assistant]{
		rows:    func() *gorm.DB { return chosen(viewAssistants(s.read(ctx))) },
		count:   func() *gorm.DB { return chosen(s.read(ctx).Model(&assistantRow{})) },
		order:   byCreation(l, func(v assistantView) position { return position{v.Row.CreatedAt, string(v.Row.ID)} }),
		convert: func(v assistantView) (assistants.Assistant, error) { return v.assistant(), nil },
		bound:   []any{"assistants", q},
	}, l)
}

// FindKeys lists the keys of a tenant that a query selects, by creation.
func (s *Store) FindKeys(ctx context.Context, tenant assistants.TenantID, q assistants.KeyQuery, l assistants.List) (assistants.Listing[assistants.Key], error) {
	now := s.stamp()
	chosen := func() *gorm.DB {
		tx := s.read(ctx).Model(&keyRow{}).Where("tenant_id = ?", tenant)
		switch q.State {
		case assistants.KeyRevoked:
			return tx.Where("revoked_at IS NOT NULL")
		case assistants.KeyExpired:
			return tx.Where("revoked_at IS NULL AND expires_at <= ?", now)
		case assistants.KeyActive:
			return tx.Where("revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)", now)
		}
		return tx
	}
	l.Sort = assistants.SortCreated
	return findPage(ctx, s, selected[keyRow, assistants.Key]{
		rows: chosen, count: chosen,
		order:   byCreation(l, func(r keyRow) position { return position{r.CreatedAt, string(r.ID)} }),
		convert: keyRow.key, bound: []any{"keys", q},
	}, l)
}

// FindDocuments lists the documents of a collection that a query selects; "" stands for
// all collections of the tenant.
func (s *Store) FindDocuments(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID, q assistants.DocumentQuery, l assistants.List) (assistants.Listing[assistants.Document], error) {
	chosen := func(tx *gorm.DB) *gorm.DB {
		tx = tx.Where("documents.tenant_id = ?", tenant)
		if collection != "" {
			tx = tx.Where("documents.collection_id = ?", collection)
		}
		return matching(tx, q)
	}
	p, err := findPage(ctx, s, selected[documentView, assistants.Document]{
		rows:    func() *gorm.DB { return chosen(viewDocuments(s.read(ctx))) },
		count:   func() *gorm.DB { return chosen(s.read(ctx).Model(&documentRow{})) },
		order:   orderOfDocuments(l),
		convert: func(v documentView) (assistants.Document, error) { return v.Row.document(v.File), nil },
		bound:   []any{"documents", collection, q},
	}, l)
	if err == nil && len(p.Items) == 0 && collection != "" {
		// An unknown collection is an error, not an empty list.
		err = s.wrap(ctx, "documents", s.read(ctx).Where("tenant_id = ? AND id = ?", tenant, collection).Take(&collectionRow{}).Error)
	}
	return p, err
}

func orderOfDocuments(l assistants.List) ordering[documentView] {
	o := byCreation(l, func(v documentView) position { return position{v.Row.CreatedAt, string(v.Row.ID)} })
	switch l.Sort {
	case assistants.SortName:
		o.column.Name = "name_key"
		o.keyOf = func(v documentView) (string, string) { return v.Row.NameKey, string(v.Row.ID) }
		o.value = func(text string) (any, error) { return text, nil }
	case assistants.SortBytes:
		o.column = clause.Column{Table: "files", Name: "bytes"}
		o.keyOf = func(v documentView) (string, string) { return strconv.FormatInt(v.File.Bytes, 10), string(v.Row.ID) }
		o.value = func(text string) (any, error) { return strconv.ParseInt(text, 10, 64) }
	}
	return o
}

// matching restricts a statement about documents to those that a query selects.
func matching(tx *gorm.DB, q assistants.DocumentQuery) *gorm.DB {
	if len(q.Statuses) > 0 {
		tx = tx.Where("documents.status IN ?", q.Statuses)
	}
	if q.Name != "" {
		tx = tx.Where(contains{clause.Column{Table: "documents", Name: "name_key"}, assistants.FoldName(q.Name)})
	}
	var marks []string
	for _, label := range q.Labels {
		marks = append(marks, markOfLabel(label))
	}
	for _, tag := range q.Tags {
		marks = append(marks, markOfTag(tag.Key, tag.Value))
	}
	for _, mark := range marks {
		tx = tx.Where(contains{clause.Column{Table: "documents", Name: "marks"}, mark})
	}
	return tx
}

// maxNameKey is the most that fits into an index of MySQL, in code points. A name has
// at most 255, and few letters become several.
const maxNameKey = 640

// nameKey returns what a name is searched and sorted by.
func nameKey(name string) string {
	key := []rune(assistants.FoldName(name))
	return string(key[:min(len(key), maxNameKey)])
}

// marksOf returns labels and tags as a column that contains each as a whole:
// JSON has no line breaks of its own, so a mark cannot be part of another one.
func marksOf(labels []string, tags map[string]string) string {
	if len(labels) == 0 && len(tags) == 0 {
		return ""
	}
	list := make([]string, 0, len(labels)+len(tags))
	for _, label := range labels {
		list = append(list, markOfLabel(label))
	}
	for key, value := range tags {
		list = append(list, markOfTag(key, value))
	}
	slices.Sort(list)
	return strings.Join(list, "")
}

func markOfLabel(label string) string { return "\n" + quote(label) + "\n" }

func markOfTag(key, value string) string { return "\n" + quote(key) + ":" + quote(value) + "\n" }

func quote(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(raw)
}
