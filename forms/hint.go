package forms

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"bugle/engine/doc"
)

// hint returns what the field is for, and the key that matters most there.
func (f *Form) hint(r row) string {
	switch {
	case f.naming != nil:
		return "enter sets the name, esc cancels"
	case r.group == received, r.locked != "" && f.lockedHere() == "":
		return r.locked
	case r.locked != "" && r.Node != nil:
		return firstSentence(r.Node.Help)
	case r.group == adder && len(f.rows) == 1:
		return "Press enter to add the first one."
	case r.group == adder:
		return "Press enter to add one."
	case f.list && f.ed == nil && r.Node != nil:
		return strings.TrimSpace(firstSentence(r.Node.Help) + " Press d to duplicate it, x to delete it, J or K to move it.")
	case r.group == unused:
		return "Not used: it applies " + r.Why + ". " + f.removing()
	case r.group == unknown && f.removable(r):
		return "Unknown field. " + f.removing()
	case r.Node == nil:
		return "Unknown field. Press ctrl+x to remove it."
	}
	parts := []string{}
	if s := firstSentence(r.Node.Help); s != "" {
		parts = append(parts, s)
	}
	switch {
	case r.shape == anyJSON:
		parts = append(parts, "Current type: "+kindWord(r.Value)+".")
	case r.shape == ticks && r.locked == "":
		if f.Modal() {
			parts = append(parts, "Press space to select, enter when done.")
		}
	case r.shape == phrase:
		parts = append(parts, "Type it as “"+r.Node.SpanExample()+"”.")
	case r.shape == commas:
		parts = append(parts, "Separate values with commas.")
	case r.shape == raw:
		parts = append(parts, "Press e to edit it as JSON, ctrl+x to remove it.")
	}
	if f.pickable(r) {
		parts = append(parts, "Type a date such as “tomorrow 9am”, or press f4 for a calendar.")
	}
	if isColor(r) {
		if c := contrast(r.Value.Text()); c != "" {
			parts = append(parts, c)
		}
	}
	if c, ok := f.ed.(*choice); ok && c.open != nil {
		if _, any := c.open.hovered(); !any {
			parts = []string{"No option matches. Press backspace to delete letters, esc to close the list."}
		}
	}
	if f.completing() {
		parts = []string{f.completionHint()}
	}
	if in, ok := f.ed.(*input); ok && in.narrowing {
		return "Press esc to keep “" + oneLine(unpack(in.start)) + "”."
	}
	if in, ok := f.ed.(*input); ok && len(in.suggest) > 0 && in.list.At() < 0 {
		parts = append(parts, fmt.Sprintf("Type, or press ctrl+n to choose from %d.", len(in.suggest)))
	}
	return oneLine(strings.Join(parts, " "))
}

// removing names the keys that remove what is kept.
func (f *Form) removing() string {
	if n := f.Hidden(); n > 1 {
		return fmt.Sprintf("Press x to remove it, X to remove all %d unused fields.", n)
	}
	return "Press x to remove it."
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
