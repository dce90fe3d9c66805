package check

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/assemble"
	"bugle/engine/message/mjml"
	"bugle/engine/message/resolve"
	"bugle/engine/message/template"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// rawUse is an expression whose value, a text of users or events, is written as it is where HTML or a link needs it
// escaped.
type rawUse struct {
	rawKey
	end  int // in the text; 0 in a content block
	user bool
}

// rawKey is what is counted of one.
type rawKey struct {
	source string // with its filters, without braces
	filter string // that it needs: e or urlencode
}

// escaped says by the filter that a place needs which filters will do, and which characters in a value need it.
var escaped = map[string]struct {
	by         []string
	characters string
}{
	"e":         {append(numbers, "e", "escape", "safe", "urlencode", "tojson", "striptags", "urlize"), `<&"`},
	"urlencode": {append(numbers, "urlencode", "safe"), ` <&"#%+`},
}

// numbers are the filters whose result is a number or a date, or a list that another one makes a text of.
var numbers = []string{"int", "float", "round", "length", "count", "abs", "sum"}

// rawUses returns those of a text, content blocks followed.
func (r *run) rawUses(t resolve.Text) []rawUse {
	n := r.schema.At(t.Path)
	switch {
	case n == nil || !schema.HasExpression(t.Source):
		return nil
	case n.Links == schema.LinkItself:
		masked, outputs := mask(t.Source)
		at := filtersIn{outputs, map[int]string{}}
		at.address(masked)
		return r.rawIn(t.Source, at.filters, map[string]bool{})
	case mjml.InField(n) && r.channel == catalog.Email:
		source := mjml.Without(t.Source)
		return r.rawIn(source, filtersInHTML(source), map[string]bool{})
	}
	return nil
}

// rawIn returns the uses at the tags that start at some places of a text, without those of the blocks that were seen.
func (r *run) rawIn(source string, at map[int]string, seen map[string]bool) []rawUse {
	list, err := template.Written(source)
	if err != nil {
		return nil
	}
	next, filter := 0, "" // of the tag that an expression stands in
	starts := slices.Collect(template.Parts(source))
	var out []rawUse
	for _, e := range list {
		for next < len(starts) && starts[next].Start <= e.Start {
			filter = at[starts[next].Start]
			next++
		}
		if filter == "" || !e.Written || slices.ContainsFunc(e.Filters, func(f string) bool { return slices.Contains(escaped[filter].by, f) }) {
			continue
		}
		switch {
		case e.Root == rootBlock && !seen[e.Name] && filter == "e":
			seen[e.Name] = true
			block := r.assembled.Blocks[e.Name]
			for _, u := range r.rawIn(block, filtersInHTML(block), seen) {
				u.end = 0
				out = append(out, u)
			}
		case e.Name != "" && r.isText(e):
			out = append(out, rawUse{rawKey{e.Source, filter}, e.End, e.Root == rootUser})
		}
	}
	return out
}

// isText reports whether an attribute is a text, as far as the workspace tells.
func (r *run) isText(e template.Expression) bool {
	return isAttribute(e) && slices.Contains([]string{"", "string"}, r.dataType(e))
}

func isAttribute(e template.Expression) bool {
	return slices.Contains([]string{rootUser, rootEvent, rootBusinessEvent}, e.Root)
}

// dataType returns that of an attribute, or "" if the workspace does not tell.
func (r *run) dataType(e template.Expression) string {
	if r.facts.Workspace == nil {
		return ""
	}
	if r.attributes == nil {
		r.attributes = assemble.NewAttributeScanner(*r.facts.Workspace)
	}
	uses := r.attributes.Scan("{{ " + lookUp(e) + " }}")
	if len(uses) == 0 {
		return ""
	}
	return uses[0].DataType(*r.facts.Workspace)
}

// member matches what an expression looks up in the value of an attribute, but for methods.
var member = regexp.MustCompile(`^\w+(?:\.\w+|\[(?:'[^']*'|"[^"]*")\])\.(\w+)\s*(?:[^\w\s(]|$)`)

// members returns the expressions of a text that look up something in a value that is a text, a number, a boolean or a date.
// They have no value for anybody, which conditions and defaults hide.
func (r *run) members(text string) []string {
	list, err := template.Expressions(text)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range list {
		found := member.FindStringSubmatch(e.Source)
		if found == nil || e.Name == "" || !isAttribute(e) || r.dataType(e) == "" {
			continue
		}
		line := strings.TrimSpace(e.Source) + ": a value of " + e.Name + " has no " + found[1]
		if found[1] == "size" || found[1] == "length" {
			line += "; for its length, write |length"
		}
		out = append(out, line)
	}
	return out
}

// addresses are the attributes of HTML whose value is an address.
var addresses = []string{"href", "src", "action", "background", "poster", "cite"}

// filtersIn are the filters that values need, by the starts of their tags.
type filtersIn struct {
	outputs []template.Part
	filters map[int]string
}

func (f filtersIn) need(masked, filter string) {
	for _, c := range masked {
		if i := int(c - firstMark); isMark(c) && i < len(f.outputs) {
			f.filters[f.outputs[i].Start] = filter
		}
	}
}

