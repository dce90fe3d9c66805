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

// Longer texts are edited externally, because the time that a widget takes per key grows with its text.
const (
	maxInput     = 2000 // bytes of a one-line text
	maxText      = 2000 // bytes of a text of several lines
	maxTextLines = 40
	maxPaste     = 1000 // bytes that a widget accepts at once
)

// cursorMarker marks the cursor while a long text is pasted without the widget.
const cursorMarker = rune(substituteBase + 0xFE)

// buffer is the private text of a widget: text is the widget's current text, start its initial one, and parse
// converts a changed text to a value.
type buffer struct {
	widget      huh.Field
	text, start string
	replacement *string // set by a paste that is too long for the widget: the field's text
	parse       func(string) doc.Value
}

// init prepares the widget and takes its initial text as the one to compare with. It returns false if the
// widget does not return the text unchanged.
func (b *buffer) init(l widgetStyle, given string) bool {
	b.widget = b.widget.WithTheme(l.theme).WithKeyMap(l.keys)
	b.widget.Init()
	b.widget.Blur() // makes the widget write its text back
	b.start = b.text
	b.widget.Focus() // the command, which would blink the cursor, is dropped
	return b.text == given
}

func (b *buffer) value() (doc.Value, bool) {
	if b.replacement != nil {
		return b.parse(decodeHidden(*b.replacement)), true
	}
	if b.text == b.start {
		return doc.Value{}, false
	}
	return b.parse(decodeHidden(b.text)), true
}

// backspace deletes one grapheme cluster, which a widget would split. The widget does not expose its cursor, so
// a marker is inserted to find it.
func (b *buffer) backspace() {
	back := tea.KeyMsg{Type: tea.KeyBackspace}
	if !strings.ContainsFunc(b.text, func(r rune) bool { return r >= 0x300 }) {
		b.send(back)
		return
	}
	b.insert(string(cursorMarker))
	before, _, _ := strings.Cut(b.text, string(cursorMarker))
	for range 1 + lastCharacter(before) {
		b.send(back)
	}
}

// lastCharacter returns the number of code points of the last grapheme cluster of s: a joined emoji, a flag, or
// a letter with its marks; otherwise one.
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
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{cursorMarker}, Paste: true})
	all := strings.Replace(b.text, string(cursorMarker), s, 1)
	b.replacement = &all
}

