package preview

import (
	"fmt"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/message/render"
	"bugle/themes"
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

// The limits of package render that apply to the cards.
const (
	limitCollapsed = "while collapsed"
	limitExpanded  = "when expanded"
	limitBanner    = "before a long press"
)

// notificationPage draws one tab of a notification.
type notificationPage struct {
	*page
	n     *render.Notification
	slide int
}

// androidCard draws a notification as Android shows it.
func (d *notificationPage) androidCard(expanded bool) {
	d.card(phoneWidth, d.n.Colors.Background, func(in *page) {
		inner := *d
		inner.page = in
		switch {
		case !expanded && d.n.Banner != nil:
			inner.bannerCollapsed()
		case !expanded:
			inner.androidHead("▾")
			inner.collapsed()
		case d.n.Banner != nil:
			inner.banner()
		default:
			inner.androidHead("▴")
			inner.androidExpanded()
		}
	})
}

// androidHead draws the app line: icon, name in its color, summary, time.
func (d *notificationPage) androidHead(arrow string) {
	app := textStyle{fg: d.n.Colors.AppName, tone: themes.ToneMuted}
	control := textStyle{tone: themes.ToneMuted, fg: map[string]string{"LIGHT": white, "DARK": black}[d.n.Colors.Controls]}
	l := append(line{{"◉ ", textStyle{fg: d.n.Colors.AppName, tone: themes.ToneAccent}}}, textLine(d.n.App, app)...)
	now := line{{" · now ", textStyle{tone: themes.ToneMuted}}, {arrow, control}}
	room := d.width - now.width() - 1
	const least = 9 // a dot and a few letters
	if !d.n.Summary.Empty() && room-l.width() >= least {
		l = append(append(l, run{" · ", textStyle{tone: themes.ToneMuted}}), singleLine(d.n.Summary, textStyle{tone: themes.ToneMuted})...)
	}
	l = append(l.cut(max(room, 4)), now[0])
	d.add(joinSides(l, now[1:], d.width))
}

// collapsed draws the title and the first line of the text, with a picture beside them.
func (d *notificationPage) collapsed() {
	n := d.n
	if d.missingTemplate() {
		return
	}
	var side line
	if n.Image != nil || n.Icon != nil || len(n.Slide) > 0 {
		side = line{{thumbnail, textStyle{tone: themes.ToneFaint}}}
	}
	title := singleLine(n.Title.Cut(render.VisibleLength(android, "Title", "")), textStyle{bold: true})
	body := singleLine(n.Body.Cut(render.VisibleLength(android, "Message", limitCollapsed)), textStyle{})
	if n.Timer != nil {
		d.add(joinSides(title, d.clock(), d.width))
		d.add(joinSides(body, side, d.width))
	} else {
		d.add(joinSides(title, side, d.width))
		d.add(joinSides(body, side, d.width))
	}
	if n.Timer != nil && n.Timer.Bar {
		d.add(d.bar())
	}
}

func (d *notificationPage) androidExpanded() {
	n := d.n
	d.addAll(wrapRuns(runs(n.Title.Cut(render.VisibleLength(android, "Title", "")), textStyle{bold: true}), d.width, d.rows(2)))
	most := 0
	if n.Image != nil || len(n.Slide) > 0 {
		most = d.rows(2) // a picture leaves less space for the text
	}
	d.addAll(wrapRuns(runs(n.Body.Cut(render.VisibleLength(android, "Message", limitExpanded)), textStyle{}), d.width, most))
	d.countdown()
	d.media(5)
	d.templatePlaceholder()
	d.buttonRow(3)
}

// rows returns how many lines of the card correspond to n lines of a phone.
func (s *page) rows(n int) int {
	const inner = phoneWidth - 4
	return max(n, (n*inner+s.width-1)/s.width)
}

// missingTemplate adds a note if all texts come from a saved template that has not been read, and reports
// whether they do.
func (d *notificationPage) missingTemplate() bool {
	if d.n.Custom.Name == "" || d.n.Custom.Known || !d.n.Title.Empty() || !d.n.Body.Empty() {
		return false
	}
	d.add(textLine("(from the saved template)", textStyle{tone: themes.ToneFaint}))
	return true
}

// templatePlaceholder draws a placeholder for a saved template that has not been read.
func (d *notificationPage) templatePlaceholder() {
	if d.n.Custom.Name != "" && !d.n.Custom.Known {
		d.picture(&render.Image{Name: d.n.Custom.Name, Kind: "saved template"}, 3, "", "")
	}
}

// countdown draws the timer and its progress.
func (d *notificationPage) countdown() {
	if d.n.Timer == nil {
		return
	}
	if !d.n.Timer.Bar {
		d.add(d.clock())
		return
	}
	l := d.clock()
	room := d.width - l.width() - 1
	if room < 8 {
		d.add(l)
		d.add(d.bar())
		return
	}
	d.add(append(append(d.barOf(room), run{text: " "}), l...))
}

func (d *notificationPage) clock() line {
	text := "⏱ --:--:--"
	if t := d.n.Timer; t.Known {
		left := max(t.Left, 0)
		text = fmt.Sprintf("⏱ %02d:%02d:%02d", int(left.Hours()), int(left.Minutes())%60, int(left.Seconds())%60)
	}
	return line{{text, textStyle{tone: themes.ToneDanger, bold: true}}}
}

func (d *notificationPage) bar() line { return d.barOf(d.width) }

// barOf draws the progress bar at its start: heavy for the elapsed part, light for the rest.
func (d *notificationPage) barOf(w int) line {
	return line{
		{"━", textStyle{tone: themes.ToneAccent, bold: true}},
		{strings.Repeat("─", max(w-1, 0)), textStyle{tone: themes.ToneFaint}},
	}
}

// media draws the large picture, or the current slide of a carousel.
func (d *notificationPage) media(height int) {
	if len(d.n.Slide) == 0 {
		if d.n.Image != nil {
			d.picture(d.n.Image, height-2, "", "")
		}
		return
	}
	at := min(max(d.slide, 0), len(d.n.Slide)-1)
	slide := d.n.Slide[at]
	left, right := "‹", "›"
	if d.n.AutoSlide {
		left, right = "", ""
	}
	d.picture(&slide.Image, height-2, left, right)
	d.add(centered(slideDots(at, len(d.n.Slide), d.width), d.width))
}

// slideDots shows which slide of how many is current.
func slideDots(at, of, w int) line {
	count := run{fmt.Sprintf("  %d/%d", at+1, of), textStyle{tone: themes.ToneMuted}}
	if of*2 > w-8 {
		return line{count}
	}
	var b strings.Builder
	for i := range of {
		if i == at {
			b.WriteString("● ")
		} else {
			b.WriteString("○ ")
		}
	}
	return line{{strings.TrimSuffix(b.String(), " "), textStyle{tone: themes.ToneAccent}}, count}
}

// buttonRow draws the first buttons side by side, or one below the other if they do not fit.
func (d *notificationPage) buttonRow(most int) {
	var l line
	for i, b := range d.n.Buttons {
		if i == most {
			break
		}
		one := d.button(b)
		if len(l) > 0 && l.width()+2+one.width() > d.width {
			d.add(l)
			l = nil
		}
		if len(l) > 0 {
			l = append(l, run{text: "  "})
		}
		l = append(l, one...)
	}
	if len(l) > 0 {
		d.add(l)
	}
}

func (d *notificationPage) button(b render.Button) line {
	p := textStyle{tone: themes.ToneAccent, bold: true}
	label := singleLine(b.Title, p)
	if b.Title.Empty() {
		label = textLine("(no text)", textStyle{tone: themes.ToneFaint})
	}
	edge := textStyle{tone: themes.ToneFaint}
	return append(append(line{{"[ ", edge}}, label.cut(max(d.width-4, 1))...), run{" ]", edge})
}

// bannerCollapsed draws the collapsed banner template.
func (d *notificationPage) bannerCollapsed() {
	d.androidHead("▾")
	if d.n.Banner.Collapsed.Empty() {
		d.collapsed()
		return
	}
	d.addAll(wrapRuns(runs(d.n.Banner.Collapsed, textStyle{bold: true}), d.width, 2))
}

// banner draws the wide picture with its overlaid texts.
func (d *notificationPage) banner() {
	n := d.n
	if d.width < 12 {
		d.media(5)
		d.buttonRow(3)
		return
	}
	in := &notificationPage{page: &page{painter: d.painter, width: d.width - 4}, n: n}
	if n.Banner.Header {
		in.androidHead("▴")
	}
	img := n.Image
	if img == nil {
		img = &render.Image{Name: "no banner yet", Kind: render.Picture}
	}
	in.add(nil)
	in.add(centered(textLine(mediaIcon(img)+" banner", textStyle{tone: themes.ToneMuted}), in.width))
	in.add(centered(textLine(img.Name, textStyle{}), in.width))
	in.add(nil)
	if n.Banner.Text {
		in.addAll(wrapRuns(runs(n.Title, textStyle{bold: true}), in.width, in.rows(1)))
		in.addAll(wrapRuns(runs(n.Body.Cut(render.VisibleLength(android, "Message", limitExpanded)), textStyle{}), in.width, in.rows(2)))
	}
	d.framed(in.lines)
	d.buttonRow(3)
}
