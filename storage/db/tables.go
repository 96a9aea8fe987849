package db

import (
	"context"
	"database/sql"
	"fmt"
	"sync"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"

	"footnote/assistants"
)

// models lists a row type per table. A test compares it with the migrated schema, so
// that no table can be left out.
func models() []any {
	return []any{
		&assistantRow{}, &settingsRow{}, &collectionRow{}, &documentRow{}, &versionRow{},
		&textRow{}, &chunkRow{}, &logRow{}, &keyRow{}, &jobRow{}, &metaRow{}, &requestRow{}, &upstreamRow{}, &auditRow{}, &usageRow{}, &monthRow{}, &minuteRow{},
		&goldRow{}, &runRow{}, &outcomeRow{}, &answerRow{}, &threadRow{}, &streamRow{}, &streamEventRow{},
	}
}

// inTenant limits rows, which are selected by their ids, to a tenant. It keeps the index
// of tenants out of that: SQLite has no statistics, takes that index for narrower than a
// list of four ids, and would read every row of the tenant.
func inTenant(tx *gorm.DB, tenant assistants.TenantID) *gorm.DB {
	return tx.Where("COALESCE(?, '') = ?", clause.Column{Table: clause.CurrentTable, Name: "tenant_id"}, tenant)
}

// A rawTable is a table as a copy sees it. It reads columns by their kind instead of
// into the row types, because a list that is decoded and encoded again could change.
type rawTable struct {
	model   any
	name    string
	columns []string
	kinds   []schema.DataType
	key     []int // places of the primary key's columns
}

// rawTables lists every table.
func (s *Store) rawTables() ([]rawTable, error) {
	var parsed sync.Map
	var tables []rawTable
	for _, model := range models() {
		m, err := schema.Parse(model, &parsed, s.gorm.NamingStrategy)
		if err != nil {
			return nil, fmt.Errorf("db: read the model of a table: %w", err)
		}
		t := rawTable{model: model, name: m.Table}
		for _, f := range m.Fields {
			if f.DBName == "" {
				continue
			}
			if f.PrimaryKey {
				t.key = append(t.key, len(t.columns))
			}
			t.columns = append(t.columns, f.DBName)
			t.kinds = append(t.kinds, f.DataType)
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// A rawRow has a value for each column of a table: nil, string, int64, float64, bool
// or time.Time.
type rawRow []any

// bytes is about how much memory a row takes.
func (r rawRow) bytes() int {
	n := 0
	for _, v := range r {
		n += 16
		if text, ok := v.(string); ok {
			n += len(text)
		}
	}
	return n
}

// after selects the rows whose primary key is greater than that of a row.
func (t rawTable) after(tx *gorm.DB, last rawRow) *gorm.DB {
	if last == nil {
		return tx
	}
	column := func(n int) clause.Column { return clause.Column{Name: t.columns[t.key[n]]} }
	var greater []clause.Expression
	for n, place := range t.key {
		var both []clause.Expression
		for m, equal := range t.key[:n] {
			both = append(both, clause.Eq{Column: column(m), Value: last[equal]})
		}
		greater = append(greater, clause.And(append(both, clause.Gt{Column: column(n), Value: last[place]})...))
	}
	if len(greater) == 1 {
		return tx.Where(greater[0])
	}
	// The first condition lets every database use the index.
	return tx.Where(clause.Gte{Column: column(0), Value: last[t.key[0]]}).Where(clause.Or(greater...))
}

// read reads rows after one, in the order of the primary key: at most limit, and no
// more than fit into memory. full is true if memory ended it.
func (t rawTable) read(tx *gorm.DB, last rawRow, limit int) (found []rawRow, full bool, err error) {
	tx = t.after(tx.Table(t.name).Select(t.columns), last)
	for _, n := range t.key {
		tx = tx.Order(clause.OrderByColumn{Column: clause.Column{Name: t.columns[n]}})
	}
	rows, err := tx.Limit(limit).Rows()
	if err != nil {
		return nil, false, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	for size := 0; !full && rows.Next(); {
		row, err := t.scan(rows)
		if err != nil {
			return nil, false, fmt.Errorf("table %s: %w", t.name, err)
		}
		found = append(found, row)
		size += row.bytes()
		full = size >= rawBytes
	}
	return found, full, rows.Err()
}

func (t rawTable) scan(rows *sql.Rows) (rawRow, error) {
	into := make([]any, len(t.columns))
	for n, kind := range t.kinds {
		switch kind {
		case schema.Bool:
			into[n] = &sql.NullBool{}
		case schema.Int, schema.Uint:
			into[n] = &sql.NullInt64{}
		case schema.Float:
			into[n] = &sql.NullFloat64{}
		case schema.Time:
			into[n] = &sql.NullTime{}
		case schema.String:
			into[n] = &sql.NullString{}
		default:
			return nil, fmt.Errorf("column %s is of the kind %q, which cannot be copied", t.columns[n], kind)
		}
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	row := make(rawRow, len(into))
	for n, cell := range into {
		row[n] = cellValue(cell)
	}
	return row, nil
}

func cellValue(cell any) any {
	switch v := cell.(type) {
	case *sql.NullBool:
		return orNil(v.Bool, v.Valid)
	case *sql.NullInt64:
		return orNil(v.Int64, v.Valid)
	case *sql.NullFloat64:
		return orNil(v.Float64, v.Valid)
	case *sql.NullTime:
		return orNil(stamp(v.Time), v.Valid)
	case *sql.NullString:
		return orNil(v.String, v.Valid)
	}
	return nil
}

func orNil[T any](v T, valid bool) any {
	if !valid {
		return nil
	}
	return v
}

// insert writes rows.
func (t rawTable) insert(tx *gorm.DB, rows []rawRow) error {
	per := batchOf(len(t.columns))
	for from := 0; from < len(rows); from += per {
		some := rows[from:min(from+per, len(rows))]
		values := make([]map[string]any, len(some))
		for n, row := range some {
			values[n] = make(map[string]any, len(row))
			for place, v := range row {
				values[n][t.columns[place]] = v
			}
		}
		if err := tx.Table(t.name).Create(&values).Error; err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	return nil
}

const (
	// rawBytes is about how much of a table is in memory at once.
	rawBytes = 8 << 20
	// rawRows is the most rows that one statement reads.
	rawRows = 500
)

// each calls fn with the rows of a table after one, some at a time.
func (t rawTable) each(ctx context.Context, s *Store, last rawRow, fn func([]rawRow) error) error {
	for limit := 16; ; {
		rows, full, err := t.read(s.read(ctx), last, limit)
		if err != nil {
			return s.wrap(ctx, "read a table", err)
		}
		n := len(rows)
		if n > 0 {
			last = rows[n-1] // fn may change the list
			if err := fn(rows); err != nil {
				return err
			}
		}
		switch {
		case full: // a database may have to send what is not read, too
			limit = n
		case n < limit:
			return nil
		default:
			limit = min(rawRows, 2*limit)
		}
	}
}
