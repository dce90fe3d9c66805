package workspace

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/settings"
	"bugle/forms"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Record is the form of one record. It is saved when the person says so.
type Record struct {
	screen.Base
	deps    screen.Deps
	theme   themes.Theme
	section *settings.Section

	was       string    // the name that it is kept under; "" for a new one
	base      doc.Value // as it was read, which a save compares with
	origin    doc.Value // what there is to save is told from
	root      doc.Value // with every edit
	start     doc.Path  // the place to begin at
	workspace engine.Workspace
	loaded    bool
	failed    error

	problems []schema.Problem
	refused  []schema.Problem // what the service said of the record as it is now
	tried    bool             // a save was tried: what is missing is told from then on
	leaving  bool             // the screen is left once it is saved

	table   *schema.Schema
	path    doc.Path
	form    editor.Editor
	history history
	info    info
	wants   wants

	width, height int
}

func newRecord(deps screen.Deps, sec *settings.Section, r screen.Route) *Record {
	s := &Record{Base: screen.NewBase(), deps: deps, theme: deps.Theme, section: sec, was: r.Query, start: r.Path[1:], info: newInfo(deps.Theme)}
	if s.was == "" {
		s.root = r.Doc
		if !s.root.Exists() {
			s.root = sec.New()
		}
		s.origin = s.root
	}
	return s
}

// Title is the screen's part of the breadcrumb.
func (s *Record) Title() string {
	switch {
	case s.was == "":
		return "New " + s.section.One
	case s.section.Single:
		return s.section.Title
	}
	return widget.Clean(s.was)
}

// Badge says whether the work is saved.
func (s *Record) Badge() (string, themes.Tone) {
	switch n := len(schema.Errors(s.problems)); {
	case !s.loaded:
		return "", themes.ToneMuted
	case s.Running(taskSave):
		return "saving…", themes.ToneMuted
	case n == 1:
		return "1 problem", themes.ToneWarning
	case n > 1:
		return fmt.Sprintf("%d problems", n), themes.ToneWarning
	case s.dirty():
		return "not saved", themes.ToneWarning
	case s.was == "":
		return "new", themes.ToneMuted
	}
	return "saved", themes.ToneSuccess
}

// loadedRecord is what the form begins with.
type loadedRecord struct {
	value     doc.Value
	workspace engine.Workspace
}

// Init reads the record.
func (s *Record) Init() tea.Cmd {
	sec, svc, name := s.section, s.deps.Service, s.was
	return s.Run(taskLoad, func(ctx context.Context) (out any, err error) {
		var l loadedRecord
		if k, ok := svc.(engine.WorkspaceKeeper); ok {
			if l.workspace, err = k.Workspace(ctx); err != nil {
				return nil, err
			}
		}
		if name != "" {
			l.value, err = sec.Get(ctx, svc, name)
		}
		return l, err
	})
}

func (s *Record) took(r screen.Result) {
	s.failed = r.Err
	if r.Err != nil {
		return
	}
	l := r.Value.(loadedRecord)
	s.workspace, s.loaded = l.workspace, true
	if l.value.Exists() {
		s.base, s.origin, s.root = l.value, l.value, l.value
		s.history = history{}
	}
	s.refused = nil
	s.check()
	s.goTo(s.start)
}

// plain is the record without what its editors need and nobody meant: a group without filters.
func (s *Record) plain() doc.Value {
	root := s.root
	for _, n := range s.section.Schema.Root().Children {
		if n.Editor == schema.EditorFilters && root.Get(n.Name).Exists() && audience.Bare(root.Get(n.Name)) {
			root = root.Delete(doc.P(n.Name))
		}
	}
	return root
}

func (s *Record) dirty() bool { return s.loaded && !doc.Equal(s.plain(), s.origin) }

// check finds the problems of the record as it stands. What is missing in a new one is not told before
// the person tried to save it.
func (s *Record) check() {
	s.table = s.section.Table(s.root)
	s.problems = s.problems[:0:0]
	for _, p := range append(s.section.Check(s.workspace, s.plain()), s.refused...) {
		if s.tried || s.was != "" || !isMissing(p) {
			s.problems = append(s.problems, p)
		}
	}
	if s.form != nil {
		s.form.SetProblems(s.problems)
	}
}

// isMissing reports whether a problem says that something is not there yet.
func isMissing(p schema.Problem) bool {
	_, rule, _ := strings.Cut(p.Rule, "#")
	return strings.HasPrefix(rule, "required") || rule == "one_place"
}

// Update takes results and messages of the form, and hands it keys and the mouse.
func (s *Record) Update(msg tea.Msg) tea.Cmd {
	cmd := s.update(msg)
	return tea.Batch(cmd, s.grant())
}

