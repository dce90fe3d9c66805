package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var namedTest = regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz)[A-Za-z]+)`")

// Each line of the threat model names tests, and each of them is there.
func TestThreatModel(t *testing.T) {
	b, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, threats, _ := strings.Cut(string(b), "\n## Threats\n")
	threats, _, _ = strings.Cut(threats, "\n## ")
	found, lines := map[string]map[string]bool{}, 0
	for _, line := range strings.Split(threats, "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| Who |") {
			continue
		}
		lines++
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 4 {
			t.Errorf("%d cells: %s", len(cells), line)
			continue
		}
		names := namedTest.FindAllStringSubmatch(cells[3], -1)
		if rest := strings.TrimSpace(namedTest.ReplaceAllString(cells[3], "")); len(names) == 0 || rest != "" {
			t.Errorf("tests are missing, or %q is none: %s", rest, line)
		}
		for _, n := range names {
			if found[n[1]] == nil {
				found[n[1]] = testsOf(t, n[1])
			}
			if !found[n[1]][n[2]] {
				t.Errorf("there is no test %s in %s: %s", n[2], n[1], line)
			}
		}
	}
	if lines < 20 {
		t.Errorf("the table has %d lines", lines)
	}
}

// testsOf returns the names of the tests in a folder of the module.
func testsOf(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, f := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				out[fn.Name.Name] = true
			}
		}
	}
	return out
}
