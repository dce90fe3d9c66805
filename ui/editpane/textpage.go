package editpane

import (
	"strings"

	"github.com/atotto/clipboard"
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/forms/textfield"
	"bugle/ui/editor"
	"bugle/ui/widget"
)

// maxPage is the length in bytes up to which a document is edited on a page: each key in a longer one takes too long.
const maxPage = 40_000

// textPage edits a document, such as HTML, at the size of the pane: from its beginning, and enter begins a line.
type textPage struct {
	cfg      editor.Config
	node     *schema.Node
	root     doc.Value
	field    *textfield.Field
	text     string // as last read or adopted
	problems []schema.Problem
	width    int
	height   int
}

// newTextPage returns the page of the text at cfg.Path; nil if that is none, or cannot be edited on a page.
func newTextPage(cfg editor.Config) editor.Editor {
	n := cfg.Schema.At(cfg.Path)
	text := pageText(cfg, n, cfg.Root)
	if !forms.IsPage(n) || len(text) > maxPage || !textfield.Accepts(text) || cfg.Locked != nil && cfg.Locked(cfg.Path) != "" {
		return nil
	}
	p := &textPage{cfg: cfg, node: n, root: cfg.Root, field: textfield.NewArea(cfg.Theme, n.Help)}
	p.field.Tall = true
	p.SetSize(cfg.Width, cfg.Height)
	p.show(text)
	return p
}

// pageText returns the text that is edited: for compiled HTML what it was compiled from.
func pageText(cfg editor.Config, n *schema.Node, root doc.Value) string {
	text := root.Lookup(cfg.Path).Text()
	if cfg.Source != nil {
		if source, ok := cfg.Source(n, text); ok {
			return source
		}
	}
	return text
}

func (p *textPage) show(text string) {
	p.text = text
	p.field.Focus() // the cursor of a field without focus does not move
	p.field.SetText(text)
	p.field.Start()
}

// Update handles keys and pastes.
func (p *textPage) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return p.key(msg)
	case pagePasteMsg:
		p.field.Paste(msg.text)
	case tea.MouseMsg:
		switch msg.Button {
		case tea.MouseButtonWheelUp:
			p.move(tea.KeyUp, wheelLines)
		case tea.MouseButtonWheelDown:
			p.move(tea.KeyDown, wheelLines)
		}
	}
	return nil
}

// wheelLines is how many lines a notch of the mouse wheel moves.
const wheelLines = 3

// pagePasteMsg is the text of the clipboard.
type pagePasteMsg struct{ text string }

func (p *textPage) key(msg tea.KeyMsg) tea.Cmd {
	switch pressed := msg.String(); {
	case msg.Paste:
		p.field.Paste(string(msg.Runes))
	case pressed == "enter":
		p.field.Insert("\n")
	case pressed == "tab":
		p.field.Insert("\t")
	case pressed == "pgup":
		p.move(tea.KeyUp, max(p.height-1, 1))
	case pressed == "pgdown":
		p.move(tea.KeyDown, max(p.height-1, 1))
	case pressed == "ctrl+v":
		return func() tea.Msg {
			text, err := clipboard.ReadAll()
			if err != nil {
				return nil
			}
			return pagePasteMsg{text}
		}
	case pressed == "ctrl+e":
		m := forms.OpenEditorMsg{Path: p.cfg.Path, Text: p.field.Text()}
		return func() tea.Msg { return m }
	default:
		p.field.Key(msg)
	}
	return nil
}

func (p *textPage) move(k tea.KeyType, n int) {
	for range n {
		p.field.Key(tea.KeyMsg{Type: k})
	}
}

// SetText replaces the text.
func (p *textPage) SetText(_ doc.Path, text string, _ bool) error {
	p.field.SetText(text)
	p.field.Start()
	return nil
}

// View draws the text and, below it, the first problem.
func (p *textPage) View() string {
	problem := p.problem()
	rows := p.height
	if problem != "" {
		rows--
	}
	p.field.SetSize(p.width, max(rows, 1))
	lines := []string{p.field.View()}
	if problem != "" {
		lines = append(lines, p.cfg.Theme.Danger.Render(widget.Truncate("! "+problem, p.width)))
	}
	return strings.Join(lines, "\n")
}

func (p *textPage) problem() string {
	for _, q := range p.problems {
		if q.Path.HasPrefix(p.cfg.Path) {
			return phrase.Capitalize(q.Text())
		}
	}
	return ""
}

// SetSize sets the size of the page.
func (p *textPage) SetSize(width, height int) { p.width, p.height = max(width, 1), max(height, 1) }

// SetActive shows the cursor while the page has the keyboard.
func (p *textPage) SetActive(on bool) {
	if on {
		p.field.Focus()
	} else {
		p.field.Blur()
	}
}

// Edited returns the document with the text.
func (p *textPage) Edited() (doc.Value, bool) {
	text := p.field.Text()
	if text == p.text {
		return p.root, false
	}
	root, err := p.root.Set(p.cfg.Path, doc.NewString(text))
	if text == "" {
		root, err = p.root.Delete(p.cfg.Path), nil
	}
	return root, err == nil
}

// Reload shows the document after it was changed elsewhere or saved.
func (p *textPage) Reload(root doc.Value) {
	p.root = root
	if text := pageText(p.cfg, p.node, root); text != p.field.Text() {
		p.show(text)
	} else {
		p.text = text
	}
}

// SetProblems sets the problems of the document.
func (p *textPage) SetProblems(problems []schema.Problem) { p.problems = problems }

// Focused returns the field.
func (p *textPage) Focused() (schema.FieldState, bool) {
	return p.cfg.Schema.Field(p.root, p.cfg.Path, p.cfg.Env)
}

// FocusPath reports whether a place is the text.
func (p *textPage) FocusPath(at doc.Path) bool { return at.HasPrefix(p.cfg.Path) }

// Typing returns true: letters are text.
func (p *textPage) Typing() bool { return true }

// Modal returns false: nothing is open over the text.
func (p *textPage) Modal() bool { return false }

// Bindings returns the keys that work here.
func (p *textPage) Bindings() []key.Binding {
	return append(p.Hints(),
		key.NewBinding(key.WithKeys("pgdown", "pgup"), key.WithHelp("pgdn", "page down")),
		key.NewBinding(key.WithKeys("tab"), key.WithHelp("tab", "insert a tab")),
	)
}

// Hints returns the most important keys.
func (p *textPage) Hints() []key.Binding {
	return []key.Binding{
		key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "new line")),
		key.NewBinding(key.WithKeys("ctrl+e"), key.WithHelp("ctrl+e", "open editor")),
	}
}
