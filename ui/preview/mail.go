package preview

import (
	"fmt"
	"strings"

	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/widget"
)

// inbox draws a mail as phones and desktops list it.
func (s *sheet) inbox(m *render.Mail) {
	faint := pen{tone: themes.ToneFaint}
	s.add(words("On a phone", faint))
	s.card(phoneWidth, "", func(in *sheet) {
		in.add(beside(append(line{{"● ", pen{tone: themes.ToneAccent}}}, single(m.Sender, pen{bold: true})...), words(s.received(), faint), in.width))
		shown := render.VisibleLength("EMAIL", "Subject", "on phones")
		in.each(flow(runs(m.Subject.Cut(shown), pen{}), in.width-2, 1), 2)
		in.each(flow(runs(flat(m.Preview).Cut(render.VisibleLength("EMAIL", "Preview text", "")), pen{tone: themes.ToneMuted}), in.width-2, 2), 2)
	})
	s.blank()
	s.add(words("On a desktop", faint))
	rule := line{{repeat("─", s.width), pen{tone: themes.ToneFaint}}}
	s.add(rule)
	sender := min(max(s.width/4, 8), 20)
	l := append(line{{"☐ ", faint}}, fill(single(m.Sender, pen{bold: true}).cut(sender), sender+2)...)
	l = append(l, single(m.Subject.Cut(render.VisibleLength("EMAIL", "Subject", "on desktops")), pen{bold: true})...)
	l = append(append(l, run{" — ", faint}), single(flat(m.Preview), pen{tone: themes.ToneMuted})...)
	s.add(beside(l, words(s.received(), faint), s.width))
	if len(m.Attachments) > 0 {
		var names line
		for _, a := range m.Attachments {
			names = append(append(names, run{text: "  "}), words("[ "+a.Name+" ]", pen{tone: themes.ToneMuted})...)
		}
		s.add(names)
	}
	s.add(rule)
}

// flat puts a text on one line.
func flat(t render.Text) render.Text {
	out := make(render.Text, len(t))
	for i, span := range t {
		span.Text = strings.ReplaceAll(span.Text, "\n", " ")
		span.Link, span.Color, span.Ground, span.Bold, span.Underline = "", "", "", false, false
		out[i] = span
	}
	return out
}

// message draws an opened mail: who sent it, then its body with numbered links.
func (s *sheet) message(m *render.Mail) {
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
		s.wrapped(emptyBody(m), pen{tone: themes.ToneFaint})
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

// plainText draws the mail as readers of plain text get it.
func (s *sheet) plainText(m *render.Mail) {
	s.head(m)
	if m.Text.Empty() {
		s.wrapped(emptyBody(m), pen{tone: themes.ToneFaint})
		return
	}
	s.all(flow(runs(m.Text, pen{}), s.width, 0))
}

func (s *sheet) head(m *render.Mail) {
	if m.Subject.Empty() {
		s.add(words("(no subject)", pen{tone: themes.ToneFaint}))
	} else {
		s.all(flow(runs(m.Subject, pen{tone: themes.ToneStrong, bold: true}), s.width, 0))
	}
	from := single(m.Sender, pen{bold: true})
	if m.Sender.String() != m.From.String() && !m.From.Empty() {
		from = append(append(append(from, run{" <", pen{tone: themes.ToneMuted}}), single(m.From, pen{tone: themes.ToneMuted})...), run{">", pen{tone: themes.ToneMuted}})
	}
	s.add(beside(from, words(s.received(), pen{tone: themes.ToneFaint}), s.width))
	s.named("Reply to", single(m.ReplyTo, pen{}))
	s.named("Cc", words(strings.Join(m.Cc, ", "), pen{}))
	s.named("Bcc", words(strings.Join(m.Bcc, ", "), pen{}))
	for _, a := range m.Attachments {
		s.named("Attached", words(a.Name, pen{}))
	}
	s.add(line{{repeat("─", s.width), pen{tone: themes.ToneFaint}}})
}

func (s *sheet) named(name string, value line) {
	if value.width() > 0 {
		s.add(append(line{{widget.PadRight(name, 10), pen{tone: themes.ToneMuted}}}, value...))
	}
}

// footnotes number the links of a mail, each address once.
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

// runs returns a text with the number of each link behind it.
func (f *footnotes) runs(t render.Text, base pen) []run {
	var out []run
	for i, span := range t {
		out = append(out, runs(render.Text{span}, base)...)
		if span.Link != "" && (i+1 == len(t) || t[i+1].Link != span.Link) && !strings.HasPrefix(span.Link, "#") {
			out = append(out, run{fmt.Sprintf("[%d]", f.number(span.Link)), pen{tone: themes.ToneFaint}})
		}
	}
	return out
}

func (s *sheet) block(b render.Block, f *footnotes) {
	switch b.Kind {
	case render.Heading:
		s.all(flow(f.runs(b.Text, pen{tone: themes.ToneAccent, bold: true}), s.width, 0))
		if b.Level == 1 {
			s.add(line{{repeat("═", s.width), pen{tone: themes.ToneFaint}}})
		}
	case render.Item:
		s.item(b, f)
	case render.Quote:
		for _, l := range flow(f.runs(b.Text, pen{tone: themes.ToneMuted}), s.width-2, 0) {
			s.add(append(line{{"│ ", pen{tone: themes.ToneFaint}}}, l...))
		}
	case render.Code:
		for _, l := range flow(f.runs(b.Text, pen{tone: themes.ToneInfo}), s.width-2, 0) {
			s.add(append(line{{text: "  "}}, l...))
		}
	case render.Rule:
		s.add(line{{repeat("─", s.width), pen{tone: themes.ToneFaint}}})
	case render.Media:
		s.inlineImage(b, f)
	default:
		s.all(flow(f.runs(b.Text, pen{}), s.width, 0))
	}
}

func (s *sheet) item(b render.Block, f *footnotes) {
	indent := min(2*(b.Level-1), s.width/3)
	mark := widget.Clean(b.Mark) + " "
	body := flow(f.runs(b.Text, pen{}), max(s.width-indent-widget.Width(mark), 4), 0)
	for i, l := range body {
		lead := run{repeat(" ", indent) + mark, pen{tone: themes.ToneAccent}}
		if i > 0 {
			lead.text = repeat(" ", widget.Width(lead.text))
		}
		s.add(append(line{lead}, l...))
	}
}

func (s *sheet) inlineImage(b render.Block, f *footnotes) {
	text := b.Image.Alt
	if text == "" {
		text = b.Image.Name
	}
	l := words(mediaSign(b.Image)+" "+text, pen{tone: themes.ToneMuted, italic: true})
	if len(b.Text) > 0 {
		l = append(l, run{fmt.Sprintf("[%d]", f.number(b.Text[0].Link)), pen{tone: themes.ToneFaint}})
	}
	s.add(l)
}

func (s *sheet) links(urls []string) {
	if len(urls) == 0 {
		return
	}
	s.blank()
	for i, url := range urls {
		mark := fmt.Sprintf("[%d] ", i+1)
		for j, l := range flow(runs(render.Text{{Text: url}}, pen{tone: themes.ToneMuted}), max(s.width-len(mark), 4), 0) {
			lead := run{mark, pen{tone: themes.ToneFaint}}
			if j > 0 {
				lead.text = repeat(" ", len(mark))
			}
			s.add(append(line{lead}, l...))
		}
	}
}

func repeat(s string, n int) string { return strings.Repeat(s, max(n, 0)) }
