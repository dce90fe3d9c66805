package check

import (
	"regexp"
	"strings"
	"sync"
)

// The kinds of features in the table of what clients support.
const (
	kindProperty = "property" // of a style
	kindValue    = "value"    // of a property, as property:value
	kindFunction = "function" // in a value, as name(
	kindRule     = "rule"     // an at-rule
	kindPseudo   = "pseudo"   // of a selector
	kindElement  = "element"
	kindImage    = "image" // a format, by the end of the address
)

// feature is something that some mail clients ignore.
type feature struct {
	slug    string
	kind    string
	names   string   // as they are written in the HTML, in lower case, with spaces between them
	clients []string // that do not have it
}

// featureOf finds features by kind and name.
var featureOf = sync.OnceValue(func() map[string]int {
	out := map[string]int{}
	for i, f := range features {
		for _, name := range strings.Fields(f.names) {
			out[f.kind+" "+name] = i
		}
	}
	return out
})

// lacking notes a feature that some clients do not have.
func (p *page) lacking(kind, name, written string) {
	i, ok := featureOf()[kind+" "+name]
	if !ok {
		return
	}
	if slug := features[i].slug; p.support[slug] == "" {
		p.support[slug] = written
	}
}

// declared reads one declaration of a style.
func (p *page) declared(name, value string) {
	p.lacking(kindProperty, name, name)
	word, _, _ := strings.Cut(value, " ")
	p.lacking(kindValue, name+":"+word, name+":"+word)
	if strings.HasPrefix(name, "--") {
		p.lacking(kindFunction, "var", "var()")
	}
	for rest := value; ; {
		i := strings.IndexByte(rest, '(')
		if i < 0 {
			return
		}
		from := strings.LastIndexAny(rest[:i], " ,()+*/") + 1
		p.lacking(kindFunction, rest[from:i], rest[from:i]+"()")
		rest = rest[i+1:]
	}
}

var (
	cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	atRule     = regexp.MustCompile(`@([a-z-]+)`)
	pseudo     = regexp.MustCompile(`:{1,2}([a-z-]+)`)
)

// styleSheet reads the rules of a style element.
func (p *page) styleSheet(css string) {
	css = strings.ToLower(cssComment.ReplaceAllString(css[:min(len(css), 4*maxStyle)], ""))
	for css != "" {
		i := strings.IndexAny(css, "{};")
		if i < 0 {
			i = len(css)
		}
		head, sign := strings.TrimSpace(css[:i]), byte(0)
		if i < len(css) {
			sign = css[i]
			i++
		}
		css = css[i:]
		for _, m := range atRule.FindAllStringSubmatch(head, 4) {
			p.lacking(kindRule, m[1], "@"+m[1])
			if strings.Contains(head, "prefers-color-scheme") {
				p.lacking(kindRule, "prefers-color-scheme", "@media (prefers-color-scheme)")
			}
		}
		switch {
		case sign == '{' && !strings.HasPrefix(head, "@"):
			for _, m := range pseudo.FindAllStringSubmatch(head, 20) {
				p.lacking(kindPseudo, m[1], ":"+m[1])
			}
		case sign != '{':
			if name, value, ok := strings.Cut(head, ":"); ok && !strings.HasPrefix(head, "@") {
				value, _, _ = strings.Cut(value, "!")
				p.declared(strings.TrimSpace(name), strings.TrimSpace(value))
			}
		}
	}
}
