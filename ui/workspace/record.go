package workspace

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/workspace/settings"
	"bugle/forms"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/editpane"
	"bugle/ui/filters"
	"bugle/ui/list"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Record is the form of one record. It is saved explicitly.
type Record struct {
	screen.Base
	deps      screen.Deps
	draft     *draft
	form      editpane.Pane
	side      editpane.Side // who matches, if the form edits filters
	panes     panes.Panes
	startPath doc.Path // the place to start at
	failed    error

	leaveAfterSave bool // close the screen after saving
	saveAgain      bool // save what was typed during the running save
}

// The panes of a record.
const (
	paneForm = iota
	panePanel
)

func newRecord(deps screen.Deps, sec *settings.Section, r screen.Route) *Record {
	s := &Record{Base: screen.NewBase(), deps: deps, draft: newDraft(deps, sec, r.Query, r.Doc), startPath: r.Path[1:]}
	s.panes = panes.New(deps.Theme, panes.Pane{Name: "form"}, panes.Pane{Name: "audience", From: 100, Share: 40, Hidden: true})
	tools := editpane.Tools{schema.EditorFilters: {Edit: filters.New, Panel: filters.NewAudiencePanel}}
	s.form = editpane.New(s.draft, tools, &s.Base, 0)
	if sec.SearchOnly && r.Query != "" && len(s.startPath) == 0 { // of a user, one reads the attributes
		s.startPath = firstMap(sec.Schema())
	}
	return s
}

// firstMap returns the first field whose entries have names of their own; nil if there is none.
func firstMap(s *schema.Schema) doc.Path {
	for _, n := range s.Root().Children {
		if n.Kind == schema.Map {
			return doc.P(n.Name)
		}
	}
	return nil
}

// Title returns the screen's part of the breadcrumb.
func (s *Record) Title() string { return s.draft.title() }

// Badge reports whether the record is saved.
func (s *Record) Badge() (string, themes.Tone) {
	switch n := len(schema.Errors(s.draft.Problems())); {
	case !s.form.IsOpen():
		return "", themes.ToneMuted
	case s.Running(taskSave):
		return "saving…", themes.ToneMuted
	case n > 0:
		return phrase.Count(n, "problem"), themes.ToneWarning
	case s.draft.dirty():
		return "not saved", themes.ToneWarning
	case s.draft.name == "":
		return "new", themes.ToneMuted
	}
	return "saved", themes.ToneSuccess
}

// Init reads the record.
func (s *Record) Init() tea.Cmd {
	return screen.Go(&s.Base, taskLoad, s.draft.load(s.deps.Service), func(l loaded, err error) tea.Cmd {
		if s.failed = err; err != nil {
			return nil
		}
		s.draft.setLoaded(l)
		if !s.form.IsOpen() {
			s.goTo(s.startPath)
		}
		return nil
	})
}

// Update handles results and messages of the form, and passes keys and mouse events to it.
func (s *Record) Update(msg tea.Msg) tea.Cmd { return s.finishUpdate(s.update(msg)) }

