package content

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/edit/grid"
	"bugle/forms/typeahead"
	"bugle/ui/widget"
)

// adding asks which locales to add.
type adding struct {
	*table
	prompt widget.Prompt
	list   typeahead.List
	all    []typeahead.Item // locales, found by their languages as well
}

// openAdd asks for a locale: the workspace's are offered, then the languages of the world. One that
// has messages and is not listed is listed at once.
func (g *Grid) openAdd() {
	if g.onLocale() && g.grid.Locales[g.row].Unlisted {
		root, err := grid.AddLocale(g.cfg.Head.Channel, g.root, g.grid.Locales[g.row].Name)
		if err != nil {
			g.failure = sentence(err)
			return
		}
		g.take(root)
		return
	}
	a := &adding{table: g.table, prompt: widget.NewPrompt(g.cfg.Theme, "Add", "a language or locale, such as de, fr")}
	a.prompt.Focus()
	var own []string
	if n := g.cfg.Schema.At(grid.LocalesPath()); n != nil && n.Suggest != "" && g.cfg.Suggest != nil {
		own = g.cfg.Suggest(n.Suggest)
	}
	for _, name := range own {
		language := grid.LanguageName(name)
		info := "in this workspace"
		if language != "" {
			info = language + " · " + info
		}
		a.all = append(a.all, typeahead.Item{Value: name, Info: info, Also: language})
	}
	for _, l := range grid.Languages {
		if !slices.Contains(own, l.Tag) {
			a.all = append(a.all, typeahead.Item{Value: l.Tag, Info: l.Name, Also: l.Name})
		}
	}
	a.all = slices.DeleteFunc(a.all, func(o typeahead.Item) bool {
		i := g.rowOf(o.Value)
		return i >= 0 && !g.grid.Locales[i].Unlisted
	})
	g.adding = a
	a.find()
}

// find lists what fits the text.
func (a *adding) find() {
	text := strings.TrimSpace(a.prompt.Value())
	a.list.Show(typeahead.Offer{Items: typeahead.Match(a.all, text), Text: text, Typed: true, Free: true})
}

// addPage is how many rows pgup and pgdown move.
const addPage = 10

// key takes a key, and reports whether the question is closed.
func (a *adding) key(msg tea.KeyMsg) bool {
	switch pressed := msg.String(); {
	case pressed == "esc":
		return true
	case pressed == "enter", pressed == "tab":
		return a.add()
	case a.list.Key(pressed):
	case pressed == "pgup":
		a.list.Highlight(max(a.list.At()-addPage, 0))
	case pressed == "pgdown":
		a.list.Highlight(min(a.list.At()+addPage, a.list.Len()-1))
	case a.prompt.Update(msg):
		a.find()
	}
	return false
}

// add adds the chosen locale, or all of those that were typed with commas between them, and reports whether it could.
func (a *adding) add() bool {
	chosen, ok := a.list.Highlighted()
	if !ok {
		a.failure = "Type the name of a locale, such as de."
		return false
	}
	root, last := a.root, ""
	for name := range strings.SplitSeq(chosen.Value, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		out, err := grid.AddLocale(a.cfg.Head.Channel, root, name)
		if err != nil {
			a.failure = sentence(err)
			return false
		}
		root, last = out, name
	}
	if last == "" {
		a.failure = "Type the name of a locale, such as de."
		return false
	}
	a.take(root)
	a.place(a.rowOf(last), max(a.col, 0))
	a.notify("Added with a copy of the default locale's messages to translate.")
	return true
}

// view draws the question.
func (a *adding) view(w, h int) string {
	a.prompt.SetSize(w, 1)
	lines := append([]string{a.prompt.View()}, a.fault(w)...)
	lines = append(lines, "")
	return widget.Fit(strings.Join(append(lines, a.list.Lines(a.cfg.Theme, w, max(h-len(lines), 1))...), "\n"), w, h)
}

// fault says why what is typed cannot be added.
func (a *adding) fault(w int) []string {
	if a.failure == "" {
		return nil
	}
	var out []string
	for _, l := range widget.Wrap(widget.Clean(a.failure), max(w, 1)) {
		out = append(out, a.cfg.Theme.Warning.Render(l))
	}
	return out
}
