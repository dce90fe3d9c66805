package builder

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/ui/calendar"
	"bugle/ui/content"
	"bugle/ui/editor"
	"bugle/ui/filters"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// tool is what the builder has for the places that the tables give an editor.
type tool struct {
	edit func(*Screen, editor.Config) editor.Editor // nil, or one that gives nil: the plain form
	// shows says that the editor shows what is at a place below its own, so that it is not opened
	// as a form of its own; nil: all of it.
	shows func(s *Screen, p doc.Path) bool
	aside func(editor.Config) editor.Aside // nil: nothing beside it
	strip func(editor.Config) editor.Strip
}

// tools are the editors, by the name that the tables give them.
var tools = map[schema.Editor]tool{
	schema.EditorContent:  {edit: (*Screen).newGrid, shows: (*Screen).gridShows, aside: newPreviewAside, strip: content.NewStrip},
	schema.EditorSchedule: {aside: calendar.NewAside},
	schema.EditorLinks:    {aside: newLinksAside},
	schema.EditorFilters:  {edit: func(_ *Screen, cfg editor.Config) editor.Editor { return filters.New(cfg) }, aside: filters.NewAside},
}

// toolAt gives the tool of the innermost place around p that has one.
func (s *Screen) toolAt(p doc.Path) (tool, doc.Path, bool) {
	for n := len(p); n > 0; n-- {
		if node := s.edit.Schema().At(p[:n]); node != nil && node.Editor != "" {
			t, ok := tools[node.Editor]
			return t, p[:n], ok
		}
	}
	return tool{}, nil, false
}

// inEditor reports whether an editor around p, not p's own, shows what is at p.
func (s *Screen) inEditor(p doc.Path) bool {
	t, at, ok := s.toolAt(p)
	return ok && t.edit != nil && len(at) < len(p) && (t.shows == nil || t.shows(s, p))
}

// newEditor makes the editor of the object, map or list at p.
func (s *Screen) newEditor(p doc.Path) editor.Editor {
	cfg := s.config(p)
	if t, at, ok := s.toolAt(p); ok && t.edit != nil && len(at) == len(p) {
		if ed := t.edit(s, cfg); ed != nil {
			return ed
		}
	}
	return forms.New(cfg.Config)
}

func (s *Screen) config(p doc.Path) editor.Config {
	return editor.Config{
		Config: forms.Config{
			Schema: s.edit.Schema(), Root: s.edit.Root(), Path: p, Env: s.edit.Env(), Theme: s.theme, Suggest: s.suggest, Locked: s.edit.LockedAt, Now: s.deps.Now,
			Width: s.layout.form.w, Height: s.layout.form.h - s.stripLines(),
		},
		Head: s.edit.Head(), Workspace: s.edit.Workspace(), Service: s.deps.Service, Now: s.deps.Now, Location: s.deps.Location,
		Host: editor.Host{
			Open:    func(p doc.Path) { s.wants.open = p },
			Outside: func(text, suffix string, then func(string)) { s.wants.outside = s.outside(text, suffix, then) },
			Notify:  func(text string) { s.wants.notice = text },
			Run:     func(kind string, fn func(context.Context) (any, error)) tea.Cmd { return s.Run(taskEditor+kind, fn) },
		},
	}
}

// taskEditor begins the names of the tasks that editors start.
const taskEditor = "editor."

// toEditors hands the result of a task to the editor and the aside; the one that started it knows.
func (s *Screen) toEditors(r screen.Result) tea.Cmd {
	var cmds []tea.Cmd
	if s.form != nil {
		cmds = append(cmds, s.fromForm(s.form.Update(r)))
	}
	if s.info.aside != nil {
		cmds = append(cmds, s.info.aside.Update(r))
		s.refreshInfo()
	}
	return tea.Batch(cmds...)
}

// wants is what an editor and the aside asked for during Update.
type wants struct {
	open    doc.Path
	outside tea.Cmd
	aside   tea.Cmd
	notice  string
}

// grant does what they asked for.
func (s *Screen) grant() tea.Cmd {
	w := s.wants
	s.wants = wants{}
	cmds := []tea.Cmd{w.outside, w.aside}
	if w.notice != "" {
		cmds = append(cmds, screen.NotifyAbout(screen.AboutEdit, widget.LevelInfo, w.notice))
	}
	if w.open != nil {
		cmds = append(cmds, s.open(w.open), s.wants.aside)
		s.wants = wants{}
	}
	return tea.Batch(cmds...)
}

// outside opens a text of an editor in the person's own one.
func (s *Screen) outside(text, suffix string, then func(string)) tea.Cmd {
	return screen.Send(screen.EditMsg{Text: text, Suffix: suffix, Then: func(after string, changed bool) tea.Cmd {
		if !changed || s.form == nil {
			return nil
		}
		then(after)
		return s.fromPaste(nil)
	}})
}

// followAside shows, beside the editor, what belongs to the place that the keyboard is at.
func (s *Screen) followAside() {
	t, at, place, ok := s.asideAt(s.place())
	if !ok {
		if s.info.aside != nil {
			s.info.dropAside()
			s.sizeInfo()
		}
		return
	}
	key := at[:1].String()
	if s.info.aside == nil || s.info.asideOf != key {
		s.info.aside, s.info.asideOf = t.aside(s.config(at)), key
		s.sizeInfo()
	}
	s.wants.aside = tea.Batch(s.wants.aside, s.info.aside.Show(s.edit.Root(), place))
}

// asideAt returns what stands beside p, the place it belongs to, and the place it shows: the aside around p or,
// where a section has none of its own, that of one of its fields, and else the messages, which every section is about.
func (s *Screen) asideAt(p doc.Path) (t tool, at, place doc.Path, ok bool) {
	if t, at, ok := s.toolAt(p); ok && t.aside != nil {
		return t, at, p, true
	}
	if node := s.edit.Schema().At(p[:min(len(p), 1)]); node != nil && len(p) > 0 {
		for _, c := range node.Children {
			if t := tools[c.Editor]; t.aside != nil {
				at := p[:1].Child(c.Name)
				return t, at, at, true
			}
		}
	}
	at, ok = s.messages()
	return tools[schema.EditorContent], at, at, ok
}
