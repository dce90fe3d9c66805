package preview

import (
	"bugle/engine/message/render"
	"bugle/themes"
)

// mail draws one look of a mail.
func (s *sheet) mail(m *render.Mail, l look) {
	if m.Blank {
		s.wrapped("The email is empty.", pen{tone: themes.ToneFaint})
		return
	}
	switch l {
	case lookMessage:
		s.message(m)
	case lookText:
		s.plainText(m)
	default:
		s.inbox(m)
	}
	s.blank()
	var facts []render.Fact
	if m.Unsubscribe != "" {
		facts = append(facts, render.Fact{Name: "Unsubscribe", Text: m.Unsubscribe})
	}
	if text := design(m.Custom); m.Custom.Known && text != "" {
		facts = append(facts, render.Fact{Name: "Design", Text: text})
	}
	s.notes(facts, m.Missing, m.Warnings)
}

// notification draws one look of a notification.
func (d *drawing) notification(l look) {
	n := d.n
	d.wrapped(n.Platform.Label()+" · "+n.Label, pen{tone: themes.ToneMuted})
	if n.Blank {
		d.wrapped("The notification is empty.", pen{tone: themes.ToneFaint})
		return
	}
	switch l {
	case lookBackup:
		d.n = n.Backup
		d.pick(lookExpanded)
	case lookLock:
		d.lockScreen()
	default:
		d.pick(l)
	}
	d.blank()
	d.notes(d.facts(), n.Missing, d.n.Warnings)
}

// pick draws the card of a look.
func (d *drawing) pick(l look) {
	switch l {
	case lookCollapsed:
		d.androidCard(false)
	case lookBanner:
		d.iosBanner()
	case lookDesktop:
		d.desktop()
	case lookPhone:
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
func (d *drawing) lockScreen() {
	w := min(phoneWidth, d.width)
	d.blank()
	if !d.at.IsZero() {
		d.add(centred(words(d.received(), pen{bold: true}), w))
		d.add(centred(words(d.at.Format("Monday, 2 January"), pen{tone: themes.ToneMuted}), w))
		d.blank()
	}
	if string(d.n.Platform) == ios {
		d.iosBanner()
		return
	}
	d.androidCard(false)
}
