package db

import (
	"fmt"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"testing"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"footnote/storage/db/mariadbtest"
)

// mysqlSchema reads the schema from MySQL's catalogue.
func mysqlSchema(t *testing.T, db *gorm.DB) map[string]table {
	t.Helper()
	var columns []struct {
		Table, Name, Type, Nullable string
		Default                     *string
	}
	err := db.Raw("SELECT table_name AS `table`, column_name AS name, column_type AS type, is_nullable AS nullable, column_default AS `default`" +
		" FROM information_schema.columns WHERE table_schema = DATABASE()").Scan(&columns).Error
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]table{}
	for _, c := range columns {
		if _, ok := tables[c.Table]; !ok {
			tables[c.Table] = table{map[string]column{}, map[string]string{}}
		}
		col := column{Type: strings.TrimSuffix(c.Type, "(20)"), NotNull: c.Nullable == "NO"}
		if c.Default != nil && *c.Default != "NULL" {
			col.Default = strings.Trim(*c.Default, "'")
		}
		tables[c.Table].Columns[c.Name] = col
	}
	var parts []struct {
		Table, Name, Column string
		Free                bool
		Place               int
	}
	err = db.Raw("SELECT table_name AS `table`, index_name AS name, column_name AS `column`, non_unique AS free, seq_in_index AS place" +
		" FROM information_schema.statistics WHERE table_schema = DATABASE() ORDER BY table_name, index_name, seq_in_index").Scan(&parts).Error
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		of := tables[p.Table]
		if p.Name == "PRIMARY" {
			c := of.Columns[p.Column]
			c.KeyPlace = p.Place
			of.Columns[p.Column] = c
			continue
		}
		if of.Indexes[p.Name] == "" {
			of.Indexes[p.Name] = fmt.Sprintf("unique %v", !p.Free)
		}
		of.Indexes[p.Name] += " " + p.Column
	}
	return tables
}

// mysqlOther are columns and indexes that differ from the models on purpose: a text
// in an index needs a length there, an index covers all rows, and it has the primary key
// whether that is said or not.
var mysqlOther = struct{ types, indexes map[string]string }{
	types: map[string]string{"assistants.name_key": "varchar(640)", "documents.name_key": "varchar(640)"},
	indexes: map[string]string{
		"documents_unfilled_idx":     "unique false name_key id",
		"audit_events_created_idx":   "unique false tenant_id created_at id",
		"audit_events_action_idx":    "unique false tenant_id action created_at id",
		"audit_events_result_idx":    "unique false tenant_id result created_at id",
		"audit_events_key_idx":       "unique false tenant_id key_id created_at id",
		"audit_events_assistant_idx": "unique false tenant_id assistant_id created_at id",
	},
}

// mysqlModel is the schema that the models describe. GORM itself would cut texts and
// could not make an index of one.
func mysqlModel(t *testing.T, s *Store) map[string]table {
	t.Helper()
	tables := map[string]table{}
	for _, model := range models() {
		statement := &gorm.Statement{DB: s.gorm}
		if err := statement.Parse(model); err != nil {
			t.Fatal(err)
		}
		of := table{map[string]column{}, map[string]string{}}
		for _, f := range statement.Schema.Fields {
			if f.DBName == "" {
				continue
			}
			c := column{Type: mysqlType(s, statement.Schema.Table, f), NotNull: f.NotNull || f.PrimaryKey}
			if f.HasDefaultValue && f.DefaultValue != "" {
				c.Default = strings.NewReplacer("true", "1", "false", "0").Replace(strings.Trim(f.DefaultValue, "'"))
			}
			of.Columns[f.DBName] = c
		}
		for i, f := range statement.Schema.PrimaryFields {
			c := of.Columns[f.DBName]
			c.KeyPlace = i + 1
			of.Columns[f.DBName] = c
		}
		for _, index := range statement.Schema.ParseIndexes() {
			sort.SliceStable(index.Fields, func(i, j int) bool { return index.Fields[i].Priority < index.Fields[j].Priority })
			text := fmt.Sprintf("unique %v", index.Class == "UNIQUE")
			for _, f := range index.Fields {
				text += " " + f.DBName
			}
			if other := mysqlOther.indexes[index.Name]; other != "" {
				text = other
			}
			of.Indexes[index.Name] = text
		}
		tables[statement.Schema.Table] = of
	}
	return tables
}

func mysqlType(s *Store, table string, f *schema.Field) string {
	if other := mysqlOther.types[table+"."+f.DBName]; other != "" {
		return other
	}
	if f.DataType == schema.String && f.Size == 0 {
		return "longtext"
	}
	kind, _, _ := strings.Cut(s.gorm.DataTypeOf(f), " ")
	if kind == "boolean" {
		return "tinyint(1)"
	}
	return kind
}

func TestTextsOfMariaDBAreComparedByTheirBytes(t *testing.T) {
	s := openTest(t, mariadbtest.URL(t), Options{})
	var others []string
	err := s.gorm.Raw("SELECT CONCAT(table_name, '.', column_name, ' ', collation_name) FROM information_schema.columns" +
		" WHERE table_schema = DATABASE() AND table_name <> 'goose_db_version' AND collation_name <> 'utf8mb4_nopad_bin'").Scan(&others).Error
	if err != nil || len(others) > 0 {
		t.Errorf("%v, %v", others, err)
	}
}

// Every migration for MySQL must be one that can be interrupted between any two
// statements: see resumingConnector. A change of rows would be made twice.
func TestMigrationsOfMySQLCanBeResumed(t *testing.T) {
	kind := regexp.MustCompile(`^(CREATE (UNIQUE )?(TABLE|INDEX)|ALTER TABLE [a-z_]+ ADD COLUMN|DROP INDEX [a-z_]+ ON) `)
	comment := regexp.MustCompile(` *--.*`)
	for _, name := range migrationNames(t, "mysql") {
		text := readMigration(t, "mysql", name)
		if !strings.Contains(text, "-- +goose NO TRANSACTION\n") {
			t.Errorf("%s claims to be one transaction", name)
		}
		for _, statement := range strings.SplitAfter(strings.TrimSpace(comment.ReplaceAllString(text, "")), ";\n") {
			statement = strings.TrimSpace(statement)
			if !kind.MatchString(statement) || strings.Count(statement, "ADD COLUMN") > 1 {
				t.Errorf("%s: %q cannot be taken for done when it fails", name, statement)
			}
			if strings.HasPrefix(statement, "CREATE TABLE") && !strings.HasSuffix(statement, "\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;") {
				t.Errorf("%s: %q has another engine or collation", name, statement)
			}
		}
	}
}

// modelledMySQL checks that the schema is the one that the models describe.
func modelledMySQL(t *testing.T, s *Store) {
	t.Helper()
	got, want := schemaOf(t, s), mysqlModel(t, s)
	if len(got) != len(want) {
		t.Errorf("%d tables for %d models", len(got), len(want))
	}
	for name := range want {
		if !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("table %s\nmigrated: %+v\nmodelled: %+v", name, got[name], want[name])
		}
	}
}
