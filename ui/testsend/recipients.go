package testsend

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	model "bugle/engine/testsend"
	"bugle/forms/typeahead"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// offer is a recipient that is offered, or a group of them.
type offer struct {
	value, info string
	group       *group
}

// mostOffers is how many recipients are offered at once, mostProfiles how many profiles are
// looked for: not each of them has the identifier's value.
const (
	mostOffers   = 4
	mostProfiles = 40
)

// typed takes a key of the place where recipients are typed.
func (s *Screen) typed(msg tea.KeyMsg) tea.Cmd {
	if s.form.waiting { // typing went on: what is highlighted is what enter meant
		s.form.waiting = false
		s.accept()
	}
	if msg.Type == tea.KeyRunes && model.Separates(s.form.identifier, string(msg.Runes)) {
		return s.pasted(string(msg.Runes))
	}
	if s.form.list.Key(msg.String()) {
		return nil
	}
	if msg.Type == tea.KeyBackspace && s.form.prompt.Value() == "" {
		if n := len(s.form.recipients()); n > 0 {
			s.focus(spot{onValue, n - 1})
		}
		return nil
	}
	if !s.form.prompt.Update(msg) {
		return nil
	}
	s.form.wrong = ""
	s.offer()
	return s.search()
}

// pasted takes a text with several recipients in it.
func (s *Screen) pasted(text string) tea.Cmd {
	s.form.prompt.SetValue(s.add(s.form.prompt.Value() + text))
	s.focus(spot{onPrompt, 0})
	s.offer()
	return s.refresh()
}

// add takes the recipients in a text, and gives back what cannot be taken, with the reason in
// the form.
func (s *Screen) add(text string) (rest string) {
	s.form.wrong = ""
	before, had := s.chosen(), len(s.form.recipients())
	var left []string
	for _, v := range model.Split(s.form.identifier, text) {
		switch why := model.Refused(s.draft.Campaign.Channel, s.ask(), v); {
		case slices.Contains(s.form.recipients(), v): // it is there already
		case why != "":
			left = append(left, v)
			if s.form.wrong == "" {
				s.form.wrong = why
			}
		default:
			s.form.values[s.form.identifier] = append(slices.Clone(s.form.recipients()), v)
		}
	}
	if added := s.form.recipients()[had:]; len(added) > 0 {
		s.record(before, s.change("added", added...), spot{onPrompt, 0})
	}
	return strings.Join(left, ", ")
}

// commit takes what is typed as it is. It reports false where that cannot be taken.
func (s *Screen) commit() bool {
	rest := s.add(s.form.prompt.Value())
	s.form.prompt.SetValue(rest)
	s.offer()
	if rest != "" {
		s.focus(spot{onPrompt, 0})
	}
	return rest == ""
}

// enterTyped is enter where recipients are typed: it takes what is highlighted, and goes on where
// nothing is. A text that nothing fits yet waits for the profiles that are being looked up.
func (s *Screen) enterTyped() tea.Cmd {
	r, ok := s.form.list.Highlighted()
	if !ok {
		s.jump(1)
		return nil
	}
	if r.Free && s.form.found != s.text() && s.searches() {
		s.form.waiting = true
		return nil
	}
	s.accept()
	return s.refresh()
}

// accept takes what is highlighted: the text that was typed, a recipient, or a group.
func (s *Screen) accept() {
	r, ok := s.form.list.Highlighted()
	switch {
	case !ok:
	case r.Free:
		s.commit()
	default:
		s.take(r.Ref)
	}
}

// text is what is typed of the next recipient.
func (s *Screen) text() string { return strings.TrimSpace(s.form.prompt.Value()) }

// take adds a recipient that is suggested, or a group.
func (s *Screen) take(i int) {
	if i < 0 || i >= len(s.form.offers) {
		return
	}
	o := s.form.offers[i]
	if o.group != nil {
		s.useGroup(*o.group, true)
		return
	}
	s.form.prompt.SetValue(s.add(o.value))
	s.focus(spot{onPrompt, 0})
	s.offer()
}

// remove drops a recipient.
func (s *Screen) remove() tea.Cmd {
	i := s.form.at.i
	s.record(s.chosen(), s.change("removed", s.form.recipients()[i]), spot{onValue, i})
	s.form.values[s.form.identifier] = slices.Delete(slices.Clone(s.form.recipients()), i, i+1)
	if i >= len(s.form.recipients()) {
		s.focus(spot{onPrompt, 0})
	}
	s.offer()
	return s.refresh()
}

// edit puts a recipient back where it can be typed.
func (s *Screen) edit() tea.Cmd {
	v := s.form.recipients()[s.form.at.i]
	cmd := s.remove()
	s.form.prompt.SetValue(v)
	s.focus(spot{onPrompt, 0})
	s.offer()
	return cmd
}

// refresh looks up what the form leads to: profiles to offer, and what would become of the test.
func (s *Screen) refresh() tea.Cmd { return tea.Batch(s.search(), s.foresee()) }

// searches reports whether profiles are looked up for what is typed.
func (s *Screen) searches() bool {
	_, ok := s.deps.Service.(engine.ProfileKeeper)
	return ok && !engine.TakesSegment(s.form.identifier)
}

