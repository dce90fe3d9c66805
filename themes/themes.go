// Package themes owns every color of the terminal program: color tokens, and the styles derived from them.
//
// Everything that draws has a pointer to one Theme, which [Theme.Use] changes for the whole program. A Theme has its own
// renderer, so that output depends on nothing else; the libraries' default renderer is neither read nor changed.
package themes

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// The names of the built-in themes.
const (
	Auto         = "auto"          // dark or light, depending on the background
	Dark         = "dark"          // for dark backgrounds
	Light        = "light"         // for light backgrounds
	HighContrast = "high-contrast" // for either, with a contrast of at least seven to one
	ColorBlind   = "color-blind"   // for either, without red-green distinctions
	None         = "none"          // no color: only bold, underline and reverse
)

// builtIns are the built-in themes, the default first: their colors for a dark and a light background. A theme for only one
// of them has the same colors on both.
var builtIns = []struct {
	name        string
	dark, light func() Tokens
}{
	{Auto, darkTokens, lightTokens},
	{Dark, darkTokens, nil},
	{Light, nil, lightTokens},
	{HighContrast, contrastDarkTokens, contrastLightTokens},
	{ColorBlind, colorBlindDarkTokens, colorBlindLightTokens},
	{None, noTokens, noTokens},
}

// Names lists the built-in themes, the default first.
func Names() []string {
	var names []string
	for _, b := range builtIns {
		names = append(names, b.name)
	}
	return names
}

// Theme is a set of colors with its styles.
type Theme struct {
	// Name is the theme's name as requested: one of Names, that of a custom theme, or "plain".
	Name string
	// DarkBackground reports whether the colors are for a dark background.
	DarkBackground bool
	// Tokens are the colors themselves.
	Tokens Tokens

	*Styles
	renderer *lipgloss.Renderer
	caret    string
	links    bool // the terminal has links
}

// Use changes the theme to another one: what is drawn from now on looks like that.
func (t *Theme) Use(other *Theme) { *t = *other }

// CaretMark marks the cell of the text cursor in a view. It has no width and terminals ignore it; the writer of
// the output removes it and moves the terminal's cursor there.
const CaretMark = "\x1b]bugle-caret\x1b\\"

// Caret returns what to draw before the cell of the text cursor: [CaretMark] in a theme for a terminal, "" in
// others.
func (t *Theme) Caret() string { return t.caret }

// Options configure New.
type Options struct {
	// Name is one of the names in the set; "" means Auto.
	Name string
	// DarkBackground reports whether the terminal's background is dark.
	DarkBackground bool
	// Profile is the color support of the terminal. With termenv.Ascii, only text is drawn.
	Profile termenv.Profile
}

// New returns a built-in theme for the options. It fails for an unknown name.
func New(o Options) (*Theme, error) { return Set{}.New(o) }

// builtIn returns the colors of a built-in theme, and whether they are for a dark background.
func builtIn(name string, dark bool) (k Tokens, onDark, ok bool) {
	for _, b := range builtIns {
		switch {
		case b.name != name:
		case b.light == nil || dark && b.dark != nil:
			return b.dark(), true, true
		default:
			return b.light(), false, true
		}
	}
	return Tokens{}, dark, false
}

// Plain returns a theme without control sequences, for tests and for terminals that do not support them.
func Plain() *Theme {
	t := &Theme{Name: "plain", DarkBackground: true, Tokens: noTokens()}
	t.renderer = newRenderer(termenv.Ascii, true)
	t.setStyles(true)
	return t
}

func (t *Theme) setStyles(bare bool) { t.Styles = newStyles(t.renderer, t.Tokens, bare) }

// Renderer returns the renderer of the theme's styles, for creating more styles.
func (t *Theme) Renderer() *lipgloss.Renderer { return t.renderer }

// NewStyle returns an empty style of the theme's renderer.
func (t *Theme) NewStyle() lipgloss.Style { return t.renderer.NewStyle() }

// IsPlain reports whether styles have no effect, so that a symbol must replace them.
func (t *Theme) IsPlain() bool { return t.renderer.ColorProfile() == termenv.Ascii }

func newRenderer(p termenv.Profile, dark bool) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(p)
	r.SetHasDarkBackground(dark)
	return r
}
