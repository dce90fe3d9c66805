package personalize

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// onText returns a filter without arguments that changes a value's text.
func onText(change func(string) string) func(*frame, any, arguments) (any, error) {
	return func(_ *frame, v any, _ arguments) (any, error) {
		s, err := asText(v)
		if err != nil {
			return nil, err
		}
		return change(s), nil
	}
}

// asText returns a value as the text argument of a filter; a missing value has none.
func asText(v any) (string, error) {
	if absent(v) {
		return "", failure("an item has no value")
	}
	return text(v), nil
}

// upper returns s in capitals like Python, which may have more than one for a letter: SS for ß.
func upper(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	return cases.Upper(language.Und).String(s)
}

func lower(s string) string {
	if isASCII(s) {
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
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(unicode.ToTitle(r)) + strings.ToLower(s[size:])
}

// titled capitalizes words like Jinja: after spaces, dashes and brackets.
func titled(s string) string {
	begins := true
	return strings.Map(func(r rune) rune {
		first := begins
		begins = unicode.IsSpace(r) || strings.ContainsRune("-({[<", r)
		if first && !begins {
			return unicode.ToTitle(r)
		}
		return unicode.ToLower(r)
	}, s)
}

func escaped(s string) string { return html.EscapeString(s) }

var (
	comments = regexp.MustCompile(`(?s)<!--.*?-->`)
	tags     = regexp.MustCompile(`(?s)<.*?>`)
)

func withoutTags(s string) string {
	s = tags.ReplaceAllString(comments.ReplaceAllString(s, ""), "")
	return html.UnescapeString(strings.Join(strings.Fields(s), " "))
}

func center(_ *frame, v any, a arguments) (any, error) {
	s, err := asText(v)
	if err != nil {
		return nil, err
	}
	width, err := a.integer("width", 80)
	if err != nil {
		return nil, err
	}
	if width > MaxOutput {
		return nil, errTooLarge
	}
	spaces := width - utf8.RuneCountInString(s)
	if spaces <= 0 {
		return s, nil
	}
	left := spaces/2 + spaces&width&1
	return strings.Repeat(" ", left) + s + strings.Repeat(" ", spaces-left), nil
}

func indent(_ *frame, v any, a arguments) (any, error) {
	s, err := asText(v)
	if err != nil {
		return nil, err
	}
	by, isText := a["width"].(string)
	if !isText {
		width, err := a.integer("width", 4)
		if err != nil {
			return nil, failure("the argument width must be a whole number or a text")
		}
		if width > MaxOutput {
			return nil, errTooLarge
		}
		by = strings.Repeat(" ", max(width, 0))
	}
	lines := splitLines(s)
	if len(lines)*len(by)+len(s) > MaxOutput {
		return nil, errTooLarge
	}
	for i, l := range lines {
		if i > 0 && (l != "" || a.truth("blank")) || i == 0 && a.truth("first") {
			lines[i] = by + l
		}
	}
	return strings.Join(lines, "\n"), nil
}

// splitLines returns the lines of s. There is an empty one after a line break at the end.
func splitLines(s string) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"), "\n")
}

func replace(_ *frame, v any, a arguments) (any, error) {
	s, err := asText(v)
	if err != nil {
		return nil, err
	}
	before, err := asText(a["old"])
	if err != nil {
		return nil, failure("the argument old has no value")
	}
	after, err := asText(a["new"])
	if err != nil {
		return nil, failure("the argument new has no value")
	}
	count, err := a.integer("count", -1)
	if err != nil {
		return nil, err
	}
	times := strings.Count(s, before)
	if count >= 0 {
		times = min(times, count)
	}
	if len(after) > 0 && times > (MaxOutput-min(len(s), MaxOutput))/len(after) {
		return nil, errTooLarge
	}
	return strings.Replace(s, before, after, count), nil
}

