package render

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/utm"
	"bugle/engine/schema"
)

const contentMember = string(catalog.CampaignContent)

// reading is the making of one model.
type reading struct {
	table   *schema.Schema
	doc     doc.Value
	base    doc.Path
	fill    Fill
	params  []utm.Param
	at      doc.Path // where the content stands, for fill
	missing []Missing
}

// root returns the content as a part of a document of its own, so that the tables can say which of its
// members count.
func (r *reading) root(ch engine.Channel, at doc.Path, content doc.Value) part {
	v := content
	for i := len(at) - 1; i >= 0; i-- {
		v = doc.NewObject(doc.M(at[i].Name, v))
	}
	r.table = catalog.Campaign(ch)
	r.base = doc.P(contentMember, "content").Join(at...)
	r.doc = doc.NewObject(
		doc.M("channel", doc.NewString(string(ch))),
		doc.M(contentMember, doc.NewObject(doc.M("content", v))),
	)
	return r.part(r.base, content)
}

func (r *reading) part(at doc.Path, v doc.Value) part {
	p := part{r: r, at: at, value: v}
	if v.Len() > 0 {
		p.state, _ = r.table.Object(r.doc, at, schema.Env{})
	}
	return p
}

// part is an object of the content.
type part struct {
	r     *reading
	at    doc.Path
	value doc.Value
	state schema.ObjectState
}

// field returns the state of a field, or nil if the tables do not have it.
func (p part) field(name string) *schema.FieldState {
	for i := range p.state.Fields {
		if p.state.Fields[i].Node.Name == name {
			return &p.state.Fields[i]
		}
	}
	return nil
}

// get returns a field's value, or absent if the template does not use it.
func (p part) get(name string) doc.Value {
	if f := p.field(name); f != nil && !f.Shown {
		return doc.Value{}
	}
	return p.value.Get(name)
}

func (p part) child(name string) part { return p.r.part(p.at.Child(name), p.get(name)) }

func (p part) list(name string) []part {
	var out []part
	at := p.at.Child(name)
	for i, v := range p.get(name).Elems() {
		if v.Kind() == doc.Object {
			out = append(out, p.r.part(at.Elem(i), v))
		}
	}
	return out
}

// label returns the field's display name.
func (p part) label(name string) string {
	if f := p.field(name); f != nil {
		return f.Node.Label()
	}
	return name
}

// option returns the label of a field's value, or the value itself if the tables do not have it.
func (p part) option(name string) string {
	value := p.get(name).Text()
	if f := p.field(name); f != nil {
		for _, o := range f.Options {
			if o.Value == value && o.Label != "" {
				return o.Label
			}
		}
	}
	return value
}

// optionHelp returns the help of a field's value.
func (p part) optionHelp(name string) string {
	value := p.get(name).Text()
	if f := p.field(name); f != nil {
		for _, o := range f.Options {
			if o.Value == value {
				return o.Help
			}
		}
	}
	return ""
}

// source returns a text as in the document.
func (p part) source(name string) string { return p.get(name).Text() }

// pieces returns a text as pieces, filled if a user is chosen.
func (p part) pieces(name string) []piece {
	var n *schema.Node
	if f := p.field(name); f != nil {
		n = f.Node
	}
	return p.r.pieces(p.at.Child(name), p.label(name), n, p.source(name))
}

func (r *reading) pieces(at doc.Path, label string, n *schema.Node, text string) []piece {
	return r.tagged(n, r.filled(at, label, text))
}

// tagged returns a text with the UTM parameters in its links.
func (r *reading) tagged(n *schema.Node, list []piece) []piece {
	if len(r.params) == 0 || n == nil || n.Links == schema.NoLinks {
		return list
	}
	src, m := encode(list)
	out := utm.Apply(n, src, r.params)
	if out == src {
		return list
	}
	list = nil
	m.each(out, func(text string, kind Kind) { list = append(list, piece{text, kind}) })
	return list
}

func (r *reading) filled(at doc.Path, label, text string) []piece {
	list := pieces(text)
	if r.fill == nil {
		return list
	}
	filled, unresolved := r.fill(r.at.Join(at[len(r.base):]...), text)
	for _, e := range unresolved {
		m := Missing{Field: label, Expression: e}
		if !slices.Contains(r.missing, m) {
			r.missing = append(r.missing, m)
		}
	}
	return fill(list, filled, unresolved)
}

// text returns a member as it stands.
func (p part) text(name string) Text { return textOf(p.pieces(name)) }

// unstyled returns a field without the markup that it has.
func (p part) unstyled(name string) Text { return p.rich(name).unstyled() }

// rich returns a field with markup.
func (p part) rich(name string) Text { return rich(p.pieces(name)) }

// word returns a member as one string.
func (p part) word(name string) string { return strings.TrimSpace(p.text(name).String()) }

// image returns the picture of a field.
func (p part) image(name string) *Image {
	address := p.word(name)
	if address == "" {
		return nil
	}
	img := newImage(address)
	return &img
}

func newImage(address string) Image {
	img := Image{URL: address, Name: fileName(address), Kind: Picture}
	switch strings.ToLower(path.Ext(img.Name)) {
	case ".gif":
		img.Kind = GIF
	case ".mp4", ".mov", ".m4v", ".webm", ".mpeg":
		img.Kind = Video
	}
	return img
}

// fileName returns a short name for a URL.
func fileName(address string) string {
	if data, ok := strings.CutPrefix(address, "data:"); ok { // the file itself
		media, _, _ := strings.Cut(data, ",")
		media, _, _ = strings.Cut(media, ";")
		return "embedded " + orElse(media, "file")
	}
	if schema.HasExpression(address) {
		return address
	}
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	if name := path.Base(u.Path); name != "." && name != "/" {
		return name
	}
	return orElse(u.Host, address)
}

// host returns the host of a URL, or "".
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil || schema.HasExpression(u.Host) {
		return ""
	}
	return strings.TrimPrefix(u.Hostname(), "www.")
}

// action describes a tap: the kind of action, and its target.
func (p part) action(kind, value string) string {
	return joined(p.option(kind), p.word(value))
}

func joined(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), " · ")
}
