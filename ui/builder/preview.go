package builder

import (
	"context"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/livepage"
	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
	"bugle/engine/schema"
	"bugle/ui/editor"
	"bugle/ui/preview"
	"bugle/ui/screen"
	"bugle/ui/viewas"
)

// previewPanel shows the current message as the recipient would see it.
type previewPanel struct {
	cfg    editor.Config
	view   preview.Preview
	root   doc.Value
	at     doc.Path
	views  []render.View
	shelf  render.TemplateCache
	drawn  *resolve.Result // what views are of; nil for the document as written
	number int             // index of the platform to show, if the place does not determine it
}

func newPreviewPanel(cfg editor.Config) editor.SidePanel {
	return &previewPanel{cfg: cfg, view: preview.New(cfg.Theme)}
}

func (a *previewPanel) Title() string { return "Preview" }

// Note returns a note if the preview contains placeholders.
func (a *previewPanel) Note() string {
	if a.resolves() {
		return ""
	}
	for _, v := range a.views {
		if schema.HasExpression(string(a.root.Lookup(v.Content).Encode())) {
			return "with placeholders"
		}
	}
	return ""
}

// empty reports whether there is no message yet.
func (a *previewPanel) empty() bool { return len(a.views) == 0 }

func (a *previewPanel) SetSize(w, h int) { a.view.SetSize(w, h) }
func (a *previewPanel) View() string     { return a.view.View() }

func (a *previewPanel) Show(root doc.Value, at doc.Path) tea.Cmd {
	moved, same := !at.Equal(a.at), a.root.Exists() && render.SameContent(root, a.root)
	a.root, a.at = root, at
	if r := a.cfg.ViewAs.Result(); moved || r != a.drawn || r == nil && !same {
		a.show()
	} else {
		a.view.SetCaption(a.caption())
	}
	switch {
	case a.resolves():
		src := viewas.Source{Channel: a.cfg.Head.Channel, Workspace: a.cfg.Workspace, Document: root}
		return a.cfg.ViewAs.Resolve(src, at)
	case moved || !same:
		return a.readTemplates(moved)
	}
	return nil
}

// show draws the message: as the person gets it, or as written with the content of the saved templates that have been read.
func (a *previewPanel) show() {
	var root doc.Value
	var o render.Options
	r := a.cfg.ViewAs.Result()
	if r != nil {
		root, o = r.Drawn(o)
	} else {
		root, o.Templates, _, _ = a.shelf.Resolve(a.cfg.Head.Channel, a.root)
	}
	o.Now = a.cfg.Now()
	a.views, _ = livepage.Views(a.cfg.Head.Channel, root, a.at, o)
	for i := range a.views {
		a.views[i].At = a.cfg.Local(o.Now)
	}
	a.drawn = r
	a.draw()
}

// taskTemplates is the task that reads saved templates.
const taskTemplates = "templates"

// readTemplates reads the saved templates of the messages: those that have not been read or, because they may
// have changed, all.
func (a *previewPanel) readTemplates(all bool) tea.Cmd {
	keeper, ok := a.cfg.Service.(engine.ContentStore)
	if !ok || a.cfg.Host.Tasks == nil {
		return nil
	}
	shelf := a.shelf
	_, _, refs, unread := shelf.Resolve(a.cfg.Head.Channel, a.root)
	if !all {
		refs = unread
	}
	if len(refs) == 0 {
		return nil
	}
	read := func(ctx context.Context) (render.TemplateCache, error) { return shelf.Read(ctx, keeper, refs) }
	return screen.Go(a.cfg.Host.Tasks, taskTemplates, read, func(shelf render.TemplateCache, err error) tea.Cmd {
		if err == nil {
			a.shelf = shelf
			a.show()
		}
		return nil
	})
}

func (a *previewPanel) draw() {
	v, _ := a.shown()
	a.view.SetCaption(a.caption())
	a.view.Show(v)
}

// caption returns what stands above the message.
func (a *previewPanel) caption() preview.Caption {
	if !a.resolves() {
		return preview.Caption{}
	}
	v, _ := a.shown()
	return a.cfg.ViewAs.Caption(v.TestKey)
}

// shown returns the message that is drawn; false if there is none.
func (a *previewPanel) shown() (render.View, bool) {
	if len(a.views) == 0 {
		return render.View{}, false
	}
	return a.views[min(a.number, len(a.views)-1)], true
}

// resolves reports whether the messages are shown as one person gets them.
func (a *previewPanel) resolves() bool { return !a.cfg.ViewAs.Choice().AsWritten() }

func (a *previewPanel) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
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

// nextPlatform is the key for the message on the next platform.
const nextPlatform = "n"

func (a *previewPanel) Bindings() []key.Binding {
	var out []key.Binding
	if len(a.views) > 1 {
		out = append(out, key.NewBinding(key.WithKeys(nextPlatform), key.WithHelp(nextPlatform, "next platform")))
	}
	return append(out, a.view.Bindings()...)
}
