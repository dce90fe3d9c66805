package template

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// upper returns s in capitals like Python, which may have more than one for a letter: SS for ß.
func upper(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	return cases.Upper(language.Und).String(s)
}

func lower(s string) string {
	if isASCII(s) || !strings.ContainsAny(s, "Σİ") { // whose small letters depend on what is around, or are two
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func capitalized(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return cases.Title(language.Und, cases.NoLower).String(s[:size]) + lower(s)[len(lower(s[:size])):]
}

// titled is the filter title: a capital after spaces, dashes and brackets.
func titled(e *evaluator, a []any) (any, error) {
	up := cases.Upper(language.Und)
	return eachWord(e, a[0].(string), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("-({[<", r) }, func(first, word string) string {
		if isASCII(first) {
			return strings.ToUpper(first) + lower(word[len(first):])
		}
		return up.String(first) + lower(word[len(first):])
	}), nil
}

// titleWords is the method title: a capital after everything that is not a letter.
func titleWords(e *evaluator, a []any) (any, error) {
	up := cases.Title(language.Und, cases.NoLower)
	return eachWord(e, a[0].(string), func(r rune) bool { return !cased(r) }, func(first, word string) string {
		if isASCII(first) {
			return strings.ToUpper(first) + lower(word)[1:]
		}
		return up.String(first) + lower(word)[len(lower(first)):]
	}), nil
}

// eachWord returns s with its words changed. Each has a first character.
func eachWord(e *evaluator, s string, separates func(rune) bool, change func(first, word string) string) string {
	var b strings.Builder
	for s != "" {
		word := strings.TrimLeftFunc(s, separates)
		b.WriteString(s[:len(s)-len(word)])
		if word == "" {
			break
		}
		end := strings.IndexFunc(word, separates)
		if end < 0 {
			end = len(word)
		}
		try(e.work(8 * end))
		_, size := utf8.DecodeRuneInString(word)
		b.WriteString(change(word[:size], word[:end]))
		s = word[end:]
	}
	return b.String()
}

func cased(r rune) bool { return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) }

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLower(r) {
			return unicode.ToUpper(r)
		}
		return unicode.ToLower(r)
	}, s)
}

// allAre reports whether s has letters of one case, and none of another.
func allAre(s string, are, not func(rune) bool) bool {
	return strings.ContainsFunc(s, are) && !strings.ContainsFunc(s, func(r rune) bool { return not(r) || unicode.IsTitle(r) })
}

func fold(s string) string { return cases.Fold().String(s) }
