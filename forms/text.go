package forms

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/message/template"
	"bugle/engine/schema"
	"bugle/forms/textfield"
	"bugle/forms/typeahead"
	"bugle/themes"
)

// Longer texts are edited externally, because the time that a field takes per key grows with its text.
const (
	maxText      = 2000 // bytes
	maxPage      = 40_000
	maxTextLines = 40
	maxName      = 1000 // bytes of a pasted name
)

// tooLong reports whether a text is edited externally because of its length.
func tooLong(text string, s Shape) bool {
	if s == shapePage {
		return len(text) > maxPage
	}
	return len(text) > maxText || s == shapeTextArea && strings.Count(text, "\n") >= maxTextLines
}

// textEditor edits a text, of one line or several. Below it are suggestions and, after "{{", expressions.
type textEditor struct {
	*textfield.Field
	theme       *themes.Theme
	start       string // the text of the row
	area        bool   // the text may have several lines
	suggest     []typeahead.Item
	list        typeahead.List
	commaList   bool              // the text is a list with commas: suggestions are for its last value
	unknownNote string            // shown beside a text that is not a suggestion
	isValid     func(string) bool // accepts texts that are not suggestions; nil accepts none
	// expressions can be inserted after "{{": while completing, the list has those that match prefix, the typed part of the
	// name. function is the one that the cursor is at, or nil.
	expressions []expression
	completing  bool
	prefix      string
	function    *template.Function
	// offers returns continuations of a text, used instead of suggest, and whether it is whole without them; nil for none.
	offers    func(text string) (offers []string, whole bool)
	replaces  bool // what is typed replaces the text, also without suggestions
	closed    bool // a text that is neither a suggestion nor valid cannot be chosen
	eager     bool // the first suggestion is highlighted before something is typed
	edited    bool // the text has been edited in place
	replacing bool // the text replaces the value, to which esc returns
	page      int  // how many lines a page down is
}

// newTextEditor returns an editor with its field. It returns nil if the field cannot keep the text.
func newTextEditor(t *themes.Theme, s Shape, text, placeholder string) *textEditor {
	if !textfield.Accepts(text) || tooLong(text, s) {
		return nil
	}
	e := &textEditor{theme: t, area: s == shapeTextArea || s == shapePage, start: text}
	if e.area {
		e.Field = textfield.NewArea(t, placeholder)
	} else {
		e.Field = textfield.New(t, placeholder)
	}
	e.Focus() // the cursor of a field without focus does not move
	e.SetText(text)
	if e.Tall = s == shapePage; e.Tall {
		e.Start()
	}
	return e
}

func (e *textEditor) typing() bool { return true }
func (e *textEditor) modal() bool  { return e.completing || e.replacing }

// changed reports whether the text differs from that of the row.
func (e *textEditor) changed() bool { return e.Text() != e.start }

// value returns the text.
func (e *textEditor) value() (doc.Value, bool) { return doc.NewString(e.Text()), e.changed() }

// cancelReplacing ends the search and restores the field's value.
func (e *textEditor) cancelReplacing() {
	e.replacing, e.edited = false, false
	e.SetText(e.start)
	e.list.Clear()
	e.listSuggestions()
}

// hasUneditedValue reports whether the field has suggestions and a value that has not been edited.
func (e *textEditor) hasUneditedValue() bool {
	replaceable := (len(e.suggest) > 0 || e.replaces) && !e.commaList && !schema.HasExpression(e.start)
	return replaceable && !e.edited && !e.replacing && e.start != "" && !e.changed()
}

func (e *textEditor) key(msg tea.KeyMsg) bool {
	pressed := msg.String()
	switch {
	case e.completing && pressed == "esc":
		e.closeExpressions()
		return true
	case e.completing && (pressed == "enter" || pressed == "tab"):
		e.insertExpression()
		return true
	case e.replacing && pressed == "esc":
		e.cancelReplacing()
		return true
	case e.hasUneditedValue() && msg.Type == tea.KeyRunes && !msg.Alt:
		e.replacing = true
		e.SetText("")
	}
	switch {
	case pressed == "enter" && e.commaList:
		return e.accept() // the next value is typed after it
	case (pressed == "ctrl+n" || pressed == "ctrl+p") && e.list.Len() == 0:
		e.listAllSuggestions()
		return e.list.Key(pressed)
	case e.list.Key(pressed):
		return true
	case e.Tall && e.pageKey(pressed):
	case !e.Key(msg):
		return false
	}
	e.edited = true
	e.listSuggestions()
	return true
}

// acceptsOn reports whether a key that leaves the field accepts the highlighted suggestion: enter, and tab if something was
// typed.
func (e *textEditor) acceptsOn(pressed string) bool {
	return !e.completing && (pressed == "enter" && !e.commaList || pressed == "tab" && e.changed())
}

