package builder

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/check"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// tab is one of the tabs beside the form.
type tab int

const (
	tabField     tab = iota // help and problems of the focused field
	tabProblems             // all problems
	tabSidePanel            // the side panel of the place: a preview, a calendar
	tabJSON                 // the document as sent to the service
)

var allTabs = []tab{tabField, tabProblems, tabSidePanel, tabJSON}

// location is the user's position.
type location struct {
	focus pane
	path  doc.Path           // of the open form
	field *schema.FieldState // the focused field of that form; nil if there is none
}

// place returns the path of the focused field, or else of the form.
func (s location) place() doc.Path {
	if s.focus == paneForm && s.field != nil {
		return s.field.Path
	}
	return s.path
}

// onObject reports whether a non-empty object that can be opened is focused.
func (s location) onObject() bool {
	return s.field != nil && s.field.Node != nil && s.field.Node.Kind == schema.Object && !s.field.Value.Empty()
}

// info is the pane beside the form, with help, problems, side panel and JSON.
type info struct {
	edit     *edit.Session
	sections *sectionList // sets the order of the problems
	warnings *warner
	theme    *themes.Theme

	tab          tab
	chosen       bool // the user chose the tab; otherwise it follows the focus
	pager        widget.Pager
	json         widget.JSONView
	list         widget.List
	problemPaths []doc.Path // path of the problem or warning on each line of the list

	size  box  // including its frame
	wide  bool // beside the form, not below it
	width int  // inside the frame

	sidePanel      editor.SidePanel // nil if the place has none
	sidePanelOwner string           // the section that it belongs to
	split          bool             // the side panel is shown below the tabs instead of being one
	top            tab              // the tab shown while the side panel has the keyboard
	started        tea.Cmd          // command of the side panel when it was shown
	shown          string           // content of the pager, to keep its position while nothing changes
}

func newInfo(e *edit.Session, list *sectionList, t *themes.Theme) info {
	return info{edit: e, sections: list, theme: t, pager: widget.NewPager(t), json: widget.NewJSONView(t), list: widget.NewList(t)}
}

// splitMinHeight is the height from which the side panel is shown below the tabs.
const splitMinHeight = 30

// setSize sets the size of the pane, including its frame.
func (in *info) setSize(size box, wide bool) {
	in.size, in.wide = size, wide
	in.split = in.sidePanel != nil && wide && size.h >= splitMinHeight
	tabs, aside := in.layout()
	in.width = tabs.w - 4
	in.pager.SetSize(in.width, tabs.h-2)
	in.json.SetSize(in.width, tabs.h-2)
	in.list.SetSize(in.width, tabs.h-2)
	if in.sidePanel != nil {
		in.sidePanel.SetSize(aside.w-4, aside.h-2)
	}
}

// layout returns the sizes of the tabs and of the side panel, which are the same if they share the space.
func (in *info) layout() (tabs, aside box) {
	if !in.split {
		return in.size, in.size
	}
	top := in.size.h * 2 / 5
	return box{in.size.w, top}, box{in.size.w, in.size.h - top}
}

// setSidePanel shows the side panel of a section, creating it if the current one belongs to another; nil shows
// none.
func (in *info) setSidePanel(of string, place doc.Path, fresh func() editor.SidePanel) {
	switch {
	case fresh == nil && in.sidePanel == nil:
		return
	case fresh == nil:
		in.sidePanel, in.sidePanelOwner = nil, ""
		if in.tab == tabSidePanel {
			in.tab, in.chosen = tabField, false
		}
		in.setSize(in.size, in.wide)
		return
	case in.sidePanel == nil || in.sidePanelOwner != of:
		in.sidePanel, in.sidePanelOwner = fresh(), of
		in.setSize(in.size, in.wide)
	}
	in.started = tea.Batch(in.started, in.sidePanel.Show(in.edit.Root(), place))
}

// takeStarted returns the pending command of the side panel.
func (in *info) takeStarted() tea.Cmd {
	cmd := in.started
	in.started = nil
	return cmd
}

// note returns the side panel's note for the frame, if it has one.
func (in *info) note() string {
	if n, ok := in.sidePanel.(interface{ Note() string }); ok {
		return n.Note()
	}
	return ""
}

// topTab returns the tab that is shown.
func (in *info) topTab() tab {
	switch {
	case !in.split || in.tab != tabSidePanel:
		return in.tab
	case in.top == tabSidePanel: // it was a tab before the window became larger
		return tabField
	}
	return in.top
}

// tabs returns the available tabs.
func (in *info) tabs() []tab {
	if in.sidePanel != nil && !in.split {
		return allTabs
	}
	return slices.DeleteFunc(slices.Clone(allTabs), func(t tab) bool { return t == tabSidePanel })
}

func (in *info) name(t tab) string {
	switch t {
	case tabProblems:
		return "Problems"
	case tabSidePanel:
		return in.sidePanel.Title()
	case tabJSON:
		return "JSON"
	}
	return "Field"
}

