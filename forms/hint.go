package forms

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"bugle/engine/doc"
)

// hint says what the field is for, and the key that matters most there.
func (f *Form) hint(r row) string {
	switch {
	case f.naming != nil:
		return "enter takes the name, esc leaves it"
	case r.group == received, r.locked != "" && f.lockedHere() == "":
		return r.locked
	case r.locked != "" && r.Node != nil:
		return firstSentence(r.Node.Help)
	case r.group == adder && len(f.rows) == 1:
		return "Nothing here yet: enter adds the first."
	case r.group == adder:
		return "enter adds"
	case f.list && f.ed == nil && r.Node != nil:
		return strings.TrimSpace(firstSentence(r.Node.Help) + " d duplicates, x deletes, J and K move it.")
	case r.group == unused:
		return "Kept, and not used: it counts " + r.Why + ". " + f.removing()
	case r.group == unknown && f.removable(r):
		return "Kept as it is: the specification has no such member here. " + f.removing()
	case r.Node == nil:
		return "Kept as it is; ctrl+x removes it."
	}
	parts := []string{}
	if s := firstSentence(r.Node.Help); s != "" {
		parts = append(parts, s)
	}
	switch {
	case r.shape == anyJSON:
		parts = append(parts, "Now: "+kindWord(r.Value)+".")
	case r.shape == ticks && r.locked == "":
		if f.Modal() {
			parts = append(parts, "space ticks, enter is done.")
		}
	case r.shape == commas:
		parts = append(parts, "Commas between values.")
	case r.shape == raw:
		parts = append(parts, "e edits it as JSON, ctrl+x removes it.")
	}
	if f.pickable(r) {
		parts = append(parts, "Type it as you say it, or open a calendar with f4.")
	}
	if isColour(r) {
		if c := contrast(r.Value.Text()); c != "" {
			parts = append(parts, c)
		}
	}
	if c, ok := f.ed.(*choice); ok && c.open != nil {
		if _, any := c.open.hovered(); !any {
			parts = []string{"No choice has these letters: backspace takes them back, esc closes the list."}
		}
	}
	if f.completing() {
		parts = []string{f.completionHint()}
	}
	if in, ok := f.ed.(*input); ok && len(in.suggest) > 0 && in.list.At() < 0 {
		parts = append(parts, fmt.Sprintf("Type, or choose from %d with ctrl+n.", len(in.suggest)))
	}
	return oneLine(strings.Join(parts, " "))
}

// removing names the keys that remove what is kept.
func (f *Form) removing() string {
	if n := f.Hidden(); n > 1 {
		return fmt.Sprintf("x removes it, X all %d that are not used.", n)
	}
	return "x removes it."
}

func kindWord(v doc.Value) string {
	switch v.Kind() {
	case doc.Absent:
		return "nothing"
	case doc.String:
		return "text"
	case doc.Array:
		return fmt.Sprintf("list of %d", v.Len())
	}
	return v.Kind().String()
}

func firstSentence(s string) string {
	if i := strings.Index(s, ". "); i >= 0 {
		return s[:i+1]
	}
	return s
}

// preview draws the first lines of a value that is edited outside.
func (f *Form) preview(r row) []string {
	t, w := f.cfg.Theme, f.valueWidth()
	text := r.Value.Text()
	if r.Value.Kind() != doc.String {
		text = string(r.Value.Indent())
	}
	size := plural(utf8.RuneCountInString(text), "characters")
	if n := strings.Count(text, "\n"); n > 0 {
		size += fmt.Sprintf(", %d lines", n+1)
	}
	var out []string
	for rest, more := text, true; more && len(out) < 3; {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		out = append(out, t.Text.Render(fit(oneLine(head(strings.TrimSuffix(line, "\r"), w)), w)))
	}
	return append(out, t.Faint.Render(fit(size+" · ", w))+t.Key.Render("e")+t.Faint.Render(" opens the editor"))
}
