package builder

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/schema"
	"bugle/ui/content"
	"bugle/ui/screen"
	"bugle/ui/status"
)

// The headings of the screen's keys in the help.
const (
	groupMove     = "Move"
	groupForm     = "Form"
	groupAside    = "Beside the form"
	groupEdit     = "Edit"
	groupCampaign = "Campaign"
)

// Typing says that the form has the keyboard. Letters are the form's then, also on a field that
// is no text: nobody who fills in a form wants a letter to leave it.
func (s *Screen) Typing() bool { return s.focus == paneForm && s.form != nil }

// Writing reports whether a text field of the form has the keyboard.
func (s *Screen) Writing() bool { return s.Typing() && s.form.Typing() }

// Actions are what can be done, by where the keyboard is.
func (s *Screen) Actions() []screen.Action {
	if s.failed != nil {
		return []screen.Action{{Keys: []string{"r"}, Label: "try again", Group: groupCampaign, Bar: 9, Run: s.load}}
	}
	if !s.loaded {
		return nil
	}
	acts := s.moves()
	acts = append(acts, s.edits()...)
	acts = append(acts, s.onCampaign()...)
	for i, a := range acts {
		if a.Run != nil {
			acts[i].Run = func() tea.Cmd { return tea.Batch(a.Run(), s.grant()) }
		}
	}
	return acts
}

func (s *Screen) moves() []screen.Action {
	switch s.focus {
	case paneForm:
		acts := s.formKeys()
		out := screen.Action{Keys: []string{"esc"}, Label: "back", Help: "go back one level", Group: groupMove, Bar: 8, Typing: true, Run: s.up}
		if s.form.Modal() {
			out.Label, out.Help = "close", "cancel and keep the field as it was"
			out.Run = func() tea.Cmd { return s.fromForm(s.form.Update(tea.KeyMsg{Type: tea.KeyEsc})) }
		}
		acts = append(acts, out)
		acts = append(acts, s.toAsideKey("alt+p", 3)...)
		acts = append(acts, s.gridKey()...)
		acts = append(acts, s.stripKeys()...)
		return append(acts, []screen.Action{
			s.todoKey(6),
			{Keys: []string{"ctrl+g"}, Label: "problems", Help: "go to the list of problems", Group: groupMove, Bar: 4, Typing: true, Run: s.toProblems},
			{Keys: []string{"f3"}, Label: "next tab", Help: "show the next tab beside the form", Group: groupMove, Bar: 2, Typing: true, Run: func() tea.Cmd { return s.nextTab(1) }},
			s.zoomKey("alt+z"),
		}...)
	case paneInfo:
		acts := []screen.Action{{Keys: []string{"enter"}, Label: "go to field", Group: groupMove, Bar: 9, Run: s.toProblem}}
		switch s.info.tab {
		case tabAside:
			acts = infoActions(s.info.aside.Bindings(), groupAside, 9)
		case tabField, tabJSON:
			acts = nil
		}
		return append(acts, []screen.Action{
			s.leaveInfo(),
			{Keys: []string{"]", "f3"}, Label: "next tab", Group: groupMove, Bar: 2, Run: func() tea.Cmd { return s.nextTab(1) }},
			{Keys: []string{"["}, Label: "previous tab", Group: groupMove, Run: func() tea.Cmd { return s.nextTab(-1) }},
			s.zoomKey("z"),
		}...)
	}
	return append([]screen.Action{
		{Keys: []string{"enter", "right", "l", "tab"}, Label: "edit", Help: "edit the section", Group: groupMove, Bar: 9, Run: s.enter},
		s.todoKey(4),
		{Keys: []string{"ctrl+g", "!"}, Label: "problems", Help: "go to the list of problems", Group: groupMove, Bar: 4, Run: s.toProblems},
		{Keys: []string{"]", "f3"}, Label: "next tab", Help: "show the next tab beside the form", Group: groupMove, Run: func() tea.Cmd { return s.nextTab(1) }},
		{Keys: []string{"["}, Label: "previous tab", Group: groupMove, Run: func() tea.Cmd { return s.nextTab(-1) }},
		s.zoomKey("z"),
	}, append(s.toAsideKey("p", 5), s.gridKey()...)...)
}

// zoomKey returns the action that zooms the focused pane to the whole screen, or back.
func (s *Screen) zoomKey(key string) screen.Action {
	return screen.ZoomAction(s.zoom, key, groupMove, s.toggleZoom)
}

// toAsideKey is the action that gives the view beside the editor the keyboard, where there is one.
func (s *Screen) toAsideKey(key string, bar int) []screen.Action {
	if s.info.aside == nil {
		return nil
	}
	title := strings.ToLower(s.info.aside.Title())
	return []screen.Action{{
		Keys: []string{key}, Label: title, Help: "go to the " + title + " beside the form", Group: groupMove, Bar: bar, Typing: true,
		Run: s.toAside,
	}}
}

