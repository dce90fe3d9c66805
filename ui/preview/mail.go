package preview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/widget"
)

// mailPage draws one tab of an email.
type mailPage struct {
	*page
	m    *render.Mail
	urls []string // of the links, which have their numbers as footnotes
}

// tab draws a tab.
func (d *mailPage) tab(name string) {
	switch name {
	case tabMessage:
		d.message()
	case tabText:
		d.head()
		if d.m.Text.Empty() {
			d.wrapped(d.clean(emptyBody(d.m), faint), 0)
		} else {
			d.wrapped(d.text(d.m.Text, plain), 0)
		}
	default:
		d.inbox()
	}
}

// end draws the notes about an email.
func (d *mailPage) end() {
	var facts []render.Fact
	if d.m.Unsubscribe != "" {
		facts = append(facts, render.Fact{Name: "Unsubscribe", Text: d.m.Unsubscribe})
	}
	if d.m.Custom.Known {
		facts = design(facts, d.m.Custom)
	}
	d.notes(facts, d.m.Missing, d.m.Warnings)
}

// inbox draws an email as mail apps list it.
func (d *mailPage) inbox() {
	m, received := d.m, d.paint(d.received(), faint)
	d.add(d.paint("On a phone", faint))
	d.card(phoneWidth, "", func(in *page) {
		in.sides(in.paint("● ", accent)+in.oneLine(m.Sender, bold), received)
		in.indented("  ", in.text(m.Subject.Cut(render.VisibleLength("EMAIL", "Subject", "on phones")), plain), 1)
		in.indented("  ", in.oneLine(unstyled(m.Preview).Cut(render.VisibleLength("EMAIL", "Preview text", "")), muted), 2)
	})
	d.add("", d.paint("On a desktop", faint))
	d.rule("─")
	width := min(max(d.width/4, 8), 20)
	subject := d.oneLine(m.Subject.Cut(render.VisibleLength("EMAIL", "Subject", "on desktops")), bold)
	d.sides(d.paint("☐ ", faint)+widget.PadRight(d.oneLine(m.Sender, bold), width)+"  "+subject+d.paint(" — ", faint)+d.oneLine(unstyled(m.Preview), muted), received)
	if len(m.Attachments) > 0 {
		names := ""
		for _, a := range m.Attachments {
			names += "  " + d.clean("[ "+a.Name+" ]", muted)
		}
		d.add(names)
	}
	d.rule("─")
}

// unstyled returns a text without the styles and links of the body that it is from.
func unstyled(t render.Text) render.Text {
	out := make(render.Text, len(t))
	for i, span := range t {
		out[i] = render.Span{Text: span.Text, Kind: span.Kind}
	}
	return out
}

// message draws an opened email: the sender, then the body with numbered links.
func (d *mailPage) message() {
	d.head()
	before := render.Rule
	for i, b := range d.m.Blocks {
		if i > 0 && (b.Kind != render.Item || before != render.Item) {
			d.add("")
		}
		d.block(b)
		before = b.Kind
	}
	if len(d.m.Blocks) == 0 {
		d.wrapped(d.clean(emptyBody(d.m), faint), 0)
	}
	for i, url := range d.urls {
		if i == 0 {
			d.add("")
		}
		d.indented(d.paint(fmt.Sprintf("[%d] ", i+1), faint), d.clean(url, muted), 0)
	}
}

func emptyBody(m *render.Mail) string {
	switch s := m.Custom; {
	case s.Name == "" || s.Why != "":
		return "No body yet."
	case s.Known:
		return "The saved template " + s.Name + " has no body."
	default:
		return "The body comes from the saved template " + s.Name + "."
	}
}

func (d *mailPage) head() {
	m := d.m
	if m.Subject.Empty() {
		d.add(d.paint("(no subject)", faint))
	} else {
		d.wrapped(d.text(m.Subject, strong), 0)
	}
	from := d.oneLine(m.Sender, bold)
	if m.Sender.String() != m.From.String() && !m.From.Empty() {
		from += d.paint(" <", muted) + d.oneLine(m.From, muted) + d.paint(">", muted)
	}
	d.sides(from, d.paint(d.received(), faint))
	d.named("Reply to", d.oneLine(m.ReplyTo, plain))
	d.named("Cc", d.clean(strings.Join(m.Cc, ", "), plain))
	d.named("Bcc", d.clean(strings.Join(m.Bcc, ", "), plain))
	for _, a := range m.Attachments {
		d.named("Attached", d.clean(a.Name, plain))
	}
	d.rule("─")
}

func (d *mailPage) named(name, value string) {
	if value != "" {
		d.add(d.paint(widget.PadRight(name, 10), muted) + value)
	}
}

// linked draws a text with the number of each link after it.
func (d *mailPage) linked(t render.Text, base style) string {
	var b strings.Builder
	for i, span := range t {
		b.WriteString(d.span(span, base))
		if span.Link != "" && (i+1 == len(t) || t[i+1].Link != span.Link) && !strings.HasPrefix(span.Link, "#") {
			b.WriteString(d.footnote(span.Link))
		}
	}
	return b.String()
}

// footnote draws the number of a link; each URL has one.
func (d *mailPage) footnote(url string) string {
	at := slices.Index(d.urls, url)
	if at < 0 {
		at = len(d.urls)
		d.urls = append(d.urls, url)
	}
	return d.paint(fmt.Sprintf("[%d]", at+1), faint)
}

func (d *mailPage) block(b render.Block) {
	switch b.Kind {
	case render.Heading:
		d.wrapped(d.linked(b.Text, button), 0)
		if b.Level == 1 {
			d.rule("═")
		}
	case render.Item:
		indent := strings.Repeat(" ", max(min(2*(b.Level-1), d.width/3), 0))
		d.indented(d.paint(indent+widget.Clean(b.Mark)+" ", accent), d.linked(b.Text, plain), 0)
	case render.Quote:
		bar := d.paint("│ ", faint)
		d.hanging(bar, bar, d.linked(b.Text, muted), 0)
	case render.Code:
		d.indented("  ", d.linked(b.Text, style{tone: themes.ToneInfo}), 0)
	case render.Rule:
		d.rule("─")
	case render.Media:
		text := d.clean(mediaIcon(b.Image)+" "+cmp.Or(b.Image.Alt, b.Image.Name), style{tone: themes.ToneMuted, italic: true})
		if len(b.Text) > 0 {
			text += d.footnote(b.Text[0].Link)
		}
		d.add(text)
	default:
		d.wrapped(d.linked(b.Text, plain), 0)
	}
}
