package forms

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"
	"github.com/rivo/uniseg"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/forms/typeahead"
)

// Longer texts are shown, and edited outside: widgets take a time per key that grows with them.
const (
	maxInput     = 2000 // bytes of a one-line text
	maxText      = 2000 // bytes of a text of several lines
	maxTextLines = 40
	maxPaste     = 1000 // bytes that a widget takes at once
)

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

// lastCharacter returns how many code points the last character of s takes: all of a joined emoji, a
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

// editing reports whether a key edits a line of text. All others are the form's or the screen's.
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

// input edits a line of text with a huh.Input. Below it stand what the field suggests and, behind
// "{{", the expressions that can be put in.
type input struct {
	buffer
	suggest     []typeahead.Item
	list        typeahead.List
	many        bool              // the text is a list with commas: suggestions are for its last value
	strange     string            // stands beside a text that is no suggestion
	right       func(string) bool // what is right though it is no suggestion; nil: nothing
	expr        completion
	goesOn      func(text string) (offers []string, whole bool) // what a text can go on to, in the place of suggest
	placeholder string
	at          int  // characters before the cursor
	edited      bool // a key was pressed that edits the text in its place
	narrowing   bool // what is typed looks for another value; the old one stays until one is taken
	look        look
}

// newInput makes a field of one line. It reports false where the text cannot go through a widget
// unchanged.
func newInput(l look, text, placeholder string, suggest []string, parse func(string) doc.Value) (*input, bool) {
	packed, ok := pack(text, false)
	if !ok || len(text) > maxInput {
		return nil, false
	}
	e := &input{suggest: typeahead.Items(suggest), placeholder: oneLine(placeholder), look: l, at: utf8.RuneCountInString(packed)}
	e.text, e.parse = packed, parse
	e.widget = huh.NewInput().Prompt("").Value(&e.text)
	ok = e.settle(l, packed)
	e.offer()
	return e, ok
}

func (e *input) typing() bool { return true }
func (e *input) modal() bool  { return e.expr.open() || e.narrowing }

func (e *input) value() (doc.Value, bool) {
	if e.narrowing {
		return doc.Value{}, false
	}
	return e.buffer.value()
}

// narrow begins to look for another value in a field that suggests some and holds one.
func (e *input) narrow() {
	e.narrowing = true
	e.clear()
}

// keep ends the search with the value that the field held.
func (e *input) keep() {
	e.narrowing, e.edited = false, false
	e.clear()
	e.insert(e.start)
	e.list.Clear()
	e.follow()
}

// isFresh reports whether the field suggests values, holds one, and was not edited yet.
func (e *input) isFresh() bool {
	return len(e.suggest) > 0 && !e.many && !e.edited && !e.narrowing && e.text != "" && e.text == e.start && !schema.HasExpression(e.text)
}

func (e *input) clear() {
	e.send(tea.KeyMsg{Type: tea.KeyEnd})
	e.send(tea.KeyMsg{Type: tea.KeyCtrlU})
}

func (e *input) key(msg tea.KeyMsg) bool {
	if e.expr.key(&e.buffer, msg) {
		e.follow()
		return true
	}
	pressed := msg.String()
	switch {
	case e.narrowing && pressed == "esc":
		e.keep()
		return true
	case e.isFresh() && msg.Type == tea.KeyRunes && !msg.Alt:
		e.narrow()
	}
	switch {
	case pressed == "enter" && e.many:
		return e.accept() // the next value is typed behind it
	case (pressed == "ctrl+n" || pressed == "ctrl+p") && e.list.Len() == 0:
		e.offerAll()
		return e.list.Key(pressed)
	case e.list.Key(pressed):
		return true
	case !editing(msg):
		return false
	case msg.Type == tea.KeyBackspace && !msg.Alt:
		e.edited = true
		e.backspace()
	default:
		e.edited = true
		e.send(msg)
	}
	e.expr.follow(&e.buffer)
	e.follow()
	return true
}

// follow finds out where the cursor is, and what fits the text, once that has changed.
func (e *input) follow() {
	e.at = utf8.RuneCountInString(e.beforeCursor())
	e.offer()
}

// accept puts the highlighted suggestion in the place of what it completes. It reports whether that
// changed the text.
func (e *input) accept() bool {
	r, ok := e.list.Highlighted()
	if e.narrowing {
		return e.acceptNarrowed(r, ok)
	}
	if _, part := e.completing(); !ok || r.Free || r.Value == part && e.text != e.start {
		return false
	}
	e.take(r.Value)
	return true
}

