package forms

import (
	"github.com/charmbracelet/huh"

	"bugle/themes"
)

// huhTheme returns the theme of a field of huh, without a frame and a title, because the form draws both.
func huhTheme(t *themes.Theme) *huh.Theme {
	none := t.NewStyle()
	field := huh.FieldStyles{
		Base: none, Title: t.Muted, Description: t.Faint,
		SelectSelector: t.Accent.SetString("> "), Option: t.Text,
		MultiSelectSelector: t.Accent.SetString("> "),
		SelectedOption:      t.Accent, SelectedPrefix: t.Success.SetString("[x] "),
		UnselectedOption: t.Text, UnselectedPrefix: t.Faint.SetString("[ ] "),
	}
	return &huh.Theme{Focused: field, Blurred: field, FieldSeparator: none}
}

// huhKeys returns huh's key map with the usual keys for pages. The form handles the keys that leave a field, and those that
// filter.
func huhKeys() *huh.KeyMap {
	k := huh.NewDefaultKeyMap()
	k.Select.HalfPageUp.SetKeys("pgup")
	k.Select.HalfPageDown.SetKeys("pgdown")
	k.MultiSelect.HalfPageUp.SetKeys("pgup")
	k.MultiSelect.HalfPageDown.SetKeys("pgdown")
	return k
}
