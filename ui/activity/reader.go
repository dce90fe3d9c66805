package activity

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/service/activity"
	"bugle/themes"
	"bugle/ui/browse"
)

// The views of a call, in the order of their tabs.
const (
	viewRequest = iota
	viewResponse
	viewCall
)

// reader shows one call.
type reader struct {
	browse.Reader
	call activity.Call
	text string // what is shown
}

func newReader(t themes.Theme) *reader {
	tabs := []string{"Request", "Response", "Call"}
	r := &reader{Reader: browse.NewReader(t, tabs...)}
	r.SetTabs(tabs, viewResponse)
	return r
}

func (r *reader) clear() {
	r.Clear()
	r.call, r.text = activity.Call{}, ""
}

// show turns to a call; the tab stays.
func (r *reader) show(c activity.Call) {
	if !r.Empty() && c.Seq == r.call.Seq && c.Times == r.call.Times && c.Forgotten() == r.call.Forgotten() {
		return
	}
	r.call = c
	r.fill()
}

// Turn shows another side of the call.
func (r *reader) Turn(n int) {
	r.Reader.Turn(n)
	r.fill()
}

// Mouse takes the mouse at a place of the reader.
func (r *reader) Mouse(msg tea.MouseMsg) {
	if r.Reader.Mouse(msg) && !r.Empty() {
		r.fill()
	}
}

// fill shows the open tab from its start. Only then a body is made.
func (r *reader) fill() {
	var body []byte
	switch tab, _ := r.Tab(); tab {
	case viewRequest:
		body = r.call.Request()
	case viewResponse:
		body = r.call.Response()
	case viewCall:
		body = r.call.Document().Encode()
	}
	r.Rewind()
	isJSON := false
	if r.text = r.emptyBodyText(); len(body) > 0 {
		r.text, isJSON = pretty(body)
	}
	if isJSON {
		r.ShowJSON(r.text)
		return
	}
	r.ShowText(r.text)
}

// emptyBodyText stands where there is no body.
func (r *reader) emptyBodyText() string {
	tab, _ := r.Tab()
	switch {
	case r.call.Forgotten():
		return "The bodies of this call were dropped to make room for newer ones."
	case tab == viewRequest:
		return "The request has no body."
	case r.call.Err != "":
		return r.call.Err
	}
	return "The response has no body."
}

// pretty returns a body for people, and says whether it is JSON.
func pretty(body []byte) (string, bool) {
	if v, err := doc.Parse(body); err == nil {
		return string(v.Indent()), true
	}
	return string(body), false
}

// contentName names the text that is shown.
func (r *reader) contentName() string {
	_, name := r.Tab()
	return "the " + strings.ToLower(name)
}
