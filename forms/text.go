package forms

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"
	"github.com/rivo/uniseg"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Longer texts are shown, and edited outside: widgets take a time per key that grows with them.
const (
	maxInput     = 2000 // bytes of a one-line text
	maxText      = 2000 // bytes of a text of several lines
	maxTextLines = 40
	maxPaste     = 1000 // bytes that a widget takes at once
)

// editor is what the focused field is edited with.
type editor interface {
	// key takes a key, and reports false for one that it has no use for.
	key(tea.KeyMsg) bool
	// value gives what the field holds, absent for nothing, and whether a person changed it.
	value() (doc.Value, bool)
	// view draws at most h lines; they may be wider than w, the form cuts them.
	view(w, h int) string
	// typing reports that letters are text here.
	typing() bool
	// modal reports that every key is the editor's, Escape and Enter as well.
	modal() bool
}

// paster is an editor that takes pasted text.
type paster interface{ paste(text string) }

// marker stands for the cursor while a long text is pasted around the widget.
const marker = rune(standIn + 0xFE)

// buffer is the private text of a widget. text is what the widget holds, start what it held when
// it was made, and parse what a changed text stands for.
type buffer struct {
	widget      huh.Field
	text, start string
	around      *string // set by a paste too long for the widget: what the field holds instead
	parse       func(string) doc.Value
}

// settle readies the widget and takes its first text as the one to compare with. It reports false
// where the widget would not give back the text that it was given.
func (b *buffer) settle(l look, given string) bool {
	b.widget = b.widget.WithTheme(l.theme).WithKeyMap(l.keys)
	b.widget.Init()
	b.widget.Blur() // writes what the widget made of its text
	b.start = b.text
	b.widget.Focus() // its command would make the cursor blink: a still screen stays still
	return b.text == given
}

func (b *buffer) value() (doc.Value, bool) {
	if b.around != nil {
		return b.parse(unpack(*b.around)), true
	}
	if b.text == b.start {
		return doc.Value{}, false
	}
	return b.parse(unpack(b.text)), true
}

// backspace deletes what a person sees as one character: a widget would take a joined emoji apart.
// The widget does not tell where its cursor is, so a marker finds it.
func (b *buffer) backspace() {
	back := tea.KeyMsg{Type: tea.KeyBackspace}
	if !strings.ContainsFunc(b.text, func(r rune) bool { return r >= 0x300 }) {
		b.send(back)
		return
	}
	b.insert(string(marker))
	before, _, _ := strings.Cut(b.text, string(marker))
	for range 1 + lastCharacter(before) {
		b.send(back)
	}
}

// lastCharacter gives how many code points the last character of s takes: all of a joined emoji, a
// flag, a letter with its marks; otherwise one.
func lastCharacter(s string) int {
	var last []rune
	for g := uniseg.NewGraphemes(s); g.Next(); {
		last = g.Runes()
	}
	n := len(last)
	if n < 2 {
		return n
	}
	const zwj, firstFlag, lastFlag, firstTone, lastTone = 0x200D, 0x1F1E6, 0x1F1FF, 0x1F3FB, 0x1F3FF
	end := last[n-1]
	if unicode.Is(unicode.M, end) || last[n-2] == zwj || end == zwj || end >= firstFlag && end <= lastFlag || end >= firstTone && end <= lastTone {
		return n
	}
	return 1
}

func (b *buffer) send(msg tea.Msg) { b.widget.Update(msg) } // huh's fields are pointers

func (b *buffer) insert(s string) {
	if len(s) <= maxPaste {
		b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s), Paste: true})
		return
	}
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{marker}, Paste: true})
	all := strings.Replace(b.text, string(marker), s, 1)
	b.around = &all
}

// editing tells the keys that edit a line of text. All others are the form's or the screen's.
func editing(msg tea.KeyMsg) bool {
	switch msg.Type {
	case tea.KeyRunes, tea.KeySpace:
		return !msg.Alt || slices.Contains([]string{"alt+b", "alt+f", "alt+d"}, msg.String())
	}
	switch msg.String() {
	case "backspace", "ctrl+h", "delete", "ctrl+d", "left", "right", "home", "end", "ctrl+a", "ctrl+b", "ctrl+f",
		"ctrl+left", "ctrl+right", "alt+left", "alt+right", "ctrl+w", "alt+backspace", "alt+delete", "ctrl+u":
		return true
	}
	return false
}

// input edits a line of text with a huh.Input, with a list of suggestions below it where there
// are any.
type input struct {
	buffer
	suggest []string
	pick    int               // the suggestion that Enter takes; -1: none
	many    bool              // the text is a list with commas: suggestions are for its last value
	closed  bool              // nothing but a suggestion is right: Enter completes what is typed
	right   func(string) bool // what is right though it is no suggestion; nil: nothing
	expr    completion
	width   int
}

// newInput makes a field of one line. It reports false where the text cannot go through a widget
// unchanged.
func newInput(l look, text, placeholder string, suggest []string, parse func(string) doc.Value) (*input, bool) {
	packed, ok := pack(text, false)
	if !ok || len(text) > maxInput {
		return nil, false
	}
	e := &input{suggest: suggest, pick: -1}
	e.text, e.parse = packed, parse
	e.widget = huh.NewInput().Prompt("").Placeholder(oneLine(placeholder)).Value(&e.text)
	return e, e.settle(l, packed)
}

