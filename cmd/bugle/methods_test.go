package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// methodLimits are how many methods a type may have in the folders of the repository. A type with more does several
// jobs, and is several types.
var methodLimits = map[string]int{"cmd": 40, "forms": 40, "themes": 40, "ui": 40, "engine": 60, "store": 60}

func TestNoTypeHasTooManyMethods(t *testing.T) {
	root := filepath.Join("..", "..")
	types := 0
	for folder, limit := range methodLimits {
		methods := map[string]int{} // by folder and type
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
					methods[filepath.Dir(path)+"."+receiver(f.Recv.List[0].Type)]++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		types += len(methods)
		for name, n := range methods {
			if n > limit {
				t.Errorf("%s has %d methods; %d are the limit in %s", strings.TrimPrefix(name, root+"/"), n, limit, folder)
			}
		}
	}
	if types < 100 {
		t.Fatalf("only %d types were looked at", types)
	}
}

// receiver returns the name of the type of a receiver, without its pointer and type parameters.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