// address adds those of an address. One that a value begins is a value of its own, and a value in its host is another
// check's.
func (f filtersIn) address(masked string) {
	masked = strings.TrimSpace(masked)
	if c, _ := utf8.DecodeRuneInString(masked); isMark(c) {
		return
	}
	if _, rest, ok := strings.Cut(masked, "://"); ok {
		masked = rest[min(uint(strings.IndexAny(rest, "/?#")), uint(len(rest))):]
	}
	f.need(masked, "urlencode")
}

// filtersInHTML returns which filter the value of each expression of a page needs, by the start of its tag.
func filtersInHTML(source string) map[int]string {
	masked, outputs := mask(source)
	f := filtersIn{outputs, map[int]string{}}
	z, tag := html.NewTokenizer(strings.NewReader(masked)), ""
	for {
		switch z.Next() {
		case html.ErrorToken:
			return f.filters
		case html.TextToken:
			if tag != "script" && tag != "style" {
				f.need(string(z.Text()), "e")
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			tag = t.Data
			for _, a := range t.Attr {
				if slices.Contains(addresses, a.Key) {
					f.address(a.Val)
				} else {
					f.need(a.Val, "e")
				}
			}
		case html.EndTagToken:
			tag = ""
		}
	}
}

// valueUnescaped finds values that may break HTML or a link.
func valueUnescaped(r *run) {
	for _, m := range r.messages {
		for _, t := range m.texts {
			var lines []string
			severity := Note
			fixed, before := "", 0
			for _, u := range r.rawUses(t) {
				if u.end > before { // two values can have one name
					fixed += t.Source[before:u.end] + "|" + u.filter
					before = u.end
				}
				line := quote(u.source) + " has no |" + u.filter
				if a := r.facts.Audience; a != nil && a.raw[u.rawKey] > 0 {
					severity = Warning
					line += ", and the value of " + r.share(a.raw[u.rawKey]) + " needs it"
				}
				if len(lines) < maxList {
					lines = appendNew(lines, line)
				}
			}
			if len(lines) == 0 {
				continue
			}
			r.grade("value-unescaped", severity, t.Path, m.TestKey, "%s", some(lines))
			r.offer(t.Path, "value-unescaped", func(text string) string {
				if text != t.Source || fixed == "" {
					return text
				}
				return fixed + text[before:]
			})
		}
	}
}

// rawOf returns the values of users that the messages of a campaign write as they are.
func (r *run) rawOf() []rawKey {
	var out []rawKey
	for _, m := range r.messages {
		for _, t := range m.texts {
			for _, u := range r.rawUses(t) {
				if u.user && len(out) < maxList {
					out = appendNew(out, u.rawKey)
				}
			}
		}
	}
	return out
}

// needed reports whether the value of a user has characters that the filter replaces.
func (k rawKey) needed(ctx context.Context, u *engine.User) bool {
	value, err := template.Render(ctx, "{{ "+k.source+" }}", template.Data{UserAttributes: u.Attributes})
	return err == nil && strings.ContainsAny(value, escaped[k.filter].characters)
}

// meant says what a name that is not known may stand for.
func (r *run) meant(name string) string {
	if w := r.facts.Workspace; w != nil {
		users, _ := w.Lists("user_attributes")
		if slices.ContainsFunc(users, func(a string) bool { return folded(a) == folded(name) }) {
			return " (did you mean user." + name + "?)"
		}
	}
	if near := phrase.Nearest(name, []string{"user", "event", rootUser, rootEvent, rootBusinessEvent, rootBlock, rootAPI, rootProducts}); near != "" {
		return " (did you mean " + near + "?)"
	}
	return ""
}

// failing returns the expressions of a text that fail with values as the audience has them, such as a text where a number
// belongs, and why.
func (r *run) failing(text string) []string {
	a, known := r.facts.Audience, r.reading(text)
	if a == nil || len(a.longest) == 0 || known.broken || !schema.HasExpression(text) {
		return nil
	}
	_, list, _ := template.Preview(r.ctx, text, r.data(a.longest))
	var out []string
	for _, u := range list {
		missing := assemble.IsDeferred(u) || slices.ContainsFunc(known.bare, func(b bareUse) bool { return b.source == u.Expression })
		uses, err := template.Expressions("{{ " + u.Expression + " }}")
		foreign := err == nil && slices.ContainsFunc(uses, func(e template.Expression) bool { return e.Root != rootUser }) // other checks look at those
		if line := u.Expression + ": " + u.Reason; !missing && !foreign && !slices.Contains(known.failed, line) && len(out) < maxList {
			out = append(out, line)
		}
	}
	return out
}

// neverThere finds names that nothing has, and expressions that fail for everybody.
func neverThere(r *run) {
	for _, m := range r.messages {
		for _, t := range m.texts {
			var lines []string
			for _, e := range r.uses(t.Source) {
				if e.Root == "" && len(lines) < maxList {
					lines = appendNew(lines, "nothing is named "+e.Name+r.meant(e.Name))
				}
			}
			for _, u := range r.members(t.Source) {
				lines = appendNew(lines, u)
			}
			for _, u := range r.reading(t.Source).failed {
				lines = appendNew(lines, u)
			}
			for _, u := range r.failing(t.Source) {
				lines = appendNew(lines, "With the longest values in the audience, "+u)
			}
			if len(lines) > 0 {
				r.find("value-never", t.Path, m.TestKey, "%s", some(lines))
			}
		}
	}
}
