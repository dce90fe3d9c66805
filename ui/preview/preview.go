package preview

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/widget"
)

// tabID is one way to view a message.
type tabID string

// The tabs, by their titles.
const (
	tabCollapsed tabID = "Collapsed"
	tabExpanded  tabID = "Expanded"
	tabLock      tabID = "Lock screen"
	tabBackup    tabID = "Backup"
	tabBanner    tabID = "Banner"
	tabDesktop   tabID = "Desktop"
	tabPhone     tabID = "Phone"
	tabInbox     tabID = "Inbox"
	tabMessage   tabID = "Message"
	tabText      tabID = "Text"
)

// Preview shows one message of a campaign on one platform in several tabs. The zero value draws nothing; create
// one with [New].
type Preview struct {
	theme         *themes.Theme
	view          render.View
	tabIDs        []tabID
	tabs          widget.Tabs
	pager         widget.Pager
	width, height int
	slide         int
	caption       Caption
	captionLines  []string
	styles        *themes.Styles // that the view was drawn with
}

// New returns an empty preview.
func New(t *themes.Theme) Preview {
	return Preview{theme: t, tabs: widget.NewTabs(t), pager: widget.NewPager(t)}
}

// SetSize sets the size of the preview.
func (p *Preview) SetSize(width, height int) {
	width, height = max(width, 0), max(height, 0)
	wider, higher := width != p.width, height != p.height
	p.width, p.height = width, height
	p.drawCaption()
	p.tabs.SetSize(width, 1)
	p.pager.SetSize(width, height-p.headerHeight())
	switch {
	case wider:
		p.draw()
	case higher, p.styles != p.theme.Styles:
		p.redraw()
	}
}

// headerHeight returns the height of the caption and the tabs.
func (p *Preview) headerHeight() int { return len(p.captionLines) + p.tabsHeight() }

// tabsHeight returns the height of the tabs, with a blank line below them if it fits.
func (p *Preview) tabsHeight() int {
	switch height := p.height - len(p.captionLines); {
	case height < 3:
		return 0
	case height < 10:
		return 1
	}
	return 2
}

// Show shows a message. The current tab is kept if the message has it, and so are slide and scroll position for
// a changed version of the same message; a place in the backup opens the backup, one in a slide that slide.
func (p *Preview) Show(v render.View) {
	other := v.Platform != p.view.Platform || v.Content.String() != p.view.Content.String()
	open := p.tab()
	p.view = v
	p.tabIDs = tabsOf(v)
	p.tabs.Names, p.tabs.Active = make([]string, len(p.tabIDs)), 0
	for i, l := range p.tabIDs {
		p.tabs.Names[i] = string(l)
		if l == open || v.Backup && l == tabBackup {
			p.tabs.Active = i
		}
	}
	if other {
		p.slide = 0
	}
	if v.Slide > 0 && v.Slide <= p.slides() {
		p.slide = v.Slide - 1
		if !v.Backup {
			p.selectTab(tabExpanded)
		}
	}
	p.slide = min(p.slide, max(p.slides()-1, 0))
	if other || p.tab() != open {
		p.draw()
		return
	}
	p.redraw()
}

func tabsOf(v render.View) []tabID {
	if v.Mail != nil {
		return []tabID{tabInbox, tabMessage, tabText}
	}
	if v.Notification == nil {
		return nil
	}
	var out []tabID
	switch v.Notification.Platform {
	case catalog.Android:
		out = []tabID{tabCollapsed, tabExpanded, tabLock}
	case catalog.IOS:
		out = []tabID{tabBanner, tabExpanded, tabLock}
	case catalog.Web:
		out = []tabID{tabDesktop, tabPhone}
	}
	if v.Notification.Backup != nil {
		out = append(out, tabBackup)
	}
	return out
}

func (p *Preview) tab() tabID {
	if p.tabs.Active < len(p.tabIDs) {
		return p.tabIDs[p.tabs.Active]
	}
	return ""
}

func (p *Preview) selectTab(l tabID) {
	for i, have := range p.tabIDs {
		if have == l {
			p.tabs.Active = i
		}
	}
}

func (p *Preview) slides() int {
	if p.view.Notification == nil {
		return 0
	}
	return len(p.view.Notification.Slide)
}

// Next selects the next tab, wrapping around.
func (p *Preview) Next() { p.tabs.Next(); p.draw() }

// Prev selects the previous tab, wrapping around.
func (p *Preview) Prev() { p.tabs.Prev(); p.draw() }

// TurnSlide moves n slides on, wrapping around.
func (p *Preview) TurnSlide(n int) {
	if of := p.slides(); of > 0 {
		p.slide = ((p.slide+n)%of + of) % of
		p.redraw()
	}
}

// Binding is an action of the preview, with its keys as tea.KeyMsg spells them.
type Binding struct {
	Keys  []string
	Label string // a word or two
	Help  string // a clause
	Run   func()
}

