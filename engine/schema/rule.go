package schema

import (
	"regexp"

	"bugle/engine/doc"
)

// Rule is a check on a field's value beyond its kind and options. The set is sealed; all but
// [Named] are data. A rule looks only at a value that is there and of the field's kind.
type Rule interface {
	rule()
	// key is the rule's part of a rule id.
	// Key is what the rule adds to the id of its field in the id of a problem.
	Key() string
}

type (
	// Range bounds a number, both ends included. Use math.Inf for an open end.
	Range struct{ Min, Max float64 }
	// Length bounds a string's length in characters.
	Length struct{ Min, Max int }
	// Items bounds the number of a list's elements or a map's members; Max 0 means no bound.
	Items struct{ Min, Max int }
	// Unique wants a list's elements distinct.
	Unique struct{}
	// Pattern wants a string to match Re; Says tells people what that means ("variation_ and a
	// number").
	Pattern struct {
		Re   *regexp.Regexp
		Text string
	}
	// Format wants a string of a well-known form. A value that contains a personalization
	// expression is not held to it, for only the send knows what it becomes; but where Plain is
	// set nothing resolves expressions, and they are texts like any other.
	Format struct {
		As    Form
		Plain bool
	}
	// Excludes keeps values out of a string, or out of a list of strings.
	Excludes struct {
		Values []string
		Text   string // why, as a clause
	}
	// Keys wants the names of a Map's members, or of an Object's members beyond its table, to
	// match Re.
	Keys struct {
		Re   *regexp.Regexp
		Text string
	}
	// Extra bounds how many members an Object may have beyond its table.
	Extra struct{ Max int }
	// OneTrue wants exactly one of the booleans Fields to be true.
	OneTrue struct{ Fields []string }
	// NotBoth allows at most one of Fields to be there.
	NotBoth struct{ Fields []string }
	// OneOf wants at least one of Fields to be there.
	OneOf struct{ Fields []string }
	// Forbidden refuses the field, whatever its value, where When holds.
	Forbidden struct{ When Cond }
	// Configured wants a string to be among a list of the workspace ("connectors"). It is not
	// checked where no workspace is at hand.
	Configured struct{ List string }
	// Expressions wants every personalization expression of a string to parse.
	Expressions struct{}
	// Guard narrows a rule to a condition, a set of stages, or both, and cites its own section.
	Guard struct {
		When Cond
		At   Stage
		Rule Rule
		Ref  string
	}
	// Named is the rare rule that no other type says. It stands next to its table.
	Named struct {
		ID    string // last part of its rule id, such as "sums_to_100"
		Text  string // the rule as a sentence
		Check func(Place) []Finding
		// Schema is what keywords of JSON Schema can say of it about the value, for the export. It
		// refuses nothing that Check takes. Absent: they can say nothing.
		Schema doc.Value
	}
)

// Place is what a [Named] rule sees.
type Place struct {
	Value  doc.Value   // the value of the field that carries the rule
	Object doc.Value   // the object that the field is in
	Around []doc.Value // the objects around that one, innermost first; only while the rule looks
	Root   doc.Value
	Env    *Env
}

// Finding is one breach of a [Named] rule, its path relative to the field.
type Finding struct {
	Path        doc.Path
	Message     string // a sentence without the path
	FormMessage string // the same for people, where titles in the place of names are not enough
}

func (Range) rule()       {}
func (Length) rule()      {}
func (Items) rule()       {}
func (Unique) rule()      {}
func (Pattern) rule()     {}
func (Format) rule()      {}
func (Excludes) rule()    {}
func (Keys) rule()        {}
func (Extra) rule()       {}
func (OneTrue) rule()     {}
func (NotBoth) rule()     {}
func (OneOf) rule()       {}
func (Forbidden) rule()   {}
func (Configured) rule()  {}
func (Expressions) rule() {}
func (Guard) rule()       {}
func (Named) rule()       {}

func (Range) Key() string       { return "range" }
func (Length) Key() string      { return "length" }
func (Items) Key() string       { return "items" }
func (Unique) Key() string      { return "unique" }
func (Pattern) Key() string     { return "pattern" }
func (r Format) Key() string    { return string(r.As) }
func (Excludes) Key() string    { return "excludes" }
func (Keys) Key() string        { return "keys" }
func (Extra) Key() string       { return "extra" }
func (OneTrue) Key() string     { return "one_true" }
func (NotBoth) Key() string     { return "not_both" }
func (OneOf) Key() string       { return "one_of" }
func (Forbidden) Key() string   { return "forbidden" }
func (Configured) Key() string  { return "configured" }
func (Expressions) Key() string { return "expressions" }
func (r Guard) Key() string     { return r.Rule.Key() }
func (r Named) Key() string     { return r.ID }

// Form is a well-known form of a string.
type Form string

// The forms.
const (
	URI      Form = "uri"       // RFC 3986, absolute, with a scheme: https://…, app://…
	Email    Form = "email"     // RFC 5321 addr-spec
	E164     Form = "e164"      // ITU-T E.164 phone number: + and up to 15 digits
	Color    Form = "color"     // #RGB, #RRGGBB or #RRGGBBAA
	ObjectID Form = "object_id" // 24 hexadecimal characters
	UUID     Form = "uuid"      // RFC 9562, any version
	Zone     Form = "timezone"  // IANA time zone name
	Clock    Form = "clock"     // a time of day, HH:MM or HH:MM:SS
	Digits   Form = "digits"    // a whole number, not negative, written as a string
	Decimal  Form = "decimal"   // a decimal number written as a string
	DateTime Form = "date_time" // ISO 8601 date-time, the offset may be absent
)

// Unguarded returns a rule without the guard around it.
func Unguarded(r Rule) Rule {
	if g, ok := r.(Guard); ok {
		return g.Rule
	}
	return r
}
