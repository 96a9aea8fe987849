package db

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gorm.io/gorm"

	"footnote/assistants"
)

// column and schemaOf describe a database as far as it matters to programs.
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

func schemaOf(t *testing.T, db *gorm.DB) map[string]table {
	t.Helper()
	var names []string
	err := db.Raw("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version'").Scan(&names).Error
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
			c.Default = strings.Trim(*r.Default, `"'`) // GORM quotes otherwise than SQL does
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

func TestMigratedSchemaIsTheOneGORMWouldMake(t *testing.T) {
	migrated := openTest(t, "sqlite::memory:", Options{})
	modelled, err := Open(t.Context(), "sqlite::memory:", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := modelled.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := modelled.gorm.AutoMigrate(models()...); err != nil {
		t.Fatal(err)
	}
	got, want := schemaOf(t, migrated.gorm), schemaOf(t, modelled.gorm)
	if len(got) != len(models()) {
		t.Errorf("%d tables for %d models", len(got), len(models()))
	}
	for name := range want {
		if !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("table %s\nmigrated: %+v\nmodelled: %+v", name, got[name], want[name])
		}
	}
	if err := migrated.gorm.Exec("DROP INDEX jobs_document_idx").Error; err != nil {
		t.Fatal(err)
	}
	if reflect.DeepEqual(schemaOf(t, migrated.gorm), want) {
		t.Error("this test does not see a missing index")
	}
}

func TestEveryTableNamesItsTenant(t *testing.T) {
	for name, table := range schemaOf(t, openTest(t, "sqlite::memory:", Options{}).gorm) {
		if c, ok := table.Columns["tenant_id"]; !ok || !c.NotNull {
			t.Errorf("table %s: tenant_id is %+v", name, c)
		}
	}
}

func TestDefaultsOfTheSchemaAreThoseOfTheDomain(t *testing.T) {
	s := openTest(t, "sqlite::memory:", Options{})
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
}

func TestColumnsOfSettingsBearTheNamesOfTheAPI(t *testing.T) {
	columns := schemaOf(t, openTest(t, "sqlite::memory:", Options{}).gorm)["assistant_settings"].Columns
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

// models lists a row type per table, for the test that compares them with the
// migrated schema and the one that looks for rows left behind.
func models() []any {
	return []any{
		&assistantRow{}, &settingsRow{}, &collectionRow{}, &documentRow{}, &versionRow{},
		&textRow{}, &chunkRow{}, &logRow{}, &keyRow{}, &jobRow{}, &metaRow{}, &requestRow{},
	}
}
