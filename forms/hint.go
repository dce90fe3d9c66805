package forms

import "strings"

// hint returns the help of the focused row. What its keys do is in the status bar.
func (f *Form) hint(r row) string {
	in, typed := f.editor.(*textEditor)
	switch {
	case f.name != nil, r.group == groupAdder:
		return ""
	case r.group == groupResponseOnly, r.locked != "" && f.lockedReason() == "":
		return r.locked
	case r.group == groupUnused:
		return "Not used: it applies " + r.Why + "."
	case typed && in.replacing:
		return "Press esc to keep “" + oneLine(in.start) + "”."
	case typed && in.completing:
		return in.hint()
	}
	return oneLine(r.Help)
}

func firstSentence(s string) string {
	if i := strings.Index(s, ". "); i >= 0 {
		return s[:i+1]
	}
	return s
}