// sectionJSON returns the formatted JSON of the section that the path is in.
func sectionJSON(root doc.Value, p doc.Path) []byte {
	if len(p) == 0 {
		return root.Indent()
	}
	if v := root.Lookup(p[:1]); v.Exists() {
		return v.Indent()
	}
	return []byte("{}")
}

// lineRange returns the lines, counted from 0, of the value at p in the formatted text of v: the first one and
// the one after the last. It returns 0, 0 if there is no such value.
func lineRange(v doc.Value, p doc.Path) (from, to int) {
	line := 0
	for _, step := range p {
		line++ // the opening bracket
		found := false
		if step.IsIndex {
			for i, e := range v.Elems() {
				if found = i == step.Index; found {
					break
				}
				line += valueHeight(e)
			}
			v = v.At(step.Index)
		} else {
			for name, m := range v.Members() {
				if found = name == step.Name; found {
					break
				}
				line += valueHeight(m)
			}
			v = v.Get(step.Name)
		}
		if !found {
			return 0, 0
		}
	}
	return line, line + valueHeight(v)
}

func valueHeight(v doc.Value) int { return strings.Count(string(v.Indent()), "\n") + 1 }

// turnTab moves to another tab.
func (in *info) turnTab(n int) {
	tabs := in.tabs()
	at := max(slices.Index(tabs, in.topTab()), 0)
	in.chosen = true
	in.tab = tabs[(at+n+len(tabs))%len(tabs)]
}

// focusSidePanel moves the focus to the side panel.
func (in *info) focusSidePanel() { in.top, in.tab, in.chosen = in.topTab(), tabSidePanel, true }

// refresh updates the pane for a location.
func (in *info) refresh(at location) {
	if !in.chosen {
		in.tab = in.firstTab(at)
	}
	switch in.topTab() {
	case tabField:
		in.showField(at)
	case tabProblems:
		in.showProblems(at.focus == paneInfo)
	case tabJSON:
		in.showJSON(at)
	}
}

// firstTab returns the tab shown until the user chooses one: help while a form field is focused, and the
// problems while the sections are. If there are none, or the focused object is filled in, it is the side panel,
// such as the preview.
func (in *info) firstTab(at location) tab {
	beside := in.sidePanel != nil && !in.split
	switch {
	case at.focus == paneSections && beside && errorCount(in.edit) == 0, at.focus != paneSections && beside && at.onObject():
		return tabSidePanel
	case at.focus == paneSections:
		return tabProblems
	case at.focus == paneInfo: // what arrives meanwhile does not turn the page that is being read
		return in.tab
	}
	return tabField
}

func (in *info) showField(at location) {
	text := in.fieldText(at)
	if text != in.shown {
		in.shown = text
		in.pager.SetStyled(text)
	}
}

