// Package themes owns every color of the terminal program: color tokens, and the styles made of them.
//
// A Theme is a value that is handed to whoever draws. It carries its own renderer, so that what it
// draws depends on nothing but itself; the libraries' default renderer is neither read nor changed.
package themes

import (
	"cmp"
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// The names of the themes.
const (
	Auto         = "auto"          // dark or light, as the background is
	Dark         = "dark"          // for dark backgrounds
	Light        = "light"         // for light backgrounds
	HighContrast = "high-contrast" // for either, at least seven to one
	ColorBlind   = "color-blind"   // for either, with no meaning between red and green
	None         = "none"          // no color: bold, underline and reverse alone
)

// renamed are the names that themes had before; flags, environments and files with them keep working.
var renamed = map[string]string{"colour-blind": ColorBlind}

// current returns the name that a theme has now.
func current(name string) string { return cmp.Or(renamed[name], name) }

// Names lists the themes that are built in, the one to start with first.
func Names() []string { return []string{Auto, Dark, Light, HighContrast, ColorBlind, None} }

// Theme is a set of colors and the styles made of them. It is a small value; its styles are shared
// and never change.
type Theme struct {
	// Name is the theme's name as asked for: one of Names, that of an own theme, or "plain".
	Name string
	// DarkBackground says which background the colors were chosen for.
	DarkBackground bool
	// Tokens are the colors themselves.
	Tokens Tokens

	*Styles
	renderer *lipgloss.Renderer
	caret    string
}

// CaretMark stands in a frame before the cell in which a person types. It takes no cell, terminals
// ignore it, and whoever writes frames takes it out and puts the terminal's cursor there.
const CaretMark = "\x1b]bugle-caret\x1b\\"

// Caret returns what to draw before the cell in which a person types: [CaretMark] in a theme for a
// terminal, nothing in others.
func (t Theme) Caret() string { return t.caret }

// Options say what New makes a theme from.
type Options struct {
	// Name is one of the names of the set; "" is Auto.
	Name string
	// DarkBackground is what is known of the terminal's background.
	DarkBackground bool
	// Profile is how many colors the terminal shows. With termenv.Ascii, nothing but text is drawn.
	Profile termenv.Profile
}

// New makes one of the themes that are built in, from nothing but its options. It fails for a name it
// does not know.
func New(o Options) (Theme, error) { return Set{}.New(o) }

// Get makes one of the themes that are built in, as [Set.Get] does.
func Get(name string, dark bool) (Theme, error) { return Set{}.Get(name, dark) }

// builtIn returns the colors of a theme that is built in, and the background that they are for.
func builtIn(name string, dark bool) (k Tokens, onDark, ok bool) {
	either := func(ifDark, ifLight func() Tokens) (Tokens, bool, bool) {
		if dark {
			return ifDark(), true, true
		}
		return ifLight(), false, true
	}
	switch name {
	case Auto:
		return either(darkTokens, lightTokens)
	case Dark:
		return darkTokens(), true, true
	case Light:
		return lightTokens(), false, true
	case HighContrast:
		return either(contrastDarkTokens, contrastLightTokens)
	case ColorBlind:
		return either(colorBlindDarkTokens, colorBlindLightTokens)
	case None:
		return noTokens(), dark, true
	}
	return Tokens{}, dark, false
}

// Plain draws text alone, without a single control sequence: for tests, and for terminals that can do
// no more.
func Plain() Theme {
	t := Theme{Name: "plain", DarkBackground: true, Tokens: noTokens()}
	t.renderer = newRenderer(termenv.Ascii, true)
	t.setStyles(true)
	return t
}

func (t *Theme) setStyles(bare bool) {
	t.Styles = newStyles(t.renderer, t.Tokens, bare)
	for tone := range t.sgr {
		t.sgr[tone] = newSGRPair(t.Tone(Tone(tone)))
	}
}

// Renderer is the renderer that the theme's styles belong to; further styles are made with it.
func (t Theme) Renderer() *lipgloss.Renderer { return t.renderer }

// NewStyle is an empty style of the theme's renderer.
func (t Theme) NewStyle() lipgloss.Style { return t.renderer.NewStyle() }

// IsPlain says that styles draw no control sequences, so that what they would show needs a sign.
func (t Theme) IsPlain() bool { return t.renderer.ColorProfile() == termenv.Ascii }

func newRenderer(p termenv.Profile, dark bool) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(p)
	r.SetHasDarkBackground(dark)
	return r
}
