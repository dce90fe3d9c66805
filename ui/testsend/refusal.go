package testsend

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/ui/panes"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// refusalPage shows why the service refused a test before sending anything.
type refusalPage struct {
	*layout
	message  string
	list     *problems.View // problems to fix, if the service reports any
	returnTo stage          // the stage to return to
}

func newRefusal(l *layout) refusalPage {
	r := refusalPage{layout: l, list: problems.New(l.theme)}
	r.list.Focused = true
	return r
}

// set shows an error of the service.
func (r *refusalPage) set(err error) {
	r.message = phrase.Capitalize(err.Error())
	var found []schema.Problem
	if e := engine.AsError(err); e != nil {
		r.message = phrase.Capitalize(e.Message)
		found = e.Problems
		for _, d := range e.Details {
			if len(e.Problems) > 0 {
				break
			}
			p := schema.Problem{Message: d.Message}
			if path, err := doc.ParsePath(d.Target); err == nil {
				p.Path = path
			}
			found = append(found, p)
		}
		if path, err := doc.ParsePath(e.Target); err == nil && len(found) == 0 && e.Target != "" {
			found = []schema.Problem{{Path: path, Message: e.Message}}
		}
	}
	r.list.Set(r.draft.Campaign.Channel, found)
	r.resize()
}

// resize sets the size of the list.
func (r *refusalPage) resize() {
	w, h := r.panes.Size(paneMain)
	r.list.SetSize(w, h-len(r.header())-1)
}

// field returns the draft's field of the problem under the cursor; false if there is none.
func (r *refusalPage) field() (doc.Path, bool) {
	at, ok := r.list.Place()
	return at, ok && engine.IsCampaignPath(r.draft.Campaign.Channel, at)
}

// Update handles a key that is not an action.
func (r *refusalPage) Update(msg tea.KeyMsg) { r.list.Key(msg) }

// mouse handles a mouse event. It reports whether a problem was clicked.
func (r *refusalPage) mouse(msg tea.MouseMsg) bool {
	_, msg = r.panes.Mouse(msg)
	msg.Y -= len(r.header()) + 1
	_, again := r.list.Mouse(msg)
	return again
}

// header returns the service's message.
func (r *refusalPage) header() []string {
	w, _ := r.panes.Size(paneMain)
	var out []string
	message := "Not sent. " + strings.TrimSuffix(widget.CleanLines(r.message), ".") + "."
	if r.list.Len() == 1 { // the list shows the same text
		message = "Not sent. This needs to be fixed first:"
	}
	for _, l := range widget.Wrap(message, w) {
		out = append(out, r.theme.Danger.Render(l))
	}
	hint := "Press enter to go to the field or esc to go back to the form."
	if r.list.Len() == 0 {
		hint = "Press esc to go back to the form."
	}
	for _, l := range widget.Wrap(hint, w) {
		out = append(out, r.theme.Muted.Render(l))
	}
	return out
}

// View draws the page.
func (r *refusalPage) View() string {
	return r.panes.View(func(int) panes.Content {
		return panes.Content{
			Title: r.breadcrumb(r.panes.Width(), "Not sent"), Footer: r.list.Position(),
			Body: strings.Join(r.header(), "\n") + "\n\n" + r.list.View(),
		}
	})
}
