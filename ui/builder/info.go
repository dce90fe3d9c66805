package builder

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/edit/grid"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/screen"
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

// spot is where the person is.
type spot struct {
	focus pane
	path  doc.Path           // of the form that is open
	field *schema.FieldState // that has the focus in it; nil where none has
}

// place returns the focused field, or else the form.
func (s spot) place() doc.Path {
	if s.focus == paneForm && s.field != nil {
		return s.field.Path
	}
	return s.path
}

// onObject reports whether the keyboard is on an object with content, which opens.
func (s spot) onObject() bool {
	return s.field != nil && s.field.Node != nil && s.field.Node.Kind == schema.Object && !s.field.Value.Empty()
}

// info is the pane that describes what is being edited.
type info struct {
	edit     *edit.Session
	sections *sections // whose order the problems have
	theme    themes.Theme

	tab    tab
	chosen bool // a person chose the tab; otherwise it follows the keyboard
	pager  widget.Pager
	json   widget.JSONView
	list   widget.List
	goals  []doc.Path // of the problems, for each line of the list

	size  box  // with its frame
	wide  bool // beside the form, not below
	width int  // inside the frame

	aside   editor.SidePanel // nil where the place has none
	asideOf string           // the part that it belongs to
	split   bool             // the aside stands below the tabs, and is none of them
	top     tab              // what the tabs show while the aside has the keyboard
	started tea.Cmd          // what the aside asked for when it was shown
	shown   string           // what the pager holds, so that its place is kept while nothing changes
}

func newInfo(e *edit.Session, list *sections, t themes.Theme) info {
	return info{edit: e, sections: list, theme: t, pager: widget.NewPager(t), json: widget.NewJSONView(t), list: widget.NewList(t)}
}

func (in *info) setTheme(t themes.Theme) {
	in.theme = t
	in.pager.SetTheme(t)
	in.json.SetTheme(t)
	in.list.SetTheme(t)
	if in.aside != nil {
		in.aside.SetTheme(t)
	}
	in.shown = ""
}

// splitFrom is the height from which the aside has a place of its own, below the tabs.
const splitFrom = 30

// setSize divides the pane, whose size is with its frame.
func (in *info) setSize(size box, wide bool) {
	in.size, in.wide = size, wide
	in.split = in.aside != nil && wide && size.h >= splitFrom
	tabs, aside := in.boxes()
	in.width = tabs.w - 4
	in.pager.SetSize(in.width, tabs.h-2)
	in.json.SetSize(in.width, tabs.h-2)
	in.list.SetSize(in.width, tabs.h-2)
	if in.aside != nil {
		in.aside.SetSize(aside.w-4, aside.h-2)
	}
}

// boxes returns the sizes of the tabs and of the aside, which are one where they share a place.
func (in *info) boxes() (tabs, aside box) {
	if !in.split {
		return in.size, in.size
	}
	top := in.size.h * 2 / 5
	return box{in.size.w, top}, box{in.size.w, in.size.h - top}
}

// follow shows the aside of the section of, which is made where another one stands there; nil shows none.
func (in *info) follow(of string, place doc.Path, fresh func() editor.SidePanel) {
	switch {
	case fresh == nil && in.aside == nil:
		return
	case fresh == nil:
		in.aside, in.asideOf = nil, ""
		if in.tab == tabAside {
			in.tab, in.chosen = tabField, false
		}
		in.setSize(in.size, in.wide)
		return
	case in.aside == nil || in.asideOf != of:
		in.aside, in.asideOf = fresh(), of
		in.setSize(in.size, in.wide)
	}
	in.started = tea.Batch(in.started, in.aside.Show(in.edit.Root(), place))
}

// start returns what the aside asked for since the last time.
func (in *info) start() tea.Cmd {
	cmd := in.started
	in.started = nil
	return cmd
}

// note is what the frame says of the view beside the form, where there is something to say.
func (in *info) note() string {
	if n, ok := in.aside.(interface{ Note() string }); ok {
		return n.Note()
	}
	return ""
}

// upper is the view that the tabs show.
func (in *info) upper() tab {
	if in.split && in.tab == tabAside {
		return in.top
	}
	return in.tab
}

// tabs returns the views that there are now.
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
	switch in := grid.Path(); {
	case p.HasPrefix(in) && len(p) == len(in)+1:
		return grid.LocaleName(last.Name)
	case p.HasPrefix(in.Parent()) && !last.IsIndex:
		return grid.VariationName(last.Name)
	}
	if last.IsIndex && n.Title != "" {
		return fmt.Sprintf("%s %d", n.Title, last.Index+1)
	}
	if last.IsIndex {
		return fmt.Sprintf("Entry %d", last.Index+1)
	}
	return last.Name
}