func trim(_ *frame, v any, a arguments) (any, error) {
	s, err := asText(v)
	if err != nil {
		return nil, err
	}
	if !a.given("chars") {
		return strings.TrimSpace(s), nil
	}
	chars, err := a.text("chars", "")
	return strings.Trim(s, chars), err
}

func truncate(_ *frame, v any, a arguments) (any, error) {
	s, err := asText(v)
	if err != nil {
		return nil, err
	}
	most, err := a.integer("length", 255)
	if err != nil {
		return nil, err
	}
	end, err := a.text("end", "...")
	if err != nil {
		return nil, err
	}
	leeway, err := a.integer("leeway", 5)
	if err != nil {
		return nil, err
	}
	kept := most - utf8.RuneCountInString(end)
	switch {
	case most < 0 || kept < 0:
		return nil, failf("the argument length must be at least %d", utf8.RuneCountInString(end))
	case leeway < 0:
		return nil, failure("the argument leeway must not be negative")
	}
	runes := []rune(s)
	if len(runes)-leeway <= most {
		return s, nil
	}
	cut := string(runes[:kept])
	if !a.truth("killwords") {
		if i := strings.LastIndexByte(cut, ' '); i >= 0 {
			cut = cut[:i]
		}
	}
	return cut + end, nil
}

