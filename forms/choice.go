package forms

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/forms/textfield"
)

// option is an option of a choice; its value is absent if it leaves the field empty.
type option struct {
	label string
	value doc.Value
}

// choice edits a value that is one of a few. Closed, it is one line: enter, space and letters open the list, and
// space turns a boolean round. Open, it is a list that is filtered by typing.
type choice struct {
	options   []option
	start, at int
	toggles   bool // space selects the next option
	open      menu
	style     widgetStyle
	w, h      int // available size of an open list
}

// menuEditor is an editor with a list that opens.
type menuEditor interface {
	step(by int)         // moves the highlight
	chooseAt(y int) bool // chooses the option on line y of the view; false if there is none
}

// step moves the highlight of the open list.
func (e *choice) step(by int) { e.open.key(arrow(by)) }

// chooseAt chooses the option on line y of the open list.
func (e *choice) chooseAt(y int) bool {
	if !moveToLine(e.view(e.w, e.h), y, e.step) {
		return false
	}
	return e.key(tea.KeyMsg{Type: tea.KeyEnter})
}

func arrow(by int) tea.KeyMsg {
	if by < 0 {
		return tea.KeyMsg{Type: tea.KeyUp}
	}
	return tea.KeyMsg{Type: tea.KeyDown}
}

// moveToLine moves the highlight of a drawn list to line y, step by step, because huh does not expose which
// options are visible. It returns false for a line without an option.
func moveToLine(view string, y int, step func(int)) bool {
	lines := strings.Split(ansi.Strip(view), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "> ") })
	if at < 0 || y < 0 || y >= len(lines) || !strings.HasPrefix(lines[y], "> ") && !strings.HasPrefix(lines[y], "  ") || strings.TrimSpace(lines[y]) == "" {
		return false
	}
	for ; at < y; at++ {
		step(1)
	}
	for ; at > y; at-- {
		step(-1)
	}
	return true
}

// menu is an open list of options.
type menu interface {
	key(tea.KeyMsg)
	view(w, h int) string
	hovered() (int, bool)
}

func newChoice(l widgetStyle, st schema.FieldState, w, h int) *choice {
	e := &choice{style: l, w: w, h: h, toggles: st.Node.Kind == schema.Bool}
	e.options, e.start = choices(st)
	e.at = e.start
	return e
}

// choices returns the options of a field and the index of the current one: no value, the available options, and
// the current value if it is not one of them.
func choices(st schema.FieldState) ([]option, int) {
	out, at := []option{{label: unsetText(st)}}, 0
	add := func(label string, v doc.Value, holds bool) {
		if holds {
			at = len(out)
		}
		out = append(out, option{label: label, value: v})
	}
	if st.Node.Kind == schema.Bool {
		yes, no := boolLabels(st.Node)
		add(yes, doc.NewBool(true), st.Value.True())
		add(no, doc.NewBool(false), st.Value.Kind() == doc.Bool && !st.Value.True())
	}
	for _, o := range st.Options {
		v := o.Literal(st.Node.Kind)
		holds := doc.Equal(v, st.Value)
		switch {
		case o.Offered:
			add(o.Title(), v, holds)
		case holds:
			add(o.Title()+" ("+o.Why+")", v, true)
		}
	}
	if at == 0 && st.Value.Exists() {
		add("(keep: "+firstRunes(keepText(st.Value), 60)+")", st.Value, true)
	}
	return out, at
}

// unsetText describes what happens if a field has no value.
func unsetText(st schema.FieldState) string {
	switch {
	case st.Node.Default != "":
		return "Default (" + defaultValue(st.Node) + ")"
	case st.Required:
		return "Not set"
	}
	return "None"
}

// boolLabels returns the labels of the values of a boolean.
func boolLabels(n *schema.Node) (yes, no string) {
	yes, no = "yes", "no"
	if n != nil && n.Yes != "" {
		yes, no = n.Yes, n.No
	}
	return yes, no
}

func keepText(v doc.Value) string {
	if v.Kind() == doc.String {
		return oneLine(v.Text())
	}
	return oneLine(string(v.Encode()))
}

func (e *choice) typing() bool { return e.open != nil }
func (e *choice) modal() bool  { return e.open != nil }

func (e *choice) value() (doc.Value, bool) { return e.options[e.at].value, e.at != e.start }

func (e *choice) key(msg tea.KeyMsg) bool {
	if e.open == nil {
		return e.closedKey(msg)
	}
	switch msg.String() {
	case "esc":
		e.open = nil
	case "enter", "tab":
		if i, ok := e.open.hovered(); ok {
			e.at, e.open = i, nil
		}
	default:
		e.open.key(msg)
	}
	return true
}

func (e *choice) closedKey(msg tea.KeyMsg) bool {
	switch s := msg.String(); {
	case s == " " && e.toggles:
		e.at = (e.at + 1) % len(e.options)
	case s == "enter", s == " ":
		e.open = e.newMenu()
	default:
		if msg.Type != tea.KeyRunes || msg.Alt || msg.Paste {
			return false
		}
		e.open = e.newMenu() // a letter filters the options
		e.open.key(msg)
	}
	return true
}

