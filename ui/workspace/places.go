package workspace

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/settings"
	"bugle/forms"
	"bugle/ui/editor"
	"bugle/ui/filters"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// wants is what an editor asked for during Update.
type wants struct {
	open    doc.Path
	outside tea.Cmd
	notice  string
	info    tea.Cmd
}

func (w wants) some() bool { return w.open != nil || w.outside != nil || w.notice != "" }

// grant does what the editor asked for.
func (s *Record) grant() tea.Cmd {
	w := s.wants
	s.wants = wants{}
	cmds := []tea.Cmd{w.outside, w.info}
	if w.notice != "" {
		cmds = append(cmds, screen.Notify(widget.LevelInfo, w.notice))
	}
	if w.open != nil {
		s.open(w.open)
		cmds = append(cmds, s.wants.info)
		s.wants = wants{}
	}
	return tea.Batch(cmds...)
}

// filtersAt gives the place of the filter group that p is in, or is; false where it is in none.
func (s *Record) filtersAt(p doc.Path) (doc.Path, bool) {
	for n := 1; n <= len(p); n++ {
		if node := s.table.At(p[:n]); node != nil && node.Editor == schema.EditorFilters {
			return p[:n], true
		}
	}
	return nil, false
}

func (s *Record) inFilters() bool {
	_, ok := s.filtersAt(s.path)
	return ok
}

// seeded gives the record with a group to put filters in, where p is one that is not there yet.
func (s *Record) seeded(p doc.Path) doc.Value {
	at, ok := s.filtersAt(p)
	if !ok {
		return s.root
	}
	out, err := audience.Seeded(s.root, at)
	if err != nil {
		return s.root
	}
	return out
}

// goTo opens the form in which the place p is edited, and focuses it there.
func (s *Record) goTo(p doc.Path) {
	at := p
	if f, ok := s.filtersAt(p); ok {
		at = f
	} else {
		for len(at) > 0 && !s.opens(at) {
			at = at[:len(at)-1]
		}
	}
	s.open(at)
	if len(p) > len(at) {
		s.form.FocusPath(p)
	}
	s.showInfo()
}

// opens reports whether there is a form of its own at p.
func (s *Record) opens(p doc.Path) bool {
	st, ok := s.table.Field(s.root, p, settings.Env(s.workspace))
	return ok && forms.Opens(st)
}

// open opens the editor of the object, map or list at p.
func (s *Record) open(p doc.Path) {
	s.path, s.root = p, s.seeded(p)
	cfg := s.config(p)
	if at, ok := s.filtersAt(p); ok && len(at) == len(p) {
		s.form = filters.New(cfg)
	} else {
		s.form = forms.New(cfg.Config)
	}
	s.form.SetProblems(s.problems)
	s.layout()
	s.openInfo(cfg)
	s.showInfo()
}

// openAgain makes the form that is open anew, the focus where it was.
func (s *Record) openAgain() {
	at := s.path
	if f, ok := s.form.Focused(); ok {
		at = f.Path
	}
	info := s.info.focused
	s.open(s.path)
	s.form.FocusPath(at)
	s.info.focused = info
	s.form.SetActive(!info)
	s.showInfo()
}

