package template

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// upper returns s in capitals like Python, which may have more than one for a letter: SS for ß.
func upper(s string) string { return cases.Upper(language.Und).String(s) }

// lower returns s in small letters. Those of some depend on what is around, or are two.
func lower(s string) string { return cases.Lower(language.Und).String(s) }

// capitalized returns s with a capital at its start.
func capitalized(s string) string { return capitalizer()(s) }

// capitalizer returns capitalized for many words. A capital may be two letters in one: ǅ.
func capitalizer() func(string) string {
	title := cases.Title(language.Und, cases.NoLower)
	return func(s string) string {
		_, size := utf8.DecodeRuneInString(s)
		return title.String(s[:size]) + lower(s)[len(lower(s[:size])):]
	}
}

// The words of the filter title, which begin after spaces, dashes and brackets, and of the method, which are letters.
var (
	filterWord = regexp.MustCompile(`[^\s\pZ\x1c-\x1f\x85({\[<-]+`)
	methodWord = regexp.MustCompile(`[\p{Lu}\p{Ll}\p{Lt}]+`)
)

// titled is the filter title.
func titled(e *evaluator, a []any) any {
	return filterWord.ReplaceAllStringFunc(a[0].(string), func(word string) string {
		e.work(64 * len(word))
		_, size := utf8.DecodeRuneInString(word)
		return upper(word[:size]) + lower(word[size:])
	})
}

// titleWords is the method title.
func titleWords(e *evaluator, a []any) any {
	capital := capitalizer()
	return methodWord.ReplaceAllStringFunc(a[0].(string), func(word string) string {
		e.work(64 * len(word))
		return capital(word)
	})
}

// firstRunes returns the first n characters of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

func withoutTags(s string) string {
	for _, tag := range [][2]string{{"<!--", "-->"}, {"<", ">"}} {
		var b strings.Builder
		for {
			before, rest, found := strings.Cut(s, tag[0])
			_, after, ends := strings.Cut(rest, tag[1])
			if !found || !ends {
				break
			}
			b.WriteString(before)
			s = after
		}
		s = b.String() + s
	}
	return html.UnescapeString(strings.Join(strings.Fields(s), " "))
}
