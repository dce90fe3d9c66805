package preview

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/widget"
)

// The tabs, which are ways to view a message.
const (
	tabCollapsed = "Collapsed"
	tabExpanded  = "Expanded"
	tabBackup    = "Backup"
	tabBanner    = "Banner"
	tabDesktop   = "Desktop"
	tabPhone     = "Phone"
	tabInbox     = "Inbox"
	tabMessage   = "Message"
	tabText      = "Text"
)

// Preview shows one message of a campaign on one platform in several tabs. The zero value draws nothing; create
// one with [New].
type Preview struct {
	theme         *themes.Theme
	view          render.View
	tabs          widget.Tabs
	pager         widget.Pager
	width, height int
	slide         int
	caption       Caption
	captionLines  []string
	styles        *themes.Styles      // that the view was drawn with
	drawn         map[style][2]string // see [page]
}

// New returns an empty preview.
func New(t *themes.Theme) Preview {
	return Preview{theme: t, tabs: widget.NewTabs(t), pager: widget.NewPager(t)}
}

// SetSize sets the size of the preview.
func (p *Preview) SetSize(width, height int) {
	width, height = max(width, 0), max(height, 0)
	same := width == p.width && height == p.height && p.styles == p.theme.Styles
	p.width, p.height = width, height
	if p.resize(); !same {
		p.redraw()
	}
}

// resize draws the caption and divides the rest.
func (p *Preview) resize() {
	p.drawCaption()
	p.tabs.SetSize(p.width, 1)
	p.pager.SetSize(p.width, p.height-p.headerHeight())
}

// headerHeight returns the height of the caption and the tabs, with a blank line below them if it fits.
func (p *Preview) headerHeight() int {
	if p.height < minBlankHeight {
		return len(p.captionLines) + 1
	}
	return len(p.captionLines) + 2
}

// minBlankHeight is the least height of a preview with a blank line below its tabs.
const minBlankHeight = 10

// Show shows a message. The current tab is kept if the message has it, and so are slide and scroll position for
// a changed version of the same message; a place in the backup opens the backup, one in a slide that slide.
func (p *Preview) Show(v render.View) {
	other := v.Platform != p.view.Platform || v.Content.String() != p.view.Content.String()
	open := p.tab()
	p.view = v
	p.tabs.Names, p.tabs.Active = tabsOf(v), 0
	p.selectTab(open)
	if v.Backup {
		p.selectTab(tabBackup)
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
	} else {
		p.redraw()
	}
}

func tabsOf(v render.View) (names []string) {
	switch n := v.Notification; {
	case v.Mail != nil:
		return []string{tabInbox, tabMessage, tabText}
	case n == nil:
		return nil
	case n.Platform == catalog.Android:
		names = []string{tabCollapsed, tabExpanded}
	case n.Platform == catalog.IOS:
		names = []string{tabBanner, tabExpanded}
	case n.Platform == catalog.Web:
		names = []string{tabDesktop, tabPhone}
	}
	if v.Notification.Backup != nil {
		names = append(names, tabBackup)
	}
	return names
}

func (p *Preview) tab() string {
	if p.tabs.Active < len(p.tabs.Names) {
		return p.tabs.Names[p.tabs.Active]
	}
	return ""
}

