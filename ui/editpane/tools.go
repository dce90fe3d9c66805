package editpane

import (
	"strings"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/ui/editor"
	"bugle/ui/widget"
)

// Tool is what is used for a place besides the plain form. Each field may be nil.
type Tool struct {
	// Edit returns the editor, or nil for the plain form.
	Edit func(editor.Config) editor.Editor
	// Shows reports whether the editor shows the value at a place below its own, so that it is not opened as a form;
	// nil means that it shows everything.
	Shows func(doc.Path) bool
	Panel func(editor.Config) editor.SidePanel
}

// Tools are the tools by the editor names of the schema.
type Tools map[schema.Editor]Tool

// ToolAt returns the tool of the innermost place around a place that has one, and that place.
func (p *Pane) ToolAt(at doc.Path) (Tool, doc.Path, bool) {
	for n := len(at); n > 0; n-- {
		if node := p.document.Schema().At(at[:n]); node != nil && node.Editor != "" {
			t, ok := p.tools[node.Editor]
			return t, at[:n], ok
		}
	}
	return Tool{}, nil, false
}

// PanelOf returns the tool with the panel of a component or of one of its fields, and the place of that.
func (p *Pane) PanelOf(component string) (Tool, doc.Path, bool) {
	at := doc.P(component)
	if t, of, ok := p.ToolAt(at); ok && t.Panel != nil {
		return t, of, true
	}
	if node := p.document.Schema().At(at); node != nil {
		for _, c := range node.Children {
			if t := p.tools[c.Editor]; t.Panel != nil {
				return t, at.Child(c.Name), true
			}
		}
	}
	return Tool{}, nil, false
}

// inEditor reports whether the editor of a place above shows the value at a place.
func (p *Pane) inEditor(at doc.Path) bool {
	t, of, ok := p.ToolAt(at)
	return ok && t.Edit != nil && len(of) < len(at) && (t.Shows == nil || t.Shows(at))
}

// FormOf returns the place whose form shows the value at a place: that place if it has a form.
func (p *Pane) FormOf(at doc.Path) doc.Path {
	if p.onPage() && at.Equal(p.path) {
		return at
	}
	for n := len(at); n > p.depth; n-- {
		if p.opens(at[:n]) {
			return at[:n]
		}
	}
	return at[:min(p.depth, len(at))]
}

// opens reports whether a place has a form of its own: neither an editor nor the form around it shows its value.
func (p *Pane) opens(at doc.Path) bool {
	f, ok := p.document.Schema().Field(p.document.Root(), at, p.document.Config().Env)
	return ok && !p.inEditor(at) && (forms.Opens(f) || f.Node.Flat && p.inEditor(at.Parent()))
}

// ShowsAlso reports whether the open editor also shows the value at a place that is outside its own: the groups of
// filters are edited together.
func (p *Pane) ShowsAlso(at doc.Path) bool {
	t, of, ok := p.ToolAt(p.path)
	other, from, found := p.ToolAt(at)
	return ok && found && t.Edit != nil && t.Shows == nil && other.Edit != nil && other.Shows == nil && len(of) == len(p.path) && of.Parent().Equal(from.Parent())
}

// trail names the forms from the outermost to the open one, each by the steps to it: esc goes up one of them.
func (p *Pane) trail() []string {
	var out []string
	for at := p.path; len(at) > 0; {
		up := at.Parent()
		if len(up) > 0 {
			up = p.FormOf(up)
		}
		var words []string
		for i := len(up); i < len(at); i++ {
			step := at[:i+1]
			word := step.Last().Name
			if n := p.document.Schema().At(step); n != nil {
				if n.Flat && (len(words) > 0 || i < len(at)-1) {
					continue // it has no form of its own
				}
				word = edit.PlaceLabel(step, n)
			}
			words = append(words, word)
		}
		out = append([]string{strings.Join(words, " · ")}, out...)
		at = up
	}
	return out
}

// Breadcrumb names the open form after those around it, without its beginning if it does not fit. It begins with first,
// unless that is empty.
func (p *Pane) Breadcrumb(first string, width int) string {
	const separator = " › "
	levels := p.trail()
	if first != "" {
		levels = append([]string{first}, levels...)
	}
	text := strings.Join(levels, separator)
	for len(levels) > 1 && widget.Width(text) > width {
		levels = levels[1:]
		text = "…" + separator + strings.Join(levels, separator)
	}
	return text
}
