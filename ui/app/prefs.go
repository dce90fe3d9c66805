package app

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/prefs"
)

// The preferences that the root model keeps.
const (
	prefTheme   = "theme"
	prefPalette = "palette"
	prefTour    = "tour"
	prefDark    = "background"
)

// themeChoice is the theme that was chosen last.
type themeChoice struct {
	Name string `json:"name"`
}

// Theme returns the theme that was chosen the last time; empty where none was.
func Theme(p *prefs.Prefs) (string, error) {
	c, err := prefs.Read[themeChoice](p, prefTheme)
	return c.Name, err
}

// background is what the terminal's was the last time.
type background struct {
	Light bool `json:"light"`
}

// Dark reports whether the terminal's background was dark the last time that it told; true where it never
// did: most are.
func Dark(p *prefs.Prefs) bool {
	b, err := prefs.Read[background](p, prefDark)
	return err != nil || !b.Light // it is asked anew
}

// BackgroundMsg reports that the terminal's background is not what it was taken for. The themes know it
// already.
type BackgroundMsg struct{ Dark bool }

// background has everything drawn for the terminal's background, and remembers it.
func (m *Model) background(msg BackgroundMsg) tea.Cmd {
	if t, err := m.opts.Themes(m.theme.Name); err == nil {
		m.useTheme(t)
	}
	return savePref(m.opts.Deps.Prefs, prefDark, func(background) background { return background{!msg.Dark} })
}

// palettePrefs is what the palette ran.
type palettePrefs struct {
	Recent []string `json:"recent"` // names of actions, the newest first
}

// maxRecent is how many actions the palette puts first.
const maxRecent = 5

// withRecent puts an action first among those that the palette ran.
func (p palettePrefs) withRecent(name string) palettePrefs {
	rest := slices.DeleteFunc(slices.Clone(p.Recent), func(n string) bool { return n == name })
	return palettePrefs{append([]string{name}, rest[:min(len(rest), maxRecent-1)]...)}
}

// recentLoadedMsg is what the palette ran before this start.
type recentLoadedMsg struct{ recent []string }

// loadRecent reads what the palette ran. Without it the palette is as good as before its first use.
func loadRecent(p *prefs.Prefs) tea.Cmd {
	if p == nil {
		return nil
	}
	return func() tea.Msg {
		mem, err := prefs.Read[palettePrefs](p, prefPalette)
		if err != nil {
			return prefFailedMsg{err}
		}
		return recentLoadedMsg{mem.Recent}
	}
}

// prefFailedMsg reports that a preference could not be kept.
type prefFailedMsg struct{ err error }

// savePref changes a preference, beside everything else.
func savePref[T any](p *prefs.Prefs, name string, change func(T) T) tea.Cmd {
	if p == nil {
		return nil
	}
	return func() tea.Msg {
		if _, err := prefs.Update(p, name, change); err != nil {
			return prefFailedMsg{err}
		}
		return nil
	}
}
