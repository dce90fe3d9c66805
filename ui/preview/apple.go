package preview

import (
	"bugle/engine/message/render"
	"bugle/themes"
)

// iosBanner draws a notification as iOS shows it before it is held.
func (d *drawing) iosBanner() {
	d.card(phoneWidth, "", func(in *sheet) {
		n := d.n
		icon := "▣ "
		if n.Badge {
			icon = "▣¹ "
		}
		head := append(line{{icon, pen{tone: themes.ToneAccent}}}, single(n.Title.Cut(render.VisibleLength(ios, "Title", "")), pen{bold: true})...)
		in.add(beside(head, words("now", pen{tone: themes.ToneMuted}), in.width))
		const indent = 2
		var side line
		if n.Image != nil || len(n.Slide) > 0 {
			side = line{{thumb, pen{tone: themes.ToneFaint}}}
		}
		w := in.width - indent
		if len(side) > 0 {
			w -= len([]rune(thumb)) + 1
		}
		text := iosText(n, w, render.VisibleLength(ios, "Message", unheld), in.rows(4))
		for i, l := range text {
			l = append(line{{text: "  "}}, l...)
			if i < 2 && len(side) > 0 {
				l = beside(l, side, in.width)
			}
			in.add(l)
		}
		if n.Title.Empty() {
			inner := *d
			inner.sheet = in
			inner.untold()
		}
		if len(text) == 0 && len(side) > 0 {
			in.add(beside(nil, side, in.width))
		}
	})
}

func iosText(n *render.Notification, w, shown, most int) []line {
	var out []line
	if !n.Subtitle.Empty() {
		out = append(out, flow(runs(n.Subtitle.Cut(render.VisibleLength(ios, "Subtitle", "")), pen{bold: true}), w, 1)...)
	}
	return append(out, flow(runs(n.Body.Cut(shown), pen{}), w, most)...)
}

// iosExpanded draws the notification after it was held: media in full width, all of the text, and the
// actions as a list of their own.
func (d *drawing) iosExpanded() {
	n := d.n
	d.card(phoneWidth, n.Colors.Background, func(in *sheet) {
		inner := *d
		inner.sheet = in
		in.add(beside(append(line{{"▣ ", pen{tone: themes.ToneAccent}}}, words(n.App, pen{tone: themes.ToneMuted})...), words("now ✕", pen{tone: themes.ToneMuted}), in.width))
		inner.media(6)
		inner.saved()
		in.all(flow(runs(n.Title, pen{bold: true}), in.width, in.rows(2)))
		const all = 2000
		in.all(iosText(n, in.width, all, 0))
	})
	if len(n.Buttons) == 0 {
		return
	}
	d.card(phoneWidth, "", func(in *sheet) {
		for i, b := range n.Buttons {
			if i > 0 {
				in.add(line{{repeat("─", in.width), pen{tone: themes.ToneFaint}}})
			}
			in.add(centred(single(b.Title, pen{tone: themes.ToneAccent, bold: true}), in.width))
		}
	})
}

// desktop draws a notification as a browser on a desktop shows it.
func (d *drawing) desktop() {
	n := d.n
	d.card(desktopWidth, "", func(in *sheet) {
		inner := *d
		inner.sheet = in
		head := append(line{{"◉ ", pen{tone: themes.ToneAccent}}}, words("Browser · "+n.App, pen{tone: themes.ToneMuted})...)
		in.add(beside(head, words("✕", pen{tone: themes.ToneMuted}), in.width))
		const icon, gap = 4, 2
		w := in.width
		if w >= 24 {
			w -= icon + gap
		}
		text := flow(runs(n.Title.Cut(render.VisibleLength(web, "Title", "")), pen{bold: true}), w, 2)
		text = append(text, flow(runs(n.Body.Cut(render.VisibleLength(web, "Message", "")), pen{}), w, 4)...)
		for len(text) < 2 && w < in.width {
			text = append(text, nil)
		}
		for i, l := range text {
			switch {
			case w == in.width:
			case i < 2:
				l = append(line{{thumb, pen{tone: themes.ToneFaint}}, {text: "  "}}, l...)
			default:
				l = append(line{{text: repeat(" ", icon+gap)}}, l...)
			}
			in.add(l)
		}
		inner.media(6)
		inner.buttonRow(2)
	})
}

// webPhone draws a notification as a browser on an Android phone shows it.
func (d *drawing) webPhone() {
	n := *d.n
	n.App, n.Colors = "Browser · "+n.App, render.Colors{}
	inner := *d
	inner.n = &n
	inner.androidCard(true)
}
