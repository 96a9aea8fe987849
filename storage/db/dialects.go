package db

import (
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// These expressions are what databases write in different ways. They look at the
// statement that they become part of.

// dialectOf names the kind of database that a statement is for.
func dialectOf(b clause.Builder) string {
	return b.(*gorm.Statement).Name() //nolint:forcetypeassert // GORM builds nothing else
}

// contains is true when a column contains a text.
type contains struct {
	column clause.Column
	text   string
}

// Build implements clause.Expression.
func (c contains) Build(b clause.Builder) {
	find := "instr("
	if dialectOf(b) == "postgres" {
		find = "strpos("
	}
	write(b, find)
	b.WriteQuoted(c.column)
	write(b, ", ")
	b.AddVar(b, c.text)
	write(b, ") > 0")
}

// proposed is the value of a column in the row that a statement tried to insert, in
// an update after a conflict.
type proposed string

// Build implements clause.Expression.
func (p proposed) Build(b clause.Builder) {
	if dialectOf(b) == "mysql" {
		// MariaDB does not know the newer way of MySQL.
		write(b, "VALUES(")
		b.WriteQuoted(clause.Column{Name: string(p)})
		write(b, ")")
		return
	}
	b.WriteQuoted(clause.Column{Table: "excluded", Name: string(p)})
}

// addition adds the proposed value to the stored one.
type addition struct{ stored clause.Column }

// Build implements clause.Expression.
func (a addition) Build(b clause.Builder) {
	b.WriteQuoted(a.stored)
	write(b, " + ")
	proposed(a.stored.Name).Build(b)
}

// larger is the larger one of the stored and the proposed value.
type larger struct{ stored clause.Column }

// Build implements clause.Expression.
func (l larger) Build(b clause.Builder) {
	write(b, "CASE WHEN ")
	b.WriteQuoted(l.stored)
	write(b, " > ")
	proposed(l.stored.Name).Build(b)
	write(b, " THEN ")
	b.WriteQuoted(l.stored)
	write(b, " ELSE ")
	proposed(l.stored.Name).Build(b)
	write(b, " END")
}

// additions adds the proposed values of some columns to those of a table.
func additions(table string, columns ...string) map[string]any {
	set := make(map[string]any, len(columns))
	for _, c := range columns {
		set[c] = addition{clause.Column{Table: table, Name: c}}
	}
	return set
}

func write(b clause.Builder, text string) {
	_, _ = b.WriteString(text) // into memory
}

// insertNew inserts a row unless there is one with its key, which same selects, and
// reports whether it did.
func insertNew(tx, same *gorm.DB, row any) (inserted bool, err error) {
	if tx.Name() == "mysql" {
		// The count of rows does not tell there if one was inserted. An insert that
		// fails leaves the transaction as it is, but keeps the other row locked.
		var there int64
		if err := same.Model(row).Count(&there).Error; err != nil || there > 0 {
			return false, err
		}
		err := tx.Create(row).Error
		if errors.Is(err, gorm.ErrDuplicatedKey) {
			return false, nil
		}
		return err == nil, err
	}
	created := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(row)
	return created.RowsAffected == 1, created.Error
}
