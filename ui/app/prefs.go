package app

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/prefs"
	"bugle/ui/screen"
)

// The preferences that the root model stores.
const (
	prefTheme = "theme"
	prefDark  = "background"
)

// themeChoice is the theme that was chosen last.
type themeChoice struct {
	Name string `json:"name"`
}

// Theme returns the theme that was chosen last; empty if none was.
func Theme(p *prefs.Prefs) (string, error) {
	c, err := prefs.Read[themeChoice](p, prefTheme)
	return c.Name, err
}

// background is the terminal's last known background.
type background struct {
	Light bool `json:"light"`
}

// Dark reports whether the terminal's last known background was dark; true if none is known, as most are dark.
func Dark(p *prefs.Prefs) bool {
	b, err := prefs.Read[background](p, prefDark)
	return err != nil || !b.Light // the terminal is asked again
}

// BackgroundMsg reports that the terminal's background differs from what was assumed. The themes already know.
type BackgroundMsg struct{ Dark bool }

// background redraws everything for the terminal's background, and stores it.
func (m *Model) background(msg BackgroundMsg) tea.Cmd {
	if t, err := m.opts.Themes(m.theme.Name); err == nil {
		m.useTheme(t)
	}
	return remember(m.opts.Deps, prefDark, func(background) background { return background{!msg.Dark} })
}

// remember changes a preference of the program.
func remember[T any](deps screen.Deps, name string, change func(T) T) tea.Cmd {
	return screen.Remember(deps.Prefs, name, "your settings", change)
}
