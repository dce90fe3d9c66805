package forms

import (
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

// widgetKeys returns huh's key map with the usual keys for pages. The form handles the keys that leave a widget, and those
// that filter.
func widgetKeys() *huh.KeyMap {
	k := huh.NewDefaultKeyMap()
	k.Select.HalfPageUp.SetKeys("pgup")
	k.Select.HalfPageDown.SetKeys("pgdown")
	k.MultiSelect.HalfPageUp.SetKeys("pgup")
	k.MultiSelect.HalfPageDown.SetKeys("pgdown")
	return k
}
