package settings

import (
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine/catalog"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// themesWidth is the width of the list of themes; the sample gets the rest.
const themesWidth = 26

// withSample draws the list of themes beside a sample of the selected one.
func (s *Screen) withSample(view string, w, h int) []string {
	sample := strings.Join(s.sample(max(w-themesWidth-2, 1), h), "\n")
	return strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, view, "  ", sample), "\n")
}

// sample shows the colors with a meaning, above the errors in the files of custom themes or their folder.
func (s *Screen) sample(w, h int) []string {
	t := s.theme
	rows := []string{t.TitleFocus.Render("Focused panel"), t.Selected.Render(widget.PadRight("▸ selected row", min(w, 40))), ""}
	var states []string
	for _, state := range catalog.States {
		icon, tone := status.Icon(state)
		states = append(states, t.Paint(tone, icon+" "+state.Label()))
	}
	for _, row := range slices.AppendSeq([][]string{
		{t.Strong.Render("Strong"), t.Text.Render("text"), t.Muted.Render("label"), t.Faint.Render("hint")},
		{t.Success.Render("✓ done"), t.Warning.Render("! warning"), t.Danger.Render("✗ error"), t.Info.Render("i info")},
		{t.Key.Render("ctrl+k") + " " + t.KeyLabel.Render("palette"), t.ButtonFocus.Render("  Send  ")},
		{t.JSONKey.Render(`"rpm"`) + t.JSONPunct.Render(": ") + t.JSONNumber.Render("50"), t.JSONKey.Render(`"name"`) + t.JSONPunct.Render(": ") + t.JSONString.Render(`"Spring"`)},
	}, slices.Chunk(states, 4)) {
		rows = append(rows, ansi.Truncate(strings.Join(row, "  "), w, "…"))
	}
	notes := []string{""}
	for _, err := range s.now.themeErrors {
		for text := range strings.SplitSeq(err.Error(), "\n") {
			notes = append(notes, widget.WrapStyled(t.Danger, "✗ "+text, w)...)
		}
	}
	if len(notes) == 1 {
		notes = append(notes, widget.WrapStyled(t.Muted, "Your own themes are files in "+s.src.Themes.Dir(), w)...)
	}
	return append(rows[:min(len(rows), max(h-len(notes), 3))], notes...)
}
