package settings

import (
	"strings"

	"bugle/engine/catalog"
	"bugle/themes"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// themesWidth is the width of the list of themes; the sample gets the rest.
const themesWidth = 26

// withSample draws the list of themes beside a sample of the selected one.
func (s *Screen) withSample(view string, w, h int) []string {
	list := strings.Split(view, "\n")
	sample := s.sample(max(w-themesWidth-2, 1), h)
	lines := make([]string, h)
	for i := range lines {
		left, right := "", ""
		if i < len(list) {
			left = list[i]
		}
		if i < len(sample) {
			right = sample[i]
		}
		lines[i] = widget.Fit(left, min(themesWidth, w), 1) + "  " + right
	}
	return lines
}

// sample shows every color with a meaning where it is used.
func (s *Screen) sample(w, h int) []string {
	t := s.theme
	line := func(text string) string { return widget.Truncate(text, w) }
	selected := widget.PadRight("▸ selected row", max(min(w, 40), 1))
	var states []string
	for _, state := range catalog.States {
		icon, tone := status.Icon(state)
		states = append(states, t.Paint(tone, icon+" "+state.Label()))
	}
	out := []string{t.TitleFocus.Render(line("Focused panel")), t.Selected.Render(line(selected)), ""}
	for _, row := range [][]string{
		{t.Strong.Render("Strong"), t.Text.Render("text"), t.Muted.Render("label"), t.Faint.Render("hint")},
		states,
		{t.Success.Render("✓ done"), t.Warning.Render("! warning"), t.Danger.Render("✗ error"), t.Info.Render("i info")},
		{t.Key.Render("ctrl+k") + " " + t.KeyLabel.Render("palette"), t.ButtonFocus.Render("  Yes  "), t.ButtonDanger.Render("  Delete  ")},
		{t.JSONKey.Render(`"rpm"`) + t.JSONPunct.Render(": ") + t.JSONNumber.Render("50"), t.JSONKey.Render(`"name"`) + t.JSONPunct.Render(": ") + t.JSONString.Render(`"Spring"`)},
	} {
		out = append(out, joinWrapped(row, w)...)
	}
	out = append(out, "")
	for i := range out {
		out[i] = widget.Fit(out[i], w, 1)
	}
	notes := s.notes(w)
	return append(out[:min(len(out), max(h-len(notes), 3))], notes...)
}

// notes lists errors in the files of custom themes, or shows their folder.
func (s *Screen) notes(w int) []string {
	var out []string
	add := func(text string, tone themes.Tone) {
		out = append(out, widget.WrapStyled(s.theme.Tone(tone), text, w)...)
	}
	for _, err := range s.now.themeErrors {
		for text := range strings.SplitSeq(err.Error(), "\n") {
			add("✗ "+text, themes.ToneDanger)
		}
	}
	if len(out) == 0 {
		add("Your own themes are files in "+s.src.Themes.Dir(), themes.ToneMuted)
	}
	return out
}

// joinWrapped joins pieces, on as many lines as they need.
func joinWrapped(pieces []string, w int) []string {
	var lines []string
	for _, p := range pieces {
		if last := len(lines) - 1; last >= 0 && widget.Width(lines[last])+2+widget.Width(p) <= w {
			lines[last] += "  " + p
			continue
		}
		lines = append(lines, p)
	}
	return lines
}