// accept replaces the text with the highlighted suggestion; if the value is being replaced and there is no text either, the
// field has its old value again. It reports whether that changed the text.
func (e *textEditor) accept() bool {
	r, ok := e.list.Highlighted()
	_, part := e.completionParts()
	switch {
	case e.replacing && !ok && part == "":
		e.cancelReplacing()
		return true
	case !ok || r.Free || !e.replacing && r.Value == part && e.changed():
		e.replacing = false
		return false
	}
	e.replacing = false
	e.insertSuggestion(r.Value)
	return true
}

// insertSuggestion replaces the completed part of the text with a suggestion.
func (e *textEditor) insertSuggestion(suggestion string) {
	kept, _ := e.completionParts()
	if e.commaList {
		suggestion = commaToken(suggestion)
		if kept != "" {
			kept += ", "
		}
	}
	e.SetText(kept + suggestion)
	e.list.Clear()
	e.listSuggestions()
}

// completionParts returns the part of the text that a suggestion completes, and what precedes it. If nothing
// has been typed in a list, a new element is added.
func (e *textEditor) completionParts() (kept, part string) {
	text := e.Text()
	if !e.commaList {
		return "", text
	}
	if text == e.start {
		return strings.TrimRight(text, ", "), ""
	}
	i := strings.LastIndexByte(text, ',')
	return strings.TrimRight(text[:max(i, 0)], ", "), strings.TrimSpace(text[i+1:])
}

// paste inserts a pasted text.
func (e *textEditor) paste(text string) {
	if e.hasUneditedValue() || e.replacing {
		e.SetText("")
	}
	e.replacing, e.edited = false, true
	e.Paste(text)
	e.listSuggestions()
}

// maxUnfiltered is the number of suggestions above which none is listed before something is typed.
const maxUnfiltered = 50

// listSuggestions lists the suggestions that match the text. Before something is typed, it lists all of them,
// unless the field has a value or there are too many.
func (e *textEditor) listSuggestions() {
	if e.listExpressions() {
		return
	}
	text, typed := e.Text(), e.changed()
	_, part := e.completionParts()
	o := typeahead.Options{Text: part, Typed: typed && part != "" || e.eager && text == ""}
	switch {
	case !typed && text != "", schema.HasExpression(text), !typed && len(e.suggest) > maxUnfiltered:
		e.list.Clear()
		return
	case e.offers != nil:
		offers, whole := e.offers(text)
		o.Items, o.Typed = typeahead.Items(offers), o.Typed && !whole
	case len(e.suggest) > 0:
		o.Items = typeahead.Match(e.unusedSuggestions(part), part)
		valid := e.isValid != nil && e.isValid(part)
		complete := e.commaList && slices.Contains(SplitList(text), part) && e.suggested(part)
		o.Valid, o.Free, o.Typed = valid, typed && (valid || !e.closed) && !complete, o.Typed && !complete
		if !valid {
			o.Note = e.unknownNote
		}
	}
	e.list.Show(o)
}

// listAllSuggestions lists all suggestions for a field with a value; those that continue a part of a name.
func (e *textEditor) listAllSuggestions() {
	_, part := e.completionParts()
	items := slices.DeleteFunc(e.unusedSuggestions(part), func(it typeahead.Item) bool { return it.Value == part && !e.commaList })
	if found := typeahead.Match(items, part); !e.suggested(part) && len(found) > 0 {
		items = found
	}
	if e.offers != nil {
		offers, _ := e.offers("")
		items = typeahead.Items(offers)
	}
	e.list.Show(typeahead.Options{Items: items})
}

// unusedSuggestions returns the suggestions that a list does not contain yet; part is being typed.
func (e *textEditor) unusedSuggestions(part string) []typeahead.Item {
	if !e.commaList {
		return slices.Clone(e.suggest)
	}
	taken := SplitList(e.Text())
	return slices.DeleteFunc(slices.Clone(e.suggest), func(it typeahead.Item) bool {
		return slices.Contains(taken, it.Value) && it.Value != part || it.Value == part && !e.changed()
	})
}

func (e *textEditor) suggested(value string) bool {
	return slices.ContainsFunc(e.suggest, func(it typeahead.Item) bool { return it.Value == value })
}

// view draws the text in at most h lines of w cells, with the list below it.
func (e *textEditor) view(w, h int) string {
	rows := h
	if e.Tall { // the list takes lines of the text
		rows -= min(e.list.Len(), typeahead.MaxRows)
	}
	e.SetSize(w, rows)
	text := e.View()
	room := max(h-1-strings.Count(text, "\n"), 1)
	return strings.Join(append([]string{text}, e.list.Lines(e.theme, w, min(room, typeahead.MaxRows))...), "\n")
}

// press moves the cursor to a click on the line, or accepts the clicked row of the list. It reports whether a
// suggestion was accepted, which completes the value.
func (e *textEditor) press(x, y int) bool {
	below := y - 1 - strings.Count(e.View(), "\n")
	i, listed := e.list.RowAt(below)
	switch {
	case below < 0:
		e.edited = true
		e.Click(x)
		e.listSuggestions()
	case !listed || !e.list.Highlight(i):
	case e.completing:
		e.insertExpression()
	default:
		e.accept()
		return !e.commaList
	}
	return false
}
