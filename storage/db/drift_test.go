package db

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gorm.io/gorm"

	"footnote/assistants"
	"footnote/storage/db/postgrestest"
)

// column and schemaOf describe the parts of a schema that matter to programs.
type column struct {
	Type     string
	NotNull  bool
	Default  string
	KeyPlace int // place in the primary key, from 1
}

type table struct {
	Columns map[string]column
	Indexes map[string]string // "unique (a, b)" by name
}

func schemaOf(t *testing.T, s *Store) map[string]table {
	t.Helper()
	read := sqliteSchema
	switch s.Kind() {
	case "postgres":
		read = postgresSchema
	case "mysql":
		read = mysqlSchema
	}
	schema := read(t, s.gorm)
	delete(schema, "goose_db_version")
	return schema
}

func sqliteSchema(t *testing.T, db *gorm.DB) map[string]table {
	t.Helper()
	var names []string
	err := db.Raw("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").Scan(&names).Error
	if err != nil {
		t.Fatal(err)
	}
	schema := map[string]table{}
	for _, name := range names {
		schema[name] = table{Columns: columnsOf(t, db, name), Indexes: indexesOf(t, db, name)}
	}
	return schema
}

func columnsOf(t *testing.T, db *gorm.DB, name string) map[string]column {
	t.Helper()
	var rows []struct {
		Name    string
		Type    string
		NotNull bool `gorm:"column:notnull"`
		Default *string
		Pk      int
	}
	if err := db.Raw("SELECT name, type, \"notnull\", dflt_value AS \"default\", pk FROM pragma_table_info(?)", name).Scan(&rows).Error; err != nil {
		t.Fatal(err)
	}
	columns := map[string]column{}
	for _, r := range rows {
		c := column{Type: strings.ToLower(r.Type), NotNull: r.NotNull, KeyPlace: r.Pk}
		if r.Default != nil {
			c.Default = strings.Trim(*r.Default, `"'`) // GORM and SQL quote differently
		}
		columns[r.Name] = c
	}
	return columns
}

func indexesOf(t *testing.T, db *gorm.DB, name string) map[string]string {
	t.Helper()
	var rows []struct {
		Name   string
		Unique bool
	}
	if err := db.Raw("SELECT name, \"unique\" FROM pragma_index_list(?) WHERE origin <> 'pk'", name).Scan(&rows).Error; err != nil {
		t.Fatal(err)
	}
	indexes := map[string]string{}
	for _, r := range rows {
		var columns []string
		if err := db.Raw("SELECT name FROM pragma_index_info(?) ORDER BY seqno", r.Name).Scan(&columns).Error; err != nil {
			t.Fatal(err)
		}
		indexes[r.Name] = fmt.Sprintf("unique %v (%s)", r.Unique, strings.Join(columns, ", "))
	}
	return indexes
}

// postgresSchema reads the same from PostgreSQL's catalogue.
func postgresSchema(t *testing.T, db *gorm.DB) map[string]table {
	t.Helper()
	var columns []struct {
		Table, Name, Type, Default string
		NotNull                    bool
		KeyPlace                   int
	}
	err := db.Raw(`SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS not_null,
		coalesce(pg_get_expr(d.adbin, d.adrelid), '') AS "default", coalesce(array_position(k.conkey, a.attnum), 0) AS key_place
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
		LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'`).Scan(&columns).Error
	if err != nil {
		t.Fatal(err)
	}
	schema := map[string]table{}
	for _, c := range columns {
		if _, ok := schema[c.Table]; !ok {
			schema[c.Table] = table{map[string]column{}, map[string]string{}}
		}
		schema[c.Table].Columns[c.Name] = column{c.Type, c.NotNull, c.Default, c.KeyPlace}
	}
	var indexes []struct{ Table, Name, Definition string }
	err = db.Raw(`SELECT tablename AS "table", indexname AS name, indexdef AS definition FROM pg_indexes i WHERE schemaname = 'public'
		AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conname = i.indexname)`).Scan(&indexes).Error
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range indexes {
		schema[i.Table].Indexes[i.Name] = i.Definition
	}
	return schema
}