func (s *Record) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		if s.Accept(msg) {
			return s.result(msg)
		}
		return nil
	case screen.ChangedMsg:
		return nil
	case forms.OpenMsg:
		s.open(msg.Path)
		return nil
	case forms.EditMsg:
		return s.editText(msg)
	case tea.KeyMsg:
		return s.key(msg)
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	if s.form != nil {
		return s.takeEdits(s.form.Update(msg), true) // what it asked for, such as the clipboard
	}
	return nil
}

func (s *Record) result(r screen.Result) tea.Cmd {
	switch r.Kind {
	case taskLoad:
		s.took(r)
		return nil
	case taskSave:
		return s.saved(r)
	}
	return s.info.update(r)
}

// key hands a key to the form. Enter in the last field of the record saves it.
func (s *Record) key(msg tea.KeyMsg) tea.Cmd {
	if s.form == nil {
		return nil
	}
	if s.info.focused {
		return s.info.update(msg)
	}
	before, _ := s.form.Focused()
	root, modal := s.root, s.form.Modal()
	cmd := s.takeEdits(s.form.Update(msg), msg.Paste)
	if msg.String() != "enter" || modal || s.form.Modal() || cmd != nil || !root.Same(s.root) || s.wants.some() {
		return cmd
	}
	if _, plain := s.form.(*forms.Form); !plain {
		return cmd
	}
	after, ok := s.form.Focused()
	if !ok || !after.Path.Equal(before.Path) {
		return cmd
	}
	if len(s.path) > 0 {
		return s.up()
	}
	return s.saveAndLeave()
}

// fromForm takes over what the form's last message changed.
func (s *Record) fromForm(cmd tea.Cmd) tea.Cmd { return s.takeEdits(cmd, false) }

// takeEdits takes over what the form's last message changed. What came alone, not key by key, is undone by itself.
func (s *Record) takeEdits(cmd tea.Cmd, alone bool) tea.Cmd {
	root, changed := s.form.Edits()
	if !changed || root.Same(s.root) {
		s.showInfo()
		return cmd
	}
	field := s.path
	if f, ok := s.form.Focused(); ok {
		field = f.Path
	}
	if e, ok := s.form.(editor.Stepper); alone || ok && e.Stepped() {
		field = nil // a step of its own
	}
	s.history.record(s.root, field)
	s.change(root)
	return cmd
}

// change makes root the record. Where its table is another one from now on, the form is made anew.
func (s *Record) change(root doc.Value) {
	table := s.table
	s.root, s.refused = root, nil
	s.check()
	switch {
	case s.table != table:
		s.openAgain()
	case s.inFilters() && !s.root.Lookup(s.path).Exists():
		s.reload()
	}
	s.showInfo()
}

// reload shows the record as it is in the form that is open.
func (s *Record) reload() {
	if s.form == nil {
		return
	}
	s.root = s.seeded(s.path)
	s.form.Reload(s.root)
	s.form.SetProblems(s.problems)
	s.showInfo()
}

// Undo undoes the last change of the record.
func (s *Record) Undo() (tea.Cmd, bool) { return s.restore("Undone", s.history.undo) }

// Redo redoes the change that was undone last.
func (s *Record) Redo() (tea.Cmd, bool) { return s.restore("Redone", s.history.redo) }

// restore goes to another version of the record, and to the place where it differs.
func (s *Record) restore(done string, move func(doc.Value) (doc.Value, bool)) (tea.Cmd, bool) {
	before := s.root
	root, ok := move(before)
	if !ok {
		return nil, false
	}
	s.root, s.refused = root, nil
	table := s.table
	s.check()
	if s.table != table {
		s.open(s.path)
	}
	s.reload()
	name := s.section.One
	if at := doc.ChangedAt(doc.Diff(before, root)); len(at) > 0 {
		trail := s.table.Trail(at)
		name = trail[len(trail)-1]
		if !at.HasPrefix(s.path) || len(at) == len(s.path) {
			s.goTo(at.Parent())
		}
		for q := at; len(q) > len(s.path) && !s.form.FocusPath(q); q = q.Parent() {
		}
		s.showInfo()
	}
	return screen.NotifyAbout(screen.AboutEdit, widget.LevelSuccess, done+": "+widget.Clean(name)), true
}

// Leaving asks before changes that are not saved are left.
func (s *Record) Leaving() *screen.Question {
	if !s.dirty() {
		return nil
	}
	return &screen.Question{
		Title: "Discard unsaved changes?",
		Body:  "Your changes to " + named(s.section, s.was) + " are not saved.",
		Buttons: []widget.Button{
			{Label: "Discard", Key: "d", Danger: true}, {Label: "Save", Key: "s"}, {Label: "Keep editing", Key: "n"},
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