// engineJSON returns the section that the path is in, for people.
func engineJSON(root doc.Value, p doc.Path) []byte {
	if len(p) == 0 {
		return root.Indent()
	}
	if v := root.Lookup(p[:1]); v.Exists() {
		return v.Indent()
	}
	return []byte("{}")
}

// linesOf returns the lines, from 0, that the value at p takes in the indented text of v: the
// first, and the one after the last. It returns 0, 0 where there is no such value.
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

// where names a place in a few words: its component and its field.
func where(sch *schema.Schema, p doc.Path) string {
	if len(p) == 0 {
		return "Campaign"
	}
	words := []string{}
	for _, at := range []doc.Path{p[:1], p} {
		n := sch.At(at)
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

// turn turns to the next view, or the one before.
func (in *info) turn(n int) {
	tabs := in.tabs()
	at := max(slices.Index(tabs, in.upper()), 0)
	in.chosen = true
	in.tab = tabs[(at+n+len(tabs))%len(tabs)]
}

// toAside moves the focus to the view beside the editor.
func (in *info) toAside() { in.top, in.tab, in.chosen = in.upper(), tabAside, true }

// refresh shows what is to be known at a spot.
func (in *info) refresh(at spot) {
	if !in.chosen {
		in.tab = in.firstTab(at)
	}
	switch in.upper() {
	case tabField:
		in.showField(at)
	case tabProblems:
		in.showProblems(at.focus == paneInfo)
	case tabJSON:
		in.showJSON(at)
	}
}

// firstTab returns the view that is shown until a person chooses one: help on the field in the form, and beside the
// sections what is left to do. Where that is nothing, or an object that opens and is filled in, it is what belongs to the
// place, such as the message.
func (in *info) firstTab(at spot) tab {
	beside := in.aside != nil && !in.split
	switch {
	case at.focus == paneParts && beside && errorsOf(in.edit) == 0, at.focus != paneParts && beside && at.onObject():
		return tabAside
	case at.focus == paneParts:
		return tabProblems
	}
	return tabField
}

func (in *info) showField(at spot) {
	text := in.fieldText(at)
	if text != in.shown {
		in.shown = text
		in.pager.SetStyled(text)
	}
}

// fieldText describes the focused field: its problems first, then what the tables say.
func (in *info) fieldText(at spot) string {
	path, node := at.path, in.edit.Schema().At(at.path)
	if at.focus == paneForm && at.field != nil {
		path, node = at.field.Path, at.field.Node
	}
	var lines []string
	add := func(style lipgloss.Style, text string) {
		// A style ends with its line: text is cut into lines before it is painted.
		for _, line := range widget.Wrap(widget.Clean(text), max(in.size.w-6, 1)) {
			lines = append(lines, style.Render(line))
		}
	}
	for _, p := range in.edit.Problems() {
		if p.Path.Equal(path) {
			sign, tone := "✗ ", themes.ToneDanger
			if p.Severity == schema.Notice {
				sign, tone = "i ", themes.ToneInfo
			}
			add(in.theme.Tone(tone), sign+capital(p.Text())+".")
		}
	}
	if st, ok := in.edit.Schema().Object(in.edit.Root(), path.Parent(), schema.Env{}); node == nil && ok {
		for _, x := range st.Extras {
			if x.Response != nil && x.Path.Equal(path) {
				add(in.theme.Strong, x.Response.Label())
				add(in.theme.Text, x.Response.Help+" Read-only, set by the service.")
				return strings.Join(lines, "\n")
			}
		}
	}
	if node == nil {
		add(in.theme.Muted, "This field is unknown. It is kept unchanged.")
		return strings.Join(lines, "\n")
	}
	add(in.theme.Strong, label(path, node))
	notes := in.edit.Schema().Notes(node)
	if f, ok := in.edit.Schema().Field(in.edit.Root(), path, in.edit.Env()); ok && f.Node == node {
		notes = in.edit.Schema().NotesOf(f)
	}
	for _, note := range notes {
		add(in.theme.Text, note)
	}
	return strings.Join(lines, "\n")
}

func (in *info) showProblems(focused bool) {
	var items []widget.Item
	in.goals = nil
	for _, sev := range []schema.Severity{schema.Error, schema.Notice} {
		for _, p := range in.sections.inOrder(in.edit.Problems()) {
			if p.Severity != sev {
				continue
			}
			it := widget.Item{Icon: "✗", IconTone: themes.ToneDanger, Text: where(in.edit.Schema(), p.Path) + ": " + p.Text()}
			switch {
			case sev == schema.Notice:
				it.Icon, it.IconTone = "i", themes.ToneInfo
			case isMissing(p):
				it.Icon, it.IconTone = "○", themes.ToneWarning
			}
			for _, line := range widget.WrapItem(it, in.width) {
				items = append(items, line)
				in.goals = append(in.goals, p.Path)
			}
		}
	}
	at := in.list.Cursor
	in.list.SetItems(items)
	in.list.SelectItem(at)
	in.list.Empty = "No problems."
	if in.edit.Head().Status == catalog.Draft {
		in.list.Empty += "\nPress v to validate, t to send a test."
	}
	in.list.Focused = focused
}

func (in *info) showJSON(at spot) {
	text := string(engineJSON(in.edit.Root(), at.path))
	if text != in.shown {
		in.shown = text
		in.json.SetText(text)
	}
	from, to := 0, 0
	if f := at.field; f != nil && f.Value.Exists() && f.Path.HasPrefix(at.path[:1]) {
		from, to = linesOf(in.edit.Root().Lookup(at.path[:1]), f.Path[1:])
	}
	in.json.Mark(from, to)
	if to > 0 {
		in.json.GoTo(from)
	}
}

// tabLine names the views beside the form, the present one in brackets.
func (in *info) tabLine() string {
	var names []string
	for _, t := range in.tabs() {
		names = append(names, in.tabName(t))
	}
	return strings.Join(names, " ")
}

func (in *info) tabName(t tab) string {
	if t == in.upper() {
		return "[" + in.name(t) + "]"
	}
	return in.name(t)
}

// goal returns the place of the problem under the cursor.
func (in *info) goal() (doc.Path, bool) {
	i := in.list.Cursor
	if in.tab != tabProblems || i < 0 || i >= len(in.goals) {
		return nil, false
	}
	return in.goals[i], true
}

// key hands a key to the view that has the keyboard.
func (in *info) key(msg tea.KeyMsg) tea.Cmd {
	switch in.tab {
	case tabProblems:
		in.list.Update(msg)
	case tabJSON:
		in.json.Update(msg)
	case tabAside:
		return in.aside.Update(msg)
	default:
		in.pager.Update(msg)
	}
	return nil
}

// press turns to the tab or the aside under a press of the mouse, which is at column x of the pane and at line y
// below its frame.
func (in *info) press(x, y int) {
	tabs, _ := in.boxes()
	switch {
	case in.split && y >= tabs.h-1:
		in.toAside()
	case in.split:
		in.tab = in.upper()
	}
	in.chosen = true
	if y >= 0 {
		return
	}
	at := widget.Width("╭─ ")
	for _, t := range in.tabs() {
		w := widget.Width(in.tabName(t))
		if x >= at && x < at+w {
			in.tab = t
			return
		}
		at += w + 1
	}
}

// mouse hands the mouse, which is at column X of the pane and at line Y below its frame, to the view under it. It
// reports whether it was on a problem.
func (in *info) mouse(msg tea.MouseMsg) (cmd tea.Cmd, hit bool) {
	tabs, _ := in.boxes()
	y := msg.Y
	if in.split && y >= tabs.h-1 {
		msg.X, msg.Y = msg.X-2, y-tabs.h
		return in.aside.Update(msg), false
	}
	switch in.tab {
	case tabProblems:
		return nil, in.list.Mouse(msg, y)
	case tabJSON:
		in.json.Mouse(msg)
	case tabAside:
		msg.X -= 2
		return in.aside.Update(msg), false
	default:
		in.pager.Mouse(msg)
	}
	return nil, false
}

// view draws the pane.
func (in *info) view(focused bool) string {
	tabs, below := in.boxes()
	inAside := focused && in.tab == tabAside
	footer := "no problems"
	if n := errorsOf(in.edit); n > 0 {
		footer = fmt.Sprintf("%d to do", n)
	}
	if note := in.note(); note != "" && in.upper() == tabAside {
		footer = note + " · " + footer
	}
	top := panel(in.theme, in.tabLine(), tabs, focused && !(inAside && in.split), footer).View(in.inner())
	if !in.split {
		return top
	}
	title := in.aside.Title()
	if note := in.note(); note != "" {
		title += " · " + note
	}
	return widget.JoinVertical(top, panel(in.theme, title, below, inAside, "").View(in.aside.View()))
}

// inner draws the view of the present tab.
func (in *info) inner() string {
	switch in.upper() {
	case tabProblems:
		return in.list.View()
	case tabJSON:
		return in.json.View()
	case tabAside:
		return in.aside.View()
	}
	return in.pager.View()
}

// asideKey is the action that moves the focus to the view beside the editor, where there is one.
func (in *info) asideKey(key string, bar int, run func() tea.Cmd) []screen.Action {
	if in.aside == nil {
		return nil
	}
	title := strings.ToLower(in.aside.Title())
	return []screen.Action{{
		Keys: []string{key}, Label: title, Help: "go to the " + title + " beside the form", Group: groupMove, BarPriority: bar, WhileTyping: true,
		Run: run,
	}}
}