// modelled checks that the schema is the one that GORM makes of the models.
func modelled(t *testing.T, s *Store) {
	t.Helper()
	if s.Kind() == "mysql" {
		modelledMySQL(t, s)
		return
	}
	url := "sqlite::memory:"
	if s.Kind() == "postgres" {
		url = postgrestest.URL(t)
	}
	model := openUnmigrated(t, url, Options{})
	if err := model.gorm.AutoMigrate(models()...); err != nil {
		t.Fatal(err)
	}
	got, want := schemaOf(t, s), schemaOf(t, model)
	if len(got) != len(models()) {
		t.Errorf("%d tables for %d models", len(got), len(models()))
	}
	for name := range want {
		if !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("table %s\nmigrated: %+v\nmodelled: %+v", name, got[name], want[name])
		}
	}
	if len(want) == 0 {
		t.Error("the models make no table")
	}
}

func TestMigratedSchemaIsTheOneGORMWouldMake(t *testing.T) {
	eachDatabase(t, func(t *testing.T, url string) {
		s := openTest(t, url, Options{})
		modelled(t, s)
		whole := schemaOf(t, s)
		drop := "DROP INDEX jobs_document_idx"
		if s.Kind() == "mysql" {
			drop += " ON jobs"
		}
		if err := s.gorm.Exec(drop).Error; err != nil {
			t.Fatal(err)
		}
		if reflect.DeepEqual(schemaOf(t, s), whole) {
			t.Error("this test does not see a missing index")
		}
	})
}

// PostgreSQL compares texts by their bytes as well, whatever its locale.
func TestTextsOfPostgresAreComparedByTheirBytes(t *testing.T) {
	s := openTest(t, postgrestest.URL(t), Options{})
	var others []string
	err := s.gorm.Raw(`SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'goose_db_version'
		AND a.attcollation <> 0 AND a.attcollation <> '"C"'::regcollation`).Scan(&others).Error
	if err != nil || len(others) > 0 {
		t.Errorf("%v, %v", others, err)
	}
}

func TestEveryTableNamesItsTenant(t *testing.T) {
	eachDatabase(t, func(t *testing.T, url string) {
		for name, table := range schemaOf(t, openTest(t, url, Options{})) {
			if c, ok := table.Columns["tenant_id"]; !ok || !c.NotNull {
				t.Errorf("table %s: tenant_id is %+v", name, c)
			}
		}
	})
}

func TestDefaultsOfTheSchemaAreThoseOfTheDomain(t *testing.T) {
	eachDatabase(t, func(t *testing.T, url string) {
		s := openTest(t, url, Options{})
		if err := s.gorm.Exec("INSERT INTO assistant_settings (assistant_id, tenant_id) VALUES ('a', 't')").Error; err != nil {
			t.Fatal(err)
		}
		var row settingsRow
		if err := s.gorm.Where("tenant_id = ?", "t").Take(&row).Error; err != nil {
			t.Fatal(err)
		}
		if got := assistants.Settings(row.Columns); !reflect.DeepEqual(got, assistants.DefaultSettings()) {
			t.Errorf("got %+v\nwant %+v", got, assistants.DefaultSettings())
		}
	})
}

func TestColumnsOfSettingsBearTheNamesOfTheAPI(t *testing.T) {
	columns := schemaOf(t, openTest(t, "sqlite::memory:", Options{}))["assistant_settings"].Columns
	for _, f := range assistants.Fields() {
		if _, ok := columns[f.Name]; !ok {
			t.Errorf("setting %s has no column", f.Name)
		}
		delete(columns, f.Name)
	}
	if len(columns) != 2 { // assistant_id, tenant_id
		t.Errorf("columns without a setting: %v", columns)
	}
	model := reflect.TypeFor[settingsColumns]()
	mode, _ := model.FieldByName("CitationLinkMode")
	if tag := mode.Tag.Get("gorm"); !strings.Contains(tag, "size:32") || !strings.Contains(tag, "default:None") {
		t.Errorf("citation_link_mode is %q", tag)
	}
}
