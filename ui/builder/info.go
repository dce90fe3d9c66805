package builder

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/engine/catalog"
	"bugle/engine/content"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/widget"
)

// tab is one of the views beside the form.
type tab int

const (
	tabField    tab = iota // what the focused field is for, and what is wrong with it
	tabProblems            // all that is wrong
	tabAside               // what belongs to the place: a preview, a calendar
	tabJSON                // the document as it goes over the wire
)

var allTabs = []tab{tabField, tabProblems, tabAside, tabJSON}

// info is the pane that tells about what is being edited.
type info struct {
	tab    tab
	chosen bool // a person chose the tab; otherwise it follows the keyboard
	pager  widget.Pager
	json   widget.JSONView
	list   widget.List
	goals  []doc.Path // of the problems, for each line of the list
	width  int

	aside   editor.Aside // nil where the place has none
	asideOf string       // the part that it belongs to
	split   bool         // the aside stands below the tabs, and is none of them
	top     tab          // what the tabs show while the aside has the keyboard
	shown   string       // what the pager holds, so that its place is kept while nothing changes
}

func newInfo(t themes.Theme) info {
	in := info{pager: widget.NewPager(t), json: widget.NewJSONView(t), list: widget.NewList(t)}
	return in
}

func (in *info) setTheme(t themes.Theme) {
	in.pager.SetTheme(t)
	in.json.SetTheme(t)
	in.list.SetTheme(t)
	if in.aside != nil {
		in.aside.SetTheme(t)
	}
	in.shown = ""
}

func (in *info) setSize(w, h int) {
	in.width = w
	in.pager.SetSize(w, h)
	in.json.SetSize(w, h)
	in.list.SetSize(w, h)
}

// note is what the frame says of the view beside the form, where there is something to say.
func (in *info) note() string {
	if n, ok := in.aside.(interface{ Note() string }); ok {
		return n.Note()
	}
	return ""
}

func (in *info) dropAside() {
	in.aside, in.asideOf = nil, ""
	if in.tab == tabAside {
		in.tab, in.chosen = tabField, false
	}
}

// upper is the view that the tabs show.
func (in *info) upper() tab {
	if in.split && in.tab == tabAside {
		return in.top
	}
	return in.tab
}

// tabs gives the views that there are now.
func (in *info) tabs() []tab {
	if in.aside != nil && !in.split {
		return allTabs
	}
	return slices.DeleteFunc(slices.Clone(allTabs), func(t tab) bool { return t == tabAside })
}

func (in *info) name(t tab) string {
	switch t {
	case tabProblems:
		return "Problems"
	case tabAside:
		return in.aside.Title()
	case tabJSON:
		return "JSON"
	}
	return "Field"
}

// nextTab turns to the next view, or the one before.
func (s *Screen) nextTab(n int) tea.Cmd {
	tabs := s.info.tabs()
	at := max(slices.Index(tabs, s.info.upper()), 0)
	s.info.chosen = true
	s.info.tab = tabs[(at+n+len(tabs))%len(tabs)]
	s.refreshInfo()
	return nil
}

// refreshInfo shows what is to be known now.
func (s *Screen) refreshInfo() {
	if !s.loaded {
		return
	}
	s.followAside()
	if !s.info.chosen {
		s.info.tab = s.firstTab()
	}
	switch s.info.upper() {
	case tabField:
		s.showField()
	case tabProblems:
		s.showProblems()
	case tabJSON:
		s.showJSON()
	}
}

// firstTab returns the view that is shown until a person chooses one: help on the field in the form, and beside the
// sections what is left to do. Where that is nothing, or an object that opens and is filled in, it is what belongs to the
// place, such as the message.
func (s *Screen) firstTab() tab {
	beside := s.info.aside != nil && !s.info.split
	switch {
	case s.focus == paneParts && beside && s.errors() == 0, s.focus != paneParts && beside && s.onObject():
		return tabAside
	case s.focus == paneParts:
		return tabProblems
	}
	return tabField
}

// onObject reports whether the keyboard is on an object with content, which opens.
func (s *Screen) onObject() bool {
	if s.form == nil {
		return false
	}
	f, ok := s.form.Focused()
	return ok && f.Node != nil && f.Node.Kind == schema.Object && !f.Value.Empty()
}

func (s *Screen) showField() {
	text := s.fieldText()
	if text != s.info.shown {
		s.info.shown = text
		s.info.pager.SetStyled(text)
	}
}