// acceptNarrowed takes what was looked for: the highlighted value, or the text itself. With neither the old one
// stays. It reports whether the field holds another value then.
func (e *input) acceptNarrowed(r typeahead.Row, ok bool) bool {
	if !ok {
		e.keep()
		return false
	}
	e.narrowing = false
	if !r.Free {
		e.take(r.Value)
	}
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
	e.clear()
	e.insert(packed)
	e.list.Clear()
	e.follow()
}

// completing returns the part of the text that a suggestion completes, and what stays before it. A
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
		if e.isFresh() || e.narrowing {
			e.clear()
		}
		e.narrowing, e.edited = false, true
		e.insert(packed)
		e.follow()
	}
}

// longList is how many suggestions are too many to be listed before something is typed.
const longList = 50

// offer lists the suggestions that fit what is typed. Before something is, all of them are listed,
// unless the field holds something or they are too many.
func (e *input) offer() {
	typed := e.text != e.start
	if e.goesOn != nil {
		offers, whole := e.goesOn(unpack(e.text))
		if !typed && e.text != "" {
			offers = nil
		}
		e.list.Show(typeahead.Offer{Items: typeahead.Items(offers), Text: unpack(e.text), Typed: typed && e.text != "" && !whole})
		return
	}
	if len(e.suggest) == 0 || !typed && (e.text != "" || len(e.suggest) > longList) || schema.HasExpression(e.text) {
		e.list.Clear()
		return
	}
	_, part := e.completing()
	o := typeahead.Offer{Items: typeahead.Match(e.rest(part), part), Text: part, Typed: typed && part != "", Free: typed, Note: e.strange}
	if o.Right = e.right != nil && e.right(part); o.Right {
		o.Note = ""
	}
	if e.many && slices.Contains(commaTokens(unpack(e.text)), part) && e.suggested(part) {
		o.Typed, o.Free = false, false // this value is done
	}
	e.list.Show(o)
}

// offerAll lists all suggestions for a field that holds something: what may be wanted in its place.
func (e *input) offerAll() {
	_, part := e.completing()
	if e.goesOn != nil {
		offers, _ := e.goesOn("")
		e.list.Show(typeahead.Offer{Items: typeahead.Items(offers)})
		return
	}
	items := slices.DeleteFunc(e.rest(part), func(it typeahead.Item) bool { return it.Value == part && !e.many })
	if found := typeahead.Match(items, part); !e.suggested(part) && len(found) > 0 {
		items = found // a part of a name is gone on with
	}
	e.list.Show(typeahead.Offer{Items: items})
}

// rest returns the suggestions without those that a list holds already; part is being typed.
func (e *input) rest(part string) []typeahead.Item {
	if !e.many {
		return slices.Clone(e.suggest)
	}
	taken := commaTokens(unpack(e.text))
	return slices.DeleteFunc(slices.Clone(e.suggest), func(it typeahead.Item) bool {
		return slices.Contains(taken, it.Value) && it.Value != part || it.Value == part && e.text == e.start
	})
}

func (e *input) suggested(value string) bool {
	return slices.ContainsFunc(e.suggest, func(it typeahead.Item) bool { return it.Value == value })
}

func (e *input) line() typeahead.Line {
	return typeahead.Line{Text: showStandIns(e.text), Cursor: e.at, Placeholder: e.placeholder}
}

func (e *input) view(w, h int) string {
	lines := []string{e.line().View(e.look.t, w)}
	list := &e.list
	if e.expr.open() {
		list = &e.expr.list
	}
	return strings.Join(append(lines, list.Lines(e.look.t, w, min(h-1, typeahead.Most))...), "\n")
}

// press puts the cursor where the line is pressed, or accepts the row of the list that is. It
// reports whether a row was accepted.
func (e *input) press(x, y, w int) bool {
	if y == 0 {
		e.edited = true
		e.expr.close()
		e.toCursor(e.line().At(x, w))
		return false
	}
	if e.expr.open() {
		if i, ok := e.expr.list.RowAt(y - 1); ok && e.expr.list.Highlight(i) {
			e.expr.take(&e.buffer)
			e.follow()
		}
		return false
	}
	i, ok := e.list.RowAt(y - 1)
	if !ok || !e.list.Highlight(i) {
		return false
	}
	e.accept()
	return !e.many
}

// toCursor moves the cursor behind the first n characters.
func (e *input) toCursor(n int) {
	e.send(tea.KeyMsg{Type: tea.KeyHome})
	for range n {
		e.send(tea.KeyMsg{Type: tea.KeyRight})
	}
	e.at = n
}
