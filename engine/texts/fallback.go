package texts

import (
	"regexp"
	"strings"
)

// stringOrFallback matches a string in an expression, with the filter default before it if it is the text of one.
var stringOrFallback = regexp.MustCompile(`(?s)(\|\s*(?:default|d)\s*\(\s*(?:default_value\s*=\s*)?)?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`)

// withoutFallbacks returns an expression or statement without the texts of its fallbacks, which can be translated:
// {{ user.name|default('you') }} is {{ user.name|default('…') }}.
func withoutFallbacks(expression string) string {
	if strings.HasPrefix(expression, "{#") {
		return expression
	}
	return stringOrFallback.ReplaceAllStringFunc(expression, func(s string) string {
		if s[0] != '|' {
			return s
		}
		return s[:strings.IndexAny(s, `'"`)] + "'…'"
	})
}
