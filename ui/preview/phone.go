package preview

import (
	"fmt"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/message/render"
	"bugle/ui/widget"
)

// Phones are narrower than panes can be: a card has the width of a phone's screen.
const (
	phoneWidth   = 48
	desktopWidth = 60
)

const (
	android = string(catalog.Android)
	ios     = string(catalog.IOS)
	web     = string(catalog.Web)
)

// thumbnail is the placeholder for a small picture of a notification, two lines high.
const thumbnail = "▒▒▒▒"

// pushPage draws one tab of a notification, or the inside of a card in it.
type pushPage struct {
	*page
	n     *render.Notification
	slide int
}

// tab draws a tab.
func (d pushPage) tab(name string) {
	switch name {
	case tabLock:
		d.lockScreen()
	case tabExpanded, tabBackup:
		d.expanded()
	case tabDesktop:
		d.desktop()
	case tabPhone:
		n := *d.n
		n.App, n.Colors = "Browser · "+n.App, render.Colors{}
		d.n = &n
		d.expanded()
	default:
		d.collapsed()
	}
}

// end draws the notes about the notification: what it does apart from what it shows.
func (d pushPage) end() {
	n := d.n
	facts := n.Facts[:len(n.Facts):len(n.Facts)]
	if d.slide < len(n.Slide) && n.Slide[d.slide].Action != "" {
		facts = append(facts, render.Fact{Name: fmt.Sprintf("Slide %d", d.slide+1), Text: n.Slide[d.slide].Action})
	}
	if text := colorsText(n.Colors); !d.colors && text != "" {
		facts = append(facts, render.Fact{Name: "Colors", Text: text})
	}
	for _, b := range n.Buttons {
		if b.Action != "" {
			facts = append(facts, render.Fact{Name: b.Title.String(), Text: b.Action})
		}
	}
	d.notes(design(facts, n.Custom), n.Missing, n.Warnings)
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

// lockScreen draws the notification below a phone's clock.
func (d pushPage) lockScreen() {
	w := min(phoneWidth, d.width)
	d.add("")
	if !d.at.IsZero() {
		d.centered(d.paint(d.received(), bold), w)
		d.centered(d.paint(d.at.Format("Monday, 2 January"), muted), w)
		d.add("")
	}
	d.collapsed()
}

// onCard draws what body adds on a card.
func (d pushPage) onCard(w int, ground string, body func(pushPage)) {
	d.card(w, ground, func(in *page) { body(pushPage{in, d.n, d.slide}) })
}

// collapsed draws the notification as it arrives.
func (d pushPage) collapsed() {
	if string(d.n.Platform) == ios {
		d.onCard(phoneWidth, "", pushPage.iosBanner)
		return
	}
	d.onCard(phoneWidth, d.n.Colors.Background, func(in pushPage) {
		in.androidHead("▾")
		if b := in.n.Banner; b != nil && !b.Collapsed.Empty() {
			in.wrapped(in.text(b.Collapsed, bold), 2)
			return
		}
		in.androidCollapsed()
	})
}

// expanded draws the notification after it was opened, on iOS by a long press.
func (d pushPage) expanded() {
	switch {
	case string(d.n.Platform) == ios:
		d.iosExpanded()
	case d.n.Banner != nil:
		d.onCard(phoneWidth, d.n.Colors.Background, pushPage.banner)
	default:
		d.onCard(phoneWidth, d.n.Colors.Background, pushPage.androidExpanded)
	}
}

// small returns the small picture of the notification, if it has any picture.
func (d pushPage) small() string {
	if d.n.Image != nil || d.n.Icon != nil || len(d.n.Slide) > 0 {
		return d.paint(thumbnail, faint)
	}
	return ""
}

// androidHead draws the app line: icon, name in its color, summary, time.
func (d pushPage) androidHead(arrow string) {
	appColor := d.n.Colors.AppName
	app, icon, control := muted, accent, muted
	app.fg, icon.fg = appColor, appColor
	control.fg = map[string]string{"LIGHT": white, "DARK": black}[d.n.Colors.Controls]
	l := d.paint("◉ ", icon) + d.clean(d.n.App, app)
	now := d.paint(" · now ", muted)
	room := d.width - widget.Width(now) - 2
	const least = 9 // a dot and a few letters
	if !d.n.Summary.Empty() && room-widget.Width(l) >= least {
		l += d.paint(" · ", muted) + d.oneLine(d.n.Summary, muted)
	}
	d.sides(cut(l, max(room, 4))+now, d.paint(arrow, control))
}

// androidCollapsed draws the title and the first line of the text, with a picture beside them.
func (d pushPage) androidCollapsed() {
	n := d.n
	if d.missingTemplate() {
		return
	}
	beside := d.small()
	if n.Timer != nil {
		beside = d.clock()
	}
	d.sides(d.oneLine(n.Title.Cut(render.VisibleLength(android, "Title", "")), bold), beside)
	d.sides(d.oneLine(n.Body.Cut(render.VisibleLength(android, "Message", "while collapsed")), plain), d.small())
	if n.Timer != nil && n.Timer.Bar {
		d.add(d.bar(d.width))
	}
}

func (d pushPage) androidExpanded() {
	n := d.n
	d.androidHead("▴")
	d.wrapped(d.text(n.Title.Cut(render.VisibleLength(android, "Title", "")), bold), d.rows(2))
	most := 0
	if n.Image != nil || len(n.Slide) > 0 {
		most = d.rows(2) // a picture leaves less space for the text
	}
	d.wrapped(d.text(n.Body.Cut(render.VisibleLength(android, "Message", "when expanded")), plain), most)
	d.countdown()
	d.media(3)
	d.templatePlaceholder()
	d.buttonRow(3)
}

// banner draws the wide picture with its overlaid texts.
func (d pushPage) banner() {
	n := d.n
	if d.width < 12 {
		d.media(3)
		d.buttonRow(3)
		return
	}
	img := n.Image
	if img == nil {
		img = &render.Image{Name: "no banner yet", Kind: render.Picture}
	}
	d.framed(func(p *page) {
		in := pushPage{p, n, d.slide}
		if n.Banner.Header {
			in.androidHead("▴")
		}
		in.add("")
		in.centered(in.paint(mediaIcon(img)+" banner", muted), in.width)
		in.centered(in.clean(img.Name, plain), in.width)
		in.add("")
		if n.Banner.Text {
			in.wrapped(in.text(n.Title, bold), in.rows(1))
			in.wrapped(in.text(n.Body.Cut(render.VisibleLength(android, "Message", "when expanded")), plain), in.rows(2))
		}
	})
	d.buttonRow(3)
}

// iosBanner draws a notification as it arrives on iOS.
func (d pushPage) iosBanner() {
	icon := "▣ "
	if d.n.Badge {
		icon = "▣¹ "
	}
	d.sides(d.paint(icon, accent)+d.oneLine(d.n.Title.Cut(render.VisibleLength(ios, "Title", "")), bold), d.paint("now", muted))
	side := ""
	if d.n.Image != nil || len(d.n.Slide) > 0 {
		side = d.paint(thumbnail, faint)
	}
	const indent = "  "
	text := d.inside(d.width-len(indent)-widget.Width(side)-min(widget.Width(side), 1), d.ground)
	pushPage{text, d.n, d.slide}.iosText(render.VisibleLength(ios, "Message", "before a long press"), d.rows(4))
	if len(text.lines) == 0 && side != "" {
		text.add("")
	}
	for i, l := range text.lines {
		if i >= 2 {
			side = ""
		}
		d.sides(indent+l, side)
	}
	if d.n.Title.Empty() {
		d.missingTemplate()
	}
}

// iosText draws the subtitle and the text of a notification on iOS, up to so many characters and rows.
func (d pushPage) iosText(shown, most int) {
	d.wrapped(d.text(d.n.Subtitle.Cut(render.VisibleLength(ios, "Subtitle", "")), bold), 1)
	d.wrapped(d.text(d.n.Body.Cut(shown), plain), most)
}

// iosExpanded draws full-width media, the whole text, and the actions as a separate list.
func (d pushPage) iosExpanded() {
	d.onCard(phoneWidth, d.n.Colors.Background, func(in pushPage) {
		in.sides(in.paint("▣ ", accent)+in.clean(in.n.App, muted), in.paint("now ✕", muted))
		in.media(4)
		in.templatePlaceholder()
		in.wrapped(in.text(in.n.Title, bold), in.rows(2))
		const all = 2000
		in.iosText(all, 0)
	})
	if len(d.n.Buttons) == 0 {
		return
	}
	d.card(phoneWidth, "", func(in *page) {
		for i, b := range d.n.Buttons {
			if i > 0 {
				in.rule("─")
			}
			in.centered(in.oneLine(b.Title, button), in.width)
		}
	})
}

// desktop draws a notification as a desktop browser shows it.
func (d pushPage) desktop() {
	d.onCard(desktopWidth, "", func(in pushPage) {
		in.sides(in.paint("◉ ", accent)+in.clean("Browser · "+in.n.App, muted), in.paint("✕", muted))
		icon := in.paint(thumbnail, faint) + "  "
		if in.width < 24 {
			icon = ""
		}
		gap := strings.Repeat(" ", widget.Width(icon))
		text := in.inside(in.width-len(gap), in.ground)
		text.wrapped(text.text(in.n.Title.Cut(render.VisibleLength(web, "Title", "")), bold), 2)
		text.wrapped(text.text(in.n.Body.Cut(render.VisibleLength(web, "Message", "")), plain), 4)
		for len(text.lines) < 2 && icon != "" {
			text.add("")
		}
		for i, l := range text.lines {
			if i >= 2 {
				icon = gap
			}
			in.add(icon + l)
		}
		in.media(4)
		in.buttonRow(2)
	})
}

// rows returns how many lines of the card correspond to n lines of a phone.
func (s *page) rows(n int) int {
	const inner = phoneWidth - 4
	return max(n, (n*inner+s.width-1)/s.width)
}

// missingTemplate adds a note if all texts come from a saved template that has not been read, and reports
// whether they do.
func (d pushPage) missingTemplate() bool {
	if d.n.Custom.Name == "" || d.n.Custom.Known || !d.n.Title.Empty() || !d.n.Body.Empty() {
		return false
	}
	d.add(d.paint("(from the saved template)", faint))
	return true
}

// templatePlaceholder draws a placeholder for a saved template that has not been read.
func (d pushPage) templatePlaceholder() {
	if d.n.Custom.Name != "" && !d.n.Custom.Known {
		d.picture(&render.Image{Name: d.n.Custom.Name, Kind: "saved template"}, 3, "", "")
	}
}

// countdown draws the timer and its progress.
func (d pushPage) countdown() {
	if d.n.Timer == nil {
		return
	}
	clock := d.clock()
	room := d.width - widget.Width(clock) - 1
	switch {
	case !d.n.Timer.Bar:
		d.add(clock)
	case room < 8:
		d.add(clock, d.bar(d.width))
	default:
		d.add(d.bar(room) + d.spaces(1) + clock)
	}
}

func (d pushPage) clock() string {
	text := "⏱ --:--:--"
	if t := d.n.Timer; t.Known {
		left := max(t.Left, 0)
		text = fmt.Sprintf("⏱ %02d:%02d:%02d", int(left.Hours()), int(left.Minutes())%60, int(left.Seconds())%60)
	}
	return d.paint(text, style{tone: danger.tone, bold: true})
}

// bar draws the progress bar at its start: heavy for the elapsed part, light for the rest.
func (d pushPage) bar(w int) string {
	return d.paint("━", button) + d.paint(strings.Repeat("─", max(w-1, 0)), faint)
}

// media draws the large picture, or the current slide of a carousel, at least so many lines high.
func (d pushPage) media(height int) {
	if len(d.n.Slide) == 0 {
		if d.n.Image != nil {
			d.picture(d.n.Image, height, "", "")
		}
		return
	}
	at := min(d.slide, len(d.n.Slide)-1)
	left, right := "‹", "›"
	if d.n.AutoSlide {
		left, right = "", ""
	}
	d.picture(&d.n.Slide[at].Image, height, left, right)
	d.centered(d.slideDots(at, len(d.n.Slide)), d.width)
}

// slideDots shows which slide of how many is current.
func (s *page) slideDots(at, of int) string {
	count := s.paint(fmt.Sprintf("  %d/%d", at+1, of), muted)
	if of*2 > s.width-8 {
		return count
	}
	dots := strings.Split(strings.Repeat("○", of), "")
	dots[at] = "●"
	return s.paint(strings.Join(dots, " "), accent) + count
}

// buttonRow draws the first buttons side by side, or one below the other if they do not fit.
func (d pushPage) buttonRow(most int) {
	row := ""
	for _, b := range d.n.Buttons[:min(most, len(d.n.Buttons))] {
		label := d.oneLine(b.Title, button)
		if b.Title.Empty() {
			label = d.paint("(no text)", faint)
		}
		one := d.paint("[ ", faint) + cut(label, max(d.width-4, 1)) + d.paint(" ]", faint)
		switch {
		case row == "":
			row = one
		case widget.Width(row)+2+widget.Width(one) > d.width:
			d.add(row)
			row = one
		default:
			row += d.spaces(2) + one
		}
	}
	if row != "" {
		d.add(row)
	}
}
