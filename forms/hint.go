package forms

import (
	"fmt"
	"strings"
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
	case r.group == groupAdder:
		return "Press enter to add one."
	case f.list && f.editor == nil && r.Node != nil:
		return strings.TrimSpace(firstSentence(r.Node.Help) + " Press c to clone it, x to delete it, J or K to move it.")
	case r.group == groupUnused:
		return "Not used: it applies " + r.Why + ". " + f.removeHint()
	case r.group == groupUnknown && f.removable(r):
		return "Unknown field. " + f.removeHint()
	case r.Node == nil:
		return "Unknown field. Press ctrl+x to remove it."
	}
	in, typed := f.editor.(*textEditor)
	menu, _ := f.editor.(*choice)
	switch {
	case typed && in.replacing:
		return "Press esc to keep “" + oneLine(in.start) + "”."
	case f.completion() != nil:
		return in.expr.hint()
	case menu != nil && menu.modal() && len(menu.shown) == 0:
		return "No option matches. Press backspace to delete letters, esc to close the list."
	}
	var parts []string
	if r.input != nil {
		parts = append(parts, r.input.Help)
	} else {
		parts = append(parts, firstSentence(r.Node.Help))
	}
	switch {
	case menu != nil && menu.many && menu.modal():
		parts = append(parts, "Press space to select, enter when done.")
	case r.input != nil:
	case r.shape == shapeTimespan:
		parts = append(parts, "Type it as “"+r.Node.SpanExample()+"”.")
	case r.shape == shapeCommaList:
		parts = append(parts, "Separate values with commas.")
	case r.shape == shapeExternalJSON:
		parts = append(parts, "Press ctrl+e to edit it as JSON, ctrl+x to remove it.")
	case f.canPickDate(r):
		parts = append(parts, "Type a date such as “tomorrow 9am”, or press f4 for a calendar.")
	}
	if typed && len(in.suggest) > 0 && in.list.At() < 0 {
		pressed := "ctrl+n"
		if in.list.Len() > 0 {
			pressed = "↓"
		}
		parts = append(parts, fmt.Sprintf("Type, or press %s to choose from %d.", pressed, len(in.suggest)))
	}
	return strings.TrimSpace(oneLine(strings.Join(parts, " ")))
}

// removeHint names the keys that remove unused values.
func (f *Form) removeHint() string {
	if n := len(f.hiddenPaths()); n > 1 {
		return fmt.Sprintf("Press x to delete it, U to delete all %d unused fields.", n)
	}
	return "Press x to delete it."
}

func firstSentence(s string) string {
	if i := strings.Index(s, ". "); i >= 0 {
		return s[:i+1]
	}
	return s
}