// fieldText describes the focused field: its problems first, then its documentation.
func (in *info) fieldText(at location) string {
	path, node := at.path, in.edit.Schema().At(at.path)
	if at.focus == paneForm && at.field != nil {
		path, node = at.field.Path, at.field.Node
	}
	var lines []string
	add := func(style lipgloss.Style, text string) {
		// Styles do not span lines: text is wrapped before it is styled.
		lines = append(lines, widget.WrapStyled(style, text, in.size.w-6)...)
	}
	for _, p := range in.edit.Problems() {
		if p.Path.Equal(path) {
			sign, tone := "✗ ", themes.ToneDanger
			if p.Severity == schema.Notice {
				sign, tone = "i ", themes.ToneInfo
			}
			add(in.theme.Tone(tone), sign+phrase.Sentence(p.Text()))
		}
	}
	for _, f := range in.warnings.at(path) {
		sign, tone := warningSign(f)
		add(in.theme.Tone(tone), sign+" "+f.Text()+". "+f.Remedy)
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
	add(in.theme.Strong, edit.PlaceLabel(path, node))
	if _, ok := sourceOf(node, in.edit.Root().Lookup(path).Text()); ok {
		add(in.theme.Text, "You are editing the MJML. The HTML that is compiled from it is in the preview.")
	}
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
	in.problemPaths = nil
	add := func(at doc.Path, icon string, tone themes.Tone, text string) {
		for _, line := range widget.WrapItem(widget.Item{Icon: icon, IconTone: tone, Text: text}, in.width) {
			items = append(items, line)
			in.problemPaths = append(in.problemPaths, at)
		}
	}
	for _, sev := range []schema.Severity{schema.Error, schema.Notice} {
		for _, p := range in.sections.inOrder(in.edit.Problems()) {
			if p.Severity != sev {
				continue
			}
			icon, tone := "✗", themes.ToneDanger
			switch {
			case sev == schema.Notice:
				icon, tone = "i", themes.ToneInfo
			case p.Missing():
				icon, tone = "○", themes.ToneWarning
			}
			add(p.Path, icon, tone, edit.PlaceName(in.edit.Schema(), p.Path)+": "+p.Text())
		}
	}
	for _, f := range in.warnings.result.Findings {
		icon, tone := warningSign(f)
		add(f.Path, icon, tone, cmp.Or(f.Place(), "Campaign")+": "+f.Text())
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

// warningSign returns the sign of a warning or note.
func warningSign(f check.Finding) (icon string, tone themes.Tone) {
	if f.Severity == check.Note {
		return "i", themes.ToneInfo
	}
	return "!", themes.ToneWarning
}

func (in *info) showJSON(at location) {
	text := string(sectionJSON(in.edit.Root(), at.path))
	if text != in.shown {
		in.shown = text
		in.json.SetText(text)
	}
	from, to := 0, 0
	if f := at.field; f != nil && f.Value.Exists() && f.Path.HasPrefix(at.path[:1]) {
		from, to = lineRange(in.edit.Root().Lookup(at.path[:1]), f.Path[1:])
	}
	in.json.Mark(from, to)
	if to > 0 {
		in.json.GoTo(from)
	}
}

// tabLine draws the tab names, the current one in brackets.
func (in *info) tabLine() string {
	var names []string
	for _, t := range in.tabs() {
		names = append(names, in.tabName(t))
	}
	return strings.Join(names, " ")
}

func (in *info) tabName(t tab) string {
	if t == in.topTab() {
		return "[" + in.name(t) + "]"
	}
	return in.name(t)
}

// selectedProblem returns the place of the problem under the cursor.
func (in *info) selectedProblem() (doc.Path, bool) {
	i := in.list.Cursor
	if in.tab != tabProblems || i < 0 || i >= len(in.problemPaths) {
		return nil, false
	}
	return in.problemPaths[i], true
}

// key passes a key to the current tab.
func (in *info) key(msg tea.KeyMsg) tea.Cmd {
	switch in.tab {
	case tabProblems:
		in.list.Update(msg)
	case tabJSON:
		in.json.Update(msg)
	case tabSidePanel:
		return in.sidePanel.Update(msg)
	default:
		in.pager.Update(msg)
	}
	return nil
}

// press selects the tab or side panel under a click at column x of the pane and line y below its frame.
func (in *info) press(x, y int) {
	tabs, _ := in.layout()
	switch {
	case in.split && y >= tabs.h-1:
		in.focusSidePanel()
	case in.split:
		in.tab = in.topTab()
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

// mouse passes a mouse event, at column X of the pane and line Y below its frame, to the view under it. It
// reports whether it hit a problem.
func (in *info) mouse(msg tea.MouseMsg) (cmd tea.Cmd, hit bool) {
	tabs, _ := in.layout()
	y := msg.Y
	if in.split && y >= tabs.h-1 {
		msg.X, msg.Y = msg.X-2, y-tabs.h
		return in.sidePanel.Update(msg), false
	}
	switch in.tab {
	case tabProblems:
		return nil, in.list.Mouse(msg, y)
	case tabJSON:
		in.json.Mouse(msg)
	case tabSidePanel:
		msg.X -= 2
		return in.sidePanel.Update(msg), false
	default:
		in.pager.Mouse(msg)
	}
	return nil, false
}

// view draws the pane.
func (in *info) view(focused bool) string {
	tabs, below := in.layout()
	inAside := focused && in.tab == tabSidePanel
	footer := "no problems"
	if n := errorCount(in.edit); n > 0 {
		footer = fmt.Sprintf("%d to do", n)
	}
	if note := in.note(); note != "" && in.topTab() == tabSidePanel {
		footer = note + " · " + footer
	}
	if n := in.warnings.count(); n > 0 {
		if all := footer + " · " + phrase.Count(n, "warning"); widget.FooterFits(all, tabs.w) {
			footer = all
		}
	}
	top := panel(in.theme, in.tabLine(), tabs, focused && !(inAside && in.split), footer).View(in.tabView())
	if !in.split {
		return top
	}
	title := in.sidePanel.Title()
	if note := in.note(); note != "" {
		title += " · " + note
	}
	return widget.JoinVertical(top, panel(in.theme, title, below, inAside, "").View(in.sidePanel.View()))
}

// tabView draws the current tab.
func (in *info) tabView() string {
	switch in.topTab() {
	case tabProblems:
		return in.list.View()
	case tabJSON:
		return in.json.View()
	case tabSidePanel:
		return in.sidePanel.View()
	}
	return in.pager.View()
}

// sidePanelAction returns the action that focuses the side panel, if there is one.
func (in *info) sidePanelAction(inForm bool, bar int, run func() tea.Cmd) []screen.Action {
	if in.sidePanel == nil {
		return nil
	}
	title := strings.ToLower(in.sidePanel.Title())
	a := screen.Action{
		Name: "side-panel", Keys: []string{"p", "alt+p"}, Label: title, Help: "go to the panel beside the form", Group: groupMove, BarPriority: bar, WhileTyping: true,
		Run: run,
	}
	a.Keys = keysAt(a.Keys, inForm)
	return []screen.Action{a}
}

// keysAt returns the key of an action that has a letter, and one with alt for use in text fields.
func keysAt(keys []string, inForm bool) []string {
	if inForm {
		return keys[1:]
	}
	return keys[:1]
}
