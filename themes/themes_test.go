package themes_test

import (
	"fmt"
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
		theme, err := themes.New(themes.Options{Name: test.name, DarkBackground: test.dark, Profile: termenv.TrueColor})
		if err != nil {
			t.Fatal(err)
		}
		k := theme.Tokens
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

// Without colors the important styles are still distinct, and none of them sets a color.
func TestNoneUsesNoColor(t *testing.T) {
	theme, err := themes.New(themes.Options{Name: themes.None, Profile: termenv.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	color := regexp.MustCompile(`\x1b\[[0-9;]*\b(3[0-9]|4[0-9]|9[0-7]|10[0-7])\b`)
	styles := reflect.ValueOf(*theme.Styles)
	for i := range styles.NumField() {
		if !styles.Type().Field(i).IsExported() {
			continue
		}
		drawn := styles.Field(i).Interface().(lipgloss.Style).Render("x")
		if color.MatchString(drawn) {
			t.Errorf("style %s sets a color: %q", styles.Type().Field(i).Name, drawn)
		}
	}
	plain := theme.Text.Render("x")
	for name, drawn := range map[string]string{
		"selected": theme.Selected.Render("x"), "focused button": theme.ButtonFocus.Render("x"), "danger": theme.Danger.Render("x"),
		"cursor": theme.Cursor.Render("x"), "active tab": theme.TabActive.Render("x"), "focused border": theme.BorderFocus.Render("x"),
	} {
		if drawn == plain {
			t.Errorf("%s looks like ordinary text", name)
		}
	}
}

func TestPlainDrawsTextAlone(t *testing.T) {
	theme := themes.Plain()
	styles := reflect.ValueOf(*theme.Styles)
	for i := range styles.NumField() {
		if !styles.Type().Field(i).IsExported() {
			continue
		}
		if drawn := styles.Field(i).Interface().(lipgloss.Style).Render("x"); drawn != "x" {
			t.Errorf("style %s draws %q", styles.Type().Field(i).Name, drawn)
		}
	}
	if !theme.IsPlain() {
		t.Error("the plain theme does not say that it is plain")
	}
}

// Paint is a shortcut for the tone's style.
func TestPaintDrawsAsTheStyleDoes(t *testing.T) {
	for _, name := range themes.Names() {
		theme, err := themes.New(themes.Options{Name: name, DarkBackground: true, Profile: termenv.TrueColor})
		if err != nil {
			t.Fatal(err)
		}
		for tone := themes.ToneText; tone <= themes.ToneInfo; tone++ {
			if got, want := theme.Paint(tone, "two words"), theme.Tone(tone).Render("two words"); got != want {
				t.Errorf("%s: tone %d paints %q, its style %q", name, tone, got, want)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range themes.Names() {
		for _, dark := range []bool{true, false} {
			theme, err := themes.Set{}.Get(name, dark)
			if err != nil {
				t.Errorf("Get(%q, %v): %v", name, dark, err)
			} else if theme.Text.Render("x") == "" {
				t.Errorf("Get(%q, %v) draws nothing", name, dark)
			}
		}
	}
	_, err := themes.Set{}.Get("neon", true)
	if err == nil {
		t.Fatal("there is a theme called neon")
	}
	for _, want := range append(themes.Names(), "neon") {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %q", err, want)
		}
	}
}

func TestNoColorOverrulesTheName(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	theme, err := themes.Set{}.Get(themes.Dark, true)
	if err != nil {
		t.Fatal(err)
	}
	if theme.Name != themes.None {
		t.Errorf("NO_COLOR gives theme %q", theme.Name)
	}
	if _, err := (themes.Set{}).Get("neon", true); err == nil {
		t.Error("NO_COLOR hides that there is no such theme")
	}
}

func TestAutoFollowsTheBackground(t *testing.T) {
	auto := func(dark bool) *themes.Theme {
		theme, err := themes.New(themes.Options{DarkBackground: dark, Profile: termenv.TrueColor})
		if err != nil {
			t.Fatal(err)
		}
		return theme
	}
	if fmt.Sprint(auto(true).Tokens) == fmt.Sprint(auto(false).Tokens) {
		t.Error("the same colors on dark and on light")
	}
}
