package campaigns

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/search/query"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// savedView is a named search with its order and columns.
type savedView struct {
	Name    string   `json:"name"`
	Query   string   `json:"query"`
	Sort    order    `json:"sort"`
	Columns []string `json:"columns,omitempty"` // empty means the current ones
	built   bool
}

// views returns all views, the built-in ones first.
func (s *Screen) views() []savedView {
	built := []savedView{
		{Name: "Drafts", Query: "status:draft"},
		{Name: "Live", Query: "is:live"},
		{Name: "Starting within a week", Query: "start:+7d sort:start"},
		{Name: "Archived", Query: "is:archived"},
	}
	if author := s.deps.Author; author != "" {
		built = slices.Insert(built, 2, savedView{Name: "Mine", Query: query.Query{}.With(query.By, author).String()})
	}
	for i := range built {
		built[i].built = true
	}
	return append(built, s.settings.Views...)
}

// open applies a view.
func (s *Screen) open(v savedView) tea.Cmd {
	s.selection.ranging = false
	s.changeSettings(func(st settings) settings {
		if len(v.Columns) > 0 {
			st.Columns = v.Columns
		}
		if v.Sort.Key != "" {
			st.Sort = v.Sort
		}
		return st
	})
	s.grid.setColumns(chosenColumns(s.settings.Columns))
	return s.searchFor(v.Query, cursorHome)
}

// viewPicker is the overlay with the views.
type viewPicker struct {
	screen.Box
	s     *Screen
	theme *themes.Theme
	list  *list.List[savedView]
}

const groupViews = "Views"

func newViewPicker(t *themes.Theme, s *Screen) *viewPicker {
	p := &viewPicker{s: s, theme: t}
	p.list = list.Items(t, "view", p.item)
	p.list.Focused = true
	p.list.Set(s.views())
	return p
}

// item returns the row of a view, with the digit that applies it.
func (p *viewPicker) item(v savedView) widget.Item {
	item := widget.Item{Icon: " ", Text: v.Name, Info: v.Query, InfoTone: themes.ToneMuted}
	if i := slices.IndexFunc(p.s.views(), func(o savedView) bool { return o.Name == v.Name }); i >= 0 && i < 9 {
		item.Icon, item.IconTone = strconv.Itoa(i+1), themes.ToneAccent
	}
	return item
}

// fill lists the views, with the cursor on the one of that name.
func (p *viewPicker) fill(name string) {
	p.list.Set(p.s.views())
	p.list.Select(func(v savedView) bool { return v.Name == name })
}

// open applies a view and closes the box.
func (p *viewPicker) open(v savedView) tea.Cmd {
	p.Close()
	return p.s.open(v)
}

// builtReason returns why a view cannot be changed.
func builtReason(v savedView) string {
	if v.built {
		return "This view is built in. Show it and press W to save it under your own name."
	}
	return ""
}

// Actions returns what can be done with the views.
func (p *viewPicker) Actions() []screen.Action {
	acts := []screen.Action{
		p.list.On(screen.Action{Keys: []string{"enter"}, Label: "show", Help: "show the view", Group: groupViews, BarPriority: 10}, nil, p.open),
		{Keys: []string{"W", "n"}, Label: "save view", Help: "save this search, sorting and columns as a view", Group: groupViews, BarPriority: 9, Run: func() tea.Cmd { return p.s.saveView(p.fill) }},
		p.list.On(screen.Action{Keys: []string{"r"}, Label: "rename", Help: "rename the view", Group: groupViews, BarPriority: 8}, builtReason, p.rename),
		p.list.On(screen.Action{Keys: []string{"x"}, Label: "delete", Help: "delete the view", Group: groupViews, BarPriority: 7}, builtReason, p.remove),
		{Keys: []string{"esc", "w", "q"}, Label: "close", Help: "back to the list", Group: groupViews, BarPriority: 6, Run: p.Close},
	}
	for _, a := range p.s.viewActions() {
		show := a.Run
		a.Run = func() tea.Cmd { p.Close(); return show() }
		acts = append(acts, a)
	}
	return acts
}

// Typing returns false: there is no text field.
func (p *viewPicker) Typing() bool { return false }

// Key moves the cursor.
func (p *viewPicker) Key(msg tea.KeyMsg) tea.Cmd {
	p.list.Key(msg)
	return nil
}

