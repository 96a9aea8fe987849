package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Regular expressions are those of Go's own package, which takes linear time
// whatever the text, and none is made of what somebody sent (S-74): each is
// compiled once, from constants, when the program starts.
func TestRegularExpressionsAreConstantAndOfLinearTime(t *testing.T) {
	found := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "footnote-bench" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return fs.SkipDir // a module of its own, without clients
		case !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		used := false
		for _, spec := range file.Imports {
			switch imported, err := strconv.Unquote(spec.Path.Value); {
			case err != nil:
				return err
			case imported == "regexp":
				used = true
				if spec.Name != nil {
					t.Errorf("%s: regexp has another name there", path)
				}
			case strings.Contains(strings.ToLower(imported), "regex"), strings.Contains(imported, "pcre"), strings.Contains(imported, "oniguruma"):
				t.Errorf("%s imports %s, whose time may not be linear", path, imported)
			}
		}
		if !used {
			return nil
		}
		for _, decl := range file.Decls {
			constant, _ := decl.(*ast.GenDecl)
			ast.Inspect(decl, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				fn, ok := call.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if pkg, ok := fn.X.(*ast.Ident); !ok || pkg.Name != "regexp" || fn.Sel.Name == "QuoteMeta" {
					return true
				}
				found++
				if fn.Sel.Name != "MustCompile" || constant == nil || !literal(call.Args[0]) {
					t.Errorf("%s: a regular expression that is not made of constants at the start", files.Position(call.Pos()))
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 30 {
		t.Errorf("only %d regular expressions were found", found)
	}
}

// literal reports whether an expression is a string in the source, or several, or
// constants of the same file.
func literal(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return e.Op == token.ADD && literal(e.X) && literal(e.Y)
	case *ast.ParenExpr:
		return literal(e.X)
	case *ast.Ident:
		return e.Obj != nil && e.Obj.Kind == ast.Con
	}
	return false
}
