package preview

import (
	"fmt"
	"strings"

	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/widget"
)

// notes draws the notes below the preview: what the device does not show, and warnings.
func (s *page) notes(facts []render.Fact, missing []render.Missing, warnings []render.Warning) {
	for _, w := range warnings {
		sign, tone := "⚠ ", themes.ToneWarning
		if w.Minor {
			sign, tone = "· ", themes.ToneMuted
		}
		s.hanging(sign, textStyle{tone: tone}, render.Text{{Text: w.Text}}, textStyle{tone: tone})
	}
	for _, m := range missing {
		text := render.Text{{Text: "No value for "}, {Text: "{{" + m.Expression + "}}", Kind: render.Expression}, {Text: " in " + m.Field + s.caption.reason(m)}}
		s.hanging(missingMark+" ", textStyle{tone: themes.ToneDanger}, text, textStyle{})
	}
	for _, f := range facts {
		s.hanging(widget.PadRight(widget.Clean(f.Name), s.factWidth(facts))+" ", textStyle{tone: themes.ToneMuted}, render.Text{{Text: f.Text}}, textStyle{})
	}
}

// factWidth returns the width of the labels of facts.
func (s *page) factWidth(facts []render.Fact) int {
	w := 0
	for _, f := range facts {
		w = max(w, widget.Width(widget.Clean(f.Name)))
	}
	return min(w, 14, s.width/3+2)
}

// hanging draws a wrapped text with a mark before its first line.
func (s *page) hanging(mark string, of textStyle, text render.Text, p textStyle) {
	w := widget.Width(mark)
	for i, l := range wrapRuns(runs(text, p), max(s.width-w, 4), 0) {
		lead := run{mark, of}
		if i > 0 {
			lead.text = repeat(" ", w)
		}
		s.add(append(line{lead}, l...))
	}
}

// facts returns what the notification does apart from what it shows: its buttons, and the current slide.
func (d *notificationPage) facts() []render.Fact {
	n := d.n
	out := n.Facts[:len(n.Facts):len(n.Facts)]
	if at := d.slide; at >= 0 && at < len(n.Slide) && n.Slide[at].Action != "" {
		out = append(out, render.Fact{Name: fmt.Sprintf("Slide %d", at+1), Text: n.Slide[at].Action})
	}
	if said := colorsText(n.Colors); d.noColors && said != "" {
		out = append(out, render.Fact{Name: "Colors", Text: said})
	}
	for _, b := range n.Buttons {
		if b.Action != "" {
			out = append(out, render.Fact{Name: b.Title.String(), Text: b.Action})
		}
	}
	if text := templateText(n.Custom); text != "" {
		out = append(out, render.Fact{Name: "Design", Text: text})
	}
	return out
}

// templateText names the saved template of a message; a warning reports a missing one.
func templateText(s render.Saved) string {
	switch {
	case s.Name == "" || s.Why != "":
		return ""
	case s.Known:
		return "from the saved template " + s.Name
	}
	return "from the saved template " + s.Name
}

// colorsText lists the colors, for terminals that cannot show them.
func colorsText(l render.Colors) string {
	var out []string
	if l.Background != "" {
		out = append(out, l.Background+" behind the text")
	}
	if l.AppName != "" {
		out = append(out, l.AppName+" for the app's name")
	}
	return strings.Join(out, ", ")
}
