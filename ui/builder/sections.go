package builder

import (
	"fmt"
	"slices"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/widget"
)

// sectionState is how complete a section is.
type sectionState uint8

const (
	sectionEmpty      sectionState = iota // empty and optional
	sectionMissing                        // empty but required to publish
	sectionUnfinished                     // something in it is missing
	sectionInvalid                        // something in it is invalid
	sectionDone
	sectionNotApplicable // does not apply to this kind of campaign
)

// section is a component of the campaign, as shown in the list.
type section struct {
	name     string
	title    string
	reason   string // why it does not apply
	state    sectionState
	problems int
	locked   bool // the campaign's state locks all of it
}

var sectionIcons = map[sectionState]struct {
	icon string
	tone themes.Tone
	word string
}{
	sectionEmpty:         {"·", themes.ToneFaint, "empty"},
	sectionMissing:       {"○", themes.ToneWarning, "needed"},
	sectionUnfinished:    {"◐", themes.ToneWarning, "unfinished"},
	sectionInvalid:       {"✗", themes.ToneDanger, "wrong"},
	sectionDone:          {"✓", themes.ToneSuccess, "done"},
	sectionNotApplicable: {"–", themes.ToneFaint, "not used by this campaign"},
}

// sectionsOf returns the state of each component of the document.
func sectionsOf(ch catalog.Channel, dt catalog.DeliveryType, root doc.Value, problems []schema.Problem) []section {
	var parts []section
	for _, info := range catalog.Components(ch) {
		p := section{name: string(info.Name), title: info.Title}
		ok, why := catalog.Applicable(info.Name, ch, dt)
		v := root.Get(p.name)
		p.setState(v, problems)
		if !ok && !v.Exists() {
			p.state, p.reason = sectionNotApplicable, why
		}
		parts = append(parts, p)
	}
	return parts
}

func (p *section) setState(v doc.Value, problems []schema.Problem) {
	p.state = sectionDone
	if v.Empty() {
		p.state = sectionEmpty
	}
	for _, pr := range problems {
		if pr.Severity != schema.Error || len(pr.Path) == 0 || pr.Path[0].Name != p.name {
			continue
		}
		p.problems++
		switch {
		case v.Empty():
			p.state = sectionMissing
		case !pr.Missing():
			p.state = sectionInvalid
		case p.state != sectionInvalid:
			p.state = sectionUnfinished
		}
	}
}

func (p section) item() widget.Item {
	look := sectionIcons[p.state]
	it := widget.Item{Icon: look.icon, IconTone: look.tone, Text: p.title, Dim: p.locked || p.state == sectionNotApplicable}
	if p.problems > 0 {
		it.Info, it.InfoTone = fmt.Sprint(p.problems), look.tone
	}
	return it
}

// sectionList is the list of sections with their states.
type sectionList struct{ *list.List[section] }

func newSectionList(t *themes.Theme) sectionList {
	l := list.Items(t, "section", section.item)
	l.Same = func(a, b section) bool { return a.name == b.name }
	return sectionList{l}
}

// show updates the list from the session's document.
func (s *sectionList) show(e *edit.Session) {
	rows := sectionsOf(e.Head().Channel, e.Head().DeliveryType, e.Root(), e.Problems())
	whole := e.LockedAt(nil) != "" // the header shows it already
	for i, p := range rows {
		rows[i].locked = !whole && p.state != sectionNotApplicable && e.LockedAt(doc.P(p.name)) != ""
	}
	s.Set(rows)
}

// choose moves the cursor to the section that p is in.
func (s *sectionList) choose(p doc.Path) {
	if i := s.index(p); i >= 0 {
		s.SelectIndex(i)
	}
}

// index returns the row of the section that p is in, or -1.
func (s *sectionList) index(p doc.Path) int {
	return slices.IndexFunc(s.Shown(), func(pt section) bool { return len(p) > 0 && pt.name == p[0].Name })
}

// at returns the section that p is in; the zero value if there is none.
func (s *sectionList) at(p doc.Path) section {
	if i := s.index(p); i >= 0 {
		return s.Shown()[i]
	}
	return section{}
}

// first returns the section to start with: the first that is not done.
func (s *sectionList) first() doc.Path {
	rows := s.Shown()
	if i := slices.IndexFunc(rows, func(p section) bool { return p.problems > 0 }); i >= 0 {
		rows = rows[i:]
	}
	if len(rows) == 0 {
		return doc.P("")
	}
	return doc.P(rows[0].name)
}

// inOrder returns the problems in the order of their sections.
func (s *sectionList) inOrder(problems []schema.Problem) []schema.Problem {
	out := slices.Clone(problems)
	slices.SortStableFunc(out, func(a, b schema.Problem) int { return s.index(a.Path) - s.index(b.Path) })
	return out
}

// chosen returns the selected section; nil if there is none.
func (s *sectionList) chosen() doc.Path {
	if p, ok := s.Selected(); ok {
		return doc.P(p.name)
	}
	return nil
}