// wordCount counts runs of letters, digits and _.
func wordCount(_ *frame, v any, _ arguments) (any, error) {
	s, err := asText(v)
	if err != nil {
		return nil, err
	}
	return len(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' })), nil
}

// maxWidth is the largest width for wrapping lines.
const maxWidth = 1000

func wordWrap(_ *frame, v any, a arguments) (any, error) {
	s, err := asText(v)
	if err != nil {
		return nil, err
	}
	width, err := a.integer("width", 79)
	if err != nil {
		return nil, err
	}
	if width < 1 || width > maxWidth {
		return nil, failf("a width of %d is not available, only 1 to %d", width, maxWidth)
	}
	seam, err := a.text("wrapstring", "\n")
	if err != nil {
		return nil, err
	}
	long, hyphens := true, true
	if x, ok := a["break_long_words"]; ok {
		long = truth(x)
	}
	if x, ok := a["break_on_hyphens"]; ok {
		hyphens = truth(x)
	}
	var b strings.Builder
	for i, l := range splitLines(strings.TrimSuffix(s, "\n")) {
		if i > 0 {
			b.WriteString(seam)
		}
		wrapLine(&b, l, seam, width, long, hyphens)
		if b.Len() > MaxOutput {
			return nil, errTooLarge
		}
	}
	return b.String(), nil
}

// wrapLine writes one line broken at spaces, after hyphens within words, and within words that are longer
// than a line. It drops spaces at breaks.
func wrapLine(b *strings.Builder, l, seam string, width int, long, hyphens bool) {
	used, space := 0, "" // of the line that is written, and what stands before the next word
	begun := false
	for l != "" {
		word := chunk(l, hyphens)
		l = l[len(word):]
		size := utf8.RuneCountInString(word)
		if strings.TrimSpace(word) == "" {
			if space = word; begun && used == 0 {
				space = ""
			}
			continue
		}
		gap := utf8.RuneCountInString(space)
		if used+gap+size > width && (size <= width || !long) {
			if used > 0 {
				b.WriteString(seam)
			}
			used, gap, space = 0, 0, ""
		}
		for used+gap+size > width && long {
			room := width - used - gap
			if room < 1 {
				b.WriteString(seam)
				used, gap, space = 0, 0, ""
				continue
			}
			at := len(string([]rune(word)[:room]))
			b.WriteString(space + word[:at] + seam)
			word, size = word[at:], size-room
			used, gap, space, begun = 0, 0, "", true
		}
		b.WriteString(space + word)
		used, space, begun = used+gap+size, "", true
	}
}

// hyphenated matches the start of a word up to a hyphen after which it may be broken: between two letters and
// two more. It is expensive to compile, and most templates do not need it.
var hyphenated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[^\s\pL\pN_]*(?:[\pL\pN_]+\pL-)(?:[\pL\pN_]+\pL)`)
})

// chunk returns the first run of spaces or of other characters. If hyphens is set, a word ends after the
// first hyphen where it may be broken.
func chunk(s string, hyphens bool) string {
	if word := strings.TrimLeftFunc(s, unicode.IsSpace); len(word) < len(s) {
		return s[:len(s)-len(word)]
	}
	if end := strings.IndexFunc(s, unicode.IsSpace); end > 0 {
		s = s[:end]
	}
	if hyphens {
		if m := hyphenated().FindString(s); m != "" {
			return s[:strings.IndexByte(m, '-')+1]
		}
	}
	return s
}

// urlEncode encodes a text for a path, and pairs for a query.
func urlEncode(f *frame, v any, _ arguments) (any, error) {
	if m, ok := v.(map[string]any); ok {
		v, _ = items(m, true)
	}
	list, ok := v.([]any)
	if !ok {
		s, err := asText(v)
		return quoted(s, "/"), err
	}
	var b strings.Builder
	for i, item := range list {
		pair, ok := item.([]any)
		if !ok || len(pair) != 2 {
			return nil, failure("a list must hold pairs of a name and a value")
		}
		if i > 0 {
			b.WriteByte('&')
		}
		for j, part := range pair {
			s, err := asText(part)
			if err != nil {
				return nil, err
			}
			if j > 0 {
				b.WriteByte('=')
			}
			b.WriteString(strings.ReplaceAll(quoted(s, " "), " ", "+"))
		}
		if b.Len() > MaxOutput {
			return nil, errTooLarge
		}
	}
	return b.String(), nil
}

// quoted returns s with percent encoding for everything but letters, digits, the characters _.-~ and those in
// also.
func quoted(s, also string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(s))
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_.-~", c) >= 0 || strings.IndexByte(also, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}

// directive matches one placeholder of format: a key, flags, a width, a precision, and a verb.
var directive = regexp.MustCompile(`^%(?:\(([^)]*)\))?([-+ #0]*)(\*|[0-9]*)(?:\.(\*|[0-9]*))?[hlL]?(.)`)

// format implements Python's % formatting.
func format(_ *frame, v any, args []any, named map[string]any) (any, error) {
	s, err := asText(v)
	if err != nil {
		return nil, err
	}
	if len(args) > 0 && len(named) > 0 {
		return nil, failure("it takes arguments with names or without, not both")
	}
	var b strings.Builder
	next := 0
	for {
		at := strings.IndexByte(s, '%')
		if at < 0 {
			break
		}
		b.WriteString(s[:at])
		s = s[at:]
		m := directive.FindStringSubmatch(s)
		if m == nil {
			return nil, failure("the text ends with a single %; write %% for a percent sign")
		}
		s = s[len(m[0]):]
		if m[5] == "%" {
			b.WriteByte('%')
			continue
		}
		var arg any
		switch {
		case strings.HasPrefix(m[0], "%("):
			if arg = named[m[1]]; arg == nil {
				return nil, failf("there is no argument %s", shorten(m[1]))
			}
		case len(named) > 0:
			return nil, failure("arguments with names are written %(name)s")
		case next == len(args):
			return nil, failure("the text has more placeholders than arguments")
		default:
			arg = args[next]
			next++
		}
		if arg == nil {
			return nil, failure("an argument has no value")
		}
		if err := writeAs(&b, arg, m[2], m[3], m[4], m[5], strings.Contains(m[0], ".")); err != nil {
			return nil, err
		}
		if b.Len() > MaxOutput {
			return nil, errTooLarge
		}
	}
	if next < len(args) {
		return nil, failure("there are more arguments than placeholders in the text")
	}
	b.WriteString(s)
	return b.String(), nil
}

// writeAs writes one argument of format.
func writeAs(b *strings.Builder, arg any, flags, width, precision, verb string, precise bool) error {
	if width == "*" || precision == "*" || len(width) > 3 || len(precision) > 2 {
		return failf("widths above 999, and widths that are arguments, are not available in %%%s", verb)
	}
	wide, _ := strconv.Atoi(width) // none is 0
	most, _ := strconv.Atoi(precision)
	if !precise {
		most = -1
	}
	alternate, sign := strings.Contains(flags, "#"), ""
	body := ""
	switch verb {
	case "s", "r", "a":
		if body = text(arg); verb != "s" {
			body = repr(arg)
		}
		if verb == "a" {
			body = asciiOnly(body)
		}
		if runes := []rune(body); most >= 0 && len(runes) > most {
			body = string(runes[:most])
		}
	case "c":
		switch n, ok := integer(arg); {
		case ok && n >= 0 && n <= unicode.MaxRune:
			body = string(rune(n))
		case !ok && utf8.RuneCountInString(text(arg)) == 1:
			body = text(arg)
		default:
			return failure("%c takes one character")
		}
	case "d", "i", "u", "x", "X", "o", "e", "E", "f", "F", "g", "G":
		a, ok := number(arg)
		if !ok {
			return failf("%%%s takes a number, not %s", verb, kind(arg))
		}
		var err error
		if body, err = digits(a, verb, most, alternate); err != nil {
			return err
		}
		switch {
		case strings.HasPrefix(body, "-"):
			sign, body = "-", body[1:]
		case strings.Contains(flags, "+"):
			sign = "+"
		case strings.Contains(flags, " "):
			sign = " "
		}
	default:
		return failf("%%%s is not a format; %%s writes any value and %%d a whole number", shorten(verb))
	}
	fill := max(wide-utf8.RuneCountInString(sign+body), 0)
	switch {
	case strings.Contains(flags, "-"):
		b.WriteString(sign + body + strings.Repeat(" ", fill))
	case strings.Contains(flags, "0") && !strings.Contains("srac", verb):
		prefix := ""
		if alternate && len(body) > 1 && body[0] == '0' && strings.Contains("xXo", body[1:2]) {
			prefix, body = body[:2], body[2:]
		}
		b.WriteString(sign + prefix + strings.Repeat("0", fill) + body)
	default:
		b.WriteString(strings.Repeat(" ", fill) + sign + body)
	}
	return nil
}

// digits formats a number for one of format's numeric verbs.
func digits(a amount, verb string, most int, alternate bool) (string, error) {
	base, prefix := 10, ""
	switch verb {
	case "x", "X":
		base, prefix = 16, "0"+verb
	case "o":
		base, prefix = 8, "0o"
	case "e", "E", "f", "F", "g", "G":
		x, ok := a.asFloat()
		switch {
		case !ok:
			return "", failf("the number is too large for %%%s", verb)
		case alternate:
			return "", failf("# is not available in %%%s", verb)
		}
		return floatDigits(x, verb, most), nil
	}
	if base != 10 && a.whole == nil {
		return "", failf("%%%s takes a whole number", verb)
	}
	s := a.truncated().Text(base)
	if verb == "X" {
		s = strings.ToUpper(s)
	}
	minus := ""
	if strings.HasPrefix(s, "-") {
		minus, s = "-", s[1:]
	}
	s = strings.Repeat("0", max(most-len(s), 0)) + s
	if alternate && base != 10 {
		s = prefix + s
	}
	return minus + s, nil
}

func floatDigits(x float64, verb string, most int) string {
	if most < 0 {
		most = 6
	}
	letter := strings.ToLower(verb)
	if letter == "g" {
		most = max(most, 1)
	}
	s := strconv.FormatFloat(x, letter[0], most, 64)
	if verb != letter {
		s = strings.ToUpper(s)
	}
	return s
}
