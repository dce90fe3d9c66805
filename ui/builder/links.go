package builder

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine/doc"
	"bugle/engine/message/utm"
	"bugle/ui/editor"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// linksPanel shows the links of the messages with the URL parameters that are added to them.
type linksPanel struct {
	pagerPanel
	cfg   editor.Config
	root  doc.Value
	width int
}

// maxLinks is how many links are shown.
const maxLinks = 50

func newLinksPanel(cfg editor.Config) editor.SidePanel {
	return &linksPanel{pagerPanel: pagerPanel{widget.NewPager(cfg.Theme)}, cfg: cfg}
}

func (a *linksPanel) Title() string { return "Links" }

func (a *linksPanel) SetSize(w, h int) {
	a.width = w
	a.pagerPanel.SetSize(w, h)
	a.fill()
}

func (a *linksPanel) Show(root doc.Value, _ doc.Path) tea.Cmd {
	if !root.Same(a.root) {
		a.root = root
		a.fill()
	}
	return nil
}

// fill renders each link: its place, and the resulting URL, broken at the width of the pane because it has no words.
func (a *linksPanel) fill() {
	t, found := a.cfg.Theme, utm.Links(a.cfg.Head.Channel, a.root, maxLinks)
	var lines []string
	for _, l := range found {
		lines = append(lines, t.Strong.Render(widget.Truncate(problems.Place(a.cfg.Head.Channel, l.Path), a.width-2)))
		for line := range strings.SplitSeq(ansi.Hardwrap(widget.Clean(l.Tagged), max(a.width-2, 1), true), "\n") {
			lines = append(lines, t.Link(l.Tagged, t.Text.Render(line)))
		}
		lines = append(lines, "")
	}
	switch len(found) {
	case 0:
		lines = []string{t.Muted.Render("The messages have no links yet.")}
	case maxLinks:
		lines = append(lines, t.Faint.Render(fmt.Sprintf("The first %d links.", maxLinks)))
	}
	a.SetStyled(strings.Join(lines, "\n"))
}
