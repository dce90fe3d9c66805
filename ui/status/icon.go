package status

import (
	"bugle/engine/catalog"
	"bugle/themes"
)

// icons has the icon of each state, one cell wide, and its tone. Each icon is distinct, so that color is never the only
// indicator.
var icons = map[catalog.State]struct {
	icon string
	tone themes.Tone
}{
	catalog.Draft:     {"○", themes.ToneText},
	catalog.Scheduled: {"◔", themes.ToneInfo},
	catalog.Active:    {"●", themes.ToneSuccess},
	catalog.Sending:   {"►", themes.ToneAccent},
	catalog.Paused:    {"◐", themes.ToneWarning},
	catalog.Sent:      {"✓", themes.ToneMuted},
	catalog.Stopped:   {"■", themes.ToneDanger},
	catalog.Archived:  {"▪", themes.ToneFaint},
}

// Icon returns the icon and the tone of a state; those of a draft for an unknown state.
func Icon(s catalog.State) (string, themes.Tone) {
	i, ok := icons[s]
	if !ok {
		i = icons[catalog.Draft]
	}
	return i.icon, i.tone
}
