package delivery

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is left of a text is the same as with the expressions that describe it.
func TestTidyLines(t *testing.T) {
	gap, blank := regexp.MustCompile(`[ \t\x{00a0}]+\n`), regexp.MustCompile(`\n{3,}`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab \t\n\n\n\u00a0é"))).Draw(t, "text")
		want := strings.TrimSpace(blank.ReplaceAllString(gap.ReplaceAllString(text+"\n", "\n"), "\n\n"))
		if got := strings.TrimSpace(tidyLines(text)); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	})
}