func (s *Screen) toAside() tea.Cmd {
	s.info.top, s.info.tab, s.info.chosen = s.info.upper(), tabAside, true
	s.toInfo()
	s.refreshInfo()
	return nil
}

// messages returns the section that holds the campaign's messages; false where it has none.
func (s *Screen) messages() (doc.Path, bool) {
	for _, p := range s.parts {
		at := doc.P(p.name)
		if n := s.edit.Schema().At(at); n != nil && n.Editor == schema.EditorContent && p.state != partForeign {
			return at, true
		}
	}
	return nil, false
}

// toPreview shows the messages of the part at p, with the keyboard in their preview.
func (s *Screen) toPreview(p doc.Path) tea.Cmd {
	s.choose(p[0].Name)
	s.show(p)
	if s.info.aside == nil {
		return nil
	}
	return s.toAside()
}

// infoActions tells the help which keys are taken without being dispatched here; the first ones
// are shown in the status bar.
func infoActions(bindings []key.Binding, group string, bar int) []screen.Action {
	var acts []screen.Action
	for i, b := range bindings {
		h := b.Help()
		a := screen.Action{Keys: []string{h.Key}, Label: h.Desc, Group: group, Typing: true, Info: true}
		if i < 3 {
			a.Bar = bar - i
		}
		acts = append(acts, a)
	}
	return acts
}

// formKeys tells the help which keys the form takes at the focused field.
func (s *Screen) formKeys() []screen.Action {
	rank := []int{10, 9, 7, 6, 5} // the way out, 8, comes third
	bar := map[string]int{}
	for i, b := range s.form.Hints() {
		if i < len(rank) {
			bar[b.Help().Key] = rank[i]
		}
	}
	var acts []screen.Action
	for _, b := range s.form.Bindings() {
		h := b.Help()
		if h.Key == "esc" {
			continue // the screen's own entry says what it does
		}
		acts = append(acts, screen.Action{Keys: []string{h.Key}, Label: h.Desc, Group: groupForm, Bar: bar[h.Key], Typing: true, Info: true})
	}
	return acts
}

func (s *Screen) edits() []screen.Action {
	locked := ""
	if len(s.path) > 0 {
		locked = s.edit.LockedAt(s.path[:1])
	}
	var acts []screen.Action
	if s.focus != paneForm {
		bar := 3
		if s.focus == paneInfo && s.info.tab == tabJSON {
			bar = 9
		}
		acts = append(acts,
			screen.Action{Keys: []string{"e"}, Label: "editor", Help: "edit the section as JSON in your editor", Group: groupEdit, Bar: bar, Why: locked, Run: s.editPart},
			screen.Action{Keys: []string{"E"}, Label: "edit all", Help: "edit the whole campaign as JSON in your editor", Group: groupEdit, Bar: bar / 9 * 7, Why: s.edit.LockedAt(nil), Run: s.editAll},
		)
	}
	acts = append(acts, s.filling())
	acts = append(acts, s.copyFrom()...)
	apply := screen.Action{Keys: []string{"ctrl+s"}, Label: "save", Help: "save now (changes are also saved automatically)", Group: groupEdit, Typing: true, Run: func() tea.Cmd { return s.apply(edit.Ask) }}
	if !s.edit.InPlace() {
		apply.Label, apply.Help, apply.Bar = "apply", "apply your changes to the campaign", 7
		if when := catalog.Propagation(s.edit.Head().DeliveryType, s.edit.Head().Status); when != "" {
			apply.Help += " · " + strings.TrimSuffix(when, ".")
		}
		if !s.edit.Pending() {
			apply.Why = "There are no changes to apply."
		}
	}
	return append(acts, apply)
}

// filling is the action that makes the messages which locales and variations still lack.
func (s *Screen) filling() screen.Action {
	content := doc.P(string(catalog.CampaignContent))
	filled, some := catalog.FillCells(s.edit.Root().Lookup(content))
	act := screen.Action{
		Keys: []string{"alt+l", "L"}, Label: "fill locales", Group: groupEdit, Typing: true,
		Help: "copy the message to every locale and variation that has none",
		Why:  s.edit.LockedAt(content),
		Run: func() tea.Cmd {
			cmd := s.put(content, filled)
			s.goTo(content)
			return cmd
		},
	}
	if s.focus == paneForm {
		act.Keys = act.Keys[:1]
	}
	switch {
	case act.Why != "":
	case some && s.focus == paneForm && s.form.Modal():
	case some:
		act.Bar = 7
	default:
		act.Why = "Every locale and variation already has a message, or there is none to copy."
	}
	return act
}

