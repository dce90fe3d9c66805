package forms

import (
	"fmt"

	"github.com/atotto/clipboard"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
)

// SetText takes over what came back from an editor for the field at p. Text that is to be JSON and
// is not is refused, with its line and column, and changes nothing; no text at all removes the
// value.
func (f *Form) SetText(p doc.Path, text string, asJSON bool) error {
	old := f.root.Lookup(p)
	v := doc.Value{}
	switch {
	case asJSON && len(text) > 0:
		parsed, err := doc.Parse([]byte(text))
		if err != nil {
			return fmt.Errorf("invalid JSON, not applied: %w", err)
		}
		v = parsed
		if string(v.Encode()) == string(old.Encode()) {
			return nil
		}
	case !asJSON:
		if n := len(text); n > 0 && text[n-1] == '\n' && (old.Text() == "" || old.Text()[len(old.Text())-1] != '\n') {
			text = text[:n-1] // editors end a file with a line end
		}
		if text == old.Text() {
			return nil
		}
		if text != "" {
			v = doc.NewString(text)
		}
	}
	root, err := f.write(f.root, p, v)
	if err != nil {
		return fmt.Errorf("not applied: %w", err)
	}
	f.setRoot(root)
	f.focus(f.at)
	return nil
}

// removable reports rows that are kept, not used, and may be changed.
func (f *Form) removable(r row) bool {
	return r.locked == "" && r.group.hidden() && len(r.Path) > len(f.cfg.Path)
}

// Hidden returns how many values [Form.RemoveHidden] would remove.
func (f *Form) Hidden() int {
	n := 0
	for _, r := range f.rows {
		if f.removable(r) {
			n++
		}
	}
	return n
}

// RemoveHidden removes every value that is kept and not used: members of other templates and
// members that no table knows. It reports how many there were.
func (f *Form) RemoveHidden() int {
	root, n := f.root, 0
	for _, r := range f.rows {
		if f.removable(r) {
			root, n = f.without(root, r.Path), n+1
		}
	}
	f.setRoot(root)
	f.focus(f.at)
	return n
}

// pasted is what the clipboard held when the person asked for it.
type pasted struct {
	to   *Form
	text string
}

func (f *Form) readClipboard() tea.Msg {
	text, err := clipboard.ReadAll()
	if err != nil {
		text = ""
	}
	return pasted{to: f, text: text}
}

func (f *Form) paste(text string) {
	p, ok := f.ed.(paster)
	if !ok || text == "" || f.naming != nil && len(text) > maxPaste {
		return
	}
	p.paste(text)
	f.absorb()
	if len(text) > maxPaste {
		f.focus(f.at) // the text may be more than the widget should hold from now on
	}
}
