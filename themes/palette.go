package themes

import "github.com/charmbracelet/lipgloss"

// Tokens are the colors a theme is made of, by what they mean. A token without a value (NoColor)
// leaves the terminal's own color. Forms and previews take colors from here; everything else takes
// the finished Styles.
type Tokens struct {
	Text   lipgloss.TerminalColor // ordinary text
	Muted  lipgloss.TerminalColor // labels, second-rank text
	Faint  lipgloss.TerminalColor // hints, placeholders, what is switched off
	Accent lipgloss.TerminalColor // what has the focus, titles, keys

	Success lipgloss.TerminalColor
	Warning lipgloss.TerminalColor
	Danger  lipgloss.TerminalColor
	Info    lipgloss.TerminalColor

	Border      lipgloss.TerminalColor // lines around what has no focus; no text is drawn in it
	BorderFocus lipgloss.TerminalColor // lines around what has the focus

	SelectionFg lipgloss.TerminalColor // the row under the cursor
	SelectionBg lipgloss.TerminalColor
	OnAccent    lipgloss.TerminalColor // text on a ground of Accent: the chosen button
	OnDanger    lipgloss.TerminalColor // text on a ground of Danger
}

// c is one color as the three kinds of terminals show it: 24 bit, 256 colors, 16 colors. An empty
// one is left to the terminal.
func c(trueColor, ansi256, ansi string) lipgloss.TerminalColor {
	return lipgloss.CompleteColor{TrueColor: trueColor, ANSI256: ansi256, ANSI: ansi}
}

// darkTokens are made for backgrounds from black to #1e1e2e.
func darkTokens() Tokens {
	return Tokens{
		Text:        c("#d7dae8", "253", ""),
		Muted:       c("#a9b1d0", "248", "7"),
		Faint:       c("#8b92b3", "245", "7"),
		Accent:      c("#89b4fa", "111", "12"),
		Success:     c("#a6da95", "150", "10"),
		Warning:     c("#f5c26b", "221", "11"),
		Danger:      c("#f38ba8", "211", "9"),
		Info:        c("#7dc4e4", "116", "14"),
		Border:      c("#4a4d66", "240", "8"),
		BorderFocus: c("#89b4fa", "111", "12"),
		SelectionFg: c("#ffffff", "231", "15"),
		SelectionBg: c("#39405c", "238", "4"),
		OnAccent:    c("#11131f", "233", "0"),
		OnDanger:    c("#11131f", "233", "0"),
	}
}

// lightTokens are made for backgrounds from white to #eff1f5.
func lightTokens() Tokens {
	return Tokens{
		Text:        c("#2b2e3f", "236", ""),
		Muted:       c("#50556e", "239", "8"),
		Faint:       c("#666b85", "241", "8"),
		Accent:      c("#1d5fd0", "26", "4"),
		Success:     c("#256d1b", "22", "2"),
		Warning:     c("#8f5200", "94", "3"),
		Danger:      c("#c2123b", "124", "1"),
		Info:        c("#05687c", "23", "6"),
		Border:      c("#b4b9cc", "250", "7"),
		BorderFocus: c("#1d5fd0", "26", "4"),
		SelectionFg: c("#10131f", "233", "0"),
		SelectionBg: c("#cfdcf7", "189", "7"),
		OnAccent:    c("#ffffff", "231", "15"),
		OnDanger:    c("#ffffff", "231", "15"),
	}
}

// contrastDarkTokens stay far from the background of a dark terminal: seven to one at the least.
func contrastDarkTokens() Tokens {
	return Tokens{
		Text:        c("#ffffff", "231", "15"),
		Muted:       c("#e4e4e4", "254", "15"),
		Faint:       c("#d0d0d0", "252", "7"),
		Accent:      c("#ffff5f", "227", "11"),
		Success:     c("#87ff87", "120", "10"),
		Warning:     c("#ffd75f", "221", "11"),
		Danger:      c("#ffb0b0", "217", "9"),
		Info:        c("#87ffff", "123", "14"),
		Border:      c("#b2b2b2", "249", "7"),
		BorderFocus: c("#ffff5f", "227", "11"),
		SelectionFg: c("#000000", "16", "0"),
		SelectionBg: c("#ffff5f", "227", "11"),
		OnAccent:    c("#000000", "16", "0"),
		OnDanger:    c("#000000", "16", "0"),
	}
}

// contrastLightTokens are their like for a light terminal.
func contrastLightTokens() Tokens {
	return Tokens{
		Text:        c("#000000", "16", "0"),
		Muted:       c("#1c1c1c", "234", "0"),
		Faint:       c("#303030", "236", "0"),
		Accent:      c("#00208f", "18", "4"),
		Success:     c("#004d00", "22", "2"),
		Warning:     c("#5c3000", "52", "0"),
		Danger:      c("#870000", "88", "1"),
		Info:        c("#003f4f", "17", "4"),
		Border:      c("#4e4e4e", "239", "0"),
		BorderFocus: c("#00208f", "18", "4"),
		SelectionFg: c("#ffffff", "231", "15"),
		SelectionBg: c("#00208f", "18", "4"),
		OnAccent:    c("#ffffff", "231", "15"),
		OnDanger:    c("#ffffff", "231", "15"),
	}
}

// safeDarkTokens tell states apart by blue, yellow and orange, which people who do not tell red from
// green (protanopia, deuteranopia) tell apart as well; for a dark terminal.
func safeDarkTokens() Tokens {
	k := darkTokens()
	k.Accent, k.BorderFocus = c("#dbe6ff", "189", "15"), c("#dbe6ff", "189", "15")
	k.Success = c("#35a7ff", "75", "12")
	k.Warning = c("#ffe97a", "228", "15")
	k.Danger = c("#ff8a3d", "208", "11")
	k.Info = c("#c9b6ff", "183", "14")
	return k
}

// safeLightTokens are their like for a light terminal.
func safeLightTokens() Tokens {
	k := lightTokens()
	k.Accent, k.BorderFocus = c("#27408b", "18", "4"), c("#27408b", "18", "4")
	k.Success = c("#0a6fb8", "25", "6")
	k.Warning = c("#806000", "94", "8")
	k.Danger = c("#5e2000", "52", "3")
	k.Info = c("#6a3fa8", "54", "5")
	return k
}

// noTokens leave every color to the terminal.
func noTokens() Tokens {
	n := lipgloss.NoColor{}
	return Tokens{n, n, n, n, n, n, n, n, n, n, n, n, n, n}
}
