package phrase

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Capitalize returns a text with an upper-case first letter. Names such as iOS stay.
func Capitalize(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[size:]); !unicode.IsLower(r) || unicode.IsUpper(next) {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// Uncapitalize returns a text with a lower-case first letter. Words in capitals stay.
func Uncapitalize(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[size:]); !unicode.IsUpper(r) || unicode.IsUpper(next) {
		return s
	}
	return string(unicode.ToLower(r)) + s[size:]
}

// Sentence returns a text as a sentence: capitalized, and with a period if it does not end with a mark. No text stays
// none.
func Sentence(s string) string {
	s = Capitalize(strings.TrimSpace(s))
	if last, _ := utf8.DecodeLastRuneInString(s); s == "" || strings.ContainsRune(".!?:…", last) {
		return s
	}
	return s + "."
}
