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

// thumbnail is the placeholder for a small picture of a notification.
const thumbnail = "▒▒▒▒"

// pushPage draws one tab of a notification, or the inside of a card in it.
type pushPage struct {
	*page
	n     *render.Notification
	slide int
}

func (d pushPage) ios() bool { return d.n.Platform == catalog.IOS }

// tab draws a tab.
func (d pushPage) tab(name string) {
	switch {
	case name == tabDesktop:
		d.onCard(desktopWidth, "", pushPage.desktop)
	case name == tabPhone:
		n := *d.n
		n.App, n.Colors = "Browser · "+n.App, render.Colors{}
		d.n = &n
		d.opened()
	case name == tabExpanded, name == tabBackup:
		d.opened()
	case d.ios():
		d.onCard(phoneWidth, "", pushPage.iosBanner)
	default:
		d.onCard(phoneWidth, d.n.Colors.Background, pushPage.androidCollapsed)
	}
}

// end draws the notes about the notification: what it does apart from what it shows.
func (d pushPage) end() {
	n := d.n
	facts := n.Facts[:len(n.Facts):len(n.Facts)]
	if d.slide < len(n.Slide) && n.Slide[d.slide].Action != "" {
		facts = append(facts, render.Fact{Name: fmt.Sprintf("Slide %d", d.slide+1), Text: n.Slide[d.slide].Action})
	}
	for _, b := range n.Buttons {
		if b.Action != "" {
			facts = append(facts, render.Fact{Name: b.Title.String(), Text: b.Action})
		}
	}
	d.notes(design(facts, n.Custom), n.Missing, n.Warnings)
}

// onCard draws what body adds on a card.
func (d pushPage) onCard(w int, ground string, body func(pushPage)) {
	d.card(w, ground, func(in *page) { body(pushPage{in, d.n, d.slide}) })
}

// cut cuts a text to what the platform shows of a field.
func (d pushPage) cut(t render.Text, field, state string) render.Text {
	return t.Cut(render.VisibleLength(string(d.n.Platform), field, state))
}

// texts adds the texts that arrive, in so many rows each, with something at the right of the first lines.
func (d pushPage) texts(title, body int, state string, right ...string) {
	w := d.width
	if body > 1 && right[0] != "" {
		w -= widget.Width(right[0]) + 1
	}
	var lines []string
	if title > 0 {
		lines = wrap(d.text(d.cut(d.n.Title, "Title", ""), bold), w, title)
	}
	if d.ios() {
		lines = append(lines, wrap(d.text(d.cut(d.n.Subtitle, "Subtitle", ""), bold), w, 1)...)
	}
	lines = append(lines, wrap(d.text(d.cut(d.n.Body, "Message", state), plain), w, body)...)
	for i := range max(len(lines), len(right)) {
		left, side := "", ""
		if i < len(lines) {
			left = lines[i]
		}
		if i < len(right) {
			side = right[i]
		}
		if left+side != "" {
			d.sides(left, side)
		}
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
	d.sides(widget.Truncate(l, max(room, 4))+now, d.paint(arrow, control))
}

// androidCollapsed draws a notification as it arrives: the title and the first line of the text, with a picture beside them.
func (d pushPage) androidCollapsed() {
	n := d.n
	d.androidHead("▾")
	if n.Banner != nil && !n.Banner.Collapsed.Empty() {
		d.wrapped(d.text(n.Banner.Collapsed, bold), 2)
		return
	}
	beside := d.small()
	if n.Timer != nil {
		beside = d.clock()
	}
	d.texts(1, 1, "while collapsed", beside, d.small())
	d.savedTemplate()
	if n.Timer != nil && n.Timer.Bar {
		d.add(d.bar(d.width))
	}
}

// iosBanner draws a notification as it arrives on iOS.
func (d pushPage) iosBanner() {
	icon := "▣ "
	if d.n.Badge {
		icon = "▣¹ "
	}
	d.sides(d.paint(icon, accent)+d.oneLine(d.cut(d.n.Title, "Title", ""), bold), d.paint("now", muted))
	d.texts(0, d.rows(4), "before a long press", d.small(), d.small())
	d.savedTemplate()
}

// desktop draws a notification as a desktop browser shows it.
func (d pushPage) desktop() {
	d.sides(d.paint("◉ ", accent)+d.clean("Browser · "+d.n.App, muted), d.paint("✕", muted))
	icon := d.paint(thumbnail, faint)
	d.texts(2, 4, "", icon, icon)
	d.media()
	d.buttonRow(2)
}

// opened draws the notification after it was opened, on iOS by a long press, which shows the media first, the whole text, and
// the buttons as a list of their own.
func (d pushPage) opened() {
	d.onCard(phoneWidth, d.n.Colors.Background, func(in pushPage) {
		n, ios, banner := in.n, in.ios(), in.n.Banner
		switch {
		case ios:
			in.sides(in.paint("▣ ", accent)+in.clean(n.App, muted), in.paint("now ✕", muted))
		case banner == nil || banner.Header:
			in.androidHead("▴")
		}
		if ios || banner != nil {
			in.media()
		}
		title, body, most := n.Title, n.Body, 0
		if !ios {
			title, body = in.cut(title, "Title", ""), in.cut(body, "Message", "when expanded")
			if n.Image != nil || len(n.Slide) > 0 {
				most = in.rows(2) // a picture leaves less space for the text
			}
		}
		if banner == nil || banner.Text {
			in.wrapped(in.text(title, bold), in.rows(2))
			in.wrapped(in.text(n.Subtitle, bold), 1)
			in.wrapped(in.text(body, plain), most)
		}
		in.countdown()
		in.savedTemplate()
		if !ios && banner == nil {
			in.media()
		}
		if !ios {
			in.buttonRow(3)
		}
	})
	if !d.ios() || len(d.n.Buttons) == 0 {
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

// rows returns how many lines of the card correspond to n lines of a phone.
func (s *page) rows(n int) int {
	const inner = phoneWidth - 4
	return max(n, (n*inner+s.width-1)/s.width)
}

// savedTemplate draws a placeholder for a saved template that has not been read.
func (d pushPage) savedTemplate() {
	if d.n.Custom.Name != "" && !d.n.Custom.Known {
		d.add(d.paint("(the rest is in the saved template)", faint))
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

// media draws the large picture, or the current slide of a carousel.
func (d pushPage) media() {
	switch {
	case len(d.n.Slide) > 0:
		at := min(d.slide, len(d.n.Slide)-1)
		left, right := "‹", "›"
		if d.n.AutoSlide {
			left, right = " ", " "
		}
		d.picture(&d.n.Slide[at].Image, left, right)
		d.centered(d.slideDots(at, len(d.n.Slide)), d.width)
	case d.n.Image != nil:
		d.picture(d.n.Image, " ", " ")
	case d.n.Banner != nil:
		d.picture(&render.Image{Name: "no banner yet", Kind: render.Picture}, " ", " ")
	}
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
		one := d.paint("[ ", faint) + widget.Truncate(label, max(d.width-4, 1)) + d.paint(" ]", faint)
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
