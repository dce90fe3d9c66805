package forms

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"bugle/engine/message/template"
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

// listExpressions lists the expressions that match what is typed after "{{", and reports whether there are any.
func (e *textEditor) listExpressions() bool {
	e.completing, e.function = false, nil
	if len(e.expressions) == 0 || !e.edited {
		return false
	}
	before, after := e.Split()
	i := strings.LastIndex(before, "{{")
	if i < 0 {
		return false
	}
	part := before[i+2:]
	if strings.ContainsAny(part, "}\n") {
		return false
	}
	e.function = template.FunctionAt(part, after)
	bar := strings.LastIndexByte(part, '|')
	name := part[bar+1:]
	if strings.Contains(name, "(") || bar >= 0 && inQuotes(part[:bar]) {
		return false // an argument is being typed
	}
	e.prefix = strings.TrimLeft(name, " ")
	var items []typeahead.Item
	for i, x := range e.expressions {
		if (x.source == sourceFilters) != (bar >= 0) || strings.EqualFold(x.String(), e.prefix) {
			continue
		}
		it := typeahead.Item{Value: x.name, Info: x.source, Keywords: x.String(), Ref: i}
		if f := template.FunctionAt("|"+x.name, ""); f != nil && bar >= 0 {
			it.Info = f.Summary
		}
		items = append(items, it)
	}
	e.list.Show(typeahead.Options{Items: typeahead.Match(items, e.prefix), Typed: true})
	e.completing = e.list.Len() > 0
	return e.completing
}

func inQuotes(text string) bool {
	return strings.Count(text, "'")%2 == 1 || strings.Count(text, `"`)%2 == 1
}

// closeExpressions closes the list of expressions.
func (e *textEditor) closeExpressions() {
	e.completing = false
	e.list.Clear()
}

// insertExpression inserts the highlighted expression in place of what was typed of it, and moves the cursor to what is
// typed next: its default, the first argument of a call, or the text after it.
func (e *textEditor) insertExpression() {
	at, _ := e.list.Highlighted()
	x := e.expressions[at.Ref]
	e.Delete(utf8.RuneCountInString(e.prefix))
	before, behind := x.split()
	if _, after := e.Split(); !strings.HasPrefix(strings.TrimLeft(after, " "), "}}") {
		behind += "}}"
	}
	e.Insert(before + behind)
	e.Left(utf8.RuneCountInString(behind))
	e.closeExpressions()
	e.function = nil
	if x.source == sourceFilters {
		e.function = template.FunctionAt("|"+x.name, "")
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
	if in, ok := f.editor.(*textEditor); ok && in.function != nil {
		return []*template.Function{in.function}
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

// hint describes what accepting the highlighted expression does.
func (e *textEditor) hint() string {
	at, _ := e.list.Highlighted()
	switch e := e.expressions[at.Ref]; {
	case e.text == "" || e.text == "default":
		return "enter inserts it; then type a default for users who have no value."
	case strings.Contains(e.text, "('") || strings.Contains(e.text, `("`):
		return "enter inserts it; then type its arguments."
	}
	return "enter inserts it."
}
