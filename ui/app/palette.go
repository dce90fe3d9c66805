package app

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// paletteBox finds an action by its name.
type paletteBox struct {
	theme   themes.Theme
	prompt  widget.Prompt
	list    widget.List
	actions []screen.Action
	shown   []int
	run     func(screen.Action) tea.Cmd
}

func (m *Model) palette() tea.Cmd {
	p := &paletteBox{theme: m.theme, prompt: widget.NewPrompt(m.theme, "›", "find an action"), list: widget.NewList(m.theme), run: m.run}
	for _, a := range m.live() {
		if a.Group != "" && !a.Info && a.Label != "palette" {
			p.actions = append(p.actions, a)
		}
	}
	p.prompt.Focus()
	p.list.Focused, p.list.Empty = true, "No action has these letters."
	p.filter()
	m.lay(p)
	return nil
}

func (p *paletteBox) filter() {
	p.shown = p.shown[:0]
	if q := strings.TrimSpace(p.prompt.Value()); q != "" {
		for _, match := range fuzzy.FindFrom(q, p) {
			p.shown = append(p.shown, match.Index)
		}
	} else {
		for i := range p.actions {
			p.shown = append(p.shown, i)
		}
	}
	items := make([]widget.Item, len(p.shown))
	for i, at := range p.shown {
		a := p.actions[at]
		items[i] = widget.Item{Text: p.String(at), Info: keyName(a.Keys[0]), InfoTone: themes.ToneMuted, Dim: a.Why != "", Why: a.Why}
	}
	p.list.SetItems(items)
	p.list.Home()
}

// String and Len make the actions a source for fuzzy search.
func (p *paletteBox) String(i int) string {
	a := p.actions[i]
	if a.Help == "" {
		return a.Label
	}
	return a.Label + " — " + a.Help
}

func (p *paletteBox) Len() int { return len(p.actions) }

func (p *paletteBox) key(msg tea.KeyMsg) (tea.Cmd, bool) {
	switch msg.String() {
	case "esc", "ctrl+k":
		return nil, true
	case "up", "ctrl+p":
		p.list.Up()
	case "down", "ctrl+n":
		p.list.Down()
	case "pgup":
		p.list.PageUp()
	case "pgdown":
		p.list.PageDown()
	case "enter":
		return p.take()
	default:
		if p.prompt.Update(msg) {
			p.filter()
		}
	}
	return nil, false
}

func (p *paletteBox) take() (tea.Cmd, bool) {
	if len(p.shown) == 0 {
		return nil, false
	}
	return p.run(p.actions[p.shown[p.list.Cursor]]), true
}

func (p *paletteBox) mouse(msg tea.MouseMsg, width, height int) (tea.Cmd, bool) {
	x, y := widget.CenterAt(p.view(width, height), width, height)
	if p.list.Mouse(msg, msg.Y-y-2) && clicked(msg) && msg.X >= x {
		return p.take()
	}
	return nil, false
}

func (p *paletteBox) view(width, height int) string {
	panel := widget.NewPanel(p.theme, "Actions")
	panel.Focused, panel.Footer = true, "enter run · esc close"
	panel.SetSize(min(width-4, 72), min(height-4, 20))
	w, h := panel.Inner()
	p.prompt.SetSize(w, 1)
	p.list.SetSize(w, max(h-1, 1))
	return panel.View(p.prompt.View() + "\n" + p.list.View())
}
