package check

import "strings"

// Offset returns where in the text of its place the finding is: the byte at which the first thing begins that the
// message quotes. It returns false if the message quotes nothing of the text, so that it is about all of it.
func (f Finding) Offset(text string) (int, bool) {
	for rest := f.Message; ; {
		_, after, ok := strings.Cut(rest, "“")
		quoted, more, closed := strings.Cut(after, "”")
		if !ok || !closed {
			return 0, false
		}
		rest = more
		if quoted = strings.TrimSuffix(quoted, "…"); quoted == "" {
			continue
		}
		// In markup, what is quoted is usually the whole value of an attribute; a color or a number can be anywhere.
		for _, written := range []string{`"` + quoted + `"`, `'` + quoted + `'`} {
			if i := strings.Index(text, written); i >= 0 {
				return i + 1, true
			}
		}
		if i := strings.Index(text, quoted); i >= 0 {
			return i, true
		}
	}
}
