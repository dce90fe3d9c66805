package content

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	"bugle/forms/typeahead"
	"bugle/ui/widget"
)

// addDialog asks which locales to add.
type addDialog struct {
	*table
	prompt widget.Prompt
	list   typeahead.List
	all    []typeahead.Item // all locales, which also match by the names of their languages
}

// openAdd asks for a locale, suggesting the workspace's locales first and then all languages. A locale that has
// messages but is not listed is added at once.
func (g *Grid) openAdd() {
	if g.onLocale() && g.grid.Locales[g.row].Unlisted {
		root, err := grid.AddLocale(g.cfg.Head.Channel, g.root, g.grid.Locales[g.row].Name)
		if err != nil {
			g.failure = phrase.Sentence(err.Error())
			return
		}
		g.setRoot(root)
		return
	}
	a := &addDialog{table: g.table, prompt: widget.NewPrompt(g.cfg.Theme, "Add", "a language or locale, such as de, fr")}
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
	g.addDialog = a
	a.find()
}

// find lists the matches of the text.
func (a *addDialog) find() {
	text := strings.TrimSpace(a.prompt.Value())
	a.list.Show(typeahead.Options{Items: typeahead.Match(a.all, text), Text: text, Typed: true, Free: true})
}

// addPageSize is how many rows pgup and pgdown move.
const addPageSize = 10

// key handles a key and reports whether the dialog is done.
func (a *addDialog) key(msg tea.KeyMsg) bool {
	switch pressed := msg.String(); {
	case pressed == "esc":
		return true
	case pressed == "enter", pressed == "tab":
		return a.add()
	case a.list.Key(pressed):
	case pressed == "pgup":
		a.list.Highlight(max(a.list.At()-addPageSize, 0))
	case pressed == "pgdown":
		a.list.Highlight(min(a.list.At()+addPageSize, a.list.Len()-1))
	case a.prompt.Update(msg):
		a.find()
	}
	return false
}

// add adds the chosen locale, or all typed ones separated by commas, and reports whether it succeeded.
func (a *addDialog) add() bool {
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
			a.failure = phrase.Sentence(err.Error())
			return false
		}
		root, last = out, name
	}
	if last == "" {
		a.failure = "Type the name of a locale, such as de."
		return false
	}
	a.setRoot(root)
	a.moveTo(a.rowOf(last), max(a.col, 0))
	a.notify("Added with a copy of the default locale's messages to translate.")
	return true
}

// view draws the dialog.
func (a *addDialog) view(w, h int) string {
	a.prompt.SetSize(w, 1)
	lines := append([]string{a.prompt.View()}, a.errorLines(w)...)
	lines = append(lines, "")
	return widget.Fit(strings.Join(append(lines, a.list.Lines(a.cfg.Theme, w, max(h-len(lines), 1))...), "\n"), w, h)
}

// errorLines describes why the typed text cannot be added.
func (a *addDialog) errorLines(w int) []string {
	if a.failure == "" {
		return nil
	}
	var out []string
	out = append(out, widget.WrapStyled(a.cfg.Theme.Warning, a.failure, w)...)
	return out
}
