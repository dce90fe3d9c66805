package campaigns

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/search/query"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// savedView is a named search with its order and columns.
type savedView struct {
	Name    string   `json:"name"`
	Query   string   `json:"query"`
	Sort    order    `json:"sort"`
	Columns []string `json:"columns,omitempty"` // empty means the current ones
}

// builtInViews returns the views that every list has.
func (s *Screen) builtInViews() []savedView {
	built := []savedView{
		{Name: "Drafts", Query: "status:draft"},
		{Name: "Live", Query: "is:live"},
		{Name: "Starting within a week", Query: "start:+7d sort:start"},
		{Name: "Archived", Query: "is:archived"},
	}
	if author := s.deps.Author; author != "" {
		built = slices.Insert(built, 2, savedView{Name: "Mine", Query: query.Query{}.With(query.By, author).String()})
	}
	return built
}

// views returns all views, the built-in ones first.
func (s *Screen) views() []savedView { return append(s.builtInViews(), s.settings.Views...) }

// openView applies a view. Its order and columns last until the end of the program.
func (s *Screen) openView(v savedView) tea.Cmd {
	if len(v.Columns) > 0 {
		s.settings.Columns = v.Columns
	}
	if v.Sort.Key != "" {
		s.settings.Sort = v.Sort
	}
	s.grid.setColumns(chosenColumns(s.settings.Columns))
	return s.searchFor(v.Query, cursorHome)
}

// chooseView asks for the view to show.
func (s *Screen) chooseView() tea.Cmd {
	var options []widget.Option
	var run []func() tea.Cmd
	offer := func(icon, label, help string, do func() tea.Cmd) {
		options, run = append(options, widget.Option{Icon: icon, Label: label, Help: help}), append(run, do)
	}
	for i, v := range s.views() {
		offer(viewKey(i), v.Name, v.Query, func() tea.Cmd { return s.openView(v) })
	}
	offer(" ", "Save this view…", "save this search, sorting and columns under a name", s.saveView)
	if len(s.settings.Views) > 0 {
		offer(" ", "Delete a view…", "its campaigns stay", s.deleteView)
	}
	return screen.Send(screen.ChooseMsg{Title: "Views", Options: options, Then: func(a widget.Answer) tea.Cmd { return run[a.Index]() }})
}

// viewKey returns the digit that applies the i-th view; blank if there are too many.
func viewKey(i int) string {
	if i < 9 {
		return strconv.Itoa(i + 1)
	}
	return " "
}

// saveView asks for a name and saves the current state under it, replacing the user's view of that name.
func (s *Screen) saveView() tea.Cmd {
	return screen.Send(screen.InputMsg{
		Title: "Save view", Placeholder: "name",
		Validate: func(name string) string {
			switch name = strings.TrimSpace(name); {
			case name == "":
				return "Enter a name."
			case slices.ContainsFunc(s.builtInViews(), func(v savedView) bool { return v.Name == name }):
				return "A view with this name is built in."
			}
			return ""
		},
		Then: func(name string) tea.Cmd {
			v := savedView{Name: strings.TrimSpace(name), Query: s.query().String(), Sort: s.settings.Sort}
			for _, c := range s.grid.columns {
				v.Columns = append(v.Columns, c.id)
			}
			kept := s.updateSettings(func(st settings) settings {
				st.Views = append(st.withoutView(v.Name), v)
				return st
			})
			text := "Saved “" + v.Name + "”"
			if key := viewKey(len(s.views()) - 1); key != " " {
				text += ". Press " + key + " to show it"
			}
			return tea.Batch(kept, screen.Notify(widget.LevelSuccess, text))
		},
	})
}

// withoutView returns the saved views without the one of that name.
func (st settings) withoutView(name string) []savedView {
	return slices.DeleteFunc(slices.Clone(st.Views), func(v savedView) bool { return v.Name == name })
}

// deleteView asks which of the saved views to delete.
func (s *Screen) deleteView() tea.Cmd {
	own := s.settings.Views
	options := make([]widget.Option, len(own))
	for i, v := range own {
		options[i] = widget.Option{Label: v.Name, Help: v.Query}
	}
	return screen.Send(screen.ChooseMsg{Title: "Delete a view", Options: options, Then: func(a widget.Answer) tea.Cmd {
		name := own[a.Index].Name
		kept := s.updateSettings(func(st settings) settings { st.Views = st.withoutView(name); return st })
		return tea.Batch(kept, screen.Notify(widget.LevelSuccess, "Deleted the view “"+name+"”"))
	}})
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
			Keys: []string{viewKey(i)}, Label: "view: " + strings.ToLower(v.Name), Run: func() tea.Cmd { return s.openView(v) },
		})
	}
	return acts
}
