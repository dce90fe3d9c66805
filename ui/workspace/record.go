package workspace

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/workspace/settings"
	"bugle/forms"
	"bugle/themes"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Record is the form of one record. It is saved explicitly.
type Record struct {
	screen.Base
	theme     *themes.Theme
	draft     *draft
	form      form
	info      info
	saver     saver
	startPath doc.Path // the place to start at
	failed    error
	panes     panes.Panes
}

// The panes of a record.
const (
	paneForm = iota
	paneInfo
)

func newRecord(deps screen.Deps, sec *settings.Section, r screen.Route) *Record {
	s := &Record{Base: screen.NewBase(), theme: deps.Theme, startPath: r.Path[1:], info: newInfo(deps.Theme)}
	s.panes = panes.New(deps.Theme, panes.Pane{Name: "form"}, panes.Pane{Name: "info", From: 100, Share: 40})
	s.draft = newDraft(sec, r.Query, r.Doc, deps.Now)
	s.form = form{draft: s.draft, deps: deps, tasks: &s.Base, afterExternal: s.finishUpdate}
	s.saver = saver{draft: s.draft, service: deps.Service, tasks: &s.Base, goTo: s.goTo, reload: s.Init}
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Record) Title() string { return s.draft.title() }

// Badge reports whether the record is saved.
func (s *Record) Badge() (string, themes.Tone) {
	switch n := len(schema.Errors(s.draft.Problems())); {
	case s.form.editor == nil:
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
	return screen.Go(&s.Base, taskLoad, s.draft.load(s.saver.service), func(l loaded, err error) tea.Cmd {
		if s.failed = err; err != nil {
			return nil
		}
		s.draft.setLoaded(l)
		if s.form.editor == nil {
			s.form.goTo(s.startPath)
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
	if s.form.editor == nil {
		return nil
	}
	switch msg := msg.(type) {
	case screen.ChangedMsg:
		return nil
	case forms.OpenMsg:
		s.form.open(msg.Path)
		return nil
	case forms.OpenEditorMsg:
		return s.form.editText(msg)
	case tea.KeyMsg:
		return s.key(msg)
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	return tea.Batch(s.form.update(msg, true), s.info.update(msg)) // a message that the form requested, such as the clipboard's content
}

// key passes a key to the focused pane. Enter in the last field of the record saves it.
func (s *Record) key(msg tea.KeyMsg) tea.Cmd {
	if !s.form.active {
		return s.info.update(msg)
	}
	cmd, last := s.form.key(msg)
	switch {
	case !last:
		return cmd
	case len(s.form.path) > 0:
		return s.form.up()
	}
	return s.saver.saveAndLeave()
}

// finishUpdate carries out the form's requests and shows the current record.
func (s *Record) finishUpdate(cmds ...tea.Cmd) tea.Cmd {
	if s.form.editor == nil {
		return tea.Batch(cmds...)
	}
	cmds = append(cmds, s.form.fulfill())
	s.form.sync()
	return tea.Batch(append(cmds, s.info.show(&s.form))...)
}

// goTo opens the form of a place.
func (s *Record) goTo(p doc.Path) tea.Cmd {
	s.form.goTo(p)
	return s.finishUpdate()
}

// Undo undoes the last change of the record.
func (s *Record) Undo() (tea.Cmd, bool) { return s.restore("Undone", s.draft.Undo) }

// Redo redoes the last undone change.
func (s *Record) Redo() (tea.Cmd, bool) { return s.restore("Redone", s.draft.Redo) }

// restore moves to another version of the record, and to the place that changed.
func (s *Record) restore(done string, move func() (edit.UndoResult, bool)) (tea.Cmd, bool) {
	m, ok := s.draft.restore(move)
	switch {
	case !ok:
		return nil, false
	case len(m.Conflicts) > 0:
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelWarning, "Not "+strings.ToLower(done)+": "+
			widget.Clean(edit.PlaceName(s.draft.Schema(), m.Conflicts[0]))+" has changed since."), true
	}
	s.form.sync()
	name := s.draft.section.Singular
	if at := doc.CommonPath(m.Changes); len(at) > 0 {
		trail := s.draft.Schema().Trail(at)
		name = trail[len(trail)-1]
		s.form.goToChange(at)
	}
	return s.finishUpdate(screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, done+": "+widget.Clean(name))), true
}

// LeaveQuestion asks before unsaved changes are lost.
func (s *Record) LeaveQuestion() *screen.Question {
	if !s.draft.dirty() {
		return nil
	}
	return &screen.Question{
		Title: "Discard unsaved changes?",
		Body:  "Your changes to " + recordName(s.draft.section, s.draft.name) + " are not saved.",
		Buttons: []widget.Button{
			{Label: "Discard", Key: "d", Danger: true}, {Label: "Save", Key: "s"}, {Label: "Keep editing", Key: "n"},
		},
		Focus: 1,
		Then: func(a widget.Answer) tea.Cmd {
			if a.Index == 1 {
				return s.saver.saveAndLeave()
			}
			return nil
		},
	}
}

// Typing reports whether letters are text.
func (s *Record) Typing() bool { return s.form.typing() }

// Actions returns what the user can do in the focused pane.
func (s *Record) Actions() []screen.Action {
	if s.failed != nil {
		return []screen.Action{{Keys: []string{"r"}, Label: "try again", Group: groupRecord, BarPriority: 9, Run: s.Init}}
	}
	if s.form.editor == nil {
		return nil
	}
	saved := ""
	if s.draft.name != "" && !s.draft.dirty() {
		saved = "No changes to save."
	}
	next := "the record as JSON"
	if s.panes.Beside(paneInfo) {
		next = "the next view beside the form"
	}
	acts := append(s.moveActions(), []screen.Action{
		{Keys: []string{"ctrl+s"}, Label: "save", Help: "save the record", Group: groupRecord, BarPriority: 10, WhileTyping: true, DisabledReason: saved, Run: s.saver.save},
		{Keys: []string{"f3"}, Label: "next view", Help: next, Group: groupMove, BarPriority: 3, WhileTyping: true, Run: s.nextInfo},
		{Keys: []string{"alt+e"}, Label: "as JSON", Help: "edit the record as JSON in your editor", Group: groupRecord, BarPriority: 2, WhileTyping: true, Run: s.form.editAll},
	}...)
	for i, a := range acts {
		if a.Run == nil {
			continue
		}
		if s.Typing() && !a.HelpOnly {
			acts[i].Keys = withoutLetters(a.Keys)
		}
		acts[i].Run = func() tea.Cmd { return s.finishUpdate(a.Run()) }
	}
	return acts
}

// withoutLetters returns the keys that are not text.
func withoutLetters(keys []string) []string {
	var out []string
	for _, k := range keys {
		if len(k) > 1 {
			out = append(out, k)
		}
	}
	return out
}

// moveActions are the actions that move from the focused pane.
func (s *Record) moveActions() []screen.Action {
	if !s.form.active {
		return append(s.info.helpEntries(), screen.Action{Keys: []string{"esc", "tab"}, Label: "form", Help: "back to the form", Group: groupMove, BarPriority: 8, Run: s.focusForm})
	}
	acts := s.form.actions()
	if s.info.sidePanel != nil {
		acts = append(acts, screen.Action{Keys: []string{"alt+p"}, Label: "audience", Help: "see who matches, and why", Group: groupMove, BarPriority: 4, WhileTyping: true, Run: s.focusAudience})
	}
	return acts
}

func (s *Record) nextInfo() tea.Cmd {
	s.form.setActive(!s.info.next(!s.panes.Beside(paneInfo), !s.form.active))
	return nil
}

// focusAudience focuses the matching users.
func (s *Record) focusAudience() tea.Cmd {
	s.info.tab = tabAudience
	s.form.setActive(false)
	return nil
}

func (s *Record) focusForm() tea.Cmd {
	s.form.setActive(true)
	return nil
}
