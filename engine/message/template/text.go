package template

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// upper returns s in capitals like Python, which may have more than one for a letter: SS for ß.
func upper(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToUpper(s)
	}
	return cases.Upper(language.Und).String(s)
}

func lower(s string) string {
	if !strings.ContainsAny(s, "Σİ") { // whose small letters depend on what is around, or are two
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}

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

// titled is the filter title: a capital after spaces, dashes and brackets.
func titled(e *evaluator, a []any) any {
	separates := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("-({[<", r) }
	return eachWord(e, a[0].(string), separates, func(word string) string {
		_, size := utf8.DecodeRuneInString(word)
		return upper(word[:size]) + lower(word[size:])
	})
}

// titleWords is the method title: a capital after everything that is not a letter.
func titleWords(e *evaluator, a []any) any {
	separates := func(r rune) bool { return !unicode.IsUpper(r) && !unicode.IsLower(r) && !unicode.IsTitle(r) }
	return eachWord(e, a[0].(string), separates, capitalizer())
}

// eachWord returns s with its words changed.
func eachWord(e *evaluator, s string, separates func(rune) bool, change func(string) string) string {
	var b strings.Builder
	for s != "" {
		word := strings.TrimLeftFunc(s, separates)
		b.WriteString(s[:len(s)-len(word)])
		end := strings.IndexFunc(word, separates)
		if end < 0 {
			end = len(word)
		}
		e.work(8 * end)
		if end > 0 {
			b.WriteString(change(word[:end]))
		}
		s = word[end:]
	}
	return b.String()
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