// fieldText tells of the focused field: its problems first, then what the tables say.
func (s *Screen) fieldText() string {
	path, node := s.path, s.edit.Schema().At(s.path)
	if s.form != nil && s.focus == paneForm {
		if f, ok := s.form.Focused(); ok {
			path, node = f.Path, f.Node
		}
	}
	var lines []string
	add := func(style lipgloss.Style, text string) {
		// A style ends with its line: text is cut into lines before it is painted.
		for _, line := range widget.Wrap(widget.Clean(text), max(s.layout.side.w-6, 1)) {
			lines = append(lines, style.Render(line))
		}
	}
	for _, p := range s.edit.Problems() {
		if p.Path.Equal(path) {
			sign, tone := "✗ ", themes.ToneDanger
			if p.Severity == schema.Notice {
				sign, tone = "i ", themes.ToneInfo
			}
			add(s.theme.Tone(tone), sign+capital(p.Words())+".")
		}
	}
	if st, ok := s.edit.Schema().Object(s.edit.Root(), path.Parent(), schema.Env{}); node == nil && ok {
		for _, x := range st.Extras {
			if x.Response != nil && x.Path.Equal(path) {
				add(s.theme.Strong, x.Response.Label())
				add(s.theme.Text, x.Response.Help+" Read-only, set by the service.")
				return strings.Join(lines, "\n")
			}
		}
	}
	if node == nil {
		add(s.theme.Muted, "This field is unknown. It is kept unchanged.")
		return strings.Join(lines, "\n")
	}
	add(s.theme.Strong, label(path, node))
	for _, note := range s.edit.Schema().Notes(node) {
		add(s.theme.Text, note)
	}
	return strings.Join(lines, "\n")
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// label names a place for people: the field's title, or the number or name of an entry.
func label(p doc.Path, n *schema.Node) string {
	if n.Name != "" {
		return n.Label()
	}
	last := p.Last()
	switch in := content.Path(); {
	case p.HasPrefix(in) && len(p) == len(in)+1:
		return content.LocaleName(last.Name)
	case p.HasPrefix(in.Parent()) && !last.IsIndex:
		return content.VariationName(last.Name)
	}
	if last.IsIndex && n.Title != "" {
		return fmt.Sprintf("%s %d", n.Title, last.Index+1)
	}
	if last.IsIndex {
		return fmt.Sprintf("Entry %d", last.Index+1)
	}
	return last.Name
}

func (s *Screen) showProblems() {
	var items []widget.Item
	s.info.goals = nil
	for _, sev := range []schema.Severity{schema.Error, schema.Notice} {
		for _, p := range s.inOrder() {
			if p.Severity != sev {
				continue
			}
			it := widget.Item{Icon: "✗", IconTone: themes.ToneDanger, Text: s.where(p.Path) + ": " + p.Words()}
			switch {
			case sev == schema.Notice:
				it.Icon, it.IconTone = "i", themes.ToneInfo
			case isMissing(p):
				it.Icon, it.IconTone = "○", themes.ToneWarning
			}
			for _, line := range widget.WrapItem(it, s.info.width) {
				items = append(items, line)
				s.info.goals = append(s.info.goals, p.Path)
			}
		}
	}
	at := s.info.list.Cursor
	s.info.list.SetItems(items)
	s.info.list.Choose(at)
	s.info.list.Empty = "No problems."
	if s.edit.Head().Status == catalog.Draft {
		s.info.list.Empty += "\nPress v to validate, t to send a test."
	}
	s.info.list.Focused = s.focus == paneInfo
}

// inOrder gives the problems in the order of the parts at the left.
func (s *Screen) inOrder() []schema.Problem {
	rank := func(p schema.Problem) int { return s.sectionOf(p.Path) }
	out := slices.Clone(s.edit.Problems())
	slices.SortStableFunc(out, func(a, b schema.Problem) int { return rank(a) - rank(b) })
	return out
}

// where names a place in a few words: its component and its field.
func (s *Screen) where(p doc.Path) string {
	if len(p) == 0 {
		return "Campaign"
	}
	words := []string{}
	for _, at := range []doc.Path{p[:1], p} {
		n := s.edit.Schema().At(at)
		w := at.Last().Name
		if n != nil {
			w = label(at, n)
		}
		if len(words) == 0 || len(p) > 1 {
			words = append(words, w)
		}
	}
	return strings.Join(words, " › ")
}

func (s *Screen) showJSON() {
	text := string(engineJSON(s.edit.Root(), s.path))
	if text != s.info.shown {
		s.info.shown = text
		s.info.json.SetText(text)
	}
	from, to := 0, 0
	if s.form != nil {
		if f, ok := s.form.Focused(); ok && f.Value.Exists() && f.Path.HasPrefix(s.path[:1]) {
			from, to = linesOf(s.edit.Root().Lookup(s.path[:1]), f.Path[1:])
		}
	}
	s.info.json.Mark(from, to)
	if to > 0 {
		s.info.json.GoTo(from)
	}
}

// engineJSON gives the component that the path is in, for people.
func engineJSON(root doc.Value, p doc.Path) []byte {
	if len(p) == 0 {
		return root.Indent()
	}
	if v := root.Lookup(p[:1]); v.Exists() {
		return v.Indent()
	}
	return []byte("{}")
}

// linesOf gives the lines, from 0, that the value at p takes in the indented text of v: the
// first, and the one after the last. It gives 0, 0 where there is no such value.
func linesOf(v doc.Value, p doc.Path) (from, to int) {
	line := 0
	for _, step := range p {
		line++ // the opening bracket
		found := false
		if step.IsIndex {
			for i, e := range v.Elems() {
				if found = i == step.Index; found {
					break
				}
				line += height(e)
			}
			v = v.At(step.Index)
		} else {
			for name, m := range v.Members() {
				if found = name == step.Name; found {
					break
				}
				line += height(m)
			}
			v = v.Get(step.Name)
		}
		if !found {
			return 0, 0
		}
	}
	return line, line + height(v)
}

func height(v doc.Value) int { return strings.Count(string(v.Indent()), "\n") + 1 }

// infoView draws the pane's content.
func (s *Screen) infoView() string {
	switch s.info.upper() {
	case tabProblems:
		return s.info.list.View()
	case tabJSON:
		return s.info.json.View()
	case tabAside:
		return s.info.aside.View()
	}
	return s.info.pager.View()
}
