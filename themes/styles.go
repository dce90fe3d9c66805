package themes

import "github.com/charmbracelet/lipgloss"

// Styles are what the program draws with. They are shared by all copies of a Theme and only read; a
// lipgloss.Style changes nothing in place, so deriving from one is safe.
type Styles struct {
	// Text and its tones.
	Text, Strong, Muted, Faint, Accent, Success, Warning, Danger, Info lipgloss.Style

	// Frames: lines and titles of boxes, with and without the focus.
	Border, BorderFocus, BorderDanger, Title, TitleFocus lipgloss.Style

	// Rows: the one under the cursor, with the keyboard there and elsewhere; a table's head.
	Selected, SelectedBlur, Header lipgloss.Style

	// Key is a key in a hint, KeyLabel what it does.
	Key, KeyLabel lipgloss.Style

	// Cursor is the cell under the text cursor.
	Cursor lipgloss.Style

	// Buttons of a dialog; the focused one, and the focused one that does harm.
	Button, ButtonFocus, ButtonDanger lipgloss.Style

	// Tab is a tab, TabActive the open one.
	Tab, TabActive lipgloss.Style

	// JSON text.
	JSONKey, JSONString, JSONNumber, JSONLiteral, JSONPunct lipgloss.Style

	// Marked is a line that something points at, Match a piece of text that was searched for.
	Marked, Match lipgloss.Style

	sgr [toneCount]sgrPair
}

// newStyles makes the styles. bare is for tokens without a color, where weight, lines and reverse
// have to tell apart what color tells apart elsewhere.
func newStyles(r *lipgloss.Renderer, k Tokens, bare bool) *Styles {
	fg := func(color lipgloss.TerminalColor) lipgloss.Style { return r.NewStyle().Foreground(color) }
	s := &Styles{
		Text: fg(k.Text), Strong: fg(k.Text).Bold(true), Muted: fg(k.Muted), Faint: fg(k.Faint), Accent: fg(k.Accent),
		Success: fg(k.Success), Warning: fg(k.Warning), Danger: fg(k.Danger), Info: fg(k.Info),

		Border: fg(k.Border), BorderFocus: fg(k.BorderFocus), BorderDanger: fg(k.Danger),
		Title: fg(k.Muted).Bold(true), TitleFocus: fg(k.Accent).Bold(true),

		Selected:     fg(k.SelectionFg).Background(k.SelectionBg).Bold(true),
		SelectedBlur: fg(k.Text).Bold(true),
		Header:       fg(k.Muted).Bold(true),

		Key: fg(k.Accent).Bold(true), KeyLabel: fg(k.Muted),
		Cursor: fg(k.Text).Reverse(true),

		Button:       fg(k.Muted),
		ButtonFocus:  fg(k.OnAccent).Background(k.Accent).Bold(true),
		ButtonDanger: fg(k.OnDanger).Background(k.Danger).Bold(true),

		Tab: fg(k.Muted), TabActive: fg(k.Accent).Bold(true).Underline(true),

		JSONKey: fg(k.Accent), JSONString: fg(k.Success), JSONNumber: fg(k.Warning), JSONLiteral: fg(k.Info), JSONPunct: fg(k.Faint),

		Marked: fg(k.Warning).Bold(true), Match: fg(k.Accent).Underline(true),
	}
	if bare {
		s.Accent, s.Faint = s.Accent.Bold(true), s.Faint.Faint(true)
		s.Warning, s.Danger = s.Warning.Bold(true), s.Danger.Bold(true)
		s.BorderFocus, s.BorderDanger = s.BorderFocus.Bold(true), s.BorderDanger.Bold(true)
		s.Selected = s.Selected.Reverse(true)
		s.SelectedBlur = s.SelectedBlur.Underline(true)
		s.ButtonFocus, s.ButtonDanger = s.ButtonFocus.Reverse(true), s.ButtonDanger.Reverse(true)
		s.JSONKey = s.JSONKey.Bold(true)
	}
	return s
}
