package preview

import (
	"fmt"
	"strings"

	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/widget"
)

// inbox draws an email as mail apps list it.
func (s *page) inbox(m *render.Mail) {
	faint := textStyle{tone: themes.ToneFaint}
	s.add(textLine("On a phone", faint))
	s.card(phoneWidth, "", func(in *page) {
		in.add(joinSides(append(line{{"● ", textStyle{tone: themes.ToneAccent}}}, singleLine(m.Sender, textStyle{bold: true})...), textLine(s.received(), faint), in.width))
		shown := render.VisibleLength("EMAIL", "Subject", "on phones")
		in.addIndented(wrapRuns(runs(m.Subject.Cut(shown), textStyle{}), in.width-2, 1), 2)
		in.addIndented(wrapRuns(runs(joinLines(m.Preview).Cut(render.VisibleLength("EMAIL", "Preview text", "")), textStyle{tone: themes.ToneMuted}), in.width-2, 2), 2)
	})
	s.blank()
	s.add(textLine("On a desktop", faint))
	rule := line{{repeat("─", s.width), textStyle{tone: themes.ToneFaint}}}
	s.add(rule)
	sender := min(max(s.width/4, 8), 20)
	l := append(line{{"☐ ", faint}}, fill(singleLine(m.Sender, textStyle{bold: true}).cut(sender), sender+2)...)
	l = append(l, singleLine(m.Subject.Cut(render.VisibleLength("EMAIL", "Subject", "on desktops")), textStyle{bold: true})...)
	l = append(append(l, run{" — ", faint}), singleLine(joinLines(m.Preview), textStyle{tone: themes.ToneMuted})...)
	s.add(joinSides(l, textLine(s.received(), faint), s.width))
	if len(m.Attachments) > 0 {
		var names line
		for _, a := range m.Attachments {
			names = append(append(names, run{text: "  "}), textLine("[ "+a.Name+" ]", textStyle{tone: themes.ToneMuted})...)
		}
		s.add(names)
	}
	s.add(rule)
}

// joinLines puts a text on one line.
func joinLines(t render.Text) render.Text {
	out := make(render.Text, len(t))
	for i, span := range t {
		span.Text = strings.ReplaceAll(span.Text, "\n", " ")
		span.Link, span.Color, span.Ground, span.Bold, span.Underline = "", "", "", false, false
		out[i] = span
	}
	return out
}

