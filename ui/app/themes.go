package app

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// themeBox lists the themes. The whole program previews the one under the cursor; closing the box restores the
// old one.
type themeBox struct {
	*choiceBox
	names []string
	old   themes.Theme
	theme *themes.Theme
	use   func(*themes.Theme)
	apply func(screen.ThemeMsg) tea.Cmd
}

func (m *Model) pickTheme() tea.Cmd {
	b := &themeBox{names: m.opts.themeNames(), old: *m.theme, theme: m.theme, use: m.useTheme, apply: m.chooseTheme}
	options := make([]widget.Option, len(b.names))
	for i, n := range b.names {
		options[i] = widget.Option{Label: n}
		if n == themes.Auto {
			options[i].Label += " (follows the terminal)"
		}
	}
	at := slices.Index(b.names, m.theme.Name)
	if at >= 0 {
		options[at].Label += " (in use)"
	}
	b.choiceBox = newChoice(m.theme, screen.ChooseMsg{Title: "Theme", Options: options})
	b.widget.Select(max(at, 0))
	m.pushOverlay(b)
	return nil
}

// themeNames lists the themes to choose from.
func (o *Options) themeNames() []string {
	if o.ThemeNames != nil {
		return o.ThemeNames()
	}
	return themes.Names()
}

// Key moves in the themes, or chooses one.
func (b *themeBox) Key(msg tea.KeyMsg) tea.Cmd { return b.previewSelected(b.widget.Update(msg)) }

// Mouse scrolls the themes, or chooses one.
func (b *themeBox) Mouse(msg tea.MouseMsg) tea.Cmd {
	if b.widget.Wheel(msg) {
		return b.previewSelected(widget.Answer{}, false)
	}
	if !widget.Pressed(msg) {
		return nil
	}
	return b.previewSelected(b.widget.Click(msg.Y))
}

// previewSelected shows the theme under the cursor after a key or click, and stores it once it is chosen.
func (b *themeBox) previewSelected(a widget.Answer, done bool) tea.Cmd {
	if done {
		b.Close()
	}
	if done && a.Canceled() {
		b.use(&b.old)
		return nil
	}
	name := b.names[b.widget.Cursor()]
	if !done && name == b.theme.Name {
		return nil
	}
	return b.apply(screen.ThemeMsg{Name: name, Preview: !done})
}