func (s *Record) update(msg tea.Msg) tea.Cmd {
	if r, ok := msg.(screen.Result); ok {
		return r.Done()
	}
	if !s.form.IsOpen() {
		return nil
	}
	switch msg := msg.(type) {
	case screen.ChangedMsg:
		return nil
	case tea.KeyMsg:
		return s.key(msg)
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	cmd := s.form.Update(msg) // a message that the form requested, such as the clipboard's content
	if s.side.Panel != nil {
		cmd = tea.Batch(cmd, s.side.Panel.Update(msg))
	}
	return cmd
}

// key passes a key to the focused pane. Enter in the last field of the record saves it.
func (s *Record) key(msg tea.KeyMsg) tea.Cmd {
	if s.panes.Focused() == panePanel {
		return s.side.Panel.Update(msg)
	}
	before, root, modal := s.form.Place(), s.draft.Root(), s.form.Modal()
	cmd := s.form.Update(msg)
	s.adopt()
	_, plain := s.form.Editor.(*forms.Form)
	switch {
	case msg.String() != "enter" || !plain || modal || s.form.Modal() || cmd != nil || s.form.Asked() || !root.Same(s.draft.Root()) || !s.form.Place().Equal(before):
		return cmd
	case len(s.form.Path()) > 0:
		return s.up()
	}
	return s.saveAndLeave()
}

func (s *Record) mouse(msg tea.MouseMsg) tea.Cmd {
	pane, msg := s.panes.Mouse(msg)
	if widget.Pressed(msg) && pane >= 0 {
		s.panes.Focus(pane)
	}
	if pane == panePanel {
		return s.side.Panel.Update(msg)
	}
	return s.form.Update(msg)
}

// adopt adopts what was edited.
func (s *Record) adopt() {
	if root, field, changed := s.form.Edits(); changed {
		s.draft.change(root, s.form.Path(), field)
	}
}

// finishUpdate adopts what was edited, carries out the form's requests, and shows the current record.
func (s *Record) finishUpdate(cmds ...tea.Cmd) tea.Cmd {
	if !s.form.IsOpen() {
		return tea.Batch(cmds...)
	}
	s.adopt()
	w := s.form.TakeRequests()
	if w.Open != nil {
		s.panes.Focus(paneForm)
		s.form.Visit(w.Open)
	}
	if w.Notice != "" {
		cmds = append(cmds, screen.Notify(widget.LevelInfo, w.Notice))
	}
	s.form.Show()
	s.showPanel()
	return tea.Batch(append(cmds, s.side.TakeStarted())...)
}

// goTo opens the form of a place, or of the one around it, and focuses it.
func (s *Record) goTo(p doc.Path) {
	s.form.GoTo(p)
	s.panes.Focus(paneForm)
}

// up leaves the form for the one around it.
func (s *Record) up() tea.Cmd {
	s.form.Up()
	return nil
}

// showPanel shows who matches beside filters.
func (s *Record) showPanel() {
	if t, at, ok := s.form.ToolAt(s.form.Path()); ok {
		s.side.Show(&s.form, t, at, s.form.Path(), at.String())
	} else {
		s.side.Clear()
		s.panes.Focus(paneForm)
	}
	s.panes.Hide(panePanel, s.side.Panel == nil)
	s.layout()
}

// SetSize divides the screen.
func (s *Record) SetSize(width, height int) {
	s.panes.SetSize(width, height)
	s.layout()
}

func (s *Record) layout() {
	s.form.SetSize(s.panes.Size(paneForm))
	s.side.SetSize(s.panes.Size(panePanel))
}

// View draws the form and the pane beside it.
func (s *Record) View() string {
	switch {
	case s.failed != nil && !s.form.IsOpen():
		return s.panes.Message(s.Title(), phrase.Sentence(s.failed.Error())+"\nPress r to reload.")
	case !s.form.IsOpen():
		return s.panes.Message(s.Title(), "Reading…")
	}
	return s.panes.View(func(pane int) panes.Content {
		if pane == panePanel {
			return panes.Content{Title: s.side.Panel.Title(), Body: s.side.Panel.View()}
		}
		return panes.Content{Title: s.form.Breadcrumb(s.draft.title(), s.panes.Rect(paneForm).W-6), Body: s.form.View(s.panes.Focused() == paneForm)}
	})
}

// FocusedField returns the field of the form that has the keyboard; false if there is none.
func (s *Record) FocusedField() (screen.Field, bool) {
	if !s.form.IsOpen() || s.panes.Focused() != paneForm {
		return screen.Field{}, false
	}
	return s.form.Field()
}

// Undo undoes the last change of the record.
func (s *Record) Undo() (tea.Cmd, bool) { return s.restore("Undone", s.draft.Undo) }

// Redo redoes the last undone change.
func (s *Record) Redo() (tea.Cmd, bool) { return s.restore("Redone", s.draft.Redo) }

// restore moves to another version of the record, and to the place that changed.
func (s *Record) restore(done string, move func() (edit.UndoResult, bool)) (tea.Cmd, bool) {
	m, ok := s.draft.restore(move)
	if !ok {
		return nil, false
	}
	s.panes.Focus(paneForm)
	return s.finishUpdate(s.form.Restored(done, m)), true
}

// LeaveQuestion asks before unsaved changes are lost.
func (s *Record) LeaveQuestion() *screen.Question {
	if !s.draft.dirty() {
		return nil
	}
	return &screen.Question{
		Title: "Discard unsaved changes?",
		Body:  "Your changes to " + recordName(s.draft.section, s.draft.name) + " are not saved.",
		Buttons: []widget.Option{
			{Label: "Discard", Key: "d"}, {Label: "Save", Key: "s"}, {Label: "Keep editing", Key: "n"},
		},
		Focus: 1,
		Then: func(a widget.Answer) tea.Cmd {
			if a.Index == 1 {
				return s.saveAndLeave()
			}
			return nil
		},
	}
}

// Typing reports whether letters are text.
func (s *Record) Typing() bool {
	return s.form.IsOpen() && s.panes.Focused() == paneForm && s.form.Editor.Typing()
}

// Actions returns what the user can do in the focused pane.
func (s *Record) Actions() []screen.Action {
	if s.failed != nil {
		return []screen.Action{{Keys: []string{"r"}, Label: "reload", Group: groupRecord, BarPriority: 9, Run: s.Init}}
	}
	if !s.form.IsOpen() {
		return nil
	}
	saved := ""
	if s.draft.name != "" && !s.draft.dirty() {
		saved = "No changes to save."
	}
	acts := append(s.moveActions(), []screen.Action{
		{Keys: []string{"ctrl+s"}, Label: "save", Help: "save the record", Group: groupRecord, BarPriority: 10, WhileTyping: true, DisabledReason: saved, Run: s.save},
		{Label: "as JSON", Help: "edit the record as JSON in your editor", Group: groupRecord, WhileTyping: true, Run: func() tea.Cmd { return s.form.EditJSON(nil) }},
	}...)
	for i, a := range acts {
		if a.Run == nil {
			continue
		}
		acts[i].Run = func() tea.Cmd { return s.finishUpdate(a.Run()) }
	}
	return acts
}

// moveActions are the actions that move from the focused pane.
func (s *Record) moveActions() []screen.Action {
	if s.panes.Focused() == panePanel {
		back := screen.Action{Keys: []string{"esc", "tab"}, Label: "form", Help: "back to the form", Group: groupMove, BarPriority: 8, Run: s.focus(paneForm)}
		return append(editpane.BindingHelp(s.side.Panel.Bindings(), "Form", 6), back)
	}
	acts := s.form.Help("Form", groupMove)
	if !s.form.Modal() && len(s.form.Path()) > 0 {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "back", Help: "back to the outer form", Group: groupMove, BarPriority: 8, WhileTyping: true, Run: s.up})
	}
	if s.side.Panel != nil {
		acts = append(acts, screen.Action{Name: "preview-pane", Keys: []string{"alt+p"}, Label: "audience", Help: "see who matches, and why", Group: groupMove, BarPriority: 4, WhileTyping: true, Run: s.focus(panePanel)})
	}
	return acts
}

