package forms

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// hint returns what the field is for, and the key that matters most there.
func (p *painter) hint(r row) string {
	switch {
	case p.naming != nil:
		return "enter sets the name, esc cancels"
	case r.group == received, r.locked != "" && p.sheet.source.lockedHere() == "":
		return r.locked
	case r.locked != "" && r.Node != nil:
		return firstSentence(r.Node.Help)
	case r.group == adder && len(p.sheet.rows) == 1:
		return "Press enter to add the first one."
	case r.group == adder:
		return "Press enter to add one."
	case p.sheet.source.list && p.sheet.field.ed == nil && r.Node != nil:
		return strings.TrimSpace(firstSentence(r.Node.Help) + " Press d to duplicate it, x to delete it, J or K to move it.")
	case r.group == unused:
		return "Not used: it applies " + r.Why + ". " + p.removing()
	case r.group == unknown && p.actions.removes:
		return "Unknown field. " + p.removing()
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
		if p.actions.modal {
			parts = append(parts, "Press space to select, enter when done.")
		}
	case r.shape == timespan:
		parts = append(parts, "Type it as “"+r.Node.SpanExample()+"”.")
	case r.shape == commas:
		parts = append(parts, "Separate values with commas.")
	case r.shape == raw:
		parts = append(parts, "Press e to edit it as JSON, ctrl+x to remove it.")
	}
	if p.actions.pickable() {
		parts = append(parts, "Type a date such as “tomorrow 9am”, or press f4 for a calendar.")
	}
	if isColor(r) {
		if c := contrast(r.Value.Text()); c != "" {
			parts = append(parts, c)
		}
	}
	if c, ok := p.sheet.field.ed.(*choice); ok && c.open != nil {
		if _, any := c.open.hovered(); !any {
			parts = []string{"No option matches. Press backspace to delete letters, esc to close the list."}
		}
	}
	if c := completing(p.sheet.field.ed); c != nil {
		parts = []string{c.hint()}
	}
	if in, ok := p.sheet.field.ed.(*input); ok && in.narrowing {
		return "Press esc to keep “" + oneLine(unpack(in.start)) + "”."
	}
	if in, ok := p.sheet.field.ed.(*input); ok && len(in.suggest) > 0 && in.list.At() < 0 {
		pressed := "ctrl+n"
		if in.list.Len() > 0 {
			pressed = "↓"
		}
		parts = append(parts, fmt.Sprintf("Type, or press %s to choose from %d.", pressed, len(in.suggest)))
	}
	return oneLine(strings.Join(parts, " "))
}

// removing names the keys that remove what is kept.
func (p *painter) removing() string {
	if n := p.actions.hidden; n > 1 {
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
func (p *painter) preview(r row) []string {
	t, w := p.theme, p.layout.valueWidth()
	text := r.Value.Text()
	if r.Value.Kind() != doc.String {
		text = string(r.Value.Indent())
	}
	size := phrase.Count(utf8.RuneCountInString(text), "character")
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
