// Package themes owns every colour of the terminal program: colour tokens, and the styles made of them.
//
// A Theme is a value that is handed to whoever draws. It carries its own renderer, so that what it
// draws depends on nothing but itself; the libraries' default renderer is neither read nor changed.
package themes

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// The names of the themes.
const (
	Auto         = "auto"          // dark or light, as the background is
	Dark         = "dark"          // for dark backgrounds
	Light        = "light"         // for light backgrounds
	HighContrast = "high-contrast" // for either, at least seven to one
	None         = "none"          // no colour: bold, underline and reverse alone
)

// Names lists the themes, the one to start with first.
func Names() []string { return []string{Auto, Dark, Light, HighContrast, None} }

// Theme is a set of colours and the styles made of them. It is a small value; its styles are shared
// and never change.
type Theme struct {
	// Name is the theme's name as asked for, one of Names, or "plain".
	Name string
	// DarkBackground says which background the colours were chosen for.
	DarkBackground bool
	// Tokens are the colours themselves.
	Tokens Tokens

	*Styles
	renderer *lipgloss.Renderer
}

// Options say what New makes a theme from.
type Options struct {
	// Name is one of Names; "" is Auto.
	Name string
	// DarkBackground is what is known of the terminal's background.
	DarkBackground bool
	// Profile is how many colours the terminal shows. With termenv.Ascii, nothing but text is drawn.
	Profile termenv.Profile
}

// New makes a theme from nothing but its options. It fails for a name it does not know.
func New(o Options) (Theme, error) {
	t := Theme{Name: o.Name, DarkBackground: o.DarkBackground}
	switch o.Name {
	case "", Auto:
		t.Name = Auto
		t.Tokens = lightTokens()
		if o.DarkBackground {
			t.Tokens = darkTokens()
		}
	case Dark:
		t.DarkBackground, t.Tokens = true, darkTokens()
	case Light:
		t.DarkBackground, t.Tokens = false, lightTokens()
	case HighContrast:
		t.Tokens = contrastLightTokens()
		if o.DarkBackground {
			t.Tokens = contrastDarkTokens()
		}
	case None:
		t.Tokens = noTokens()
	default:
		return Theme{}, fmt.Errorf("there is no theme %q: choose one of %s", o.Name, strings.Join(Names(), ", "))
	}
	t.renderer = newRenderer(o.Profile, t.DarkBackground)
	t.setStyles(t.Name == None)
	return t, nil
}

// Get makes the theme of a name for the terminal at standard output, whose background is dark or not.
// It looks at TERM, COLORTERM, CLICOLOR and NO_COLOR; NO_COLOR overrules the name (https://no-color.org).
// It asks the terminal nothing. It fails for a name it does not know.
func Get(name string, dark bool) (Theme, error) {
	output := termenv.NewOutput(os.Stdout)
	o := Options{Name: name, DarkBackground: dark, Profile: output.EnvColorProfile()}
	if output.EnvNoColor() {
		if _, err := New(o); err != nil {
			return Theme{}, err
		}
		// The terminal can still do bold and reverse, which the no-colour profile would drop as well.
		o.Name, o.Profile = None, output.ColorProfile()
	}
	return New(o)
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
	for tone := range t.inks {
		t.inks[tone] = newInk(t.Tone(Tone(tone)))
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
