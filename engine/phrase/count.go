package phrase

import (
	"slices"
	"strconv"
	"strings"
)

// Count returns a number with its noun: "0 users", "1 user", "3 users", "2 categories".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + Plural(noun)
}

// Thousands formats a number with thousands separators: "12,345".
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural returns the plural of a regular noun.
func Plural(noun string) string {
	stem, y := strings.CutSuffix(noun, "y")
	if y && stem != "" && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])) {
		return stem + "ies"
	}
	return noun + "s"
}

// List returns names as a sentence has them: all, or the first ones and how many more.
func List(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		names = append(slices.Clone(names[:most]), Thousands(more)+" more")
	}
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