// isEditKey reports whether a key edits a line of text. All others are handled by the form or the screen.
func isEditKey(msg tea.KeyMsg) bool {
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

// textInput edits a line of text with a huh.Input. Below it are suggestions and, after "{{", expressions.
type textInput struct {
	buffer
	suggest       []typeahead.Item
	list          typeahead.List
	commaList     bool              // the text is a list with commas: suggestions are for its last value
	unknownNote   string            // shown beside a text that is not a suggestion
	isValid       func(string) bool // accepts texts that are not suggestions; nil accepts none
	expr          completion
	continuations func(text string) (offers []string, whole bool) // possible continuations of a text, used instead of suggest
	placeholder   string
	at            int  // characters before the cursor
	edited        bool // the text has been edited in place
	replacing     bool // the text replaces the value, to which esc returns
	style         widgetStyle
}

// newTextInput returns a one-line field. It returns false if the widget cannot represent the text.
func newTextInput(l widgetStyle, text, placeholder string, suggest []string, parse func(string) doc.Value) (*textInput, bool) {
	packed, ok := encodeHidden(text, false)
	if !ok || len(text) > maxInput {
		return nil, false
	}
	e := &textInput{suggest: typeahead.Items(suggest), placeholder: oneLine(placeholder), style: l, at: utf8.RuneCountInString(packed)}
	e.text, e.parse = packed, parse
	e.widget = huh.NewInput().Prompt("").Value(&e.text)
	ok = e.init(l, packed)
	e.listSuggestions()
	return e, ok
}

func (e *textInput) typing() bool { return true }
func (e *textInput) modal() bool  { return e.expr.open() || e.replacing }

// startReplacing starts searching for another value in a field with suggestions and a value.
func (e *textInput) startReplacing() {
	e.replacing = true
	e.clear()
}

// cancelReplacing ends the search and restores the field's value.
func (e *textInput) cancelReplacing() {
	e.replacing, e.edited = false, false
	e.clear()
	e.insert(e.start)
	e.list.Clear()
	e.updateSuggestions()
}

// hasUneditedValue reports whether the field has suggestions and a value that has not been edited.
func (e *textInput) hasUneditedValue() bool {
	return len(e.suggest) > 0 && !e.commaList && !e.edited && !e.replacing && e.text != "" && e.text == e.start && !schema.HasExpression(e.text)
}

func (e *textInput) clear() {
	e.send(tea.KeyMsg{Type: tea.KeyEnd})
	e.send(tea.KeyMsg{Type: tea.KeyCtrlU})
}

func (e *textInput) key(msg tea.KeyMsg) bool {
	if e.expr.key(&e.buffer, msg) {
		e.updateSuggestions()
		return true
	}
	pressed := msg.String()
	switch {
	case e.replacing && pressed == "esc":
		e.cancelReplacing()
		return true
	case e.hasUneditedValue() && msg.Type == tea.KeyRunes && !msg.Alt:
		e.startReplacing()
	}
	switch {
	case pressed == "enter" && e.commaList:
		return e.accept() // the next value is typed after it
	case (pressed == "ctrl+n" || pressed == "ctrl+p") && e.list.Len() == 0:
		e.listAllSuggestions()
		return e.list.Key(pressed)
	case e.list.Key(pressed):
		return true
	case !isEditKey(msg):
		return false
	case msg.Type == tea.KeyBackspace && !msg.Alt:
		e.edited = true
		e.backspace()
	default:
		e.edited = true
		e.send(msg)
	}
	e.expr.update(&e.buffer)
	e.updateSuggestions()
	return true
}

// updateSuggestions updates the cursor position and the matches after a change.
func (e *textInput) updateSuggestions() {
	e.at = utf8.RuneCountInString(e.beforeCursor())
	e.listSuggestions()
}

// accept replaces the text with the highlighted suggestion. It reports whether that changed the text.
func (e *textInput) accept() bool {
	r, ok := e.list.Highlighted()
	if e.replacing {
		return e.acceptReplacement(r, ok)
	}
	if _, part := e.completionParts(); !ok || r.Free || r.Value == part && e.text != e.start {
		return false
	}
	e.insertSuggestion(r.Value)
	return true
}

// acceptReplacement accepts the highlighted value, or the text itself. If there is neither, the field has its old value
// again. It reports whether the value changed.
func (e *textInput) acceptReplacement(r typeahead.Row, ok bool) bool {
	if !ok {
		e.cancelReplacing()
		return true
	}
	e.replacing = false
	if !r.Free {
		e.insertSuggestion(r.Value)
	}
	return true
}

// insertSuggestion replaces the completed part of the text with a suggestion.
func (e *textInput) insertSuggestion(suggestion string) {
	kept, _ := e.completionParts()
	if e.commaList {
		suggestion = commaToken(suggestion)
		if kept != "" {
			kept += ", "
		}
	}
	packed, _ := encodeHidden(kept+suggestion, false)
	e.clear()
	e.insert(packed)
	e.list.Clear()
	e.updateSuggestions()
}

// completionParts returns the part of the text that a suggestion completes, and what precedes it. If nothing
// has been typed in a list, a new element is added.
func (e *textInput) completionParts() (kept, part string) {
	text := decodeHidden(e.text)
	if !e.commaList {
		return "", text
	}
	if e.text == e.start {
		return strings.TrimRight(text, ", "), ""
	}
	i := strings.LastIndexByte(text, ',')
	return strings.TrimRight(text[:max(i, 0)], ", "), strings.TrimSpace(text[i+1:])
}

// paste inserts a pasted text in the line.
func (e *textInput) paste(text string) {
	flat := strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(strings.TrimRight(text, "\r\n"))
	if packed, ok := encodeHidden(flat, false); ok {
		if e.hasUneditedValue() || e.replacing {
			e.clear()
		}
		e.replacing, e.edited = false, true
		e.insert(packed)
		e.updateSuggestions()
	}
}

// maxUnfiltered is the number of suggestions above which none is listed before something is typed.
const maxUnfiltered = 50

// listSuggestions lists the suggestions that match the text. Before something is typed, it lists all of them,
// unless the field has a value or there are too many.
func (e *textInput) listSuggestions() {
	typed := e.text != e.start
	if e.continuations != nil {
		offers, whole := e.continuations(decodeHidden(e.text))
		if !typed && e.text != "" {
			offers = nil
		}
		e.list.Show(typeahead.Options{Items: typeahead.Items(offers), Text: decodeHidden(e.text), Typed: typed && e.text != "" && !whole})
		return
	}
	if len(e.suggest) == 0 || !typed && (e.text != "" || len(e.suggest) > maxUnfiltered) || schema.HasExpression(e.text) {
		e.list.Clear()
		return
	}
	_, part := e.completionParts()
	o := typeahead.Options{Items: typeahead.Match(e.unusedSuggestions(part), part), Text: part, Typed: typed && part != "", Free: typed, Note: e.unknownNote}
	if o.Valid = e.isValid != nil && e.isValid(part); o.Valid {
		o.Note = ""
	}
	if e.commaList && slices.Contains(commaTokens(decodeHidden(e.text)), part) && e.suggested(part) {
		o.Typed, o.Free = false, false // this value is complete
	}
	e.list.Show(o)
}

// listAllSuggestions lists all suggestions for a field with a value.
func (e *textInput) listAllSuggestions() {
	_, part := e.completionParts()
	if e.continuations != nil {
		offers, _ := e.continuations("")
		e.list.Show(typeahead.Options{Items: typeahead.Items(offers)})
		return
	}
	items := slices.DeleteFunc(e.unusedSuggestions(part), func(it typeahead.Item) bool { return it.Value == part && !e.commaList })
	if found := typeahead.Match(items, part); !e.suggested(part) && len(found) > 0 {
		items = found // a part of a name is completed
	}
	e.list.Show(typeahead.Options{Items: items})
}

// unusedSuggestions returns the suggestions that a list does not contain yet; part is being typed.
func (e *textInput) unusedSuggestions(part string) []typeahead.Item {
	if !e.commaList {
		return slices.Clone(e.suggest)
	}
	taken := commaTokens(decodeHidden(e.text))
	return slices.DeleteFunc(slices.Clone(e.suggest), func(it typeahead.Item) bool {
		return slices.Contains(taken, it.Value) && it.Value != part || it.Value == part && e.text == e.start
	})
}

func (e *textInput) suggested(value string) bool {
	return slices.ContainsFunc(e.suggest, func(it typeahead.Item) bool { return it.Value == value })
}

func (e *textInput) line() typeahead.Line {
	return typeahead.Line{Text: showSubstitutes(e.text), Cursor: e.at, Placeholder: e.placeholder}
}

func (e *textInput) view(w, h int) string {
	lines := []string{e.line().View(e.style.t, w)}
	list := &e.list
	if e.expr.open() {
		list = &e.expr.list
	}
	return strings.Join(append(lines, list.Lines(e.style.t, w, min(h-1, typeahead.MaxRows))...), "\n")
}

// press moves the cursor to a click on the line, or accepts the clicked row of the list. It reports whether a
// row was accepted.
func (e *textInput) press(x, y, w int) bool {
	if y == 0 {
		e.edited = true
		e.expr.close()
		e.moveCursor(e.line().At(x, w))
		return false
	}
	if e.expr.open() {
		if i, ok := e.expr.list.RowAt(y - 1); ok && e.expr.list.Highlight(i) {
			e.expr.accept(&e.buffer)
			e.updateSuggestions()
		}
		return false
	}
	i, ok := e.list.RowAt(y - 1)
	if !ok || !e.list.Highlight(i) {
		return false
	}
	e.accept()
	return !e.commaList
}

// moveCursor moves the cursor after the first n characters.
func (e *textInput) moveCursor(n int) {
	e.send(tea.KeyMsg{Type: tea.KeyHome})
	for range n {
		e.send(tea.KeyMsg{Type: tea.KeyRight})
	}
	e.at = n
}
