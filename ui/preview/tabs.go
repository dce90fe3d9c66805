package preview

import (
	"bugle/engine/message/render"
	"bugle/themes"
)

// mail draws one tab of an email.
func (s *page) mail(m *render.Mail, l tabID) {
	switch l {
	case tabMessage:
		s.message(m)
	case tabText:
		s.plainText(m)
	default:
		s.inbox(m)
	}
}

// mailNotes draws the notes about an email.
func (s *page) mailNotes(m *render.Mail) {
	var facts []render.Fact
	if m.Unsubscribe != "" {
		facts = append(facts, render.Fact{Name: "Unsubscribe", Text: m.Unsubscribe})
	}
	if text := templateText(m.Custom); m.Custom.Known && text != "" {
		facts = append(facts, render.Fact{Name: "Design", Text: text})
	}
	s.notes(facts, m.Missing, m.Warnings)
}

// notification draws one tab of a notification.
func (d *notificationPage) notification(l tabID) {
	switch l {
	case tabBackup:
		d.n = d.n.Backup
		d.drawCard(tabExpanded)
	case tabLock:
		d.lockScreen()
	default:
		d.drawCard(l)
	}
}

// notificationNotes draws the notes about a notification, or about its backup.
func (d *notificationPage) notificationNotes(l tabID) {
	missing := d.n.Missing
	if l == tabBackup {
		d.n = d.n.Backup
	}
	d.notes(d.facts(), missing, d.n.Warnings)
}

// drawCard draws the card of a tab.
func (d *notificationPage) drawCard(l tabID) {
	switch l {
	case tabCollapsed:
		d.androidCard(false)
	case tabBanner:
		d.iosBanner()
	case tabDesktop:
		d.desktop()
	case tabPhone:
		d.webPhone()
	default:
		if string(d.n.Platform) == ios {
			d.iosExpanded()
			return
		}
		d.androidCard(true)
	}
}

// lockScreen draws the notification below a phone's clock.
func (d *notificationPage) lockScreen() {
	w := min(phoneWidth, d.width)
	d.blank()
	if !d.at.IsZero() {
		d.add(centered(textLine(d.received(), textStyle{bold: true}), w))
		d.add(centered(textLine(d.at.Format("Monday, 2 January"), textStyle{tone: themes.ToneMuted}), w))
		d.blank()
	}
	if string(d.n.Platform) == ios {
		d.iosBanner()
		return
	}
	d.androidCard(false)
}