// Bindings returns the current actions. [Preview.Update] also handles keys that scroll.
func (p *Preview) Bindings() []Binding {
	var out []Binding
	if len(p.tabIDs) > 1 {
		out = append(out,
			Binding{Keys: []string{"right", "l"}, Label: "next view", Help: "show the message collapsed, expanded and so on", Run: p.Next},
			Binding{Keys: []string{"left", "h"}, Label: "previous view", Run: p.Prev},
		)
	}
	if p.slides() > 1 {
		out = append(out,
			Binding{Keys: []string{".", ">"}, Label: "next slide", Help: "swipe to the next slide of the carousel", Run: func() { p.TurnSlide(1) }},
			Binding{Keys: []string{",", "<"}, Label: "previous slide", Help: "swipe to the previous slide", Run: func() { p.TurnSlide(-1) }},
		)
	}
	return out
}

// Update handles a key and reports whether it did something.
func (p *Preview) Update(msg tea.KeyMsg) bool {
	key := msg.String()
	for _, b := range p.Bindings() {
		for _, k := range b.Keys {
			if k == key {
				b.Run()
				return true
			}
		}
	}
	return p.pager.Update(msg)
}

// Mouse handles the wheel and clicks on the tabs, relative to the preview, and reports whether it did
// something.
func (p *Preview) Mouse(msg tea.MouseMsg) bool {
	if widget.Pressed(msg) && msg.Y == len(p.captionLines) && p.tabsHeight() > 0 {
		i, ok := p.tabs.At(msg.X)
		if ok {
			p.tabs.Active = i
			p.draw()
		}
		return ok
	}
	return p.pager.Mouse(msg)
}

// View draws exactly the size set by SetSize.
func (p *Preview) View() string {
	if p.width == 0 || p.height == 0 {
		return ""
	}
	body := p.pager.View()
	switch p.tabsHeight() {
	case 1:
		body = p.tabs.View() + "\n" + body
	case 2:
		body = p.tabs.View() + "\n\n" + body
	}
	if len(p.captionLines) > 0 {
		body = strings.Join(p.captionLines, "\n") + "\n" + body
	}
	return widget.Fit(body, p.width, p.height)
}

// redraw draws the current tab again, keeping the scroll position.
func (p *Preview) redraw() {
	last, total := p.pager.Position()
	p.draw()
	p.pager.Scroll(last - min(max(p.height-p.headerHeight(), 0), total))
}

// draw draws the current tab from its start.
func (p *Preview) draw() {
	p.styles = p.theme.Styles
	if p.width == 0 {
		return
	}
	s, m, n := p.newPage(), p.view.Mail, p.view.Notification
	if n != nil {
		s.wrapped(n.Platform.Label()+" · "+n.Label, textStyle{tone: themes.ToneMuted})
	}
	switch {
	case m == nil && n == nil:
		s.wrapped("There is no message to preview.", textStyle{tone: themes.ToneFaint})
	case m != nil && m.Blank:
		s.wrapped("The email is empty.", textStyle{tone: themes.ToneFaint})
	case n != nil && n.Blank:
		s.wrapped("The notification is empty.", textStyle{tone: themes.ToneFaint})
	default:
		p.drawTabs(s)
	}
	p.pager.SetStyled(strings.Join(s.lines, "\n"))
}

func (p *Preview) newPage() *page {
	return &page{painter: newPainter(p.theme), width: max(p.width-2, 1), at: p.view.At, caption: p.caption} // the pager's scroll bar
}

// minMessageRows is the least number of rows for the beginning of an opened email below the inbox.
const minMessageRows = 8

// drawTabs draws the current tab and, below it, those that follow it as far as they fit, and then the notes. An opened
// email is drawn below the inbox even if only its beginning fits.
func (p *Preview) drawTabs(s *page) {
	draw, notes := p.tabDrawer()
	end := p.newPage()
	end.blank()
	notes(end)
	room := p.height - p.headerHeight() - len(end.lines)
	for i, l := range p.tabIDs[p.tabs.Active:] {
		tab := p.newPage()
		draw(tab, l)
		left := room - len(s.lines) - 2
		switch {
		case i == 0:
			s.lines = append(s.lines, tab.lines...)
			continue
		case l == tabText || l == tabBackup: // another version of the same, or another message
		case len(tab.lines) <= left, l == tabMessage && left >= minMessageRows:
			s.blank()
			s.add(textLine(string(l), textStyle{tone: themes.ToneFaint}))
			s.lines = append(s.lines, tab.lines...)
			continue
		}
		break
	}
	s.lines = append(s.lines, end.lines...)
}

// tabDrawer returns the functions that draw a tab and the notes of the message.
func (p *Preview) tabDrawer() (draw func(*page, tabID), notes func(*page)) {
	if m := p.view.Mail; m != nil {
		return func(s *page, l tabID) { s.mail(m, l) }, func(s *page) { s.mailNotes(m) }
	}
	on := func(s *page) *notificationPage {
		return &notificationPage{page: s, n: p.view.Notification, slide: p.slide}
	}
	return func(s *page, l tabID) { on(s).notification(l) }, func(s *page) { on(s).notificationNotes(p.tab()) }
}
