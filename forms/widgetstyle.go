package forms

import (
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/huh"

	"bugle/themes"
)

// widgetStyle is the styling and key map of huh's widgets.
type widgetStyle struct {
	theme *huh.Theme // of all widgets of a form
	keys  *huh.KeyMap
	t     *themes.Theme
}

func newWidgetStyle(t *themes.Theme) widgetStyle {
	l := widgetStyle{theme: &huh.Theme{}, keys: widgetKeys(), t: t}
	l.follow()
	return l
}

// follow derives the widgets' theme from the styles of the program's theme. Widgets have no frame and no title, because the
// form draws both.
func (l widgetStyle) follow() {
	t := l.t
	none := t.NewStyle()
	field := huh.FieldStyles{
		Base: none, Title: t.Muted, Description: t.Faint,
		SelectSelector: t.Accent.SetString("> "), Option: t.Text,
		MultiSelectSelector: t.Accent.SetString("> "),
		SelectedOption:      t.Accent, SelectedPrefix: t.Success.SetString("[x] "),
		UnselectedOption: t.Text, UnselectedPrefix: t.Faint.SetString("[ ] "),
	}
	*l.theme = huh.Theme{Focused: field, Blurred: field, FieldSeparator: none}
}

// widgetKeys returns huh's key map without the keys that leave a widget, and without letters that move, because
// letters are text.
func widgetKeys() *huh.KeyMap {
	off := key.NewBinding(key.WithDisabled())
	bind := func(keys ...string) key.Binding { return key.NewBinding(key.WithKeys(keys...)) }
	k := huh.NewDefaultKeyMap()
	k.Select = huh.SelectKeyMap{
		Next: off, Prev: off, Submit: off, Left: off, Right: off, Filter: off, SetFilter: off, ClearFilter: off,
		Up: bind("up", "ctrl+p"), Down: bind("down", "ctrl+n"),
		HalfPageUp: bind("pgup"), HalfPageDown: bind("pgdown"), GotoTop: off, GotoBottom: off,
	}
	k.MultiSelect = huh.MultiSelectKeyMap{
		Next: off, Prev: off, Submit: off, Filter: off, SetFilter: off, ClearFilter: off, SelectAll: off, SelectNone: off,
		Up: bind("up", "ctrl+p", "k"), Down: bind("down", "ctrl+n", "j"), Toggle: bind(" ", "x"),
		HalfPageUp: bind("pgup"), HalfPageDown: bind("pgdown"), GotoTop: bind("home"), GotoBottom: bind("end"),
	}
	return k
}
