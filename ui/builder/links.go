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

// fill renders each link: its place, and the resulting URL with the added part in another tone.
func (a *linksPanel) fill() {
	t, found := a.cfg.Theme, utm.Links(a.cfg.Head.Channel, a.root, maxLinks)
	var lines []string
	for _, l := range found {
		lines = append(lines, t.Strong.Render(widget.Truncate(problems.Place(a.cfg.Head.Channel, l.Path), a.width-2)))
		lines = append(lines, a.link(l)...)
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

// link breaks a link at the width of the pane, because a URL has no words.
func (a *linksPanel) link(l utm.Link) []string {
	t := a.cfg.Theme
	same := 0
	for same < len(l.URL) && same < len(l.Tagged) && l.URL[same] == l.Tagged[same] {
		same++
	}
	end := same + len(l.Tagged) - len(l.URL) // of what was added
	var lines []string
	for line := range strings.SplitSeq(ansi.Hardwrap(widget.Clean(l.Tagged), max(a.width-2, 1), true), "\n") {
		from := min(max(same, 0), len(line))
		to := min(max(end, from), len(line))
		lines = append(lines, t.Link(l.Tagged, t.Text.Render(line[:from])+t.Accent.Render(line[from:to])+t.Text.Render(line[to:])))
		same, end = same-len(line), end-len(line)
	}
	return lines
}
