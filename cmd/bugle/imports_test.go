package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// terminalLibraries are what nothing under engine may need.
var terminalLibraries = []string{
	"github.com/charmbracelet/bubbletea", "github.com/charmbracelet/bubbles", "github.com/charmbracelet/huh", "github.com/charmbracelet/lipgloss",
}

// importRule names packages that the packages below some paths must not import, directly or indirectly.
type importRule struct {
	below   string
	except  []string
	forbids []string
	direct  bool // only its own imports count
	why     string
}

var importRules = []importRule{
	{below: "bugle/engine/doc", forbids: []string{"bugle"}, why: "the tree knows nothing of ours"},
	{below: "bugle/engine/schema", forbids: []string{"bugle/engine/catalog", "bugle/engine/service/local", "bugle/store", "bugle/ui", "bugle/forms"}, why: "tables are read by schema, not known to it"},
	{below: "bugle/engine/catalog", forbids: []string{"bugle/engine/service/local", "bugle/store", "bugle/ui", "bugle/forms"}, why: "the tables stand on schema alone"},
	{below: "bugle/engine", forbids: terminalLibraries, why: "the engine knows no terminal"},
	{below: "bugle/engine", except: []string{"bugle/engine/service/local"}, forbids: []string{"bugle/store"}, why: "only engine/service/local works on a store"},
	{below: "bugle/store", forbids: []string{"bugle/ui", "bugle/forms", "bugle/engine/service/local"}, why: "the store knows the engine's types, not who uses it"},
	{below: "bugle/forms", forbids: []string{"bugle/engine/catalog", "bugle/engine/service/local", "bugle/store", "bugle/ui"}, why: "forms know tables in general, and no field by name"},
	{below: "bugle/themes", forbids: []string{"bugle", "github.com/charmbracelet/huh"}, why: "themes own colors and nothing else"},
	{below: "bugle/ui", except: []string{"bugle/ui/uitest"}, forbids: []string{"bugle/store", "bugle/engine/service/local"}, why: "screens work with any service"},
	{below: "bugle/cmd/bugle/internal/cli", forbids: commandGroups(), why: "what commands share knows no command"},
	{below: "bugle", except: []string{"bugle/forms", "bugle/ui/newdraft"}, forbids: []string{"github.com/charmbracelet/huh"}, direct: true, why: "forms own every huh import, but for a screen that is a plain form of huh"},
}

// commandGroups returns the packages of commands.
func commandGroups() (all []string) {
	for _, g := range []string{"browse", "campaign", "files", "mcp", "remote", "schema", "serve", "store", "terminal", "texts", "workspace"} {
		all = append(all, "bugle/cmd/bugle/"+g)
	}
	return all
}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

// The layers of the repository and their allowed imports.
func TestImportRules(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Deps", "bugle/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	rules := importRules
	for _, g := range commandGroups() {
		rules = append(rules, importRule{below: g, forbids: commandGroups(), why: "a group of commands stands on internal/cli alone"})
	}
	seen := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if !within(p.ImportPath, "bugle") {
			continue
		}
		seen++
		for _, r := range rules {
			r.check(t, p)
		}
	}
	if seen < 15 {
		t.Fatalf("only %d packages of ours were looked at", seen)
	}
}

func (r importRule) check(t *testing.T, p listed) {
	if !within(p.ImportPath, r.below) || slices.ContainsFunc(r.except, func(e string) bool { return within(p.ImportPath, e) }) {
		return
	}
	deps := p.Deps
	if r.direct {
		deps = p.Imports
	}
	for _, d := range deps {
		for _, f := range r.forbids {
			if within(d, f) && !within(d, r.below) {
				t.Errorf("%s needs %s: %s", p.ImportPath, d, r.why)
			}
		}
	}
}

func within(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }
