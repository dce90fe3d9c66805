package render

import (
	"fmt"
	"math"
	"strconv"
)

// Contrast returns the contrast ratio of two #rrggbb colors from 1 to 21 (WCAG 2.2). It returns 1 if one of
// them is not such a color.
func Contrast(a, b string) float64 {
	x, ok := luminance(a)
	y, also := luminance(b)
	if !ok || !also {
		return 1
	}
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(color string) (float64, bool) {
	if len(color) != 7 || color[0] != '#' {
		return 0, false
	}
	rgb, err := strconv.ParseUint(color[1:], 16, 32)
	if err != nil {
		return 0, false
	}
	linear := func(c uint64) float64 {
		v := float64(c&255) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(rgb>>16) + 0.7152*linear(rgb>>8) + 0.0722*linear(rgb), true
}

// minContrast is the contrast below which text is hard to read at any size (WCAG 2.2, 1.4.3, large text).
const minContrast = 3

// legible warns of colors that can hardly be told from the ground that the author chose.
func (n *Notification) legible() {
	ground := n.Colors.Background
	if ground == "" {
		return
	}
	warn := func(what, field, color string) {
		if c := Contrast(color, ground); color != "" && c < minContrast {
			n.Warnings = append(n.Warnings, Warning{Check: "contrast-low", Of: field, Text: fmt.Sprintf("%s: %s on %s is hard to read (contrast %.1f; use at least 3)", what, color, ground, c)})
		}
	}
	warn("App name", "app_name_color_code", n.Colors.AppName)
	seen := map[string]bool{}
	for _, s := range n.Body {
		if !seen[s.Color] {
			seen[s.Color] = true
			warn(aMessage, "message", s.Color)
		}
	}
}
