package db

import (
	"errors"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A dialect is what a kind of database writes in its own way.
type dialect struct {
	versions goose.Dialect // of the table of migrations
	// contains is a condition: @column contains @text.
	contains string
	// bytes is the function that counts the bytes of a text.
	bytes string
	// values says that VALUES(column) is the value that an insert tried to store. Else
	// it is excluded.column.
	values bool
	// uncounted: the server's count of changed rows is the same for a row that was there.
	uncounted bool
	// orRollback makes an insert end the transaction when a row is there already. It saves
	// SQLite a copy of what the insert changes, in a file, for undoing it alone.
	orRollback string
	// lockMinute stores a row of limit_minutes, or locks the one that is there.
	lockMinute string
	// now is the time of the server. Empty: lockMinute returns the row with the time.
	now string
	// unreleased says that unreleased programs may have made such a database.
	unreleased bool
}

// dialects are those of GORM's names of databases.
var dialects = map[string]dialect{
	"sqlite": {
		versions: goose.DialectSQLite3, contains: "instr(@column, @text) > 0", bytes: "octet_length", unreleased: true, orRollback: "OR ROLLBACK",
		// The clock is that of this process, the only one.
		lockMinute: `INSERT INTO limit_minutes (tenant_id,subject_id,uses,told_at) VALUES (?, ?, '', ?)
ON CONFLICT (tenant_id, subject_id) DO UPDATE SET told_at = excluded.told_at
RETURNING tenant_id, subject_id, uses, told_at`,
	},
	"postgres": {
		versions: goose.DialectPostgres, contains: "strpos(@column, @text) > 0", bytes: "octet_length", unreleased: true,
		lockMinute: `INSERT INTO limit_minutes (tenant_id,subject_id,uses,told_at) VALUES (?, ?, '', ?)
ON CONFLICT (tenant_id, subject_id) DO UPDATE SET told_at = clock_timestamp()
RETURNING tenant_id, subject_id, uses, clock_timestamp() AS told_at`,
	},
	"mysql": { // MariaDB does not know the newer way of MySQL to name the values
		versions: goose.DialectMySQL, contains: "instr(@column, @text) > 0", bytes: "octet_length", values: true, uncounted: true,
		lockMinute: `INSERT INTO limit_minutes (tenant_id,subject_id,uses,told_at) VALUES (?, ?, '', ?)
ON DUPLICATE KEY UPDATE told_at = UTC_TIMESTAMP(6)`,
		now: "UTC_TIMESTAMP(6)",
	},
	"sqlserver": {
		versions: goose.DialectMSSQL, contains: "CHARINDEX(@text, @column) > 0", bytes: "DATALENGTH",
		lockMinute: `MERGE INTO limit_minutes WITH (HOLDLOCK) USING (VALUES (?, ?, '', ?)) AS excluded (tenant_id,subject_id,uses,told_at)
ON limit_minutes.tenant_id = excluded.tenant_id AND limit_minutes.subject_id = excluded.subject_id
WHEN MATCHED THEN UPDATE SET told_at = SYSDATETIMEOFFSET()
WHEN NOT MATCHED THEN INSERT (tenant_id,subject_id,uses,told_at)
VALUES (excluded.tenant_id,excluded.subject_id,excluded.uses,excluded.told_at);`,
		now: "SYSDATETIMEOFFSET()",
	},
}

// dialectOf is the dialect of a statement.
func dialectOf(b clause.Builder) dialect {
	return dialects[b.(*gorm.Statement).Name()] //nolint:forcetypeassert // GORM builds nothing else
}

// contains is true when a column contains a text.
type contains struct {
	column clause.Column
	text   string
}

// Build implements clause.Expression.
func (c contains) Build(b clause.Builder) {
	clause.NamedExpr{SQL: dialectOf(b).contains, Vars: []any{map[string]any{"column": c.column, "text": c.text}}}.Build(b)
}

// textSizes is how many bytes texts in some columns have together.
type textSizes []string

// Build implements clause.Expression.
func (columns textSizes) Build(b clause.Builder) {
	for i, c := range columns {
		if i > 0 {
			write(b, " + ")
		}
		write(b, "COALESCE("+dialectOf(b).bytes+"(")
		b.WriteQuoted(clause.Column{Name: c})
		write(b, "), 0)")
	}
}

// proposed is the value of a column in the row that a statement tried to insert, in
// an update after a conflict.
type proposed string

// Build implements clause.Expression.
func (p proposed) Build(b clause.Builder) {
	if dialectOf(b).values {
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
	if dialects[tx.Name()].uncounted {
		// An insert that fails leaves the transaction as it is, but keeps the other row locked.
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