func (s *Record) focus(pane int) func() tea.Cmd {
	return func() tea.Cmd {
		s.panes.Focus(pane)
		return nil
	}
}

// Read says the open form of the record, or what is beside it.
func (s *Record) Read() screen.Page {
	switch {
	case s.failed != nil:
		return screen.Page{Summary: phrase.Sentence(s.failed.Error())}
	case !s.form.IsOpen():
		return screen.Page{}
	case s.panes.Focused() == panePanel:
		return screen.Page{Place: s.breadcrumb() + ", " + s.side.Panel.Title(), Parts: []screen.Part{{Lines: s.readPanel()}}}
	}
	page := editor.Read(s.form.Editor, s.Update)
	page.At = s.form.Path().String() + page.Place
	if page.Place == "" {
		page.Place = s.breadcrumb()
	}
	if page.Form && len(s.form.Path()) == 0 {
		page.Done = func() tea.Cmd { return s.finishUpdate(s.saveAndLeave()) }
	}
	if lines := s.readPanel(); len(lines) > 0 && !page.Form {
		page.Parts = append(page.Parts, screen.Part{Name: s.side.Panel.Title(), Lines: lines})
	}
	return page
}

func (s *Record) breadcrumb() string {
	return list.Spoken(s.form.Breadcrumb(s.draft.title(), screen.Wide))
}

// readPanel says what is beside the form.
func (s *Record) readPanel() []string {
	if p, ok := s.side.Panel.(editor.SpokenPanel); ok {
		return p.Read()
	}
	return nil
}
