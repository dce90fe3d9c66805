package panes_test

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/panes"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

// layouts are the panes of the screens.
var layouts = map[string][]panes.Pane{
	"history":   {{Name: "versions", From: 100, Share: 40, Min: 56, Rows: 7}, {Name: "changes"}},
	"outbox":    {{Name: "messages"}, {Name: "page", From: 100, Share: 50, Rows: 9}},
	"activity":  {{Name: "calls"}, {Name: "page", From: 100, Share: 40, Min: 50}},
	"new draft": {{Name: "questions"}, {Name: "help", From: 100, Share: 40}},
	"test send": {{Name: "form"}, {Name: "messages", From: 76, Share: 40, Min: 34, Max: 60, Rows: 6}},
	"results":   {{Name: "results"}, {Name: "message", From: 100, Share: 50, Hidden: true}},
	"workspace": {{Name: "sections", From: 76, Min: 26, Max: 26}, {Name: "records"}, {Name: "record", Rows: 8}},
	"record":    {{Name: "form"}, {Name: "info", From: 100, Share: 40}},
	"builder": {
		{Name: "sections", From: 64, Share: 33, Min: 22, Max: 27, Focused: 22}, {Name: "form", Min: 40}, {Name: "panel", From: 112, Share: 40, Min: 34, Max: 66},
	},
	"campaigns": {
		{Name: "filters", From: 138, Min: 24, Max: 24, Focused: 26}, {Name: "list", Min: 86},
		{Name: "details", From: 114, Share: 100, Min: 28, Max: 48, Focused: 42},
	},
}

// click returns a click on a cell.
func click(x, y int) tea.MouseMsg {
	return tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress}
}

// In every layout, each cell belongs to one pane, the panes are drawn where a click finds them, and the focused pane is
// among them, zoomed or not.
func TestClicksHitThePaneUnderThePointer(t *testing.T) {
	for name, all := range layouts {
		for _, size := range uitest.Sizes {
			for focus := range all {
				for _, zoom := range []bool{false, true} {
					p := panes.New(themes.Plain(), all...)
					p.SetSize(size.W, size.H)
					p.Focus(focus)
					p.Zoom(zoom)
					at := fmt.Sprintf("%s at %d×%d, focus on %s, zoomed %v", name, size.W, size.H, p.Name(focus), zoom)
					if !p.Shown(focus) && !all[focus].Hidden {
						t.Errorf("%s: the focused pane is not shown", at)
					}
					checkCells(t, &p, at, size.W, size.H)
				}
			}
		}
	}
}

func checkCells(t *testing.T, p *panes.Panes, at string, width, height int) {
	t.Helper()
	view := p.View(func(pane int) panes.Content { return panes.Content{Title: p.Name(pane), Body: "of " + p.Name(pane)} })
	lines := strings.Split(view, "\n")
	if len(lines) != height {
		t.Fatalf("%s has %d lines:\n%s", at, len(lines), view)
	}
	for y, line := range lines {
		if widget.Width(line) != width {
			t.Fatalf("%s: line %d is %d cells wide:\n%s", at, y, widget.Width(line), view)
		}
		for x := range width {
			pane, inside := p.Mouse(click(x, y))
			if pane < 0 {
				t.Fatalf("%s: nothing at %d, %d:\n%s", at, x, y, view)
			}
			if w, h := p.Size(pane); inside.X < -2 || inside.X >= w+2 || inside.Y < -1 || inside.Y > h {
				t.Fatalf("%s: %d, %d is at %d, %d of %s", at, x, y, inside.X, inside.Y, p.Name(pane))
			}
			if inside.X == 0 && inside.Y == 0 && !strings.HasPrefix(string([]rune(line)[x:]), "of "+p.Name(pane)) {
				t.Fatalf("%s: %s does not begin at %d, %d:\n%s", at, p.Name(pane), x, y, view)
			}
		}
	}
}
