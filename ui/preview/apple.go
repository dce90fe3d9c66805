package preview

import (
	"bugle/engine/message/render"
	"bugle/themes"
)

// iosBanner draws a collapsed notification as iOS shows it.
func (d *notificationPage) iosBanner() {
	d.card(phoneWidth, "", func(in *page) {
		n := d.n
		icon := "▣ "
		if n.Badge {
			icon = "▣¹ "
		}
		head := append(line{{icon, textStyle{tone: themes.ToneAccent}}}, singleLine(n.Title.Cut(render.VisibleLength(ios, "Title", "")), textStyle{bold: true})...)
		in.add(joinSides(head, textLine("now", textStyle{tone: themes.ToneMuted}), in.width))
		const indent = 2
		var side line
		if n.Image != nil || len(n.Slide) > 0 {
			side = line{{thumbnail, textStyle{tone: themes.ToneFaint}}}
		}
		w := in.width - indent
		if len(side) > 0 {
			w -= len([]rune(thumbnail)) + 1
		}
		text := iosText(n, w, render.VisibleLength(ios, "Message", limitBanner), in.rows(4))
		for i, l := range text {
			l = append(line{{text: "  "}}, l...)
			if i < 2 && len(side) > 0 {
				l = joinSides(l, side, in.width)
			}
			in.add(l)
		}
		if n.Title.Empty() {
			inner := *d
			inner.page = in
			inner.missingTemplate()
		}
		if len(text) == 0 && len(side) > 0 {
			in.add(joinSides(nil, side, in.width))
		}
	})
}

func iosText(n *render.Notification, w, shown, most int) []line {
	var out []line
	if !n.Subtitle.Empty() {
		out = append(out, wrapRuns(runs(n.Subtitle.Cut(render.VisibleLength(ios, "Subtitle", "")), textStyle{bold: true}), w, 1)...)
	}
	return append(out, wrapRuns(runs(n.Body.Cut(shown), textStyle{}), w, most)...)
}

// iosExpanded draws the notification after a long press: full-width media, the whole text, and the actions as a
// separate list.
func (d *notificationPage) iosExpanded() {
	n := d.n
	d.card(phoneWidth, n.Colors.Background, func(in *page) {
		inner := *d
		inner.page = in
		in.add(joinSides(append(line{{"▣ ", textStyle{tone: themes.ToneAccent}}}, textLine(n.App, textStyle{tone: themes.ToneMuted})...), textLine("now ✕", textStyle{tone: themes.ToneMuted}), in.width))
		inner.media(6)
		inner.templatePlaceholder()
		in.addAll(wrapRuns(runs(n.Title, textStyle{bold: true}), in.width, in.rows(2)))
		const all = 2000
		in.addAll(iosText(n, in.width, all, 0))
	})
	if len(n.Buttons) == 0 {
		return
	}
	d.card(phoneWidth, "", func(in *page) {
		for i, b := range n.Buttons {
			if i > 0 {
				in.add(line{{repeat("─", in.width), textStyle{tone: themes.ToneFaint}}})
			}
			in.add(centered(singleLine(b.Title, textStyle{tone: themes.ToneAccent, bold: true}), in.width))
		}
	})
}

// desktop draws a notification as a desktop browser shows it.
func (d *notificationPage) desktop() {
	n := d.n
	d.card(desktopWidth, "", func(in *page) {
		inner := *d
		inner.page = in
		head := append(line{{"◉ ", textStyle{tone: themes.ToneAccent}}}, textLine("Browser · "+n.App, textStyle{tone: themes.ToneMuted})...)
		in.add(joinSides(head, textLine("✕", textStyle{tone: themes.ToneMuted}), in.width))
		const icon, gap = 4, 2
		w := in.width
		if w >= 24 {
			w -= icon + gap
		}
		text := wrapRuns(runs(n.Title.Cut(render.VisibleLength(web, "Title", "")), textStyle{bold: true}), w, 2)
		text = append(text, wrapRuns(runs(n.Body.Cut(render.VisibleLength(web, "Message", "")), textStyle{}), w, 4)...)
		for len(text) < 2 && w < in.width {
			text = append(text, nil)
		}
		for i, l := range text {
			switch {
			case w == in.width:
			case i < 2:
				l = append(line{{thumbnail, textStyle{tone: themes.ToneFaint}}, {text: "  "}}, l...)
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
func (d *notificationPage) webPhone() {
	n := *d.n
	n.App, n.Colors = "Browser · "+n.App, render.Colors{}
	inner := *d
	inner.n = &n
	inner.androidCard(true)
}
