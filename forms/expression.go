package forms

import (
	"regexp"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/message/template"
	"bugle/forms/textfield"
	"bugle/forms/typeahead"
)

// expression is an expression that can be inserted into a text: its source and its name. Any other kind of
// expression has its text.
type expression struct{ source, name, text string }

// sourceFilters is the source of filters, which are inserted after the bar.
const sourceFilters = "filter"

// String returns the expression without braces and default.
func (e expression) String() string {
	if e.text != "" {
		return e.text
	}
	quote := "'"
	if strings.Contains(e.name, quote) {
		quote = `"`
	}
	return e.source + "[" + quote + e.name + quote + "]"
}

// expressionLists maps the workspace's lists whose names an expression can use to their prefix (CONTRACT.md,
// Personalization).
var expressionLists = []struct{ list, of string }{
	{"user_attributes", "UserAttribute"},
	{"trigger_attributes", "EventAttribute"},
	{"business_attributes", "BusinessEventAttribute"},
	{"content_blocks", "ContentBlock"},
}

// Lists of whole expressions, and of filters.
const (
	wholeExpressions  = "expressions"
	expressionFilters = "expression_filters"
)

// completion suggests expressions while the cursor is after "{{" in a text.
type completion struct {
	expressions []expression
	list        typeahead.List     // of those that match; the Ref of an item is its index
	prefix      string             // the typed part of the name
	at          *template.Function // the one that the cursor is at, or nil
}

func (c *completion) open() bool { return c.list.Len() > 0 }

func (c *completion) close() {
	c.prefix, c.at = "", nil
	c.list.Clear()
}

// update detects whether an expression is being typed, after a key has changed the text.
func (c *completion) update(f *textfield.Field) {
	c.close()
	if len(c.expressions) == 0 {
		return
	}
	before, after := f.Split()
	i := strings.LastIndex(before, "{{")
	if i < 0 {
		return
	}
	part := before[i+2:]
	if strings.ContainsAny(part, "}\n") {
		return
	}
	c.at = template.FunctionAt(part, after)
	bar := strings.LastIndexByte(part, '|')
	part = part[bar+1:]
	if strings.Contains(part, "(") || bar >= 0 && inQuotes(before[i+2:i+2+bar]) {
		return // an argument is being typed
	}
	c.prefix = strings.TrimLeft(part, " ")
	var items []typeahead.Item
	for i, e := range c.expressions {
		if (e.source == sourceFilters) != (bar >= 0) || strings.EqualFold(e.String(), c.prefix) {
			continue
		}
		it := typeahead.Item{Value: e.name, Info: e.source, Keywords: e.String(), Ref: i}
		if f := template.FunctionAt("|"+e.name, ""); f != nil && bar >= 0 {
			it.Info = f.Summary
		}
		items = append(items, it)
	}
	c.list.Show(typeahead.Options{Items: typeahead.Match(items, c.prefix), Typed: true})
}

func inQuotes(text string) bool {
	return strings.Count(text, "'")%2 == 1 || strings.Count(text, `"`)%2 == 1
}

// key handles the keys of an open list. It returns false for keys that edit the text.
func (c *completion) key(f *textfield.Field, msg tea.KeyMsg) bool {
	if !c.open() {
		return false
	}
	switch msg.String() {
	case "ctrl+n", "ctrl+p", "down", "up":
		c.list.Key(msg.String())
	case "enter", "tab":
		c.accept(f)
	case "esc":
		c.close()
	default:
		return false
	}
	return true
}

// accept inserts the selected expression in place of what was typed of it, and moves the cursor to what is
// typed next: its default, the first argument of a call, or the text after it.
func (c *completion) accept(f *textfield.Field) {
	e, part := c.selected(), c.prefix
	c.close()
	f.Delete(utf8.RuneCountInString(part))
	before, behind := e.split()
	if _, after := f.Split(); !strings.HasPrefix(strings.TrimLeft(after, " "), "}}") {
		behind += "}}"
	}
	f.Insert(before + behind)
	f.Left(utf8.RuneCountInString(behind))
	if e.source == sourceFilters {
		c.at = template.FunctionAt("|"+e.name, "")
	}
}

var quotedArgument = regexp.MustCompile(`'[^']*'|"[^"]*"`)

// split returns the parts of the expression before and after the cursor, without the braces. An attribute gets
// a default, a call gets quotes for its arguments, named after its parameters.
func (e expression) split() (before, behind string) {
	switch {
	case e.source == sourceFilters && e.text == "default":
		return "default('", "')"
	case e.source == sourceFilters:
		return e.text, ""
	case e.text == "":
		return e.String() + "|default('", "')"
	}
	call, args, ok := strings.Cut(e.text, "(")
	if !ok || args == ")" {
		return e.text, ""
	}
	empty := quotedArgument.ReplaceAllString("("+args, "''")
	return call + empty[:2], empty[2:]
}

// selected returns the highlighted expression.
func (c *completion) selected() expression {
	r, _ := c.list.Highlighted()
	return c.expressions[r.Ref]
}

// HighlightExpressions draws a text with its expressions in another tone, also one that is cut off at the end.
func HighlightExpressions(text string, plain, expression func(string) string) string {
	var b strings.Builder
	for part := range template.Parts(text) {
		if source := part.Source; part.Kind == template.TextPart {
			cut := strings.Index(source, "{{")
			if cut < 0 || part.End < len(text) {
				cut = len(source)
			}
			b.WriteString(plain(source[:cut]) + expression(source[cut:]))
		} else {
			b.WriteString(expression(source))
		}
	}
	return b.String()
}

// TemplateHelp returns what help on expressions is about: the function at the cursor, every filter if the focused
// field has an expression, or nothing.
func (f *Form) TemplateHelp() []*template.Function {
	if in, ok := f.editor.(*textEditor); ok && in.expr.at != nil {
		return []*template.Function{in.expr.at}
	}
	r, ok := f.focused()
	if !ok || r.Node == nil || !r.Node.Template || !template.HasTag(f.text(r)) {
		return nil
	}
	var filters []*template.Function
	for _, f := range template.Functions() {
		if f.Kind == template.FilterKind {
			filters = append(filters, f)
		}
	}
	return filters
}

// completion returns the open list of expressions; nil if there is none.
func (f *Form) completion() *completion {
	if in, ok := f.editor.(*textEditor); ok && in.expr.open() {
		return &in.expr
	}
	return nil
}

// hint describes what accepting the selected expression does.
func (c *completion) hint() string {
	switch e := c.selected(); {
	case e.text == "" || e.text == "default":
		return "enter inserts it; then type a default for users who have no value."
	case strings.Contains(e.text, "('") || strings.Contains(e.text, `("`):
		return "enter inserts it; then type its arguments."
	}
	return "enter inserts it."
}