// Mouse scrolls, and shows the view that is clicked.
func (p *viewPicker) Mouse(msg tea.MouseMsg) tea.Cmd {
	msg.Y--
	hit, _ := p.list.Mouse(msg)
	if v, ok := p.list.Selected(); hit && ok && widget.Pressed(msg) {
		return p.open(v)
	}
	return nil
}

// View draws the box.
func (p *viewPicker) View(width, height int) string {
	panel := widget.NewPanel(p.theme, "Views")
	panel.Focused, panel.Footer = true, "enter show · W save view"
	panel.SetSize(min(width-4, 64), min(height-4, p.list.Len()+2))
	p.list.SetSize(panel.Inner())
	return panel.View(p.list.View())
}

// rename asks for another name.
func (p *viewPicker) rename(v savedView) tea.Cmd {
	old := v.Name
	return screen.Send(screen.InputMsg{
		Title: "Rename the view “" + widget.Clean(old) + "”", Value: old, Validate: func(name string) string { return p.s.nameError(name, old) },
		Then: func(name string) tea.Cmd {
			name = strings.TrimSpace(name)
			kept := p.s.updateSettings(func(st settings) settings {
				st.Views = slices.Clone(st.Views)
				for i := range st.Views {
					if st.Views[i].Name == old {
						st.Views[i].Name = name
					}
				}
				return st
			})
			p.fill(name)
			return kept
		},
	})
}

// remove asks whether to delete the view.
func (p *viewPicker) remove(v savedView) tea.Cmd {
	name := v.Name
	return screen.Ask(screen.Question{
		Title: "Delete the view “" + widget.Clean(name) + "”?", Body: "Its campaigns stay.",
		Buttons: []widget.Button{{Label: "Delete", Key: "y", Danger: true}, {Label: "Cancel", Key: "n"}}, Focus: 1, Danger: true,
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			kept := p.s.updateSettings(func(st settings) settings {
				st.Views = slices.DeleteFunc(slices.Clone(st.Views), func(v savedView) bool { return v.Name == name })
				return st
			})
			p.fill("")
			return kept
		},
	})
}

// saveView asks for a name and saves the current state under it, replacing a view of that name.
func (s *Screen) saveView(saved func(name string)) tea.Cmd {
	return screen.Send(screen.InputMsg{
		Title: "Save view", Placeholder: "name", Validate: func(name string) string { return s.nameError(name, name) },
		Then: func(name string) tea.Cmd {
			v := savedView{Name: strings.TrimSpace(name), Query: s.query().String(), Sort: s.settings.Sort}
			for _, c := range s.grid.columns {
				v.Columns = append(v.Columns, c.id)
			}
			kept := s.updateSettings(func(st settings) settings {
				st.Views = append(slices.DeleteFunc(slices.Clone(st.Views), func(o savedView) bool { return o.Name == v.Name }), v)
				return st
			})
			if saved != nil {
				saved(v.Name)
			}
			text := "Saved “" + v.Name + "”"
			if at := slices.IndexFunc(s.views(), func(o savedView) bool { return o.Name == v.Name }); at < 9 {
				text += fmt.Sprintf(". Press %d to show it", at+1)
			}
			return tea.Batch(kept, screen.Notify(widget.LevelSuccess, text))
		},
	})
}

// nameError returns why a view cannot have a name. A view may replace the one with its own name.
func (s *Screen) nameError(name, replaces string) string {
	name = strings.TrimSpace(name)
	if name == "" {
		return "Enter a name."
	}
	for _, v := range s.views() {
		if v.Name == name && (v.built || name != strings.TrimSpace(replaces)) {
			return "A view with this name exists."
		}
	}
	return ""
}

// viewActions are the digits that apply a view, and the key for all campaigns.
func (s *Screen) viewActions() []screen.Action {
	views := s.views()
	acts := []screen.Action{{
		Keys: []string{"0"}, Label: "all", Help: fmt.Sprintf("show all campaigns; 1 to %d show views", min(len(views), 9)), Group: groupList,
		Run: func() tea.Cmd { return s.searchFor("", cursorHome) },
	}}
	for i, v := range views[:min(len(views), 9)] {
		acts = append(acts, screen.Action{
			Keys: []string{strconv.Itoa(i + 1)}, Label: "view: " + strings.ToLower(v.Name), Run: func() tea.Cmd { return s.open(v) },
		})
	}
	return acts
}
