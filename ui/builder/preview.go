package builder

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/content"
	"bugle/engine/doc"
	"bugle/engine/render"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/preview"
)

// previewAside shows the message that the keyboard is at as its recipient would see it.
type previewAside struct {
	cfg    editor.Config
	view   preview.Preview
	root   doc.Value
	at     doc.Path
	views  []render.View
	number int // which of the platforms is shown, where the place does not say
}

func newPreviewAside(cfg editor.Config) editor.Aside {
	return &previewAside{cfg: cfg, view: preview.New(cfg.Theme)}
}

func (a *previewAside) Title() string           { return "Preview" }
func (a *previewAside) SetSize(w, h int)        { a.view.SetSize(w, h) }
func (a *previewAside) SetTheme(t themes.Theme) { a.view.SetTheme(t) }
func (a *previewAside) View() string            { return a.view.View() }

func (a *previewAside) Show(root doc.Value, at doc.Path) tea.Cmd {
	if root.Same(a.root) && at.Equal(a.at) {
		return nil
	}
	a.root, a.at = root, at
	o := render.Options{Now: a.cfg.Now()}
	views, ok := render.Of(a.cfg.Head.Channel, root, at, o)
	if !ok && !inCell(a.cfg.Head.Channel, root, at) {
		views, _ = render.First(a.cfg.Head.Channel, root, o)
	}
	a.views = views
	a.draw()
	return nil
}

// inCell reports whether a place is in one message among several, be it there or not.
func inCell(ch engine.Channel, root doc.Value, at doc.Path) bool {
	c, ok := content.Read(ch, root).At(at)
	return ok && len(c.Path) > len(content.Path()) && at.HasPrefix(c.Path)
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
