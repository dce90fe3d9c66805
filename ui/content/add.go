package content

import (
	"errors"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	"bugle/forms/typeahead"
	"bugle/ui/screen"
)

// askLocales asks for locales to add. A locale that has messages but is not listed is added at once.
func (g *Grid) askLocales() tea.Cmd {
	if g.onLocale() && g.grid.Locales[g.row].Unlisted {
		g.setRoot(grid.AddLocale(g.cfg.Head.Channel, g.root, g.grid.Locales[g.row].Name))
		return nil
	}
	all := g.locales()
	return screen.Send(screen.InputMsg{
		Title: "Add locales", Placeholder: "a language or locale, such as de, fr",
		Suggest: func(text string) []typeahead.Item { return typeahead.Match(all, text) },
		Validate: func(text string) string {
			if _, _, err := g.withLocales(text); err != nil {
				return phrase.Sentence(err.Error())
			}
			return ""
		},
		Then: func(text string) tea.Cmd {
			return g.afterAnswer(func() {
				root, last, err := g.withLocales(text)
				if g.setRoot(root, err) {
					g.moveTo(g.rowOf(last), max(g.col, 0))
					g.notice = "Added with a copy of the default locale's messages to translate."
				}
			})
		},
	})
}

// locales returns the locales that can be added, which are also found by the names of their languages: those of the workspace
// first, and then all languages.
func (g *Grid) locales() (all []typeahead.Item) {
	var own []string
	if n := g.cfg.Schema.At(grid.LocalesPath()); n != nil && n.Suggest != "" && g.cfg.Suggest != nil {
		own = g.cfg.Suggest(n.Suggest)
	}
	for _, name := range own {
		language, info := grid.LanguageName(name), "in this workspace"
		if language != "" {
			info = language + " · " + info
		}
		all = append(all, typeahead.Item{Value: name, Info: info, Keywords: language})
	}
	for _, l := range grid.Languages {
		if !slices.Contains(own, l.Tag) {
			all = append(all, typeahead.Item{Value: l.Tag, Info: l.Name, Keywords: l.Name})
		}
	}
	return slices.DeleteFunc(all, func(o typeahead.Item) bool {
		i := g.rowOf(o.Value)
		return i >= 0 && !g.grid.Locales[i].Unlisted
	})
}

// withLocales returns the document with locales that are separated by commas, and the last one of them.
func (g *Grid) withLocales(text string) (root doc.Value, last string, err error) {
	root = g.root
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if root, err = grid.AddLocale(g.cfg.Head.Channel, root, name); err != nil {
			return g.root, "", err
		}
		last = name
	}
	if last == "" {
		return g.root, "", errors.New("type the name of a locale, such as de")
	}
	return root, last, nil
}
