package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/mjml"
	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
	"bugle/engine/message/template"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/visible"
)

// message is one message of the campaign, as a recipient without attributes gets it.
type message struct {
	engine.TestKey
	content doc.Value
	texts   []resolve.Text
	view    render.View
	page    *page // of an email
}

// Bounds of what one run reads.
const (
	maxMessages = 200
	maxRead     = 8 << 20 // bytes of all texts together
)

// readMessages reads every message that has content.
func (r *run) readMessages() {
	if w := r.facts.Workspace; w != nil {
		r.env.Flags, r.env.Lists = w.Flags, w.Lists
	}
	pages, read := map[string]*page{}, 0
	for _, k := range engine.TestKeys(r.channel, r.document, engine.KeyFilter{}) {
		content := r.document.Lookup(k.Content)
		if content.Empty() || r.ctx.Err() != nil {
			continue
		}
		if read += content.Size(); len(r.messages) >= maxMessages || read > maxRead {
			r.cut = fmt.Sprintf("there are more than %d messages, or they are too long", len(r.messages))
			return
		}
		m := &message{TestKey: k, content: content, texts: resolve.TextsOf(r.channel, r.document, r.env, k)}
		r.messages = append(r.messages, m)
		o := render.Options{Now: r.facts.Now, Fill: func(_ doc.Path, text string) (string, []string) { return r.resolve(text), nil }}
		if r.channel == catalog.Push {
			n := render.Push(catalog.Platform(k.Platform), content, o)
			m.view = render.View{TestKey: k, Notification: &n}
			continue
		}
		source := mjml.Without(content.Get(catalog.EmailHTML).Text()) // as it is sent
		if mjml.IsSource(source) {
			source = "" // not what is sent: see notCompiled
		}
		if pages[source] == nil {
			pages[source] = r.readPage(source)
		}
		m.page = pages[source]
		drawn := content.Delete(doc.P(catalog.EmailHTML)) // which was just read, and of which inboxes show this alone
		if p := m.page.preheader; p != "" {
			drawn, _ = drawn.Set(doc.P(catalog.EmailHTML), doc.NewString(p)) // it is an object
		}
		mail := render.Email(drawn, o)
		m.view = render.View{TestKey: k, Mail: &mail}
	}
}

// at returns the place of a field of the message.
func (m *message) at(steps ...any) doc.Path { return m.Content.Join(doc.P(steps...)...) }

// text returns a field of the message as it stands.
func (m *message) text(name string) string { return m.content.Get(name).Text() }

// reading is what one text comes to. A run reads each text once: compiling one of 100 KB takes some milliseconds.
type reading struct {
	resolved string
	broken   bool // it cannot be read, as the validation says
	bare     []bareUse
	failed   []string // the expressions that fail for everybody, and why
	uses     []template.Expression
}

// reading reads a text for nobody: content blocks, product sets and defaults are in place, what needs a user stays.
func (r *run) reading(text string) *reading {
	if known := r.known[text]; known != nil {
		return known
	}
	out := &reading{resolved: text}
	r.known[text] = out
	if !schema.HasExpression(text) {
		return out
	}
	filled, missing, err := template.Preview(r.ctx, text, r.data(nil))
	if out.broken = err != nil; out.broken {
		return out
	}
	out.resolved, out.uses = filled, r.followed(text)
	out.missing(missing)
	return out
}

// resolve fills a text for nobody.
func (r *run) resolve(text string) string { return r.reading(text).resolved }

func (r *run) data(user map[string]any) template.Data {
	var policy engine.ContentPolicy
	if w := r.facts.Workspace; w != nil {
		policy = w.ContentAPIs
	}
	return r.assembled.Data(user, nil, r.assembled.DeferredAPIs(policy, func(string) {}))
}

// expand puts the sources of content blocks where a text includes them, whole, and leaves out statements and comments, so that
// what stands in the branches of a condition is there all at once.
func (r *run) expand(text string) string {
	var b strings.Builder
	r.expandInto(&b, text, 0)
	return b.String()
}

