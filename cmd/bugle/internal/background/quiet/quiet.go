// Package quiet prevents terminal libraries from querying the terminal while packages initialize. Bubble Tea's package
// init calls lipgloss.HasDarkBackground, which queries the terminal's background color and waits up to five seconds for
// each byte of the response: `bugle --version` would hang on a terminal that does not respond. Setting a background in
// Lip Gloss first makes that call return at once. This works because packages that are ready to be initialized are
// initialized in the order of their import paths: this one only needs Lip Gloss, as Bubble Tea does, and "bugle/…"
// sorts before "github.com/…". So it must import nothing else, and the module must keep its name. A test of the parent
// package proves it by running a program in a silent terminal.
package quiet

import "github.com/charmbracelet/lipgloss"

func init() {
	lipgloss.SetHasDarkBackground(true)
}
