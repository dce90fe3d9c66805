package catalog

import (
	"strings"

	"bugle/engine/schema"
)

// IsMJML reports whether a text is MJML, the language from which the HTML of an email can be compiled: whether it begins
// with the tag mjml, after a byte order mark, white space and comments.
func IsMJML(text string) bool {
	text = strings.TrimPrefix(text, "\uFEFF")
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		comment, ok := strings.CutPrefix(text, "<!--")
		if !ok {
			break
		}
		if _, text, ok = strings.Cut(comment, "-->"); !ok {
			return false
		}
	}
	rest, ok := strings.CutPrefix(text, "<mjml")
	return ok && rest != "" && strings.IndexByte(" \t\r\n/>", rest[0]) >= 0
}

// compiledMJML refuses MJML where the HTML of an email is sent.
var compiledMJML = schema.Named{
	ID: "compiled", Text: "MJML must have been compiled to HTML",
	Check: func(p schema.Place) []schema.Finding {
		if !IsMJML(p.Value.Text()) {
			return nil
		}
		return []schema.Finding{{
			Message:     "is MJML that has not been compiled to HTML; save it with `bugle edit` or in the builder, which compile it or show why they cannot",
			FormMessage: "this MJML has not been compiled to HTML yet",
		}}
	},
}

// RuleCompiled is how the rule ids end that refuse MJML which has not been compiled.
var RuleCompiled = "#" + compiledMJML.Key()
