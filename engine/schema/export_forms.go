package schema

import "bugle/engine/doc"

// The patterns are in the common part of RE2 and ECMA-262: no shorthand classes, which differ
// in what they take beyond ASCII.
const (
	expression = `\{[{%]` // what [HasExpression] finds
	empty      = `^$|`

	space = `\x00-\x20\x7f`

	emailAtom    = `[^` + space + `()<>\[\]:;@\\,".]+`
	emailAtoms   = emailAtom + `(?:\.` + emailAtom + `)*`
	emailPattern = `^` + emailAtoms + `@(?:` + emailAtoms + `|\[[0-9A-Fa-f.:]+\])$`

	uriPattern = `^[A-Za-z][A-Za-z0-9+.-]*:[^` + space + `]+$`
	// Addresses of the web that name no host.
	hostless = `^[Hh][Tt][Tt][Pp][Ss]?:(?:/?[^/{][^{]*|/{1,2}|//[/?#][^{]*)$`

	zonePattern = `^[A-Za-z0-9_+-]+(?:[/.][A-Za-z0-9_+-]+)*$`
	uuidPattern = `^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$`

	days            = `(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))`
	clockTime       = `(?:[0-9]|[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?`
	zoneOffset      = `(?:Z|[+-](?:[01][0-9]|2[0-4]):?(?:[0-5][0-9]|60))?`
	dateTimePattern = `^[0-9]{4}-` + days + `T` + clockTime + zoneOffset + `$`
	dayPattern      = `^[0-9]{4}-` + days + `(?:T` + clockTime + zoneOffset + `)?$`
)

// DaySchema returns the JSON Schema keywords for a date, a date and time as of [DateTime], or an empty text.
func DaySchema() doc.Value { return doc.NewObject(text("pattern", empty+dayPattern)) }

// schema returns the keywords for the format. Empty texts, and texts with expressions if the field allows
// them, match. The format keyword is not used, because validators would apply it to those too.
func (r Format) schema() doc.Value {
	f, escapes := r.As, empty
	if !r.Plain {
		escapes += expression + "|"
	}
	pattern := map[Form]string{
		URI: uriPattern, Email: emailPattern, E164: e164.String(), Color: color.String(), ObjectID: oid.String(), UUID: uuidPattern,
		Zone: zonePattern, Clock: clock.String(), Digits: digits.String(), Decimal: decimal.String(), DateTime: dateTimePattern,
	}[f]
	ms := []doc.Member{text("pattern", escapes+pattern), text("x-format", string(f))}
	switch f {
	case URI:
		ms = append(ms, doc.M("not", doc.NewObject(text("pattern", hostless))))
	case Zone:
		ms = append(ms, doc.M("not", oneValue(doc.NewString("Local"))))
	}
	return doc.NewObject(ms...)
}