func (r *run) expandInto(b *strings.Builder, text string, depth int) {
	for part := range template.Parts(text) {
		if b.Len() > maxPage {
			return
		}
		name := ""
		if part.Kind == template.OutputPart {
			name = r.blockNamed(part.Source)
		}
		source, known := r.assembled.Blocks[name]
		switch {
		case part.Kind == template.StatementPart || part.Kind == template.CommentPart:
		case name != "" && known && depth < 8:
			r.expandInto(b, source, depth+1)
		default:
			b.WriteString(part.Source)
		}
	}
}

// blockNamed returns the content block that an expression with its braces includes, and nothing else.
func (r *run) blockNamed(tag string) string {
	if !strings.Contains(tag, rootBlock) {
		return ""
	}
	if list := r.reading(tag).uses; len(list) > 0 && list[0].Root == rootBlock && len(list[0].Filters) == 0 {
		return list[0].Name
	}
	return ""
}

// The roots of expressions, as [template.Expressions] names them.
const (
	rootUser          = "UserAttribute"
	rootEvent         = "EventAttribute"
	rootBusinessEvent = "BusinessEventAttribute"
	rootBlock         = "ContentBlock"
	rootAPI           = "ContentApi"
	rootProducts      = "ProductSet"
)

// bareUse is an expression that has no value for a user without attributes.
type bareUse struct {
	source string // as it is written, without braces and filters
	root   string
}

// bare returns the attributes that a text needs: without them it is not sent. What stands behind a condition that
// nobody meets, or has a default, is none of them.
func (r *run) bare(text string) []bareUse { return r.reading(text).bare }

// missing sorts what has no value for nobody.
func (out *reading) missing(list []template.Unresolved) {
	seen := map[string]bool{}
	for _, u := range list {
		if seen[u.Expression] || len(out.bare)+len(out.failed) >= maxList || assemble.IsDeferred(u) {
			continue
		}
		seen[u.Expression] = true
		uses, err := template.Expressions("{{ " + u.Expression + " }}")
		switch {
		case err != nil:
		case len(uses) == 0:
			out.failed = append(out.failed, u.Expression+": "+u.Reason)
		case slices.Contains([]string{rootUser, rootEvent, rootBusinessEvent}, uses[0].Root):
			out.bare = append(out.bare, bareUse{u.Expression, uses[0].Root})
		}
	}
}

// uses returns what the expressions of a text name, each once, content blocks followed.
func (r *run) uses(text string) []template.Expression { return r.reading(text).uses }

func (r *run) followed(text string) []template.Expression {
	type key struct {
		root, name         string
		filtered, fallback bool
	}
	var out []template.Expression
	seen, blocks := map[key]bool{}, map[string]bool{}
	var walk func(text string)
	walk = func(text string) {
		list, err := template.Expressions(text)
		if err != nil {
			return
		}
		for _, e := range list {
			if k := (key{e.Root, e.Name, len(e.Filters) > 0, e.Optional}); !seen[k] {
				seen[k] = true
				out = append(out, e)
			}
			if source, ok := r.assembled.Blocks[e.Name]; ok && e.Root == rootBlock && !blocks[e.Name] && len(blocks) < 100 {
				blocks[e.Name] = true
				walk(source)
			}
		}
	}
	walk(text)
	return out
}

// clean returns a text without what a terminal would obey, in one line.
func clean(s string) string {
	if !visible.HasHidden(s) {
		return s
	}
	var b strings.Builder
	for c, drawn := range visible.Runes(s) {
		switch {
		case drawn:
			b.WriteRune(c)
		case unicode.IsSpace(c):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// quote returns a text in quotes, cut to a length that a sentence can bear.
func quote(s string) string { return "“" + clip(s, 60) + "”" }

func clip(s string, n int) string {
	list := []rune(strings.Join(strings.Fields(s[:min(len(s), 8*n)]), " "))
	if len(list) > n {
		return string(list[:n-1]) + "…"
	}
	return string(list)
}

// some names the first things of a list, and counts the rest.
func some(list []string) string {
	const most = 3
	if len(list) > most {
		return strings.Join(list[:most], ", ") + " and " + phrase.Thousands(len(list)-most) + " more"
	}
	return strings.Join(list, ", ")
}