func (p *Preview) selectTab(name string) {
	if i := slices.Index(p.tabs.Names, name); i >= 0 {
		p.tabs.Active = i
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

func bind(label, help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(label, help))
}

// The keys of the preview.
var (
	keyNext      = bind("right", "next view", "right", "l")
	keyPrev      = bind("left", "previous view", "left", "h")
	keyNextSlide = bind(">", "next slide", ">")
	keyPrevSlide = bind("<", "previous slide", "<")
)

// Bindings returns the keys that work now. [Preview.Update] also handles keys that scroll.
func (p *Preview) Bindings() (out []key.Binding) {
	if len(p.tabs.Names) > 1 {
		out = append(out, keyNext, keyPrev)
	}
	if p.slides() > 1 {
		out = append(out, keyNextSlide, keyPrevSlide)
	}
	return out
}

// Update handles a key.
func (p *Preview) Update(msg tea.KeyMsg) {
	switch {
	case key.Matches(msg, keyNext):
		p.Next()
	case key.Matches(msg, keyPrev):
		p.Prev()
	case key.Matches(msg, keyNextSlide):
		p.TurnSlide(1)
	case key.Matches(msg, keyPrevSlide):
		p.TurnSlide(-1)
	default:
		p.pager.Update(msg)
	}
}

// Mouse handles the wheel and clicks on the tabs, relative to the preview.
func (p *Preview) Mouse(msg tea.MouseMsg) {
	i, ok := p.tabs.At(msg.X)
	if ok && widget.Pressed(msg) && msg.Y == len(p.captionLines) {
		p.tabs.Active = i
		p.draw()
		return
	}
	p.pager.Mouse(msg)
}

// View draws exactly the size set by SetSize.
func (p *Preview) View() string {
	if p.width == 0 || p.height == 0 {
		return ""
	}
	lines := append(slices.Clone(p.captionLines), p.tabs.View())
	for len(lines) < p.headerHeight() {
		lines = append(lines, "")
	}
	return widget.Fit(strings.Join(append(lines, p.pager.View()), "\n"), p.width, p.height)
}

// redraw draws the current tab again, keeping the scroll position.
func (p *Preview) redraw() {
	last, total := p.pager.Position()
	p.draw()
	p.pager.Scroll(last - min(max(p.height-p.headerHeight(), 0), total))
}

// draw draws the current tab from its start.
func (p *Preview) draw() {
	if p.styles != p.theme.Styles {
		p.styles, p.drawn = p.theme.Styles, map[style][2]string{}
	}
	if p.width == 0 {
		return
	}
	s, m, n := p.newPage(), p.view.Mail, p.view.Notification
	if n != nil {
		s.wrapped(s.clean(n.Platform.Label()+" · "+n.Label, muted), 0)
	}
	switch {
	case m == nil && n == nil:
		s.wrapped(s.paint("There is no message to preview.", faint), 0)
	case m != nil && m.Blank:
		s.wrapped(s.paint("The email is empty.", faint), 0)
	case n != nil && n.Blank:
		s.wrapped(s.paint("The notification is empty.", faint), 0)
	default:
		p.drawTabs(s)
	}
	p.pager.SetStyled(strings.Join(s.lines, "\n"))
}

// newPage returns an empty page, as wide as the pager is beside its scroll bar.
func (p *Preview) newPage() *page {
	s := newPage(p.theme, p.width-2)
	s.at, s.caption, s.drawn = p.view.At, p.caption, p.drawn
	return s
}

// minMessageRows is the least number of rows for the beginning of an opened email below the inbox.
const minMessageRows = 8

// drawer draws the tabs and the notes of a message.
type drawer interface {
	tab(name string)
	end()
}

// drawerOn returns the drawer of the message on a page.
func (p *Preview) drawerOn(s *page) drawer {
	if p.view.Mail != nil {
		return &mailPage{page: s, m: p.view.Mail}
	}
	n := p.view.Notification
	if p.tab() == tabBackup {
		backup := *n.Backup
		backup.Missing = n.Missing
		n = &backup
	}
	return pushPage{s, n, p.slide}
}

// drawTabs draws the current tab and, below it, those that follow it as far as they fit, and then the notes. An opened
// email is drawn below the inbox even if only its beginning fits.
func (p *Preview) drawTabs(s *page) {
	end := p.newPage()
	end.add("")
	p.drawerOn(end).end()
	room := p.height - p.headerHeight() - len(end.lines)
	for i, name := range p.tabs.Names[p.tabs.Active:] {
		tab := p.newPage()
		p.drawerOn(tab).tab(name)
		if i > 0 {
			left := room - len(s.lines) - 2
			if fits := len(tab.lines) <= left || name == tabMessage && left >= minMessageRows; !fits || name == tabText || name == tabBackup {
				break // a text is another version of the same, and a backup another message
			}
			s.add("", s.paint(name, faint))
		}
		s.lines = append(s.lines, tab.lines...)
	}
	s.lines = append(s.lines, end.lines...)
}
