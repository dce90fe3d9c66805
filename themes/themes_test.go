package themes_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"bugle/themes"
)

// luminance and contrast are defined in WCAG 2.2, "relative luminance" and "contrast ratio".
func luminance(t *testing.T, color string) float64 {
	t.Helper()
	rgb := termenv.ConvertToRGB(termenv.TrueColor.Color(color))
	return 0.2126*linear(rgb.R) + 0.7152*linear(rgb.G) + 0.0722*linear(rgb.B)
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// shown returns a token's colors with 24 bits and with 256 colors.
func shown(t *testing.T, token lipgloss.TerminalColor) []string {
	t.Helper()
	complete, ok := token.(lipgloss.CompleteColor)
	if !ok {
		t.Fatalf("token %v has no exact colors", token)
	}
	return []string{complete.TrueColor, complete.ANSI256}
}

func TestContrast(t *testing.T) {
	grounds := map[bool][]string{true: {"#000000", "#1e1e2e"}, false: {"#ffffff", "#eff1f5"}}
	for _, test := range []struct {
		name  string
		dark  bool
		least float64
	}{
		{themes.Dark, true, 4.5}, {themes.Light, false, 4.5},
		{themes.HighContrast, true, 7}, {themes.HighContrast, false, 7},
		{themes.ColorBlind, true, 4.5}, {themes.ColorBlind, false, 4.5},
	} {
		k := newTheme(t, test.name, test.dark).Tokens
		check := func(what, fg, bg string, least float64) {
			if got := contrast(t, fg, bg); got < least {
				t.Errorf("%s (dark %v): %s %s on %s has a contrast of %.2f, needs %.1f", test.name, test.dark, what, fg, bg, got, least)
			}
		}
		for what, token := range map[string]lipgloss.TerminalColor{
			"text": k.Text, "muted": k.Muted, "faint": k.Faint, "accent": k.Accent, "success": k.Success,
			"warning": k.Warning, "danger": k.Danger, "info": k.Info,
		} {
			for _, fg := range shown(t, token) {
				for _, bg := range grounds[test.dark] {
					check(what, fg, bg, test.least)
				}
			}
		}
		for _, ground := range grounds[test.dark] {
			for _, line := range shown(t, k.BorderFocus) {
				check("border of the focus", line, ground, 3)
			}
		}
		for what, pair := range map[string][2]lipgloss.TerminalColor{
			"selection": {k.SelectionFg, k.SelectionBg}, "button": {k.OnAccent, k.Accent}, "danger button": {k.OnDanger, k.Danger},
		} {
			fg, bg := shown(t, pair[0]), shown(t, pair[1])
			for i := range fg {
				check(what, fg[i], bg[i], test.least)
			}
		}
	}
}

// eachStyle calls do with every style of a theme.
func eachStyle(theme *themes.Theme, do func(name string, style lipgloss.Style)) {
	styles := reflect.ValueOf(*theme.Styles)
	for i := range styles.NumField() {
		if f := styles.Type().Field(i); f.IsExported() {
			do(f.Name, styles.Field(i).Interface().(lipgloss.Style))
		}
	}
}

// Without colors the important styles are still distinct, and none of them sets a color. The plain theme draws text alone.
func TestWithoutColors(t *testing.T) {
	theme := newTheme(t, themes.None, true)
	color := regexp.MustCompile(`\x1b\[[0-9;]*\b(3[0-9]|4[0-9]|9[0-7]|10[0-7])\b`)
	eachStyle(theme, func(name string, style lipgloss.Style) {
		if drawn := style.Render("x"); color.MatchString(drawn) {
			t.Errorf("style %s sets a color: %q", name, drawn)
		}
	})
	for i, style := range []lipgloss.Style{theme.Selected, theme.ButtonFocus, theme.Danger, theme.Cursor, theme.TabActive, theme.BorderFocus} {
		if style.Render("x") == theme.Text.Render("x") {
			t.Errorf("style %d looks like ordinary text", i)
		}
	}
	eachStyle(themes.Plain(), func(name string, style lipgloss.Style) {
		if drawn := style.Render("x"); drawn != "x" {
			t.Errorf("in the plain theme style %s draws %q", name, drawn)
		}
	})
}

// An unknown name is refused with those that there are, also where NO_COLOR decides.
func TestNames(t *testing.T) {
	for _, noColor := range []string{"", "1"} {
		t.Setenv("NO_COLOR", noColor)
		_, err := themes.Set{}.Get("neon", true)
		for _, want := range append(themes.Names(), "neon") {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not name %q", err, want)
			}
		}
	}
	if theme, err := (themes.Set{}).Get(themes.Dark, true); err != nil || theme.Name != themes.None {
		t.Errorf("NO_COLOR gives theme %v, %v", theme, err)
	}
}

func TestAutoFollowsTheBackground(t *testing.T) {
	if newTheme(t, themes.Auto, true).Tokens == newTheme(t, themes.Auto, false).Tokens {
		t.Error("the same colors on dark and on light")
	}
}

// newTheme returns a theme for a terminal with all colors.
func newTheme(t *testing.T, name string, dark bool) *themes.Theme {
	t.Helper()
	theme, err := themes.New(themes.Options{Name: name, DarkBackground: dark, Profile: termenv.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	return theme
}
