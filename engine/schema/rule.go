package schema

import (
	"regexp"

	"bugle/engine/doc"
)

// Rule is a check on a field's value beyond its kind and options. The set of rules is closed; all but [Named]
// are data. A rule only applies to values that are present and of the field's kind.
type Rule interface {
	rule()
	// Key returns the rule's part of a problem's rule id.
	Key() string
}

type (
	// Range limits a number, including both ends. Use math.Inf for an open end.
	Range struct{ Min, Max float64 }
	// Length limits the number of characters of a string.
	Length struct{ Min, Max int }
	// Items limits the number of a list's elements or a map's members. Max 0 means no limit.
	Items struct{ Min, Max int }
	// Unique requires a list's elements to be distinct.
	Unique struct{}
	// Pattern requires a string to match Re. Text describes the pattern ("variation_ and a number").
	Pattern struct {
		Re   *regexp.Regexp
		Text string
	}
	// Format requires a string to have a well-known format. A value with a personalization expression is not
	// checked, because only the send knows the result. If Plain is set, expressions are not resolved, and
	// such a value is checked as well.
	Format struct {
		As    Form
		Plain bool
	}
	// Excludes refuses values of a string or of a list of strings.
	Excludes struct {
		Values []string
		Text   string // why, as a clause
	}
	// Keys requires the names of a Map's members, or of an Object's members that are not in its table, to
	// match Re.
	Keys struct {
		Re   *regexp.Regexp
		Text string
	}
	// Extra limits the number of members of an Object that are not in its table.
	Extra struct{ Max int }
	// OneTrue requires exactly one of the booleans Fields to be true.
	OneTrue struct{ Fields []string }
	// NotBoth allows at most one of Fields.
	NotBoth struct{ Fields []string }
	// OneOf requires at least one of Fields.
	OneOf struct{ Fields []string }
	// Forbidden refuses any value of the field if When holds.
	Forbidden struct{ When Cond }
	// Configured requires a string to be in a list of the workspace ("connectors"). It is not checked without
	// a workspace.
	Configured struct{ List string }
	// Expressions requires every personalization expression of a string to parse.
	Expressions struct{}
	// Guard restricts a rule to a condition, to stages, or both, and cites its own section.
	Guard struct {
		When Cond
		At   Stage
		Rule Rule
		Ref  string
	}
	// Named is a rule implemented as a function, for the rare rules that no other type expresses. It is
	// defined next to its table.
	Named struct {
		ID    string // last part of its rule id, such as "sums_to_100"
		Text  string // the rule as a sentence
		Check func(Place) []Finding
		// Schema has the JSON Schema keywords for the part of the rule that they can express, for the export.
		// They must accept everything that Check accepts. Absent: none.
		Schema doc.Value
	}
)

// Place is the context of a [Named] rule's check.
type Place struct {
	Value  doc.Value   // the value of the field with the rule
	Object doc.Value   // the object that contains the field
	Around []doc.Value // the objects around that one, innermost first; only valid during the check
	Root   doc.Value
	Env    *Env
}

// Finding is one violation of a [Named] rule. Its path is relative to the field.
type Finding struct {
	Path        doc.Path
	Message     string // a sentence without the path
	FormMessage string // for forms, if replacing names by titles is not enough
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

// Form is a well-known string format.
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

// Unguarded returns the rule inside a guard.
func Unguarded(r Rule) Rule {
	if g, ok := r.(Guard); ok {
		return g.Rule
	}
	return r
}