// found are the profiles that a text leads to.
type found struct {
	text     string
	profiles []engine.Profile
}

// search looks for profiles that what is typed leads to.
func (s *Screen) search() tea.Cmd {
	if !s.searches() {
		s.form.profiles = nil
		s.offer()
		return nil
	}
	keeper, text := s.deps.Service.(engine.ProfileKeeper), s.text()
	return s.Run(taskProfiles, func(ctx context.Context) (any, error) {
		profiles, err := keeper.Profiles(ctx, text, mostProfiles)
		return found{text, profiles}, err
	})
}

// tookProfiles lists the profiles that were found, and does what enter waited for.
func (s *Screen) tookProfiles(r screen.Result) tea.Cmd {
	f, _ := r.Value.(found)
	if r.Err != nil { // without profiles there is still everything else
		f = found{text: s.text()}
	}
	s.form.profiles, s.form.found = f.profiles, f.text
	for _, p := range f.profiles {
		for _, v := range engine.ByProfile(s.form.identifier, p) {
			s.people.Call(model.Recipient{Identifier: s.form.identifier, Value: v}, p)
		}
	}
	s.offer()
	if !s.form.waiting || f.text != s.text() {
		return nil
	}
	s.form.waiting = false
	return s.enterTyped()
}

// offer finds the recipients to suggest for what is typed: groups, recent ones, profiles, and last
// those whom the last test did not reach.
func (s *Screen) offer() {
	s.form.offers = s.form.offers[:0]
	typed := s.text()
	text := strings.ToLower(typed)
	put := func(value, info string) {
		known := slices.ContainsFunc(s.form.offers, func(o offer) bool { return o.value == value })
		if len(s.form.offers) < mostOffers && !known && value != "" && !slices.Contains(s.form.recipients(), value) {
			s.form.offers = append(s.form.offers, offer{value: value, info: info})
		}
	}
	s.offerGroups(text)
	var missed []string
	for _, v := range s.recent[s.form.identifier] {
		switch {
		case !strings.Contains(strings.ToLower(v+"\n"+s.people.Name(s.form.identifier, v)), text):
		case s.past.all.Missed(s.form.identifier, v) != "":
			missed = append(missed, v)
		default:
			put(v, noted(s.people.NameBeside(s.form.identifier, v), "recent"))
		}
	}
	for _, p := range s.form.profiles {
		for _, v := range engine.ByProfile(s.form.identifier, p) {
			if (s.form.found == typed || fits(p, v, text)) && !slices.Contains(missed, v) {
				put(v, nameUnless(p.DisplayName(), v))
			}
		}
	}
	if engine.TakesSegment(s.form.identifier) && len(s.form.recipients()) == 0 {
		for _, seg := range s.draft.Workspace.Segments {
			if strings.Contains(strings.ToLower(seg.Name), text) {
				put(seg.Name, count(len(seg.Members), "member"))
			}
		}
	}
	for _, v := range missed {
		put(v, noted(s.people.NameBeside(s.form.identifier, v), "failed last time"))
	}
	s.list(typed)
}

// noted returns a name with what is noted beside it.
func noted(name, note string) string {
	if name == "" {
		return note
	}
	return name + " · " + note
}

func nameUnless(name, value string) string {
	if name == value {
		return ""
	}
	return name
}

// fits reports whether a profile that was found for another text is one for this, too.
func fits(p engine.Profile, value, text string) bool {
	return strings.Contains(strings.ToLower(value+"\n"+p.ID+"\n"+p.DisplayName()), text)
}

// list shows the suggestions. What is typed stands below them as it is, but where it is one of them.
func (s *Screen) list(typed string) {
	o := typeahead.Offer{Text: typed, Typed: typed != "", Free: true}
	for i, f := range s.form.offers {
		o.Items = append(o.Items, typeahead.Item{Value: f.value, Info: f.info, Ref: i})
	}
	if s.whyNot(typed) != "" {
		o.Note = "not valid"
	}
	s.form.list.Show(o)
}

// offerGroups offers the groups of the identifier whose names have the letters, and have somebody to add.
func (s *Screen) offerGroups(text string) {
	for _, g := range s.groups.all {
		given := s.form.recipients()
		news := slices.ContainsFunc(g.Values, func(v string) bool { return !slices.Contains(given, v) })
		if g.Identifier == s.form.identifier && news && len(s.form.offers) < mostOffers/2 && strings.Contains(strings.ToLower(g.Name), text) {
			s.form.offers = append(s.form.offers, offer{g.Name, fmt.Sprintf("group of %d", len(g.Values)), &g})
		}
	}
}

// whyNot returns why a text that is typed cannot be added as it is; empty where it can.
func (s *Screen) whyNot(typed string) string {
	for _, v := range model.Split(s.form.identifier, typed) {
		if why := model.Refused(s.draft.Campaign.Channel, s.ask(), v); why != "" {
			return why
		}
	}
	return ""
}

// suggest highlights the first recipient that is suggested.
func (s *Screen) suggest() tea.Cmd {
	if !s.form.list.Highlight(0) {
		return screen.Notify(widget.LevelInfo, "No recipient, group or user matches.")
	}
	return nil
}
