package forms

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"bugle/engine/schema"
	"bugle/themes"
)

// swatchWidth is the width of a swatch, including the blank after it.
const swatchWidth = 4

// isColor reports whether a row is a hex color.
func isColor(r row) bool {
	return r.Node != nil && r.shape == shapeInput && hasForm(r.Node, schema.Color)
}

// swatch draws a block in the color that a text names, and a blank. It returns "" if the text is not a color,
// and in themes without colors.
func (p *renderer) swatch(r row, text string) string {
	t := p.theme
	if !isColor(r) || t.IsPlain() || t.Name == themes.None {
		return ""
	}
	red, green, blue, ok := rgb(text)
	if !ok {
		return ""
	}
	block := t.NewStyle().Background(lipgloss.Color(fmt.Sprintf("#%02x%02x%02x", red, green, blue)))
	return block.Render(strings.Repeat(" ", swatchWidth-1)) + " "
}

// rgb parses #RGB, #RRGGBB and #RRGGBBAA, ignoring the alpha value.
func rgb(s string) (red, green, blue uint8, ok bool) {
	if !schema.Color.Matches(s) {
		return 0, 0, 0, false
	}
	digits := s[1:]
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	n, err := strconv.ParseUint(digits[:6], 16, 32)
	return uint8(n >> 16), uint8(n >> 8), uint8(n), err == nil
}

// contrast describes the contrast of black and white text on a color (WCAG 2.2, 1.4.3).
func contrast(text string) string {
	red, green, blue, ok := rgb(text)
	if !ok {
		return ""
	}
	l := luminance(red, green, blue)
	white, black := 1.05/(l+0.05), (l+0.05)/0.05
	return fmt.Sprintf("Contrast: %s with white text, %s with black text.", ratio(white), ratio(black))
}

func ratio(r float64) string {
	word := "too little"
	switch {
	case r >= 7:
		word = "very good"
	case r >= 4.5:
		word = "good"
	case r >= 3:
		word = "enough for large text"
	}
	return fmt.Sprintf("%.1f:1 (%s)", math.Floor(r*10)/10, word)
}

// luminance returns the relative luminance of an sRGB color, 0 for black and 1 for white.
func luminance(red, green, blue uint8) float64 {
	linear := func(c uint8) float64 {
		v := float64(c) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(red) + 0.7152*linear(green) + 0.0722*linear(blue)
}