func (s *Record) config(p doc.Path) editor.Config {
	return editor.Config{
		Config: forms.Config{
			Schema: s.table, Root: s.root, Path: p, Env: settings.Env(s.workspace), Theme: s.theme,
			Suggest: s.suggest, Locked: s.locked, Now: s.deps.Now,
		},
		Workspace: s.workspace, Service: s.deps.Service, Now: s.deps.Now, Location: s.deps.Location,
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

func (s *Record) suggest(list string) []string {
	names, _ := s.workspace.Lists(list)
	return names
}

func (s *Record) locked(p doc.Path) string {
	if len(p) == 0 {
		return ""
	}
	return s.section.Fixed[p[0].Name]
}

// up leaves the form for the one around it, the focus on where it came from.
func (s *Record) up() tea.Cmd {
	from := s.path
	if len(from) == 0 {
		return nil
	}
	s.goTo(from.Parent())
	s.form.FocusPath(from)
	s.showInfo()
	return nil
}

// trail names the place of the form in the record.
func (s *Record) trail() string {
	title := s.Title()
	if t := s.table.Trail(s.path); len(t) > 0 {
		title += " › " + strings.Join(t, " › ")
	}
	return title
}

// outside opens a text of an editor in the person's own one.
func (s *Record) outside(text, suffix string, then func(string)) tea.Cmd {
	return screen.Send(screen.EditMsg{Text: text, Suffix: suffix, Then: func(after string, changed bool) tea.Cmd {
		if !changed || s.form == nil {
			return nil
		}
		then(after)
		return s.fromForm(nil)
	}})
}

// editText opens what the form asks for in the person's editor.
func (s *Record) editText(m forms.EditMsg) tea.Cmd {
	if m.JSON {
		return s.editJSON(m.Path, m.Text, m.Text)
	}
	suffix := ".txt"
	if n := s.table.At(m.Path); n != nil && n.Long {
		suffix = ".html"
	}
	return screen.Send(screen.EditMsg{Text: m.Text, Suffix: suffix, Then: func(text string, changed bool) tea.Cmd {
		f, ok := s.form.(*forms.Form)
		if !changed || !ok {
			return nil
		}
		if err := f.SetText(m.Path, text, false); err != nil {
			return notice(err)
		}
		return s.fromForm(nil)
	}})
}

// editAll opens the record as JSON.
func (s *Record) editAll() tea.Cmd {
	text := string(s.plain().Indent())
	return s.editJSON(nil, text, text)
}

// editJSON opens text for what is at p. One that cannot be taken over is offered again, so that nothing
// typed is lost.
func (s *Record) editJSON(p doc.Path, text, before string) tea.Cmd {
	return screen.Send(screen.EditMsg{Text: text, Suffix: ".json", Then: func(after string, _ bool) tea.Cmd {
		if strings.TrimSpace(after) == strings.TrimSpace(before) {
			return nil
		}
		v, err := doc.Parse([]byte(after))
		root := s.root
		if err == nil {
			root, err = s.root.Set(p, v)
		}
		if err == nil && root.Kind() == doc.Object {
			s.history.record(s.root, nil)
			s.root, s.refused = root, nil
			s.check()
			s.goTo(p)
			return nil
		}
		why := "A record must be a JSON object: { … }."
		if err != nil {
			why = sentence(err.Error())
		}
		return screen.Ask(screen.Question{
			Title:   "This is not valid yet",
			Body:    why + "\n\nKeep editing, or discard your text?",
			Buttons: []widget.Button{{Label: "Keep editing", Key: "e"}, {Label: "Discard", Key: "d", Danger: true}},
			Then: func(a widget.Answer) tea.Cmd {
				if a.Index == 1 {
					return nil
				}
				return s.editJSON(p, after, before)
			},
		})
	}})
}

// Places lists the sections and the fields of those that are one record, for the palette.
func Places() []screen.Found {
	var out []screen.Found
	for _, sec := range settings.Sections() {
		out = append(out, screen.Found{Text: sec.Title, Detail: "workspace", Kind: "section", Route: screen.Route{Name: screen.Workspace, Query: sec.ID}})
		if !sec.Single {
			continue
		}
		for _, n := range sec.Schema.Root().Children {
			out = append(out, screen.Found{
				Text: n.Label(), Detail: "workspace › " + sec.Title, Kind: "field", Route: recordRoute(sec, sec.One, doc.Value{}, doc.P(n.Name)...),
			})
		}
	}
	return out
}

// choose puts the cursor on a section.
func (s *List) choose(id string) {
	n := -1
	for i, item := range s.list.Items() {
		if item.Heading {
			continue
		}
		if n++; s.sections[n].ID == id {
			s.list.Choose(i)
			s.sectionChanged()
		}
	}
}
