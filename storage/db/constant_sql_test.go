package db

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// takesSQL are methods with arguments that may be SQL: the first such argument,
// and their number.
var takesSQL = map[string][2]int{
	"Where": {0, 1}, "Or": {0, 1}, "Not": {0, 1}, "Order": {0, 1}, "Raw": {0, 1}, "Exec": {0, 1}, "Select": {0, 9}, "Omit": {0, 9}, "Group": {0, 1},
	"Having": {0, 1}, "Pluck": {0, 1}, "Joins": {0, 1}, "InnerJoins": {0, 1}, "Distinct": {0, 9}, "Table": {0, 1}, "Expr": {0, 1}, "UpdateColumn": {0, 1}, "Update": {0, 1},
	"ExecContext": {1, 1}, "QueryContext": {1, 1}, "QueryRowContext": {1, 1}, "PrepareContext": {1, 1}, "Query": {0, 1}, "QueryRow": {0, 1}, "Prepare": {0, 1},
	// Functions of this package that pass conditions on.
	"deleteDocuments": {3, 1}, "lockUpstream": {1, 1}, "lockRow": {2, 1},
}

// handsThrough are functions that get SQL from their caller, or build it from
// numbers and constants only. They are listed by folder, receiver and name, so
// that another function of the same name is not excused.
var handsThrough = map[string]string{
	"storage/db deleteDocuments":               "condition; its callers are held to the rule",
	"storage/db lockUpstream":                  "condition; its callers are held to the rule",
	"storage/db lockRow":                       "condition; its callers are held to the rule",
	"storage/db fillSome":                      "names of columns in the source",
	"storage/db Store.lockMinute":              "a statement of the dialect",
	"storage/db largeStatement.ExecContext":    "no statement at all",
	"storage/db largeConn.PrepareContext":      "what GORM made",
	"storage/db sqlserverPool.QueryContext":    "what GORM made",
	"storage/db Store.Strays":                  "conditions of a table in the source",
	"storage/db Store.RemoveStray":             "conditions of a table in the source",
	"storage/db rawTable.after":                "conditions with names of a model's columns",
	"storage/db rawTable.read":                 "names of a model's table and columns",
	"storage/db rawTable.insert":               "the name of a model's table",
	"storage/db Store.CountRows":               "names of the models' tables",
	"storage/db postgresPool.QueryContext":     "what GORM made",
	"storage/db mysqlPool.QueryContext":        "what GORM made",
	"storage/db sessionConnector.Connect":      "SET with constants and a number",
	"storage/db resumingConn.ExecContext":      "a statement of a migration",
	"storage/db preparedPool.QueryContext":     "what GORM made",
	"cmd/footnote-bench newDatabase":           "the name of the database that it makes",
	"storage/db preparedPool.prepared":         "what GORM made",
	"storage/db repeatingTx.ExecContext":       "what GORM made",
	"storage/db limitSession":                  "SET with constants",
	"storage/db lockPostgresMigrations":        "SET with a number",
	"storage/vector/embedded prepare":          "PRAGMA with constants",
	"storage/vector/embedded row.delete":       "the name of one of its tables",
	"assistants/embedding prepareVectors":      "PRAGMA with constants",
	"assistants/embedding passageFile.read":    "a question mark for each key, and the time",
	"assistants/embedding passageFile.put":     "arguments of what was prepared",
	"assistants/embedding keptVector.checksum": "no statement at all",
}

// TestNoStatementIsPutTogetherFromValues reads the source of every package that
// knows a database, against SQL injection: the text of SQL must be constant, and
// values must be parameters.
func TestNoStatementIsPutTogetherFromValues(t *testing.T) {
	calls, used := 0, map[string]bool{}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "postgrestest") || strings.Contains(path, "mariadbtest") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil || !knowsDatabases(file) {
			return err
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				for _, arg := range sqlOf(call) {
					calls++
					if constantSQL(arg) {
						continue
					}
					name := pathOf(path, fn)
					if handsThrough[name] == "" {
						t.Errorf("%s: the text of a statement in %s is not constant", files.Position(arg.Pos()), name)
					}
					used[name] = true
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if calls < 80 {
		t.Errorf("only %d texts of statements were found", calls)
	}
	for name := range handsThrough {
		if !used[name] {
			t.Errorf("%s hands no statement through any more", name)
		}
	}
}

// pathOf returns the folder, receiver and name of a function.
func pathOf(file string, fn *ast.FuncDecl) string {
	name := fn.Name.Name
	if fn.Recv != nil {
		of := fn.Recv.List[0].Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		if id, ok := of.(*ast.Ident); ok {
			name = id.Name + "." + name
		}
	}
	folder, _ := filepath.Rel(filepath.Join("..", ".."), filepath.Dir(file)) // where the walk begins
	return filepath.ToSlash(folder) + " " + name
}

func knowsDatabases(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
		path := strings.Trim(i.Path.Value, `"`)
		return strings.HasPrefix(path, "gorm.io/") || path == "database/sql" || strings.HasPrefix(path, "github.com/jackc/pgx")
	})
}

// sqlOf returns the arguments of a call that are SQL.
func sqlOf(call *ast.CallExpr) []ast.Expr {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
		if x, ok := f.X.(*ast.Ident); ok && (x.Name == "errors" || x.Name == "cmp") {
			return nil
		}
	case *ast.Ident:
		name = f.Name
	}
	where, ok := takesSQL[name]
	if len(call.Args) > 0 && where[0] == 0 {
		if ctx, is := call.Args[0].(*ast.Ident); is && ctx.Name == "ctx" { // the first argument of pgx
			where[0] = 1
		}
	}
	if !ok || len(call.Args) <= where[0] {
		return nil
	}
	return call.Args[where[0]:min(len(call.Args), where[0]+where[1])]
}

// constantSQL reports whether an expression is a constant text, or not a text at
// all: a value or clause for which GORM writes the SQL.
func constantSQL(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit, *ast.CompositeLit, *ast.FuncLit:
		return true
	case *ast.BinaryExpr:
		return constantSQL(e.X) && constantSQL(e.Y)
	case *ast.UnaryExpr:
		return e.Op == token.AND && constantSQL(e.X)
	case *ast.ParenExpr:
		return constantSQL(e.X)
	case *ast.Ident:
		return e.Obj != nil && e.Obj.Kind == ast.Con
	case *ast.CallExpr: // the name of a table, which is a constant of its row
		f, ok := e.Fun.(*ast.SelectorExpr)
		return ok && f.Sel.Name == "TableName" && len(e.Args) == 0
	}
	return false
}