func (e *input) typing() bool { return true }
func (e *input) modal() bool  { return e.expr.open() }

func (e *input) key(msg tea.KeyMsg) bool {
	if e.expr.key(&e.buffer, msg) {
		return true
	}
	switch msg.String() {
	case "ctrl+n", "ctrl+p":
		n := len(e.matches())
		if n == 0 {
			return false
		}
		if msg.String() == "ctrl+n" {
			e.pick = (e.pick + 1) % n
		} else {
			e.pick = (max(e.pick, 0) + n - 1) % n
		}
		return true
	case "enter":
		m := e.matches()
		if e.pick < 0 || e.pick >= len(m) {
			return false
		}
		e.take(m[e.pick])
		return true
	}
	switch {
	case !editing(msg):
		return false
	case msg.Type == tea.KeyBackspace && !msg.Alt:
		e.backspace()
	default:
		e.send(msg)
	}
	e.pick = -1
	e.expr.follow(&e.buffer)
	return true
}

// maxSuggestions is how many suggestions are in sight at once.
const maxSuggestions = 6

// complete puts a suggestion in the place of what was typed, before Enter goes on to the next field: the
// one that was picked, or the first one where nothing but a suggestion is right. It reports whether it
// did.
func (e *input) complete() bool {
	if m := e.matches(); !e.many && e.pick >= 0 && e.pick < len(m) {
		e.take(m[e.pick])
		return true
	}
	text := unpack(e.text)
	if !e.closed || e.pick >= 0 || e.text == e.start || text == "" || schema.HasExpression(text) || slices.Contains(e.suggest, text) || e.right != nil && e.right(text) {
		return false
	}
	m := e.matches()
	if len(m) == 0 {
		return false
	}
	e.take(m[0])
	return true
}

// take puts a suggestion in the place of what it completes.
func (e *input) take(suggestion string) {
	kept, _ := e.completing()
	if e.many {
		suggestion = commaToken(suggestion)
		if kept != "" {
			kept += ", "
		}
	}
	packed, _ := pack(kept+suggestion, false)
	e.send(tea.KeyMsg{Type: tea.KeyEnd})
	e.send(tea.KeyMsg{Type: tea.KeyCtrlU})
	e.insert(packed)
	e.pick = -1
}

// completing gives the part of the text that a suggestion completes, and what stays before it. A
// list that nobody has typed in is gone on with.
func (e *input) completing() (kept, part string) {
	text := unpack(e.text)
	if !e.many {
		return "", text
	}
	if e.text == e.start {
		return strings.TrimRight(text, ", "), ""
	}
	i := strings.LastIndexByte(text, ',')
	return strings.TrimRight(text[:max(i, 0)], ", "), strings.TrimSpace(text[i+1:])
}

// paste puts a pasted text on the one line.
func (e *input) paste(text string) {
	flat := strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(strings.TrimRight(text, "\r\n"))
	if packed, ok := pack(flat, false); ok {
		e.insert(packed)
	}
}

// matches gives the suggestions that contain what is typed, all of them until something is.
func (e *input) matches() []string {
	_, part := e.completing()
	if e.text == e.start && !e.many && slices.Contains(e.suggest, part) {
		part = "" // the others are what may be wanted in its place
	}
	var taken []string
	if e.many {
		taken = commaTokens(unpack(e.text))
	}
	var out []string
	for _, s := range e.suggest {
		if s != part && strings.Contains(folded(s), folded(part)) && !slices.Contains(taken, s) {
			out = append(out, s)
		}
	}
	return out
}

// folded makes "new york" find New_York.
func folded(s string) string { return strings.ReplaceAll(strings.ToLower(s), " ", "_") }

// longList is how many suggestions are too many to be listed before something is typed.
const longList = 50

func (e *input) view(w, h int) string {
	if w != e.width {
		e.width = w
		e.widget.WithWidth(w)
		e.send(nil)
	}
	lines := []string{showStandIns(e.widget.View())}
	if e.expr.open() {
		return strings.Join(append(lines, e.expr.lines(h-1)...), "\n")
	}
	var m []string
	if e.text != e.start || e.text == "" && len(e.suggest) <= longList || e.pick >= 0 {
		m = e.matches()
	}
	from, to := window(len(m), e.pick, min(h-1, maxSuggestions))
	for i := from; i < to; i++ {
		lines = append(lines, bullet(i == e.pick)+oneLine(m[i]))
	}
	if to < len(m) && to > from {
		lines[len(lines)-1] += fmt.Sprintf("  (%d more)", len(m)-to)
	}
	return strings.Join(lines, "\n")
}

func bullet(on bool) string {
	if on {
		return "> "
	}
	return "  "
}

// window gives the part of n rows, at most h, that shows row at.
func window(n, at, h int) (from, to int) {
	h = max(min(h, n), 0)
	from = min(max(at-h+1, 0), n-h)
	return from, from + h
}
