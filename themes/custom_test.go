package themes_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"bugle/themes"
)

func TestCustomThemes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"evening.yaml": "# mine\nbase: dark\ntokens:\n  accent: \"#f80\"\n  danger: 208\n  selection-bg: \"#102030\"\n",
		"morning.json": `{"base": "light", "tokens": {"text": "#000000"}}`,
		"notes.txt":    "not a theme",
		"dark.yaml":    "tokens: {}",
		"broken.yaml":  "base: night\ntokens:\n  accent: #f80\n  dangre: 1\n  text: blue\n  info: 256\n",
		"worse.yaml":   "tokens: [",
		"evening.json": "{}",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, wrong := themes.Load(dir)
	if got, want := set.Names(), append(themes.Names(), "evening", "morning"); !slices.Equal(got, want) {
		t.Errorf("there are the themes %q, want %q", got, want)
	}
	var told []string
	for _, err := range wrong {
		told = append(told, err.Error())
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{
		`theme broken.yaml: base: there is no theme "night"`, "line 3, token accent: nothing (a # begins a comment",
		"line 4, token dangre: there is no such token; choose from text, muted", "line 5, token text: blue is not a color",
		"line 6, token info: 256 is not a color", "theme dark.yaml: \"dark\" is the name of a built-in theme", "theme worse.yaml: line 1",
		"theme evening.yaml: another file has a theme with this name",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("nobody is told %q:\n%s", want, all)
		}
	}
	if len(wrong) != 4 {
		t.Errorf("%d files are told of:\n%s", len(wrong), all)
	}
	if _, err := set.New(themes.Options{Name: "broken"}); err == nil || !strings.Contains(err.Error(), "morning") {
		t.Errorf("a theme that cannot be read can be had: %v", err)
	}
	if none, wrong := themes.Load(filepath.Join(dir, "absent")); len(wrong) != 0 || len(none.Names()) != len(themes.Names()) {
		t.Errorf("a folder that is not there gives %v", wrong)
	}
}

func TestCustomThemeChangesOnlyItsTokens(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "evening.yaml"), []byte("base: dark\ntokens: {accent: \"#f80\", danger: 208, border-focus: 9}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, _ := themes.Load(dir)
	mine, err := set.New(themes.Options{Name: "evening", Profile: termenv.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	if mine.Tokens.Text != newTheme(t, themes.Dark, true).Tokens.Text || !mine.DarkBackground {
		t.Error("what the file does not say is not the base's")
	}
	for want, style := range map[string]lipgloss.Style{"38;2;255;136;0": mine.Accent, "38;5;208": mine.Danger, "\x1b[91m": mine.BorderFocus} {
		if got := style.Render("x"); !strings.Contains(got, want) {
			t.Errorf("%q is drawn, want %q", got, want)
		}
	}
}

// The matrices of Viénot, Brettel and Mollon (1999), on linear RGB, for protanopia and deuteranopia.
var dichromats = map[string][3][3]float64{
	"protanopia":   {{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}},
	"deuteranopia": {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}},
}

func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// lab returns a color as seen with a color deficiency, in CIE L*a*b* (D65), in which distances are perceptual.
func lab(color string, sees [3][3]float64) [3]float64 {
	c := termenv.ConvertToRGB(termenv.TrueColor.Color(color))
	in := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	var rgb [3]float64
	for i, row := range sees {
		rgb[i] = min(max(row[0]*in[0]+row[1]*in[1]+row[2]*in[2], 0), 1)
	}
	f := func(v float64) float64 {
		if v > 216.0/24389 {
			return math.Cbrt(v)
		}
		return (24389.0/27*v + 16) / 116
	}
	x := f((0.4124*rgb[0] + 0.3576*rgb[1] + 0.1805*rgb[2]) / 0.9505)
	y := f(0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2])
	z := f((0.0193*rgb[0] + 0.1192*rgb[1] + 0.9505*rgb[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// Success, warning and danger can be told apart without red and green.
func TestColorBlindRolesAreDistinct(t *testing.T) {
	const least = 20 // two is just visible
	for _, dark := range []bool{true, false} {
		k := newTheme(t, themes.ColorBlind, dark).Tokens
		for who, sees := range dichromats {
			for _, pair := range [][2]lipgloss.TerminalColor{{k.Success, k.Warning}, {k.Success, k.Danger}, {k.Warning, k.Danger}} {
				for depth := range 2 {
					x, y := shown(t, pair[0])[depth], shown(t, pair[1])[depth]
					p, q := lab(x, sees), lab(y, sees)
					if d := math.Sqrt(math.Pow(p[0]-q[0], 2) + math.Pow(p[1]-q[1], 2) + math.Pow(p[2]-q[2], 2)); d < least {
						t.Errorf("with %s (dark %v) %s and %s are %.1f apart, needs %d", who, dark, x, y, d, least)
					}
				}
			}
		}
	}
}
