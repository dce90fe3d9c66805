package builder

import (
	"fmt"
	"slices"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/schema"
	"bugle/themes"
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
	it := widget.Item{Icon: look.icon, IconTone: look.tone, Text: p.title, Dim: p.locked || p.state == sectionNotApplicable, DisabledReason: ""}
	if p.problems > 0 {
		it.Info, it.InfoTone = fmt.Sprint(p.problems), look.tone
	}
	return it
}

// sectionList is the list of sections with their states.
type sectionList struct {
	rows []section
	list widget.List
}

// show updates the list from the session's document.
func (s *sectionList) show(e *edit.Session) {
	s.rows = sectionsOf(e.Head().Channel, e.Head().DeliveryType, e.Root(), e.Problems())
	items := make([]widget.Item, len(s.rows))
	whole := e.LockedAt(nil) != "" // the header shows it already
	for i, p := range s.rows {
		p.locked = !whole && p.state != sectionNotApplicable && e.LockedAt(doc.P(p.name)) != ""
		items[i] = p.item()
	}
	at := s.list.Cursor
	s.list.SetItems(items)
	s.list.SelectItem(at)
}

// choose moves the cursor to the section that p is in.
func (s *sectionList) choose(p doc.Path) {
	if i := s.index(p); i >= 0 {
		s.list.SelectItem(i)
	}
}

// index returns the row of the section that p is in, or -1.
func (s *sectionList) index(p doc.Path) int {
	return slices.IndexFunc(s.rows, func(pt section) bool { return len(p) > 0 && pt.name == p[0].Name })
}

// at returns the section that p is in; the zero value if there is none.
func (s *sectionList) at(p doc.Path) section {
	if i := s.index(p); i >= 0 {
		return s.rows[i]
	}
	return section{}
}

// first returns the section to start with: the first that is not done.
func (s *sectionList) first() doc.Path {
	for _, p := range s.rows {
		if p.state == sectionMissing || p.state == sectionUnfinished || p.state == sectionInvalid {
			return doc.P(p.name)
		}
	}
	if len(s.rows) > 0 {
		return doc.P(s.rows[0].name)
	}
	return doc.P("")
}

// messages returns the section with the campaign's messages; false if there is none.
func (s *sectionList) messages(sch *schema.Schema) (doc.Path, bool) {
	for _, p := range s.rows {
		at := doc.P(p.name)
		if n := sch.At(at); n != nil && n.Editor == schema.EditorContent && p.state != sectionNotApplicable {
			return at, true
		}
	}
	return nil, false
}

// inOrder returns the problems in the order of their sections.
func (s *sectionList) inOrder(problems []schema.Problem) []schema.Problem {
	out := slices.Clone(problems)
	slices.SortStableFunc(out, func(a, b schema.Problem) int { return s.index(a.Path) - s.index(b.Path) })
	return out
}

// titles joins section names for display.
func (s *sectionList) titles(names []string) string {
	words := make([]string, len(names))
	for i, n := range names {
		if words[i] = s.at(doc.P(n)).title; words[i] == "" {
			words[i] = n
		}
	}
	return strings.Join(words, ", ")
}

// title returns the list's heading: how many sections are left before the campaign can be published.
func (s *sectionList) title() string {
	left := 0
	for _, p := range s.rows {
		switch p.state {
		case sectionMissing, sectionUnfinished, sectionInvalid:
			left++
		}
	}
	if left == 0 {
		return "Sections: done"
	}
	return fmt.Sprintf("Sections: %d left", left)
}

// chosen returns the selected section; nil if there is none.
func (s *sectionList) chosen() doc.Path {
	if i := s.list.Cursor; i >= 0 && i < len(s.rows) {
		return doc.P(s.rows[i].name)
	}
	return nil
}