func (e *choice) newMenu() menu {
	if len(e.options) < e.h && len(e.options) <= 50 {
		return newHuhMenu(e.style, e.options, e.at, e.w)
	}
	p := &longMenu{options: e.options}
	p.setFilter(nil)
	p.cursor = e.at
	return p
}

func (e *choice) view(w, h int) string {
	e.w, e.h = w, h
	if e.open != nil {
		view := e.open.view(w, h)
		if first, rest, ok := strings.Cut(view, "\n"); ok && strings.TrimRight(ansi.Strip(first), " ") == "/" {
			view = e.style.t.Accent.Render("/") + e.style.t.Faint.Render(cutLine(" type to find", w-1)) + "\n" + rest
		}
		return view
	}
	return cutLine(e.options[e.at].label, w-2) + e.style.t.Faint.Render(" ▾")
}

// huhMenu is a huh.Select over a private index.
type huhMenu struct {
	field *huh.Select[int]
	index int
}

// newHuhMenu cuts the labels to the width, because huh wraps them and then miscounts its lines.
func newHuhMenu(l widgetStyle, options []option, at, w int) *huhMenu {
	m := &huhMenu{index: at}
	opts := make([]huh.Option[int], len(options))
	for i, o := range options {
		opts[i] = huh.NewOption(cutLine(oneLine(o.label), max(w-2, 1)), i)
	}
	m.field = huh.NewSelect[int]().Title("filter").Options(opts...).Value(&m.index).Filtering(true)
	m.field.WithTheme(l.theme).WithKeyMap(l.keys).WithWidth(w)
	m.field.Focus()
	return m
}

func (m *huhMenu) key(msg tea.KeyMsg) {
	switch msg.Type {
	case tea.KeyUp, tea.KeyDown, tea.KeyCtrlN, tea.KeyCtrlP, tea.KeyPgUp, tea.KeyPgDown:
		if _, ok := m.field.Hovered(); ok { // without a match, huh moves to option -1 and panics later
			m.field.Update(msg)
		}
	default:
		if textfield.Edits(msg) {
			m.field.Update(msg)
			m.selectFirstMatch()
		}
	}
}

// selectFirstMatch moves to the first match, skipping the option without a value if there is another; huh keeps
// the index in the unfiltered list.
func (m *huhMenu) selectFirstMatch() {
	for last := -1; ; {
		i, ok := m.field.Hovered()
		if !ok || i == last {
			break
		}
		last = i
		m.field.Update(tea.KeyMsg{Type: tea.KeyPgUp})
	}
	if i, ok := m.field.Hovered(); ok && i == 0 {
		m.field.Update(tea.KeyMsg{Type: tea.KeyDown})
	}
}

func (m *huhMenu) hovered() (int, bool) { return m.field.Hovered() }

func (m *huhMenu) view(int, int) string { return strings.TrimRight(m.field.View(), "\n ") }

// longMenu is a list of many options: it draws only the visible ones.
type longMenu struct {
	options []option
	filter  []rune
	shown   []int
	cursor  int // index in shown
}

func (p *longMenu) key(msg tea.KeyMsg) {
	switch msg.String() {
	case "up", "ctrl+p":
		p.cursor = max(p.cursor-1, 0)
	case "down", "ctrl+n":
		p.cursor = max(min(p.cursor+1, len(p.shown)-1), 0)
	case "pgup":
		p.cursor = max(p.cursor-10, 0)
	case "pgdown":
		p.cursor = max(min(p.cursor+10, len(p.shown)-1), 0)
	case "backspace":
		p.setFilter(p.filter[:max(len(p.filter)-1, 0)])
	case "ctrl+u":
		p.setFilter(nil)
	default:
		if (msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace) && !msg.Alt {
			p.setFilter(append(p.filter, []rune(oneLine(string(msg.Runes)))...))
		}
	}
}

func (p *longMenu) setFilter(f []rune) {
	p.filter, p.cursor, p.shown = f, 0, p.shown[:0]
	want := strings.ToLower(string(f))
	for i, o := range p.options {
		if strings.Contains(strings.ToLower(o.label), want) {
			p.shown = append(p.shown, i)
		}
	}
	if len(f) > 0 && len(p.shown) > 1 && p.shown[0] == 0 {
		p.cursor = 1 // skip the option without a value
	}
}

func (p *longMenu) hovered() (int, bool) {
	if p.cursor >= len(p.shown) {
		return 0, false
	}
	return p.shown[p.cursor], true
}

func (p *longMenu) view(w, h int) string {
	lines := []string{"/" + string(p.filter)}
	from, to := visibleRange(len(p.shown), p.cursor, max(h-1, 1))
	for i := from; i < to; i++ {
		mark := "  "
		if i == p.cursor {
			mark = "> "
		}
		lines = append(lines, mark+cutLine(oneLine(p.options[p.shown[i]].label), w-2))
	}
	if len(p.shown) == 0 {
		lines = append(lines, "  no match")
	}
	return strings.Join(lines, "\n")
}

// visibleRange returns the range of n rows, at most h, that contains row at.
func visibleRange(n, at, h int) (from, to int) {
	h = max(min(h, n), 0)
	from = min(max(at-h+1, 0), n-h)
	return from, from + h
}
