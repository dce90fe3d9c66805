// Package quiet keeps the program from questioning the terminal while its packages initialise.
//
// Bubble Tea's package init calls lipgloss.HasDarkBackground, which asks the terminal for its
// background color and waits up to five seconds for each byte of an answer: `bugle --version` would
// hang on a terminal that stays silent. Telling Lip Gloss an answer first makes that call return at once.
//
// This works because packages that are ready to be initialised are initialised in the order of their
// import paths: this one needs nothing but Lip Gloss, as Bubble Tea does, and "bugle/…" sorts before
// "github.com/…". So it must import nothing else, and the module must keep its name. A test of the
// parent package runs a program in a silent terminal to prove it.
package quiet

import "github.com/charmbracelet/lipgloss"

func init() {
	lipgloss.SetHasDarkBackground(true)
}
