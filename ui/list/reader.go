package list

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/widget"
)

// Reader shows a text or a JSON document under tabs. The owner sets the content of the current tab with
// [Reader.ShowText], [Reader.ShowStyled] or [Reader.ShowJSON].
type Reader struct {
	theme         *themes.Theme
	tabs          widget.Tabs
	pager         widget.Pager
	json          widget.JSONView
	isJSON, empty bool
	width, height int
}

// NewReader returns an empty reader.
func NewReader(t *themes.Theme, tabs ...string) Reader {
	return Reader{theme: t, empty: true, tabs: widget.NewTabs(t, tabs...), pager: widget.NewPager(t), json: widget.NewJSONView(t)}
}

// SetSize sets the size of the reader: a line of tabs, a blank line, and the text.
func (r *Reader) SetSize(w, h int) {
	r.width, r.height = w, h
	r.tabs.SetSize(w, 1)
	r.pager.SetSize(w, h-2)
	r.json.SetSize(w, h-2)
}

// Size returns the size set by SetSize.
func (r *Reader) Size() (width, height int) { return r.width, r.height }

// SetTabs replaces the tabs and selects one of them.
func (r *Reader) SetTabs(names []string, open int) { r.tabs.Names, r.tabs.Active = names, open }

// Tab returns the current tab and its name.
func (r *Reader) Tab() (i int, name string) {
	if r.tabs.Active < len(r.tabs.Names) {
		name = r.tabs.Names[r.tabs.Active]
	}
	return r.tabs.Active, name
}

// Turn switches to another tab.
func (r *Reader) Turn(n int) {
	if n > 0 {
		r.tabs.Next()
	} else {
		r.tabs.Prev()
	}
}

// Clear removes the content.
func (r *Reader) Clear() { r.empty = true }

// Empty reports whether there is no content.
func (r *Reader) Empty() bool { return r.empty }

// ShowText shows a plain text, from the start if it differs from the current one.
func (r *Reader) ShowText(text string) {
	r.empty, r.isJSON = false, false
	r.pager.SetText(text)
}

// ShowStyled shows a text with styles.
func (r *Reader) ShowStyled(text string) {
	r.empty, r.isJSON = false, false
	r.pager.SetStyled(text)
}

// ShowJSON shows a document.
func (r *Reader) ShowJSON(text string) {
	r.empty, r.isJSON = false, true
	r.json.SetText(text)
}

// Rewind makes the next content start at the top.
func (r *Reader) Rewind() {
	r.pager.SetText("")
	r.json = widget.NewJSONView(r.theme)
	r.json.SetSize(r.width, r.height-2)
}

// Update handles a key.
func (r *Reader) Update(msg tea.KeyMsg) {
	if r.isJSON {
		r.json.Update(msg)
		return
	}
	r.pager.Update(msg)
}

// Mouse handles a mouse event relative to the reader, and reports whether it switched tabs.
func (r *Reader) Mouse(msg tea.MouseMsg) (turned bool) {
	press := widget.Pressed(msg)
	if i, ok := r.tabs.At(msg.X); ok && press && msg.Y == 0 {
		r.tabs.Active = i
		return true
	}
	if r.isJSON {
		r.json.Mouse(msg)
	} else {
		r.pager.Mouse(msg)
	}
	return false
}

// View draws the tabs and the content.
func (r *Reader) View() string {
	if r.empty {
		return ""
	}
	body := r.pager.View()
	if r.isJSON {
		body = r.json.View()
	}
	return widget.Fit(r.tabs.View()+"\n\n"+body, r.width, r.height)
}
