package forms

import (
	"fmt"
	"strings"

	"bugle/engine/doc"
)

// hint returns the help of a field, and its most important key.
func (f *Form) hint(r row) string {
	switch {
	case f.name != nil:
		return "enter sets the name, esc cancels"
	case r.group == groupResponseOnly, r.locked != "" && f.lockedReason() == "":
		return r.locked
	case r.locked != "" && r.Node != nil:
		return firstSentence(r.Node.Help)
	case r.group == groupAdder && len(f.rows) == 1:
		return "Press enter to add the first one."
	case r.group == groupAdder:
		return "Press enter to add one."
	case f.list && f.editor == nil && r.Node != nil:
		return strings.TrimSpace(firstSentence(r.Node.Help) + " Press d to duplicate it, x to delete it, J or K to move it.")
	case r.group == groupUnused:
		return "Not used: it applies " + r.Why + ". " + f.removeHint()
	case r.group == groupUnknown && f.removable(r):
		return "Unknown field. " + f.removeHint()
	case r.Node == nil:
		return "Unknown field. Press ctrl+x to remove it."
	}
	parts := []string{}
	if s := firstSentence(r.Node.Help); s != "" && r.input == nil {
		parts = append(parts, s)
	}
	switch {
	case r.input != nil && r.input.Help != "":
		parts = append(parts, r.input.Help)
	case r.input != nil:
	case r.shape == shapeAnyValue:
		parts = append(parts, "Current type: "+kindWord(r.Value)+".")
	case r.shape == shapeChecklist && r.locked == "":
		if f.Modal() {
			parts = append(parts, "Press space to select, enter when done.")
		}
	case r.shape == shapeTimespan:
		parts = append(parts, "Type it as “"+r.Node.SpanExample()+"”.")
	case r.shape == shapeCommaList:
		parts = append(parts, "Separate values with commas.")
	case r.shape == shapeExternalJSON:
		parts = append(parts, "Press e to edit it as JSON, ctrl+x to remove it.")
	}
	if f.canPickDate(r) {
		parts = append(parts, "Type a date such as “tomorrow 9am”, or press f4 for a calendar.")
	}
	if c, ok := f.editor.(*choice); ok && c.modal() && len(c.shown) == 0 {
		parts = []string{"No option matches. Press backspace to delete letters, esc to close the list."}
	}
	if c := f.completion(); c != nil {
		parts = []string{c.hint()}
	}
	in, ok := f.editor.(*textEditor)
	if ok && in.replacing {
		return "Press esc to keep “" + oneLine(in.start) + "”."
	}
	if ok && len(in.suggest) > 0 && in.list.At() < 0 {
		pressed := "ctrl+n"
		if in.list.Len() > 0 {
			pressed = "↓"
		}
		parts = append(parts, fmt.Sprintf("Type, or press %s to choose from %d.", pressed, len(in.suggest)))
	}
	return oneLine(strings.Join(parts, " "))
}

// removeHint names the keys that remove unused values.
func (f *Form) removeHint() string {
	if n := len(f.hiddenPaths()); n > 1 {
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
