package activity

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/activity"
	"bugle/engine/doc"
	"bugle/themes"
	"bugle/ui/widget"
)

// The views of a call, in the order of their tabs.
const (
	viewRequest = iota
	viewResponse
	viewCall
)

// reader shows one call.
type reader struct {
	theme  themes.Theme
	call   activity.Call
	empty  bool
	tabs   widget.Tabs
	pager  widget.Pager // what is no JSON
	json   widget.JSONView
	isJSON bool
	text   string // what is shown
	width  int
	height int
}

func newReader(t themes.Theme) reader {
	r := reader{theme: t, empty: true, tabs: widget.NewTabs(t, "Request", "Response", "Call"), pager: widget.NewPager(t), json: widget.NewJSONView(t)}
	r.tabs.Active = viewResponse
	return r
}

func (r *reader) setTheme(t themes.Theme) {
	r.theme = t
	r.tabs.SetTheme(t)
	r.pager.SetTheme(t)
	r.json.SetTheme(t)
}

// setSize tells the reader the cells it may use: a line of tabs, a blank one, and the text.
func (r *reader) setSize(w, h int) {
	r.width, r.height = w, h
	r.tabs.SetSize(w, 1)
	r.pager.SetSize(w, h-2)
	r.json.SetSize(w, h-2)
}

func (r *reader) none() { r.empty, r.call, r.text = true, activity.Call{}, "" }

// show turns to a call; the tab stays.
func (r *reader) show(c activity.Call) {
	if !r.empty && c.Seq == r.call.Seq && c.Times == r.call.Times && c.Forgotten() == r.call.Forgotten() {
		return
	}
	r.call, r.empty = c, false
	r.fill()
}

func (r *reader) turn(n int) {
	if n > 0 {
		r.tabs.Next()
	} else {
		r.tabs.Prev()
	}
	r.fill()
}

// fill shows the open tab from its start. Only then a body is made.
func (r *reader) fill() {
	if r.empty {
		return
	}
	var body []byte
	switch r.tabs.Active {
	case viewRequest:
		body = r.call.Request()
	case viewResponse:
		body = r.call.Response()
	case viewCall:
		body = r.call.Document().Encode()
	}
	r.text, r.isJSON = r.said(), false
	if len(body) > 0 {
		r.text, r.isJSON = pretty(body)
	}
	if !r.isJSON {
		r.pager.SetText("") // from its start, also where the text is the same
		r.pager.SetText(r.text)
		return
	}
	r.json = widget.NewJSONView(r.theme)
	r.json.SetSize(r.width, r.height-2)
	r.json.SetText(r.text)
}

// said stands where there is no body.
func (r *reader) said() string {
	switch {
	case r.call.Forgotten():
		return "The bodies of this call were dropped to make room for newer ones."
	case r.tabs.Active == viewRequest:
		return "The request has no body."
	case r.call.Err != "":
		return r.call.Err
	}
	return "The response has no body."
}

// pretty gives a body for people, and says whether it is JSON.
func pretty(body []byte) (string, bool) {
	if v, err := doc.Parse(body); err == nil {
		return string(v.Indent()), true
	}
	return string(body), false
}

// what names the text that is shown.
func (r *reader) what() string {
	return "the " + strings.ToLower(r.tabs.Names[r.tabs.Active])
}

func (r *reader) update(msg tea.KeyMsg) {
	if r.isJSON {
		r.json.Update(msg)
		return
	}
	r.pager.Update(msg)
}

// mouse takes the mouse at a place of the reader.
func (r *reader) mouse(msg tea.MouseMsg) {
	press := msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
	if i, ok := r.tabs.At(msg.X); ok && press && msg.Y == 0 {
		r.tabs.Active = i
		r.fill()
		return
	}
	if r.isJSON {
		r.json.Mouse(msg)
		return
	}
	r.pager.Mouse(msg)
}

func (r *reader) draw() string {
	if r.empty {
		return ""
	}
	body := r.pager.View()
	if r.isJSON {
		body = r.json.View()
	}
	return widget.Fit(r.tabs.View()+"\n\n"+body, r.width, r.height)
}
