// Package schema holds a specification as data and reads it.
//
// A table of the specification becomes a [Field]: its members in order, each with its kind,
// options, help, when it applies, when and at which stage it is required, and its rules. A
// table is compiled once into a [Schema]; the validator, the forms, the help texts and the test cases of
// schematest all read that one value, so a rule is written down once.
package schema

import (
	"strings"

	"bugle/engine/doc"
)

// Kind is the JSON type that a field takes.
type Kind uint8

// The kinds. Time is a string that holds an ISO 8601 date-time; Any takes every JSON value.
const (
	Any Kind = iota
	String
	Integer
	Number
	Bool
	Time
	Object
	List
	Map
)

// String returns the kind in the words of the specification.
func (k Kind) String() string {
	return [...]string{"any value", "string", "integer", "number", "boolean", "date-time", "object", "array", "object"}[k]
}

// Stage is a set of moments at which a document is checked.
type Stage uint8

// The stages. A table's zero Stage means [Always].
const (
	Draft   Stage = 1 << iota // create and update: what is there is checked in full
	Inline                    // a test send with the content in the request
	Saved                     // a test send of a saved draft
	Publish                   // validate and publish: everything
	Always  = Draft | Inline | Saved | Publish
)

// Covers reports whether what is bound to the stages, or to none, holds at one of these.
func (s Stage) Covers(at Stage) bool { return s == 0 || s&at != 0 }

// String names the stages in the set.
func (s Stage) String() string {
	if s == 0 || s == Always {
		return "always"
	}
	var names []string
	for i, n := range []string{"draft", "inline test", "draft test", "publish"} {
		if s&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

// Option is one value of an enumeration.
type Option struct {
	Value string // on the wire
	Label string // for people; Value where empty
	Help  string // one clause on what choosing it means; may be empty
	When  Cond   // offered only then; nil: always
}

// Literal returns the wire value as a value of the kind.
func (o Option) Literal(k Kind) doc.Value {
	if k == String {
		return doc.NewString(o.Value)
	}
	v, _ := doc.NewNumber(o.Value)
	return v
}

// Title returns the label, or the wire value where there is none.
func (o Option) Title() string {
	if o.Label != "" {
		return o.Label
	}
	return o.Value
}

// Required says when a field must be there and hold something.
type Required struct {
	When Cond   // nil: whenever its object is there
	At   Stage  // zero: at every stage
	Ref  string // the section that says so; the field's where empty
}

// Field is one row of a table of the specification, or a whole table where Kind is Object.
// Tables are plain data: no closures but those of [Named] rules.
type Field struct {
	Name    string // the member's name on the wire
	ID      string // starts a new rule-id prefix: shared tables carry one; lower case, dots
	Title   string // for people; derived from Name where empty
	Noun    string // how a sentence names it, such as "a trigger"; may be empty
	Plural  string // of a whole table: how a sentence names its documents, such as "campaigns"; may be empty
	Help    string // one or two sentences
	Example string // as a person would type it

	Kind    Kind
	Options []Option // enumeration: of a String, or (as literals) of an Integer or Number
	Fields  []Field  // Object: its members in the order of the specification
	// Elem is the shape of a List's elements, of a Map's values, and of an Object's members
	// that Fields does not name (what their names may be is a rule: Extra, Keys).
	Elem *Field
	// Either says that an Object has the members of Fields or those of Elem, never both; a rule keeps
	// them apart.
	Either bool
	// Like names, by ID, the enclosing table whose members this Object has too: the way to
	// write a table that nests in itself.
	Like string

	// Applies tells where the specification gives the field to some channels, delivery types or
	// variants only. Elsewhere it is refused.
	Applies Cond
	// Used tells where the field means something. Elsewhere it is kept, and shown as not used.
	Used     Cond
	Required []Required
	Rules    []Rule
	Open     bool // an Object that keeps members no table knows (such as personalization values)
	// Responses are fields of an Object that only responses have. A document that came from a service
	// has them; a request never does (see [Schema.InRequest]).
	Responses []Response
	// ResponseValues are values of a String that only responses have, each with the one that a request
	// has in its place.
	ResponseValues map[string]string

	Default  string // the value that counts where the member is absent, as a JSON literal
	Long     bool   // a text of several lines
	Template bool   // a text that takes personalization expressions
	Links    Links  // whether the text is a link that people follow, or holds such
	Suggest  string // the workspace list that offers values, such as "teams"
	Ref      string // the section of engine/CONTRACT.md; inherited from the table where empty
	// Editor names what people edit the object with where that is more than a plain form.
	Editor Editor
	// Decides names a field of the same object whose value the text of this one decides, and the workspace
	// list that says how: its entries are the other value, a space, and this one.
	Decides *Decision
	// Unit names what a number counts, in the plural, such as "hours". People see it beside the value.
	Unit string
	// Span says that the field is the amount of a time span whose other parts are fields of the same object.
	// A form asks for all of them in one line, such as "2 hours after the event".
	Span *Span
	// Flat puts the fields of an Object on the form of the object around it, instead of one level below.
	Flat bool
	// Choice is the title under which a form asks for the flags of an Object that exclude each other (a OneTrue rule)
	// as for one choice.
	Choice string
	// Yes and No name the two values of a Bool, where they are the two sides of a choice; "yes" and "no"
	// where empty.
	Yes, No string
	// Lead is the field's place among those that a form starts with, from 1. Fields without one follow
	// under "More", in the order of the table.
	Lead int
	// Twin is what the field holds, where the tables of other platforms have the same under another
	// name; the field's own name where empty. It is what a copy from platform to platform goes by.
	Twin string
}

// Response is a field that only responses have.
type Response struct {
	Name  string
	Title string
	Help  string // one sentence
	As    string // the field of the same object that a request has in its place; empty where none
	When  Cond   // when a request takes that; nil: always
}

// Decision is what the text of a field decides.
type Decision struct{ Field, List string }

// Span names the other parts of a time span, and what it counts from.
type Span struct {
	Unit string // the field that holds the unit; its options are units of time
	Side string // the field whose options say before or after; empty where there is none
	// Date is the path from the object to the field that names the date it counts from; empty where there is
	// none. Event is what it counts from where that field is empty, and Default the option of Side that is
	// meant where a person types none.
	Date    string
	Event   string
	Default string
}

// Links says how a text leads people elsewhere.
type Links uint8

// The ways. Nothing else gets the parameters of a campaign's links.
const (
	NoLinks Links = iota
	LinkItself
	LinksInHTML // the anchors in it
)

// Editor is a way of editing an object. Which there are is the screens' affair; the tables say
// where each belongs.
type Editor string

// The editors.
const (
	EditorFilters  Editor = "filters"  // a filter group, as a tree
	EditorContent  Editor = "content"  // messages by locale and variation, as a grid
	EditorSchedule Editor = "schedule" // times, with a calendar of them beside the form
	EditorLinks    Editor = "links"    // tags of links, with the resulting link beside the form
)

// Label returns the title for people: Title, or Name with spaces and a capital.
func (f *Field) Label() string {
	if f.Title != "" {
		return f.Title
	}
	s := strings.ReplaceAll(f.Name, "_", " ")
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
