package activity

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/service/activity"
	"bugle/themes"
	"bugle/ui/list"
)

// The tabs of a call, in order.
const (
	viewRequest = iota
	viewResponse
	viewCall
)

// reader shows one call.
type reader struct {
	list.Reader
	call activity.Call
	text string // the content shown
}

func newReader(t *themes.Theme) *reader {
	tabs := []string{"Request", "Response", "Call"}
	r := &reader{Reader: list.NewReader(t, tabs...)}
	r.SetTabs(tabs, viewResponse)
	return r
}

// show shows a call in the current tab; ok is false if there is none.
func (r *reader) show(c activity.Call, ok bool) {
	switch {
	case !ok:
		r.Clear()
		r.call, r.text = activity.Call{}, ""
	case r.Empty() || c.Seq != r.call.Seq || c.Count != r.call.Count || c.BodiesDropped() != r.call.BodiesDropped():
		r.call = c
		r.fill()
	}
}

// Turn switches to another tab.
func (r *reader) Turn(n int) {
	r.Reader.Turn(n)
	r.fill()
}

// Mouse handles a mouse event relative to the reader.
func (r *reader) Mouse(msg tea.MouseMsg) {
	if r.Reader.Mouse(msg) && !r.Empty() {
		r.fill()
	}
}

// fill shows the current tab from its start. A body is only formatted here.
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
	v, err := doc.Parse(body)
	switch {
	case len(body) == 0:
		r.text = r.emptyBodyText()
	case err != nil:
		r.text = string(body)
	default:
		r.text = string(v.Indent())
		r.ShowJSON(r.text)
		return
	}
	r.ShowText(r.text)
}

// emptyBodyText is shown if there is no body.
func (r *reader) emptyBodyText() string {
	tab, _ := r.Tab()
	switch {
	case r.call.BodiesDropped():
		return "The bodies of this call were dropped to make room for newer ones."
	case tab == viewRequest:
		return "The request has no body."
	case r.call.Err != "":
		return r.call.Err
	}
	return "The response has no body."
}

// contentName names the content shown.
func (r *reader) contentName() string {
	_, name := r.Tab()
	return "the " + strings.ToLower(name)
}
