package themes

import "github.com/charmbracelet/lipgloss"

// Tokens are the colors of a theme by their meaning. A token without a value (NoColor) keeps the terminal's own
// color. Forms and previews use the tokens; everything else uses the Styles.
type Tokens struct {
	Text   lipgloss.TerminalColor // ordinary text
	Muted  lipgloss.TerminalColor // labels, secondary text
	Faint  lipgloss.TerminalColor // hints, placeholders, disabled items
	Accent lipgloss.TerminalColor // focus, titles, keys

	Success lipgloss.TerminalColor
	Warning lipgloss.TerminalColor
	Danger  lipgloss.TerminalColor
	Info    lipgloss.TerminalColor

	Border      lipgloss.TerminalColor // borders without focus; no text is drawn in it
	BorderFocus lipgloss.TerminalColor // borders with focus

	SelectionFg lipgloss.TerminalColor // the selected row
	SelectionBg lipgloss.TerminalColor
	OnAccent    lipgloss.TerminalColor // text on an Accent background: the focused button
	OnDanger    lipgloss.TerminalColor // text on a Danger background
}

// color is a color for terminals with 24-bit color, 256 colors and 16 colors. An empty one is left to the
// terminal.
func color(trueColor, ansi256, ansi string) lipgloss.TerminalColor {
	return lipgloss.CompleteColor{TrueColor: trueColor, ANSI256: ansi256, ANSI: ansi}
}

// darkTokens are for backgrounds from black to #1e1e2e.
func darkTokens() Tokens {
	return Tokens{
		Text:        color("#d7dae8", "253", ""),
		Muted:       color("#a9b1d0", "248", "7"),
		Faint:       color("#8b92b3", "245", "7"),
		Accent:      color("#89b4fa", "111", "12"),
		Success:     color("#a6da95", "150", "10"),
		Warning:     color("#f5c26b", "221", "11"),
		Danger:      color("#f38ba8", "211", "9"),
		Info:        color("#7dc4e4", "116", "14"),
		Border:      color("#4a4d66", "240", "8"),
		BorderFocus: color("#89b4fa", "111", "12"),
		SelectionFg: color("#ffffff", "231", "15"),
		SelectionBg: color("#39405c", "238", "4"),
		OnAccent:    color("#11131f", "233", "0"),
		OnDanger:    color("#11131f", "233", "0"),
	}
}

// lightTokens are for backgrounds from white to #eff1f5.
func lightTokens() Tokens {
	return Tokens{
		Text:        color("#2b2e3f", "236", ""),
		Muted:       color("#50556e", "239", "8"),
		Faint:       color("#666b85", "241", "8"),
		Accent:      color("#1d5fd0", "26", "4"),
		Success:     color("#256d1b", "22", "2"),
		Warning:     color("#8f5200", "94", "3"),
		Danger:      color("#c2123b", "124", "1"),
		Info:        color("#05687c", "23", "6"),
		Border:      color("#b4b9cc", "250", "7"),
		BorderFocus: color("#1d5fd0", "26", "4"),
		SelectionFg: color("#10131f", "233", "0"),
		SelectionBg: color("#cfdcf7", "189", "7"),
		OnAccent:    color("#ffffff", "231", "15"),
		OnDanger:    color("#ffffff", "231", "15"),
	}
}

// contrastDarkTokens have a contrast of at least seven to one on a dark terminal.
func contrastDarkTokens() Tokens {
	return Tokens{
		Text:        color("#ffffff", "231", "15"),
		Muted:       color("#e4e4e4", "254", "15"),
		Faint:       color("#d0d0d0", "252", "7"),
		Accent:      color("#ffff5f", "227", "11"),
		Success:     color("#87ff87", "120", "10"),
		Warning:     color("#ffd75f", "221", "11"),
		Danger:      color("#ffb0b0", "217", "9"),
		Info:        color("#87ffff", "123", "14"),
		Border:      color("#b2b2b2", "249", "7"),
		BorderFocus: color("#ffff5f", "227", "11"),
		SelectionFg: color("#000000", "16", "0"),
		SelectionBg: color("#ffff5f", "227", "11"),
		OnAccent:    color("#000000", "16", "0"),
		OnDanger:    color("#000000", "16", "0"),
	}
}

// contrastLightTokens are contrastDarkTokens for a light terminal.
func contrastLightTokens() Tokens {
	return Tokens{
		Text:        color("#000000", "16", "0"),
		Muted:       color("#1c1c1c", "234", "0"),
		Faint:       color("#303030", "236", "0"),
		Accent:      color("#00208f", "18", "4"),
		Success:     color("#004d00", "22", "2"),
		Warning:     color("#5c3000", "52", "0"),
		Danger:      color("#870000", "88", "1"),
		Info:        color("#003f4f", "17", "4"),
		Border:      color("#4e4e4e", "239", "0"),
		BorderFocus: color("#00208f", "18", "4"),
		SelectionFg: color("#ffffff", "231", "15"),
		SelectionBg: color("#00208f", "18", "4"),
		OnAccent:    color("#ffffff", "231", "15"),
		OnDanger:    color("#ffffff", "231", "15"),
	}
}

// colorBlindDarkTokens distinguish states by blue, yellow and orange, which are distinct with protanopia and
// deuteranopia; for a dark terminal.
func colorBlindDarkTokens() Tokens {
	k := darkTokens()
	k.Accent, k.BorderFocus = color("#dbe6ff", "189", "15"), color("#dbe6ff", "189", "15")
	k.Success = color("#35a7ff", "75", "12")
	k.Warning = color("#ffe97a", "228", "15")
	k.Danger = color("#ff8a3d", "208", "11")
	k.Info = color("#c9b6ff", "183", "14")
	return k
}

// colorBlindLightTokens are colorBlindDarkTokens for a light terminal.
func colorBlindLightTokens() Tokens {
	k := lightTokens()
	k.Accent, k.BorderFocus = color("#27408b", "18", "4"), color("#27408b", "18", "4")
	k.Success = color("#0a6fb8", "25", "6")
	k.Warning = color("#806000", "94", "8")
	k.Danger = color("#5e2000", "52", "3")
	k.Info = color("#6a3fa8", "54", "5")
	return k
}

// noTokens leave every color to the terminal.
func noTokens() Tokens {
	n := lipgloss.NoColor{}
	return Tokens{n, n, n, n, n, n, n, n, n, n, n, n, n, n}
}