// message draws an opened email: the sender, then the body with numbered links.
func (s *page) message(m *render.Mail) {
	s.head(m)
	f := footnotes{}
	before := render.Rule
	for i, b := range m.Blocks {
		if i > 0 && (b.Kind != render.Item || before != render.Item) {
			s.blank()
		}
		s.block(b, &f)
		before = b.Kind
	}
	if len(m.Blocks) == 0 {
		s.wrapped(emptyBody(m), textStyle{tone: themes.ToneFaint})
	}
	s.links(f.urls)
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

// plainText draws the plain-text part of the email.
func (s *page) plainText(m *render.Mail) {
	s.head(m)
	if m.Text.Empty() {
		s.wrapped(emptyBody(m), textStyle{tone: themes.ToneFaint})
		return
	}
	s.addAll(wrapRuns(runs(m.Text, textStyle{}), s.width, 0))
}

func (s *page) head(m *render.Mail) {
	if m.Subject.Empty() {
		s.add(textLine("(no subject)", textStyle{tone: themes.ToneFaint}))
	} else {
		s.addAll(wrapRuns(runs(m.Subject, textStyle{tone: themes.ToneStrong, bold: true}), s.width, 0))
	}
	from := singleLine(m.Sender, textStyle{bold: true})
	if m.Sender.String() != m.From.String() && !m.From.Empty() {
		from = append(append(append(from, run{" <", textStyle{tone: themes.ToneMuted}}), singleLine(m.From, textStyle{tone: themes.ToneMuted})...), run{">", textStyle{tone: themes.ToneMuted}})
	}
	s.add(joinSides(from, textLine(s.received(), textStyle{tone: themes.ToneFaint}), s.width))
	s.named("Reply to", singleLine(m.ReplyTo, textStyle{}))
	s.named("Cc", textLine(strings.Join(m.Cc, ", "), textStyle{}))
	s.named("Bcc", textLine(strings.Join(m.Bcc, ", "), textStyle{}))
	for _, a := range m.Attachments {
		s.named("Attached", textLine(a.Name, textStyle{}))
	}
	s.add(line{{repeat("─", s.width), textStyle{tone: themes.ToneFaint}}})
}

func (s *page) named(name string, value line) {
	if value.width() > 0 {
		s.add(append(line{{widget.PadRight(name, 10), textStyle{tone: themes.ToneMuted}}}, value...))
	}
}

// footnotes numbers the links of an email, each URL once.
type footnotes struct {
	urls []string
	at   map[string]int
}

func (f *footnotes) number(url string) int {
	if n, ok := f.at[url]; ok {
		return n
	}
	if f.at == nil {
		f.at = map[string]int{}
	}
	f.urls = append(f.urls, url)
	f.at[url] = len(f.urls)
	return len(f.urls)
}

// runs returns a text with the number of each link after it.
func (f *footnotes) runs(t render.Text, base textStyle) []run {
	var out []run
	for i, span := range t {
		out = append(out, runs(render.Text{span}, base)...)
		if span.Link != "" && (i+1 == len(t) || t[i+1].Link != span.Link) && !strings.HasPrefix(span.Link, "#") {
			out = append(out, run{fmt.Sprintf("[%d]", f.number(span.Link)), textStyle{tone: themes.ToneFaint}})
		}
	}
	return out
}

func (s *page) block(b render.Block, f *footnotes) {
	switch b.Kind {
	case render.Heading:
		s.addAll(wrapRuns(f.runs(b.Text, textStyle{tone: themes.ToneAccent, bold: true}), s.width, 0))
		if b.Level == 1 {
			s.add(line{{repeat("═", s.width), textStyle{tone: themes.ToneFaint}}})
		}
	case render.Item:
		s.item(b, f)
	case render.Quote:
		for _, l := range wrapRuns(f.runs(b.Text, textStyle{tone: themes.ToneMuted}), s.width-2, 0) {
			s.add(append(line{{"│ ", textStyle{tone: themes.ToneFaint}}}, l...))
		}
	case render.Code:
		for _, l := range wrapRuns(f.runs(b.Text, textStyle{tone: themes.ToneInfo}), s.width-2, 0) {
			s.add(append(line{{text: "  "}}, l...))
		}
	case render.Rule:
		s.add(line{{repeat("─", s.width), textStyle{tone: themes.ToneFaint}}})
	case render.Media:
		s.inlineImage(b, f)
	default:
		s.addAll(wrapRuns(f.runs(b.Text, textStyle{}), s.width, 0))
	}
}

func (s *page) item(b render.Block, f *footnotes) {
	indent := min(2*(b.Level-1), s.width/3)
	mark := widget.Clean(b.Mark) + " "
	body := wrapRuns(f.runs(b.Text, textStyle{}), max(s.width-indent-widget.Width(mark), 4), 0)
	for i, l := range body {
		lead := run{repeat(" ", indent) + mark, textStyle{tone: themes.ToneAccent}}
		if i > 0 {
			lead.text = repeat(" ", widget.Width(lead.text))
		}
		s.add(append(line{lead}, l...))
	}
}

func (s *page) inlineImage(b render.Block, f *footnotes) {
	text := b.Image.Alt
	if text == "" {
		text = b.Image.Name
	}
	l := textLine(mediaIcon(b.Image)+" "+text, textStyle{tone: themes.ToneMuted, italic: true})
	if len(b.Text) > 0 {
		l = append(l, run{fmt.Sprintf("[%d]", f.number(b.Text[0].Link)), textStyle{tone: themes.ToneFaint}})
	}
	s.add(l)
}

func (s *page) links(urls []string) {
	if len(urls) == 0 {
		return
	}
	s.blank()
	for i, url := range urls {
		mark := fmt.Sprintf("[%d] ", i+1)
		for j, l := range wrapRuns(runs(render.Text{{Text: url}}, textStyle{tone: themes.ToneMuted}), max(s.width-len(mark), 4), 0) {
			lead := run{mark, textStyle{tone: themes.ToneFaint}}
			if j > 0 {
				lead.text = repeat(" ", len(mark))
			}
			s.add(append(line{lead}, l...))
		}
	}
}

func repeat(s string, n int) string { return strings.Repeat(s, max(n, 0)) }
