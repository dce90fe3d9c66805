package template

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// objects are the names that every template has, with what they are.
var objects = [][2]string{
	{"user.first_name", "an attribute of the user; also UserAttribute['First Name']"},
	{"event.product", "an attribute of the event that starts the campaign; also EventAttribute['product']"},
	{"BusinessEventAttribute['season']", "an attribute of its business event"},
	{"ContentBlock['footer']", "a content block of the workspace"},
	{"ContentApi.weather('Oslo').today", "what a content API returns"},
	{"ProductSet.shoes[0].title", "a product of a set"},
	{"loop.index", "in a loop; also index0, revindex, first, last, length, previtem, nextitem and depth"},
	{"date.year", "of a date; also month, day, hour, minute and second"},
	{"timedelta.days", "of a length of time; also seconds"},
}

// differences are the deliberate ones from Jinja.
var differences = []string{
	"A missing value, or none, without a default keeps the message from being sent.",
	"Whole numbers have no fraction: 6 / 3 is 2. Those of the data are written as they are there.",
	"Texts are not numbers: '40' == 40 is False, and '40' > 5 fails; write '40'|int. Only default replaces what fails.",
	"x.items is the entry with that name, and x.items() the method. Maps of the data are in the order of their keys.",
	"range, map, select and the like return lists. Line ends stay as they are.",
	"What no message needs does not exist, and an error says so: center, indent, slice, wordwrap, zfill, '{:>8}', '{:e}',",
	"  arguments from *lists and **maps, varargs and kwargs of macros, order of lists, and sort by several attributes.",
	"include, extends and import do not exist: write shared content as a content block.",
}

// Help returns the reference of templates.
func Help() string {
	var b strings.Builder
	b.WriteString("Texts are templates of Jinja 3.1: {{ an expression }}, {% a statement %} and {# a comment #}. The statements\n" +
		"are if, for, set, with, raw, macro, call, filter, autoescape and do.\n\nObjects\n\n")
	for _, o := range objects {
		fmt.Fprintf(&b, "  %-34s %s\n", o[0], o[1])
	}
	title := ""
	for _, f := range Functions() {
		if heading := f.heading(); heading != title {
			title = heading
			fmt.Fprintf(&b, "\n%s\n\n", title)
		}
		fmt.Fprintf(&b, "  %s\n      %s\n", f.Signature, strings.ReplaceAll(f.Entry(), "\n", "\n      "))
	}
	b.WriteString("\nDifferences from Jinja\n\n")
	for _, d := range differences {
		fmt.Fprintf(&b, "  %s\n", d)
	}
	return strings.TrimRight(b.String(), "\n")
}

func (f *Function) heading() string {
	if f.Kind == MethodKind {
		return "Methods of a " + f.On + ": x.name()"
	}
	return map[Kind]string{FilterKind: "Filters: x|name", TestKind: "Tests: x is name", GlobalKind: "Functions: name()"}[f.Kind]
}

// Entry returns what the function does, and its example with the result.
func (f *Function) Entry() string {
	return f.Summary + "\n" + strings.ReplaceAll(f.Example+"  →  "+f.Result, "\n", "⏎")
}

// Written returns the name as it stands in an expression: |upper, is odd, .split or now.
func (f *Function) Written() string {
	return map[Kind]string{FilterKind: "|", TestKind: "is ", MethodKind: "."}[f.Kind] + f.Name
}

var word = regexp.MustCompile(`^\w*`)

// beforeCursor matches the end of an expression: what is in front of a name, and the name with the arguments that
// follow it.
var beforeCursor = regexp.MustCompile(`(\||\.|\bis\s+(?:not\s+)?|\b)(\w+)\s*(?:\([^()|]*)?$`)

// FunctionAt returns the function whose name or arguments a cursor is at, between the two parts of an expression,
// or nil.
func FunctionAt(before, after string) *Function {
	m := beforeCursor.FindStringSubmatch(before + word.FindString(after))
	if m == nil {
		return nil
	}
	kind := cmp.Or(map[string]Kind{"|": FilterKind, ".": MethodKind, "": GlobalKind}[m[1]], TestKind)
	for _, f := range Functions() {
		if f.Kind == kind && slices.Contains(f.names, m[2]) {
			return f
		}
	}
	return nil
}
