package testsend

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
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
	if msg.Type == tea.KeyRunes && s.separates(string(msg.Runes)) {
		return s.pasted(string(msg.Runes))
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
	s.focus(spot{onPrompt, 0})
	s.offer()
	return s.search()
}

// separates says that the text ends one recipient and begins another.
func (s *Screen) separates(text string) bool {
	return !engine.TakesSegment(s.form.identifier) && strings.ContainsAny(text, ",;\n\r\t")
}

// pasted takes a text with several recipients in it.
func (s *Screen) pasted(text string) tea.Cmd {
	s.form.prompt.SetValue(s.add(s.form.prompt.Value() + text))
	s.focus(spot{onPrompt, 0})
	s.offer()
	return s.refresh()
}

// split gives the recipients in a text.
func (s *Screen) split(text string) []string {
	parts := []string{text}
	if s.separates(text) {
		parts = strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;\n\r\t", r) })
	}
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// add takes the recipients in a text, and gives back what cannot be taken, with the reason in
// the form.
func (s *Screen) add(text string) (rest string) {
	s.form.wrong = ""
	var left []string
	for _, v := range s.split(text) {
		switch why := s.refused(v); {
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
	return strings.Join(left, ", ")
}

// refused says why a recipient cannot be added; empty where it can.
func (s *Screen) refused(v string) string {
	t := s.ask()
	t.Values = append(t.Values, v)
	wrong, others := t.CheckRecipients(s.campaign.Channel)
	if why := wrong[len(t.Values)-1]; why != "" {
		return why
	}
	if len(others) > 0 {
		return others[0]
	}
	return ""
}

// commit takes what is still in the place where recipients are typed. It reports false where
// that cannot be taken.
func (s *Screen) commit() bool {
	rest := s.add(s.form.prompt.Value())
	s.form.prompt.SetValue(rest)
	s.offer()
	if rest != "" {
		s.focus(spot{onPrompt, 0})
	}
	return rest == ""
}

// enterTyped is enter where recipients are typed: it takes what is there, and goes on where
// nothing is.
func (s *Screen) enterTyped() tea.Cmd {
	if strings.TrimSpace(s.form.prompt.Value()) == "" {
		s.jump(1)
		return nil
	}
	s.commit()
	return s.refresh()
}

// take adds a recipient that is offered.
func (s *Screen) take(i int) tea.Cmd {
	if i >= len(s.form.offers) {
		return nil
	}
	o := s.form.offers[i]
	if o.group != nil {
		return s.useGroup(*o.group, true)
	}
	s.form.prompt.SetValue(s.add(o.value))
	s.focus(spot{onPrompt, 0})
	s.offer()
	return s.refresh()
}

// remove drops a recipient.
func (s *Screen) remove() tea.Cmd {
	i := s.form.at.i
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

// search looks for profiles that what is typed leads to.
func (s *Screen) search() tea.Cmd {
	keeper, ok := s.deps.Service.(engine.ProfileKeeper)
	if !ok || engine.TakesSegment(s.form.identifier) {
		s.form.profiles = nil
		s.offer()
		return nil
	}
	text := strings.TrimSpace(s.form.prompt.Value())
	return s.Run(taskProfiles, func(ctx context.Context) (any, error) { return keeper.Profiles(ctx, text, mostProfiles) })
}

// offer finds the recipients to offer for what is typed: recent ones, then profiles.
func (s *Screen) offer() {
	s.form.offers = s.form.offers[:0]
	text := strings.ToLower(strings.TrimSpace(s.form.prompt.Value()))
	put := func(value, info string) {
		known := slices.ContainsFunc(s.form.offers, func(o offer) bool { return o.value == value })
		if len(s.form.offers) < mostOffers && !known && value != "" && !slices.Contains(s.form.recipients(), value) {
			s.form.offers = append(s.form.offers, offer{value: value, info: info})
		}
	}
	s.offerGroups(text)
	for _, v := range s.recent[s.form.identifier] {
		if strings.Contains(strings.ToLower(v), text) {
			put(v, "recent")
		}
	}
	for _, p := range s.form.profiles {
		for _, v := range engine.ByProfile(s.form.identifier, p) {
			put(v, p.DisplayName())
		}
	}
	if engine.TakesSegment(s.form.identifier) && len(s.form.recipients()) == 0 {
		for _, seg := range s.workspace.Segments {
			if strings.Contains(strings.ToLower(seg.Name), text) {
				put(seg.Name, count(len(seg.Members), "member"))
			}
		}
	}
	if s.form.at.place == onOffer && s.form.at.i >= len(s.form.offers) {
		s.focus(spot{onPrompt, 0})
	}
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

// suggest goes to the first recipient that is offered.
func (s *Screen) suggest() tea.Cmd {
	if len(s.form.offers) == 0 {
		return screen.Notify(widget.LevelInfo, "No recent recipient, no group and no profile has these letters.")
	}
	s.focus(spot{onOffer, 0})
	return nil
}

// most is how many recipients there can be.
func (s *Screen) most() int {
	if engine.TakesSegment(s.form.identifier) {
		return 1
	}
	return catalog.MaxIdentifierValues
}
