// Package schema represents a specification as data, and interprets it.
//
// A table of the specification is a [Field]: its fields in order, each with its kind, options, help,
// conditions, requirements per stage, and rules. A table is compiled once into a [Schema], which the
// validator, the forms, the help texts and the test cases of schematest share, so that every rule is written
// only once.
package schema

import (
	"strings"

	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// Kind is the JSON type of a field.
type Kind uint8

// The kinds. Time is a string with an ISO 8601 date-time. Any accepts every JSON value.
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

// String returns the specification's name of the kind.
func (k Kind) String() string {
	return [...]string{"any value", "string", "integer", "number", "boolean", "date-time", "object", "array", "object"}[k]
}

// Stage is a set of occasions for checking a document.
type Stage uint8

// The stages. The zero Stage in a table means Always.
const (
	Draft   Stage = 1 << iota // create and update: checks everything that is present
	Inline                    // a test send with content in the request
	Saved                     // a test send of a saved draft
	Publish                   // validate and publish: checks everything
	Always  = Draft | Inline | Saved | Publish
)

// Covers reports whether something restricted to s applies at a stage. The zero value is not restricted.
func (s Stage) Covers(at Stage) bool { return s == 0 || s&at != 0 }

// String lists the stages in the set.
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
	Value string // wire value
	Label string // display name; Value if empty
	Help  string // a clause on the effect of choosing it; may be empty
	When  Cond   // condition for offering it; nil: always
}

// Literal returns the wire value as a value of the kind.
func (o Option) Literal(k Kind) doc.Value {
	if k == String {
		return doc.NewString(o.Value)
	}
	v, _ := doc.NewNumber(o.Value)
	return v
}

// Title returns the label, or the wire value if there is none.
func (o Option) Title() string {
	if o.Label != "" {
		return o.Label
	}
	return o.Value
}

// Required says when a field must be present and not empty.
type Required struct {
	When Cond   // nil: whenever its object is present
	At   Stage  // zero: at every stage
	Ref  string // its section; the field's if empty
}

// Field is one row of a table of the specification or, with Kind Object, a whole table. Tables are plain data
// without closures, except for those of [Named] rules.
type Field struct {
	Name string // the member's name on the wire
	// ID starts a new prefix of rule ids. Shared tables have one: lower case, dots.
	ID      string
	Title   string // display name; derived from Name if empty
	Noun    string // how a sentence refers to it, such as "a trigger"; may be empty
	Plural  string // of a whole table: what its documents are called, such as "campaigns"; may be empty
	Help    string // one or two sentences
	Example string // as a user would type it

	Kind    Kind
	Options []Option // enumeration: of a String, or (as literals) of an Integer or Number
	Fields  []Field  // Object: its fields in the order of the specification
	// Elem describes a List's elements, a Map's values, and an Object's members that are not in Fields (rules
	// such as Extra and Keys restrict their names).
	Elem *Field
	// Either reports that an Object has either members of Fields or of Elem, not both. A rule enforces it.
	Either bool
	// Like is the ID of an enclosing table whose fields this Object has too. It allows recursive tables.
	Like string

	// Applies restricts the field to some channels, delivery types or variants. Elsewhere it is refused.
	Applies Cond
	// Used restricts where the field has a meaning. Elsewhere it is kept, and shown as not used.
	Used     Cond
	Required []Required
	Rules    []Rule
	Open     bool // an Object that keeps unknown fields, such as personalization values
	// Responses are fields of an Object that only responses have. Documents from a service contain them;
	// requests never do (see [Schema.InRequest]).
	Responses []Response
	// ResponseValues are values of a String that only responses have, with the value that a request has
	// instead.
	ResponseValues map[string]string

	Default  string // the value of an absent field, as a JSON literal
	Long     bool   // multi-line text
	Template bool   // text with personalization expressions
	Words    bool   // text that users read, so that each language has its own
	Links    Links  // whether the text is a link, or contains links
	Suggest  string // the workspace list with suggestions, such as "teams"
	Ref      string // the section of engine/CONTRACT.md; inherited if empty
	// Editor names a special editor for the object.
	Editor Editor
	// Decides names a field of the same object that this field determines, and the workspace list that maps
	// them: each entry is the other value, a space, and this one.
	Decides *Decision
	// Unit is what a number counts, in the plural, such as "hours". It is shown next to the value.
	Unit string
	// Span reports that the field is the amount of a time span whose other parts are fields of the same
	// object. A form shows all of them in one input, such as "2 hours after the event".
	Span *Span
	// Flat shows the fields of an Object on the form of the object around it.
	Flat bool
	// Also is the path of a field elsewhere in the document that the form of an Object shows first, where it applies.
	Also doc.Path
	// Choice is the title of the choice that a form shows for the mutually exclusive flags of an Object (a
	// OneTrue rule).
	Choice string
	// Yes and No label the two values of a Bool if they are two alternatives; "yes" and "no" if empty.
	Yes, No string
	// Lead is the field's position among the first fields of a form, from 1. Fields without one follow under
	// "More" in table order.
	Lead int
	// Twin identifies what the field holds if other platforms have the same under another name; the field's
	// own name if empty. Copying between platforms uses it.
	Twin string
}

// Response is a field that only responses have.
type Response struct {
	Name  string
	Title string
	Help  string // one sentence
	As    string // the field of the same object that requests have instead; empty if none
	When  Cond   // when requests accept that; nil: always
}

// Decision connects a field with another field whose value it determines.
type Decision struct{ Field, List string }

// Span describes the other parts of a time span, and what it refers to.
type Span struct {
	Unit string // the field with the unit; its options are units of time
	Side string // the field with the options before and after; empty if none
	// Date is the path from the object to the field that names the date it refers to; empty if none. Event is
	// what it refers to if that field is empty, and Default the option of Side for text without one.
	Date    string
	Event   string
	Default string
}

// Links says whether a text is or contains links, which get the campaign's UTM parameters.
type Links uint8

// The values of Links.
const (
	NoLinks Links = iota
	LinkItself
	LinksInHTML // it contains anchors
)

// Editor is a special way of editing an object. The user interface implements the editors; the tables say
// where they are used.
type Editor string

// The editors.
const (
	EditorFilters  Editor = "filters"  // a filter group as a tree
	EditorContent  Editor = "content"  // messages by locale and variation as a grid
	EditorSchedule Editor = "schedule" // times with a calendar next to the form
	EditorLinks    Editor = "links"    // link tags with the resulting link next to the form
)

// Label returns the display name: Title, or Name with spaces and a capital.
func (f *Field) Label() string {
	if f.Title != "" {
		return f.Title
	}
	return phrase.Capitalize(strings.ReplaceAll(f.Name, "_", " "))
}
