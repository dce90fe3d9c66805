package content

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/content"
	"bugle/ui/widget"
)

// adding asks which locales to add.
type adding struct {
	prompt widget.Prompt
	list   widget.List
	offers []offer // in the list
	all    []offer
}

// offer is a locale that can be added: its name, its language where that is known, and whose it is.
type offer struct{ name, language, whose string }

func (o offer) help() string {
	if o.language == "" || o.whose == "" {
		return o.language + o.whose
	}
	return o.language + " · " + o.whose
}

// openAdd asks for a locale: the workspace's are offered, then the languages of the world. One that
// has messages and is not listed is listed at once.
func (g *Grid) openAdd() {
	if g.onLocale() && g.grid.Locales[g.row].Stray {
		root, err := content.AddLocale(g.cfg.Head.Channel, g.root, g.grid.Locales[g.row].Name)
		if err != nil {
			g.failure = sentence(err)
			return
		}
		g.take(root)
		return
	}
	a := &adding{prompt: widget.NewPrompt(g.cfg.Theme, "Add", "a name or a language; de, fr adds both"), list: widget.NewList(g.cfg.Theme)}
	a.prompt.Focus()
	a.list.Focused = true
	var own []string
	if n := g.cfg.Schema.At(content.LocalesPath()); n != nil && n.Suggest != "" && g.cfg.Suggest != nil {
		own = g.cfg.Suggest(n.Suggest)
	}
	for _, name := range own {
		a.all = append(a.all, offer{name, content.LanguageName(name), "this workspace's"})
	}
	for _, l := range content.Languages {
		if !slices.Contains(own, l.Tag) {
			a.all = append(a.all, offer{l.Tag, l.Name, ""})
		}
	}
	a.all = slices.DeleteFunc(a.all, func(o offer) bool {
		i := g.rowOf(o.name)
		return i >= 0 && !g.grid.Locales[i].Stray
	})
	g.adding = a
	a.find()
}

// find lists what fits the text: names that begin with it, then languages that do, then the rest.
func (a *adding) find() {
	text := strings.ToLower(strings.TrimSpace(a.prompt.Value()))
	rank := func(o offer) int {
		name, language := strings.ToLower(o.name), strings.ToLower(o.language)
		switch {
		case name == text:
			return 0
		case strings.HasPrefix(name, text):
			return 1
		case strings.HasPrefix(language, text):
			return 2
		case strings.Contains(language, text):
			return 3
		}
		return 4
	}
	a.offers = a.offers[:0]
	if !strings.Contains(text, ",") {
		for _, o := range a.all {
			if rank(o) < 4 {
				a.offers = append(a.offers, o)
			}
		}
		slices.SortStableFunc(a.offers, func(x, y offer) int { return rank(x) - rank(y) })
	}
	if text != "" && (len(a.offers) == 0 || rank(a.offers[0]) > 0) {
		a.offers = append(a.offers, offer{strings.TrimSpace(a.prompt.Value()), "", "as typed"})
	}
	items := make([]widget.Item, len(a.offers))
	for i, o := range a.offers {
		items[i] = widget.Item{Text: o.name, Info: o.help()}
	}
	a.list.SetItems(items)
	a.list.Choose(0)
}

func (g *Grid) addKey(msg tea.KeyMsg) tea.Cmd {
	a := g.adding
	switch msg.String() {
	case "esc":
		g.adding = nil
	case "enter":
		g.addLocales()
	case "up", "ctrl+p", "shift+tab":
		a.list.Up()
	case "down", "ctrl+n", "tab":
		a.list.Down()
	case "pgup":
		a.list.PageUp()
	case "pgdown":
		a.list.PageDown()
	default:
		if a.prompt.Update(msg) {
			a.find()
		}
	}
	return nil
}

// addLocales adds the chosen locale, or all of those that were typed with commas between them.
func (g *Grid) addLocales() {
	i := g.adding.list.Cursor
	if i >= len(g.adding.offers) {
		g.failure = "Type the name of a locale, such as de."
		return
	}
	root, last := g.root, ""
	for name := range strings.SplitSeq(g.adding.offers[i].name, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		out, err := content.AddLocale(g.cfg.Head.Channel, root, name)
		if err != nil {
			g.failure = sentence(err)
			return
		}
		root, last = out, name
	}
	if last == "" {
		g.failure = "Type the name of a locale, such as de."
		return
	}
	g.adding = nil
	g.take(root)
	g.place(g.rowOf(last), max(g.col, 0))
	g.notify("Added, with the default locale's messages to translate.")
}

// addView draws the question.
func (g *Grid) addView(w, h int) string {
	a := g.adding
	a.prompt.SetSize(w, 1)
	lines := append([]string{a.prompt.View()}, g.addFault(w)...)
	lines = append(lines, "")
	a.list.SetSize(w, max(h-len(lines), 1))
	return widget.Fit(strings.Join(append(lines, a.list.View()), "\n"), w, h)
}

// addFault says why what is typed cannot be added.
func (g *Grid) addFault(w int) []string {
	if g.failure == "" {
		return nil
	}
	var out []string
	for _, l := range widget.Wrap(widget.Clean(g.failure), max(w, 1)) {
		out = append(out, g.cfg.Theme.Warning.Render(l))
	}
	return out
}
