package themes

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// Styles are the styles of a theme. They must not be changed; deriving from one is safe, because a lipgloss.Style is
// immutable. No two themes share them, so that what keeps drawn text can tell that the theme has changed.
type Styles struct {
	// Text in each tone.
	Text, Strong, Muted, Faint, Accent, Success, Warning, Danger, Info lipgloss.Style

	// Borders and titles, with and without focus.
	Border, BorderFocus, BorderDanger, Title, TitleFocus lipgloss.Style

	// Rows: the selected one in a list with and without the keyboard; a table's header.
	Selected, SelectedBlur, Header lipgloss.Style

	// Key is a key in a hint, KeyLabel its label.
	Key, KeyLabel lipgloss.Style

	// Cursor is the cell under the text cursor.
	Cursor lipgloss.Style

	// Buttons of a dialog: any, the focused one, and the focused one of a destructive action.
	Button, ButtonFocus, ButtonDanger lipgloss.Style

	// Tab is a tab, TabActive the active one.
	Tab, TabActive lipgloss.Style

	// JSON tokens.
	JSONKey, JSONString, JSONNumber, JSONLiteral, JSONPunct lipgloss.Style

	// Marked is a marked line, Match a search match.
	Marked, Match lipgloss.Style

	tones [toneCount]lipgloss.Style
	sgr   [toneCount]sgrPair
}

// newStyles returns the styles. bare is for tokens without colors: weight, underline and reverse replace color.
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
	s.tones = [...]lipgloss.Style{
		ToneText: s.Text, ToneStrong: s.Strong, ToneMuted: s.Muted, ToneFaint: s.Faint, ToneAccent: s.Accent,
		ToneSuccess: s.Success, ToneWarning: s.Warning, ToneDanger: s.Danger, ToneInfo: s.Info,
	}
	for tone, style := range s.tones {
		s.sgr[tone].on, s.sgr[tone].off, _ = strings.Cut(style.Render("x"), "x")
	}
	return s
}