func (s *Screen) onCampaign() []screen.Action {
	testWhy := ""
	switch {
	case s.edit.Head().Status != catalog.Draft:
		testWhy = "You can only test drafts. Clone this campaign to test its content."
	case !s.edit.Head().Channel.Writable():
		testWhy = "You can only test push and email campaigns."
	case s.edit.Pending():
		testWhy = "Apply your changes first (ctrl+s). A test sends what the service has."
	}
	go_ := func(route string) func() tea.Cmd {
		return func() tea.Cmd { return s.after(screen.Open(screen.Route{Name: route, ID: s.edit.ID()})) }
	}
	browserBar := 0
	if s.inContent() {
		browserBar = 4
	}
	acts := []screen.Action{
		{Keys: []string{"v"}, Label: "validate", Help: "check that the campaign can be published", Group: groupCampaign, Bar: 6, Run: go_(screen.Validate)},
		{Keys: []string{"t"}, Label: "test", Help: "send a test message to a few people", Group: groupCampaign, Bar: 5, Why: testWhy, Run: go_(screen.TestSend)},
		{Keys: []string{"s"}, Label: "status", Help: "publish, stop, pause, resume, archive", Group: groupCampaign, Bar: 3, Run: s.chooseStatus},
		{Keys: []string{"H"}, Label: "history", Help: "compare and restore earlier versions", Group: groupCampaign, Bar: 2, Run: go_(screen.History)},
		{Keys: []string{"O"}, Label: "outbox", Help: "read test messages", Group: groupCampaign, Run: go_(screen.Outbox)},
		{Keys: []string{"o"}, Label: "browser", Help: "open the message in your browser", Group: groupCampaign, Bar: browserBar, Run: s.openInBrowser},
		{Keys: []string{"y"}, Label: "copy", Help: "copy the campaign as JSON", Group: groupCampaign, Run: func() tea.Cmd {
			return screen.Copy(string(s.edit.Current().Record().Indent()), "the campaign as JSON")
		}},
	}
	if s.focus == paneForm {
		// The same actions by alt from within a text field.
		for i, k := range []string{"alt+v", "alt+t", "alt+s", "alt+h", "alt+o", "alt+w", "alt+y"} {
			acts[i].Keys, acts[i].Typing = []string{k}, true
			acts[i].Bar = 0
			if _, ok := s.form.(*content.Grid); ok && k == "alt+w" && !s.form.Modal() {
				acts[i].Keys = []string{"o", k}
			}
		}
	}
	return acts
}

// after runs cmd once what was typed is stored, so that other screens see it.
func (s *Screen) after(cmd tea.Cmd) tea.Cmd {
	flush := s.flush()
	if flush == nil {
		return cmd
	}
	return tea.Sequence(flush, cmd)
}

func (s *Screen) chooseStatus() tea.Cmd {
	return s.after(status.Choose(s.deps, engine.Summarize(s.edit.Current())))
}

// Resume reads the campaign again: its state may have changed.
func (s *Screen) Resume() tea.Cmd { return s.reread() }

// leaveInfo goes back to where the person came from.
func (s *Screen) leaveInfo() screen.Action {
	a := screen.Action{Name: "back", Keys: []string{"esc", "tab"}, Label: "sections", Help: "back to the sections, or to the form", Group: groupMove, Bar: 8, Run: s.toParts}
	switch {
	case s.from == paneForm && s.form != nil:
		a.Label, a.Run = "form", s.enter
	case s.from == paneBefore: // esc is the program's then: it goes back to that screen
		a.Keys, a.Help = []string{"tab"}, "go to the sections"
	}
	return a
}

// toInfo focuses the pane beside the form.
func (s *Screen) toInfo() {
	if s.focus != paneInfo {
		s.from, s.focus = s.focus, paneInfo
	}
}

func (s *Screen) toParts() tea.Cmd {
	s.focus, s.info.chosen = paneParts, false
	s.refreshInfo()
	return nil
}

func (s *Screen) toProblems() tea.Cmd {
	s.toInfo()
	s.info.tab, s.info.chosen = tabProblems, false
	s.showProblems()
	return nil
}

// toProblem goes to the field of the problem under the cursor.
func (s *Screen) toProblem() tea.Cmd {
	i := s.info.list.Cursor
	if s.info.tab != tabProblems || i < 0 || i >= len(s.info.goals) {
		return nil
	}
	return s.GoTo(screen.Route{ID: s.edit.ID(), Path: s.info.goals[i]})
}

// GoTo shows the form of a place, with the field there focused. It is how other screens lead
// here; a campaign that is not read yet goes there when it is.
func (s *Screen) GoTo(r screen.Route) tea.Cmd {
	if !s.loaded {
		s.start, s.body = r.Path, r.Doc
		return nil
	}
	s.body = r.Doc
	if len(r.Path) == 0 {
		return s.takeBody()
	}
	s.choose(r.Path[0].Name)
	s.focus = paneForm
	s.goTo(r.Path)
	return nil
}

// Route tells which campaign the screen is about.
func (s *Screen) Route() screen.Route { return screen.Route{Name: screen.Builder, ID: s.edit.ID()} }
