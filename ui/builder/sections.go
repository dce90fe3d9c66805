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

// partState is how far a component is.
type partState uint8

const (
	partEmpty      partState = iota // nothing there, and nothing needed
	partMissing                     // nothing there, but needed to publish
	partUnfinished                  // something is missing in it
	partWrong                       // something in it is refused
	partDone
	partForeign // not for this kind of campaign
)

// part is a component of the campaign in the list at the left.
type part struct {
	name     string
	title    string
	why      string // why it is not for this campaign
	state    partState
	problems int
	locked   bool // the campaign's state keeps it from being changed, all of it
}

var partLooks = map[partState]struct {
	icon string
	tone themes.Tone
	word string
}{
	partEmpty:      {"·", themes.ToneFaint, "empty"},
	partMissing:    {"○", themes.ToneWarning, "needed"},
	partUnfinished: {"◐", themes.ToneWarning, "unfinished"},
	partWrong:      {"✗", themes.ToneDanger, "wrong"},
	partDone:       {"✓", themes.ToneSuccess, "done"},
	partForeign:    {"–", themes.ToneFaint, "not used by this campaign"},
}

// partsOf returns how each component of the document stands.
func partsOf(ch catalog.Channel, dt catalog.DeliveryType, root doc.Value, problems []schema.Problem) []part {
	var parts []part
	for _, info := range catalog.Components(ch) {
		p := part{name: string(info.Name), title: info.Title}
		ok, why := catalog.Applicable(info.Name, ch, dt)
		v := root.Get(p.name)
		p.judge(v, problems)
		if !ok && !v.Exists() {
			p.state, p.why = partForeign, why
		}
		parts = append(parts, p)
	}
	return parts
}

func (p *part) judge(v doc.Value, problems []schema.Problem) {
	p.state = partDone
	if v.Empty() {
		p.state = partEmpty
	}
	for _, pr := range problems {
		if pr.Severity != schema.Error || len(pr.Path) == 0 || pr.Path[0].Name != p.name {
			continue
		}
		p.problems++
		switch {
		case v.Empty():
			p.state = partMissing
		case !isMissing(pr):
			p.state = partWrong
		case p.state != partWrong:
			p.state = partUnfinished
		}
	}
}

// isMissing reports whether a problem says that something is not there yet.
func isMissing(p schema.Problem) bool {
	_, rule, _ := strings.Cut(p.Rule, "#")
	return strings.HasPrefix(rule, "required") || rule == "one_of" || strings.HasPrefix(p.Message, "missing")
}

func (p part) item() widget.Item {
	look := partLooks[p.state]
	it := widget.Item{Icon: look.icon, IconTone: look.tone, Text: p.title, Dim: p.locked || p.state == partForeign, DisabledReason: ""}
	if p.problems > 0 {
		it.Info, it.InfoTone = fmt.Sprint(p.problems), look.tone
	}
	return it
}

// sections is the list of the campaign's sections, and how far each of them is.
type sections struct {
	parts []part
	list  widget.List
}

// show takes over how the sections of the session's document stand.
func (s *sections) show(e *edit.Session) {
	s.parts = partsOf(e.Head().Channel, e.Head().DeliveryType, e.Root(), e.Problems())
	items := make([]widget.Item, len(s.parts))
	whole := e.LockedAt(nil) != "" // the header says so already
	for i, p := range s.parts {
		p.locked = !whole && p.state != partForeign && e.LockedAt(doc.P(p.name)) != ""
		items[i] = p.item()
	}
	at := s.list.Cursor
	s.list.SetItems(items)
	s.list.SelectItem(at)
}

// choose puts the cursor on the section that p is in.
func (s *sections) choose(p doc.Path) {
	if i := s.index(p); i >= 0 {
		s.list.SelectItem(i)
	}
}

// index returns the row of the section that p is in, or -1.
func (s *sections) index(p doc.Path) int {
	return slices.IndexFunc(s.parts, func(pt part) bool { return len(p) > 0 && pt.name == p[0].Name })
}

// at returns the section that p is in; the zero value where it is in none.
func (s *sections) at(p doc.Path) part {
	if i := s.index(p); i >= 0 {
		return s.parts[i]
	}
	return part{}
}

// first returns the section to begin with: the first that is not done.
func (s *sections) first() doc.Path {
	for _, p := range s.parts {
		if p.state == partMissing || p.state == partUnfinished || p.state == partWrong {
			return doc.P(p.name)
		}
	}
	if len(s.parts) > 0 {
		return doc.P(s.parts[0].name)
	}
	return doc.P("")
}

// messages returns the section that holds the campaign's messages; false where it has none.
func (s *sections) messages(sch *schema.Schema) (doc.Path, bool) {
	for _, p := range s.parts {
		at := doc.P(p.name)
		if n := sch.At(at); n != nil && n.Editor == schema.EditorContent && p.state != partForeign {
			return at, true
		}
	}
	return nil, false
}

// inOrder returns the problems in the order of their sections.
func (s *sections) inOrder(problems []schema.Problem) []schema.Problem {
	out := slices.Clone(problems)
	slices.SortStableFunc(out, func(a, b schema.Problem) int { return s.index(a.Path) - s.index(b.Path) })
	return out
}

// titles names sections for people.
func (s *sections) titles(names []string) string {
	words := make([]string, len(names))
	for i, n := range names {
		if words[i] = s.at(doc.P(n)).title; words[i] == "" {
			words[i] = n
		}
	}
	return strings.Join(words, ", ")
}

// title is the list's heading: how many sections are left to do before the campaign can be published.
func (s *sections) title() string {
	left := 0
	for _, p := range s.parts {
		switch p.state {
		case partMissing, partUnfinished, partWrong:
			left++
		}
	}
	if left == 0 {
		return "Sections: done"
	}
	return fmt.Sprintf("Sections: %d left", left)
}

// chosen returns the section under the cursor; nil where there is none.
func (s *sections) chosen() doc.Path {
	if i := s.list.Cursor; i >= 0 && i < len(s.parts) {
		return doc.P(s.parts[i].name)
	}
	return nil
}
