package preview

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/widget"
)

// tabID is one way of looking at a message.
type tabID string

// The looks, by what their tabs are called.
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

// Preview shows one message of a campaign on one platform, in several looks of which one is open. The
// zero value draws nothing; [New] makes one.
type Preview struct {
	theme         themes.Theme
	view          render.View
	tabIDs         []tabID
	tabs          widget.Tabs
	pager         widget.Pager
	width, height int
	slide         int
	started, now  time.Time
}

// New makes a preview with nothing to show.
func New(t themes.Theme) Preview {
	return Preview{theme: t, tabs: widget.NewTabs(t), pager: widget.NewPager(t)}
}

// SetTheme changes the theme.
func (p *Preview) SetTheme(t themes.Theme) {
	p.theme = t
	p.tabs.SetTheme(t)
	p.pager.SetTheme(t)
	p.redraw()
}

// SetSize tells the preview the cells it may use.
func (p *Preview) SetSize(width, height int) {
	width, height = max(width, 0), max(height, 0)
	again := width != p.width
	p.width, p.height = width, height
	p.tabs.SetSize(width, 1)
	p.pager.SetSize(width, height-p.headerHeight())
	if again {
		p.draw()
	}
}

// headerHeight is what the tabs take, with the line below them where there is room.
func (p *Preview) headerHeight() int {
	switch {
	case p.height < 3:
		return 0
	case p.height < 10:
		return 1
	}
	return 2
}

// Show turns to a message. The look that is open stays open where the message has it. Of the same message
// the slide and the scroll stay as well; a place in the backup opens the backup, one in a slide the slide.
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
		p.slide, p.started = 0, time.Time{}
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

// Clear shows nothing.
func (p *Preview) Clear() { p.Show(render.View{}) }

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

// Next opens the next look, after the last the first.
func (p *Preview) Next() { p.tabs.Next(); p.draw() }

// Prev opens the look before, before the first the last.
func (p *Preview) Prev() { p.tabs.Prev(); p.draw() }

// TurnSlide turns n slides of a carousel on, around its end.
func (p *Preview) TurnSlide(n int) {
	if of := p.slides(); of > 0 {
		p.slide = ((p.slide+n)%of + of) % of
		p.redraw()
	}
}

// Ticking says that a countdown is in sight, which runs where [Preview.Tick] is called.
func (p *Preview) Ticking() bool {
	n := p.view.Notification
	return n != nil && n.Timer != nil && n.Timer.Known && p.tab() != tabBackup
}

// Tick tells the preview the time. A countdown begins at the first call after its message was shown;
// without one it stands at its start.
func (p *Preview) Tick(now time.Time) {
	if p.started.IsZero() {
		p.started = now
	}
	p.now = now
	if p.Ticking() {
		p.redraw()
	}
}

func (p *Preview) elapsed() time.Duration {
	if p.started.IsZero() {
		return 0
	}
	return max(p.now.Sub(p.started), 0)
}

// Binding is a thing to do with the preview, and its keys as tea.KeyMsg spells them.
type Binding struct {
	Keys  []string
	Label string // a word or two
	Help  string // a clause
	Run   func()
}

// Bindings are what can be done now. Keys that scroll are taken by [Preview.Update] besides.
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

// Update takes a key, and says whether it did something with it.
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

// Mouse takes the wheel and clicks on the tabs, at a place of the preview, and says whether it did
// something.
func (p *Preview) Mouse(msg tea.MouseMsg) bool {
	if msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress && msg.Y == 0 && p.headerHeight() > 0 {
		i, ok := p.tabs.At(msg.X)
		if ok {
			p.tabs.Active = i
			p.draw()
		}
		return ok
	}
	return p.pager.Mouse(msg)
}

// View draws the preview: exactly as wide and as high as SetSize said.
func (p *Preview) View() string {
	if p.width == 0 || p.height == 0 {
		return ""
	}
	body := p.pager.View()
	switch p.headerHeight() {
	case 1:
		body = p.tabs.View() + "\n" + body
	case 2:
		body = p.tabs.View() + "\n\n" + body
	}
	return widget.Fit(body, p.width, p.height)
}

// redraw draws the open look anew and leaves it where it was scrolled to.
func (p *Preview) redraw() {
	last, total := p.pager.Position()
	p.draw()
	p.pager.Scroll(last - min(max(p.height-p.headerHeight(), 0), total))
}

// draw draws the open look into the pager, from its start.
func (p *Preview) draw() {
	if p.width == 0 {
		return
	}
	s := &page{painter: newPainter(p.theme), width: max(p.width-2, 1), at: p.view.At} // the pager's scroll bar
	switch {
	case p.view.Mail != nil:
		s.mail(p.view.Mail, p.tab())
	case p.view.Notification != nil:
		d := &notificationPage{page: s, n: p.view.Notification, slide: p.slide, elapsed: p.elapsed()}
		d.notification(p.tab())
	default:
		s.wrapped("There is no message to preview.", textStyle{tone: themes.ToneFaint})
	}
	p.pager.SetStyled(strings.Join(s.lines, "\n"))
}
