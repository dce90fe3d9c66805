package content

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/edit/grid"
	"bugle/forms/typeahead"
	"bugle/ui/widget"
)

// addDialog asks which locales to add.
type addDialog struct {
	prompt widget.Prompt
	list   typeahead.List
	all    []typeahead.Item // all locales, which also match by the names of their languages
}

// openAdd asks for a locale, suggesting the workspace's locales first and then all languages. A locale that has
// messages but is not listed is added at once.
func (g *Grid) openAdd() {
	if g.onLocale() && g.grid.Locales[g.row].Unlisted {
		g.setRoot(grid.AddLocale(g.cfg.Head.Channel, g.root, g.grid.Locales[g.row].Name))
		return
	}
	a := &addDialog{prompt: widget.NewPrompt(g.cfg.Theme, "Add", "a language or locale, such as de, fr")}
	a.prompt.Focus()
	var own []string
	if n := g.cfg.Schema.At(grid.LocalesPath()); n != nil && n.Suggest != "" && g.cfg.Suggest != nil {
		own = g.cfg.Suggest(n.Suggest)
	}
	for _, name := range own {
		language, info := grid.LanguageName(name), "in this workspace"
		if language != "" {
			info = language + " · " + info
		}
		a.all = append(a.all, typeahead.Item{Value: name, Info: info, Keywords: language})
	}
	for _, l := range grid.Languages {
		if !slices.Contains(own, l.Tag) {
			a.all = append(a.all, typeahead.Item{Value: l.Tag, Info: l.Name, Keywords: l.Name})
		}
	}
	a.all = slices.DeleteFunc(a.all, func(o typeahead.Item) bool {
		i := g.rowOf(o.Value)
		return i >= 0 && !g.grid.Locales[i].Unlisted
	})
	g.adding = a
	a.find()
}

// find lists the matches of the text.
func (a *addDialog) find() {
	text := strings.TrimSpace(a.prompt.Value())
	a.list.Show(typeahead.Options{Items: typeahead.Match(a.all, text), Text: text, Typed: true, Free: true})
}

// addPageSize is how many rows pgup and pgdown move.
const addPageSize = 10

func (g *Grid) addKey(msg tea.KeyMsg) {
	a := g.adding
	switch pressed := msg.String(); {
	case pressed == "esc":
		g.adding = nil
	case pressed == "enter", pressed == "tab":
		g.add()
	case a.list.Key(pressed):
	case pressed == "pgup":
		a.list.Highlight(max(a.list.At()-addPageSize, 0))
	case pressed == "pgdown":
		a.list.Highlight(min(a.list.At()+addPageSize, a.list.Len()-1))
	case a.prompt.Update(msg):
		a.find()
	}
}

// add adds the chosen locale, or all typed ones separated by commas, and closes the dialog.
func (g *Grid) add() {
	chosen, _ := g.adding.list.Highlighted()
	root, last := g.root, ""
	for name := range strings.SplitSeq(chosen.Value, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		out, err := grid.AddLocale(g.cfg.Head.Channel, root, name)
		if err != nil {
			g.setRoot(out, err)
			return
		}
		root, last = out, name
	}
	if last == "" {
		g.failure = "Type the name of a locale, such as de."
		return
	}
	g.adding = nil
	g.setRoot(root, nil)
	g.moveTo(g.rowOf(last), max(g.col, 0))
	g.notice = "Added with a copy of the default locale's messages to translate."
}

// addHead draws what is above the suggestions: the text field, and why its text cannot be added.
func (g *Grid) addHead() []string {
	g.adding.prompt.SetSize(g.cfg.Width, 1)
	lines := []string{g.adding.prompt.View()}
	if g.failure != "" {
		lines = append(lines, widget.WrapStyled(g.cfg.Theme.Warning, g.failure, g.cfg.Width)...)
	}
	return append(lines, "")
}

func (g *Grid) addView() []string {
	head := g.addHead()
	return append(head, g.adding.list.Lines(g.cfg.Theme, g.cfg.Width, max(g.cfg.Height-len(head), 1))...)
}

// addMouse handles the wheel and a click on a suggestion, which adds it.
func (g *Grid) addMouse(msg tea.MouseMsg) {
	i, ok := g.adding.list.RowAt(msg.Y - len(g.addHead()))
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		g.adding.list.Key("up")
	case msg.Button == tea.MouseButtonWheelDown:
		g.adding.list.Key("down")
	case ok && widget.Pressed(msg) && g.adding.list.Highlight(i):
		g.add()
	}
}
