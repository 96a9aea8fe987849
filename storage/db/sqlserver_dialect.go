package db

import (
	"errors"
	"fmt"

	gormsqlserver "gorm.io/driver/sqlserver"
	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
)

// sqlserverDialector adapts GORM's SQL Server.
type sqlserverDialector struct{ *gormsqlserver.Dialector }

func newSQLServerDialector(conn gorm.ConnPool) sqlserverDialector {
	return sqlserverDialector{gormsqlserver.New(gormsqlserver.Config{Conn: conn}).(*gormsqlserver.Dialector)} //nolint:forcetypeassert // it makes no other
}

// Initialize implements gorm.Dialector.
func (d sqlserverDialector) Initialize(db *gorm.DB) error {
	if err := d.Dialector.Initialize(db); err != nil {
		return err
	}
	db.ClauseBuilders["LIMIT"] = writeLimit
	return db.Callback().Create().Replace("gorm:create", mergeOrInsert)
}

// writeLimit writes a limit, which needs an order. GORM's own orders by the primary key,
// whose name may be that of a column in a joined table, too.
func writeLimit(c clause.Clause, b clause.Builder) {
	limit, ok := c.Expression.(clause.Limit)
	if !ok || limit.Limit == nil {
		return
	}
	if _, ordered := b.(*gorm.Statement).Clauses["ORDER BY"]; !ordered { //nolint:forcetypeassert // GORM builds nothing else
		write(b, "ORDER BY (SELECT NULL) ")
	}
	write(b, fmt.Sprintf("OFFSET %d ROWS FETCH NEXT %d ROWS ONLY", limit.Offset, *limit.Limit))
}

// Translate turns constraint violations into GORM's errors and keeps the original.
func (sqlserverDialector) Translate(err error) error {
	if number, _ := sqlserverNumber(err); number == sqlserverDuplicateKey || number == sqlserverDuplicateRow {
		return fmt.Errorf("%w: %w", gorm.ErrDuplicatedKey, err)
	}
	return err
}

// mergeOrInsert writes an insert that minds rows which are there already as a MERGE.
// GORM's own has no lock, so that two of them may insert the same row.
func mergeOrInsert(tx *gorm.DB) {
	if _, ok := tx.Statement.Clauses["ON CONFLICT"]; ok && tx.Error == nil {
		values := callbacks.ConvertToCreateValues(tx.Statement) // completes the clause
		conflict, ok := tx.Statement.Clauses["ON CONFLICT"].Expression.(clause.OnConflict)
		if !ok || tx.Statement.Schema == nil {
			_ = tx.AddError(errors.New("a MERGE needs a model")) // it returns the same
			return
		}
		writeMerge(tx.Statement, conflict, values)
	}
	gormsqlserver.Create(tx) // sends what is written
}

func writeMerge(b *gorm.Statement, conflict clause.OnConflict, values clause.Values) {
	const source = "excluded"
	write(b, "MERGE INTO ")
	b.WriteQuoted(b.Table)
	write(b, " WITH (HOLDLOCK) USING (VALUES ")
	for i, row := range values.Values {
		if i > 0 {
			write(b, ",")
		}
		write(b, "(")
		b.AddVar(b, row...)
		write(b, ")")
	}
	write(b, ") AS "+source+" ")
	writeColumns(b, values.Columns, "")
	write(b, " ON ")
	key := conflict.Columns
	if len(key) == 0 {
		for _, f := range b.Schema.PrimaryFields {
			key = append(key, clause.Column{Name: f.DBName})
		}
	}
	for i, c := range key {
		if i > 0 {
			write(b, " AND ")
		}
		b.WriteQuoted(clause.Column{Table: b.Table, Name: c.Name})
		write(b, " = ")
		b.WriteQuoted(clause.Column{Table: source, Name: c.Name})
	}
	if len(conflict.DoUpdates) > 0 {
		write(b, " WHEN MATCHED THEN UPDATE SET ")
		conflict.DoUpdates.Build(b)
	}
	write(b, " WHEN NOT MATCHED THEN INSERT ")
	writeColumns(b, values.Columns, "")
	write(b, " VALUES ")
	writeColumns(b, values.Columns, source)
	write(b, ";")
}

// writeColumns writes a list of columns of a table, or without one.
func writeColumns(b clause.Builder, columns []clause.Column, table string) {
	write(b, "(")
	for i, c := range columns {
		if i > 0 {
			write(b, ",")
		}
		b.WriteQuoted(clause.Column{Table: table, Name: c.Name})
	}
	write(b, ")")
}
