package builder

import (
	"context"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/message/render"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/preview"
	"bugle/ui/screen"
)

// previewAside shows the message that the keyboard is at as its recipient would see it.
type previewAside struct {
	cfg    editor.Config
	view   preview.Preview
	root   doc.Value
	at     doc.Path
	views  []render.View
	shelf  preview.Shelf
	number int // which of the platforms is shown, where the place does not say
}

func newPreviewAside(cfg editor.Config) editor.SidePanel {
	return &previewAside{cfg: cfg, view: preview.New(cfg.Theme)}
}

func (a *previewAside) Title() string { return "Preview" }

// Note says that the message is shown with its placeholders, where it has such.
func (a *previewAside) Note() string {
	for _, v := range a.views {
		if schema.HasExpression(string(a.root.Lookup(v.Content).Encode())) {
			return "with placeholders"
		}
	}
	return ""
}

func (a *previewAside) SetSize(w, h int)        { a.view.SetSize(w, h) }
func (a *previewAside) SetTheme(t themes.Theme) { a.view.SetTheme(t) }
func (a *previewAside) View() string            { return a.view.View() }

func (a *previewAside) Show(root doc.Value, at doc.Path) tea.Cmd {
	moved, same := !at.Equal(a.at), a.root.Exists() && render.SameContent(root, a.root)
	a.root, a.at = root, at
	if same && !moved {
		return nil
	}
	a.show()
	return a.readTemplates(moved)
}

// whole gives the document with what its messages have from saved templates, as far as those were read.
func (a *previewAside) whole() (doc.Value, render.Options) {
	root, templates, _, _ := a.shelf.Whole(a.cfg.Head.Channel, a.root)
	return root, render.Options{Now: a.cfg.Now(), Templates: templates}
}

func (a *previewAside) show() {
	ch := a.cfg.Head.Channel
	root, o := a.whole()
	views, ok := render.ViewsAt(ch, root, a.at, o)
	if !ok && !inCell(ch, root, a.at) {
		views, _ = render.FirstViews(ch, root, o)
	}
	for i := range views {
		views[i].At = a.cfg.Now()
		if a.cfg.Location != nil {
			views[i].At = views[i].At.In(a.cfg.Location)
		}
	}
	a.views = views
	a.draw()
}

// taskTemplates is the task that reads saved templates; its result is a preview.Shelf.
const taskTemplates = "templates"

// readTemplates reads the saved templates that the messages name: those that were not read yet or, since
// they may have changed, all of them.
func (a *previewAside) readTemplates(all bool) tea.Cmd {
	keeper, ok := a.cfg.Service.(engine.ContentStore)
	if !ok || a.cfg.Host.Run == nil {
		return nil
	}
	shelf := a.shelf
	_, _, refs, unread := shelf.Whole(a.cfg.Head.Channel, a.root)
	if !all {
		refs = unread
	}
	if len(refs) == 0 {
		return nil
	}
	return a.cfg.Host.Run(taskTemplates, func(ctx context.Context) (any, error) { return shelf.Read(ctx, keeper, refs) })
}

// inCell reports whether a place is in one message among several, be it there or not.
func inCell(ch engine.Channel, root doc.Value, at doc.Path) bool {
	c, ok := grid.New(ch, root).CellAt(at)
	return ok && len(c.Path) > len(grid.Path()) && at.HasPrefix(c.Path)
}

func (a *previewAside) draw() {
	if len(a.views) == 0 {
		a.view.None()
		return
	}
	a.view.Show(a.views[min(a.number, len(a.views)-1)])
}

func (a *previewAside) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		if shelf, ok := msg.Value.(preview.Shelf); ok && msg.Err == nil {
			a.shelf = shelf
			a.show()
		}
	case tea.KeyMsg:
		if n := len(a.views); msg.String() == nextPlatform && n > 1 {
			a.number = (min(a.number, n-1) + 1) % n
			a.draw()
			return nil
		}
		a.view.Update(msg)
	case tea.MouseMsg:
		a.view.Mouse(msg)
	}
	return nil
}

// nextPlatform turns to the message on the next platform.
const nextPlatform = "n"

func (a *previewAside) Bindings() []key.Binding {
	var out []key.Binding
	if len(a.views) > 1 {
		out = append(out, key.NewBinding(key.WithKeys(nextPlatform), key.WithHelp(nextPlatform, "next platform")))
	}
	for _, b := range a.view.Bindings() {
		if len(b.Keys) > 0 {
			out = append(out, key.NewBinding(key.WithKeys(b.Keys...), key.WithHelp(b.Keys[0], b.Label)))
		}
	}
	return out
}
