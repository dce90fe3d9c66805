package texts

import (
	"regexp"
	"strings"

	"bugle/engine/message/template"
)

// stringOrFallback matches a string in an expression, with the filter default before it if it is the text of one.
var stringOrFallback = regexp.MustCompile(`(?s)(\|\s*(?:default|d)\s*\(\s*(?:default_value\s*=\s*)?)?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`)

// written matches what writes an expression.
var written = regexp.MustCompile(`(?s)^\{\{[-+]?\s*(.*?)\s*-?\}\}$`)

// withoutFallbacks returns a tag without the texts of its fallbacks, which can be translated:
// {{ user.name|default('you') }} is {{ user.name|default('…') }}. A text that is not just written, but compared, looked up
// or set, decides what else is written, and stays: the tag has to be one value and its filters.
func withoutFallbacks(tag string) string {
	list, err := template.Expressions(tag)
	inside := written.FindStringSubmatch(tag)
	if err != nil || inside == nil || len(list) != 1 || list[0].Source != inside[1] {
		return tag
	}
	return stringOrFallback.ReplaceAllStringFunc(tag, func(s string) string {
		if s[0] != '|' {
			return s
		}
		return s[:strings.IndexAny(s, `'"`)] + "'…'"
	})
}
